/* JUnit XML, as GitLab and Jenkins read it, through libxml2: a test case a row. */
#include "report/sink.h"

#ifdef BL_WITH_LIBXML2
#include <libxml/xmlwriter.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "report/layout.h"

enum outcome { PASSED, FAILED, BROKEN, SKIPPED };

struct test_case {
    enum outcome outcome;
    char suite[BL_SUITE_BYTES], name[512], message[BL_NO_NUMBER_REASON];
    double seconds;
};

/* Counts stand before the cases, so these are kept until all are known. */
struct suite {
    struct test_case *cases;
    size_t count, capacity;
};

static enum bl_status begin(struct bl_sink *sink, struct bl_error *error)
{
    sink->state = calloc(1, sizeof(struct suite));
    return sink->state ? BL_OK : bl_fail(error, BL_NO_MEMORY, "no memory for the XML");
}

static enum bl_status keep(struct suite *suite, const struct test_case *test,
                           struct bl_error *error)
{
    struct test_case *more =
        bl_array_grow(suite->cases, suite->count, &suite->capacity, sizeof *more);
    if (!more)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the XML");
    suite->cases = more;
    more[suite->count++] = *test;
    return BL_OK;
}

static void name_case(struct test_case *test, const struct bl_row_key *key)
{
    bl_suite_of(key->case_id, test->suite);
    snprintf(test->name, sizeof test->name, "%s %s %s", key->case_id, key->shape, key->type);
}

static enum bl_status add_row(struct bl_sink *sink, const struct bl_row *row,
                              struct bl_error *error)
{
    struct test_case test = {.seconds = isfinite(row->seconds) ? row->seconds : 0};
    name_case(&test, &row->key);
    char rule[48];
    bl_format_rule(row, rule);
    /* An expression has a row at each level. */
    const size_t used = strlen(test.name);
    if (strcmp(test.suite, "try") == 0 && *row->level)
        snprintf(test.name + used, sizeof test.name - used, " %s", row->level);
    const bool is_left_out = row->status == BL_ROW_SKIPPED || row->status == BL_ROW_UNSUPPORTED;
    test.outcome = is_left_out                  ? SKIPPED
                   : !bl_row_has_number(row)    ? BROKEN
                   : row->verdict == BL_REFUTED ? FAILED
                                                : PASSED;
    if (test.outcome == FAILED && isfinite(row->predicted))
        snprintf(test.message, sizeof test.message,
                 "measured %.4f [%.4f, %.4f], predicted %.4f%s%s", row->measured, row->measured_lo,
                 row->measured_hi, row->predicted, *rule ? " by " : "", rule);
    else if (test.outcome == FAILED)
        snprintf(test.message, sizeof test.message,
                 "measured %.4f [%.4f, %.4f], where %s was expected", row->measured,
                 row->measured_lo, row->measured_hi, bl_direction_name(row->direction));
    else if (is_left_out)
        snprintf(test.message, sizeof test.message, "%s", row->reason);
    else
        bl_no_number_reason(row, test.message);
    return keep(sink->state, &test, error);
}

static enum bl_status add_change(struct bl_sink *sink, const struct bl_compared *row,
                                 struct bl_error *error)
{
    const struct bl_row *before = row->before, *after = row->after;
    struct test_case test = {.seconds = 0};
    name_case(&test, row->key);
    const bool never_had_one = after && !bl_row_has_number(after);
    test.outcome = row->change == BL_CHANGE_BROKEN ? BROKEN
                   : bl_change_is_bad(row->change) ? FAILED
                   : never_had_one                 ? SKIPPED
                                                   : PASSED;
    if (row->change == BL_CHANGE_SLOWER && before && after)
        snprintf(test.message, sizeof test.message,
                 "slower by %.2f %%%s: %.4f [%.4f, %.4f], before %.4f [%.4f, %.4f]", -100 * row->by,
                 row->is_absolute ? " in its own time" : "", after->measured, after->measured_lo,
                 after->measured_hi, before->measured, before->measured_lo, before->measured_hi);
    else if (never_had_one)
        bl_no_number_reason(after, test.message);
    else
        snprintf(test.message, sizeof test.message, "%s", bl_change_name(row->change));
    return keep(sink->state, &test, error);
}

/* Only XML's own characters, in UTF-8: '?' in place of every other one and every stray byte. */
static const char *clean(const char *text, char buffer[1024])
{
    size_t used = 0;
    for (size_t left = strlen(text), taken; left > 0 && used + 4 < 1024;
         text += taken, left -= taken) {
        const size_t length = bl_utf8_character(text, left);
        const unsigned char first = (unsigned char)*text;
        const bool is_control = (first < 0x20 && first != '\t' && first != '\n') || first == 0x7f;
        const bool is_no_character = length == 3 && (memcmp(text, "\xEF\xBF\xBE", 3) == 0 ||
                                                     memcmp(text, "\xEF\xBF\xBF", 3) == 0);
        taken = length > 0 ? length : 1;
        if (length > 0 && !is_control && !is_no_character) {
            memcpy(buffer + used, text, length);
            used += length;
        } else {
            buffer[used++] = '?';
        }
    }
    buffer[used] = '\0';
    return buffer;
}

/* The writer, and whether all that it was given is in its buffer. */
struct xml {
    xmlTextWriterPtr writer;
    bool is_whole;
};

static void begin_element(struct xml *xml, const char *name)
{
    xml->is_whole &= xmlTextWriterStartElement(xml->writer, (const xmlChar *)name) >= 0;
}

static void end_element(struct xml *xml)
{
    xml->is_whole &= xmlTextWriterEndElement(xml->writer) >= 0;
}

