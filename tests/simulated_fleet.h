/* A fleet of simulated cards. Noise is drawn from recorded samples; cards differ in their ratios,
 * times and clocks. */
#ifndef BANKLINE_TEST_SIMULATED_FLEET_H
#define BANKLINE_TEST_SIMULATED_FLEET_H

#include <stdint.h>

#include "history/outliers.h"

enum { FLEET_ROWS = 88 };

struct simulated_fleet {
    size_t cards;
    double spread;                /* standard deviation between cards of a row's ratio and of its
                                     time */
    double clocks;                /* the width of the range that holds 95 % of the cards' clocks, as
                                     a fraction of the mean clock */
    size_t odd_row_card, odd_row; /* the card and the row whose ratio deviates by odd_row_by */
    double odd_row_by;
    unsigned noise; /* distribution of the differences between cards: 0 normal; 1 Student's t with 3
                       degrees of freedom; 2 normal, but one in ten is five times as large */
    size_t slow_card; /* this card's throughput is lower by the fraction slow_by in all rows */
    double slow_by;
};

/* Reads the recorded samples and fills in simulated_fleet_keys. Returns false if the file cannot be
 * read or has too few samples. Must be called before simulated_fleet_make. */
bool simulated_fleet_read_samples(void);

void simulated_fleet_seed(uint64_t seed);

/* Fills in `values`, whose capacity is cards * FLEET_ROWS, and the cards and the single model of
 * the fleet. */
void simulated_fleet_make(const struct simulated_fleet *how, struct bl_fleet *fleet,
                          struct bl_fleet_value values[]);

extern struct bl_row_key simulated_fleet_keys[FLEET_ROWS];

#endif
