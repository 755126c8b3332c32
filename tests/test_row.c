/* Tests rows: their keys, their columns, and values that are computed from measured numbers. */
#include "rows.h"

Test(row, a_key_is_everything_that_distinguishes_two_rows)
{
    struct bl_row_key keys[7];
    for (size_t i = 0; i < 7; i++)
        keys[i] = row_named("local/5").key;
    strcpy(keys[1].case_id, "local/6");
    strcpy(keys[2].type, "uchar");
    strcpy(keys[3].shape, "1x16");
    keys[4].lanes = 32;
    keys[5].working_set_bytes = 1;
    strcpy(keys[6].machine, "cpu"); /* the machine is not part of the key */
    cr_assert_eq(bl_row_key_compare(&keys[0], &keys[6]), 0);
    for (size_t i = 0; i < 6; i++)
        for (size_t k = 0; k < i; k++) {
            const int order = bl_row_key_compare(&keys[i], &keys[k]);
            cr_assert_neq(order, 0, "keys %zu and %zu are equal", i, k);
            cr_assert_eq(order > 0, bl_row_key_compare(&keys[k], &keys[i]) < 0);
        }
}

Test(row, what_a_run_was_asked_for_is_recorded_and_read)
{
    static const char *const cases[] = {"local/5", "global"};
    const char *many[300];
    struct bl_run_info run = bl_run_info_empty();
    cr_assert(bl_run_asked_for(&run, "local/6", true),
              "what was asked for is unknown, but the run has a row of the suite");
    cr_assert_not(bl_run_asked_for(&run, "local/6", false));
    bl_run_record_asked(&run, "", NULL, 0);
    cr_assert(bl_run_asked_for(&run, "local/6", false), "%s", run.asked_for);
    bl_run_record_asked(&run, "", cases, 2);
    cr_assert_str_eq(run.asked_for, "local/5 global");
    cr_assert_not(bl_run_asked_for(&run, "local/6", true));
    cr_assert(bl_run_asked_for(&run, "local/5", false) &&
              bl_run_asked_for(&run, "global/1", false));
    bl_run_record_asked(&run, "--quick ", cases, 1);
    cr_assert_str_eq(run.asked_for, "--quick local/5");
    cr_assert_not(bl_run_asked_for(&run, "local/5", true), "--quick may have left it out");
    for (size_t i = 0; i < 300; i++)
        many[i] = i < 299 ? cases[0] : cases[1];
    bl_run_record_asked(&run, "", many, 300);
    cr_assert(bl_run_asked_for(&run, "local/5", false) &&
              !bl_run_asked_for(&run, "global/1", true));
    cr_assert_str_eq(run.asked_for + strlen(run.asked_for) - 4, " ...");
}

Test(row, the_ratios_of_the_placements_are_written_and_read)
{
    static const struct {
        double ratios[4];
        const char *text;
        size_t used;
    } cases[] = {{{0.5, 0.25, NAN, NAN}, "0.5 0.25", 2},
                 {{NAN, 0.25, NAN, 2}, "- 0.25 - 2", 2},
                 {{0.5, NAN, NAN, NAN}, "", 0},
                 {{NAN, NAN, NAN, NAN}, "", 0}};
    static const char *const malformed[] = {"1 2 3 4 5", "1 x", "1 0", "1 -2", "1 inf"};
    struct bl_row row = bl_row_empty();
    double read[4];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bl_row_set_placement_ratios(&row, cases[i].ratios, 4);
        cr_assert_str_eq(row.placement_ratios, cases[i].text);
        cr_assert_eq(bl_row_placement_ratios(&row, read, 4), cases[i].used, "%s", cases[i].text);
        for (size_t k = 0; k < 4 && cases[i].used; k++)
            cr_assert(isnan(read[k]) ? isnan(cases[i].ratios[k]) : read[k] == cases[i].ratios[k]);
    }
    for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++) {
        strcpy(row.placement_ratios, malformed[i]);
        cr_assert_eq(bl_row_placement_ratios(&row, read, 4), 0, "%s", malformed[i]);
        for (size_t k = 0; k < 4; k++)
            cr_assert(isnan(read[k]), "%s", malformed[i]);
    }
}

Test(row, numbers_are_sorted_by_value)
{
    struct bl_row_key small = row_named("a").key, large = small;
    small.lanes = 9;
    large.lanes = 16;
    cr_assert_lt(bl_row_key_compare(&small, &large), 0);
}

Test(row, columns_of_older_schemas_come_first)
{
    static const size_t counts[] = {0, 31, 33, 34, 39, 48, 52, 53, 56, 57, BL_COLUMN_COUNT, 0};
    for (unsigned schema = 0; schema <= BL_CSV_SCHEMA + 1; schema++)
        cr_assert_eq(bl_columns_of_schema(schema), counts[schema], "schema %u", schema);
    for (size_t i = 1; i < BL_COLUMN_COUNT; i++)
        cr_assert_geq(bl_columns[i].schema, bl_columns[i - 1].schema, "%s", bl_columns[i].name);
}

