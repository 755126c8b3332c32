/* Tests predictions for requests of a group that access the same granules of memory: which requests
 * get a prediction, and how close it is to measurements of an H200 and an H100 (results/rules). */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/csv.h"
#include "report/row.h"
#include "run/level.h"

enum { L2 = 0, MEMORY = 2 };

static const struct bl_device gpu = {
    .name = "Made-up GPU",
    .type = BL_DEVICE_GPU,
    .compute_units = 132,
    .local_bytes = 65536,
    .max_group_items = 1024,
    .max_items = {1024, 1024},
    .memory_bytes = 140ull << 30,
    .max_buffer_bytes = 35ull << 30,
    .cache_bytes = 50 << 20,
};

/* The rates that were measured with contiguous accesses: ns per granule for reads (on an H200), and
 * ns per fully written sector for writes (on an H200 or an H100). */
static struct bl_rates rates_of(const struct bl_machine *machine, bool is_write)
{
    const bool is_h100 = !strcmp(machine->name, "nvidia-h100");
    struct bl_rates rates = bl_rates_unknown();
    rates.clock_ns = 0.5;
    rates.granule_ns[L2] = is_write ? 0.8 : 0.432;
    rates.granule_ns[MEMORY] = !is_write ? 1.86 : is_h100 ? 1.3676 : 1.0009;
    return rates;
}

static const struct bl_machine *machine_named(const char *name)
{
    const struct bl_machine *found;
    cr_assert_eq(bl_machine_find(name, &found, NULL), BL_OK);
    return found;
}

static const struct bl_machine *hopper(void) { return machine_named("nvidia-hopper"); }

/* The predicted ns per request of a group of 256 work-items; NAN if there is no prediction. text:
 * the index expression. contiguous_ns: the measured ns per request of contiguous accesses. */
static double predicted_ns(const struct bl_machine *machine, const struct bl_type *type,
                           bool is_write, struct bl_shape groups, const char *text,
                           double contiguous_ns)
{
    struct bl_bench bench = {.machine = machine, .device = &gpu};
    struct bl_try_setup setup = {
        .memory = BL_MEMORY_GLOBAL, .is_write = is_write, .type = *type, .groups = groups};
    struct bl_try try, contiguous;
    struct bl_plan_item item;
    struct bl_rates rates = rates_of(machine, is_write);
    rates.contiguous_ns[L2] = rates.contiguous_ns[MEMORY] = contiguous_ns;
    cr_assert_eq(bl_try_open(&try, "pattern", text, NULL, NULL), BL_OK, "%s", text);
    cr_assert_eq(bl_try_open_contiguous(&contiguous, BL_MEMORY_GLOBAL, NULL), BL_OK);
    cr_assert_eq(bl_try_settle(&setup, &bench, NULL), BL_OK);
    cr_assert_eq(bl_try_probe(&try, &setup, &bench, NULL), BL_OK);
    cr_assert_eq(bl_try_probe(&contiguous, &setup, &bench, NULL), BL_OK);
    cr_assert_eq(bl_level_plan(&try, &contiguous, &setup, &bench, MEMORY, &item, NULL), BL_OK);
    item.own.cost.clocks = 1;
    bl_level_predict(&bench, &rates, MEMORY, &item);
    const double ns = item.status == BL_ROW_OK ? item.own.cost.clocks * rates.clock_ns : NAN;
    bl_try_close(&try);
    bl_try_close(&contiguous);
    return ns;
}

/* The result of comparing a file's rows for memory with predictions. */
struct held {
    bool is_write;
    const struct bl_machine *machine;
    struct bl_machine without;       /* the machine without the rules that are tested */
    unsigned measured, before, more; /* number of rows; rows predicted without these rules; rows
                                        predicted only with them */
    double sum, worst; /* sum and maximum of the relative errors of the rows predicted only with
                          these rules */
};

static enum bl_status hold_row(void *context, const struct bl_run_info *run,
                               const struct bl_row *row, size_t line, struct bl_error *error)
{
    struct held *held = context;
    (void)run, (void)line, (void)error;
    if (strcmp(row->level, "memory") || !isfinite(row->measured))
        return BL_OK;
    held->measured++;
    struct bl_type type;
    cr_assert_eq(bl_type_named(row->key.type, &type, NULL), BL_OK, "%s", row->key.type);
    char text[sizeof row->note];
    snprintf(text, sizeof text, "%s", row->note);
    text[strcspn(text, ";")] = '\0';
    const struct bl_shape groups = {8, 1};
    const double contiguous_ns = row->ns_per_request * row->measured;
    const double without =
        predicted_ns(&held->without, &type, held->is_write, groups, text, contiguous_ns);
    const double ns =
        predicted_ns(held->machine, &type, held->is_write, groups, text, contiguous_ns);
    if (isfinite(without)) {
        cr_expect_eq(ns, without, "%s: %g ns, and without the rule %g", text, ns, without);
        held->before++;
    } else if (isfinite(ns)) {
        const double distance = fabs(ns / row->ns_per_request - 1);
        held->more++;
        held->sum += distance;
        held->worst = fmax(held->worst, distance);
    }
    return BL_OK;
}

