/* JSON, through jansson: {"schema", "run": {...}, "rows": [{...}]}. Members are named as the CSV's
 * columns; what is not known or not applicable is null. */
#include "report/json_is_built.h"
#include "report/sink.h"

#ifdef BL_WITH_JANSSON
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/json_values.h"

static json_t *column_value(const struct bl_column *column, const struct bl_run_info *run,
                            const struct bl_row *row)
{
    char buffer[BL_COLUMN_BUFFER];
    const double number = bl_column_number(column, run, row);
    if (column->kind == BL_COLUMN_NUMBER)
        return bl_json_number_or_null(number);
    if (isfinite(number))
        return json_integer((json_int_t)number);
    const char *text = bl_column_text(column, run, row, buffer);
    return *text ? bl_json_text(text, strlen(text)) : json_null();
}

/* Adds the columns of these owners. */
static void add_columns(json_t *object, unsigned owners, const struct bl_run_info *run,
                        const struct bl_row *row, bool *whole)
{
    for (size_t i = 0; i < BL_COLUMN_COUNT; i++)
        if (owners & 1u << bl_columns[i].owner && strcmp(bl_columns[i].name, "schema") != 0)
            bl_json_add(object, bl_columns[i].name, column_value(&bl_columns[i], run, row), whole);
}

static json_t *run_object(const struct bl_run_info *run, bool *whole)
{
    static const struct bl_row no_row;
    json_t *object = json_object();
    add_columns(object, 1u << BL_COLUMN_OF_RUN, run, &no_row, whole);
    return object;
}

/* What is being made. */
struct document {
    json_t *root, *rows; /* rows belongs to root */
    bool whole;
};

static struct document *open_document(struct bl_sink *sink)
{
    struct document *document = calloc(1, sizeof *document);
    sink->state = document;
    if (!document)
        return NULL;
    document->whole = true;
    document->root = json_object();
    document->rows = json_array();
    return document;
}

static enum bl_status no_memory(struct bl_error *error)
{
    return bl_fail(error, BL_NO_MEMORY, "no memory for the JSON");
}

static enum bl_status begin_run(struct bl_sink *sink, struct bl_error *error)
{
    struct document *document = open_document(sink);
    if (!document)
        return no_memory(error);
    bl_json_add(document->root, "schema", json_integer(BL_CSV_SCHEMA), &document->whole);
    bl_json_add(document->root, "run", run_object(sink->run, &document->whole), &document->whole);
    bl_json_add(document->root, "rows", document->rows, &document->whole);
    return document->whole ? BL_OK : no_memory(error);
}

static enum bl_status add_row(struct bl_sink *sink, const struct bl_row *row,
                              struct bl_error *error)
{
    struct document *document = sink->state;
    bool *whole = &document->whole;
    json_t *object = json_object(), *samples = json_array();
    add_columns(object, 1u << BL_COLUMN_OF_KEY | 1u << BL_COLUMN_OF_ROW, sink->run, row, whole);
    for (uint64_t i = 0; i < row->samples && row->sample_ratios; i++)
        bl_json_append(samples, bl_json_number_or_null(row->sample_ratios[i]), whole);
    bl_json_add(object, "sample_ratios", samples, whole);
    bl_json_append(document->rows, object, whole);
    return *whole ? BL_OK : no_memory(error);
}

static enum bl_status end_document(struct bl_sink *sink, bool is_complete, struct bl_error *error)
{
    struct document *document = sink->state;
    if (!document)
        return BL_OK;
    enum bl_status status = BL_OK;
    if (is_complete)
        status = bl_json_dump(document->root, document->whole, sink->stream, error);
    else
        json_decref(document->root);
    free(document);
    return status;
}

static enum bl_status begin_changes(struct bl_sink *sink, struct bl_error *error)
{
    const struct bl_comparison *comparison = sink->comparison;
    struct document *document = open_document(sink);
    if (!document)
        return no_memory(error);
    json_t *root = document->root, *changes = json_object();
    bool *whole = &document->whole;
    for (unsigned change = 0; change < BL_CHANGE_COUNT; change++)
        bl_json_add(changes, bl_change_name((enum bl_change)change),
                    json_integer((json_int_t)comparison->counts[change]), whole);
    bl_json_add(root, "threshold", json_real(comparison->comparing.threshold), whole);
    bl_json_add(root, "before", run_object(&comparison->before->info, whole), whole);
    bl_json_add(root, "after", run_object(&comparison->after->info, whole), whole);
    bl_json_add(root, "changes", changes, whole);
    bl_json_add(root, "rows", document->rows, whole);
    return *whole ? BL_OK : no_memory(error);
}

/* null for a row that is not there. */
static json_t *side_object(const struct bl_row *row, bool *whole)
{
    char reason[BL_NO_NUMBER_REASON];
    if (!row)
        return json_null();
    json_t *object = json_object();
    if (bl_row_has_number(row)) {
        bl_json_add(object, "ratio", json_real(row->measured), whole);
        bl_json_add(object, "lo", json_real(row->measured_lo), whole);
        bl_json_add(object, "hi", json_real(row->measured_hi), whole);
        bl_json_add(object, "rate", bl_json_number_or_null(bl_row_rate(row)), whole);
    } else {
        bl_no_number_reason(row, reason);
        bl_json_add(object, "reason", bl_json_text(reason, strlen(reason)), whole);
    }
    return object;
}

