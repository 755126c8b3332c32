/* A row: everything known about one measured case.
 *
 * Unknown and inapplicable numbers are NAN (integers 0). Such numbers become empty fields in CSV,
 * null in JSON and NULL in SQL. */
#ifndef BANKLINE_REPORT_ROW_H
#define BANKLINE_REPORT_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/predict.h"
#include "report/columns.h"
#include "report/row_status.h"

/* The struct members for the columns of columns.h. */
#define BL_COLUMN_MEMBER_TEXT(member, size) char member[size];
#define BL_COLUMN_MEMBER_UNSIGNED(member, size) unsigned member;
#define BL_COLUMN_MEMBER_U64(member, size) uint64_t member;
#define BL_COLUMN_MEMBER_NUMBER(member, size) double member;
#define BL_COLUMN_MEMBER_VERDICT(member, size) enum bl_verdict member;
#define BL_COLUMN_MEMBER_STATUS(member, size) enum bl_row_status member;
#define BL_COLUMN_MEMBER_DIRECTION(member, size) enum bl_direction member;
#define BL_COLUMN_MEMBER(schema, kind, size, member, name) BL_COLUMN_MEMBER_##kind(member, size)
#define BL_COLUMN_NO_MEMBER(schema, kind, size, member, name)

/* The description of a run, which is the same in all rows of the run. */
struct bl_run_info {
    BL_COLUMNS(BL_COLUMN_MEMBER, BL_COLUMN_NO_MEMBER, BL_COLUMN_NO_MEMBER)
};

/* The key of a row: the columns that identify the row in its run. bl_row_key_compare ignores the
 * machine, so the same rows of two runs match even if their predictions are from different machine
 * descriptions. */
struct bl_row_key {
    BL_COLUMNS(BL_COLUMN_NO_MEMBER, BL_COLUMN_MEMBER, BL_COLUMN_NO_MEMBER)
};

/* A row. Units: claim, predicted and measured* are ratios to the baseline's throughput. lines,
 * bank_passes and sectors are means over the launch's requests. Times in ns are for one compute
 * unit. A GB is 1e9 bytes. Clock rates (MHz) are read right after the case was measured. */
struct bl_row {
    struct bl_row_key key;
    BL_COLUMNS(BL_COLUMN_NO_MEMBER, BL_COLUMN_NO_MEMBER, BL_COLUMN_MEMBER)
    /* If the machine description has alternative banks whose predictions differ: the prediction for
     * each alternative. JSON contains all of them; tables show their range. */
    struct bl_alternative alternatives[BL_MAX_BANK_ALTERNATIVES];
    unsigned alternative_count;
    double claim_to;       /* if the claim is a range, its upper end; else NAN; not a column */
    size_t line;           /* if the row was read from a file, its line; else 0 */
    double *sample_ratios; /* as many ratios as `samples` says, or NULL; freed by the owner of the
                              row; not a column */
};

/* These functions return a row in which all numbers are unknown, and a run in which only the schema
 * is set. */
struct bl_row bl_row_empty(void);
struct bl_run_info bl_run_info_empty(void);

/* Returns why the row has no number, written into `text`: its status and reason. Returns "" if the
 * row has a number. */
enum { BL_NO_NUMBER_REASON = 800 };
const char *bl_no_number_reason(const struct bl_row *row, char text[BL_NO_NUMBER_REASON]);

/* The note of a row that has no verdict because the machine does not describe the device. */
#define BL_OTHER_DEVICE "the machine describes another device"

/* Writes the suite of a case: the part of the case's id before the slash. */
enum { BL_SUITE_BYTES = sizeof((struct bl_row *)0)->suite };
void bl_suite_of(const char *case_id, char suite[BL_SUITE_BYTES]);

/* Whether a selector names the case (bl_selects); true if there are no selectors. */
bool bl_case_is_selected(const char *case_id, const char *const selectors[], size_t count);

/* The column asked_for records parts of the command line, separated by blanks: first the options
 * that leave out rows, such as "--quick", then the arguments CASE. "*" means that no CASE was
 * given. "..." replaces the CASEs that do not fit.
 *
 * bl_run_record_asked writes the column. options: the options, each followed by a blank; "" if
 * there are none.
 *
 * bl_run_asked_for returns whether the run was asked for all rows of the case. False if the column
 * has an option, because only the catalogue shows which rows the option leaves out. Files before
 * schema 9 lack the column; then the function returns has_suite, which the caller sets to whether
 * the run has a row of the case's suite. (Every selected case has a row, even if the case cannot
 * run.) */
void bl_run_record_asked(struct bl_run_info *run, const char *options,
                         const char *const selectors[], size_t count);
bool bl_run_asked_for(const struct bl_run_info *run, const char *case_id, bool has_suite);

