/* A hash that tells texts apart; it protects nothing. */
#ifndef BANKLINE_BASE_HASH_H
#define BANKLINE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* FNV-1a, 64 bits (Fowler, Noll and Vo): begin with BL_HASH_BEGIN and add piece after piece. */
#define BL_HASH_BEGIN UINT64_C(0xcbf29ce484222325)
uint64_t bl_hash_add(uint64_t hash, const void *bytes, size_t count);

#endif
