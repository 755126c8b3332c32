/* Tests what `bankline infer` prints, and which machine is made from its findings. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/infer_view.h"
#include "infer/infer.h"

static struct bl_finding known(const char *key, enum bl_finding_kind kind, double value)
{
    return (struct bl_finding){.key = key,
                               .meaning = "what it means",
                               .unit = kind == BL_FOUND_AMOUNT ? "bytes" : "",
                               .kind = kind,
                               .is_known = true,
                               .value = value,
                               .lo = value * 0.9,
                               .hi = value * 1.1,
                               .confidence = 0.97,
                               .basis = "strides"};
}

static struct bl_findings many(void)
{
    struct bl_findings findings = {0};
    const struct bl_finding all[] = {
        known("lanes", BL_FOUND_NUMBER, 32),
        known("banks", BL_FOUND_NUMBER, 32),
        known("bank_bytes", BL_FOUND_NUMBER, 8),
        known("broadcast", BL_FOUND_FLAG, 1),
        known("line_bytes", BL_FOUND_NUMBER, 128),
        known("sector_bytes", BL_FOUND_NUMBER, 32),
        known("banks_serve_global", BL_FOUND_FLAG, 0),
        known("cache_bytes", BL_FOUND_AMOUNT, 65536),
        known("l2_bytes", BL_FOUND_AMOUNT, 4 << 20),
        known("llc_bytes", BL_FOUND_AMOUNT, 64 << 20),
        known("l2_granule_bytes", BL_FOUND_NUMBER, 32),
        known("llc_granule_bytes", BL_FOUND_NUMBER, 64),
        known("memory_granule_bytes", BL_FOUND_NUMBER, 64),
        known("local_bytes_per_unit", BL_FOUND_AMOUNT, 233472),
        known("groups_per_unit", BL_FOUND_NUMBER, 32),
        known("compute_units", BL_FOUND_NUMBER, 100),
        known("clock_mhz", BL_FOUND_AMOUNT, 1000),
        {.key = "page_reach_bytes", .meaning = "", .unit = "", .why = "there are no pages"},
    };
    findings.count = sizeof all / sizeof all[0];
    memcpy(findings.all, all, sizeof all);
    struct bl_finding masks = known("tag_masks", BL_FOUND_MASKS, 0);
    masks.masks[0] = 0x5;
    masks.lo = 7;
    masks.hi = 20;
    findings.all[findings.count++] = masks;
    return findings;
}

static const struct bl_device device = {
    .name = "made up", .warp_lanes = 32, .compute_units = 132, .clock_mhz = 1000};

Test(infer_view, every_value_is_printed_or_has_a_reason)
{
    const struct bl_findings findings = many();
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    bl_print_findings(file, &findings);
    fclose(file);
    for (size_t i = 0; i < findings.count; i++)
        cr_assert_not_null(strstr(text, findings.all[i].key), "%s", findings.all[i].key);
    cr_assert_not_null(strstr(text, "there are no pages"));
    cr_assert_not_null(strstr(text, "95 %: 58982-72090"));
    cr_assert_not_null(strstr(text, "97.0 %"));
    free(text);
}

static char *printed_hypotheses(const struct bl_findings *findings)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    bl_print_hypotheses(file, findings);
    fclose(file);
    return text;
}

Test(infer_view, every_hypothesis_is_printed_with_its_probability)
{
    struct bl_findings findings = many();
    char *text = printed_hypotheses(&findings);
    cr_assert_str_eq(text, "", "there are no hypotheses");
    free(text);
    findings.hypothesis_count = 2;
    findings.hypotheses[0] = (struct bl_hypothesis){{32, 4}, 0.99995, 0.011};
    findings.hypotheses[1] = (struct bl_hypothesis){{65, 8}, 0.0004, 0.5};
    findings.other_probability = 0.02;
    findings.points = 20;
    findings.max_points = 56;
    strcpy(findings.hypotheses_of, "intel-xe-hpg");
    text = printed_hypotheses(&findings);
    cr_assert_not_null(strstr(text, "intel-xe-hpg"), "%s", text);
    cr_assert_not_null(strstr(text, "32 of 4 bytes"), "%s", text);
    cr_assert_not_null(strstr(text, "> 99.9 %"), "%s", text);
    cr_assert_not_null(strstr(text, "< 0.1 %"), "%s", text);
    cr_assert_not_null(strstr(text, "50.0 %"), "%s", text);
    cr_assert_not_null(strstr(text, "none of these"), "%s", text);
    cr_assert_not_null(strstr(text, "2.0 %"), "%s", text);
    cr_assert_not_null(strstr(text, "20 of 56 points were enough"), "%s", text);
    free(text);
    findings.points = 56;
    text = printed_hypotheses(&findings);
    cr_assert_null(strstr(text, "enough"), "%s", text);
    free(text);
}

/* Prints the findings beside the machine's values. Returns the number of values that differ. */
static unsigned side_by_side(const char *machine, char **text)
{
    const struct bl_findings findings = many();
    const struct bl_machine *documented;
    cr_assert_eq(bl_machine_find(machine, &documented, NULL), BL_OK);
    size_t size = 0;
    FILE *file = open_memstream(text, &size);
    const unsigned differ = bl_print_side_by_side(file, &findings, documented, &device);
    fclose(file);
    return differ;
}

