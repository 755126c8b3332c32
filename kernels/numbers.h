/* Constants and formulas that a kernel shares with the C code that computes the expected outputs
 * (bench/, host/run/, host/infer/): both include this file. The macros compute with 32-bit unsigned
 * integers; `x` may be a vector of them. */
#ifndef BANKLINE_NUMBERS_H
#define BANKLINE_NUMBERS_H

/* convolution. HALO: how many elements a group reads beyond each end of the elements that it
 * computes. TAP: the tap that a word of the array encodes. */
#define HALO 128
#define TAPS (2 * HALO + 1)
#define TAP(word) ((word) >> 20 | 1u)

/* infer_fill, infer_stream: a hash of the number w, because some GPUs compress regular data. */
#define HASHED_WORD(w) (((w) * 2654435761u) ^ ((w) * 2654435761u) >> 15)

/* constant: the number of elements of the private table. */
#define TABLE_ELEMENTS 16

/* level: a group's first block, and its odd step from block to block, modulo the number of
 * blocks. */
#define FIRST_BLOCK(group) HASHED((group) * 2654435761u)
#define HASHED(h) ((h) ^ (h) >> 15)
#define FURTHER(first_block) ((first_block) >> 8 | 1)

/* barrier: the value that a work-item passes on, computed from its sum in a way for which compilers
 * know no closed form. */
#define HANDED_ON(sum) ((sum) ^ 0x9E3779B9u)

/* histogram: samples per 64-bit word. */
#define SAMPLES_OF(bins) ((bins) > 256 ? 4u : 8u)

/* latency: the first element of a group's chain, and the element after `at`. */
#define CHAIN_START(group) HASHED(((group) + 1) * 2654435761u)
#define CHAIN_NEXT(at) ((at) * 1664525u + 1013904223u)

/* local-size, stage: the value that a round writes to a word. */
#define WORD_OF(number, round) ((number) * 0x9E3779B9u + (round))

/* private, spill, width. ROUND_WORDS: round r takes its first index from word r % ROUND_WORDS of
 * the data. CHANGED, CHANGED_MORE: how an element changes. Exclusive or and addition alternate,
 * with different numbers, so that no compiler knows a closed form of the loop, and no two rounds
 * cancel. */
#define ROUND_WORDS 1024
#define CHANGED(x, turn) (((x) ^ 0x9E3779B9u) + (turn))
#define CHANGED_MORE(x, i) ((i) % 2 ? (x) ^ 0x7FEB352Du : (x) + 0x85EBCA6Bu)

#endif
