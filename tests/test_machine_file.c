/* Tests machine files, and the `key = value` format that machine files share with files of
 * patterns. */
#include <criterion/criterion.h>
#include <glob.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/keyfile.h"
#include "model/access.h"
#include "model/machine_file.h"

static struct bl_error error;
static char path[] = "/tmp/bankline-machine-XXXXXX";

static void make_file(void) { close(mkstemp(path)); }
static void remove_file(void) { unlink(path); }
TestSuite(machine_file, .init = make_file, .fini = remove_file);

static void write_bytes(const char *bytes, size_t count)
{
    FILE *file = fopen(path, "w");
    fwrite(bytes, 1, count, file);
    fclose(file);
}

static char *printed(const char *name)
{
    const struct bl_machine *machine;
    cr_assert_eq(bl_machine_find(name, &machine, NULL), BL_OK);
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    bl_machine_print(file, machine);
    fclose(file);
    return text;
}

/* Prints nvidia-hopper as a file, replaces the text `from` in it by `to`, and reads the result. */
static enum bl_status changed(const char *from, const char *to, struct bl_machine *machine)
{
    char *text = printed("nvidia-hopper"), *at = strstr(text, from), *whole = NULL;
    cr_assert_not_null(at, "%s", from);
    const int length = asprintf(&whole, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    write_bytes(whole, (size_t)length);
    free(whole);
    free(text);
    error = (struct bl_error){0};
    return bl_machine_read(path, machine, &error);
}

static void refused(const char *from, const char *to, const char *sentence_part)
{
    struct bl_machine machine;
    cr_assert_eq(changed(from, to, &machine), BL_BAD_FORMAT, "%s", to);
    cr_assert(strstr(error.sentence, path), "%s", error.sentence);
    cr_assert(strstr(error.sentence, sentence_part), "%s", error.sentence);
}

Test(machine_file, every_built_in_machine_is_read_back_unchanged)
{
    size_t count;
    const struct bl_machine *all = bl_machines(&count);
    for (size_t i = 0; i < count; i++) {
        char *text = printed(all[i].name);
        write_bytes(text, strlen(text));
        struct bl_machine machine;
        cr_assert_eq(bl_machine_read(path, &machine, &error), BL_OK, "%s", error.sentence);
        cr_assert_eq(memcmp(&machine, &all[i], sizeof machine), 0, "%s", all[i].name);
        free(text);
    }
}

/* Machine files are embedded at build time. Here each is also read like a user's file. */
Test(machine_file, every_machine_file_is_built_in)
{
    const char *source = getenv("BANKLINE_SOURCE");
    cr_assert_not_null(source);
    char pattern[4096];
    snprintf(pattern, sizeof pattern, "%s/host/model/machines/*.machine", source);
    glob_t files;
    size_t count;
    bl_machines(&count);
    cr_assert_eq(glob(pattern, 0, NULL, &files), 0);
    cr_assert_eq(files.gl_pathc, count);
    for (size_t i = 0; i < count; i++) {
        struct bl_machine machine;
        const struct bl_machine *built_in;
        cr_assert_eq(bl_machine_read(files.gl_pathv[i], &machine, &error), BL_OK, "%s",
                     error.sentence);
        cr_assert_eq(bl_machine_find(machine.name, &built_in, &error), BL_OK, "%s", error.sentence);
        cr_assert_eq(memcmp(&machine, built_in, sizeof machine), 0, "%s", files.gl_pathv[i]);
        cr_assert(strstr(files.gl_pathv[i], machine.name), "a file is named after its machine");
    }
    globfree(&files);
}

Test(machine_file, the_devices_of_a_machine_may_be_omitted)
{
    struct bl_machine machine;
    cr_assert_eq(changed("device_type = gpu", "", &machine), BL_OK, "%s", error.sentence);
    cr_assert_eq(machine.device_type, BL_FOR_NONE);
    cr_assert_eq(changed("vendors = 0x10de", "", &machine), BL_OK, "%s", error.sentence);
    cr_assert_eq(machine.vendors[0], 0);
    cr_assert_eq(changed("vendors = 0x10de", "vendors = 1 2", &machine), BL_OK);
    cr_assert_eq(machine.vendors[1], 2);
    refused("device_type = gpu", "device_type = tpu", "expected 'none', 'any', 'cpu' or 'gpu'");
    refused("vendors = 0x10de", "vendors = nvidia", "1 to 4 nonzero numbers");
}

Test(machine_file, the_devices_of_a_machine_are_given_by_ranges_of_versions_and_ids)
{
    struct bl_machine machine;
    cr_assert_eq(changed("ip_versions = none", "ip_versions = 9.0 12.55-12.57", &machine), BL_OK,
                 "%s", error.sentence);
    cr_assert_eq(machine.ip_versions[1].from, BL_IP_VERSION(12, 55));
    cr_assert_eq(machine.ip_versions[1].to, BL_IP_VERSION(12, 57));
    cr_assert_eq(machine.ip_versions[2].from, 0);
    cr_assert_eq(changed("device_ids = none", "device_ids = 0x0bd5  0x5690-0x5697", &machine),
                 BL_OK, "%s", error.sentence);
    cr_assert_eq(machine.device_ids[0].to, 0x0bd5);
    cr_assert_eq(machine.device_ids[1].to, 0x5697);
    static const char *const versions[] = {"12",    "12.",       "12.256", "0.1",
                                           "12.5-", "12.9-12.5", "1024.0", "12.5x",
                                           "-1.0",  "12.5,12.6", "",       "12.5 - 12.6"};
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        char line[64];
        snprintf(line, sizeof line, "ip_versions = %s\n", versions[i]);
        refused(
            "ip_versions = none\n", line,
            "expected 'none' or 1 to 8 entries, separated by spaces, such as '9.0 12.55-12.57'");
    }
    refused("ip_versions = none", "ip_versions = 1.0 2.0 3.0 4.0 5.0 6.0 7.0 8.0 9.0", "1 to 8");
    refused("device_ids = none", "device_ids = 0x10000", "such as '0x0bd5 0x5690-0x5697'");
    refused("device_ids = none", "device_ids = 0", "1 to 48");
    refused("device_ids = none", "device_ids = 0x5697-0x5690", "1 to 48");
}

