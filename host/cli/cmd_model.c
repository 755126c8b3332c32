/* `bankline model`: the model's predictions for cases, and the costs of requests whose addresses a
 * file lists. */

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/keyfile.h"
#include "base/status.h"
#include "base/text.h"
#include "cli/output.h"
#include "model/access.h"
#include "model/machine.h"
#include "model/machine_file.h"
#include "report/layout.h"
#include "report/row.h"
#include "run/measure_case.h"
#include "run/plan.h"
#include "suites.h"

enum { WIDEST = 16 };

enum { COUNTS = 5 };

static const struct bl_layout_column request_columns[1 + COUNTS] = {
    {.name = "request", .width = 24},
    {.name = "lines", .width = 7, .is_right = true},
    {.name = "sectors", .width = 7, .is_right = true},
    {.name = "tags", .width = 7, .is_right = true},
    {.name = "banks", .width = 7, .is_right = true},
    {.name = "clocks", .width = 7, .is_right = true},
};

/* A line of the table. */
struct costed {
    char name[64];
    unsigned counts[COUNTS];
};

/* The requests of a file, collected because they are printed only if every request is valid. */
struct costing {
    const struct bl_machine *machine;
    struct costed *all;
    size_t count, capacity;
};

/* Returns the next word of a value (strtok_r), or NULL at its end. */
static const char *next_word(char **rest) { return strtok_r(NULL, " \t", rest); }

/* Reads a decimal number, or a hexadecimal number that begins with 0x. */
static bool is_number(const char *word, uint64_t *number)
{
    char *end;
    if (!word || word[0] < '0' || word[0] > '9')
        return false;
    errno = 0;
    *number = strtoull(word, &end, strncasecmp(word, "0x", 2) == 0 ? 16 : 10);
    return errno == 0 && *end == '\0';
}

static bool is_memory(const char *word, enum bl_memory *memory)
{
    for (*memory = BL_MEMORY_GLOBAL; *memory < BL_MEMORY_PRIVATE; (*memory)++)
        if (word && strcmp(word, bl_memory_name(*memory)) == 0)
            return true;
    return false;
}

static bool is_op(const char *word, struct bl_request *request)
{
    request->is_write = word && strcmp(word, "write") == 0;
    request->is_atomic = word && strcmp(word, "atomic") == 0;
    return request->is_write || request->is_atomic || (word && strcmp(word, "read") == 0);
}

/* Checks that each lane's address is a multiple of the largest power of two that divides the access
 * size. */
static enum bl_status check_alignment(const struct bl_key_line *line,
                                      const struct bl_request *request, struct bl_error *error)
{
    const unsigned bytes = request->access_bytes, alignment = bytes & (~bytes + 1);
    for (unsigned lane = 0; lane < request->lanes; lane++)
        if (request->addresses_bytes[lane] % alignment)
            return bl_keyfile_fail(line, error,
                                   "%s: address %" PRIu64
                                   " is misaligned: an access of %u bytes must begin at a "
                                   "multiple of %u",
                                   line->key, request->addresses_bytes[lane], bytes, alignment);
    return BL_OK;
}

static enum bl_status parse(const struct bl_key_line *line, const struct bl_machine *machine,
                            struct bl_request *request, uint64_t addresses[BL_MAX_LANES],
                            struct bl_error *error)
{
    char text[4096];
    snprintf(text, sizeof text, "%s", line->value);
    char *rest;
    const char *memory = strtok_r(text, " \t", &rest);
    uint64_t bytes;
    *request = (struct bl_request){.addresses_bytes = addresses};
    if (!is_memory(memory, &request->memory))
        return bl_keyfile_fail(line, error, "%s: '%.60s' is not global, local or constant",
                               line->key, memory ? memory : "");
    const char *op = next_word(&rest);
    if (!is_op(op, request))
        return bl_keyfile_fail(line, error, "%s: '%.60s' is not read, write or atomic", line->key,
                               op ? op : "");
    const char *width = next_word(&rest);
    if (!is_number(width, &bytes) || bytes < 1 || bytes > WIDEST)
        return bl_keyfile_fail(line, error, "%s: '%.60s' is not a size from 1 to 16 bytes",
                               line->key, width ? width : "");
    request->access_bytes = (unsigned)bytes;
    for (const char *word; (word = next_word(&rest)); request->lanes++) {
        if (request->lanes == machine->lanes)
            return bl_keyfile_fail(line, error,
                                   "%s: more than %u lanes, the maximum of a request on machine %s",
                                   line->key, machine->lanes, machine->name);
        if (!is_number(word, &addresses[request->lanes]) ||
            addresses[request->lanes] > UINT64_MAX - WIDEST)
            return bl_keyfile_fail(line, error, "%s: '%.60s' is not an address", line->key, word);
    }
    return request->lanes > 0 ? check_alignment(line, request, error)
                              : bl_keyfile_fail(line, error, "%s: no address", line->key);
}

