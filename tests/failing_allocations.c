/* Replaces the allocation functions (see failing_allocations.h). */
#include "failing_allocations.h"

#include <stdbool.h>
#include <stddef.h>

long until_failure = -1;

static bool fails(void) { return until_failure >= 0 && until_failure-- == 0; }

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t bytes);

void *__wrap_malloc(size_t bytes) { return fails() ? NULL : __real_malloc(bytes); }
void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __real_calloc(count, bytes);
}
void *__wrap_realloc(void *old, size_t bytes)
{
    return fails() ? NULL : __real_realloc(old, bytes);
}
char *__wrap_strdup(const char *text) { return fails() ? NULL : __real_strdup(text); }
char *__wrap_strndup(const char *text, size_t bytes)
{
    return fails() ? NULL : __real_strndup(text, bytes);
}
