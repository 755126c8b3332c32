/* Tests the search for cards that differ from the other cards of their model: how often it names a
 * healthy card by chance, and which deviating cards it finds. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/sample.h"
#include "measure/stats.h"
#include "simulated_fleet.h"

enum { CARDS = 1000, NOBODY = 1000000 };

static const struct bl_outlier_search usual = {.least = 0.02, .least_speed = 0.05};
static const struct simulated_fleet healthy = {
    .cards = CARDS,
    .spread = 0.0012, /* the spread between four H200s was 0.11 % */
    .clocks = 0.08,
    .odd_row_card = NOBODY,
    .slow_card = NOBODY};

Test(outliers, quantiles_are_those_of_students_t)
{
    /* from tables of Student's t, for two-sided probabilities */
    cr_expect_float_eq(bl_student_quantile(0.05, 3), 3.182446, 1e-5);
    cr_expect_float_eq(bl_student_quantile(0.01, 1), 63.65674, 1e-4);
    cr_expect_float_eq(bl_student_quantile(0.5, 2), 0.8164966, 1e-6);
    cr_expect_float_eq(bl_student_quantile(0.05, 1e7), 1.959964, 1e-5);
    cr_expect_float_eq(bl_student_quantile(1e-7, 30), 6.9557, 1e-3);
    cr_expect(isinf(bl_chance_limit(3, 1, 0.01)),
              "three cards are too few to tell which one is odd");
    cr_expect(isfinite(bl_chance_limit(4, 1000000, 0.01)));
    for (size_t n = 8; n <= 256; n *= 2)
        cr_expect_lt(bl_chance_limit(n, 88 * n, 0.01), bl_chance_limit(n / 2, 44 * n, 0.01));
}

Test(outliers, outliers_hardly_change_the_spread)
{
    double few[] = {1, 1.1, 0.9, 1.05, 0.95, 50}, alike[] = {2, 2, 2, 2}, many[400];
    cr_expect_float_eq(bl_usual_of(few, 6).median, 1.025, 1e-9);
    cr_expect_float_eq(bl_usual_of(alike, 4).sd, 0, 1e-12);
    for (unsigned off = 0; off < 100;
         off += 10) { /* up to 90 outliers among 400 values change little */
        for (size_t i = 0; i < 400; i++)
            many[i] = i < 400 - off ? (double)i / 400 : 1000;
        const struct bl_usual all = bl_usual_of(many, 400);
        cr_expect(all.sd > 0.15 && all.sd < 0.4, "%u: %g", off, all.sd);
    }
}

static enum bl_status searched(struct bl_fleet *fleet, struct bl_fleet_value values[], size_t count,
                               const struct bl_outlier_search *search)
{
    const struct bl_fleet_values all = {values, count, simulated_fleet_keys, NULL};
    return bl_fleet_search(fleet, &all, search, NULL);
}

/* Numbers of fleets: all; and those in which the search names any card, the odd card for
 * its odd ratio, the slow card for its speed, or a card for anything else. */
struct found {
    unsigned fleets, any, odd, slow, others;
};

static struct found look(const struct simulated_fleet *how, unsigned fleets, uint64_t seed,
                         const struct bl_outlier_search *search)
{
    struct found found = {.fleets = fleets};
    struct bl_fleet_value *values = calloc(how->cards * FLEET_ROWS, sizeof *values);
    cr_assert(values && simulated_fleet_read_samples());
    printf("seed %u\n", (unsigned)seed);
    simulated_fleet_seed(seed);
    for (unsigned f = 0; f < fleets; f++) {
        struct bl_fleet fleet;
        bool odd = false, slow = false, other = false;
        simulated_fleet_make(how, &fleet, values);
        cr_assert_eq(searched(&fleet, values, how->cards * FLEET_ROWS, search), BL_OK);
        for (size_t i = 0; i < fleet.outlier_count; i++) {
            const struct bl_outlier *outlier = &fleet.outliers[i];
            const bool is_odd = outlier->oddity == BL_ODD_RATIO &&
                                outlier->card == how->odd_row_card &&
                                strcmp(fleet.rows[outlier->row].key.case_id,
                                       simulated_fleet_keys[how->odd_row].case_id) == 0;
            const bool is_slow = outlier->card == how->slow_card && outlier->oddity != BL_ODD_RATIO;
            odd |= is_odd;
            slow |= is_slow && outlier->oddity == BL_ODD_SPEED;
            other |= !is_odd && !is_slow;
        }
        found.any += fleet.outlier_count > 0;
        found.odd += odd;
        found.slow += slow;
        found.others += other;
        bl_fleet_free(&fleet);
    }
    free(values);
    return found;
}

