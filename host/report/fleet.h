/* Many cards of a model, side by side: what is usual, and which card differs. */
#ifndef BANKLINE_REPORT_FLEET_H
#define BANKLINE_REPORT_FLEET_H

#include "report/row.h"

/* A device model with a driver: cards of one are compared with each other. */
struct bl_fleet_model {
    char device[sizeof((struct bl_run_info *)0)->device],
        driver[sizeof((struct bl_run_info *)0)->driver];
    size_t cards;
    size_t rows;     /* that nine of ten of its cards have */
    double limit[5]; /* by enum bl_oddity: the limit, in spreads from the median; INFINITY: too few
                        cards */
};

struct bl_fleet_card {
    struct bl_run_info run; /* the newest that was looked at */
    size_t model;
    double speed;     /* work per time, in all rows, over the model's median; NAN: not known */
    bool is_compared; /* in one row or more: others of its model have the same kernels */
};

/* Cards that differ from the others in the same way in many rows. */
struct bl_fleet_groups {
    size_t model, cards[2], rows, of_rows;
    double by;      /* the second group's ratios over the first's, less 1; the median of the rows */
    char what[256]; /* by what else they differ: "driver: 1 / 2"; "": by nothing that runs record */
};

/* One row of a model, by one version of its kernels. */
struct bl_fleet_row {
    size_t model, cards; /* that have a number */
    struct bl_row_key key;
    char kernels[sizeof((struct bl_row *)0)->kernels];
    double ratio, ratio_spread;  /* median; standard deviation over cards, a fraction */
    double time_ns, time_spread; /* of case_ns; NAN: not known */
};

enum bl_oddity {
    BL_ODD_RATIO,   /* a ratio: the pattern's cost differs on this card */
    BL_ODD_SPEED,   /* the own times of most rows, all by the same factor: clock or power */
    BL_ODD_TIME,    /* a row's own time, compared with --absolute */
    BL_ODD_MISSING, /* the other cards have rows of which this one has no number */
    BL_ODD_ABSENT   /* it has no run now, and had some in the nights before */
};

struct bl_outlier {
    enum bl_oddity oddity;
    size_t card, row;    /* row: of BL_ODD_RATIO and BL_ODD_TIME */
    double own, median;  /* ratios, ns, or speeds; of BL_ODD_MISSING counts of rows */
    double by;           /* throughput against the median's, less 1: below 0 is slower */
    double spreads;      /* how many spreads that is */
    char since[32];      /* the first run at this level; "" if it was always so, or not known */
    bool is_since_first; /* it was so in all of its runs */
    double own_speed;    /* of BL_ODD_RATIO: the row's own speed over the median's, a logarithm */
    bool is_baseline; /* of BL_ODD_RATIO: the row is as fast as the others', its baseline is not */
};

struct bl_fleet {
    struct bl_fleet_model *models;
    size_t model_count, model_capacity;
    struct bl_fleet_card *cards;
    size_t card_count, card_capacity;
    struct bl_fleet_row *rows; /* sorted by model and key */
    size_t row_count, row_capacity;
    struct bl_outlier *outliers; /* the worst card first, with its worst difference first */
    size_t outlier_count, outlier_capacity;
    struct bl_fleet_groups *groups;
    size_t group_count, group_capacity;
    double least, least_speed; /* smaller differences are not named, fractions */
    char first[32], last[32];  /* times of the runs */
    size_t future_runs;        /* left out, for their clock is wrong */
    size_t nameless_runs;      /* without a device_id: runs of one host count as one card */
};

/* "ratio", "speed", "time", "missing", "absent" */
const char *bl_oddity_name(enum bl_oddity oddity);

/* The row that the outlier is of; NULL: of none. */
const struct bl_fleet_row *bl_outlier_row(const struct bl_fleet *fleet,
                                          const struct bl_outlier *outlier);

/* A sentence on the outlier, as every format has it. */
enum { BL_OUTLIER_TEXT = 512 };
const char *bl_outlier_text(const struct bl_fleet *fleet, const struct bl_outlier *outlier,
                            char text[BL_OUTLIER_TEXT]);

/* Writes the fleet's table: what is usual of each row, and the cards that differ. A bl_format's. */
struct bl_sink;
enum bl_status bl_fleet_table(struct bl_sink *sink, const struct bl_fleet *fleet);

void bl_fleet_free(struct bl_fleet *fleet);

#endif