static enum bl_status take_request(void *context, const struct bl_key_line *line,
                                   struct bl_error *error)
{
    struct costing *costing = context;
    uint64_t addresses[BL_MAX_LANES];
    struct bl_request request;
    struct bl_cost cost;
    const enum bl_status status = parse(line, costing->machine, &request, addresses, error);
    if (status != BL_OK)
        return status;
    if (bl_cost_of(costing->machine, &request, &cost) != BL_OK)
        return bl_fail(error, BL_BAD_MACHINE,
                       "%s:%u: %s: machine %s has no rule for this request%s%s", line->path,
                       line->number, line->key, costing->machine->name,
                       bl_machine_alternatives(costing->machine) > 0 ? "; " : "",
                       bl_machine_alternatives(costing->machine) > 0 ? bl_banks_are_unknown : "");
    struct costed *costed =
        bl_array_append(&costing->all, &costing->count, &costing->capacity, sizeof *costed);
    if (!costed)
        return bl_fail(error, BL_NO_MEMORY, "out of memory for %zu requests", costing->count + 1);
    *costed = (struct costed){
        .counts = {cost.lines, cost.sectors, cost.tag_passes, cost.bank_passes, cost.clocks}};
    bl_utf8_copy(costed->name, sizeof costed->name, line->key, strlen(line->key));
    return BL_OK;
}

static void print_costs(const struct costing *costing)
{
    const struct bl_layout layout =
        bl_layout_for(request_columns, 1 + COUNTS, bl_line_width(stdout));
    bl_layout_heading(&layout, stdout);
    for (size_t k = 0; k < costing->count; k++) {
        char texts[COUNTS][16];
        const char *cells[1 + COUNTS] = {costing->all[k].name};
        for (unsigned i = 0; i < COUNTS; i++) {
            snprintf(texts[i], sizeof texts[i], "%u", costing->all[k].counts[i]);
            cells[1 + i] = texts[i];
        }
        bl_layout_row(&layout, stdout, cells);
    }
}

/* Reads a file (base/keyfile.h) whose lines are requests,
 *
 *     name = MEMORY OP BYTES ADDRESS...
 *
 * MEMORY is global, local or constant; OP is read, write or atomic; BYTES, 1 to 16, is the size of
 * each lane's access; the ADDRESSes, decimal or hexadecimal with 0x, are the aligned byte addresses
 * of the lanes, at most as many as the machine has lanes. Prints a line of counts for each request
 * on standard output, or nothing if the function fails. Fails with BL_BAD_FORMAT for an invalid
 * line or a file without requests; BL_BAD_MACHINE if the machine has no rule for a request;
 * BL_FILE_FAILED; or BL_NO_MEMORY.
 */
static enum bl_status print_requests(const char *path, const struct bl_machine *machine,
                                     struct bl_error *error)
{
    struct costing costing = {.machine = machine};
    enum bl_status status = bl_keyfile_read(path, take_request, &costing, error);
    if (status == BL_OK && costing.count == 0)
        status = bl_fail(error, BL_BAD_FORMAT,
                         "%s has no request; a line is 'name = MEMORY OP BYTES ADDRESS...'", path);
    if (status == BL_OK)
        print_costs(&costing);
    free(costing.all);
    return status;
}

struct model_settings {
    const char *machine;              /* name or file; by default intel-gen9, the guides' machine */
    const char *show_machine;         /* name or file of a machine; or NULL */
    const char *requests;             /* a file, or NULL */
    struct bl_plan_filter plan;       /* settings of the plan; its selectors are unused */
    struct bl_output_settings output; /* only csv */
};

static const struct bl_layout_column columns[] = {
    {.name = "case", .width = 24},
    {.name = "shape", .width = 7},
    {.name = "claim", .width = 6},
    {.name = "lines", .width = 6, .rank = 1, .is_right = true},
    {.name = "passes", .width = 6, .rank = 2, .is_right = true},
    {.name = "predicted", .width = 9},
    {.name = "index", .width = 56, .min_width = 24, .rank = 3},
};
enum { COLUMN_COUNT = sizeof columns / sizeof *columns };

static const char *mean(double value, char text[16])
{
    snprintf(text, 16, isfinite(value) ? "%.2f" : "-", value);
    return text;
}

static void print_row(const struct bl_layout *layout, FILE *file, const struct bl_row *row,
                      const struct bl_case *test_case)
{
    char claim[20], predicted[16], lines[16], passes[16], index[128] = "";
    /* an index is printed only for cases that read with an index pattern */
    if (test_case->lay_out == bl_lay_out_pattern)
        snprintf(index, sizeof index, test_case->n ? "%s, n = %u" : "%s",
                 bl_pattern_expression(test_case->pattern), test_case->n);
    const char *const cells[COLUMN_COUNT] = {row->key.case_id,
                                             row->key.shape,
                                             bl_format_claim(row, claim),
                                             mean(row->lines, lines),
                                             mean(row->bank_passes, passes),
                                             bl_format_prediction(row, predicted),
                                             index};
    bl_layout_row(layout, file, cells);
}