static void attribute(struct xml *xml, const char *name, const char *value)
{
    char buffer[1024];
    xml->is_whole &= xmlTextWriterWriteAttribute(xml->writer, (const xmlChar *)name,
                                                 (const xmlChar *)clean(value, buffer)) >= 0;
}

static void count_attribute(struct xml *xml, const char *name, size_t count)
{
    char text[24];
    snprintf(text, sizeof text, "%zu", count);
    attribute(xml, name, text);
}

static void time_attribute(struct xml *xml, double seconds)
{
    char text[40];
    snprintf(text, sizeof text, "%.3f", seconds);
    attribute(xml, "time", text);
}

static void write_case(struct xml *xml, const struct test_case *test)
{
    static const char *const elements[] = {NULL, "failure", "error", "skipped"};
    begin_element(xml, "testcase");
    attribute(xml, "classname", test->suite);
    attribute(xml, "name", test->name);
    time_attribute(xml, test->seconds);
    if (elements[test->outcome]) {
        begin_element(xml, elements[test->outcome]);
        attribute(xml, "message", test->message);
        end_element(xml);
    }
    end_element(xml);
}

static void write_suite(struct xml *xml, const struct suite *suite, const struct bl_run_info *run)
{
    size_t counts[4] = {0};
    double seconds = 0;
    for (size_t i = 0; i < suite->count; i++) {
        counts[suite->cases[i].outcome]++;
        seconds += suite->cases[i].seconds;
    }
    begin_element(xml, "testsuite");
    attribute(xml, "name", run->device[0] ? run->device : "bankline");
    count_attribute(xml, "tests", suite->count);
    count_attribute(xml, "failures", counts[FAILED]);
    count_attribute(xml, "errors", counts[BROKEN]);
    count_attribute(xml, "skipped", counts[SKIPPED]);
    time_attribute(xml, seconds);
    if (strlen(run->time_utc) > 1) { /* the format has no time zone: UTC */
        char stamp[32];
        snprintf(stamp, sizeof stamp, "%.*s", (int)strcspn(run->time_utc, "Z"), run->time_utc);
        attribute(xml, "timestamp", stamp);
        attribute(xml, "hostname", run->host);
    }
    for (size_t i = 0; i < suite->count; i++)
        write_case(xml, &suite->cases[i]);
    end_element(xml);
}

static bool write_document(FILE *file, const struct suite *suite, const struct bl_run_info *run)
{
    xmlBufferPtr buffer = xmlBufferCreate();
    xmlTextWriterPtr writer = buffer ? xmlNewTextWriterMemory(buffer, 0) : NULL;
    struct xml xml = {writer, writer && xmlTextWriterSetIndent(writer, 1) >= 0};
    if (writer) {
        xml.is_whole &= xmlTextWriterStartDocument(writer, NULL, "UTF-8", NULL) >= 0;
        begin_element(&xml, "testsuites");
        write_suite(&xml, suite, run);
        xml.is_whole &= xmlTextWriterEndDocument(writer) >= 0;
        xmlFreeTextWriter(writer);
    }
    if (xml.is_whole)
        fwrite(xmlBufferContent(buffer), 1, (size_t)xmlBufferLength(buffer), file);
    xmlBufferFree(buffer);
    return xml.is_whole;
}

/* A test for each card; what differs fails it. */
static enum bl_status write_fleet(struct bl_sink *sink, const struct bl_fleet *fleet,
                                  struct bl_error *error)
{
    struct suite suite = {0};
    enum bl_status status = BL_OK;
    for (size_t c = 0; c < fleet->card_count && status == BL_OK; c++) {
        const struct bl_run_info *run = &fleet->cards[c].run;
        struct test_case test = {.outcome = PASSED};
        char text[BL_OUTLIER_TEXT];
        size_t used = 0;
        snprintf(test.suite, sizeof test.suite, "fleet");
        snprintf(test.name, sizeof test.name, "%.100s %.100s on %.100s", run->device,
                 run->device_id, run->host);
        for (size_t i = 0; i < fleet->outlier_count && used < sizeof test.message; i++)
            if (fleet->outliers[i].card == c) {
                test.outcome = FAILED;
                used += (size_t)snprintf(test.message + used, sizeof test.message - used, "%s%s",
                                         used ? "; " : "",
                                         bl_outlier_text(fleet, &fleet->outliers[i], text));
            }
        status = keep(&suite, &test, error);
    }
    const struct bl_run_info none = bl_run_info_empty();
    if (status == BL_OK &&
        !write_document(sink->stream, &suite, fleet->card_count ? &fleet->cards[0].run : &none))
        status = bl_fail(error, BL_NO_MEMORY, "no memory for the XML");
    free(suite.cases);
    return status;
}

static enum bl_status end(struct bl_sink *sink, bool is_complete, struct bl_error *error)
{
    struct suite *suite = sink->state;
    const bool is_written =
        !is_complete || !suite ||
        write_document(sink->stream, suite, sink->run ? sink->run : &sink->comparison->after->info);
    if (suite)
        free(suite->cases);
    free(suite);
    return is_written ? BL_OK : bl_fail(error, BL_NO_MEMORY, "no memory for the XML");
}
#endif

const struct bl_format bl_format_junit = {
    .name = "junit",
    .help = "write the rows as JUnit XML, a test case each",
    .writes_runs = true,
    .writes_changes = true,
#ifdef BL_WITH_LIBXML2
    .run = {begin, add_row, end},
    .changes = {begin, add_change, end},
    .fleet = write_fleet,
    .fleet_help = "write JUnit XML, a test case each card",
#else
    .lacks = "libxml2",
#endif
};
