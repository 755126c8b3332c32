/* Passes every call to all sinks. A sink that has failed gets no further rows; only its `end` is
 * called. */
#include "report/sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "report/compare.h"
#include "report/fleet.h"

/* The formats, in the order of the help. */
#define FORMATS(FORMAT) \
    FORMAT(csv)         \
    FORMAT(json)        \
    FORMAT(google_benchmark) FORMAT(bencher) FORMAT(junit) FORMAT(prometheus) FORMAT(markdown)

#define DECLARE(name) extern const struct bl_format bl_format_##name;
FORMATS(DECLARE)

#define ADDRESS(name) &bl_format_##name,
static const struct bl_format *const formats[] = {FORMATS(ADDRESS)};
_Static_assert(sizeof formats / sizeof formats[0] <= BL_MAX_FORMATS,
               "the settings of a command have one path per format");

const struct bl_format *const *bl_formats(size_t *count)
{
    *count = sizeof formats / sizeof formats[0];
    return formats;
}

struct output {
    struct bl_sink sink;
    struct bl_file *file; /* NULL if the output is a standard stream */
    bool has_failed;      /* whether a call failed: the sink gets no more rows, and its file does
                             not replace the old one */
};

struct bl_sinks {
    size_t count;
    struct output outputs[];
};

static enum bl_status open_output(const struct bl_sink_file *wanted, const struct bl_view *view,
                                  struct output *output, struct bl_error *error)
{
    const struct bl_format *format = wanted->format;
    if (format->lacks)
        return bl_fail(error, BL_USAGE, "cannot write %s: this bankline was built without %s",
                       wanted->path, format->lacks);
    const enum bl_status status = bl_file_open(
        wanted->path, format->is_growing ? BL_FILE_GROWING : BL_FILE_WHOLE, &output->file, error);
    if (status == BL_OK)
        output->sink = (struct bl_sink){
            .format = format, .stream = bl_file_stream(output->file), .view = view};
    return status;
}

enum bl_status bl_sinks_open(const struct bl_sink_file files[], size_t count,
                             const struct bl_view *view, bool has_table, struct bl_sinks **sinks,
                             struct bl_error *error)
{
    *sinks = NULL;
    struct bl_sinks *opened = calloc(1, sizeof *opened + (count + 1) * sizeof opened->outputs[0]);
    if (!opened)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while opening the outputs");
    enum bl_status status = BL_OK;
    FILE *table = view && view->on_stderr ? stderr : stdout;
    for (size_t i = 0; i < count && status == BL_OK; i++) {
        status = open_output(&files[i], view, &opened->outputs[i], error);
        opened->count += status == BL_OK;
        if (status == BL_OK && bl_file_is_stdout(opened->outputs[i].file))
            table = stderr;
    }
    if (status != BL_OK) {
        bl_sinks_close(opened, false, NULL);
        return status;
    }
    if (has_table)
        opened->outputs[opened->count++].sink =
            (struct bl_sink){.format = &bl_format_table, .stream = table, .view = view};
    *sinks = opened;
    return BL_OK;
}

/* Passes on what a format wrote in one call. In a growing file the record appears whole or not at
 * all; a standard stream is flushed. */
static enum bl_status settle(struct output *output, enum bl_status status, struct bl_error *error)
{
    if (status == BL_OK && output->file && output->sink.format->is_growing)
        status = bl_file_record(output->file, error);
    else if (status == BL_OK && !output->file && fflush(output->sink.stream) != 0)
        status = errno == EPIPE ? BL_NO_READER
                                : bl_fail(error, BL_FILE_FAILED,
                                          "cannot write to standard output: %s", strerror(errno));
    output->has_failed |= status != BL_OK;
    return status;
}

/* A call that is made for every sink. */
typedef enum bl_status deed(struct bl_sink *sink, const void *thing);

