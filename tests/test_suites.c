/* Tests the program's catalogue of cases, and small catalogues made for the test, on a simulated
 * device. */
#include <criterion/criterion.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cl/session.h"
#include "report/row.h"
#include "run/measure_case.h"
#include "suites.h"

static const struct bl_device gpu = {
    .name = "Made-up GPU",
    .type = BL_DEVICE_GPU,
    .compute_units = 4,
    .sub_group_sizes = {8, 16, 32},
    .shares_registers = true,
    .local_bytes = 65536,
    .max_group_items = 256,
    .max_items = {256, 64},
    .memory_bytes = 1ull << 33,
    .max_buffer_bytes = 1ull << 31,
};

static size_t count;
static struct bl_plan_item *items;
static struct bl_error error;

static const struct bl_machine *machine_named(const char *name)
{
    const struct bl_machine *machine;
    cr_assert_eq(bl_machine_find(name, &machine, NULL), BL_OK);
    return machine;
}

static bool has(const char *id, unsigned x)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(items[i].test_case->id, id) == 0 && items[i].own.launch.shape.x == x)
            return true;
    return false;
}

/* A suite that is not in the program's catalogue. */
static struct bl_case made_up_cases[] = {
    {.id = "made/up",
     .baseline = "made/up",
     .lay_out = bl_lay_out_pattern,
     .memory = BL_MEMORY_LOCAL,
     .pattern = BL_PATTERN_CONTIGUOUS,
     .shapes = BL_NATIVE_ROW,
     .claim = 1},
    {.id = "made/too",
     .baseline = "made/up",
     .lay_out = bl_lay_out_pattern,
     .memory = BL_MEMORY_LOCAL,
     .pattern = BL_PATTERN_STRIDE_2,
     .shapes = BL_GROUP_OF(64)},
};

static enum bl_status plan_made_up(const struct bl_plan_filter *filter, const char *name)
{
    static const struct bl_suite suite = {"made", "made up", made_up_cases, 2};
    static const struct bl_suite *const suites[] = {&suite};
    const struct bl_catalogue catalogue = {suites, 1, 16};
    free(items);
    return bl_plan(&catalogue, filter, machine_named(name), &gpu, &items, &count, &error);
}

Test(suites, a_plan_has_the_suites_of_the_given_catalogue)
{
    const struct bl_plan_filter filter = {0};
    cr_assert_eq(plan_made_up(&filter, "nvidia-hopper"), BL_OK);
    cr_assert_eq(count, 2);
    cr_assert(has("made/up", 32) && has("made/too", 64));
    cr_assert_eq(items[1].baseline.setting.test_case, &made_up_cases[0]);
    cr_assert_eq(items[1].baseline.launch.shape.x, 64);
    cr_assert_float_eq(bl_planned_row(&items[1], machine_named("nvidia-hopper")).predicted, 0.5,
                       1e-12);
}

Test(suites, a_case_is_planned_in_the_shapes_of_its_policy)
{
    static const struct {
        struct bl_shape_policy policy;
        unsigned rows, quick_rows, requested_rows,
            claims; /* expected numbers of rows (all; with --quick; with --shape 8x8) and of claims,
                       on a machine of 32 lanes */
    } policies[] = {
        {BL_ROW, 2, 2, 0, 1},
        {BL_GUIDE_ROW, 1, 1, 0, 1},
        {BL_NATIVE_ROW, 1, 1, 0, 0},
        {BL_SWEEP, 6, 2, 1, 1},
        {BL_GROUP_OF(16), 1, 1, 0, 1},
        {{.forms = BL_FORM_SQUARE}, 2, 2, 0, 1},
        {{.forms = BL_FORM_ROW, .widths = BL_NATIVE_WIDTH, .claim_lanes = 32}, 1, 1, 0, 1},
    };
    const struct bl_plan_filter all = {0}, quick = {.quick = true}, shape = {.shape = {8, 8}};
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
        made_up_cases[0].shapes = policies[i].policy;
        made_up_cases[1].shapes = (struct bl_shape_policy){0};
        cr_assert_eq(plan_made_up(&quick, "nvidia-hopper"), BL_OK);
        cr_assert_eq(count, policies[i].quick_rows, "policy %zu: %zu rows", i, count);
        cr_assert_eq(plan_made_up(&shape, "nvidia-hopper"), BL_OK);
        cr_assert_eq(count, policies[i].requested_rows, "policy %zu: %zu rows", i, count);
        cr_assert_eq(plan_made_up(&all, "nvidia-hopper"), BL_OK);
        cr_assert_eq(count, policies[i].rows, "policy %zu: %zu rows", i, count);
        unsigned claims = 0;
        for (size_t k = 0; k < count; k++)
            claims += isfinite(items[k].claim) != 0;
        cr_assert_eq(claims, policies[i].claims, "the claims of policy %zu", i);
    }
}

