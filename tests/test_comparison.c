/* Comparisons as documents: every row is there, and what is bad is bad to other programs too. */
#include <criterion/criterion.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef BL_WITH_JANSSON
#include <jansson.h>
#endif
#ifdef BL_WITH_LIBXML2
#include <libxml/parser.h>
#endif

#include "report/document.h"

static struct bl_error error;

enum { ROWS = 8 };

static struct bl_run_row before[ROWS], after[ROWS];
static struct bl_compared rows[ROWS];
static struct bl_run_file old_run, new_run;
static struct bl_comparison comparison;

/* A row of every change, the last one in clocks, and texts that break what is not careful. */
static void make(void)
{
    static char keys[ROWS][128];
    static char reason[] = "a|b <c> \"d\", e\nline two \x80";
    for (int i = 0; i < ROWS; i++) {
        const bool last = i == BL_CHANGE_COUNT;
        snprintf(keys[i], sizeof keys[i], "%s\nint\n16x1\n16\n65536\nnvidia",
                 last ? "try/a, \"b\" | *c" : bl_change_name((enum bl_change)i));
        before[i] = after[i] =
            (struct bl_run_row){.key = keys[i], .ratio = {0.5, 0.25, 0.75, true}, .rate = 64};
        after[i].ratio.median = 0.375;
        rows[i] = (struct bl_compared){keys[i],   &before[i],
                                       &after[i], last ? BL_CHANGE_SLOWER : (enum bl_change)i,
                                       -0.25,     last};
    }
    rows[BL_CHANGE_MISSING].after = NULL;
    rows[BL_CHANGE_NEW].before = NULL;
    after[BL_CHANGE_BROKEN].reason = reason;
    rows[BL_CHANGE_MISSING].by = rows[BL_CHANGE_NEW].by = rows[BL_CHANGE_BROKEN].by = NAN;
    old_run.about = new_run.about = bl_row_empty();
    strcpy(old_run.about.driver, "1");
    strcpy(new_run.about.driver, "2");
    strcpy(new_run.about.device, "A \"B\" \\ \xff");
    comparison = (struct bl_comparison){&old_run, &new_run, rows, ROWS, 0.02};
}

TestSuite(comparison, .init = make);

static char *written(enum bl_document document)
{
    const char *library;
    if (!bl_document_is_built(document, &library))
        cr_skip_test("built without %s", library);
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    const struct bl_document_content content = {.comparison = &comparison};
    cr_assert_eq(bl_document_write(document, file, &content, &error), BL_OK, "%s", error.sentence);
    fclose(file);
    cr_assert_eq(strlen(text), size);
    return text;
}

static void has(const char *text, const char *part)
{
    cr_assert(strstr(text, part), "no %s in\n%s", part, text);
}

Test(comparison, csv_has_a_line_a_row_and_as_many_fields_in_each)
{
    char *text = written(BL_DOCUMENT_CSV);
    has(text, "\nslower,slower,int,16x1,16,65536,nvidia,-0.25,0,0.5,0.25,0.75,0.375,0.25,0.75,\n");
    has(text, "\nmissing,missing,int,16x1,16,65536,nvidia,,0,0.5,0.25,0.75,,,,\n");
    has(text, "\nnew,new,int,16x1,16,65536,nvidia,,0,,,,0.375,0.25,0.75,\n");
    has(text,
        "\nbroken,broken,int,16x1,16,65536,nvidia,,0,0.5,0.25,0.75,,,,\"a|b <c> \"\"d\"\", e\n");
    has(text, "\nslower,\"try/a, \"\"b\"\" | *c\",int,16x1,16,65536,nvidia,-0.25,1,");
    free(text);
}

Test(comparison, prometheus_counts_every_change)
{
    char *text = written(BL_DOCUMENT_PROMETHEUS);
    has(text, "bankline_change_rows{change=\"slower\",device=\"A \\\"B\\\" \\\\ ?\"} 2\n");
    has(text, "bankline_change_rows{change=\"broken\",device=\"A \\\"B\\\" \\\\ ?\"} 1\n");
    has(text, "bankline_change_ratio{case=\"faster\",type=\"int\",shape=\"16x1\",lanes=\"16\","
              "working_set_bytes=\"65536\",machine=\"nvidia\",device=");
    has(text, "} -0.25\n");
    cr_assert_null(strstr(text, "nan"));
    cr_assert_null(strchr(text, '\xff'), "not UTF-8: %s", text);
    cr_assert_eq(text[strlen(text) - 1], '\n');
    free(text);
}

