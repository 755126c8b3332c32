/* Tests the names of machines, the cost of requests, and verdicts, without OpenCL. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "model/access.h"
#include "model/predict.h"

static const struct bl_machine *machine(const char *name)
{
    const struct bl_machine *found;
    cr_assert_eq(bl_machine_find(name, &found, NULL), BL_OK, "%s", name);
    return found;
}

static enum bl_status cost_on(const struct bl_machine *on, enum bl_memory memory, unsigned bytes,
                              const uint64_t addresses[], unsigned lanes, struct bl_cost *result)
{
    const struct bl_request request = {memory, false, bytes, lanes, addresses, false};
    return bl_cost_of(on, &request, result);
}

static struct bl_cost cost(const char *name, enum bl_memory memory, const uint64_t addresses[],
                           unsigned lanes)
{
    struct bl_cost result;
    cr_assert_eq(cost_on(machine(name), memory, 4, addresses, lanes, &result), BL_OK);
    return result;
}

/* Writes the byte addresses of lanes that read elements of 4 bytes, from the element `first` on,
 * `stride` elements apart. */
static void strided(uint64_t addresses[], unsigned lanes, unsigned first, unsigned stride)
{
    for (unsigned lane = 0; lane < lanes; lane++)
        addresses[lane] = 4 * ((uint64_t)first + (uint64_t)lane * stride);
}

Test(access, one_lane_costs_one_clock)
{
    const uint64_t address[] = {4 * 12345};
    const struct bl_cost global = cost("intel-gen9", BL_MEMORY_GLOBAL, address, 1);
    const struct bl_cost local = cost("intel-gen9", BL_MEMORY_LOCAL, address, 1);
    cr_assert_eq(global.lines, 1);
    cr_assert_eq(global.bank_passes, 0);
    cr_assert_eq(global.clocks, 1);
    cr_assert_eq(local.lines, 0);
    cr_assert_eq(local.bank_passes, 1);
    cr_assert_eq(local.clocks, 1);
}

Test(access, lanes_that_read_the_same_word_cost_nothing_extra)
{
    uint64_t addresses[BL_MAX_LANES];
    strided(addresses, BL_MAX_LANES, 7, 0);
    cr_assert_eq(cost("intel-gen9", BL_MEMORY_LOCAL, addresses, BL_MAX_LANES).clocks, 1);
    cr_assert_eq(cost("intel-gen9", BL_MEMORY_GLOBAL, addresses, BL_MAX_LANES).clocks, 1);
}

Test(access, a_request_that_is_not_aligned_touches_two_lines)
{
    uint64_t addresses[16];
    for (unsigned first = 0; first < 32; first++) {
        strided(addresses, 16, first, 1);
        cr_assert_eq(cost("intel-gen9", BL_MEMORY_GLOBAL, addresses, 16).lines,
                     first % 16 == 0 ? 1 : 2, "first element %u", first);
    }
}

Test(access, bank_passes_are_the_greatest_common_divisor_of_stride_and_banks)
{
    uint64_t addresses[32];
    for (unsigned stride = 1; stride <= 64; stride++) {
        unsigned divisor = 32;
        while (stride % divisor)
            divisor /= 2;
        strided(addresses, 32, 0, stride);
        cr_assert_eq(cost("nvidia-hopper", BL_MEMORY_LOCAL, addresses, 32).bank_passes, divisor,
                     "stride %u", stride);
    }
}

Test(access, nvidias_global_memory_charges_the_larger_of_tag_and_bank_passes)
{
    uint64_t addresses[32];
    /* An odd stride has no bank conflict. The last lane reads 31 * 5 * 4 = 620 bytes after the
     * first, in the fifth line. */
    strided(addresses, 32, 0, 5);
    struct bl_cost got = cost("nvidia-hopper", BL_MEMORY_GLOBAL, addresses, 32);
    cr_assert_eq(got.lines, 5);
    cr_assert_eq(got.bank_passes, 1);
    cr_assert_eq(got.clocks, 2);
    strided(addresses, 32, 0, 4);
    got = cost("nvidia-hopper", BL_MEMORY_GLOBAL, addresses, 32);
    cr_assert_eq(got.lines, 4);
    cr_assert_eq(got.clocks, 4);
}

