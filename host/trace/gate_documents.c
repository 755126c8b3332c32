/* Writes a comparison of two versions in each format, and the values of one version for Bencher.
 * CSV and JSON take their values from one table of columns. The terminal, Markdown and JUnit take
 * their texts from the same cells (struct cells). */
#include "trace/gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/csv.h"
#include "report/json_values.h"
#include "report/junit.h"
#include "report/layout.h"

enum { SCHEMA = 1 };

/* All values that CSV and JSON contain for a kernel or an access. NAN and "" mean not applicable or
 * unknown. */
struct gate_values {
    const char *kernel, *kernel_before, *file, *array, *array_before, *memory, *op, *change,
        *machine;
    char why[BL_GATE_WHY];
    double line, column, line_before, by, clocks, clocks_before, launches, launches_before;
    double requests, requests_before, lanes, lanes_before, lines, lines_before, sectors,
        sectors_before, tag_passes, tag_passes_before, bank_passes, bank_passes_before;
    double threshold, schema;
};

enum cell_kind { TEXT, WHY, WHOLE, NUMBER };
enum of { KERNEL = 1, ACCESS = 2, BOTH = 3 };

/* The columns, in the order of the CSV. `of`: the JSON objects that contain the column: those of
 * kernels, of accesses, or both; 0: neither. */
#define AT(value) #value, offsetof(struct gate_values, value)
static const struct gate_column {
    enum cell_kind kind;
    enum of of;
    const char *name;
    size_t at;
} columns[] = {
    {WHOLE, 0, AT(schema)},
    {TEXT, 0, AT(machine)},
    {NUMBER, 0, AT(threshold)},
    {TEXT, KERNEL, AT(kernel)},
    {TEXT, KERNEL, AT(kernel_before)},
    {TEXT, ACCESS, AT(file)},
    {WHOLE, ACCESS, AT(line)},
    {WHOLE, ACCESS, AT(column)},
    {TEXT, ACCESS, AT(array)},
    {TEXT, ACCESS, AT(memory)},
    {TEXT, ACCESS, AT(op)},
    {WHOLE, ACCESS, AT(line_before)},
    {TEXT, ACCESS, AT(array_before)},
    {TEXT, BOTH, AT(change)},
    {NUMBER, BOTH, AT(by)},
    {NUMBER, BOTH, AT(clocks)},
    {NUMBER, BOTH, AT(clocks_before)},
    {WHOLE, KERNEL, AT(launches)},
    {WHOLE, KERNEL, AT(launches_before)},
    {NUMBER, ACCESS, AT(requests)},
    {NUMBER, ACCESS, AT(requests_before)},
    {NUMBER, ACCESS, AT(lanes)},
    {NUMBER, ACCESS, AT(lanes_before)},
    {NUMBER, ACCESS, AT(lines)},
    {NUMBER, ACCESS, AT(lines_before)},
    {NUMBER, ACCESS, AT(sectors)},
    {NUMBER, ACCESS, AT(sectors_before)},
    {NUMBER, ACCESS, AT(tag_passes)},
    {NUMBER, ACCESS, AT(tag_passes_before)},
    {NUMBER, ACCESS, AT(bank_passes)},
    {NUMBER, ACCESS, AT(bank_passes_before)},
    {WHY, ACCESS, AT(why)},
};

enum { COLUMNS = sizeof columns / sizeof *columns };

static const char *text_at(const struct gate_values *values, const struct gate_column *column)
{
    const char *at = (const char *)values + column->at;
    if (column->kind == WHY)
        return at;
    const char *text;
    memcpy(&text, at, sizeof text);
    return text ? text : "";
}

static double number_at(const struct gate_values *values, const struct gate_column *column)
{
    double number;
    memcpy(&number, (const char *)values + column->at, sizeof number);
    return number;
}

static bool is_text(const struct gate_column *column)
{
    return column->kind == TEXT || column->kind == WHY;
}