static void read_rows(const char *name, bl_row_handler *handle, struct held *held)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/results/rules/%s", getenv("BANKLINE_SOURCE"), name);
    struct bl_error error;
    cr_assert_eq(bl_csv_read(path, handle, held, &error), BL_OK, "%s", error.sentence);
}

/* Compares the rows of a file, measured on an H200, with predictions: with and without the rules
 * for granules that requests share. */
static struct held hold(const char *name, bool is_write)
{
    struct held held = {.is_write = is_write, .machine = hopper(), .without = *hopper()};
    held.without.levels[MEMORY].shared_requests = 0;
    read_rows(name, hold_row, &held);
    return held;
}

static const struct {
    const char *name;
    bool is_write;
} files[] = {{"nvidia-h200-level-reads.csv", false},
             {"nvidia-h200-level-writes.csv", true},
             {"nvidia-h200-level-writes-b.csv", true},
             {"nvidia-h200-level-writes-c.csv", true}};

/* The committed table must equal this table of the present model. If it does not, the test's
 * message contains the new table. */
static void expect_committed(const char *name, const char *table)
{
    char path[4096], committed[4096] = "";
    snprintf(path, sizeof path, "%s/results/printed/%s", getenv("BANKLINE_SOURCE"), name);
    FILE *file = fopen(path, "r");
    cr_assert(file, "%s should have:\n%s", path, table);
    committed[fread(committed, 1, sizeof committed - 1, file)] = '\0';
    fclose(file);
    cr_assert_str_eq(committed, table, "%s should have:\n%s", path, table);
}

Test(shared_granules, the_committed_table_is_what_the_model_predicts)
{
    char table[4096];
    size_t used = (size_t)snprintf(table, sizeof table,
                                   "| file | patterns measured in memory | predicted without the "
                                   "rules of sharing | only with them | mean | largest | without a "
                                   "prediction |\n| --- | --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        const struct held held = hold(files[i].name, files[i].is_write);
        cr_expect(held.more > 0 && held.sum / held.more < 0.045, "%s", files[i].name);
        cr_expect(held.worst < 0.12, "%s: %g", files[i].name, held.worst);
        used += (size_t)snprintf(
            table + used, sizeof table - used, "| `%s` | %u | %u | %u | %.1f %% | %.1f %% | %u |\n",
            files[i].name, held.measured, held.before, held.more, 100 * held.sum / held.more,
            100 * held.worst, held.measured - held.before - held.more);
    }
    expect_committed("shared-granules.md", table);
}

/* Compares the rows of a file with predictions: with and without the rules for sectors that
 * scattered requests write several times, and for short requests. */
static struct held hold_saving_writes(const char *name, const struct bl_machine *machine)
{
    struct held held = {.is_write = true, .machine = machine, .without = *machine};
    struct bl_level *memory = &held.without.levels[MEMORY];
    memory->write_repeated_percent = memory->write_adjacent_percent = 0;
    read_rows(name, hold_row, &held);
    return held;
}

/* The rules' constants were fitted to the other two files of the H200. */
Test(shared_granules, the_rules_for_repeated_and_short_writes_hold_for_files_that_were_not_fitted)
{
    static const struct {
        const char *file, *machine;
        unsigned patterns;
        double worst;
    } others[] = {{"nvidia-h200-level-writes-c.csv", "nvidia-hopper", 11, 0.105},
                  {"nvidia-h100-level-memory-writes.csv", "nvidia-h100", 10, 0.15}};
    char table[4096];
    size_t used = (size_t)snprintf(table, sizeof table,
                                   "| file | machine | patterns of these rules | mean | largest "
                                   "|\n| --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const struct held held =
            hold_saving_writes(others[i].file, machine_named(others[i].machine));
        cr_expect_eq(held.more, others[i].patterns, "%u", held.more);
        cr_expect(held.worst < others[i].worst, "%g", held.worst);
        used += (size_t)snprintf(table + used, sizeof table - used,
                                 "| `%s` | `%s` | %u | %.1f %% | %.1f %% |\n", others[i].file,
                                 others[i].machine, held.more, 100 * held.sum / held.more,
                                 100 * held.worst);
    }
    expect_committed("repeated-writes.md", table);
}

/* Counts the rows that have a prediction with nvidia-hopper, and those that have one with
 * held->machine. */
static enum bl_status count_row(void *context, const struct bl_run_info *run,
                                const struct bl_row *row, size_t line, struct bl_error *error)
{
    struct held *held = context;
    (void)run, (void)line, (void)error;
    struct bl_type type;
    if (strcmp(row->level, "memory") || !isfinite(row->measured))
        return BL_OK;
    cr_assert_eq(bl_type_named(row->key.type, &type, NULL), BL_OK, "%s", row->key.type);
    char text[sizeof row->note];
    snprintf(text, sizeof text, "%.*s", (int)strcspn(row->note, ";"), row->note);
    const struct bl_shape groups = {8, 1};
    const double contiguous_ns = row->ns_per_request * row->measured;
    held->before +=
        isfinite(predicted_ns(hopper(), &type, held->is_write, groups, text, contiguous_ns)) != 0;
    held->more += isfinite(predicted_ns(held->machine, &type, held->is_write, groups, text,
                                        contiguous_ns)) != 0;
    return BL_OK;
}