Test(machine_file, unknown_banks_are_given_as_alternatives)
{
    struct bl_machine machine;
    cr_assert_eq(
        changed("banks_alternatives = none", "banks_alternatives = 32x4 65x8 256x64", &machine),
        BL_OK, "%s", error.sentence);
    cr_assert_eq(bl_machine_alternatives(&machine), 3);
    const struct bl_machine one = bl_machine_alternative(&machine, 1);
    cr_assert_eq(one.banks, 65);
    cr_assert_eq(one.bank_bytes, 8);
    cr_assert_eq(bl_machine_alternatives(&one), 0);
    cr_assert_eq(changed("banks = 32", "banks = 65", &machine), BL_OK, "%s", error.sentence);
    cr_assert_eq(machine.banks, 65);
    static const char *const wrong[] = {"32",    "x4",     "32x",   "32x3",  "0x4", "32x0",
                                        "257x4", "32x128", "32x4x", "32x-4", ""};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char line[64];
        snprintf(line, sizeof line, "banks_alternatives = %s\n", wrong[i]);
        refused("banks_alternatives = none\n", line,
                "expected 'none' or 1 to 8 entries, separated by spaces, such as '16x4 65x8'");
    }
    refused("banks_alternatives = none", "banks_alternatives = 16x4 32x4",
            "begins with 16x4, but banks and bank_bytes are 32 and 4");
    refused("banks = 32", "banks = 257", "expected an integer from 1 to 256");
    refused("banks = 32", "banks = 0", "expected an integer from 1 to 256");
}

Test(machine_file, a_changed_value_changes_the_rule)
{
    struct bl_machine machine;
    uint64_t addresses[32];
    for (unsigned lane = 0; lane < 32; lane++)
        addresses[lane] = 8 * lane;
    const struct bl_request request = {BL_MEMORY_LOCAL, false, 4, 32, addresses, false};
    struct bl_cost cost;
    cr_assert_eq(changed("banks = 32", "banks = 64", &machine), BL_OK, "%s", error.sentence);
    cr_assert_eq(bl_cost_of(&machine, &request, &cost), BL_OK);
    cr_assert_eq(cost.bank_passes, 1);
    cr_assert_eq(changed("tag_masks = 0xbbaebad5da 0xed5b55af6f", "tag_masks = none", &machine),
                 BL_OK);
    cr_assert_eq(machine.tag_masks[0], 0);
    cr_assert_eq(
        changed("tag_masks = 0xbbaebad5da 0xed5b55af6f", "tag_masks = 1 2 0x4  8", &machine),
        BL_OK);
    cr_assert_eq(machine.tag_masks[3], 8);
    cr_assert_eq(changed("title = ", "", &machine), BL_BAD_FORMAT);
    cr_assert_eq(changed("has_rule = yes", "has_rule = no", &machine), BL_OK);
    cr_assert(strstr(machine.why_no_rule, "gives no reason"));
}