static struct gate_values nothing(void)
{
    struct gate_values values;
    memset(&values, 0, sizeof values);
    for (const struct gate_column *column = columns; column < columns + COLUMNS; column++)
        if (!is_text(column)) {
            const double none = NAN;
            memcpy((char *)&values + column->at, &none, sizeof none);
        }
    return values;
}

/* Whether a kernel is dearer although its predicted time grew by no more than the threshold. This
 * happens if the dearer accesses do not limit the kernel's time. Predictions by different versions
 * of bankline are not compared. */
static bool is_hidden(const struct bl_gate *gate, const struct bl_gate_kernel *kernel)
{
    return kernel->change == BL_GATE_DEARER && kernel->before && kernel->after &&
           strcmp(gate->before->tool, gate->after->tool) == 0 && kernel->before->predicted_ns > 0 &&
           kernel->after->predicted_ns > 0 &&
           (double)kernel->after->predicted_ns <=
               (double)kernel->before->predicted_ns * (1 + gate->threshold);
}

static const char hidden[] = "predicted to take as long as before";

static struct gate_values values_of_kernel(const struct bl_gate *gate,
                                           const struct bl_gate_kernel *kernel)
{
    struct gate_values values = nothing();
    values.schema = SCHEMA;
    values.machine = gate->after->machine;
    values.threshold = gate->threshold;
    values.kernel = kernel->after ? kernel->after->label : "";
    values.kernel_before = kernel->before ? kernel->before->label : "";
    values.change = bl_gate_change_name(kernel->change);
    values.by = isfinite(kernel->by) ? kernel->by : NAN;
    values.clocks = kernel->clocks_after;
    values.clocks_before = kernel->clocks_before;
    values.launches = kernel->after ? (double)kernel->after->launches : NAN;
    values.launches_before = kernel->before ? (double)kernel->before->launches : NAN;
    snprintf(values.why, sizeof values.why, "%s", is_hidden(gate, kernel) ? hidden : "");
    return values;
}

/* The mean of a count over an access's requests; NAN if the sum is 0, because the machine then has
 * no rule, or the count does not apply. */
static double mean(const struct bl_saved_access *access, uint64_t sum)
{
    return access && sum > 0 ? (double)sum / (double)access->requests : NAN;
}

static double known(unsigned number) { return number ? (double)number : NAN; }

#define SET_BOTH(member)                                                              \
    values.member = access->after ? mean(access->after, access->after->member) : NAN; \
    values.member##_before = access->before ? mean(access->before, access->before->member) : NAN

static struct gate_values values_of(const struct bl_gate *gate, const struct bl_gate_kernel *kernel,
                                    const struct bl_gate_access *access)
{
    struct gate_values values = values_of_kernel(gate, kernel);
    const struct bl_saved_access *shown = access->after ? access->after : access->before;
    values.file = shown->file;
    values.memory = bl_memory_name(shown->memory);
    values.op = bl_operation_name(shown->operation);
    if (access->after) {
        values.array = access->after->array;
        values.line = known(access->after->line);
        values.column = known(access->after->column);
        values.requests = bl_saved_per_launch(kernel->after, (double)access->after->requests);
    }
    if (access->before) {
        values.array_before = access->before->array;
        values.line_before = known(access->before->line);
        values.requests_before =
            bl_saved_per_launch(kernel->before, (double)access->before->requests);
    }
    SET_BOTH(lanes);
    SET_BOTH(lines);
    SET_BOTH(sectors);
    SET_BOTH(tag_passes);
    SET_BOTH(bank_passes);
    values.change = bl_gate_change_name(access->change);
    values.by = isfinite(access->by) ? access->by : NAN;
    values.clocks = access->clocks_after;
    values.clocks_before = access->clocks_before;
    bl_gate_why(access, values.why);
    return values;
}

