/* A fleet of simulated cards with noise from recorded samples, a spread between cards, and clocks.
 */
#ifndef BANKLINE_TEST_SIMULATED_FLEET_H
#define BANKLINE_TEST_SIMULATED_FLEET_H

#include <stdint.h>

#include "history/outliers.h"

enum { FLEET_ROWS = 88 };

struct simulated_fleet {
    size_t cards;
    double spread;                /* standard deviation of a row's ratio and time between cards */
    double clocks;                /* 95 of 100 clocks lie within this fraction of each other */
    size_t odd_row_card, odd_row; /* this card's ratio in this row deviates by odd_row_by */
    double odd_row_by;
    unsigned noise; /* differences between cards: 0 normal, 1 Student's t with 3 degrees of freedom,
                       2 one in ten five times as noisy */
    size_t slow_card; /* all times of this card are longer by slow_by */
    double slow_by;
};

/* Reads the recorded samples, once; false if there are none. */
bool simulated_fleet_read_samples(void);

void simulated_fleet_seed(uint64_t seed);

/* Fills in values (capacity cards * FLEET_ROWS), and the fleet's single model and its cards. */
void simulated_fleet_make(const struct simulated_fleet *how, struct bl_fleet *fleet,
                          struct bl_fleet_value values[]);

extern struct bl_row_key simulated_fleet_keys[FLEET_ROWS];

#endif
