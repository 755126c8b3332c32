/* JUnit XML with one test case per row. All texts are in attributes. The texts are cleaned, because
 * parsers reject control characters that XML cannot represent, and bytes that are not UTF-8. */
#include "report/junit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "report/compare.h"
#include "report/fleet.h"
#include "report/layout.h"
#include "report/run.h"
#include "report/sink.h"

static enum bl_status begin(struct bl_sink *sink)
{
    sink->state = calloc(1, sizeof(struct bl_junit_suite));
    return sink->state ? BL_OK
                       : bl_fail(sink->error, BL_NO_MEMORY, "out of memory while writing the XML");
}

enum bl_status bl_junit_add(struct bl_junit_suite *suite, const struct bl_junit_case *test,
                            struct bl_error *error)
{
    struct bl_junit_case *kept =
        bl_array_append(&suite->cases, &suite->count, &suite->capacity, sizeof *kept);
    if (!kept)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while writing the XML");
    *kept = *test;
    return BL_OK;
}

static void name_case(struct bl_junit_case *test, const struct bl_row_key *key)
{
    bl_suite_of(key->case_id, test->suite);
    snprintf(test->name, sizeof test->name, "%s %s %s", key->case_id, key->shape, key->type);
}

static enum bl_status add_row(struct bl_sink *sink, const struct bl_row *row)
{
    struct bl_junit_case test = {.seconds = isfinite(row->seconds) ? row->seconds : 0};
    name_case(&test, &row->key);
    char rule[48], measured[48];
    bl_format_rule(row, rule);
    if (strcmp(test.suite, "try") == 0 && *row->level) /* `try` has a row for each level, so the
                                                          name includes the level */
        bl_text_add(test.name, sizeof test.name, " %s", row->level);
    const bool is_left_out = row->status == BL_ROW_SKIPPED || row->status == BL_ROW_UNSUPPORTED;
    test.outcome = is_left_out                  ? BL_JUNIT_SKIPPED
                   : !bl_row_has_number(row)    ? BL_JUNIT_BROKEN
                   : row->verdict == BL_REFUTED ? BL_JUNIT_FAILED
                                                : BL_JUNIT_PASSED;
    bl_format_measured(row, measured);
    if (test.outcome == BL_JUNIT_FAILED && isfinite(row->predicted))
        snprintf(test.message, sizeof test.message, "measured %s, predicted %.4f%s%s", measured,
                 row->predicted, *rule ? " by " : "", rule);
    else if (test.outcome == BL_JUNIT_FAILED)
        snprintf(test.message, sizeof test.message, "measured %s, expected %s", measured,
                 bl_direction_name(row->direction));
    else if (is_left_out)
        snprintf(test.message, sizeof test.message, "%s", row->reason);
    else
        bl_no_number_reason(row, test.message);
    return bl_junit_add(sink->state, &test, sink->error);
}

static enum bl_status add_change(struct bl_sink *sink, const struct bl_compared *row)
{
    const struct bl_row *before = row->before, *after = row->after;
    struct bl_junit_case test = {.seconds = 0};
    char texts[2][48];
    name_case(&test, row->key);
    const bool never_had_one = after && !bl_row_has_number(after);
    test.outcome = row->change == BL_CHANGE_BROKEN                       ? BL_JUNIT_BROKEN
                   : bl_change_is_bad(row->change)                       ? BL_JUNIT_FAILED
                   : never_had_one || row->change == BL_CHANGE_NOT_ASKED ? BL_JUNIT_SKIPPED
                                                                         : BL_JUNIT_PASSED;
    if (row->change == BL_CHANGE_SLOWER && before && after)
        snprintf(test.message, sizeof test.message, "slower by %.2f %%%s: %s, before %s",
                 -100 * row->by, row->is_absolute ? " (own speed, not the ratio)" : "",
                 bl_format_measured(after, texts[0]), bl_format_measured(before, texts[1]));
    else if (never_had_one)
        bl_no_number_reason(after, test.message);
    else
        snprintf(test.message, sizeof test.message, "%s", bl_change_name(row->change));
    return bl_junit_add(sink->state, &test, sink->error);
}

/* Returns the escape of a character: "?" for DEL and for a character that XML cannot represent;
 * NULL if the character needs no escape. */