static enum bl_status do_with_all(struct bl_sinks *sinks, deed *act, const void *thing,
                                  struct bl_error *error)
{
    struct bl_c_locale scope;
    enum bl_status first = bl_c_locale_enter(&scope, error);
    const bool has_locale = first == BL_OK;
    for (size_t i = 0; i < sinks->count; i++) {
        struct output *output = &sinks->outputs[i];
        output->has_failed |= !has_locale; /* without the C locale all sinks fail, so that no sink
                                              lacks a row that another sink has */
        if (output->has_failed)
            continue;
        struct bl_error *own = first == BL_OK ? error : NULL;
        output->sink.error = own;
        const enum bl_status status = settle(output, act(&output->sink, thing), own);
        first = first == BL_OK ? status : first;
    }
    if (has_locale)
        bl_c_locale_leave(&scope);
    return first;
}

static enum bl_status begin_run(struct bl_sink *sink, const void *run)
{
    sink->run = run;
    return sink->format->run.begin ? sink->format->run.begin(sink) : BL_OK;
}

static enum bl_status write_row(struct bl_sink *sink, const void *row)
{
    return sink->format->run.row(sink, row);
}

static enum bl_status write_comparison(struct bl_sink *sink, const void *comparison)
{
    const struct bl_change_writer *writer = &sink->format->changes;
    sink->comparison = comparison;
    enum bl_status status = writer->begin ? writer->begin(sink) : BL_OK;
    for (size_t i = 0; i < sink->comparison->count && status == BL_OK; i++)
        status = writer->row(sink, &sink->comparison->rows[i]);
    return status;
}

static enum bl_status write_fleet(struct bl_sink *sink, const void *fleet)
{
    return sink->format->fleet
               ? sink->format->fleet(sink, fleet)
               : bl_fail(sink->error, BL_USAGE, "--%s cannot write a fleet", sink->format->name);
}

enum bl_status bl_sinks_run(struct bl_sinks *sinks, const struct bl_run_info *run,
                            struct bl_error *error)
{
    return do_with_all(sinks, begin_run, run, error);
}

enum bl_status bl_sinks_row(struct bl_sinks *sinks, const struct bl_row *row,
                            struct bl_error *error)
{
    return do_with_all(sinks, write_row, row, error);
}

bool bl_sinks_are_lost(const struct bl_sinks *sinks)
{
    for (size_t i = 0; i < sinks->count; i++)
        if (!sinks->outputs[i].has_failed)
            return false;
    return true;
}

enum bl_status bl_sinks_comparison(struct bl_sinks *sinks, const struct bl_comparison *comparison,
                                   struct bl_error *error)
{
    return do_with_all(sinks, write_comparison, comparison, error);
}

enum bl_status bl_sinks_fleet(struct bl_sinks *sinks, const struct bl_fleet *fleet,
                              struct bl_error *error)
{
    return do_with_all(sinks, write_fleet, fleet, error);
}

static enum bl_status end_output(struct output *output, bool is_complete, struct bl_error *error)
{
    struct bl_sink *sink = &output->sink;
    const struct bl_format *format = sink->format;
    const bool is_good = is_complete && !output->has_failed;
    enum bl_status status = BL_OK;
    sink->error = error;
    if (sink->comparison && format->changes.end)
        status = format->changes.end(sink, is_good);
    else if (sink->run && format->run.end)
        status = format->run.end(sink, is_good);
    if (!output->file)
        return status == BL_OK && !output->has_failed ? settle(output, status, error) : status;
    const enum bl_status closed =
        bl_file_close(output->file, is_good && status == BL_OK, status == BL_OK ? error : NULL);
    return status == BL_OK ? closed : status;
}

enum bl_status bl_sinks_close(struct bl_sinks *sinks, bool is_complete, struct bl_error *error)
{
    if (!sinks)
        return BL_OK;
    struct bl_c_locale scope;
    enum bl_status first = bl_c_locale_enter(&scope, error);
    const bool has_locale = first == BL_OK;
    for (size_t i = 0; i < sinks->count; i++) {
        const enum bl_status status = end_output(&sinks->outputs[i], is_complete && has_locale,
                                                 first == BL_OK ? error : NULL);
        first = first == BL_OK ? status : first;
    }
    if (has_locale)
        bl_c_locale_leave(&scope);
    free(sinks);
    return first;
}