/* A visitor is called for each kernel with access = NULL, and then for each access of this kernel.
 */
typedef void visitor(void *context, const struct bl_gate *gate, const struct bl_gate_kernel *kernel,
                     const struct bl_gate_access *access);

static void visit_all(const struct bl_gate *gate, visitor *visit, void *context)
{
    for (size_t k = 0; k < gate->kernel_count; k++) {
        const struct bl_gate_kernel *kernel = &gate->kernels[k];
        visit(context, gate, kernel, NULL);
        for (size_t i = 0; i < kernel->count; i++)
            visit(context, gate, kernel, &gate->accesses[kernel->first + i]);
    }
}

static struct gate_values values_at(const struct bl_gate *gate, const struct bl_gate_kernel *kernel,
                                    const struct bl_gate_access *access)
{
    return access ? values_of(gate, kernel, access) : values_of_kernel(gate, kernel);
}

/* CSV. */

static void put_line(void *file, const struct bl_gate *gate, const struct bl_gate_kernel *kernel,
                     const struct bl_gate_access *access)
{
    const struct gate_values values = values_at(gate, kernel, access);
    for (const struct gate_column *column = columns; column < columns + COLUMNS; column++) {
        const char *end = column == columns + COLUMNS - 1 ? "\n" : ",";
        if (is_text(column))
            bl_csv_field(file, text_at(&values, column), end);
        else
            bl_csv_number(file, number_at(&values, column), end);
    }
}

void bl_gate_csv(FILE *file, const struct bl_gate *gate)
{
    for (size_t i = 0; i < COLUMNS; i++)
        fprintf(file, "%s%c", columns[i].name, i + 1 < COLUMNS ? ',' : '\n');
    visit_all(gate, put_line, file);
}

/* JSON. */

#ifdef BL_WITH_JANSSON
static json_t *object_of(const struct gate_values *values, enum of of, bool *whole)
{
    json_t *object = json_object();
    for (const struct gate_column *column = columns; column < columns + COLUMNS; column++) {
        if (!(column->of & of))
            continue;
        const double number = is_text(column) ? NAN : number_at(values, column);
        json_t *value = is_text(column) ? bl_json_string_or_null(text_at(values, column))
                        : column->kind == WHOLE && isfinite(number)
                            ? json_integer((json_int_t)number)
                            : bl_json_number_or_null(number);
        bl_json_add(object, column->name, value, whole);
    }
    return object;
}

struct document {
    json_t *kernels, *accesses; /* accesses: JSON array of the last kernel's accesses, owned by the
                                   object of this kernel */
    bool whole;
};

static void add_object(void *context, const struct bl_gate *gate,
                       const struct bl_gate_kernel *kernel, const struct bl_gate_access *access)
{
    struct document *document = context;
    const struct gate_values values = values_at(gate, kernel, access);
    json_t *object = object_of(&values, access ? ACCESS : KERNEL, &document->whole);
    if (access) {
        bl_json_append(document->accesses, object, &document->whole);
        return;
    }
    document->accesses = json_array();
    bl_json_add(object, "accesses", document->accesses, &document->whole);
    bl_json_append(document->kernels, object, &document->whole);
}

enum bl_status bl_gate_json(FILE *file, const struct bl_gate *gate, struct bl_error *error)
{
    struct document document = {.kernels = json_array(), .whole = true};
    json_t *changes = json_object();
    for (unsigned change = 0; change < BL_GATE_CHANGES; change++)
        bl_json_add(changes, bl_gate_change_name((enum bl_gate_change)change),
                    json_integer((json_int_t)gate->counts[change]), &document.whole);
    visit_all(gate, add_object, &document);
    json_t *root = bl_json_pack(&document.whole, "{s:i, s:o, s:f, s:o, s:o}", "schema", SCHEMA,
                                "machine", bl_json_string(gate->after->machine), "threshold",
                                gate->threshold, "changes", changes, "kernels", document.kernels);
    return bl_json_dump(root, document.whole, file, error);
}