Test(suites, a_baseline_that_is_not_in_the_catalogue_is_an_error)
{
    const struct bl_plan_filter filter = {0};
    made_up_cases[1].baseline = "global/1"; /* a case of another catalogue */
    cr_assert_eq(plan_made_up(&filter, "intel-gen9"), BL_UNKNOWN_CASE);
    cr_assert(strstr(error.sentence, "made/too") && strstr(error.sentence, "global/1"), "%s",
              error.sentence);
    cr_assert_null(items);
}

Test(suites, ids_are_unique_and_begin_with_their_suite)
{
    const struct bl_catalogue catalogue = bl_suites();
    const struct bl_suite *const *suites = catalogue.suites;
    for (size_t s = 0; s < catalogue.count; s++)
        for (size_t c = 0; c < suites[s]->count; c++) {
            const struct bl_case *test_case = &suites[s]->cases[c];
            const size_t length = strlen(suites[s]->name);
            cr_assert_eq(bl_case_find(&catalogue, test_case->id), test_case, "%s", test_case->id);
            cr_assert(strncmp(test_case->id, suites[s]->name, length) == 0 &&
                      test_case->id[length] == '/');
            cr_assert(test_case->title && test_case->document && test_case->lay_out);
            cr_assert((test_case->shapes.forms != 0) != (test_case->shapes.group != 0));
            cr_assert_not_null(bl_case_find(&catalogue, test_case->baseline), "%s", test_case->id);
        }
    cr_assert_null(bl_case_find(&catalogue, "global/7"));
}

static bool names_a_case(const struct bl_catalogue *catalogue, const char *glob)
{
    for (size_t s = 0; s < catalogue->count; s++)
        for (size_t c = 0; c < catalogue->suites[s]->count; c++)
            if (fnmatch(glob, catalogue->suites[s]->cases[c].id, 0) == 0)
                return true;
    return false;
}

/* Checks the words in backquotes in bench/README.md that contain a slash. */
Test(suites, the_readme_names_every_suite_and_only_existing_cases)
{
    const struct bl_catalogue catalogue = bl_suites();
    char path[4096], word[256], *text = NULL;
    size_t size = 0, named = 0;
    snprintf(path, sizeof path, "%s/bench/README.md", getenv("BANKLINE_SOURCE"));
    FILE *file = fopen(path, "r");
    cr_assert(file && getdelim(&text, &size, '\0', file) > 0, "%s", path);
    fclose(file);
    for (const char *at = text; (at = strchr(at, '`')); at += strlen(word) + 2) {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at + 1, "`"), at + 1);
        if (!strchr(word, '/'))
            continue;
        named++;
        cr_expect(names_a_case(&catalogue, word), "there is no case '%s'", word);
    }
    cr_expect_gt(named, 40);
    for (size_t s = 0; s < catalogue.count; s++) {
        snprintf(word, sizeof word, "`%s/", catalogue.suites[s]->name);
        cr_expect(strstr(text, word), "suite %s has no sentence", catalogue.suites[s]->name);
    }
    free(text);
}

Test(suites, each_form_has_one_work_item_per_lane)
{
    for (unsigned lanes = 4; lanes <= 128; lanes *= 2)
        for (unsigned f = 0; f < BL_FORM_COUNT; f++) {
            const struct bl_shape shape = bl_shape_of((enum bl_form)(1u << f), lanes);
            cr_assert_eq(shape.x * shape.y, lanes);
        }
    const struct bl_shape square = bl_shape_of(BL_FORM_SQUARE, 32);
    cr_assert(square.x == 8 && square.y == 4);
}

static const char *embedded(const char *name)
{
    const struct bl_embedded *file = bl_embedded_sources;
    while (file->name && strcmp(file->name, name) != 0)
        file++;
    return file->text;
}