static enum bl_status predict(const struct model_settings *settings,
                              const struct bl_plan_filter *asked, const struct bl_machine *machine,
                              const struct bl_plan_item items[], size_t count,
                              struct bl_error *error)
{
    FILE *file = bl_output_words(&settings->output);
    const unsigned width = bl_line_width(file);
    const struct bl_layout layout = bl_layout_for(columns, COLUMN_COUNT, width);
    struct bl_run_info run;
    struct bl_output output = {.run = &run, .view = {.machine = machine}};
    enum bl_status status =
        bl_output_open_run(&settings->output, NULL, asked, false, &output, error);
    if (status != BL_OK)
        return status;
    bl_put_paragraph(file, 0, 0, width, "machine %s: %s", machine->name, machine->title);
    if (!machine->has_rule)
        bl_put_paragraph(file, 0, 0, width, "no predictions: %s", machine->why_no_rule);
    if (machine->has_rule) {
        fputc('\n', file);
        bl_layout_heading(&layout, file);
    }
    for (size_t i = 0; i < count && status == BL_OK; i++) {
        const struct bl_row row = bl_predicted_row(&items[i], machine);
        if (machine->has_rule)
            print_row(&layout, file, &row, items[i].test_case);
        status = bl_sinks_row(output.sinks, &row, error);
    }
    if (status == BL_OK && machine->has_rule)
        bl_put_paragraph(
            file, 0, 0, width,
            "\nlines: cache lines that a request touches; passes: words that a request needs from "
            "the busiest bank (both are means over a launch).%s",
            bl_sampling_words(machine));
    if (status == BL_OK && machine->has_rule && bl_machine_alternatives(machine) > 0)
        bl_put_paragraph(file, 0, 0, width, "\npredicted, a range: %s.", bl_banks_are_unknown);
    const enum bl_status closed =
        bl_output_close(&output, status == BL_OK, status == BL_OK ? error : NULL);
    return status == BL_OK ? closed : status;
}

static enum bl_status run(const void *settings_, const struct bl_arguments *cases,
                          struct bl_error *error)
{
    const struct model_settings *settings = settings_;
    const struct bl_machine *machine;
    struct bl_machine capacity;
    const char *name = settings->show_machine ? settings->show_machine : settings->machine;
    enum bl_status status = bl_output_check(&settings->output, "--machine", name, error);
    if (status == BL_OK)
        status = bl_machine_named(name, &capacity, &machine, error);
    if (status != BL_OK)
        return status;
    if (settings->show_machine) {
        bl_machine_print(stdout, machine);
        return BL_OK;
    }
    if (settings->requests && (cases->count > 0 || bl_output_is_wanted(&settings->output)))
        return bl_fail(
            error, BL_USAGE,
            "--requests prints only the costs of requests, so cases and files of rows cannot be "
            "given");
    if (settings->requests)
        return print_requests(settings->requests, machine, error);
    const struct bl_catalogue catalogue = bl_suites();
    struct bl_plan_item *items;
    size_t count;
    struct bl_plan_filter filter = settings->plan;
    filter.selectors = cases->words;
    filter.selector_count = cases->count;
    status = bl_plan(&catalogue, &filter, machine, NULL, &items, &count, error);
    if (status == BL_OK)
        status = predict(settings, &filter, machine, items, count, error);
    free(items);
    return status;
}

static const struct bl_option options[] = {
    {"machine", "NAME", "predict for this machine, a name or a file (default: intel-gen9)",
     BL_TEXT(struct model_settings, machine), .completes = BL_COMPLETE_MACHINES},
    {"show-machine", "NAME",
     "print only the machine, in the form of a machine file, with an explanation of every field",
     BL_TEXT(struct model_settings, show_machine), .completes = BL_COMPLETE_MACHINES},
    {"requests", "FILE",
     "print the costs of the requests in FILE; each line 'name = MEMORY OP BYTES ADDRESS...', such "
     "as 'a = local read 4 0 128', is a request, with a byte address for each lane",
     BL_TEXT(struct model_settings, requests), .completes = BL_COMPLETE_FILES},
    {0},
};

static const struct model_settings defaults = {.machine = "intel-gen9"};

const struct bl_command bl_command_model = {
    .name = "model",
    .arguments = "[CASE...]",
    .summary = "print predictions, without opening a device",
    .description =
        "Prints what the model predicts for each case on a machine: the cache lines and the bank "
        "passes of a request, and the ratio to the baseline. A CASE is an id (local/5), a suite "
        "(local) or a glob ('local/*'). Without a CASE, all cases are printed.",
    .examples = {"bankline model local --machine nvidia-hopper --shape 32x1",
                 "bankline model --show-machine nvidia-hopper"},
    .max_arguments = SIZE_MAX,
    .completes_more = BL_COMPLETE_CASES,
    .options = {{.options = options},
                {.options = bl_plan_options, .offset = offsetof(struct model_settings, plan)},
                {.options = bl_csv_options, .offset = offsetof(struct model_settings, output)}},
    .settings_bytes = sizeof(struct model_settings),
    .defaults = &defaults,
    .run = run,
};