static enum bl_status add_change(struct bl_sink *sink, const struct bl_compared *row,
                                 struct bl_error *error)
{
    struct document *document = sink->state;
    bool *whole = &document->whole;
    json_t *object = json_object();
    const struct bl_row keyed = {.key = *row->key};
    bl_json_add(object, "change", json_string(bl_change_name(row->change)), whole);
    add_columns(object, 1u << BL_COLUMN_OF_KEY, NULL, &keyed, whole);
    bl_json_add(object, "by", bl_json_number_or_null(row->by), whole);
    bl_json_add(object, "absolute", json_boolean(row->is_absolute), whole);
    bl_json_add(object, "before", side_object(row->before, whole), whole);
    bl_json_add(object, "after", side_object(row->after, whole), whole);
    bl_json_append(document->rows, object, whole);
    return *whole ? BL_OK : no_memory(error);
}

static json_t *text_or_null(const char *text)
{
    return *text ? bl_json_text(text, strlen(text)) : json_null();
}

static json_t *fleet_row(const struct bl_fleet *fleet, const struct bl_fleet_row *row, bool *whole)
{
    json_t *object = json_object();
    const struct bl_row keyed = {.key = row->key};
    bl_json_add(object, "device", text_or_null(fleet->models[row->model].device), whole);
    bl_json_add(object, "driver", text_or_null(fleet->models[row->model].driver), whole);
    add_columns(object, 1u << BL_COLUMN_OF_KEY, NULL, &keyed, whole);
    bl_json_add(object, "kernels", text_or_null(row->kernels), whole);
    bl_json_add(object, "cards", json_integer((json_int_t)row->cards), whole);
    bl_json_add(object, "median", bl_json_number_or_null(row->ratio), whole);
    bl_json_add(object, "spread", bl_json_number_or_null(row->ratio_spread), whole);
    bl_json_add(object, "time_ns", bl_json_number_or_null(row->time_ns), whole);
    bl_json_add(object, "time_spread", bl_json_number_or_null(row->time_spread), whole);
    return object;
}

static json_t *fleet_outlier(const struct bl_fleet *fleet, const struct bl_outlier *outlier,
                             bool *whole)
{
    json_t *object = json_object();
    const struct bl_fleet_card *card = &fleet->cards[outlier->card];
    char text[BL_OUTLIER_TEXT];
    bl_json_add(object, "what", json_string(bl_oddity_name(outlier->oddity)), whole);
    bl_json_add(object, "run", run_object(&card->run, whole), whole);
    const struct bl_fleet_row *row = bl_outlier_row(fleet, outlier);
    if (row) {
        const struct bl_row keyed = {.key = row->key};
        add_columns(object, 1u << BL_COLUMN_OF_KEY, NULL, &keyed, whole);
    }
    bl_json_add(object, "own", bl_json_number_or_null(outlier->own), whole);
    bl_json_add(object, "median", bl_json_number_or_null(outlier->median), whole);
    bl_json_add(object, "by", bl_json_number_or_null(outlier->by), whole);
    bl_json_add(object, "spreads", bl_json_number_or_null(outlier->spreads), whole);
    bl_json_add(object, "limit",
                bl_json_number_or_null(fleet->models[card->model].limit[outlier->oddity]), whole);
    bl_json_add(object, "since", text_or_null(outlier->since), whole);
    bl_outlier_text(fleet, outlier, text);
    bl_json_add(object, "sentence", text_or_null(text), whole);
    return object;
}

static enum bl_status write_fleet(struct bl_sink *sink, const struct bl_fleet *fleet,
                                  struct bl_error *error)
{
    bool whole = true;
    json_t *root = json_object(), *rows = json_array(), *outliers = json_array();
    bl_json_add(root, "first", text_or_null(fleet->first), &whole);
    bl_json_add(root, "last", text_or_null(fleet->last), &whole);
    bl_json_add(root, "cards", json_integer((json_int_t)fleet->card_count), &whole);
    for (size_t i = 0; i < fleet->outlier_count; i++)
        bl_json_append(outliers, fleet_outlier(fleet, &fleet->outliers[i], &whole), &whole);
    for (size_t i = 0; i < fleet->row_count; i++)
        bl_json_append(rows, fleet_row(fleet, &fleet->rows[i], &whole), &whole);
    bl_json_add(root, "outliers", outliers, &whole);
    bl_json_add(root, "rows", rows, &whole);
    return bl_json_dump(root, whole, sink->stream, error);
}
#endif

enum bl_status bl_json_is_built(struct bl_error *error)
{
#ifdef BL_WITH_JANSSON
    (void)error;
    return BL_OK;
#else
    return bl_fail(error, BL_USAGE,
                   "this bankline was built without jansson, so it writes no JSON");
#endif
}

const struct bl_format bl_format_json = {
    .name = "json",
    .help = "write the rows as JSON, samples included",
    .writes_runs = true,
    .writes_changes = true,
#ifdef BL_WITH_JANSSON
    .run = {begin_run, add_row, end_document},
    .changes = {begin_changes, add_change, end_document},
    .fleet = write_fleet,
    .fleet_help = "write rows and cards that differ as JSON",
#else
    .lacks = "jansson",
#endif
};
