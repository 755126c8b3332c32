/* Tests the number of consecutive runs in which a row was unclear, in simulated comparisons and in
 * a history. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "history/database.h"
#include "history/typical.h"
#include "rows.h"

/* Returns the number of consecutive unclear runs of a row, counted up to `enough`. changes: the
 * row's change in each run, newest first, as a letter of `letters`; Z if it never had a number, or
 * a blank if the row is missing. */
static size_t runs_of(const char *changes, size_t enough)
{
    static const char letters[] = {
        [BL_CHANGE_SAME] = 'S',    [BL_CHANGE_SLOWER] = 'L',   [BL_CHANGE_FASTER] = 'F',
        [BL_CHANGE_UNCLEAR] = 'U', [BL_CHANGE_MISSING] = 'M',  [BL_CHANGE_NEW] = 'N',
        [BL_CHANGE_BROKEN] = 'B',  [BL_CHANGE_BASELINE] = 'O', [BL_CHANGE_KERNEL] = 'K'};
    struct bl_row rows[] = {row_of("a", 1), row_of("b", 1), row_of("c", 1)};
    struct bl_run_rows newest = {.rows = rows, .count = 3};
    struct bl_inconclusive unjudged[3] = {{0}};
    for (; *changes; changes++) {
        struct bl_compared compared[3] = {{.key = &rows[0].key, .change = BL_CHANGE_SAME},
                                          {.key = &rows[1].key},
                                          {.key = &rows[2].key, .change = BL_CHANGE_UNCLEAR}};
        struct bl_comparison comparison = {.rows = compared, .count = 3};
        const char *letter = memchr(letters, *changes, sizeof letters);
        if (letter) {
            compared[1].change = (enum bl_change)(letter - letters);
        } else if (*changes == 'Z') {
            compared[1].change = BL_CHANGE_SAME;
            compared[1].by = NAN;
        } else { /* the row is missing */
            compared[1] = compared[2];
            comparison.count = 2;
        }
        const size_t open = bl_inconclusive_before(&comparison, &newest, enough, unjudged);
        cr_assert_eq(open, !unjudged[1].is_over + !unjudged[2].is_over);
    }
    cr_assert_eq(unjudged[0].runs, 0, "each row is counted separately");
    cr_assert(unjudged[2].runs > 0);
    return unjudged[1].runs;
}

Test(inconclusive, runs_are_counted_back_to_the_last_run_that_judged_the_row)
{
    cr_assert_eq(runs_of("UUSUU", 9), 2);
    cr_assert_eq(runs_of("UUUU", 9), 4);
    cr_assert_eq(runs_of("SUUU", 9), 0, "the newest run judges the row");
    for (const char *judged = "SLFO"; *judged; judged++)
        cr_assert_eq(runs_of((const char[]){'U', *judged, 'U', 0}, 9), 1, "%c", *judged);
}

Test(inconclusive, runs_in_which_the_row_could_not_be_compared_are_skipped)
{
    for (const char *passed = "NBMKZ "; *passed; passed++)
        cr_assert_eq(runs_of((const char[]){'U', *passed, 'U', 'S', 0}, 9), 2, "'%c'", *passed);
}

Test(inconclusive, counting_stops_at_the_requested_number)
{
    cr_assert_eq(runs_of("UUUUUU", 4), 4);
    cr_assert_eq(runs_of("UUU", 4), 3);
}

/* Adds nights in which the interval of one row is wide (w) or narrow (n); other rows are always
 * narrow. Returns for how many consecutive runs, counted up to 4, the row was unclear at the
 * end. */
static size_t after_nights(const char *nights)
{
    enum { ROWS = 8 };
    static const double width[] = {['w'] = 0.05, ['n'] = 0.001};
    char folder[] = "/tmp/bankline-unjudged-XXXXXX", path[64], csv[64], command[64];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/h.db", folder);
    snprintf(csv, sizeof csv, "%s/night.csv", folder);
    struct bl_error error;
    struct bl_history *history;
    size_t counts[ROWS] = {0};
    cr_assert_eq(bl_history_open(path, BL_HISTORY_ADD, &history, &error), BL_OK);
    for (unsigned char night = 0; nights[night]; night++) {
        struct bl_row rows[ROWS];
        struct bl_run_info info = run_on("device");
        snprintf(info.run_id, sizeof info.run_id, "night-%02u", night);
        snprintf(info.time_utc, sizeof info.time_utc, "2026-01-%02uT02:00:00Z", night % 28 + 1u);
        for (size_t i = 0; i < ROWS; i++) {
            char id[16];
            snprintf(id, sizeof id, "case/%zu", i);
            rows[i] = row_of(id, 1);
        }
        rows[3].measured_lo = 1 - width[(unsigned char)nights[night]];
        rows[3].measured_hi = 1 + width[(unsigned char)nights[night]];
        write_rows(csv, &info, rows, ROWS);
        struct bl_run_rows now;
        struct bl_history_added added;
        cr_assert_eq(bl_run_read(csv, &now, &error), BL_OK, "%s", error.sentence);
        cr_assert_eq(bl_history_inconclusive(history, &now, 10, 0.02, 4, counts, &error), BL_OK);
        cr_assert_eq(bl_history_add(history, csv, &added, &error), BL_OK, "%s", error.sentence);
        size_t again[ROWS];
        cr_assert_eq(bl_history_inconclusive(history, &now, 10, 0.02, 4, again, &error), BL_OK);
        cr_assert_arr_eq(again, counts, sizeof counts,
                         "the result is the same once the run is in the history");
        bl_run_free(&now);
    }
    for (size_t i = 0; i < ROWS; i++)
        cr_assert(i == 3 || counts[i] == 0, "row %zu", i);
    bl_history_close(history);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
    return counts[3];
}

Test(inconclusive, a_history_gives_the_number_of_unclear_runs)
{
    cr_assert_eq(after_nights("n"), 0, "there is no earlier run");
    cr_assert_eq(after_nights("nw"), 1);
    cr_assert_eq(after_nights("nww"), 2);
    cr_assert_eq(after_nights("nwww"), 3);
    cr_assert_eq(after_nights("nwwww"), 4, "counting stops at four");
    cr_assert_eq(after_nights("nwwwwwww"), 4);
    cr_assert_eq(after_nights("nnnwwn"), 0);
    cr_assert_eq(after_nights("nnnnnnnwwwnwww"), 3,
                 "the count starts again after a night in which the row was judged");
}