/* Writes the text to a file, and reads the file as a machine. */
static enum bl_status read_text(const char *text, struct bl_machine *machine)
{
    write_bytes(text, strlen(text));
    error = (struct bl_error){0};
    return bl_machine_read(path, machine, &error);
}

Test(machine_file, like_copies_all_values_except_the_texts_about_the_other_machine)
{
    struct bl_machine machine;
    const struct bl_machine *other;
    bl_machine_find("nvidia-hopper", &other, NULL);
    cr_assert_eq(read_text("like = nvidia-hopper\nname = mine\nmemory_open_percent = 7\n"
                           "tag_masks = none\n",
                           &machine),
                 BL_OK, "%s", error.sentence);
    cr_assert_str_eq(machine.name, "mine");
    cr_assert_str_eq(machine.title, "");
    cr_assert_str_eq(machine.formerly, "");
    cr_assert_str_eq(machine.rests_on, ""); /* the evidence is for the other machine */
    cr_assert_eq(machine.levels[BL_LEVEL_MEMORY].open_percent, 7);
    cr_assert_eq(machine.levels[BL_LEVEL_MEMORY].line_percent,
                 other->levels[BL_LEVEL_MEMORY].line_percent);
    cr_assert_eq(machine.tag_masks[0], 0);
    cr_assert_neq(other->tag_masks[0], 0);
}

