/* JUnit XML, as GitLab and Jenkins read it, through libxml2. */
#include <libxml/parserInternals.h>
#include <libxml/xmlwriter.h>
#include <math.h>
#include <string.h>

#include "report/document_writers.h"

enum outcome { PASSED, FAILED, BROKEN, SKIPPED };

struct test_case {
    enum outcome outcome;
    char suite[128], name[512], message[768];
    double seconds;
};

/* What the suite is made of: `describe` fills in case i. */
struct suite {
    const struct bl_row *run; /* device, host and time; NULL: no row at all */
    size_t count;
    void (*describe)(const struct bl_document_content *content, size_t i, struct test_case *test);
    const struct bl_document_content *content;
};

static void describe_row(const struct bl_document_content *content, size_t i,
                         struct test_case *test)
{
    const struct bl_row *row = &content->rows[i];
    test->outcome = row->status == BL_ROW_SKIPPED || row->status == BL_ROW_UNSUPPORTED ? SKIPPED
                    : row->status > BL_ROW_UNSUPPORTED                                 ? BROKEN
                    : row->verdict == BL_REFUTED                                       ? FAILED
                                                                                       : PASSED;
    test->seconds = isfinite(row->seconds) ? row->seconds : 0;
    snprintf(test->suite, sizeof test->suite, "%s", row->suite);
    snprintf(test->name, sizeof test->name, "%s %s %s", row->case_id, row->shape, row->type);
    if (test->outcome == FAILED && isfinite(row->predicted))
        snprintf(test->message, sizeof test->message, "measured %.4f [%.4f, %.4f], predicted %.4f",
                 row->measured, row->measured_lo, row->measured_hi, row->predicted);
    else if (test->outcome == FAILED)
        snprintf(test->message, sizeof test->message,
                 "measured %.4f [%.4f, %.4f], where %s was expected", row->measured,
                 row->measured_lo, row->measured_hi, bl_direction_name(row->direction));
    else
        snprintf(test->message, sizeof test->message, "%.*s", (int)sizeof test->message - 1,
                 row->reason);
}

static void describe_compared(const struct bl_document_content *content, size_t i,
                              struct test_case *test)
{
    const struct bl_compared *row = &content->comparison->rows[i];
    const char *parts[3];
    size_t lengths[3];
    for (unsigned p = 0; p < 3; p++)
        parts[p] = bl_key_part(row->key, p, &lengths[p]);
    test->outcome = row->change == BL_CHANGE_BROKEN ? BROKEN
                    : bl_change_is_bad(row->change) ? FAILED
                    : row->after && row->after->reason
                        ? SKIPPED /* it had no number before either */
                        : PASSED;
    test->seconds = 0;
    snprintf(test->suite, sizeof test->suite, "%.*s", (int)strcspn(row->key, "/\n"), row->key);
    snprintf(test->name, sizeof test->name, "%.*s %.*s %.*s", (int)lengths[0], parts[0],
             (int)lengths[2], parts[2], (int)lengths[1], parts[1]);
    if (row->change == BL_CHANGE_SLOWER && row->before && row->after)
        snprintf(test->message, sizeof test->message,
                 "slower by %.2f %%%s: %.4f [%.4f, %.4f], before %.4f [%.4f, %.4f]", -100 * row->by,
                 row->is_absolute ? " in clocks" : "", row->after->ratio.median,
                 row->after->ratio.lo, row->after->ratio.hi, row->before->ratio.median,
                 row->before->ratio.lo, row->before->ratio.hi);
    else if (row->after && row->after->reason)
        snprintf(test->message, sizeof test->message, "%s", row->after->reason);
    else
        snprintf(test->message, sizeof test->message, "%s", bl_change_name(row->change));
}

/* Only XML's own characters, in UTF-8: '?' in place of every other character and every stray byte.
 */
static const char *clean(const char *text, char capacity[1024])
{
    size_t used = 0, left = strlen(text);
    while (left > 0 && used + 4 < 1024) {
        int length = left < 4 ? (int)left : 4;
        const int c = xmlGetUTF8Char((const unsigned char *)text, &length);
        const bool is_character = c > 0;
        const bool is_kept = is_character && c != 0x7f && c != '\r' && xmlIsCharQ((unsigned)c);
        used += (size_t)xmlCopyCharMultiByte((xmlChar *)capacity + used, is_kept ? c : '?');
        text += is_character ? length : 1;
        left -= is_character ? (size_t)length : 1;
    }
    capacity[used] = '\0';
    return capacity;
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
    char capacity[1024];
    xml->is_whole &= xmlTextWriterWriteAttribute(xml->writer, (const xmlChar *)name,
                                                 (const xmlChar *)clean(value, capacity)) >= 0;
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

static void write_suite(struct xml *xml, const struct suite *suite)
{
    size_t counts[4] = {0};
    double seconds = 0;
    struct test_case test;
    for (size_t i = 0; i < suite->count; i++) {
        suite->describe(suite->content, i, &test);
        counts[test.outcome]++;
        seconds += test.seconds;
    }
    begin_element(xml, "testsuite");
    attribute(xml, "name", suite->run ? suite->run->device : "bankline");
    count_attribute(xml, "tests", suite->count);
    count_attribute(xml, "failures", counts[FAILED]);
    count_attribute(xml, "errors", counts[BROKEN]);
    count_attribute(xml, "skipped", counts[SKIPPED]);
    time_attribute(xml, seconds);
    if (suite->run && strlen(suite->run->time_utc) > 1) { /* the format has no time zone: UTC */
        char stamp[32];
        snprintf(stamp, sizeof stamp, "%.*s", (int)strcspn(suite->run->time_utc, "Z"),
                 suite->run->time_utc);
        attribute(xml, "timestamp", stamp);
        attribute(xml, "hostname", suite->run->host);
    }
    for (size_t i = 0; i < suite->count; i++) {
        suite->describe(suite->content, i, &test);
        write_case(xml, &test);
    }
    end_element(xml);
}

static enum bl_status write_document(FILE *file, const struct suite *suite, struct bl_error *error)
{
    xmlBufferPtr buffer = xmlBufferCreate();
    xmlTextWriterPtr writer = buffer ? xmlNewTextWriterMemory(buffer, 0) : NULL;
    if (!writer) {
        xmlBufferFree(buffer);
        return bl_fail(error, BL_NO_MEMORY, "no memory for the XML");
    }
    struct xml xml = {writer, xmlTextWriterSetIndent(writer, 1) >= 0};
    xml.is_whole &= xmlTextWriterStartDocument(writer, NULL, "UTF-8", NULL) >= 0;
    begin_element(&xml, "testsuites");
    write_suite(&xml, suite);
    xml.is_whole &= xmlTextWriterEndDocument(writer) >= 0;
    xmlFreeTextWriter(writer);
    if (xml.is_whole)
        fwrite(xmlBufferContent(buffer), 1, (size_t)xmlBufferLength(buffer), file);
    xmlBufferFree(buffer);
    return xml.is_whole ? BL_OK : bl_fail(error, BL_NO_MEMORY, "no memory for the XML");
}

enum bl_status bl_write_junit(FILE *file, const struct bl_document_content *content,
                              struct bl_error *error)
{
    const struct suite suite = {content->count ? &content->rows[0] : NULL, content->count,
                                describe_row, content};
    return write_document(file, &suite, error);
}

enum bl_status bl_write_comparison_junit(FILE *file, const struct bl_document_content *content,
                                         struct bl_error *error)
{
    const struct suite suite = {&content->comparison->after->about, content->comparison->count,
                                describe_compared, content};
    return write_document(file, &suite, error);
}
