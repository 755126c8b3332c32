/* `bankline history why`: the first screen about a run that is worse than the ones before it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/history_actions.h"
#include "history/typical.h"
#include "history/why.h"
#include "report/layout.h"

/* A measurement, and what the history has in its place. */
struct compared_run {
    struct bl_run_rows now, typical;
    struct bl_comparison comparison;
};

/* The parts of the answer; freed by why_free. */
struct why {
    struct compared_run first, again;
    struct bl_cause_evidence evidence;
    struct bl_diagnosis diagnosis;
    const struct bl_compared *slowest; /* NULL: no row is slower */
    struct bl_row_since since;         /* of that row */
    char changed[512];
};

static void run_free(struct compared_run *run)
{
    bl_comparison_free(&run->comparison);
    bl_run_free(&run->now);
    bl_run_free(&run->typical);
}

static void why_free(struct why *why)
{
    bl_diagnosis_free(&why->diagnosis);
    run_free(&why->first);
    run_free(&why->again);
    free(why);
}

/* Compares a run with every second one of the history's last runs, as a night does: the second
 * measurement with the others than the first. */
static enum bl_status compare(struct bl_history *history, const char *path, unsigned part,
                              const struct bl_history_settings *settings, struct compared_run *run,
                              struct bl_error *error)
{
    const struct bl_typical_settings wanted = {settings->runs, settings->change.threshold, part};
    struct bl_history_basis basis;
    enum bl_status status = bl_run_read(path, &run->now, error);
    if (status == BL_OK)
        status = bl_history_typical(history, &run->now, &wanted, &run->typical, &basis, error);
    run->comparison = (struct bl_comparison){.before = &run->typical,
                                             .after = &run->now,
                                             .names = {"the history", path},
                                             .comparing = {.threshold = settings->change.threshold,
                                                           .knows_spread = true,
                                                           .requires_all = true}};
    return status == BL_OK ? bl_compare(&run->comparison, error) : status;
}

/* The lines of a file, joined. */
static enum bl_status read_changed(const char *path, char text[512], struct bl_error *error)
{
    FILE *file = fopen(path, "r");
    char line[256];
    if (!file)
        return bl_fail(error, BL_FILE_FAILED, "cannot read %s", path);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (*line)
            bl_text_add(text, 512, "%s%s", *text ? "; " : "", line);
    }
    fclose(file);
    return BL_OK;
}

enum { MAX_CASES = 8 };

/* The cases of the worst rows, each once. */
static size_t worst_cases(const struct bl_diagnosis *diagnosis, const char *cases[MAX_CASES])
{
    size_t count = 0;
    for (size_t i = 0; i < diagnosis->bad_count && count < MAX_CASES; i++) {
        bool is_new = true;
        for (size_t k = 0; k < count; k++)
            is_new &= strcmp(cases[k], diagnosis->bad[i]->key->case_id) != 0;
        if (is_new)
            cases[count++] = diagnosis->bad[i]->key->case_id;
    }
    return count;
}

/* Since when, and whether of this card alone; then the causes once more. */
static enum bl_status ask_history(struct bl_history *history, struct why *why, double threshold,
                                  struct bl_error *error)
{
    const char *cases[MAX_CASES];
    struct bl_cause_evidence *evidence = &why->evidence;
    const struct bl_diagnosis *diagnosis = &why->diagnosis;
    const size_t count = worst_cases(diagnosis, cases);
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < diagnosis->bad_count && !why->slowest; i++)
        if (diagnosis->bad[i]->change == BL_CHANGE_SLOWER)
            why->slowest = diagnosis->bad[i];
    if (why->slowest)
        status = bl_history_row_since(history, &why->first.now.info, why->slowest->key, threshold,
                                      &why->since, error);
    if (why->since.runs > 0)
        evidence->before = &why->since.before;
    if (status == BL_OK && count > 0)
        status = bl_history_is_odd_card(history, &why->first.now.info, cases, count,
                                        &evidence->is_odd_card, &evidence->cards, error);
    if (status != BL_OK || (!evidence->before && !evidence->is_odd_card))
        return status;
    bl_diagnosis_free(&why->diagnosis);
    return bl_diagnose(evidence, &why->diagnosis, error);
}

static enum bl_status find_out(struct bl_history *history, struct why *why,
                               const struct bl_history_settings *settings, const char *path,
                               struct bl_error *error)
{
    struct bl_cause_evidence *evidence = &why->evidence;
    enum bl_status status = compare(history, path, 1, settings, &why->first, error);
    if (status == BL_OK && settings->again)
        status = compare(history, settings->again, 2, settings, &why->again, error);
    if (status == BL_OK && settings->changed)
        status = read_changed(settings->changed, why->changed, error);
    evidence->comparison = &why->first.comparison;
    evidence->again = settings->again ? &why->again.comparison : NULL;
    evidence->changed = why->changed;
    if (status == BL_OK)
        status = bl_history_later_run(history, &why->first.now.info, evidence->later_run, error);
    if (status == BL_OK)
        status = bl_diagnose(evidence, &why->diagnosis, error);
    return status == BL_OK ? ask_history(history, why, settings->change.threshold, error) : status;
}

