/* Numbers that a kernel and its reference in C share, each typed once: OpenCL C compiles this and C
 * does (bench/, host/run/). What the macros are given is unsigned, of 32 bits. */
#ifndef BANKLINE_NUMBERS_H
#define BANKLINE_NUMBERS_H

/* convolution: elements that a group needs on each side of its own, and the factor of each tap. */
#define HALO 128
#define TAPS (2 * HALO + 1)
#define TAP(j) (((j) * 2654435761u >> 20) | 1u)

/* constant: elements of the private table. */
#define TABLE_ELEMENTS 16

/* level: a group's first block, and the odd number of blocks by which it goes on, modulo their
 * number. */
#define FIRST_BLOCK(group) HASHED((group) * 2654435761u)
#define HASHED(h) ((h) ^ (h) >> 15)
#define FURTHER(first_block) ((first_block) >> 8 | 1)

/* barrier: what a work-item hands on of its sum; no closed form. */
#define HANDED_ON(sum) ((sum) ^ 0x9E3779B9u)

/* local-size, stage: what a round puts into a word. */
#define WORD_OF(number, round) ((number) * 0x9E3779B9u + (round))

/* private, spill: words that say which index a round begins with, and what becomes of an element:
 * exclusive or and addition in turns, with another number each time. No compiler knows a closed
 * form of the loop, and no two rounds cancel. */
#define ROUND_WORDS 1024
#define CHANGED(x, turn) (((x) ^ 0x9E3779B9u) + (turn))
#define CHANGED_MORE(x, i) ((i) % 2 ? (x) ^ 0x7FEB352Du : (x) + 0x85EBCA6Bu)

#endif