Test(infer_view, values_that_differ_are_marked_and_counted)
{
    char *text = NULL;
    /* bank_bytes, tag_masks, banks_serve_global, the cache, compute units and the clock differ. */
    cr_assert_eq(side_by_side("nvidia-hopper", &text), 6, "%s", text);
    cr_assert_not_null(strstr(text, "differs"));
    cr_assert_not_null(strstr(text, "0xbbaebad5da 0xed5b55af6f"));
    free(text);
}

Test(infer_view, unknown_banks_are_not_shown_as_different)
{
    char *text = NULL;
    side_by_side("intel-xe-hpg", &text);
    const char *banks = strstr(text, "\nbanks ");
    cr_assert_not_null(banks, "%s", text);
    const char *end = strchr(banks + 1, '\n'), *unknown = strstr(banks, "not known");
    cr_assert(unknown && unknown < end, "%s", text);
    const char *differs = strstr(banks, "differs");
    cr_assert(!differs || differs > end, "%s", text);
    free(text);
}

Test(infer_view, without_a_description_only_the_drivers_values_are_shown)
{
    char *text = NULL;
    cr_assert_eq(side_by_side("unknown", &text), 1, "%s", text);
    cr_assert_not_null(strstr(text, "132"));
    free(text);
}

Test(infer_view, the_prediction_errors_of_both_machines_are_printed)
{
    const struct bl_machine *documented;
    cr_assert_eq(bl_machine_find("nvidia-hopper", &documented, NULL), BL_OK);
    const struct bl_infer_distance own = {10, 0.01, 0.05, "local/6 32x1"}, none = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    bl_print_distances(file, documented, &own, &none);
    bl_print_distances(file, documented, &none, &own);
    fclose(file);
    cr_assert_not_null(strstr(text, "mean 1.0 %, largest 5.0 % (local/6 32x1)"));
    cr_assert_not_null(strstr(text, "no predictions"));
    free(text);
}

Test(infer_view, the_machine_made_from_the_findings_has_every_level_that_was_found)
{
    struct bl_findings findings = many();
    struct bl_machine machine = bl_machine_of(&findings, "own");
    cr_assert(machine.has_rule);
    cr_assert_str_eq(machine.levels[0].name, "L2");
    cr_assert_str_eq(machine.levels[1].name, "LLC");
    /* The costs of lines and writes at the level LLC were not found, so it has no rule. */
    cr_assert_eq(machine.levels[1].granule_bytes, 0);
    cr_assert_str_eq(machine.levels[2].name, "memory");
    cr_assert_eq(machine.levels[2].working_set_mib, 40 * 64);
    cr_assert_eq(machine.local_sub_groups_per_cu, 24);
    cr_assert_eq(machine.tag_masks[0], 0x5);
    /* the model has no rule for banks that cannot broadcast a word */
    findings.all[3].value = 0;
    machine = bl_machine_of(&findings, "own");
    cr_assert_not(machine.has_rule);
    cr_assert_not_null(strstr(machine.why_no_rule, "lanes that read the same word"));
    findings.all[0].is_known = findings.all[1].is_known = false;
    machine = bl_machine_of(&findings, "own");
    cr_assert_str_eq(machine.why_no_rule, "the measurements did not determine lanes, banks");
}
