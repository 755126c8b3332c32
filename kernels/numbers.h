/* Numbers that a kernel and its reference in C share, each typed once: OpenCL C compiles this and C
 * does (bench/, host/run/). What the macros are given is unsigned, of 32 bits. */
#ifndef BANKLINE_NUMBERS_H
#define BANKLINE_NUMBERS_H

/* convolution: elements that a group needs on each side of its own, and the factor that a word of
 * the array makes of a tap. */
#define HALO 128
#define TAPS (2 * HALO + 1)
#define TAP(word) ((word) >> 20 | 1u)

/* infer_fill: the word of this number. A hash, for some GPUs compress memory. */
#define HASHED_WORD(w) (((w) * 2654435761u) ^ ((w) * 2654435761u) >> 15)

/* constant: elements of the private table. */
#define TABLE_ELEMENTS 16

/* level: a group's first block, and the odd number of blocks by which it goes on, modulo their
 * number. */
#define FIRST_BLOCK(group) HASHED((group) * 2654435761u)
#define HASHED(h) ((h) ^ (h) >> 15)
#define FURTHER(first_block) ((first_block) >> 8 | 1)

/* barrier: what a work-item hands on of its sum; no closed form. */
#define HANDED_ON(sum) ((sum) ^ 0x9E3779B9u)

/* histogram: samples of a word of 64 bits. */
#define SAMPLES_OF(bins) ((bins) > 256 ? 4u : 8u)

/* latency: where a group's chain begins, and how it goes on. */
#define CHAIN_START(group) HASHED(((group) + 1) * 2654435761u)
#define CHAIN_NEXT(at) ((at) * 1664525u + 1013904223u)

/* local-size, stage: what a round puts into a word. */
#define WORD_OF(number, round) ((number) * 0x9E3779B9u + (round))

/* private, spill: words that say which index a round begins with, and what becomes of an element:
 * exclusive or and addition in turns, with another number each time. No compiler knows a closed
 * form of the loop, and no two rounds cancel. */
#define ROUND_WORDS 1024
#define CHANGED(x, turn) (((x) ^ 0x9E3779B9u) + (turn))
#define CHANGED_MORE(x, i) ((i) % 2 ? (x) ^ 0x7FEB352Du : (x) + 0x85EBCA6Bu)

#endif