Test(machine_file, an_invalid_like_and_values_that_contradict_each_other_are_refused)
{
    static const struct {
        const char *text, *sentence_part;
    } wrong[] = {
        {"name = mine\nlike = nvidia-hopper\n", ":2: key 'like' must be the first key"},
        {"like = nvidia-hoper\nname = mine\n", ":1: like = nvidia-hoper: unknown machine"},
        {"like = ./own\nname = mine\n",
         ":1: like = ./own: unknown machine './own'; there are amd,"},
        {"like = nvidia-hopper\nlanes = 32\n", "the key 'name' is missing"},
        {"like = nvidia-hopper\nlike = amd\nname = mine\n", ":2: key 'like' must be the first"},
        {"like = nvidia-hopper\nname = mine\ncache_bytes = 64\n",
         "line_bytes is 128, more than the cache_bytes, 64"},
        {"like = amd-cdna3\nname = mine\nlanes = 32\nlocal_lanes_at_once = 64\n",
         "local_lanes_at_once is 64, more than the lanes, 32"},
        {"like = nvidia-hopper\nname = mine\nqueued_launch_ns = 5301\n",
         "queued_launch_ns is 5301, more than the launch_ns, 5300"},
        {"like = nvidia-hopper\nname = mine\nlaunch_ns = 5000\nlaunch_most_ns = 4000\n",
         "launch_ns is 5000, more than the launch_most_ns, 4000"},
        {"like = nvidia-hopper\nname = mine\ncapability_max = 80\n",
         "capability_min is 90, more than the capability_max, 80"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct bl_machine machine;
        cr_assert_eq(read_text(wrong[i].text, &machine), BL_BAD_FORMAT, "%s", wrong[i].text);
        cr_assert(strstr(error.sentence, wrong[i].sentence_part), "%s", error.sentence);
        cr_assert(!strstr(error.sentence, "give the path"), "%s", error.sentence);
    }
}

Test(machine_file, messages_name_the_file_the_line_and_the_key)
{
    refused("lanes = 32", "lanes = 33", ":51: lanes = 33: expected a power of two from 4 to 128");
    refused("lanes = 32", "lanes = 0", "lanes = 0");
    refused("lanes = 32", "lanes = 256", "lanes = 256");
    refused("lanes = 32", "lanes = -32", "lanes = -32");
    refused("lanes = 32", "lanes = 32x", "lanes = 32x");
    refused("lanes = 32", "lanes = 99999999999999999999999", "lanes = 9999");
    refused("lanes = 32", "lanes =", "lanes = :");
    refused("lanes = 32", "", "the key 'lanes' is missing");
    refused("lanes = 32", "lanez = 32", ":51: unknown key 'lanez'; did you mean 'lanes'?");
    refused("lanes = 32", "lanes = 32\nlanes = 32",
            ":52: key 'lanes' was given in line 51 already");
    refused("has_rule = yes", "has_rule = true", "'yes' or 'no'");
    refused("name = nvidia-hopper", "name = ", "name has no value");
    refused("name = nvidia-hopper", "name = a-name-that-is-far-too-long-for-a-machine",
            "longer than 31");
    refused("l2_granule_bytes = 32", "l2_granule_bytes = 256", "more than a line's 128");
    refused("l2_granule_bytes = 32", "l2_granule_bytes = 8", "less than the sector_bytes, 32");
    refused("memory_block_bytes = 256", "memory_block_bytes = 64", "less than a line's 128");
    refused("memory_name = memory", "memory_name =", "memory_name is missing");
    refused("tag_masks = 0xbbaebad5da 0xed5b55af6f", "tag_masks = ", "tag_masks has no value");
    refused("tag_masks = 0xbbaebad5da 0xed5b55af6f", "tag_masks = 1 2 3 4 5",
            "1 to 4 nonzero numbers");
    refused("tag_masks = 0xbbaebad5da 0xed5b55af6f", "tag_masks = 0x1g",
            "nonzero numbers, separated by spaces, such as");
    refused("tag_masks = 0xbbaebad5da 0xed5b55af6f", "tag_masks = 0",
            "nonzero numbers, separated by spaces, such as");
    refused("tag_masks = 0xbbaebad5da 0xed5b55af6f", "tag_masks = -1",
            "nonzero numbers, separated by spaces, such as");
    refused("tag_masks = 0xbbaebad5da 0xed5b55af6f", "tag_masks = 0x5,0x6",
            "nonzero numbers, separated by spaces, such as");
    refused("tag_masks = 0xbbaebad5da 0xed5b55af6f", "tag_masks = 0x5\t0x6",
            "nonzero numbers, separated by spaces, such as");
    refused("tag_masks = 0xbbaebad5da 0xed5b55af6f", "tag_masks = 99999999999999999999999",
            "nonzero numbers, separated by spaces, such as");
    refused("lanes = 32", "lanes = x", "lanes = x");
    refused("lines_per_clock = 1", "lines_per_clock = 0", "from 1 to");
    refused("global_min_bytes = 0", "global_min_bytes = 3", "a power of two from 0 to 16");
    refused("global_max_bytes = 0", "global_max_bytes = 32", "a power of two from 0 to 16");
    refused("global_span_kib = 0", "global_span_kib = 1048577", "an integer from 0 to 1048576");
    refused("local_lanes_at_once = 0", "local_lanes_at_once = 24", "a power of two from 0 to 128");
    refused("local_max_bytes = 0", "local_max_bytes = 32", "a power of two from 0 to 16");
    refused("read_least_clocks = 0", "read_least_clocks = 1025", "an integer from 0 to 1024");
    refused("sector_bytes = 32", "sector_bytes = 256", "more than the line_bytes");
    refused("l2_write_block_bytes = 128", "l2_write_block_bytes = 64",
            "l2_write_block_bytes is 64, less than a line's 128");
    refused("sector_bytes = 32", "sector_bytes = 0", "l2_write_block_bytes needs sector_bytes");
    refused("memory_repeated_percent = 67", "memory_repeated_percent = 101",
            "an integer from 0 to 100");
    refused("memory_write_gathered_percent = 59", "memory_write_gathered_percent = 101",
            "an integer from 0 to 100");
    refused("memory_near_percent = 16", "memory_near_percent = 49",
            "memory_near_percent, memory_alike_percent and memory_far_percent are together 101, "
            "more than 100");
    refused("memory_write_repeated_percent = 13", "memory_write_repeated_percent = 36",
            "memory_write_repeated_percent is 36, more than a third of "
            "memory_write_shared_percent, 107");
    refused("memory_write_adjacent_percent = 10", "memory_write_adjacent_percent = 14",
            "memory_write_adjacent_percent is 14, more than memory_write_shared_percent, 107, "
            "divided by the sectors of a block, 8");
    refused("sector_bytes = 32", "sector_bytes = 1",
            "a line of 128 bytes has more than 64 sectors of 1");
    refused("= 32", "32", "has no '='");
    refused("lanes = 32", "= 32", "expected a key before '='");
}

Test(machine_file, decimal_fields_have_limits_and_may_be_omitted)
{
    const struct bl_machine_field *launch = bl_machine_field_named("launch_ns"),
                                  *item = bl_machine_field_named("item_start_ns");
    struct bl_machine machine;
    char text[32];
    cr_assert_eq(changed("\nlaunch_ns = 5300", "\nlaunch_ns = 5.25e3", &machine), BL_OK, "%s",
                 error.sentence);
    cr_assert_eq(machine.launch_ns, 5250);
    cr_assert_eq(machine.item_start_ns, 0.00103);
    cr_assert_eq(bl_machine_value_text(&machine, item, text, sizeof text, NULL), BL_OK);
    cr_assert_str_eq(text, "0.00103");
    cr_assert_eq(changed("\nlaunch_ns = 5300", "", &machine), BL_OK, "%s", error.sentence);
    cr_assert(isnan(bl_machine_value(&machine, launch)), "0 means unknown");
    cr_assert_eq(changed("\nlaunch_most_ns = 7000", "\nlaunch_most_ns = 1e8", &machine), BL_OK);
    static const char *const wrong[] = {"-1",  "1e9",  "100000000.1", "inf",  "nan",
                                        "0x5", "1,5",  "5 ns",        ".5",   "",
                                        "1e",  "5e-x", "+5",          "1.5.1"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char line[64];
        snprintf(line, sizeof line, "\nlaunch_ns = %s\n", wrong[i]);
        refused("\nlaunch_ns = 5300\n", line, "expected a number from 0 to 100000000");
    }
    refused("\ncompute_units = 132", "\ncompute_units = 1.5", "an integer from 0 to");
}

Test(machine_file, decimal_fields_have_a_decimal_point_in_every_locale)
{
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        cr_skip_test("there is no locale with a decimal comma");
    struct bl_machine machine;
    char text[32];
    const struct bl_machine_field *line = bl_machine_field_named("memory_further_line_ns");
    cr_assert_eq(
        changed("memory_further_line_ns = 3.25", "memory_further_line_ns = 3.125", &machine), BL_OK,
        "%s", error.sentence);
    cr_assert_eq(bl_machine_value_text(&machine, line, text, sizeof text, NULL), BL_OK);
    cr_assert_str_eq(text, "3.125");
}

Test(machine_file, a_name_is_a_built_in_machine_or_else_a_file)
{
    struct bl_machine capacity, *nothing = NULL;
    const struct bl_machine *machine = nothing;
    char *text = printed("nvidia-hopper");
    write_bytes(text, strlen(text));
    free(text);
    cr_assert_eq(bl_machine_named("intel-gen9", &capacity, &machine, &error), BL_OK);
    cr_assert_str_eq(machine->name, "intel-gen9");
    cr_assert_eq(bl_machine_named(path, &capacity, &machine, &error), BL_OK, "%s", error.sentence);
    cr_assert_eq(machine, &capacity);
    cr_assert_eq(bl_machine_named("no-such", &capacity, &machine, &error), BL_UNKNOWN_MACHINE);
    cr_assert_eq(bl_machine_named("/no/such", &capacity, &machine, &error), BL_FILE_FAILED);
}

struct seen {
    char text[256];
};

static enum bl_status see(void *context, const struct bl_key_line *line, struct bl_error *failure)
{
    struct seen *seen = context;
    if (strcmp(line->key, "stop") == 0)
        return bl_keyfile_fail(line, failure, "stopped");
    const size_t used = strlen(seen->text);
    snprintf(seen->text + used, sizeof seen->text - used, "%u[%s|%s]", line->number, line->key,
             line->value);
    return BL_OK;
}

static enum bl_status read_keys(const char *bytes, size_t count, struct seen *seen)
{
    write_bytes(bytes, count);
    *seen = (struct seen){0};
    error = (struct bl_error){0};
    return bl_keyfile_read(path, see, seen, &error);
}

Test(machine_file, comments_blanks_byte_order_marks_and_carriage_returns_are_ignored)
{
    struct seen seen;
    const char text[] = "\xEF\xBB\xBF# first\r\n\r\n  a  =  1 = 2 # rest\r\nb=\n\t#\n c = d e";
    cr_assert_eq(read_keys(text, sizeof text - 1, &seen), BL_OK, "%s", error.sentence);
    cr_assert_str_eq(seen.text, "3[a|1 = 2]4[b|]6[c|d e]");
    cr_assert_eq(read_keys("", 0, &seen), BL_OK);
}

Test(machine_file, files_that_are_not_text_are_refused)
{
    struct seen seen;
    cr_assert_eq(read_keys("a = 1\nb\0 = 2\n", 13, &seen), BL_BAD_FORMAT);
    cr_assert(strstr(error.sentence, ":2: a zero byte"), "%s", error.sentence);
    char *longer = malloc(5000);
    memset(longer, 'x', 5000);
    longer[1] = '=';
    cr_assert_eq(read_keys(longer, 5000, &seen), BL_BAD_FORMAT);
    cr_assert(strstr(error.sentence, ":1: longer than 4095"), "%s", error.sentence);
    cr_assert_eq(read_keys(longer, 4095, &seen), BL_OK);
    free(longer);
    cr_assert_eq(read_keys("a = 1\nstop = 1\nb = 2\n", 20, &seen), BL_BAD_FORMAT);
    cr_assert(strstr(error.sentence, ":2: stopped"));
    cr_assert_str_eq(seen.text, "1[a|1]");
    cr_assert_eq(bl_keyfile_read("/tmp", see, &seen, &error), BL_FILE_FAILED);
}

Test(machine_fields, the_default_values_of_a_machine_are_within_the_limits)
{
    const struct bl_machine machine = bl_machine_start();
    for (size_t i = 0; i < bl_machine_field_count; i++) {
        const struct bl_machine_field *field = &bl_machine_fields[i];
        const double value = bl_machine_value(&machine, field);
        cr_assert_eq(bl_machine_field_named(field->key), field);
        cr_assert(isnan(value) || field->kind == BL_FIELD_FLAG ||
                      (value >= field->min && value <= field->max),
                  "%s = %g", field->key, value);
    }
    cr_assert_eq(machine.lanes, 32);
    cr_assert_null(bl_machine_field_named("no_such_field"));
}

Test(machine_fields, a_number_is_rounded_and_kept_within_its_limits)
{
    struct bl_machine machine = {0};
    const struct bl_machine_field *barrier = bl_machine_field_named("barrier_more_percent"),
                                  *overlap = bl_machine_field_named("overlap_percent"),
                                  *by_lane = bl_machine_field_named("atomics_by_lane");
    cr_assert(isnan(bl_machine_value(&machine, barrier)), "0 means that there is no rule");
    cr_assert_eq(bl_machine_value(&machine, overlap), 0);
    bl_machine_set(&machine, barrier, 12.6);
    cr_assert_eq(machine.barrier_more_percent, 13);
    bl_machine_set(&machine, barrier, 1e6);
    cr_assert_eq(machine.barrier_more_percent, 1000);
    bl_machine_set(&machine, overlap, -3);
    cr_assert_eq(machine.overlap_percent, 0);
    const struct bl_machine_field *latency = bl_machine_field_named("l2_latency_ns");
    char text[32];
    bl_machine_set(&machine, latency, 145.38765);
    cr_assert_eq(bl_machine_value_text(&machine, latency, text, sizeof text, NULL), BL_OK);
    cr_assert_str_eq(text, "145.4");
    bl_machine_set(&machine, latency, -1);
    cr_assert(isnan(bl_machine_value(&machine, latency)));
    bl_machine_set(&machine, latency, 1e9);
    cr_assert_eq(machine.levels[0].latency_ns, 100000);
    bl_machine_set(&machine, by_lane, 1);
    cr_assert(machine.atomics_by_lane);
    cr_assert_eq(bl_machine_value(&machine, by_lane), 1);
    cr_assert(isnan(bl_machine_value(&machine, bl_machine_field_named("name"))));
}