/* A paragraph behind a word of its own. */
static void say(const struct bl_view *view, const char *word, const char *text)
{
    bl_print(stdout, "%-8s", word);
    bl_put_paragraph(stdout, 8, 8, view->width, "%s", text);
}

static void say_what(const struct why *why, const struct bl_view *view)
{
    const struct bl_diagnosis *diagnosis = &why->diagnosis;
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
    if (!*text)
        bl_text_add(text, sizeof text,
                    "no row is slower, missing or broken; %zu of %zu are unclear",
                    why->first.comparison.counts[BL_CHANGE_UNCLEAR], why->first.comparison.count);
    const struct bl_compared *slowest = why->slowest;
    if (slowest && slowest->is_absolute)
        bl_text_add(text, sizeof text, ": %s %s %s by %.1f %% in its own time (%.4g -> %.4g ns)",
                    slowest->key->case_id, slowest->key->shape, slowest->key->type,
                    -100 * slowest->by, slowest->before->case_ns, slowest->after->case_ns);
    else if (slowest)
        bl_text_add(text, sizeof text, ": %s %s %s by %.1f %% (%.4f -> %.4f)",
                    slowest->key->case_id, slowest->key->shape, slowest->key->type,
                    -100 * slowest->by, slowest->before->measured, slowest->after->measured);
    if (diagnosis->slower > 1)
        bl_text_add(text, sizeof text, ", and by %.1f %% in the median of them%s",
                    -100 * diagnosis->median_by, diagnosis->common);
    say(view, "what", text);
}

static void say_causes(const struct why *why, const struct bl_view *view)
{
    enum { MOST = 3 };
    for (size_t i = 0; i < why->diagnosis.cause_count && i < MOST; i++)
        say(view, i == 0 ? "cause" : "or", why->diagnosis.causes[i].text);
}

/* Since when, of the row that got slowest. */
static void say_since(const struct why *why, const struct bl_view *view)
{
    const struct bl_row_since *since = &why->since;
    char text[512];
    if (since->runs > 1)
        snprintf(text, sizeof text, "%s, for %zu runs", since->first, since->runs);
    else
        snprintf(text, sizeof text, "this run, %s", why->first.now.info.time_utc);
    if (since->runs > 0)
        bl_text_add(text, sizeof text, "; the run before: %s, driver %.80s", since->before.time_utc,
                    since->before.driver);
    say(view, "since", text);
}

static void say_how_sure(const struct why *why, const struct bl_view *view)
{
    const struct bl_diagnosis *diagnosis = &why->diagnosis;
    double certainty = NAN;
    char text[512];
    for (size_t i = 0; i < diagnosis->bad_count; i++)
        certainty = fmax(certainty, bl_certainty(diagnosis->bad[i]));
    const char *twice = why->evidence.again ? "; so it was when measured again" : "; measured once";
    if (isfinite(certainty))
        snprintf(text, sizeof text,
                 "%.1f times the change that 95 %% of unchanged rows stay below%s", certainty,
                 twice);
    else
        snprintf(text, sizeof text, "certain: there is no number%s", twice);
    say(view, "sure", text);
}

/* What is known about why the run is worse. */
static void say_evidence(const struct why *why, const struct bl_view *view)
{
    const char *differences = why->diagnosis.differences;
    say_causes(why, view);
    say_since(why, view);
    if (why->diagnosis.bad_count > 0)
        say_how_sure(why, view);
    say(view, "changed", *differences ? differences : "nothing that runs record");
}

/* Writes a word behind a blank, quoted for a shell. */
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

/* The one command to run next. */
static void say_next(const struct why *why, const struct bl_history_settings *settings,
                     const char *path, const struct bl_view *view)
{
    const struct bl_diagnosis *diagnosis = &why->diagnosis;
    const enum bl_next next = diagnosis->causes[0].next;
    const char *worst = diagnosis->bad_count > 0 ? diagnosis->bad[0]->key->case_id : NULL;
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
    bl_text_add(command, sizeof command, " %s", is_of_file ? "history compare" : actions[next]);
    put_word(command, sizeof command, is_of_file ? path : worst);
    if (strncmp(command, "bankline run", 12) == 0) {
        bl_text_add(command, sizeof command, " --compare");
        put_word(command, sizeof command, path);
    } else if (settings->db) {
        bl_text_add(command, sizeof command, " --db");
        put_word(command, sizeof command, settings->db);
    }
    bl_print(stdout, "%-8s%s\n", "next", command);
    if (next == BL_NEXT_LOAD && !is_of_file) {
        fputs("        ", stdout);
        bl_put_paragraph(stdout, 8, 8, view->width,
                         "rows that are faster then were slow because of the load");
    }
}

enum bl_status bl_history_do_why(struct bl_history *history,
                                 const struct bl_history_settings *settings,
                                 const struct bl_arguments *arguments, struct bl_error *error)
{
    const char *path = arguments->words[0];
    const struct bl_view view = bl_view_of_terminal(false);
    struct why *why = calloc(1, sizeof *why);
    if (!why)
        return bl_fail(error, BL_NO_MEMORY, "no memory for %s", path);
    enum bl_status status = find_out(history, why, settings, path, error);
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
    why_free(why);
    return status;
}