/* How many fleets a test simulates: the environment variable FLEETS; if it is not set, 10 or the
 * test's share of 10, but at least 2. */
static unsigned fleets(void)
{
    const char *asked = getenv("FLEETS");
    return asked ? (unsigned)strtoul(asked, NULL, 10) : sample_count(10, 2);
}

Test(outliers, no_card_of_a_healthy_fleet_is_named)
{
    const struct found found = look(&healthy, fleets(), 11, &usual);
    printf("%u of %u healthy fleets named a card\n", found.any, found.fleets);
    cr_expect_leq(found.any, 1 + found.fleets / 100);
}

Test(outliers, no_card_of_a_healthy_fleet_is_named_with_absolute_times)
{
    const struct bl_outlier_search absolute = {
        .least = 0.02, .least_speed = 0.05, .absolute = true};
    const struct found found = look(&healthy, fleets(), 12, &absolute);
    printf("%u of %u healthy fleets named a card, with absolute times\n", found.any, found.fleets);
    cr_expect_leq(found.any, 1 + found.fleets / 100);
}

Test(outliers, a_ratio_3_percent_off_and_a_card_15_percent_slow_are_named)
{
    struct simulated_fleet bad = healthy;
    bad.odd_row_card = 123;
    bad.odd_row = 45;
    bad.odd_row_by = -0.03;
    bad.slow_card = 678;
    bad.slow_by = 0.15;
    const struct found found = look(&bad, fleets(), 13, &usual);
    printf("%u fleets: odd ratio found in %u, slow card in %u, other cards in %u\n", found.fleets,
           found.odd, found.slow, found.others);
    cr_expect_geq(100 * found.odd, 99 * found.fleets);
    /* The search learns the spread of the cards' clocks, including rare extreme clocks. So it
     * sometimes misses a card whose clock deviates by eight standard deviations. */
    cr_expect_geq(100 * found.slow, 97 * found.fleets);
    cr_expect_leq(found.others, 1 + found.fleets / 100);
}

Test(outliers, differences_below_the_threshold_are_not_named)
{
    struct simulated_fleet bad = healthy;
    bad.odd_row_card = 3;
    bad.odd_row_by = 0.006; /* five times the spread of 0.12 % */
    const struct found found = look(&bad, 3, 14, &usual);
    cr_expect_eq(found.odd, 0);
}

Test(outliers, with_few_cards_only_large_deviations_are_named)
{
    struct simulated_fleet few = healthy;
    few.cards = 8;
    few.odd_row_card = 2;
    few.odd_row_by = 1;
    const struct found found = look(&few, sample_count(100, 20), 15, &usual);
    cr_expect_geq(100 * found.odd, 99 * found.fleets, "found in %u of %u fleets", found.odd,
                  found.fleets);
    cr_expect_leq(found.others, 2, "others named in %u of %u fleets", found.others, found.fleets);
    few.cards = 3;
    cr_expect_eq(look(&few, 10, 16, &usual).any, 0, "no card is named among three");
}

/* Extreme differences between healthy cards may be frequent; even then, in at most about 1 % of the
 * fleets a healthy card is named. */