/* Counts distinct lines in the simplest way: a line counts for the first lane that touches it. */
static unsigned naive_lines(const uint64_t addresses[], unsigned lanes, unsigned line_bytes)
{
    unsigned lines = 0;
    for (unsigned i = 0; i < lanes; i++) {
        bool seen = false;
        for (unsigned j = 0; j < i; j++)
            seen |= addresses[j] / line_bytes == addresses[i] / line_bytes;
        lines += !seen;
    }
    return lines;
}

static unsigned naive_passes(const uint64_t addresses[], unsigned lanes, unsigned banks)
{
    unsigned max = 0;
    for (unsigned bank = 0; bank < banks; bank++) {
        unsigned words = 0;
        for (unsigned i = 0; i < lanes; i++) {
            bool seen = addresses[i] / 4 % banks != bank;
            for (unsigned j = 0; j < i; j++)
                seen |= addresses[j] / 4 == addresses[i] / 4;
            words += !seen;
        }
        max = words > max ? words : max;
    }
    return max;
}

Test(access, random_requests_cost_as_much_as_the_simplest_count_says)
{
    const unsigned seed = 20240229;
    cr_log_info("seed %u\n", seed);
    srand(seed);
    for (unsigned round = 0; round < 20000; round++) {
        uint64_t addresses[BL_MAX_LANES];
        const unsigned lanes = 1 + (unsigned)rand() % BL_MAX_LANES;
        const unsigned span = 1u << (rand() % 20);
        for (unsigned lane = 0; lane < lanes; lane++)
            addresses[lane] = 4 * (uint64_t)((unsigned)rand() % span);
        const struct bl_cost global = cost("nvidia-hopper", BL_MEMORY_GLOBAL, addresses, lanes);
        const struct bl_cost local = cost("intel-gen9", BL_MEMORY_LOCAL, addresses, lanes);
        cr_assert_eq(global.lines, naive_lines(addresses, lanes, 128), "round %u", round);
        cr_assert_eq(global.bank_passes, naive_passes(addresses, lanes, 32), "round %u", round);
        cr_assert_eq(local.bank_passes, naive_passes(addresses, lanes, 16), "round %u", round);
    }
}

Test(access, requests_without_a_rule_or_with_impossible_values_are_refused)
{
    uint64_t addresses[BL_MAX_LANES + 1] = {0};
    struct bl_cost result;
    cr_assert_eq(cost_on(machine("cpu"), BL_MEMORY_LOCAL, 4, addresses, 16, &result),
                 BL_BAD_MACHINE);
    const struct bl_machine *gen9 = machine("intel-gen9");
    cr_assert_eq(cost_on(gen9, BL_MEMORY_LOCAL, 4, addresses, 0, &result), BL_BAD_MACHINE);
    cr_assert_eq(cost_on(gen9, BL_MEMORY_LOCAL, 4, addresses, BL_MAX_LANES + 1, &result),
                 BL_BAD_MACHINE);
    struct bl_machine broken = *gen9;
    broken.banks = 0;
    cr_assert_eq(cost_on(&broken, BL_MEMORY_LOCAL, 4, addresses, 16, &result), BL_BAD_MACHINE);
    cr_assert_eq(cost_on(&broken, BL_MEMORY_GLOBAL, 4, addresses, 16, &result), BL_OK);
    broken.line_bytes = 0;
    cr_assert_eq(cost_on(&broken, BL_MEMORY_GLOBAL, 4, addresses, 16, &result), BL_BAD_MACHINE);
}

