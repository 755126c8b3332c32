/* A fleet: many cards of one or more models, their typical values, and the cards that differ. */
#ifndef BANKLINE_REPORT_FLEET_H
#define BANKLINE_REPORT_FLEET_H

#include "report/row.h"

/* A device model with one driver version; its cards are compared with each other. */
struct bl_fleet_model {
    char device[sizeof((struct bl_run_info *)0)->device],
        driver[sizeof((struct bl_run_info *)0)->driver];
    size_t cards;
    size_t rows; /* number of rows that at least four cards have, and that at least 9 of 10 cards
                    that were asked for the row have */
    /* for each enum bl_oddity, the limit of an outlier's `spreads`; INFINITY if there are too few
     * cards, or for BL_ODD_TIME without --absolute; NAN for BL_ODD_MISSING and BL_ODD_ABSENT */
    double limit[5];
};

struct bl_fleet_card {
    /* The card's newest run that has numbers in at least half as many of the selected rows as each
     * of its earlier runs; for an absent card, its last run. */
    struct bl_run_info run;
    size_t model;
    double speed;     /* speed over all rows, relative to the median of the model's cards; NAN if
                         unknown */
    bool is_compared; /* whether at least one row could be compared with other cards */
};

/* Two groups of a model's cards between which many rows differ in the same way, or the cards of two
 * models that differ only in the driver. model: the first group's model; cards: the sizes of the
 * groups; rows: the number of rows that differ; of_rows: the number of rows compared. */
struct bl_fleet_groups {
    size_t model, cards[2], rows, of_rows;
    double by;      /* (ratio of the second group) / (ratio of the first group) - 1, as the median
                       over the rows */
    char what[256]; /* other columns in which the groups differ, such as "driver 1 / 2"; "" if
                       there are none */
};

/* One row of a model. The kernels are the same on all cards. */
struct bl_fleet_row {
    size_t model, cards; /* index of the model; number of cards that have a number for the row */
    struct bl_row_key key;
    char kernels[sizeof((struct bl_row *)0)->kernels];
    double ratio, ratio_spread;  /* median of the ratios over the cards; their standard deviation, a
                                    fraction */
    double time_ns, time_spread; /* median of case_ns; its standard deviation, a fraction; NAN if
                                    unknown */
};

enum bl_oddity {
    BL_ODD_RATIO,   /* a ratio differs, so a pattern's cost differs on this card */
    BL_ODD_SPEED,   /* the times of most rows differ by the same factor, so clock or power
                       differs */
    BL_ODD_TIME,    /* the time of a row's case differs (with --absolute) */
    BL_ODD_MISSING, /* this card has no number in rows in which the other cards have a number */
    BL_ODD_ABSENT   /* this card has no run now, but had runs in the nights before */
};

struct bl_outlier {
    enum bl_oddity oddity;
    size_t card, row;   /* index of the card; index of the row, for BL_ODD_RATIO and BL_ODD_TIME */
    double own, median; /* the card's value and the cards' median: ratios, ns or speeds. For
                           BL_ODD_MISSING the number of rows that the card lacks, and the number
                           that it should have; for BL_ODD_ABSENT the number of nights with runs,
                           and NAN */
    double by;          /* throughput / median throughput - 1; negative if slower. For missing rows,
                           -own / median; for absent cards, -1 */
    double spreads;     /* distance from the median, as a multiple of the cards' spread; NAN for
                           missing rows and absent cards */
    char since[32];     /* time of the first run with the present value; "" if unknown */
    bool is_since_first; /* whether all comparable runs of the card had the present value */
    double own_speed;    /* for BL_ODD_RATIO: log(the card's speed in this row / the median speed of
                            all cards) */
    bool is_baseline;    /* for BL_ODD_RATIO: whether only the row's baseline differs from other
                            cards */
};

struct bl_fleet {
    struct bl_fleet_model *models;
    size_t model_count, model_capacity;
    struct bl_fleet_card *cards;
    size_t card_count, card_capacity;
    struct bl_fleet_row *rows; /* grouped by model and key */
    size_t row_count, row_capacity;
    struct bl_outlier *outliers; /* sorted: the worst card first; within a card, its speed first,
                                    then the worst outlier; absent cards last */
    size_t outlier_count, outlier_capacity;
    struct bl_fleet_groups *groups;
    size_t group_count, group_capacity;
    double least, least_speed; /* the smallest difference that is reported, a fraction: of ratios
                                  and times, and of speeds */
    char first[32], last[32];  /* times of the first and the last run */
    size_t future_runs;        /* runs omitted because their time is in the future */
    size_t nameless_runs;      /* runs without a device_id; those of one host count as one card */
};

/* Returns "ratio", "speed", "time", "missing" or "absent". */
const char *bl_oddity_name(enum bl_oddity oddity);

/* The row that the outlier is about; NULL if it is not about a single row. */
const struct bl_fleet_row *bl_outlier_row(const struct bl_fleet *fleet,
                                          const struct bl_outlier *outlier);

/* Writes a sentence about the outlier, for all formats. Returns `text`. */
enum { BL_OUTLIER_TEXT = 512 };
const char *bl_outlier_text(const struct bl_fleet *fleet, const struct bl_outlier *outlier,
                            char text[BL_OUTLIER_TEXT]);

/* Why the card could not be compared with other cards, for all formats. NULL if it was compared, or
 * if an outlier is about it. */
const char *bl_fleet_why_not_compared(const struct bl_fleet *fleet, size_t card);

/* Writes a sentence about two groups, for all formats. Returns `text`. */
enum { BL_GROUPS_TEXT = 640 };
const char *bl_fleet_groups_text(const struct bl_fleet *fleet, const struct bl_fleet_groups *groups,
                                 char text[BL_GROUPS_TEXT]);

/* Writes the fleet's table: the typical value of each row, and the cards that differ. The function
 * is the member `fleet` of a bl_format. */
struct bl_sink;
enum bl_status bl_fleet_table(struct bl_sink *sink, const struct bl_fleet *fleet);

void bl_fleet_free(struct bl_fleet *fleet);

#endif