Test(outliers, no_healthy_card_is_named_if_the_distribution_has_heavy_tails)
{
    static const size_t cards[] = {8, 32, CARDS};
    for (unsigned noise = 1; noise <= 2; noise++)
        for (unsigned i = 0; i < 3; i++) {
            struct simulated_fleet fleet = healthy;
            fleet.noise = noise;
            fleet.cards = cards[i];
            const unsigned count = i == 2 ? (fleets() + 1) / 2 : (i == 1 ? 20 : 60) * fleets();
            const struct found found = look(&fleet, count, 20 + i + 3 * noise, &usual);
            printf("%zu cards, noise %u: %u of %u healthy fleets named a card\n", cards[i], noise,
                   found.any, found.fleets);
            cr_expect_leq(found.any, 1 + found.fleets / 100);
        }
}

Test(outliers, one_card_of_eight_that_deviates_by_10_percent_is_named)
{
    struct simulated_fleet few = healthy;
    few.cards = 8;
    few.odd_row_card = 2;
    few.odd_row = 7;
    few.odd_row_by = -0.1;
    for (unsigned noise = 0; noise < 3; noise++) {
        few.noise = noise;
        const struct found found = look(&few, sample_count(100, 20), 30 + noise, &usual);
        cr_expect_geq(100 * found.odd, (noise == 2 ? 85 : 95) * found.fleets,
                      "noise %u: found in %u of %u fleets", noise, found.odd, found.fleets);
    }
}

/* Makes a fleet in which cards with even and with odd numbers have different values in `column`
 * ("host", "os", or NULL: in no column). Of each card with an odd number, the ratios of `rows` rows
 * are larger by the fraction `by`. */
static struct bl_fleet grouped(size_t cards, size_t rows, double by, const char *column,
                               struct bl_fleet_value values[])
{
    struct simulated_fleet how = healthy;
    struct bl_fleet fleet;
    how.cards = cards;
    simulated_fleet_seed(40);
    simulated_fleet_make(&how, &fleet, values);
    for (size_t c = 0; c < cards; c++) {
        strcpy(fleet.cards[c].run.host, "same");
        strcpy(fleet.cards[c].run.asked_for,
               c % 2 ? "*" : "local/*"); /* differs between the groups, too, but is not a cause */
        if (column && strcmp(column, "host") == 0)
            snprintf(fleet.cards[c].run.host, 8, "node%u", c % 2 == 0);
        if (column && strcmp(column, "os") == 0)
            snprintf(fleet.cards[c].run.os, 8, "Linux %u", 5 + (c % 2 == 0));
        for (size_t r = 0; r < rows && c % 2; r++)
            values[c * FLEET_ROWS + 3 * r].ratio += log1p(by);
    }
    return fleet;
}

Test(outliers, two_groups_are_reported_with_the_property_in_which_they_differ)
{
    static struct bl_fleet_value values[32 * FLEET_ROWS];
    static const struct {
        const char *column, *what;
    } kinds[] = {{"host", "host node1 / node0"}, {"os", "os Linux 6 / Linux 5"}, {NULL, ""}};
    cr_assert(simulated_fleet_read_samples());
    for (size_t i = 0; i < 3; i++)
        for (size_t cards = 8; cards <= 32; cards *= 2) {
            struct bl_fleet fleet = grouped(cards, 18, 0.02, kinds[i].column, values);
            cr_assert_eq(searched(&fleet, values, cards * FLEET_ROWS, &usual), BL_OK);
            cr_assert_eq(fleet.group_count, 1, "%zu cards", cards);
            cr_expect_geq(fleet.groups[0].rows, 16);
            cr_expect_eq(fleet.groups[0].cards[0], cards / 2);
            cr_expect_float_eq(fleet.groups[0].by, 0.02, 0.002);
            cr_expect_str_eq(fleet.groups[0].what, kinds[i].what);
            cr_expect_eq(fleet.outlier_count, 0, "no card is odd");
            bl_fleet_free(&fleet);
        }
}