Test(machine, the_message_about_an_unknown_name_lists_the_known_ones)
{
    const struct bl_machine *found;
    struct bl_error error = {0};
    cr_assert_eq(bl_machine_find("gen10", &found, &error), BL_UNKNOWN_MACHINE);
    cr_assert_null(found);
    cr_assert(strstr(error.sentence, "gen10"));
    cr_assert(strstr(error.sentence, "intel-gen9"));
    cr_assert(strstr(error.sentence, "nvidia-hopper"));
    cr_assert_eq(bl_machine_find("nvidia-hoper", &found, &error), BL_UNKNOWN_MACHINE);
    cr_assert_str_eq(error.sentence,
                     "unknown machine 'nvidia-hoper'; did you mean 'nvidia-hopper'?");
}

Test(machine, old_names_are_understood)
{
    const struct bl_machine *machine;
    cr_assert_eq(bl_machine_find("nvidia", &machine, NULL), BL_OK);
    cr_assert_str_eq(machine->name, "nvidia-hopper");
    cr_assert_str_eq(bl_machine_name_now("nvidia"), "nvidia-hopper");
    cr_assert_str_eq(bl_machine_name_now("nvidia-other"), "nvidia-other");
    cr_assert_str_eq(bl_machine_name_now("my own"), "my own");
    cr_assert_str_eq(bl_machine_name_now(""), "");
}

/* Bit 0 of a tag bank's number is the parity of the even bits of the line number; bit 1 is the
 * parity of the odd bits. */
Test(machine, lines_of_an_ampere_map_to_their_tag_banks)
{
    const struct bl_machine *machine;
    cr_assert_eq(bl_machine_find("nvidia-ampere", &machine, NULL), BL_OK);
    static const unsigned banks[] = {0, 1, 2, 3, 1, 0, 3, 2, 2, 3, 0, 1, 3, 2, 1, 0};
    for (unsigned line = 0; line < 16; line++)
        cr_assert_eq(bl_tag_bank(machine, line), banks[line], "%u", line);
}

/* If it is unknown which tag bank holds a line, only the number of lines matters. */
Test(machine, without_a_hash_any_four_lines_are_looked_up_per_clock)
{
    uint64_t addresses[32];
    struct bl_machine without = *machine("nvidia-hopper");
    without.tag_masks[0] = without.tag_masks[1] = 0;
    without.lines_per_clock = 4;
    for (unsigned lines = 1; lines <= 32; lines++) {
        for (unsigned lane = 0; lane < 32; lane++)
            addresses[lane] = 128 * (uint64_t)(lane % lines * 5) + 4 * lane;
        struct bl_cost got;
        cr_assert_eq(cost_on(&without, BL_MEMORY_GLOBAL, 4, addresses, 32, &got), BL_OK);
        cr_assert_eq(got.lines, lines);
        cr_assert_eq(got.clocks, (lines + 3) / 4, "%u lines: %u clocks", lines, got.clocks);
    }
}

Test(machine, each_machine_has_a_rule_or_a_reason)
{
    size_t count;
    const struct bl_machine *all = bl_machines(&count);
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(all[i].has_rule, all[i].why_no_rule[0] == '\0', "%s", all[i].name);
}

Test(access, all_lines_and_words_of_a_vector_count_and_a_byte_counts_as_its_word)
{
    uint64_t addresses[32];
    struct bl_cost got;
    for (unsigned lane = 0; lane < 32; lane++)
        addresses[lane] = 16 * (uint64_t)lane;
    cr_assert_eq(cost_on(machine("intel-gen9"), BL_MEMORY_GLOBAL, 16, addresses, 16, &got), BL_OK);
    cr_assert_eq(got.lines, 4);
    cr_assert_eq(cost_on(machine("nvidia-hopper"), BL_MEMORY_LOCAL, 16, addresses, 32, &got),
                 BL_OK);
    cr_assert_eq(got.bank_passes, 4);
    for (unsigned lane = 0; lane < 32; lane++)
        addresses[lane] = lane;
    cr_assert_eq(cost_on(machine("nvidia-hopper"), BL_MEMORY_LOCAL, 1, addresses, 32, &got), BL_OK);
    cr_assert_eq(got.bank_passes, 1);
    addresses[0] = 62; /* the access crosses a line and a word boundary */
    cr_assert_eq(cost_on(machine("intel-gen9"), BL_MEMORY_GLOBAL, 4, addresses, 1, &got), BL_OK);
    cr_assert_eq(got.lines, 2);
    cr_assert_eq(cost_on(machine("intel-gen9"), BL_MEMORY_GLOBAL, 17, addresses, 1, &got),
                 BL_BAD_MACHINE);
}

