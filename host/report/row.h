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

/* From columns.h: char[size], unsigned, uint64_t, double or an enum for each column. */
#define BL_COLUMN_MEMBER_TEXT(member, size) char member[size];
#define BL_COLUMN_MEMBER_UNSIGNED(member, size) unsigned member;
#define BL_COLUMN_MEMBER_U64(member, size) uint64_t member;
#define BL_COLUMN_MEMBER_NUMBER(member, size) double member;
#define BL_COLUMN_MEMBER_VERDICT(member, size) enum bl_verdict member;
#define BL_COLUMN_MEMBER_STATUS(member, size) enum bl_row_status member;
#define BL_COLUMN_MEMBER_DIRECTION(member, size) enum bl_direction member;
#define BL_COLUMN_MEMBER(schema, kind, size, member, name) BL_COLUMN_MEMBER_##kind(member, size)
#define BL_COLUMN_NO_MEMBER(schema, kind, size, member, name)

/* What describes a run: the same in all of its rows. */
struct bl_run_info {
    BL_COLUMNS(BL_COLUMN_MEMBER, BL_COLUMN_NO_MEMBER, BL_COLUMN_NO_MEMBER)
};

/* Which row it is: the same case measured in another run has the same key. */
struct bl_row_key {
    BL_COLUMNS(BL_COLUMN_NO_MEMBER, BL_COLUMN_MEMBER, BL_COLUMN_NO_MEMBER)
};

/* One case. The units: ratios to the baseline's throughput in claim, predicted and measured*;
 * lines, bank_passes and sectors are means over the launch's requests; ns of one compute unit; GB
 * are 1e9 bytes; MHz right after the case. */
struct bl_row {
    struct bl_row_key key;
    BL_COLUMNS(BL_COLUMN_NO_MEMBER, BL_COLUMN_NO_MEMBER, BL_COLUMN_MEMBER)
    /* What the machine predicts by each of its alternatives, where these differ: in JSON alone. */
    struct bl_alternative alternatives[BL_MAX_BANK_ALTERNATIVES];
    unsigned alternative_count;
    double claim_to;       /* the other end of a claim that is a range, else NAN; in no column */
    size_t line;           /* of the file it was read from; else 0 */
    double *sample_ratios; /* `samples` of them, or NULL; in no column; the row's maker frees it */
};

/* A row whose numbers are all unknown; a run of which nothing is known but the schema. */
struct bl_row bl_row_empty(void);
struct bl_run_info bl_run_info_empty(void);

/* What stands before the slash of a case's id. */
enum { BL_SUITE_BYTES = sizeof((struct bl_row *)0)->suite };
void bl_suite_of(const char *case_id, char suite[BL_SUITE_BYTES]);

/* Whether one of the selectors names the case (bl_selects), or there are none. */
bool bl_case_is_selected(const char *case_id, const char *const selectors[], size_t count);

/* Less than, equal to or greater than 0, as strcmp: in the order of bl_key_column. */
int bl_row_key_compare(const struct bl_row_key *one, const struct bl_row_key *other);

/* Fills in what follows from the row's own numbers: distance (measured / predicted - 1) and
 * claim_verdict (the interval against the guide's claim +- tolerance, a fraction). Neither where
 * the row's verdict is BL_NO_RULE; of a row that is its own baseline the claim has the verdict
 * BL_BASELINE, for it was not tested either. */
void bl_row_conclude(struct bl_row *row, double tolerance);

/* Where a claim is from (claim_source): a document prints it, or it follows from a rule that a
 * document prints. Files before schema 8 do not say; their claims count as printed. */
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
    unsigned schema;     /* that appended it */
    size_t offset, size; /* in struct bl_run_info, bl_row_key or bl_row */
};

enum {
#define BL_COUNT_COLUMN(schema, kind, size, member, name) +1
    BL_COLUMN_COUNT = BL_COLUMNS(BL_COUNT_COLUMN, BL_COUNT_COLUMN, BL_COUNT_COLUMN)
#undef BL_COUNT_COLUMN
};
extern const struct bl_column bl_columns[BL_COLUMN_COUNT];

/* The column of this name, which there must be. */
const struct bl_column *bl_column_named(const char *name);

/* The columns of a key in the order in which rows are sorted: case, type, shape, lanes, working set
 * and machine; NULL after the last. */
const struct bl_column *bl_key_column(size_t i);

/* How many of them a file of this schema has, 1 to BL_CSV_SCHEMA; 0 for another schema. */
size_t bl_columns_of_schema(unsigned schema);

/* The column's value as text in the C locale: empty for what is not known. Returns a text inside
 * the structs, or buffer, or a static one. */
enum { BL_COLUMN_BUFFER = 32 };
const char *bl_number_text(double number, char buffer[BL_COLUMN_BUFFER]);
const char *bl_column_text(const struct bl_column *column, const struct bl_run_info *run,
                           const struct bl_row *row, char buffer[BL_COLUMN_BUFFER]);

/* The same of a column of a key, where a number that is not known is "0". */
const char *bl_key_text(const struct bl_column *column, const struct bl_row_key *key,
                        char buffer[BL_COLUMN_BUFFER]);

/* The column's value as a number: NAN for what is not known, and for texts and names. */
double bl_column_number(const struct bl_column *column, const struct bl_run_info *run,
                        const struct bl_row *row);

/* Sets the column from text as bl_column_text gives it; a machine's former name becomes its current
 * one. false: it cannot be this text (too long, no number, no such name), and the structs are as
 * they were. */
bool bl_column_parse(const struct bl_column *column, const char *text, struct bl_run_info *run,
                     struct bl_row *row);

#endif