/* Sums over a kernel's accesses, per launch. */
struct sums {
    double ideal_clocks, requests, sectors;
};

static struct sums sums_of(const struct bl_saved_trace *saved, const struct bl_saved_kernel *kernel)
{
    struct sums sums = {0};
    for (size_t i = kernel->first; i < kernel->first + kernel->count; i++) {
        const struct bl_saved_access *access = &saved->accesses[i];
        sums.ideal_clocks += isfinite(access->ideal_clocks) ? access->ideal_clocks : 0;
        sums.requests += (double)access->requests;
        sums.sectors += (double)access->sectors;
    }
    return sums;
}

static void add_measure(json_t *measures, const char *name, double value, bool *whole)
{
    if (isfinite(value))
        bl_json_add(measures, name, bl_json_pack(whole, "{s:f}", "value", value), whole);
}

enum bl_status bl_saved_bencher(FILE *file, const struct bl_saved_trace *saved,
                                struct bl_error *error)
{
    json_t *root = json_object();
    bool whole = true;
    for (size_t k = 0; k < saved->kernel_count; k++) {
        const struct bl_saved_kernel *kernel = &saved->kernels[k];
        const struct sums sums = sums_of(saved, kernel);
        char name[1024];
        json_t *measures = json_object();
        add_measure(measures, "clocks", bl_saved_clocks(saved, kernel), &whole);
        add_measure(measures, "contiguous-clocks", bl_saved_per_launch(kernel, sums.ideal_clocks),
                    &whole);
        add_measure(measures, "requests", bl_saved_per_launch(kernel, sums.requests), &whole);
        add_measure(measures, "sectors", bl_saved_per_launch(kernel, sums.sectors), &whole);
        bl_utf8_copy(name, sizeof name, kernel->label, strlen(kernel->label));
        bl_json_add(root, name, measures, &whole);
    }
    return bl_json_dump(root, whole, file, error);
}

#else

enum bl_status bl_gate_json(FILE *file, const struct bl_gate *gate, struct bl_error *error)
{
    (void)file, (void)gate;
    return bl_json_is_built(error);
}

enum bl_status bl_saved_bencher(FILE *file, const struct bl_saved_trace *saved,
                                struct bl_error *error)
{
    (void)file, (void)saved;
    return bl_json_is_built(error);
}

#endif

/* Texts for the terminal, Markdown and JUnit. */

static const char *clocks_text(double clocks, char text[32])
{
    snprintf(text, 32, isfinite(clocks) ? "%.5g" : "-", clocks);
    return text;
}

static const char *by_text(double by, char text[32])
{
    if (isinf(by))
        strcpy(text, "from 0");
    else
        snprintf(text, 32, isnan(by) ? "-" : "%+.1f %%", 100 * by);
    return text;
}

static bool is_shown(const struct bl_gate_access *access)
{
    return !access || (access->change != BL_GATE_SAME && access->change != BL_GATE_NO_RULE) ||
           bl_gate_is_one_sided(access);
}

/* The texts for a kernel or an access: the cells of its row in the terminal's table and in
 * Markdown, and parts of JUnit's messages. */
struct cells {
    char what[BL_GATE_PLACE], before[32], clocks[32], by[32], why[BL_GATE_WHY + 400];
    const char *change;
};

/* Writes the kernel's present name to cells->what, and a former name and a changed number of
 * launches to cells->why. */
static void name_kernel(const struct bl_gate_kernel *kernel, struct cells *cells)
{
    const char *now = kernel->after ? kernel->after->label : kernel->before->label;
    snprintf(cells->what, sizeof cells->what, "%.300s", now);
    if (kernel->before && kernel->after && strcmp(kernel->before->label, now) != 0)
        snprintf(cells->why, sizeof cells->why, "was %.300s", kernel->before->label);
    if (kernel->before && kernel->after && kernel->before->launches != kernel->after->launches)
        bl_text_add(cells->why, sizeof cells->why, "%slaunches %u -> %u", *cells->why ? "; " : "",
                    kernel->before->launches, kernel->after->launches);
}