Test(comparison, markdown_tells_what_changed_and_counts_the_rest)
{
    char *text = written(BL_DOCUMENT_MARKDOWN);
    has(text, "**8 rows, 1 same, 2 slower, 1 faster, 1 unclear, 1 missing, 1 new, 1 broken** "
              "(threshold 2 %)\n");
    has(text, "| slower | slower | 16x1 | int | -25.00 % | 0.5000 (0.2500 to 0.7500) | 0.3750 ");
    has(text, "| -25.00 % in clocks |");
    cr_assert_null(strstr(text, "| same"));
    cr_assert_null(strstr(text, "| unclear"));
    size_t lines = 0;
    for (const char *line = strstr(text, "| change |"); *line;
         line += strcspn(line, "\n") + 1, lines++) {
        size_t cells = 0;
        for (const char *at = line; *at != '\n'; at++)
            cells += *at == '|' && (at == line || at[-1] != '\\');
        cr_assert_eq(cells, 8, "%zu in %s", cells, line);
    }
    cr_assert_eq(lines, 2 + 6);
    free(text);
}

#ifdef BL_WITH_JANSSON
Test(comparison, json_has_both_sides_of_every_row)
{
    char *text = written(BL_DOCUMENT_JSON);
    json_t *root = json_loads(text, 0, NULL), *all = json_object_get(root, "rows");
    cr_assert_eq(json_array_size(all), ROWS, "%s", text);
    cr_assert_eq(json_integer_value(json_object_get(json_object_get(root, "changes"), "slower")),
                 2);
    cr_assert_str_eq(json_string_value(json_object_get(json_object_get(root, "before"), "driver")),
                     "1");
    json_t *missing = json_array_get(all, BL_CHANGE_MISSING);
    cr_assert(json_is_null(json_object_get(missing, "after")));
    cr_assert(json_is_null(json_object_get(missing, "by")));
    cr_assert_float_eq(json_real_value(json_object_get(json_object_get(missing, "before"), "lo")),
                       0.25, 0);
    json_t *broken = json_array_get(all, BL_CHANGE_BROKEN);
    cr_assert(json_object_get(json_object_get(broken, "after"), "reason"));
    cr_assert_eq(json_integer_value(json_object_get(broken, "working_set_bytes")), 65536);
    cr_assert(json_is_true(json_object_get(json_array_get(all, ROWS - 1), "absolute")));
    json_decref(root);
    free(text);
}
#endif

#ifdef BL_WITH_LIBXML2
Test(comparison, junit_fails_what_is_bad_and_nothing_else)
{
    char *text = written(BL_DOCUMENT_JUNIT);
    xmlDocPtr document = xmlReadMemory(text, (int)strlen(text), NULL, NULL, XML_PARSE_NOERROR);
    cr_assert_not_null(document, "%s", text);
    xmlFreeDoc(document);
    has(text, "tests=\"8\" failures=\"3\" errors=\"1\" skipped=\"0\"");
    has(text, "<failure message=\"slower by 25.00 %: 0.3750 [0.2500, 0.7500], before 0.5000 ");
    has(text, "<failure message=\"slower by 25.00 % in clocks: ");
    has(text, "<failure message=\"missing\"/>");
    has(text, "<error message=\"a|b ");
    has(text, "classname=\"faster\" name=\"faster 16x1 int\" time=\"0.000\"/>");
    has(text, "classname=\"try\" name=\"try/a, ");
    free(text);
}
#endif

Test(comparison, a_comma_decimal_locale_changes_nothing)
{
    char *plain = written(BL_DOCUMENT_CSV);
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        cr_skip_test("the locale de_DE.UTF-8 was not made: install the package 'locales'");
    char *german = written(BL_DOCUMENT_CSV);
    cr_assert_str_eq(german, plain);
    free(german);
    free(plain);
}

Test(comparison, there_is_none_for_googles_compare)
{
    const struct bl_document_content content = {.comparison = &comparison};
    cr_assert_eq(bl_document_write(BL_DOCUMENT_BENCHMARK_JSON, stdout, &content, &error), BL_USAGE);
}
