/* `bankline history why`: prints why a run is worse than the runs before it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/history_actions.h"
#include "history/why.h"
#include "report/layout.h"

/* Prints a heading, which is one word, and a paragraph to its right. */
static void say(const struct bl_view *view, const char *word, const char *text)
{
    bl_print(stdout, "%-8s", word);
    bl_put_paragraph(stdout, 8, 8, view->width, "%s", text);
}

static void say_what(const struct bl_why *why, const struct bl_view *view)
{
    const struct bl_diagnosis *diagnosis = &why->diagnosis;
    const struct bl_comparison *comparison = &why->first.comparison;
    const size_t not_asked = comparison->counts[BL_CHANGE_NOT_ASKED],
                 kernels = comparison->counts[BL_CHANGE_KERNEL];
    char text[1024] = "";
    const struct {
        size_t count;
        const char *word;
    } counts[] = {{diagnosis->slower, "slower"},
                  {diagnosis->broken, "without a number now"},
                  {diagnosis->missing, "missing"}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (counts[i].count > 0)
            bl_text_add(text, sizeof text, "%s%zu row%s %s", *text ? ", " : "", counts[i].count,
                        bl_plural(counts[i].count), counts[i].word);
    if (!*text && why->first.typical.count == 0)
        bl_text_add(text, sizeof text,
                    "the history has no earlier run of %s: nothing to compare with",
                    why->first.now.info.device);
    else if (!*text)
        bl_text_add(text, sizeof text,
                    "no row is slower, missing or broken; %zu of %zu are unclear",
                    comparison->counts[BL_CHANGE_UNCLEAR], comparison->count - not_asked);
    if (diagnosis->bad_count == 0 && kernels > 0)
        bl_text_add(text, sizeof text, "; %zu cannot be compared, because their kernels changed",
                    kernels);
    const struct bl_compared *slowest = why->slowest;
    if (slowest && slowest->is_absolute)
        bl_text_add(text, sizeof text, ": %s %s %s by %.1f %% (own speed; time: %.4g -> %.4g ns)",
                    slowest->key->case_id, slowest->key->shape, slowest->key->type,
                    -100 * slowest->by, slowest->before->case_ns, slowest->after->case_ns);
    else if (slowest)
        bl_text_add(text, sizeof text, ": %s %s %s by %.1f %% (%.4f -> %.4f)",
                    slowest->key->case_id, slowest->key->shape, slowest->key->type,
                    -100 * slowest->by, slowest->before->measured, slowest->after->measured);
    if (diagnosis->slower > 1)
        bl_text_add(text, sizeof text, "; the median of these rows by %.1f %%%s",
                    -100 * diagnosis->median_by, diagnosis->common);
    if (not_asked > 0)
        bl_text_add(text, sizeof text, "; %zu row%s not asked for", not_asked,
                    not_asked == 1 ? " was" : "s were");
    say(view, "what", text);
}

static void say_causes(const struct bl_why *why, const struct bl_view *view)
{
    enum { MOST = 3 };
    for (size_t i = 0; i < why->diagnosis.cause_count && i < MOST; i++)
        say(view, i == 0 ? "cause" : "or", why->diagnosis.causes[i].text);
}

/* Prints since when the slowest row, or if no row is slower the worst row, has been worse. */
static void say_since(const struct bl_why *why, const struct bl_view *view)
{
    const struct bl_row_since *since = &why->since;
    char text[512];
    if (since->runs > 1)
        snprintf(text, sizeof text, "%s, for %zu runs", since->first, since->runs);
    else
        snprintf(text, sizeof text, "this run, %s", why->first.now.info.time_utc);
    if (since->runs > 0)
        bl_text_add(text, sizeof text,
                    "; the run before: %s, driver "
                    "%.80s",
                    since->before.time_utc, since->before.driver);
    say(view, "since", text);
}

static void say_how_sure(const struct bl_why *why, const struct bl_view *view)
{
    const struct bl_diagnosis *diagnosis = &why->diagnosis;
    double certainty = NAN;
    char text[512];
    for (size_t i = 0; i < diagnosis->bad_count; i++)
        certainty = fmax(certainty, bl_certainty(diagnosis->bad[i]));
    const char *twice = why->evidence.again ? "; confirmed by a second "
                                              "measurement"
                                            : "; measured once";
    if (isfinite(certainty))
        snprintf(text, sizeof text,
                 "the change is %.1f times the limit that 95 %% of unchanged rows stay below%s",
                 certainty, twice);
    else
        snprintf(text, sizeof text, "certain: there is no number%s", twice);
    say(view, "sure", text);
}

/* Prints likely causes, when the change began, how certain it is, and what else changed. */
static void say_evidence(const struct bl_why *why, const struct bl_view *view)
{
    const char *differences = why->diagnosis.differences;
    say_causes(why, view);
    say_since(why, view);
    if (why->diagnosis.bad_count > 0)
        say_how_sure(why, view);
    say(view, "changed", *differences ? differences : "nothing that runs record");
}

/* Appends a blank and a word, quoted for a shell. */
static void put_word(char *command, size_t size, const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=+-";
    if (*word && word[strspn(word, plain)] == '\0') {
        bl_text_add(command, size, " %s", word);
        return;
    }
    bl_text_add(command, size, " '");
    for (; *word; word++)
        bl_text_add(command, size, "%s", *word == '\'' ? "'\\''" : (char[]){*word, '\0'});
    bl_text_add(command, size, "'");
}

/* Prints the one command to run next. */
static void say_next(const struct bl_why *why, const struct bl_history_settings *settings,
                     const char *path, const struct bl_view *view)
{
    const struct bl_diagnosis *diagnosis = &why->diagnosis;
    const enum bl_next next = diagnosis->causes[0].next;
    const struct bl_row_key *key = diagnosis->causes[0].key;
    if (!key && diagnosis->bad_count > 0)
        key = diagnosis->bad[0]->key;
    const char *worst = key ? key->case_id : NULL;
    static const char *const actions[] = {[BL_NEXT_SINCE] = "history since",
                                          [BL_NEXT_MEASURE] = "run",
                                          [BL_NEXT_CARDS] = "history outliers",
                                          [BL_NEXT_CLOCK] = "history show",
                                          [BL_NEXT_LOAD] = "run",
                                          [BL_NEXT_COMPARE] = "history compare"};
    char command[4096] = "bankline";
    if (next == BL_NEXT_DATE) {
        puts("next    date -u");
        return;
    }
    const bool is_of_file = next == BL_NEXT_COMPARE || !worst;
    const bool is_run = !is_of_file && (next == BL_NEXT_LOAD || next == BL_NEXT_MEASURE);
    bl_text_add(command, sizeof command, " %s", is_of_file ? "history compare" : actions[next]);
    put_word(command, sizeof command, is_of_file ? path : worst);
    if (is_run && next == BL_NEXT_LOAD) { /* not for BL_NEXT_MEASURE: the run in `path` has no
                                             numbers for those rows */
        bl_text_add(command, sizeof command, " --compare");
        put_word(command, sizeof command, path);
    } else if (!is_run && settings->db) {
        bl_text_add(command, sizeof command, " --db");
        put_word(command, sizeof command, settings->db);
    }
    bl_print(stdout, "%-8s%s\n", "next", command);
    if (next == BL_NEXT_LOAD && !is_of_file) {
        fputs("        ", stdout);
        bl_put_paragraph(stdout, 8, 8, view->width,
                         "rows that are faster in the new run were slowed down by other load");
    }
}

enum bl_status bl_history_do_why(struct bl_history *history,
                                 const struct bl_history_settings *settings,
                                 const struct bl_arguments *arguments, struct bl_error *error)
{
    const char *path = arguments->words[0];
    const struct bl_view view = bl_view_of_terminal(false);
    struct bl_why *why = calloc(1, sizeof *why);
    if (!why)
        return bl_fail(error, BL_NO_MEMORY, "out of memory for %s", path);
    const struct bl_why_settings wanted = {.runs = settings->runs,
                                           .threshold = settings->change.threshold,
                                           .requires_all = settings->change.requires_all,
                                           .again = settings->again,
                                           .changed = settings->changed};
    enum bl_status status = bl_history_find_why(history, path, &wanted, why, error);
    if (status == BL_OK) {
        const struct bl_diagnosis *diagnosis = &why->diagnosis;
        const bool is_bad = diagnosis->bad_count > 0 || *why->evidence.later_run;
        say_what(why, &view);
        if (is_bad)
            say_evidence(why, &view);
        say_next(why, settings, path, &view);
        if (is_bad)
            status = bl_fail(error, BL_BAD_NEWS, "%zu slower, %zu missing, %zu broken",
                             diagnosis->slower, diagnosis->missing, diagnosis->broken);
    }
    bl_why_free(why);
    free(why);
    return status;
}