static struct cells cells_of(const struct bl_gate *gate, const struct bl_gate_kernel *kernel,
                             const struct bl_gate_access *access)
{
    struct cells cells = {.why = ""};
    if (access) {
        bl_gate_place(access, cells.what);
        bl_gate_why(access, cells.why);
    } else {
        name_kernel(kernel, &cells);
        if (is_hidden(gate, kernel))
            bl_text_add(cells.why, sizeof cells.why, "%s%s", *cells.why ? "; " : "", hidden);
    }
    clocks_text(access ? access->clocks_before : kernel->clocks_before, cells.before);
    clocks_text(access ? access->clocks_after : kernel->clocks_after, cells.clocks);
    by_text(access ? access->by : kernel->by, cells.by);
    cells.change = bl_gate_change_name(access ? access->change : kernel->change);
    return cells;
}

struct gate_view {
    FILE *file;
    struct bl_layout layout;
};

static void put_cells(void *context, const struct bl_gate *gate,
                      const struct bl_gate_kernel *kernel, const struct bl_gate_access *access)
{
    const struct gate_view *table = context;
    if (!is_shown(access))
        return;
    const struct cells cells = cells_of(gate, kernel, access);
    char what[BL_GATE_PLACE + 2];
    snprintf(what, sizeof what, "%s%s", access ? "  " : "", cells.what);
    bl_layout_row(
        &table->layout, table->file,
        (const char *const[]){what, cells.before, cells.clocks, cells.by, cells.change, cells.why});
}

void bl_gate_table(FILE *file, const struct bl_gate *gate, const char *name)
{
    static const struct bl_layout_column shown[] = {
        {.name = "kernel, access", .width = 44},
        {.name = "before", .width = 9, .is_right = true},
        {.name = "now", .width = 9, .is_right = true},
        {.name = "change", .width = 9, .is_right = true},
        {.name = "verdict", .width = 7},
        {.name = "why", .width = 28, .rank = 1},
    };
    const unsigned width = bl_line_width(file);
    struct gate_view table = {file, bl_layout_for(shown, sizeof shown / sizeof *shown, width)};
    bl_put_paragraph(file, 0, 0, width,
                     "Clocks per launch as predicted for machine %s, compared with %s. "
                     "Accesses whose verdict is 'same', or which have no rule in either version, "
                     "are left out.",
                     gate->after->machine, name);
    fputc('\n', file);
    bl_layout_heading(&table.layout, file);
    visit_all(gate, put_cells, &table);
    size_t no_rule = 0;
    for (size_t i = 0; i < gate->access_count; i++)
        no_rule += gate->accesses[i].change == BL_GATE_NO_RULE;
    fprintf(file, "\n%zu kernel%s: ", gate->kernel_count, bl_plural(gate->kernel_count));
    const char *separator = "";
    for (unsigned change = 0; change < BL_GATE_CHANGES; change++)
        if (gate->counts[change]) {
            fprintf(file, "%s%zu %s", separator, gate->counts[change],
                    bl_gate_change_name((enum bl_gate_change)change));
            separator = ", ";
        }
    fprintf(file, "; threshold %.4g %%.\n", 100 * gate->threshold);
    if (no_rule)
        fprintf(file, "%zu access%s not judged: the machine has no rule for %s.\n", no_rule,
                no_rule == 1 ? " was" : "es were", no_rule == 1 ? "it" : "them");
}

/* Markdown. */

