/* Tests how a run is written as JUnit XML. If libxml2 is installed, it must be able to parse the
 * file, whatever text the rows contain. */
#if __has_include(<libxml/parser.h>)
#include <libxml/parser.h>
#endif

#include "rows.h"

static struct bl_run_info run;

/* The JUnit XML of `count` rows, checked with libxml2 if it is installed; the caller frees the
 * text. */
static char *junit_of(const struct bl_row rows[], size_t count)
{
    char *text = written("junit", &run, rows, count, NULL);
#if __has_include(<libxml/parser.h>)
    xmlDocPtr document = xmlReadMemory(text, (int)strlen(text), NULL, NULL, XML_PARSE_NOERROR);
    cr_assert_not_null(document, "%s", text);
    xmlFreeDoc(document);
#endif
    return text;
}

static struct bl_row refuted(const char *case_id)
{
    struct bl_row row = row_named(case_id);
    row.verdict = BL_REFUTED;
    row.measured = 0.25;
    row.measured_lo = 0.125;
    row.measured_hi = 0.5;
    return row;
}

Test(junit, every_row_is_written_as_a_test_case_with_an_outcome)
{
    struct bl_row rows[6];
    rows[0] = row_named("local/0");
    rows[0].verdict = BL_CONFIRMED;
    rows[0].measured = 1;
    rows[0].seconds = 1.25;
    rows[1] = refuted("local/1");
    rows[1].predicted = 1;
    rows[2] = row_named("local/2");
    rows[2].status = BL_ROW_ERROR;
    strcpy(rows[2].reason, "a|b <c> \"d\"\nline two \x80");
    rows[3] = row_named("try/get_global_id(0) | 1 < \"2\" & *p");
    rows[3].status = BL_ROW_UNSUPPORTED;
    strcpy(rows[3].reason, "too large");
    rows[4] = refuted("local/4"); /* the document claims only 'faster', without a number */
    rows[4].direction = BL_FASTER;
    rows[5] = row_named("local/5");
    rows[5].status = BL_ROW_SKIPPED;
    run = run_on("A & <B>");
    strcpy(run.time_utc, "2026-01-02T03:04:05Z");
    strcpy(run.host, "lab");
    char *text = junit_of(rows, 6);
    has(text, "<testsuite name=\"A &amp; &lt;B&gt;\" tests=\"6\" failures=\"2\" "
              "errors=\"1\" "
              "skipped=\"2\" time=\"1.250\" timestamp=\"2026-01-02T03:04:05\" "
              "hostname=\"lab\">");
    has(text, "classname=\"local\" name=\"local/0 16x1 int\" time=\"1.250\"/>");
    has(text, "<failure message=\"measured 0.2500 [0.1250, 0.5000], predicted "
              "1.0000\"/>");
    has(text, "<failure message=\"measured 0.2500 [0.1250, 0.5000], expected faster\"/>");
    has(text, "<error message=\"error: a|b &lt;c&gt; &quot;d&quot;&#10;line two ?\"/>");
    has(text, "name=\"try/get_global_id(0) | 1 &lt; &quot;2&quot; &amp; *p 16x1 int\"");
    has(text, "<skipped message=\"too large\"/>");
    free(text);
}

Test(junit, a_run_without_rows_or_without_a_time_can_be_written)
{
    char *text = junit_of(NULL, 0);
    has(text, "<testsuite name=\"bankline\" tests=\"0\" failures=\"0\"");
    cr_assert_null(strstr(text, "timestamp"));
    free(text);
    const struct bl_row row = row_named("local/1");
    text = junit_of(&row, 1);
    has(text, "tests=\"1\"");
    cr_assert_null(strstr(text, "timestamp"), "%s", text);
    free(text);
}

Test(junit, only_characters_that_xml_allows_are_written)
{
    static const struct {
        const char *reason, *message;
    } cases[] = {
        {"\xE2\x82\xAC \xF0\x9F\x99\x82 \t", "\"\xE2\x82\xAC \xF0\x9F\x99\x82 &#9;\""},
        {"\xEF\xBF\xBF, \xEF\xBF\xBE", "\"?, ?\""}, /* U+FFFF, U+FFFE */
        {"\xED\xA0\x80.", "\"???.\""},              /* half of a surrogate pair */
        {"\xF4\x90\x80\x80.", "\"????.\""},         /* beyond U+10FFFF */
        {"\x1b[1m\x7f\r\x01", "\"?[1m???\""},
        {"\xE2\x82\xAC \xE2\x82", "\"\xE2\x82\xAC ??\""}, /* an incomplete character at the end */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bl_row row = row_named("local/1");
        row.status = BL_ROW_ERROR;
        strcpy(row.reason, cases[i].reason);
        char *text = junit_of(&row, 1);
        char *wanted = NULL;
        cr_assert_geq(asprintf(&wanted, "\"error: %s", cases[i].message + 1), 0);
        has(text, wanted);
        free(wanted);
        free(text);
    }
}
