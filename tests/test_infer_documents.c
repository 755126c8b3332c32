/* Tests how the findings of an inference are written as CSV and JSON. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "infer/infer.h"

static struct bl_evidence points[] = {
    {.sweep = "strides",
     .point = "stride 1",
     .x = 1,
     .measured = 1.5,
     .expected = 1,
     .error = 0.01,
     .unit = "clocks"},
    {.sweep = "strides",
     .point = "a \"quoted\", one",
     .x = NAN,
     .measured = 2,
     .expected = NAN,
     .error = NAN,
     .unit = "clocks"},
};

static const struct bl_findings findings = {
    .all = {{.key = "banks",
             .meaning = "of local memory",
             .unit = "",
             .is_known = true,
             .value = 32,
             .confidence = 0.9999,
             .basis = "strides, 2 points",
             .sweep = "strides"},
            {.key = "broadcast",
             .meaning = "",
             .unit = "",
             .kind = BL_FOUND_FLAG,
             .is_known = true,
             .value = 1,
             .confidence = 0.95,
             .basis = "b",
             .sweep = "strides"},
            {.key = "tag_masks",
             .meaning = "",
             .unit = "",
             .kind = BL_FOUND_MASKS,
             .is_known = true,
             .masks = {0x2e, 0x1b},
             .confidence = 0.99,
             .basis = "m"},
            {.key = "cache_bytes",
             .meaning = "",
             .unit = "bytes",
             .kind = BL_FOUND_AMOUNT,
             .is_known = true,
             .value = 196608,
             .lo = 190000,
             .hi = 200000.5,
             .confidence = 0.95,
             .basis = "k"},
            {.key = "lanes", .meaning = "", .unit = "", .why = "no, \"nothing\" fits"}},
    .count = 5,
    .hypotheses = {{{32, 4}, 0.96, 0.012}, {{65, 8}, 0.03, 0.5}},
    .hypothesis_count = 2,
    .hypotheses_of = "intel, made up",
    .other_probability = 0.01,
    .points = 20,
    .max_points = 56,
    .evidence = points,
    .evidence_count = 2,
};

static const struct bl_infer_origin origin = {.device = "GPU, the first",
                                              .driver = "1.2",
                                              .tool_version = "0",
                                              .time_utc = "2026-01-01T00:00:00Z",
                                              .seed = 7};

static char *written(void (*write)(FILE *file))
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    cr_assert_not_null(file);
    write(file);
    fclose(file);
    return text;
}

static void write_csv(FILE *file) { bl_findings_csv(file, &findings, &origin); }

Test(infer_documents, every_line_of_the_csv_has_every_column)
{
    char *text = written(write_csv);
    unsigned lines = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++) {
        unsigned columns = 1;
        bool quoted = false;
        for (const char *at = line; *at; at++) {
            quoted ^= *at == '"';
            columns += *at == ',' && !quoted;
        }
        cr_assert_eq(columns, 20, "%u columns in '%s'", columns, line);
    }
    cr_assert_eq(lines, 1 + 5 + 3 + 2);
    free(text);
}

Test(infer_documents, the_csv_has_values_and_intervals_and_reasons)
{
    char *text = written(write_csv);
    cr_assert_not_null(
        strstr(text, ",value,banks,32,,,,0.9999,strides,,,,,,\"strides, 2 points\"\n"));
    cr_assert_not_null(strstr(text, ",value,broadcast,yes,"));
    cr_assert_not_null(strstr(text, ",value,tag_masks,0x2e 0x1b,"));
    cr_assert_not_null(strstr(text, ",value,cache_bytes,196608,190000,200001,bytes,0.95,"));
    cr_assert_not_null(
        strstr(text, ",value,lanes,unknown,,,,,,,,,,,\"no, \"\"nothing\"\" fits\"\n"));
    cr_assert_not_null(strstr(text, ",7,hypothesis,\"intel, made up\",65x8,,,,0.03,local-reads,,,,,"
                                    "0.5,20 of 56 points\n"));
    cr_assert_not_null(strstr(text, ",none,,,,0.01,local-reads,,,,,,20 of 56 points\n"));
    cr_assert_not_null(strstr(
        text, "\"GPU, the first\",1.2,7,point,,,,,clocks,,strides,stride 1,1,1.5,1,0.01,\n"));
    free(text);
}

#ifdef BL_WITH_JANSSON
#include <jansson.h>

static void write_json(FILE *file)
{
    cr_assert_eq(bl_findings_json(file, &findings, &origin, NULL), BL_OK);
}

Test(infer_documents, the_json_has_values_and_their_evidence)
{
    char *text = written(write_json);
    json_t *root = json_loads(text, 0, NULL);
    cr_assert_not_null(root, "%s", text);
    json_t *values = json_object_get(root, "values");
    cr_assert_eq(json_array_size(values), 5);
    json_t *banks = json_array_get(values, 0), *lanes = json_array_get(values, 4);
    cr_assert_eq(json_number_value(json_object_get(banks, "value")), 32);
    cr_assert(json_is_null(json_object_get(lanes, "value")));
    cr_assert_str_eq(json_string_value(json_object_get(lanes, "why_unknown")),
                     "no, \"nothing\" fits");
    cr_assert(json_is_true(json_object_get(json_array_get(values, 1), "value")));
    cr_assert_str_eq(
        json_string_value(json_array_get(json_object_get(json_array_get(values, 2), "value"), 1)),
        "0x1b");
    json_t *hypotheses = json_object_get(root, "hypotheses");
    cr_assert_eq(json_number_value(json_object_get(hypotheses, "none_probability")), 0.01);
    json_t *second = json_array_get(json_object_get(hypotheses, "banks"), 1);
    cr_assert_eq(json_integer_value(json_object_get(second, "banks")), 65);
    cr_assert_eq(json_number_value(json_object_get(second, "probability")), 0.03);
    json_t *sweep = json_object_get(json_object_get(root, "evidence"), "strides");
    cr_assert_eq(json_array_size(sweep), 2);
    cr_assert(json_is_null(json_object_get(json_array_get(sweep, 1), "x")));
    json_decref(root);
    free(text);
}
#endif