Test(access, constant_memory_has_a_rule_only_if_it_takes_the_path_of_global_memory)
{
    uint64_t addresses[16];
    struct bl_cost got;
    strided(addresses, 16, 0, 16);
    cr_assert_eq(cost_on(machine("intel-gen9"), BL_MEMORY_CONSTANT, 4, addresses, 16, &got), BL_OK);
    cr_assert_eq(got.lines, 16);
    cr_assert_eq(cost_on(machine("nvidia-ampere"), BL_MEMORY_CONSTANT, 4, addresses, 16, &got),
                 BL_BAD_MACHINE);
}

Test(access, addresses_of_a_declared_constant_array_follow_one_another_where_that_was_measured)
{
    uint64_t addresses[32];
    struct bl_cost got;
    for (unsigned distinct = 1; distinct <= 32; distinct *= 2) {
        for (unsigned lane = 0; lane < 32; lane++)
            addresses[lane] = lane % distinct;
        cr_assert_eq(cost_on(machine("nvidia-h100"), BL_MEMORY_DECLARED, 1, addresses, 32, &got),
                     BL_OK);
        cr_expect_eq(got.clocks, 2 * distinct, "%u addresses take %u clocks", distinct, got.clocks);
        cr_expect_eq(got.tag_passes, 0);
    }
    cr_assert_eq(cost_on(machine("intel-gen9"), BL_MEMORY_DECLARED, 4, addresses, 16, &got),
                 BL_BAD_MACHINE);
}

Test(verdict, a_direction_is_confirmed_if_the_whole_interval_is_over_two_percent_away_from_1)
{
    cr_assert_eq(bl_verdict_of_direction(BL_FASTER, 1.03, 1.2), BL_CONFIRMED);
    cr_assert_eq(bl_verdict_of_direction(BL_FASTER, 0.9, 1.2), BL_UNCLEAR);
    cr_assert_eq(bl_verdict_of_direction(BL_FASTER, 1.001, 1.002), BL_REFUTED);
    cr_assert_eq(bl_verdict_of_direction(BL_FASTER, 0.5, 0.6), BL_REFUTED);
    cr_assert_eq(bl_verdict_of_direction(BL_SLOWER, 0.9, 0.97), BL_CONFIRMED);
    cr_assert_eq(bl_verdict_of_direction(BL_SLOWER, 0.9, 0.99), BL_UNCLEAR);
    cr_assert_eq(bl_verdict_of_direction(BL_SLOWER, 0.999, 0.9995), BL_REFUTED);
    cr_assert_eq(bl_verdict_of_direction(BL_SLOWER, 1.1, 1.2), BL_REFUTED);
}

Test(verdict, a_verdict_says_whether_the_interval_is_within_the_tolerance)
{
    cr_assert_eq(bl_verdict_of(0.5, 0.46, 0.54, 0.1), BL_CONFIRMED);
    cr_assert_eq(bl_verdict_of(0.5, 0.45, 0.55, 0.1), BL_CONFIRMED);
    cr_assert_eq(bl_verdict_of(0.5, 0.44, 0.46, 0.1), BL_UNCLEAR);
    cr_assert_eq(bl_verdict_of(0.5, 0.54, 0.56, 0.1), BL_UNCLEAR);
    cr_assert_eq(bl_verdict_of(0.5, 0.1, 0.9, 0.1), BL_UNCLEAR);
    cr_assert_eq(bl_verdict_of(0.5, 0.40, 0.44, 0.1), BL_REFUTED);
    cr_assert_eq(bl_verdict_of(0.5, 0.56, 0.90, 0.1), BL_REFUTED);
}