static void is_complete(const struct bl_workload *workload)
{
    const char *id = workload->setting.test_case->id;
    const struct bl_build *build = &workload->build;
    char kernel[64];
    if (workload->status == BL_ROW_UNSUPPORTED) { /* the simulated GPU has too little memory */
        cr_assert(workload->reason[0], "%s", id);
        return;
    }
    cr_assert_not_null(embedded(build->file), "%s: %s", id, build->file);
    snprintf(kernel, sizeof kernel, "__kernel void %s(", build->kernel);
    cr_assert(strstr(embedded(build->file), kernel), "%s: %s", id, build->kernel);
    cr_assert(build->options[0] && strlen(build->options) < sizeof build->options - 1, "%s", id);
    cr_assert(workload->check.reference, "%s", id);
    cr_assert(workload->launch.groups > 0 && workload->buffers.outputs > 0, "%s", id);
    cr_assert_gt(workload->buffers.data_bytes, 0, "%s", id);
    /* These checks also accept NAN, the value of what does not apply. */
    const struct bl_work *work = &workload->work;
    cr_assert(work->units > 0 && isfinite(work->units), "%s", id);
    cr_assert_not(work->bytes <= 0 || work->requests <= 0 || work->bytes_per_delivered < 1, "%s",
                  id);
    const struct bl_mean_cost *cost = &workload->cost;
    cr_assert_not(cost->clocks < 1 || cost->lines < 1 || cost->bank_passes < 1, "%s", id);
    cr_assert_eq(isfinite(cost->clocks) != 0, !cost->why_none, "%s", id);
    cr_assert(!cost->why_none || cost->why_none[0], "%s", id);
}

Test(suites, every_workload_is_complete)
{
    const char *const machines[] = {"intel-gen9", "nvidia-hopper", "cpu"};
    const struct bl_plan_filter filter = {0};
    const struct bl_catalogue catalogue = bl_suites();
    for (size_t m = 0; m < 3; m++) {
        cr_assert_eq(
            bl_plan(&catalogue, &filter, machine_named(machines[m]), &gpu, &items, &count, &error),
            BL_OK);
        for (size_t i = 0; i < count; i++) {
            is_complete(&items[i].own);
            is_complete(&items[i].baseline);
        }
        free(items);
    }
}

/* Checks results/README.md's definition of `working_set_bytes` against every address of a round. */
static void check_working_set(const struct bl_plan_item *item)
{
    const struct bl_launch *launch = &item->own.launch;
    const char *id = item->test_case->id;
    const size_t bytes = launch->type->element_bytes;
    const uint64_t *starts = bl_pattern_starts(item->test_case->pattern, launch);
    cr_assert_not_null(starts);
    uint64_t farthest = 0;
    for (size_t i = 0; i < bl_launch_items(launch); i++)
        for (unsigned read = 0; read < launch->unroll; read++) {
            const uint64_t at = (starts[i] + bl_launch_read_offset(launch, read) + 1) * bytes;
            cr_assert(read > 0 || at <= item->own.work.working_set_bytes, "%s", id);
            farthest = at > farthest ? at : farthest;
        }
    cr_expect_leq(farthest, bl_launch_array_bytes(launch), "%s", id);
    free((void *)starts);
}

Test(suites, first_reads_lie_in_the_working_set_and_later_reads_in_the_array)
{
    static const struct {
        const char *machine, *id;
        size_t bytes, array_bytes;
    } known[] = {{"intel-gen9", "local/1", 2048, 4032}, {"nvidia-hopper", "local/1", 4096, 8064}};
    const struct bl_catalogue catalogue = bl_suites();
    for (size_t m = 0; m < 2; m++) {
        const struct bl_plan_filter filter = {0};
        bool is_there = false;
        cr_assert_eq(bl_plan(&catalogue, &filter, machine_named(known[m].machine), &gpu, &items,
                             &count, &error),
                     BL_OK);
        for (size_t i = 0; i < count; i++) {
            if (items[i].test_case->lay_out == bl_lay_out_pattern)
                check_working_set(&items[i]);
            if (strcmp(items[i].test_case->id, known[m].id) == 0) {
                is_there = true;
                cr_expect_eq(items[i].own.work.working_set_bytes, known[m].bytes);
                cr_expect_eq(bl_launch_array_bytes(&items[i].own.launch), known[m].array_bytes);
            }
        }
        cr_expect(is_there);
        free(items);
        items = NULL;
    }
}

static const struct bl_plan_item *only(const char *id)
{
    const struct bl_catalogue catalogue = bl_suites();
    const struct bl_plan_filter filter = {.selectors = &id, .selector_count = 1};
    free(items);
    items = NULL;
    cr_assert_eq(
        bl_plan(&catalogue, &filter, machine_named("intel-gen9"), &gpu, &items, &count, &error),
        BL_OK, "%s", error.sentence);
    return &items[0];
}

/* A case for each sentence, with a part of the text that the case quotes, and the claim. 0: no
 * claim. */
