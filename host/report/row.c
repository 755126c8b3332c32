/* Converts the columns of rows and runs to and from text and numbers. */
#include "report/row.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/machine.h"

const char *bl_row_status_name(enum bl_row_status status)
{
    static const char *const names[] = {"ok",    "noisy",        "skipped",   "unsupported",
                                        "error", "wrong-result", "bad-clock", "impossible"};
    return names[status];
}

enum bl_row_status bl_row_status_of(enum bl_status status)
{
    return status == BL_OK             ? BL_ROW_OK
           : status == BL_WRONG_RESULT ? BL_ROW_WRONG_RESULT
           : status == BL_BAD_CLOCK    ? BL_ROW_BAD_CLOCK
           : status == BL_IMPOSSIBLE   ? BL_ROW_IMPOSSIBLE
                                       : BL_ROW_ERROR;
}

#define IN(owner, type, schema, kind, size, member, name) \
    {name, BL_COLUMN_##kind, BL_COLUMN_OF_##owner, schema, offsetof(struct type, member), size},
#define IN_RUN(...) IN(RUN, bl_run_info, __VA_ARGS__)
#define IN_KEY(...) IN(KEY, bl_row_key, __VA_ARGS__)
#define IN_ROW(...) IN(ROW, bl_row, __VA_ARGS__)

const struct bl_column bl_columns[BL_COLUMN_COUNT] = {BL_COLUMNS(IN_RUN, IN_KEY, IN_ROW)};

size_t bl_columns_of_schema(unsigned schema)
{
    size_t count = 0;
    while (count < BL_COLUMN_COUNT && bl_columns[count].schema <= schema)
        count++;
    return schema >= 1 && schema <= BL_CSV_SCHEMA ? count : 0;
}

const struct bl_column *bl_column_named(const char *name)
{
    const struct bl_column *column = bl_columns;
    while (strcmp(column->name, name) != 0)
        column++;
    return column;
}

const struct bl_column *bl_key_column(size_t i)
{
    static const char *const names[] = {"case",   "type", "shape", "lanes", "working_set_bytes",
                                        "machine"};
    return i < sizeof names / sizeof names[0] ? bl_column_named(names[i]) : NULL;
}

/* The address of the column's value, in run, row or row->key. */
static const void *value_of(const struct bl_column *column, const struct bl_run_info *run,
                            const struct bl_row *row)
{
    const void *owner = column->owner == BL_COLUMN_OF_RUN   ? (const void *)run
                        : column->owner == BL_COLUMN_OF_KEY ? (const void *)&row->key
                                                            : (const void *)row;
    return (const char *)owner + column->offset;
}

struct bl_row bl_row_empty(void)
{
    struct bl_row row = {.verdict = BL_NO_VERDICT, .claim_to = NAN};
    for (size_t i = 0; i < BL_COLUMN_COUNT; i++) {
        const struct bl_column *column = &bl_columns[i];
        if (column->owner == BL_COLUMN_OF_ROW && column->kind == BL_COLUMN_NUMBER)
            *(double *)(void *)((char *)&row + column->offset) = NAN;
        if (column->owner == BL_COLUMN_OF_ROW && column->kind == BL_COLUMN_VERDICT)
            *(enum bl_verdict *)(void *)((char *)&row + column->offset) = BL_NO_VERDICT;
    }
    return row;
}

struct bl_run_info bl_run_info_empty(void) { return (struct bl_run_info){.schema = BL_CSV_SCHEMA}; }

void bl_suite_of(const char *case_id, char suite[BL_SUITE_BYTES])
{
    snprintf(suite, BL_SUITE_BYTES, "%.*s", (int)strcspn(case_id, "/"), case_id);
}

bool bl_case_is_selected(const char *case_id, const char *const selectors[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bl_selects(selectors[i], case_id))
            return true;
    return count == 0;
}

void bl_run_record_asked(struct bl_run_info *run, const char *options,
                         const char *const selectors[], size_t count)
{
    char *const text = run->asked_for;
    const size_t size = sizeof run->asked_for;
    bool fits = true;
    snprintf(text, size, "%s%s", options, count ? "" : "*");
    for (size_t i = 0; i < count && fits; i++) {
        fits = strlen(text) + strlen(selectors[i]) + sizeof "... " < size;
        bl_text_add(text, size, "%s%s", i ? " " : "", fits ? selectors[i] : "...");
    }
}

bool bl_run_asked_for(const struct bl_run_info *run, const char *case_id, bool has_suite)
{
    char words[sizeof run->asked_for], *rest;
    bool is_selected = false, has_option = false;
    if (!*run->asked_for)
        return has_suite;
    strcpy(words, run->asked_for);
    for (const char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        has_option |= strncmp(word, "--", 2) == 0;
        is_selected |= bl_selects(word, case_id);
    }
    return is_selected && !has_option;
}

void bl_row_set_placement_ratios(struct bl_row *row, const double ratios[], size_t count)
{
    size_t used = 0, end = 0;
    for (size_t i = 0; i < count; i++) {
        used += isfinite(ratios[i]) ? 1 : 0;
        end = isfinite(ratios[i]) ? i + 1 : end;
    }
    row->placement_ratios[0] = '\0';
    for (size_t i = 0; i < end && used > 1; i++) {
        char number[BL_NUMBER_TEXT];
        bl_text_add(row->placement_ratios, sizeof row->placement_ratios, "%s%s", i ? " " : "",
                    isfinite(ratios[i]) ? bl_number_text(ratios[i], BL_NUMBER_DIGITS, number)
                                        : "-");
    }
}

int bl_row_key_compare(const struct bl_row_key *one, const struct bl_row_key *other)
{
    int order = strcmp(one->case_id, other->case_id);
    if (!order)
        order = strcmp(one->type, other->type);
    if (!order)
        order = strcmp(one->shape, other->shape);
    if (order)
        return order;
    if (one->lanes != other->lanes)
        return one->lanes < other->lanes ? -1 : 1;
    return (one->working_set_bytes > other->working_set_bytes) -
           (one->working_set_bytes < other->working_set_bytes);
}

bool bl_row_has_number(const struct bl_row *row) { return isfinite(row->measured); }

void bl_row_conclude(struct bl_row *row, double tolerance)
{
    row->distance = NAN;
    row->claim_verdict = BL_NO_VERDICT;
    if (!bl_row_has_number(row) || row->verdict == BL_NO_RULE)
        return;
    const bool is_baseline = row->verdict == BL_BASELINE;
    if (isfinite(row->predicted) && !is_baseline)
        row->distance = row->measured / row->predicted - 1;
    if (!isfinite(row->claim))
        return;
    /* fmin and fmax ignore NAN, and claim_to is NAN unless the claim is a range */
    row->claim_verdict =
        is_baseline
            ? BL_BASELINE
            : bl_verdict_of_range(fmin(row->claim, row->claim_to), fmax(row->claim, row->claim_to),
                                  row->measured_lo, row->measured_hi, tolerance);
}

bool bl_claim_is_derived(const struct bl_row *row)
{
    return strcmp(row->claim_source, BL_CLAIM_DERIVED) == 0;
}

/* The name of value i of a kind that has names; NULL if there is no value i. */
static const char *name_of(enum bl_column_kind kind, unsigned i)
{
    if (kind == BL_COLUMN_VERDICT)
        return i <= BL_NO_VERDICT ? bl_verdict_name((enum bl_verdict)i) : NULL;
    if (kind == BL_COLUMN_STATUS)
        return i < BL_ROW_STATUS_COUNT ? bl_row_status_name((enum bl_row_status)i) : NULL;
    return i <= BL_SLOWER ? bl_direction_name((enum bl_direction)i) : NULL;
}

static const char *text_of(const struct bl_column *column, const void *at,
                           char buffer[BL_COLUMN_BUFFER])
{
    buffer[0] = '\0';
    switch (column->kind) {
    case BL_COLUMN_TEXT:
        return at;
    case BL_COLUMN_UNSIGNED:
        if (*(const unsigned *)at)
            snprintf(buffer, BL_COLUMN_BUFFER, "%u", *(const unsigned *)at);
        return buffer;
    case BL_COLUMN_U64:
        if (*(const uint64_t *)at)
            snprintf(buffer, BL_COLUMN_BUFFER, "%" PRIu64, *(const uint64_t *)at);
        return buffer;
    case BL_COLUMN_NUMBER:
        return bl_number_text(*(const double *)at, BL_NUMBER_DIGITS, buffer);
    default:
        return name_of(column->kind, *(const unsigned *)at);
    }
}

const char *bl_column_text(const struct bl_column *column, const struct bl_run_info *run,
                           const struct bl_row *row, char buffer[BL_COLUMN_BUFFER])
{
    return text_of(column, value_of(column, run, row), buffer);
}

const char *bl_key_text(const struct bl_column *column, const struct bl_row_key *key,
                        char buffer[BL_COLUMN_BUFFER])
{
    const char *text = text_of(column, (const char *)key + column->offset, buffer);
    return *text || column->kind == BL_COLUMN_TEXT ? text : "0";
}

double bl_column_number(const struct bl_column *column, const struct bl_run_info *run,
                        const struct bl_row *row)
{
    const void *at = value_of(column, run, row);
    switch (column->kind) {
    case BL_COLUMN_UNSIGNED:
        return *(const unsigned *)at ? (double)*(const unsigned *)at : (double)NAN;
    case BL_COLUMN_U64:
        return *(const uint64_t *)at ? (double)*(const uint64_t *)at : (double)NAN;
    case BL_COLUMN_NUMBER:
        return *(const double *)at;
    default:
        return NAN;
    }
}

/* Parses a text that is a decimal number. Rejects infinities, NaN and hexadecimal numbers. */
static bool parse_number(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return *text && *end == '\0' && isfinite(*value) && !strpbrk(text, "xX \t\n\v\f\r");
}

size_t bl_row_placement_ratios(const struct bl_row *row, double ratios[], size_t size)
{
    char words[sizeof row->placement_ratios], *rest;
    size_t used = 0, i = 0;
    strcpy(words, row->placement_ratios);
    for (size_t k = 0; k < size; k++)
        ratios[k] = NAN;
    for (const char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        double ratio = NAN;
        if (i == size || (strcmp(word, "-") != 0 && !(parse_number(word, &ratio) && ratio > 0))) {
            for (size_t k = 0; k < size; k++)
                ratios[k] = NAN;
            return 0;
        }
        used += isfinite(ratio) ? 1 : 0;
        ratios[i++] = ratio;
    }
    return used;
}

static bool parse_whole(const char *text, double max, double *value)
{
    *value = 0;
    return !*text ||
           (parse_number(text, value) && *value >= 0 && *value <= max && *value == floor(*value));
}

bool bl_column_parse(const struct bl_column *column, const char *text, struct bl_run_info *run,
                     struct bl_row *row)
{
    void *at = (void *)(uintptr_t)value_of(column, run, row);
    double number = NAN;
    switch (column->kind) {
    case BL_COLUMN_TEXT:
        if (strlen(text) >= column->size)
            return false;
        strcpy(at, strcmp(column->name, "machine") == 0 ? bl_machine_name_now(text) : text);
        return true;
    case BL_COLUMN_UNSIGNED:
        if (!parse_whole(text, UINT32_MAX, &number))
            return false;
        *(unsigned *)at = (unsigned)number;
        return true;
    case BL_COLUMN_U64: /* a double is exact only up to 2^53 */
        if (!parse_whole(text, 9e15, &number))
            return false;
        *(uint64_t *)at = (uint64_t)number;
        return true;
    case BL_COLUMN_NUMBER:
        if (*text && !parse_number(text, &number))
            return false;
        *(double *)at = number;
        return true;
    default:
        for (unsigned name = 0; name_of(column->kind, name); name++)
            if (strcmp(text, name_of(column->kind, name)) == 0) {
                *(unsigned *)at = name;
                return true;
            }
        return false;
    }
}

_Static_assert(BL_NOTE_BYTES == sizeof((struct bl_row *)0)->note, "note has the size in columns.h");

void bl_add_note(char note[BL_NOTE_BYTES], const char *format, ...)
{
    char more[BL_NOTE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(more, sizeof more, format, arguments);
    va_end(arguments);
    bl_text_add(note, BL_NOTE_BYTES, "%s%s", *note ? "; " : "", more);
}

const char *bl_no_number_reason(const struct bl_row *row, char text[BL_NO_NUMBER_REASON])
{
    if (bl_row_has_number(row))
        return "";
    const bool is_ok = row->status == BL_ROW_OK || row->status == BL_ROW_NOISY;
    snprintf(text, BL_NO_NUMBER_REASON, "%s%s%s",
             is_ok ? "not measured" : bl_row_status_name(row->status), row->reason[0] ? ": " : "",
             row->reason);
    return text;
}
