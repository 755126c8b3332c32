/* JUnit XML, as GitLab and Jenkins read it, through libxml2. */
#include <libxml/xmlwriter.h>
#include <math.h>
#include <string.h>

#include "report/document_writers.h"

enum outcome { PASSED, FAILED, BROKEN, SKIPPED };

static enum outcome outcome_of(const struct bl_row *row)
{
    if (row->status == BL_ROW_SKIPPED || row->status == BL_ROW_UNSUPPORTED)
        return SKIPPED;
    if (row->status > BL_ROW_UNSUPPORTED)
        return BROKEN;
    return row->verdict == BL_REFUTED ? FAILED : PASSED;
}

/* XML knows no control characters, and libxml2 takes UTF-8 alone: '?' in place of all else. */
static const char *clean(const char *text, char room[1024])
{
    const bool is_utf8 = xmlCheckUTF8((const xmlChar *)text);
    size_t used = 0;
    for (; *text && used + 1 < 1024; text++) {
        const unsigned char c = (unsigned char)*text;
        room[used++] = (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f || (c > 0x7f && !is_utf8)
                           ? '?' : *text;
    }
    room[used] = '\0';
    return room;
}

static void attribute(xmlTextWriterPtr writer, const char *name, const char *value)
{
    char room[1024];
    xmlTextWriterWriteAttribute(writer, (const xmlChar *)name,
                                (const xmlChar *)clean(value, room));
}

static void count_attribute(xmlTextWriterPtr writer, const char *name, size_t count)
{
    xmlTextWriterWriteFormatAttribute(writer, (const xmlChar *)name, "%zu", count);
}

static void write_row(xmlTextWriterPtr writer, const struct bl_row *row)
{
    static const char *const elements[] = {NULL, "failure", "error", "skipped"};
    char name[512], message[768];
    snprintf(name, sizeof name, "%s %s %s", row->case_id, row->shape, row->type);
    xmlTextWriterStartElement(writer, (const xmlChar *)"testcase");
    attribute(writer, "classname", row->suite);
    attribute(writer, "name", name);
    xmlTextWriterWriteFormatAttribute(writer, (const xmlChar *)"time", "%.3f",
                                      isfinite(row->seconds) ? row->seconds : 0);
    const enum outcome outcome = outcome_of(row);
    if (elements[outcome]) {
        if (outcome == FAILED && isfinite(row->predicted))
            snprintf(message, sizeof message, "measured %.4f [%.4f, %.4f], predicted %.4f",
                     row->measured, row->measured_lo, row->measured_hi, row->predicted);
        else if (outcome == FAILED)
            snprintf(message, sizeof message, "measured %.4f [%.4f, %.4f], where %s was expected",
                     row->measured, row->measured_lo, row->measured_hi,
                     bl_direction_name(row->direction));
        else
            snprintf(message, sizeof message, "%.*s", (int)sizeof message - 1, row->reason);
        xmlTextWriterStartElement(writer, (const xmlChar *)elements[outcome]);
        attribute(writer, "message", message);
        xmlTextWriterEndElement(writer);
    }
    xmlTextWriterEndElement(writer);
}

static void write_suite(xmlTextWriterPtr writer, const struct bl_row rows[], size_t count)
{
    size_t counts[4] = {0};
    double seconds = 0;
    for (size_t i = 0; i < count; i++) {
        counts[outcome_of(&rows[i])]++;
        seconds += isfinite(rows[i].seconds) ? rows[i].seconds : 0;
    }
    xmlTextWriterStartElement(writer, (const xmlChar *)"testsuite");
    attribute(writer, "name", count ? rows[0].device : "bankline");
    count_attribute(writer, "tests", count);
    count_attribute(writer, "failures", counts[FAILED]);
    count_attribute(writer, "errors", counts[BROKEN]);
    count_attribute(writer, "skipped", counts[SKIPPED]);
    xmlTextWriterWriteFormatAttribute(writer, (const xmlChar *)"time", "%.3f", seconds);
    if (count && strlen(rows[0].time_utc) > 1) { /* the format has no time zone: UTC */
        char stamp[32];
        snprintf(stamp, sizeof stamp, "%.*s", (int)strcspn(rows[0].time_utc, "Z"),
                 rows[0].time_utc);
        attribute(writer, "timestamp", stamp);
        attribute(writer, "hostname", rows[0].host);
    }
    for (size_t i = 0; i < count; i++)
        write_row(writer, &rows[i]);
    xmlTextWriterEndElement(writer);
}

enum bl_status bl_write_junit(FILE *file, const struct bl_row rows[], size_t count,
                              struct bl_error *error)
{
    xmlBufferPtr buffer = xmlBufferCreate();
    xmlTextWriterPtr writer = buffer ? xmlNewTextWriterMemory(buffer, 0) : NULL;
    if (!writer) {
        xmlBufferFree(buffer);
        return bl_fail(error, BL_NO_MEMORY, "no memory for the XML");
    }
    xmlTextWriterSetIndent(writer, 1);
    xmlTextWriterStartDocument(writer, NULL, "UTF-8", NULL);
    xmlTextWriterStartElement(writer, (const xmlChar *)"testsuites");
    write_suite(writer, rows, count);
    const bool ended = xmlTextWriterEndDocument(writer) >= 0;
    xmlFreeTextWriter(writer);
    if (ended)
        fwrite(xmlBufferContent(buffer), 1, (size_t)xmlBufferLength(buffer), file);
    xmlBufferFree(buffer);
    return ended ? BL_OK : bl_fail(error, BL_NO_MEMORY, "no memory for the XML");
}