Test(suites, every_sentence_of_the_documents_has_its_case)
{
    static const struct {
        const char *id, *document;
        double claim;
    } sentences[] = {
        {"private/lines-1", "memory access overview", 1},
        {"private/lines-2", "memory access overview", 1.0 / 2},
        {"private/lines-16", "memory access overview", 1.0 / 16},
        {"local-size/512-an-item-16", "function of the number of work-items", 0},
        {"local-size/512-an-item-128", "function of the number of work-items", 0},
        {"local-size/512-an-item-256", "function of the number of work-items", 0},
        {"local-size/one-more", "CL_OUT_OF_RESOURCES", 0},
        {"histogram/local-by-one-1024", "one work-item to initialize all", 0},
        {"histogram/global-own-256", "through global memory", 0},
        {"atomic/global-beside-local", "through global memory", 0},
        {"width/private-int2", "access widths", 0},
        {"width/private-int3", "access widths", 0},
        {"width/private-int4", "access widths", 0},
        {"width/constant-int2", "access widths", 0},
        {"width/constant-int3", "access widths", 0},
    };
    for (size_t i = 0; i < sizeof sentences / sizeof sentences[0]; i++) {
        const struct bl_plan_item *item = only(sentences[i].id);
        cr_expect(strstr(item->test_case->document, sentences[i].document), "%s", sentences[i].id);
        cr_expect_eq(item->test_case->claim, sentences[i].claim, "%s", sentences[i].id);
    }
}

Test(suites, sentences_that_say_may_claim_no_direction)
{
    static const char *const ids[] = {"convolution/local", "convolution/local-by-all",
                                      "histogram/private-256", "histogram/local-by-one-1024"};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        cr_expect_eq(only(ids[i])->test_case->direction, BL_ANY_DIRECTION, "%s", ids[i]);
}

Test(suites, a_request_for_too_much_local_memory_reaches_the_driver)
{
    static const char *const ids[] = {"local-size/one-more", "local-size/512-an-item-256"};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        const struct bl_plan_item *item = only(ids[i]);
        cr_expect_gt(item->own.buffers.local_bytes, gpu.local_bytes, "%s", ids[i]);
        cr_expect_eq(item->status, BL_ROW_OK, "%s: %s", ids[i], item->reason);
        const char *words = strstr(item->own.build.options, "-DWORDS=");
        cr_assert(words);
        cr_expect_eq(4 * strtoull(words + strlen("-DWORDS="), NULL, 10),
                     item->own.buffers.local_bytes, "%s", ids[i]);
    }
}

/* Throughput is the number of words written to global memory per unit of time. Case and baseline
 * write the same number of words. */
Test(suites, staged_output_is_compared_by_the_words_written)
{
    static const char *const ids[] = {"stage/independent", "stage/overlapping", "stage/whole",
                                      "stage/direct"};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        const struct bl_plan_item *item = only(ids[i]);
        cr_expect_eq(item->own.buffers.outputs, item->baseline.buffers.outputs, "%s", ids[i]);
        cr_expect_eq(item->own.work.units, (double)item->own.buffers.outputs, "%s", ids[i]);
    }
}

/* Without -DIN_LOCAL the kernel would read global memory. Its sums would still be right, so only
 * the measured latency would be wrong. */
Test(suites, pointer_chases_are_built_for_the_memory_that_they_measure)
{
    cr_expect(strstr(only("latency/local-16K")->own.build.options, "-DIN_LOCAL"));
    cr_expect(strstr(only("latency/local-16K-memory")->own.build.options, "-DIN_LOCAL"));
    cr_expect_not(strstr(only("latency/global-16K")->own.build.options, "-DIN_LOCAL"));
}

static bool stands_in_a_document(const char *id)
{
    static const char *const derived[] = {"lines/[3-9]",      "lines/1?",
                                          "constant/lines-*", "private/unique-*",
                                          "private/lines-*",  "local-vs-cache/2"};
    for (size_t i = 0; i < sizeof derived / sizeof derived[0]; i++)
        if (fnmatch(derived[i], id, 0) == 0)
            return false;
    return true;
}

Test(suites, a_claim_that_no_document_prints_is_marked_as_derived)
{
    const struct bl_catalogue catalogue = bl_suites();
    for (size_t s = 0; s < catalogue.count; s++)
        for (size_t c = 0; c < catalogue.suites[s]->count; c++) {
            const struct bl_case *test_case = &catalogue.suites[s]->cases[c];
            if (test_case->claim > 0)
                cr_expect_eq(test_case->claim_is_derived, !stands_in_a_document(test_case->id),
                             "%s", test_case->id);
        }
    const struct bl_machine *machine = machine_named("intel-gen9");
    cr_expect_str_eq(bl_planned_row(only("lines/2"), machine).claim_source, "printed");
    cr_expect_str_eq(bl_planned_row(only("lines/3"), machine).claim_source, "derived");
    cr_expect_str_eq(bl_planned_row(only("stride/local-3"), machine).claim_source, "");
}
