/* A fleet of made-up cards: noise by recorded samples, a spread between cards, and clocks. */
#ifndef BANKLINE_TEST_SIMULATED_FLEET_H
#define BANKLINE_TEST_SIMULATED_FLEET_H

#include <stdint.h>

#include "history/outliers.h"

enum { FLEET_ROWS = 88 };

struct simulated_fleet {
    size_t cards;
    double spread; /* between cards, of a row's ratio and time: a standard deviation */
    double clocks; /* 95 of 100 cards' clocks lie within so much of each other */
    size_t odd_row_card, odd_row; /* this card's ratio of this row is off by odd_row_by */
    double odd_row_by;
    unsigned noise; /* of the cards: 0 normal, 1 Student's with 3 degrees of freedom, 2 one value in
                       ten five times as noisy */
    size_t slow_card; /* this card is slower in all of its own times, by slow_by */
    double slow_by;
};

/* Reads the recorded samples, once; false: there are none. */
bool simulated_fleet_read_samples(void);

void simulated_fleet_seed(uint64_t seed);

/* Fills values, room for cards x FLEET_ROWS, and the fleet's one model and its cards. */
void simulated_fleet_make(const struct simulated_fleet *how, struct bl_fleet *fleet,
                          struct bl_fleet_value values[]);

extern struct bl_row_key simulated_fleet_keys[FLEET_ROWS];

#endif