static const char *escaped(const char *character, size_t bytes)
{
    if (bytes == 3 &&
        (memcmp(character, "\xEF\xBF\xBE", 3) == 0 || memcmp(character, "\xEF\xBF\xBF", 3) == 0))
        return "?";
    static const char special[] = "&<>\"\n\t";
    static const char *const instead[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#10;", "&#9;"};
    const char *found = strchr(special, *character);
    if (found)
        return instead[found - special];
    return bytes == 1 && (*character < ' ' || *character == 0x7f) ? "?" : NULL;
}

static void put_attribute(FILE *file, const char *name, const char *value)
{
    fprintf(file, " %s=\"", name);
    bl_put_escaped(file, value, escaped, "?");
    fputc('"', file);
}

static void put_case(FILE *file, const struct bl_junit_case *test)
{
    static const char *const elements[] = {NULL, "failure", "error", "skipped"};
    fputs("  <testcase", file);
    put_attribute(file, "classname", test->suite);
    put_attribute(file, "name", test->name);
    fprintf(file, " time=\"%.3f\"", test->seconds);
    if (elements[test->outcome]) {
        fprintf(file, ">\n   <%s", elements[test->outcome]);
        put_attribute(file, "message", test->message);
        fputs("/>\n  </testcase>\n", file);
    } else {
        fputs("/>\n", file);
    }
}

void bl_junit_put(FILE *file, const struct bl_junit_suite *suite, const char *name,
                  const char *time_utc, const char *host)
{
    size_t counts[4] = {0};
    double seconds = 0;
    for (size_t i = 0; i < suite->count; i++) {
        counts[suite->cases[i].outcome]++;
        seconds += suite->cases[i].seconds;
    }
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n <testsuite", file);
    put_attribute(file, "name", name);
    fprintf(file, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.3f\"",
            suite->count, counts[BL_JUNIT_FAILED], counts[BL_JUNIT_BROKEN],
            counts[BL_JUNIT_SKIPPED], seconds);
    if (strlen(time_utc) > 1) { /* without the "Z", because the format has no time zone */
        char stamp[32];
        snprintf(stamp, sizeof stamp, "%.*s", (int)strcspn(time_utc, "Z"), time_utc);
        put_attribute(file, "timestamp", stamp);
        put_attribute(file, "hostname", host);
    }
    fputs(suite->count ? ">\n" : "/>\n", file);
    for (size_t i = 0; i < suite->count; i++)
        put_case(file, &suite->cases[i]);
    fputs(suite->count ? " </testsuite>\n</testsuites>\n" : "</testsuites>\n", file);
}

static void put_run(FILE *file, const struct bl_junit_suite *suite, const struct bl_run_info *run)
{
    bl_junit_put(file, suite, run->device[0] ? run->device : "bankline", run->time_utc, run->host);
}

/* Writes a test for each card. The test fails if the card differs from the other cards, and is
 * skipped if the card could not be compared with them. */
static enum bl_status write_fleet(struct bl_sink *sink, const struct bl_fleet *fleet)
{
    struct bl_junit_suite suite = {0};
    enum bl_status status = BL_OK;
    for (size_t c = 0; c < fleet->card_count && status == BL_OK; c++) {
        const struct bl_run_info *run = &fleet->cards[c].run;
        struct bl_junit_case test = {.outcome = BL_JUNIT_PASSED};
        char text[BL_OUTLIER_TEXT];
        snprintf(test.suite, sizeof test.suite, "fleet");
        snprintf(test.name, sizeof test.name, "%.100s %.100s on %.100s", run->device,
                 run->device_id, run->host);
        const char *why = bl_fleet_why_not_compared(fleet, c);
        if (why) {
            test.outcome = BL_JUNIT_SKIPPED;
            snprintf(test.message, sizeof test.message, "could not be compared: %s", why);
        }
        for (size_t i = 0; i < fleet->outlier_count; i++)
            if (fleet->outliers[i].card == c) {
                test.outcome = BL_JUNIT_FAILED;
                bl_text_add(test.message, sizeof test.message, "%s%s", *test.message ? "; " : "",
                            bl_outlier_text(fleet, &fleet->outliers[i], text));
            }
        status = bl_junit_add(&suite, &test, sink->error);
    }
    const struct bl_run_info none = bl_run_info_empty();
    if (status == BL_OK)
        put_run(sink->stream, &suite, fleet->card_count ? &fleet->cards[0].run : &none);
    free(suite.cases);
    return status;
}

static enum bl_status end(struct bl_sink *sink, bool is_complete)
{
    struct bl_junit_suite *suite = sink->state;
    if (is_complete && suite)
        put_run(sink->stream, suite, sink->run ? sink->run : &sink->comparison->after->info);
    if (suite)
        free(suite->cases);
    free(suite);
    return BL_OK;
}

const struct bl_format bl_format_junit = {
    .name = "junit",
    .help = "write the rows as JUnit XML, with a test case for each row",
    .writes_runs = true,
    .writes_changes = true,
    .run = {begin, add_row, end},
    .changes = {begin, add_change, end},
    .fleet = write_fleet,
    .fleet_help = "write the cards as JUnit XML, with a test case for each card",
};