Test(outliers, groups_do_not_hide_a_deviating_card)
{
    static struct bl_fleet_value values[32 * FLEET_ROWS];
    cr_assert(simulated_fleet_read_samples());
    struct bl_fleet fleet = grouped(32, 18, 0.02, "host", values);
    values[5 * FLEET_ROWS + 3].ratio -= 0.05; /* card 5, in a row with two groups */
    cr_assert_eq(searched(&fleet, values, 32 * FLEET_ROWS, &usual), BL_OK);
    cr_assert_eq(fleet.outlier_count, 1);
    cr_expect_eq(fleet.outliers[0].card, 5);
    cr_expect_float_eq(fleet.outliers[0].by, -0.05, 0.005);
    bl_fleet_free(&fleet);
    fleet = grouped(32, 0, 0, "host", values);
    cr_assert_eq(searched(&fleet, values, 32 * FLEET_ROWS, &usual), BL_OK);
    cr_expect_eq(fleet.group_count, 0, "no groups if the cards differ only in their host");
    bl_fleet_free(&fleet);
}

Test(outliers, a_slow_baseline_is_reported_as_such)
{
    static struct bl_fleet_value values[8 * FLEET_ROWS];
    cr_assert(simulated_fleet_read_samples());
    for (unsigned is_case = 0; is_case < 2; is_case++) {
        struct bl_fleet fleet = grouped(8, 0, 0, NULL, values);
        for (size_t r = 0; r < 5; r++) {
            values[4 * FLEET_ROWS + r].ratio += is_case ? -0.1 : 0.1;
            values[4 * FLEET_ROWS + r].time += is_case ? 0.1 : 0;
        }
        cr_assert_eq(searched(&fleet, values, 8 * FLEET_ROWS, &usual), BL_OK);
        cr_expect_eq(fleet.outlier_count, 5, "%zu", fleet.outlier_count);
        for (size_t i = 0; i < fleet.outlier_count; i++)
            cr_expect_eq(fleet.outliers[i].is_baseline, !is_case);
        char text[BL_OUTLIER_TEXT];
        cr_expect_eq(strstr(bl_outlier_text(&fleet, &fleet.outliers[0], text),
                            "its baseline is slower") != NULL,
                     !is_case, "%s", text);
        bl_fleet_free(&fleet);
    }
}

Test(outliers, a_card_with_other_kernels_is_not_compared)
{
    static struct bl_fleet_value values[8 * FLEET_ROWS];
    cr_assert(simulated_fleet_read_samples());
    struct bl_fleet fleet = grouped(8, 0, 0, NULL, values);
    for (size_t r = 0; r < FLEET_ROWS; r++)
        strcpy(values[3 * FLEET_ROWS + r].kernels, "other");
    cr_assert_eq(searched(&fleet, values, 8 * FLEET_ROWS, &usual), BL_OK);
    for (size_t c = 0; c < 8; c++)
        cr_expect_eq(fleet.cards[c].is_compared, c != 3);
    bl_fleet_free(&fleet);
}

enum { FEW_CARDS = 12 };

/* Makes a fleet in which card 3 has only every fourth row. asked: what each card was asked to
 * measure; NULL if unknown. Returns how many rows card 3 lacks according to the search. *of: how
 * many rows it should have. */
