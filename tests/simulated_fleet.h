/* A fleet of simulated cards with noise from recorded samples, a spread between cards, and clocks.
 */
#ifndef BANKLINE_TEST_SIMULATED_FLEET_H
#define BANKLINE_TEST_SIMULATED_FLEET_H

#include <stdint.h>

#include "history/outliers.h"

enum { FLEET_ROWS = 88 };

struct simulated_fleet {
    size_t cards;
    double spread;                /* standard deviation between cards of a row's ratio and of its
                                     time */
    double clocks;                /* the width of the range of 95 % of the cards' clocks, as a
                                     fraction of a clock */
    size_t odd_row_card, odd_row; /* the card and the row whose ratio deviates by odd_row_by */
    double odd_row_by;
    unsigned noise; /* distribution of the differences between cards: 0 normal; 1 Student's t with 3
                       degrees of freedom; 2 normal, but one card in ten is five times as noisy */
    size_t slow_card; /* all times of this card are longer by the fraction slow_by */
    double slow_by;
};

/* Reads the recorded samples once. Returns false if there are none. */
bool simulated_fleet_read_samples(void);

void simulated_fleet_seed(uint64_t seed);

/* Fills in `values`, whose capacity is cards * FLEET_ROWS, and the cards and the single model of
 * the fleet. */
void simulated_fleet_make(const struct simulated_fleet *how, struct bl_fleet *fleet,
                          struct bl_fleet_value values[]);

extern struct bl_row_key simulated_fleet_keys[FLEET_ROWS];

#endif
