/* Linear algebra over GF(2): vectors are words of 64 bits, addition is exclusive or. */
#ifndef BANKLINE_INFER_MASKS_H
#define BANKLINE_INFER_MASKS_H

#include <stdbool.h>
#include <stdint.h>

/* A basis of the vectors added so far, each with a highest bit that no other one has. Zeroed: of
 * none. */
struct bl_gf2_basis {
    uint64_t of_bit[64]; /* the vector whose highest bit is this; 0: there is none */
    unsigned rank;
};

/* Adds a vector; false: the others span it already. */
bool bl_gf2_add(struct bl_gf2_basis *basis, uint64_t vector);

/* The vector less what the basis can make of it: 0 when the basis spans it. */
uint64_t bl_gf2_reduce(const struct bl_gf2_basis *basis, uint64_t vector);

/* The masks, of these bits, whose parity with every vector of the basis is even: their own basis in
 * reduced form, the highest bit first. Returns how many there are, of which max are written. */
unsigned bl_gf2_masks(const struct bl_gf2_basis *basis, uint64_t bits, uint64_t masks[],
                      unsigned max);

#endif