static double lacking(char *const asked[], double *of)
{
    static struct bl_fleet_value values[FEW_CARDS * FLEET_ROWS];
    size_t kept = 0;
    double lacking = 0;
    cr_assert(simulated_fleet_read_samples());
    struct bl_fleet fleet = grouped(FEW_CARDS, 0, 0, NULL, values);
    for (size_t i = 0; i < FEW_CARDS * FLEET_ROWS; i++)
        if (values[i].card != 3 || values[i].key % 4 == 0)
            values[kept++] = values[i];
    const struct bl_fleet_values all = {values, kept, simulated_fleet_keys, asked};
    cr_assert_eq(bl_fleet_search(&fleet, &all, &usual, NULL), BL_OK);
    cr_expect_eq(fleet.models[0].rows, FLEET_ROWS);
    for (size_t i = 0; i < fleet.outlier_count; i++) {
        cr_expect(fleet.outliers[i].card == 3 && fleet.outliers[i].oddity == BL_ODD_MISSING);
        lacking = fleet.outliers[i].own;
        *of = fleet.outliers[i].median;
    }
    for (size_t c = 0; c < FEW_CARDS; c++)
        cr_expect(fleet.cards[c].is_compared);
    bl_fleet_free(&fleet);
    return lacking;
}

Test(outliers, only_rows_that_a_card_was_asked_for_count_as_missing)
{
    static char every[] = "*", quick[] = "--quick *", both[] = "other/*\n*",
                some[] = "simulated/0 simulated/1 simulated/2", others[] = "other/*";
    double of = 0;
    char *asked[FEW_CARDS];
    for (size_t c = 0; c < FEW_CARDS; c++)
        asked[c] = every;
    cr_expect_eq(lacking(NULL, &of), FLEET_ROWS - FLEET_ROWS / 4);
    cr_expect_eq(lacking(asked, &of), FLEET_ROWS - FLEET_ROWS / 4);
    cr_expect_eq(of, FLEET_ROWS);
    asked[3] = both;
    cr_expect_eq(lacking(asked, &of), FLEET_ROWS - FLEET_ROWS / 4);
    asked[3] = some;
    cr_expect_eq(lacking(asked, &of), 2, "of these three rows, it has simulated/0");
    cr_expect_eq(of, FLEET_ROWS / 4 + 2, "the rows that it has, and the two that it lacks");
    asked[3] = others;
    cr_expect_eq(lacking(asked, &of), 0);
    asked[3] = quick;
    cr_expect_eq(lacking(asked, &of), 0, "--quick may have left the rows out");
    asked[5] = quick;
    cr_expect_eq(lacking(asked, &of), FLEET_ROWS - FLEET_ROWS / 4,
                 "another card with --quick has the rows");
}

Test(outliers, a_row_is_expected_if_most_cards_that_were_asked_for_it_have_it)
{
    static struct bl_fleet_value values[16 * FLEET_ROWS];
    static char every[] = "*", some[] = "simulated/1";
    char *asked[16];
    size_t kept = 0, found = 0;
    cr_assert(simulated_fleet_read_samples());
    struct bl_fleet fleet = grouped(16, 0, 0, NULL, values);
    for (size_t c = 0; c < 16; c++)
        asked[c] = c < 12 ? every : some;
    for (size_t i = 0; i < 16 * FLEET_ROWS; i++)
        if (values[i].key == 1 || (values[i].card < 12 && (values[i].card > 0 || values[i].key)))
            values[kept++] = values[i];
    const struct bl_fleet_values all = {values, kept, simulated_fleet_keys, asked};
    cr_assert_eq(bl_fleet_search(&fleet, &all, &usual, NULL), BL_OK);
    for (size_t i = 0; i < fleet.outlier_count; i++)
        if (fleet.outliers[i].oddity == BL_ODD_MISSING) {
            cr_expect(fleet.outliers[i].card == 0 && fleet.outliers[i].own == 1);
            found++;
        }
    cr_expect_eq(found, 1, "card 0 lacks row 0, which 11 of the 12 other cards have");
    bl_fleet_free(&fleet);
}

Test(outliers, an_empty_fleet_has_no_outliers)
{
    struct bl_fleet fleet = {0};
    cr_assert_eq(searched(&fleet, NULL, 0, &usual), BL_OK);
    cr_assert(fleet.row_count == 0 && fleet.outlier_count == 0);
    bl_fleet_free(&fleet);
}
