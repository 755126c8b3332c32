/* Everything known about one measured case: what the writers write and the reader reads.
 *
 * Numbers that are not known, or not applicable, are NAN (or 0 where 0 is no value): they become
 * empty fields.
 */
#ifndef BANKLINE_REPORT_ROW_H
#define BANKLINE_REPORT_ROW_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/verdict.h"

enum { BL_CSV_SCHEMA = 4 };

enum bl_row_status {
    BL_ROW_OK,
    BL_ROW_NOISY,        /* the interval is wider than asked for */
    BL_ROW_SKIPPED,      /* not asked for in this run */
    BL_ROW_UNSUPPORTED,  /* the device cannot run it */
    BL_ROW_ERROR,        /* a call or a build failed */
    BL_ROW_WRONG_RESULT, /* a work-item's sum is wrong: no number */
    BL_ROW_BAD_CLOCK,    /* the device's clock cannot be believed: no number */
    BL_ROW_IMPOSSIBLE,   /* throughput above a physical limit: no number */
    BL_ROW_STATUS_COUNT
};

/* "ok", "noisy", ... */
const char *bl_row_status_name(enum bl_row_status status);

/* The row status of a measurement that ended with this status. */
enum bl_row_status bl_row_status_of(enum bl_status status);

struct bl_row {
    unsigned schema;
    char run_id[64], time_utc[32], tool_version[64], host[128];
    char platform[128], device[128], driver[128], machine[32];
    char case_id[448], suite[32], memory[16], type[16], shape[24];
    unsigned lanes;
    uint64_t working_set_bytes;                /* the index wraps into it */
    double claim;                              /* ratio that the guide prints */
    double lines, bank_passes;                 /* means over the launch's requests, by the model */
    double predicted;                          /* ratio by the model */
    double measured, measured_lo, measured_hi; /* ratio to the baseline, 95 % interval */
    enum bl_verdict verdict;
    enum bl_row_status status;
    char reason[768];          /* a sentence unless ok or noisy */
    double bytes_per_clock_cu; /* useful bytes a clock of the reported frequency, for each CU */
    double gbytes_per_s;       /* useful bytes; 1e9 a second */
    double ns_per_request;     /* of one compute unit */
    uint64_t samples;
    double seconds;              /* spent on the case */
    enum bl_direction direction; /* a claim in words: against the baseline (schema 2) */
    char note[448];              /* what else the case found out (schema 2) */
    double
        *sample_ratios; /* `samples` of them, or NULL; not in the CSV; who has the row frees it */
    char os[128], cpu[128], governor[32]; /* of the computer (schema 4) */
    double cpu_mhz,
        device_mhz; /* clocks right after the case, as far as they can be read (schema 4) */
    double sectors; /* as lines: the parts of lines that are fetched alone (schema 3) */
};

/* A row whose numbers are all unknown. */
struct bl_row bl_row_empty(void);

/* The columns of the CSV, in their order. Each says where in the row its value lies. */
enum bl_column_kind {
    BL_COLUMN_TEXT,     /* char[size] */
    BL_COLUMN_UNSIGNED, /* unsigned; 0 is empty */
    BL_COLUMN_U64,      /* uint64_t; 0 is empty */
    BL_COLUMN_NUMBER,   /* double; NAN is empty */
    BL_COLUMN_VERDICT,
    BL_COLUMN_STATUS,
    BL_COLUMN_DIRECTION
};

struct bl_column {
    const char *name;
    enum bl_column_kind kind;
    size_t offset, size;
};

const struct bl_column *bl_columns(size_t *count);

/* How many of them a file of this schema has, 1 to BL_CSV_SCHEMA; 0 for another schema. */
size_t bl_columns_of_schema(unsigned schema);

#endif
