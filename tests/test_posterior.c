/* Tests probabilities of inferred values: posteriors, the density of errors, fits of costs, masks
 * of XOR hashes, and the miss rate of a cache. */
#include <criterion/criterion.h>
#include <math.h>

#include "infer/posterior.h"

Test(posterior, probabilities_add_up_and_the_likeliest_is_found)
{
    double likelihoods[] = {-1000, -998, -1003};
    cr_assert_eq(bl_posterior(likelihoods, 3), 1);
    cr_assert_float_eq(likelihoods[0] + likelihoods[1] + likelihoods[2], 1, 1e-12);
    cr_assert_float_eq(likelihoods[0] / likelihoods[1], exp(-2), 1e-9);
}

Test(posterior, a_density_integrates_to_one_and_has_heavier_tails_than_the_normal)
{
    double sum = 0;
    for (double x = -60; x <= 60; x += 0.001)
        sum += 0.001 * exp(bl_log_density(x, 0.5));
    cr_assert_float_eq(sum, 1, 1e-3);
    cr_assert_gt(
        bl_log_density(5, 0.5),
        -0.5 * 100); /* log of a normal density with the same scale, without its constant: -50 */
}

Test(posterior, the_right_costs_are_the_likeliest_in_any_unit)
{
    double log_ns[40], right[40], wrong[40];
    for (unsigned i = 0; i < 40; i++) {
        right[i] = 1 + i % 8;
        wrong[i] = 1 + i % 7;
        log_ns[i] = log(0.37 * right[i]) + (i % 3 - 1.0) * 0.01;
    }
    const struct bl_fit fit = bl_fit_costs(log_ns, right, 40, 0.015, 1),
                        other = bl_fit_costs(log_ns, wrong, 40, 0.015, 1);
    cr_assert_gt(fit.log_likelihood, other.log_likelihood + 20);
    cr_assert_float_eq(exp(fit.log_unit), 0.37, 0.005);
    cr_assert_lt(fit.rms, 0.012);
    cr_assert_gt(fit.log_likelihood, bl_fit_nothing(log_ns, 40));
    cr_assert_lt(other.log_likelihood, bl_fit_nothing(log_ns, 40));
}

Test(posterior, costs_below_the_minimum_count_as_the_minimum)
{
    const double clocks[] = {1, 1, 2, 4, 8, 8},
                 log_ns[] = {log(2), log(2), log(2), log(4), log(8), log(8)};
    cr_assert_lt(bl_fit_costs(log_ns, clocks, 6, 0.01, 2).rms, 1e-9);
    cr_assert_gt(bl_fit_costs(log_ns, clocks, 6, 0.01, 1).rms, 0.2);
}

Test(gf2, a_basis_rejects_vectors_that_are_sums_of_its_vectors)
{
    struct bl_gf2_basis basis = {0};
    cr_assert(bl_gf2_add(&basis, 0x5));
    cr_assert(bl_gf2_add(&basis, 0x6));
    cr_assert_not(bl_gf2_add(&basis, 0x3));
    cr_assert_not(bl_gf2_add(&basis, 0));
    cr_assert_eq(basis.rank, 2);
    cr_assert_eq(bl_gf2_reduce(&basis, 0x3), 0);
    cr_assert_neq(bl_gf2_reduce(&basis, 0x8), 0);
}

Test(gf2, masks_have_even_parity_on_every_vector_and_are_in_reduced_form)
{
    /* two masks of 16 bits, and the vectors for which both masks have even parity */
    const uint64_t masks[] = {0x9a35, 0x4f1c};
    struct bl_gf2_basis even = {0};
    for (uint64_t v = 0; v < 65536; v++)
        if (__builtin_parityll(v & masks[0]) == 0 && __builtin_parityll(v & masks[1]) == 0)
            bl_gf2_add(&even, v);
    uint64_t found[4] = {0};
    cr_assert_eq(bl_gf2_masks(&even, 0xFFFF, found, 4), 2);
    cr_assert_eq(found[0], masks[0]);
    cr_assert_eq(found[1], masks[1]);
    cr_assert_eq(bl_gf2_masks(&even, 0xFFFF, found, 1), 2,
                 "the count includes masks beyond the capacity");
}

Test(knee, the_miss_rate_grows_from_zero_to_one)
{
    for (int hashed = 0; hashed < 2; hashed++) {
        double before = 0;
        for (double bytes = 1000; bytes < 400000; bytes *= 1.05) {
            const double misses = bl_knee_misses(bytes, 65536, 8, hashed);
            cr_assert(misses >= before && misses <= 1, "miss rate %g at %g bytes", misses, bytes);
            before = misses;
        }
        cr_assert_gt(before, 0.99);
        cr_assert_lt(bl_knee_misses(10000, 65536, 8, hashed), 0.001);
    }
    cr_assert_eq(bl_knee_misses(65536, 65536, 8, false), 0,
                 "a working set of exactly the cache's size fits");
    cr_assert_eq(bl_knee_misses(65536 * 9.0 / 8, 65536, 8, false), 1,
                 "with one more line per set all reads miss");
}

/* Simulates reads of working sets around this cache size, and checks that the size is found.
 * walked: the working set is read cyclically; then also checks that a hash is found if, and only
 * if, a hash chooses the cache set. */
static void find_back(double bytes, unsigned ways, bool hashed, bool walked)
{
    struct bl_knee_point points[30];
    for (unsigned i = 0; i < 30; i++) {
        points[i] = (struct bl_knee_point){walked, bytes * 0.3 * pow(8, i / 29.0), 0};
        const double misses = walked ? bl_knee_misses(points[i].bytes, bytes, ways, hashed)
                                     : fmax(0, 1 - bytes / points[i].bytes);
        points[i].log_ns = log(20 + misses * 120) + (i % 3 - 1.0) * 0.005;
    }
    struct bl_knee knee;
    cr_assert(bl_knee_find(points, 30, 20, 140, 0.02, &knee));
    cr_assert(knee.lo <= bytes && bytes <= knee.hi, "%g is not in %g to %g", bytes, knee.lo,
              knee.hi);
    cr_assert_float_eq(knee.bytes / bytes, 1, 0.05);
    if (walked)
        cr_assert((knee.hashed_probability > 0.5) == hashed);
    cr_assert_lt(knee.rms, 0.05);
}

Test(knee, a_size_is_found_if_address_bits_choose_the_cache_set)
{
    find_back(49152, 4, false, true);
}
Test(knee, a_size_is_found_if_a_hash_chooses_the_cache_set) { find_back(196608, 8, true, true); }
Test(knee, a_size_is_found_if_the_working_set_is_not_read_cyclically)
{
    find_back(5e7, 1, false, false);
}
