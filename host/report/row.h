/* Everything known about one measured case: what the sinks show and the readers read.
 *
 * Numbers that are unknown or not applicable are NAN (integers 0): they become empty fields, null
 * in JSON and NULL in SQL.
 */
#ifndef BANKLINE_REPORT_ROW_H
#define BANKLINE_REPORT_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/predict.h"
#include "report/columns.h"
#include "report/row_status.h"

/* Members from columns.h: char[size], unsigned, uint64_t, double or an enum per column. */
#define BL_COLUMN_MEMBER_TEXT(member, size) char member[size];
#define BL_COLUMN_MEMBER_UNSIGNED(member, size) unsigned member;
#define BL_COLUMN_MEMBER_U64(member, size) uint64_t member;
#define BL_COLUMN_MEMBER_NUMBER(member, size) double member;
#define BL_COLUMN_MEMBER_VERDICT(member, size) enum bl_verdict member;
#define BL_COLUMN_MEMBER_STATUS(member, size) enum bl_row_status member;
#define BL_COLUMN_MEMBER_DIRECTION(member, size) enum bl_direction member;
#define BL_COLUMN_MEMBER(schema, kind, size, member, name) BL_COLUMN_MEMBER_##kind(member, size)
#define BL_COLUMN_NO_MEMBER(schema, kind, size, member, name)

/* The description of a run: the same in all of its rows. */
struct bl_run_info {
    BL_COLUMNS(BL_COLUMN_MEMBER, BL_COLUMN_NO_MEMBER, BL_COLUMN_NO_MEMBER)
};

/* Identifies the row: the same case measured in another run has the same key. */
struct bl_row_key {
    BL_COLUMNS(BL_COLUMN_NO_MEMBER, BL_COLUMN_MEMBER, BL_COLUMN_NO_MEMBER)
};

/* One case. The units: ratios to the baseline's throughput in claim, predicted and measured*;
 * lines, bank_passes and sectors are means over the launch's requests; ns of one compute unit; GB
 * are 1e9 bytes; MHz right after the case. */
struct bl_row {
    struct bl_row_key key;
    BL_COLUMNS(BL_COLUMN_NO_MEMBER, BL_COLUMN_NO_MEMBER, BL_COLUMN_MEMBER)
    /* The prediction by each of the machine's alternatives, if these differ: only in JSON. */
    struct bl_alternative alternatives[BL_MAX_BANK_ALTERNATIVES];
    unsigned alternative_count;
    double claim_to;       /* the upper end of a claim that is a range, else NAN; not a column */
    size_t line;           /* line in the file that the row was read from; else 0 */
    double *sample_ratios; /* `samples` ratios, or NULL; not a column; freed by the row's creator */
};

/* A row whose numbers are all unknown; a run of which only the schema is known. */
struct bl_row bl_row_empty(void);
struct bl_run_info bl_run_info_empty(void);

/* The part of a case's id before the slash. */
enum { BL_SUITE_BYTES = sizeof((struct bl_row *)0)->suite };
void bl_suite_of(const char *case_id, char suite[BL_SUITE_BYTES]);

/* Whether one of the selectors names the case (bl_selects), or there are no selectors. */
bool bl_case_is_selected(const char *case_id, const char *const selectors[], size_t count);

/* Compares in the order of bl_key_column; returns as strcmp. */
int bl_row_key_compare(const struct bl_row_key *one, const struct bl_row_key *other);

/* Fills in the results of the row's own numbers: distance (measured / predicted - 1) and
 * claim_verdict (the interval against the guide's claim +- tolerance, a fraction). Fills in neither
 * if the row's verdict is BL_NO_RULE; the claim of a row that is its own baseline gets BL_BASELINE,
 * because it was not tested either. */
void bl_row_conclude(struct bl_row *row, double tolerance);

/* The source of a claim (claim_source): printed by a document, or derived from a rule that a
 * document prints. Files before schema 8 lack the column; their claims count as printed. */
#define BL_CLAIM_PRINTED "printed"
#define BL_CLAIM_DERIVED "derived"
bool bl_claim_is_derived(const struct bl_row *row);

/* Whether a row was measured. */
bool bl_row_has_number(const struct bl_row *row);

/* The columns, in the CSV's order. */
enum bl_column_kind {
    BL_COLUMN_TEXT,     /* char[size] */
    BL_COLUMN_UNSIGNED, /* unsigned; 0 is empty */
    BL_COLUMN_U64,      /* uint64_t; 0 is empty */
    BL_COLUMN_NUMBER,   /* double; NAN is empty */
    BL_COLUMN_VERDICT,
    BL_COLUMN_STATUS,
    BL_COLUMN_DIRECTION
};

enum bl_column_owner { BL_COLUMN_OF_RUN, BL_COLUMN_OF_KEY, BL_COLUMN_OF_ROW };

struct bl_column {
    const char *name;
    enum bl_column_kind kind;
    enum bl_column_owner owner;
    unsigned schema;     /* schema that added the column */
    size_t offset, size; /* within struct bl_run_info, bl_row_key or bl_row */
};

enum {
#define BL_COUNT_COLUMN(schema, kind, size, member, name) +1
    BL_COLUMN_COUNT = BL_COLUMNS(BL_COUNT_COLUMN, BL_COUNT_COLUMN, BL_COUNT_COLUMN)
#undef BL_COUNT_COLUMN
};
extern const struct bl_column bl_columns[BL_COLUMN_COUNT];

/* The column of this name, which must exist. */
const struct bl_column *bl_column_named(const char *name);

/* The columns of a key in the order in which rows are sorted: case, type, shape, lanes, working set
 * and machine; NULL after the last. */
const struct bl_column *bl_key_column(size_t i);

/* The number of columns in a file of this schema, 1 to BL_CSV_SCHEMA; 0 for another schema. */
size_t bl_columns_of_schema(unsigned schema);

/* The column's value as text in the C locale; "" if unknown. The result points into run, row or
 * buffer, or to a string constant. */
enum { BL_COLUMN_BUFFER = 32 };
const char *bl_number_text(double number, char buffer[BL_COLUMN_BUFFER]);
const char *bl_column_text(const struct bl_column *column, const struct bl_run_info *run,
                           const struct bl_row *row, char buffer[BL_COLUMN_BUFFER]);

/* Like bl_column_text for a column of a key, in which an unknown number is "0". */
const char *bl_key_text(const struct bl_column *column, const struct bl_row_key *key,
                        char buffer[BL_COLUMN_BUFFER]);

/* The column's value as a number; NAN if unknown, and for texts and names. */
double bl_column_number(const struct bl_column *column, const struct bl_run_info *run,
                        const struct bl_row *row);

/* Sets the column from text as bl_column_text gives it; a machine's former name becomes its current
 * one. Returns false if the text is invalid (too long, not a number, an unknown name); the structs
 * are then unchanged. */
bool bl_column_parse(const struct bl_column *column, const char *text, struct bl_run_info *run,
                     struct bl_row *row);

#endif