/* Each saving is set to the maximum that a machine file may state (tests/test_machine_file.c). Rows
 * with a prediction must keep one; they would lose it if the cost were not positive. */
Test(shared_granules, the_largest_savings_leave_writes_a_positive_cost)
{
    struct bl_machine machine = *hopper();
    struct bl_level *memory = &machine.levels[MEMORY];
    memory->write_gathered_percent = 100;
    memory->write_repeated_percent = memory->write_shared_percent / 3;
    memory->write_adjacent_percent = memory->write_shared_percent / 8;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct held held = {.is_write = true, .machine = &machine};
        if (!files[i].is_write)
            continue;
        read_rows(files[i].name, count_row, &held);
        cr_expect(held.more > 0 && held.more == held.before, "%s: %u of %u", files[i].name,
                  held.more, held.before);
    }
}

static double ns_of(const char *type_name, bool is_write, unsigned groups, const char *text)
{
    struct bl_type type;
    cr_assert_eq(bl_type_named(type_name, &type, NULL), BL_OK);
    return predicted_ns(hopper(), &type, is_write, (struct bl_shape){groups, 1}, text,
                        3.7 * type.access_bytes / 4);
}

Test(shared_granules, requests_unlike_those_that_were_measured_have_no_prediction)
{
    static const struct {
        const char *type, *text;
        bool is_write;
    } none[] = {
        {"int", "get_global_id(0) % 4 * 200 + get_global_id(0) / 4",
         false},                                  /* each request shares half of its granules with
                                                     another request */
        {"uchar", "get_global_id(0) + 9", false}, /* short requests */
        {"uchar", "get_global_id(0) % 2 * 256 + get_global_id(0) / 2", false},
        {"int", "get_global_id(0) % 32 * 999",
         false}, /* the elements are scattered, and all groups read the same ones */
        {"int", "get_global_id(0) % 8 * 96 + get_global_id(0) / 8 % 4 * 16", false},
        {"int", "get_global_id(0) % 4 * 96 + get_global_id(0) / 4", true},
        {"ushort", "get_global_id(0) % 4 * 200 + get_global_id(0) / 4", true},
        /* first: more than 3.8 requests write the same sector; second: requests are not quite
         * scattered */
        {"uchar", "(get_global_id(0) * 1179) % 1103", true},
        {"uchar", "(get_global_id(0) * 2841) % 2124", true},
        /* scattered requests that complete sectors together, or write the same bytes */
        {"int4", "get_global_id(0) % 32 * 96 + get_global_id(0) / 32", true},
        {"int", "get_global_id(0) % 128 * 50", true},
        /* the group leaves gaps in its blocks, and two requests write the same sector */
        {"int", "get_global_id(0) / 16 * 19 + get_global_id(0) % 16", true},
        {"uchar", "get_global_id(0) / 16 * 35 + get_global_id(0) % 16", true},
        {"ushort", "get_global_id(0) * 2 + 21",
         true}, /* requests that are neither short nor dense */
        /* short requests that share more than their first and their last sector, or that lie in
         * separate lines */
        {"uchar", "get_global_id(0) / 128 * 128 + get_global_id(0) % 64 * 2", true},
        {"uchar", "get_global_id(0) % 2 * 128 + get_global_id(0) / 2", true},
        /* requests that write full sectors: short ones, and ones in many lines */
        {"int", "get_global_id(0) + 16", true},
        {"int4", "get_global_id(0) % 16 * 96 + get_global_id(0) / 16", true},
    };
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        const double ns = ns_of(none[i].type, none[i].is_write, 8, none[i].text);
        cr_expect(isnan(ns), "%s %s: %g", none[i].type, none[i].text, ns);
    }
    cr_expect(isfinite(ns_of("int", false, 8, "get_global_id(0) + 9")));
    cr_expect(isfinite(ns_of("int", true, 8, "get_global_id(0) + 9")));
    cr_expect(isfinite(ns_of("int4", true, 8, "get_global_id(0) + 18")));
    cr_expect(
        isfinite(ns_of("int2", true, 8, "get_global_id(0) % 4 * 200 + get_global_id(0) / 4")));
    cr_expect(isfinite(ns_of("int2", true, 8, "(get_global_id(0) * 1593) % 7396")));
    cr_expect(isfinite(ns_of("ushort", true, 8, "get_global_id(0) + 22")));
    cr_expect(isfinite(ns_of("uchar", true, 8, "get_global_id(0) * 12")));
    struct bl_machine reads_alone = *hopper();
    reads_alone.levels[MEMORY].write_shared_percent = 0;
    cr_expect(isnan(predicted_ns(&reads_alone, &bl_type_int, true, (struct bl_shape){8, 1},
                                 "get_global_id(0) + 9", 3.7)));
    cr_expect(isnan(ns_of("int", false, 4, "get_global_id(0) + 9")), "four requests");
}
