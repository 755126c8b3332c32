/* `bankline list`: the catalogue, with predictions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "model/machine_file.h"
#include "report/json_values.h"
#include "report/layout.h"
#include "report/row.h"
#include "run/measure_case.h"
#include "run/plan.h"
#include "suites.h"

struct list_settings {
    const char *machine; /* name or file */
    bool json;
};

/* Keeps one item per case, in the order of the catalogue: the first item with the claim or, if no
 * item has the claim, the case's first item. Returns the number of items kept. */
static size_t keep_firsts(const struct bl_catalogue *catalogue, const struct bl_plan_item items[],
                          size_t count, const struct bl_plan_item *firsts[])
{
    size_t kept = 0;
    for (size_t s = 0; s < catalogue->count; s++) {
        const struct bl_suite *suite = catalogue->suites[s];
        for (size_t c = 0; c < suite->count; c++) {
            const struct bl_plan_item *chosen = NULL;
            for (size_t i = 0; i < count; i++)
                if (items[i].test_case == &suite->cases[c] &&
                    (!chosen || (isfinite(items[i].claim) && !isfinite(chosen->claim))))
                    chosen = &items[i];
            if (chosen)
                firsts[kept++] = chosen;
        }
    }
    return kept;
}

static void print_table(const struct bl_plan_item *const items[], size_t count,
                        const struct bl_machine *machine)
{
    static const struct bl_layout_column columns[] = {
        {"case", 24, 0, 0, false},    {"claim", 6, 0, 0, false},      {"predicted", 9, 0, 0, false},
        {"against", 24, 0, 2, false}, {"document", 60, 30, 1, false}, {"gist", 60, 30, 0, false},
    };
    enum { COLUMNS = sizeof columns / sizeof columns[0] };
    const unsigned width = bl_line_width(stdout);
    const struct bl_layout layout = bl_layout_for(columns, COLUMNS, width);
    bl_layout_heading(&layout, stdout);
    for (size_t i = 0; i < count; i++) {
        const struct bl_case *test_case = items[i]->test_case;
        const struct bl_row row = bl_planned_row(items[i], machine);
        char claim[20], predicted[16];
        const char *const cells[COLUMNS] = {
            row.key.case_id,
            bl_format_claim(&row, claim),
            bl_format_prediction(&row, predicted),
            test_case->baseline,
            test_case->document,
            test_case->title,
        };
        if (i > 0 && strcmp(row.suite, bl_planned_row(items[i - 1], machine).suite) != 0)
            putchar('\n');
        bl_layout_row(&layout, stdout, cells);
    }
    putchar('\n');
    bl_put_paragraph(
        stdout, 0, 0, width,
        "claim: in parentheses if it follows from a document's rule but is not printed in the "
        "document. predicted: for machine %s, in the shape of the claim (8x2 for shape/other).%s",
        machine->name, bl_sampling_words(machine));
}

#ifdef BL_WITH_JANSSON

static json_t *case_of(const struct bl_plan_item *item, const struct bl_machine *machine,
                       bool *whole)
{
    const struct bl_row row = bl_planned_row(item, machine);
    const struct bl_case *test_case = item->test_case;
    const char *direction =
        row.direction == BL_ANY_DIRECTION ? "" : bl_direction_name(row.direction);
    json_t *object = bl_json_pack(
        whole, "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "case",
        bl_json_string(row.key.case_id), "suite", bl_json_string(row.suite), "title",
        bl_json_string(test_case->title), "document", bl_json_string(test_case->document),
        "baseline", bl_json_string(test_case->baseline), "claim",
        bl_json_number_or_null(item->claim), "claim_source",
        bl_json_string_or_null(row.claim_source), "direction", bl_json_string_or_null(direction),
        "predicted", bl_json_number_or_null(row.predicted));
    if (row.alternative_count > 0)
        bl_json_add(object, "alternatives", bl_json_alternatives(&row, whole), whole);
    return object;
}

static enum bl_status print_cases_as_json(FILE *file, const struct bl_machine *machine,
                                          const struct bl_plan_item *const items[], size_t count,
                                          struct bl_error *error)
{
    bool whole = true;
    json_t *cases = json_array();
    for (size_t i = 0; i < count; i++)
        bl_json_append(cases, case_of(items[i], machine, &whole), &whole);
    return bl_json_dump(bl_json_pack(&whole, "{s:o, s:o}", "machine", bl_json_string(machine->name),
                                     "cases", cases),
                        whole, file, error);
}

#else

static enum bl_status print_cases_as_json(FILE *file, const struct bl_machine *machine,
                                          const struct bl_plan_item *const items[], size_t count,
                                          struct bl_error *error)
{
    (void)file, (void)machine, (void)items, (void)count;
    return bl_json_is_built(error);
}

#endif

static enum bl_status run(const void *settings_, const struct bl_arguments *cases,
                          struct bl_error *error)
{
    const struct list_settings *settings = settings_;
    const struct bl_catalogue catalogue = bl_suites();
    const struct bl_plan_filter filter = {.selectors = cases->words,
                                          .selector_count = cases->count};
    const struct bl_machine *machine;
    struct bl_machine capacity;
    struct bl_plan_item *items;
    size_t count;
    enum bl_status status = bl_machine_named(settings->machine, &capacity, &machine, error);
    if (status == BL_OK)
        status = bl_plan(&catalogue, &filter, machine, NULL, &items, &count, error);
    if (status != BL_OK)
        return status;
    const struct bl_plan_item **firsts =
        calloc(count + 1, sizeof *firsts); /* NOLINT(bugprone-sizeof-expression): of pointers */
    if (!firsts) {
        status = bl_fail(error, BL_NO_MEMORY, "out of memory while listing cases");
    } else {
        const size_t kept = keep_firsts(&catalogue, items, count, firsts);
        if (settings->json)
            status = print_cases_as_json(stdout, machine, firsts, kept, error);
        else
            print_table(firsts, kept, machine);
    }
    free(firsts);
    free(items);
    return status;
}

static const struct bl_option options[] = {
    {"machine", "NAME", "predict for this machine, a name or a file (default: intel-gen9)",
     BL_TEXT(struct list_settings, machine), .completes = BL_COMPLETE_MACHINES},
    {"json", NULL, "print JSON", BL_FLAG(struct list_settings, json)},
    {0},
};

static const struct list_settings defaults = {.machine = "intel-gen9"};

const struct bl_command bl_command_list = {
    .name = "list",
    .arguments = "[CASE...]",
    .summary = "list every case, its document, claim and prediction",
    .description =
        "Prints the cases: the ratio that the document claims, the ratio that the model predicts, "
        "the baseline, the document and what the case is about. Columns that do not fit the "
        "terminal are omitted. A CASE is an id (local/5), a suite (local) or a glob ('local/*').",
    .examples = {"bankline list local", "bankline list --machine nvidia-hopper --json"},
    .max_arguments = SIZE_MAX,
    .completes_more = BL_COMPLETE_CASES,
    .options = {{.options = options}},
    .settings_bytes = sizeof(struct list_settings),
    .defaults = &defaults,
    .run = run,
};