/* Sets each column from a text, compares the column's text with it, and checks that no other column
 * changed. */
Test(row, each_column_is_stored_in_a_separate_member)
{
    for (size_t i = 0; i < BL_COLUMN_COUNT; i++) {
        const struct bl_column *column = &bl_columns[i];
        struct bl_run_info run = bl_run_info_empty();
        struct bl_row row = bl_row_empty();
        const char *text = column->kind == BL_COLUMN_TEXT        ? "text"
                           : column->kind == BL_COLUMN_VERDICT   ? "unclear"
                           : column->kind == BL_COLUMN_STATUS    ? "noisy"
                           : column->kind == BL_COLUMN_DIRECTION ? "slower"
                                                                 : "3";
        char buffer[BL_COLUMN_BUFFER];
        cr_assert(bl_column_parse(column, text, &run, &row), "%s", column->name);
        cr_assert_str_eq(bl_column_text(column, &run, &row, buffer), text);
        const struct bl_run_info no_run = bl_run_info_empty();
        const struct bl_row no_row = bl_row_empty();
        for (size_t k = 0; k < BL_COLUMN_COUNT; k++) {
            char one[BL_COLUMN_BUFFER], other[BL_COLUMN_BUFFER];
            if (k != i)
                cr_assert_str_eq(bl_column_text(&bl_columns[k], &run, &row, one),
                                 bl_column_text(&bl_columns[k], &no_run, &no_row, other));
        }
    }
}

Test(row, a_text_that_does_not_fit_leaves_the_column_unchanged)
{
    struct bl_run_info run = run_on("device");
    struct bl_row row = bl_row_empty();
    char text[200];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (size_t i = 0; i < BL_COLUMN_COUNT; i++)
        if (strcmp(bl_columns[i].name, "device") == 0)
            cr_assert(!bl_column_parse(&bl_columns[i], text, &run, &row));
    cr_assert_str_eq(run.device, "device");
}

Test(row, the_distance_and_the_verdict_on_the_claim_are_computed)
{
    struct bl_row row = row_of("global/2", 0.95);
    row.claim = 0.5;
    row.predicted = 1;
    row.verdict = BL_CONFIRMED;
    bl_row_conclude(&row, 0.1);
    cr_assert_float_eq(row.distance, -0.05, 1e-9);
    cr_assert_eq(row.claim_verdict, BL_REFUTED);
    row.claim = 1;
    bl_row_conclude(&row, 0.1);
    cr_assert_eq(row.claim_verdict, BL_CONFIRMED);
    row.claim = row.predicted = NAN;
    bl_row_conclude(&row, 0.1);
    cr_assert(isnan(row.distance) && row.claim_verdict == BL_NO_VERDICT);
}

Test(row, a_claim_that_is_a_range_holds_within_the_range)
{
    struct bl_row row = row_of("private/nonuniform-32", 1.0 / 16);
    row.claim = 1.0 / 24;
    row.verdict = BL_CONFIRMED;
    bl_row_conclude(&row, 0.1);
    cr_assert_eq(row.claim_verdict, BL_REFUTED);
    row.claim_to = 1.0 / 14;
    bl_row_conclude(&row, 0.1);
    cr_assert_eq(row.claim_verdict, BL_CONFIRMED);
    row.claim_to = 1.0 / 20;
    bl_row_conclude(&row, 0.1);
    cr_assert_eq(row.claim_verdict, BL_REFUTED);
}

Test(row, a_row_that_is_its_own_baseline_tests_no_prediction_and_no_claim)
{
    struct bl_row row = row_of("global/1", 1);
    row.claim = row.predicted = 1;
    row.verdict = BL_BASELINE;
    bl_row_conclude(&row, 0.1);
    cr_assert(isnan(row.distance));
    cr_assert_eq(row.claim_verdict, BL_BASELINE);
}

Test(row, without_a_rule_or_a_number_there_is_no_distance_and_no_verdict)
{
    struct bl_row row = row_of("global/2", 0.95);
    row.claim = row.predicted = 0.5;
    row.verdict = BL_NO_RULE;
    bl_row_conclude(&row, 0.1);
    cr_assert(isnan(row.distance) && row.claim_verdict == BL_NO_VERDICT);
    row = row_named("global/2");
    row.claim = row.predicted = 0.5;
    bl_row_conclude(&row, 0.1);
    cr_assert(isnan(row.distance) && row.claim_verdict == BL_NO_VERDICT);
}

Test(row, every_column_is_explained)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/results/README.md", getenv("BANKLINE_SOURCE"));
    char *text = text_of_file(path);
    for (size_t i = 0; i < BL_COLUMN_COUNT; i++) {
        char quoted[64];
        snprintf(quoted, sizeof quoted, "`%s`", bl_columns[i].name);
        cr_assert(strstr(text, quoted), "results/README.md does not explain %s", quoted);
    }
    free(text);
}