static const char *escaped(const char *character, size_t bytes)
{
    static const char special[] = "|`*_<>\\";
    static const char *const instead[] = {"\\|", "\\`", "\\*", "\\_", "\\<", "\\>", "\\\\"};
    const char *found = bytes == 1 ? strchr(special, *character) : NULL;
    if (found)
        return instead[found - special];
    return bytes == 1 && (*character < ' ' || *character == 0x7f) ? " " : NULL;
}

static void put_row(void *file, const struct bl_gate *gate, const struct bl_gate_kernel *kernel,
                    const struct bl_gate_access *access)
{
    if (!is_shown(access))
        return;
    const struct cells cells = cells_of(gate, kernel, access);
    fputs(access ? "| &nbsp; " : "| **", file);
    bl_put_escaped(file, cells.what, escaped, "?");
    fputs(access ? " | " : "** | ", file);
    fprintf(file, "%s | %s | %s | %s | ", cells.before, cells.clocks, cells.by, cells.change);
    bl_put_escaped(file, cells.why, escaped, "?");
    fputs(" |\n", file);
}

void bl_gate_markdown(FILE *file, const struct bl_gate *gate)
{
    fprintf(file,
            "Clocks per launch as predicted for machine %s; threshold %.4g %%.\n\n"
            "| kernel, access | before | now | change | verdict | why |\n"
            "| --- | ---: | ---: | ---: | --- | --- |\n",
            gate->after->machine, 100 * gate->threshold);
    visit_all(gate, put_row, file);
}

/* JUnit. */

static struct bl_junit_case case_of(const struct bl_gate *gate, const struct bl_gate_kernel *kernel)
{
    const struct cells cells = cells_of(gate, kernel, NULL);
    const bool has_lost = kernel->change == BL_GATE_NO_RULE && kernel->has_lost_rule,
               is_bad = kernel->change == BL_GATE_DEARER || kernel->change == BL_GATE_MISSING ||
                        has_lost;
    struct bl_junit_case test = {.outcome = is_bad                              ? BL_JUNIT_FAILED
                                            : kernel->change == BL_GATE_NO_RULE ? BL_JUNIT_SKIPPED
                                                                                : BL_JUNIT_PASSED,
                                 .suite = "trace"};
    snprintf(test.name, sizeof test.name, "%s", cells.what);
    if (kernel->change == BL_GATE_DEARER)
        snprintf(test.message, sizeof test.message, "clocks per launch %s, before %s: %s%s%s",
                 cells.clocks, cells.before, cells.by, is_hidden(gate, kernel) ? ", " : "",
                 is_hidden(gate, kernel) ? hidden : "");
    else
        snprintf(test.message, sizeof test.message, "%s", cells.change);
    for (size_t i = 0; i < kernel->count && is_bad; i++) {
        const struct bl_gate_access *access = &gate->accesses[kernel->first + i];
        const struct cells of_access = cells_of(gate, kernel, access);
        const bool is_dearer = kernel->change == BL_GATE_DEARER &&
                               (access->change == BL_GATE_DEARER || access->change == BL_GATE_NEW);
        if (is_dearer || (has_lost && bl_gate_is_one_sided(access)))
            bl_text_add(test.message, sizeof test.message, "; %s: %s%s%s", of_access.what,
                        access->change == BL_GATE_NEW ? "new"
                        : has_lost                    ? ""
                                                      : of_access.by,
                        *of_access.why && !has_lost ? ", " : "", of_access.why);
    }
    return test;
}

enum bl_status bl_gate_junit(FILE *file, const struct bl_gate *gate, struct bl_error *error)
{
    struct bl_junit_suite suite = {0};
    enum bl_status status = BL_OK;
    for (size_t k = 0; k < gate->kernel_count && status == BL_OK; k++) {
        const struct bl_junit_case test = case_of(gate, &gate->kernels[k]);
        status = bl_junit_add(&suite, &test, error);
    }
    if (status == BL_OK)
        bl_junit_put(file, &suite, gate->after->machine, "", "");
    free(suite.cases);
    return status;
}