/* The column placement_ratios has the ratio at each placement (choice of buffer addresses),
 * separated by blanks. "-" stands for a placement without samples; such placements at the end are
 * omitted. The column is empty if fewer than two placements have samples.
 *
 * bl_row_set_placement_ratios writes the column; NAN stands for no samples.
 *
 * bl_row_placement_ratios reads the column: it fills in all `size` ratios, with NAN where the
 * column has no ratio, and returns the number of ratios that are not NAN. If the column is
 * malformed or has more than `size` ratios, all are NAN. */
void bl_row_set_placement_ratios(struct bl_row *row, const double ratios[], size_t count);
size_t bl_row_placement_ratios(const struct bl_row *row, double ratios[], size_t size);

/* Compares two keys in the order of bl_key_column, but without the machine: the machine description
 * affects only the prediction, and a later bankline may choose another machine for the same device.
 * Returns like strcmp. */
int bl_row_key_compare(const struct bl_row_key *one, const struct bl_row_key *other);

/* Computes two columns from the row's numbers: distance (measured / predicted - 1), and
 * claim_verdict, which compares the measured interval with the guide's claim +- tolerance (a
 * fraction). Both become empty if the row has no number, or if its verdict is BL_NO_RULE. For a row
 * that is its own baseline, distance becomes empty, and claim_verdict becomes BL_BASELINE if there
 * is a claim, because neither the prediction nor the claim was tested. */
void bl_row_conclude(struct bl_row *row, double tolerance);

/* Values of the column claim_source: a document prints the claim itself, or only a rule from which
 * the claim is derived. Files before schema 8 lack the column; their claims count as printed. */
#define BL_CLAIM_PRINTED "printed"
#define BL_CLAIM_DERIVED "derived"
bool bl_claim_is_derived(const struct bl_row *row);

/* Whether the row has a measured ratio. */
bool bl_row_has_number(const struct bl_row *row);

/* The columns; bl_columns has them in the order of the CSV. */
enum bl_column_kind {
    BL_COLUMN_TEXT,     /* char[size]; "" is written as an empty field */
    BL_COLUMN_UNSIGNED, /* unsigned; 0 is written as an empty field */
    BL_COLUMN_U64,      /* uint64_t; 0 is written as an empty field */
    BL_COLUMN_NUMBER,   /* double; NAN is written as an empty field */
    BL_COLUMN_VERDICT,
    BL_COLUMN_STATUS,
    BL_COLUMN_DIRECTION
};

enum bl_column_owner { BL_COLUMN_OF_RUN, BL_COLUMN_OF_KEY, BL_COLUMN_OF_ROW };

struct bl_column {
    const char *name;
    enum bl_column_kind kind;
    enum bl_column_owner owner;
    unsigned schema;     /* schema in which the column was added */
    size_t offset, size; /* offset of the member in struct bl_run_info, bl_row_key or bl_row; size
                            of a text in bytes, 0 for other kinds */
};

enum {
#define BL_COUNT_COLUMN(schema, kind, size, member, name) +1
    BL_COLUMN_COUNT = BL_COLUMNS(BL_COUNT_COLUMN, BL_COUNT_COLUMN, BL_COUNT_COLUMN)
#undef BL_COUNT_COLUMN
};
extern const struct bl_column bl_columns[BL_COLUMN_COUNT];

/* The column with this name, which must exist. */
const struct bl_column *bl_column_named(const char *name);

/* The key column with index i, in this order: case, type, shape, lanes, working set, machine; NULL
 * after the last. Rows are sorted by these columns except the machine (bl_row_key_compare). */
const struct bl_column *bl_key_column(size_t i);

/* The number of columns in a file of this schema, 1 to BL_CSV_SCHEMA; 0 for any other schema. */
size_t bl_columns_of_schema(unsigned schema);

/* A column's value as text; "" if unknown. The result points into run, row or buffer, or to a
 * constant. Call this function in the C locale. */
enum { BL_COLUMN_BUFFER = 32 };
const char *bl_column_text(const struct bl_column *column, const struct bl_run_info *run,
                           const struct bl_row *row, char buffer[BL_COLUMN_BUFFER]);

/* Like bl_column_text, for a column of a key; an unknown number is "0". */
const char *bl_key_text(const struct bl_column *column, const struct bl_row_key *key,
                        char buffer[BL_COLUMN_BUFFER]);

/* The column's value as a number. NAN if the value is unknown, a text or a name. */
double bl_column_number(const struct bl_column *column, const struct bl_run_info *run,
                        const struct bl_row *row);

/* Parses a text in the format of bl_column_text, and sets the column. An old name of a machine
 * becomes the current name. Returns false and changes nothing if the text is invalid (too long, not
 * a number, an unknown name). */
bool bl_column_parse(const struct bl_column *column, const char *text, struct bl_run_info *run,
                     struct bl_row *row);

#endif
