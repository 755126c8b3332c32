/* Tests saved traces: reading them, refusing damaged files, and comparing two traces. */
#include <math.h>

#include "documents.h"
#include "model/machine.h"
#include "trace/gate.h"

static struct bl_error error;

/* Removes const. The text is neither changed nor freed. */
static char *word(const char *constant) { return (char *)(uintptr_t)constant; }

/* The saved traces of two versions of a program. They are equal until a test changes one. */
enum { MAX_KERNELS = 4, MAX_ACCESSES = 16 };
struct version {
    struct bl_saved_trace saved;
    struct bl_saved_kernel kernels[MAX_KERNELS];
    struct bl_saved_access accesses[MAX_ACCESSES];
};
static struct version before, after;

static struct bl_saved_access access_of(enum bl_memory memory, enum bl_operation operation,
                                        const char *array, unsigned line, double clocks)
{
    return (struct bl_saved_access){.memory = memory,
                                    .operation = operation,
                                    .requests = 100,
                                    .accesses = 3200,
                                    .lanes = 3200,
                                    .lines = memory == BL_MEMORY_GLOBAL ? (uint64_t)clocks : 0,
                                    .sectors = memory == BL_MEMORY_GLOBAL ? (uint64_t)clocks : 0,
                                    .tag_passes = 100,
                                    .bank_passes = (uint64_t)clocks,
                                    .clocks = clocks,
                                    .ideal_clocks = 100,
                                    .line = line,
                                    .column = 5,
                                    .array = word(array),
                                    .call_sites = word(""),
                                    .file = word("a file.cl")};
}

static void add_kernel(struct version *version, const char *name)
{
    version->kernels[version->saved.kernel_count++] =
        (struct bl_saved_kernel){.name = word(name),
                                 .label = word(name),
                                 .launches = 1,
                                 .groups = 40,
                                 .traced_groups = 20,
                                 .local = {64, 1, 1},
                                 .first = version->saved.access_count};
}

static void add_access(struct version *version, struct bl_saved_access access)
{
    version->accesses[version->saved.access_count++] = access;
    version->kernels[version->saved.kernel_count - 1].count++;
}

static void settle(struct version *version)
{
    version->saved.kernels = version->kernels;
    version->saved.accesses = version->accesses;
}

/* Makes a trace of two kernels. The first has a costly read, a cheap write, and a read of a tile.
 */
static void make_version(struct version *version)
{
    *version = (struct version){.saved = {.tool = word("1"),
                                          .machine = word("nvidia-hopper"),
                                          .settings = word("sample=all"),
                                          .machine_hash = 0xabcdef}};
    settle(version);
    add_kernel(version, "sum");
    add_access(version, access_of(BL_MEMORY_GLOBAL, BL_OPERATION_READ, "in", 10, 99000));
    add_access(version, access_of(BL_MEMORY_GLOBAL, BL_OPERATION_WRITE, "out", 14, 100));
    add_access(version, access_of(BL_MEMORY_LOCAL, BL_OPERATION_READ, "tile", 12, 400));
    add_kernel(version, "clear");
    add_access(version, access_of(BL_MEMORY_GLOBAL, BL_OPERATION_WRITE, "out", 20, 400));
    version->accesses[3].requests = 400;
    add_access(version, access_of(BL_MEMORY_GLOBAL, BL_OPERATION_ATOMIC, "count", 21, NAN));
}

static char path[] = "/tmp/bankline-saved-XXXXXX";

static void remove_file(void) { unlink(path); }

static void make_both(void)
{
    cr_assert_geq(close(mkstemp(path)), 0);
    make_version(&before);
    make_version(&after);
}

TestSuite(trace_gate, .init = make_both, .fini = remove_file);

static struct bl_gate compared(void)
{
    struct bl_gate gate;
    settle(&before);
    settle(&after);
    cr_assert_eq(bl_gate_compare(&before.saved, &after.saved, 0.02, &gate, &error), BL_OK, "%s",
                 error.sentence);
    return gate;
}

/* Compares the two versions. Checks how this kernel changed, and how many of its accesses changed.
 */
static void is_judged(size_t kernel, enum bl_gate_change change, size_t accesses)
{
    struct bl_gate gate = compared();
    size_t changed = 0;
    const struct bl_gate_kernel *judged = &gate.kernels[kernel];
    for (size_t i = 0; i < judged->count; i++) {
        const enum bl_gate_change of = gate.accesses[judged->first + i].change;
        changed += of != BL_GATE_SAME && of != BL_GATE_NO_RULE;
    }
    cr_expect_eq(judged->change, change, "kernel %zu is %s", kernel,
                 bl_gate_change_name(judged->change));
    cr_expect_eq(changed, accesses, "kernel %zu: %zu accesses changed", kernel, changed);
    bl_gate_free(&gate);
}

static void save(const struct bl_saved_trace *saved)
{
    FILE *file = fopen(path, "w");
    cr_assert_eq(bl_saved_write(file, saved, &error), BL_OK);
    cr_assert_eq(fclose(file), 0);
}

/* Returns the file's text. The last two results stay valid. */
static char *contents(size_t *bytes)
{
    static char kept[2][8192];
    static unsigned next;
    char *own = kept[next++ % 2];
    FILE *file = fopen(path, "r");
    *bytes = fread(own, 1, sizeof kept[0], file);
    fclose(file);
    return own;
}

Test(trace_gate, a_saved_trace_is_read_back)
{
    before.accesses[1].array = word("a b#c%d\n-\xff");
    before.accesses[2].array = word("-");
    before.accesses[0].clocks = 1.0 / 3;
    before.kernels[0].predicted_ns = 12345;
    save(&before.saved);
    size_t bytes[2];
    const char *one = contents(&bytes[0]);
    struct bl_saved_trace read;
    cr_assert_eq(bl_saved_read(path, &read, &error), BL_OK, "%s", error.sentence);
    cr_assert_str_eq(read.accesses[1].array, before.accesses[1].array);
    cr_assert_str_eq(read.accesses[2].array, "-");
    cr_assert_eq(read.kernels[0].predicted_ns, 12345);
    cr_assert_str_eq(read.accesses[2].call_sites, "");
    cr_assert_str_eq(read.accesses[0].file, "a file.cl");
    cr_assert_float_eq(read.accesses[0].clocks, before.accesses[0].clocks, 0);
    cr_assert(isnan(read.accesses[4].clocks));
    cr_assert_eq(read.kernels[1].first, 3);
    cr_assert_eq(read.kernels[1].count, 2);
    save(&read);
    const char *two = contents(&bytes[1]);
    cr_assert_eq(bytes[0], bytes[1]);
    cr_assert_arr_eq(one, two, bytes[0]);
    bl_saved_free(&read);
}

static enum bl_status read_bytes(const char *text, size_t bytes)
{
    struct bl_saved_trace read;
    FILE *file = fopen(path, "w");
    fwrite(text, 1, bytes, file);
    fclose(file);
    error.sentence[0] = '\0';
    const enum bl_status status = bl_saved_read(path, &read, &error);
    bl_saved_free(&read);
    return status;
}

Test(trace_gate, a_damaged_file_is_refused)
{
    size_t bytes;
    save(&before.saved);
    char *text = contents(&bytes);
    /* changes in line 1, a comment, do not matter */
    const size_t first = (size_t)(strchr(text, '\n') - text) + 1;
    for (size_t cut = 0; cut + 1 < bytes; cut++)
        cr_assert_eq(read_bytes(text, cut), BL_BAD_FORMAT, "%zu of %zu bytes", cut, bytes);
    for (size_t at = first; at + 1 < bytes; at++) {
        const char was = text[at];
        text[at] = (char)(was ^ 1 << at % 8);
        const bool is_blank = strchr(" \t\r\v\f", was) && strchr(" \t\r\v\f", text[at]);
        const enum bl_status status = read_bytes(text, bytes);
        cr_assert(status == BL_BAD_FORMAT || is_blank, "byte %zu: '%c'", at, was);
        cr_assert(status == BL_OK || error.sentence[0]);
        text[at] = was;
    }
    cr_assert_eq(read_bytes(text, bytes), BL_OK, "%s", error.sentence);
}

Test(trace_gate, files_that_are_not_saved_traces_are_refused_with_a_reason)
{
    struct bl_saved_trace read;
    cr_assert_eq(read_bytes("", 0), BL_BAD_FORMAT);
    cr_assert(strstr(error.sentence, "it is empty"), "%s", error.sentence);
    cr_assert_eq(read_bytes("schema = 1\n", 11), BL_BAD_FORMAT);
    cr_assert(strstr(error.sentence, ":1: the file has schema 1, but this bankline reads schema 3"),
              "%s", error.sentence);
    cr_assert_eq(read_bytes("lanes = 32\n", 11), BL_BAD_FORMAT);
    cr_assert(strstr(error.sentence, "not a trace that 'trace --save' wrote"), "%s",
              error.sentence);
    cr_assert_eq(bl_saved_read("/no/such/file", &read, &error), BL_FILE_FAILED);
    bl_saved_free(&read);
}

Test(trace_gate, equal_traces_have_no_changes)
{
    is_judged(0, BL_GATE_SAME, 0);
    is_judged(1, BL_GATE_SAME, 0);
}

Test(trace_gate, names_and_lines_do_not_matter)
{
    after.kernels[0].name = after.kernels[0].label = word("total");
    after.accesses[0].array = word("input");
    after.accesses[1].array = word("result");
    for (size_t i = 0; i < after.saved.access_count; i++) {
        after.accesses[i].line += 100;
        after.accesses[i].column += 7;
    }
    const struct bl_saved_access moved = after.accesses[0];
    after.accesses[0] = after.accesses[2];
    after.accesses[2] = moved;
    is_judged(0, BL_GATE_SAME, 0);
    struct bl_gate gate = compared();
    cr_assert_str_eq(gate.kernels[0].before->name, "sum");
    for (size_t i = 0; i < gate.kernels[0].count; i++) {
        const struct bl_gate_access *access = &gate.accesses[gate.kernels[0].first + i];
        cr_assert_eq(access->before->line + 100, access->after->line);
    }
    bl_gate_free(&gate);
}

Test(trace_gate, a_renamed_kernel_that_got_dearer_is_found)
{
    after.kernels[0].name = after.kernels[0].label = word("total");
    after.accesses[2].clocks = 12800;
    after.accesses[2].bank_passes = 12800;
    is_judged(0, BL_GATE_DEARER, 1);
    struct bl_gate gate = compared();
    const struct bl_gate_access *worst = &gate.accesses[gate.kernels[0].first];
    char why[BL_GATE_WHY], place[BL_GATE_PLACE];
    cr_assert_str_eq(bl_gate_why(worst, why), "bank passes 4 -> 128");
    cr_assert_str_eq(bl_gate_place(worst, place), "tile a file.cl:12:5 local read");
    cr_assert_float_eq(worst->by, 31, 1e-9);
    cr_assert_float_eq(worst->clocks_after, 12800, 1e-9, "per launch");
    cr_assert_eq(bl_gate_bad(&gate), 1);
    bl_gate_free(&gate);
}

/* In one of the two traces, the tile's read has no rule. The costly read got cheaper. */
Test(trace_gate, a_kernel_is_not_cheaper_if_an_access_lost_its_rule)
{
    char why[BL_GATE_WHY];
    after.accesses[0].clocks = 50000;
    after.accesses[2].clocks = NAN;
    is_judged(0, BL_GATE_NO_RULE, 1);
    struct bl_gate gate = compared();
    cr_expect(isnan(gate.kernels[0].by));
    cr_expect_eq(bl_gate_bad(&gate), 1);
    const struct bl_gate_access *lost = &gate.accesses[gate.kernels[0].first];
    while (lost->change != BL_GATE_NO_RULE)
        lost++;
    cr_expect_str_eq(bl_gate_why(lost, why), "the machine has no rule for it now");
    bl_gate_free(&gate);
    after.accesses[0].clocks = 200000; /* the known costs are enough to make the kernel dearer */
    is_judged(0, BL_GATE_DEARER, 1);
    make_version(&after);
    before.accesses[2].clocks = NAN; /* the access has a rule only in the new trace, so there is
                                        neither an alarm nor a verdict */
    is_judged(0, BL_GATE_NO_RULE, 0);
    gate = compared();
    cr_expect_eq(bl_gate_bad(&gate), 0);
    bl_gate_free(&gate);
}

Test(trace_gate, a_costly_access_does_not_hide_a_change_of_a_cheap_one)
{
    after.accesses[1].clocks = 500; /* adds 0.4 % to the kernel's clocks */
    is_judged(0, BL_GATE_DEARER, 1);
    after.accesses[1].clocks = 101;
    is_judged(0, BL_GATE_SAME, 0);
}

Test(trace_gate, a_kernel_that_is_cheaper_as_a_whole_may_have_a_dearer_access)
{
    after.accesses[0].clocks = 50000;
    after.accesses[1].clocks = 3200;
    is_judged(0, BL_GATE_CHEAPER, 2);
    after.accesses[0].clocks = 99000 - 3100; /* balances the higher cost of the write */
    is_judged(0, BL_GATE_SAME, 2);
}

Test(trace_gate, new_and_missing_kernels_are_reported)
{
    add_kernel(&after, "copy");
    add_access(&after, access_of(BL_MEMORY_GLOBAL, BL_OPERATION_READ, "in", 30, 7));
    after.accesses[5].requests = 7;
    is_judged(2, BL_GATE_NEW, 1);
    struct bl_gate gate = compared();
    cr_assert_eq(bl_gate_bad(&gate), 0);
    bl_gate_free(&gate);
    const struct version both = after;
    after = before;
    before = both;
    is_judged(2, BL_GATE_MISSING, 1);
    gate = compared();
    cr_assert_eq(bl_gate_bad(&gate), 1);
    bl_gate_free(&gate);
}

Test(trace_gate, a_kernel_with_more_groups_of_fewer_work_items_is_unchanged)
{
    after.kernels[0].groups *= 2;
    after.kernels[0].local[0] /= 2;
    is_judged(0, BL_GATE_SAME, 0);
}

Test(trace_gate, accesses_of_one_array_are_distinguished_by_their_counts)
{
    struct version *const versions[] = {&before, &after};
    for (unsigned v = 0; v < 2; v++) { /* a second read of the array, executed half as often */
        struct bl_saved_access *second = &versions[v]->accesses[1];
        *second = access_of(BL_MEMORY_GLOBAL, BL_OPERATION_READ, "in", 14, 50);
        second->requests = second->lines = 50;
        second->lanes = 1600;
    }
    after.kernels[0].launches *= 2;
    for (size_t i = 0; i < 3; i++) {
        after.accesses[i].requests *= 2;
        after.accesses[i].clocks *= 2;
        after.accesses[i].lines *= 2;
        after.accesses[i].lanes *= 2;
    }
    const struct bl_saved_access moved =
        after.accesses[0]; /* exchanges the lines of the two reads, too */
    after.accesses[0].line = after.accesses[1].line;
    after.accesses[1].line = moved.line;
    is_judged(0, BL_GATE_SAME, 0);
}

Test(trace_gate, a_renamed_array_is_recognized_by_its_accesses)
{
    struct version *const versions[] = {&before, &after};
    for (unsigned v = 0; v < 2; v++) { /* the array "in" is also written */
        struct bl_saved_access *accesses = versions[v]->accesses;
        accesses[1] = access_of(BL_MEMORY_GLOBAL, BL_OPERATION_READ, "other", 14, 99000);
        accesses[2] = access_of(BL_MEMORY_GLOBAL, BL_OPERATION_WRITE, "in", 12, 400);
    }
    after.accesses[0].array = after.accesses[2].array = word("input");
    after.accesses[1].array = word("weights");
    after.accesses[0].line = 14;
    after.accesses[1].line = 10;
    after.accesses[0].clocks *=
        2; /* by clocks and line alone, accesses[1] would be the better match */
    struct bl_gate gate = compared();
    for (size_t i = 0; i < gate.kernels[0].count; i++) {
        const struct bl_gate_access *access = &gate.accesses[gate.kernels[0].first + i];
        if (access->change == BL_GATE_DEARER) {
            cr_expect_str_eq(access->before->array, "in");
            cr_expect_str_eq(access->after->array, "input");
        }
    }
    cr_expect_eq(gate.kernels[0].change, BL_GATE_DEARER);
    bl_gate_free(&gate);
}

Test(trace_gate, the_number_of_launches_does_not_change_the_clocks)
{
    after.kernels[0].launches *= 3; /* each launch has as many groups as before */
    after.kernels[0].groups *= 3;
    after.kernels[0].traced_groups *= 3;
    for (size_t i = 0; i < 3; i++) {
        after.accesses[i].requests *= 3;
        after.accesses[i].clocks *= 3;
        after.accesses[i].lines *= 3;
        after.accesses[i].lanes *= 3;
    }
    is_judged(0, BL_GATE_SAME, 0);
}

Test(trace_gate, two_kernels_with_the_same_name_are_distinguished_by_their_labels)
{
    for (int i = 0; i < 2; i++) {
        struct version *version = i ? &after : &before;
        version->kernels[0].name = version->kernels[1].name = word("k");
        version->kernels[i].label = word("k (a.cl)");
        version->kernels[1 - i].label = word("k (b.cl)");
    }
    struct bl_gate gate = compared();
    cr_assert_eq(gate.kernels[0].before, &before.kernels[1]);
    cr_assert_eq(gate.kernels[1].before, &before.kernels[0]);
    bl_gate_free(&gate);
}

static void is_refused(const char *sentence)
{
    struct bl_gate gate;
    cr_assert_eq(bl_gate_compare(&before.saved, &after.saved, 0.02, &gate, &error), BL_USAGE);
    cr_assert(strstr(error.sentence, sentence), "%s", error.sentence);
    bl_gate_free(&gate);
}

Test(trace_gate, traces_that_cannot_be_compared_are_refused)
{
    after.saved.settings = word("sample=first,last");
    is_refused("with options 'sample=all', but the new trace with 'sample=first,last'");
    after.saved.machine_hash++;
    is_refused("another description of machine 'nvidia-hopper'");
    after.saved.machine = word("intel-gen9");
    is_refused("for machine 'nvidia-hopper', but the new trace is for 'intel-gen9'");
    after = before;
    for (size_t i = 0; i < before.saved.access_count; i++)
        before.accesses[i].clocks = after.accesses[i].clocks = NAN;
    settle(&after);
    is_refused("has no rule");
}

Test(trace_gate, the_hash_of_a_machine_depends_on_its_numbers)
{
    const struct bl_machine *hopper, *intel;
    cr_assert_eq(bl_machine_find("nvidia-hopper", &hopper, &error), BL_OK);
    cr_assert_eq(bl_machine_find("intel-gen9", &intel, &error), BL_OK);
    struct bl_machine own = *hopper;
    strcpy(own.name, "mine");
    cr_assert_eq(bl_saved_machine_hash(&own), bl_saved_machine_hash(hopper));
    own.line_bytes *= 2;
    cr_assert_neq(bl_saved_machine_hash(&own), bl_saved_machine_hash(hopper));
    cr_assert_neq(bl_saved_machine_hash(intel), bl_saved_machine_hash(hopper));
}

/* The next tests check the files that a comparison writes. */

enum document { TABLE, CSV, MARKDOWN, JSON, JUNIT, BENCHER };

static char *document(enum document kind)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    struct bl_gate gate = compared();
    enum bl_status status = BL_OK;
    if (kind == TABLE)
        bl_gate_table(file, &gate, "old.trace");
    else if (kind == CSV)
        bl_gate_csv(file, &gate);
    else if (kind == MARKDOWN)
        bl_gate_markdown(file, &gate);
    else
        status = kind == JSON    ? bl_gate_json(file, &gate, &error)
                 : kind == JUNIT ? bl_gate_junit(file, &gate, &error)
                                 : bl_saved_bencher(file, &after.saved, &error);
    cr_assert_eq(status, BL_OK, "%s", error.sentence);
    fclose(file);
    bl_gate_free(&gate);
    return text;
}

static void holds(char *text, const char *part)
{
    cr_expect(strstr(text, part), "'%s' is missing in\n%s", part, text);
}

/* Changes the new version: the first kernel is renamed and costs more, and the second is missing.
 * The new name needs escaping. */
static void change_much(void)
{
    after.kernels[0].name = after.kernels[0].label = word("to|<tal>");
    after.accesses[2].clocks = 12800;
    after.accesses[2].bank_passes = 12800;
    after.saved.kernel_count = 1;
    after.saved.access_count = 3;
}

Test(trace_gate, the_table_has_the_changes)
{
    change_much();
    char *text = document(TABLE);
    holds(text, "compared with old.trace");
    holds(text, "was sum");
    holds(text, "tile a file.cl:12:5 local read");
    holds(text, "bank passes 4 -> 128");
    holds(text, "2 kernels: 1 dearer, 1 missing; threshold 2 %.");
    cr_expect_null(strstr(text, "in a file.cl"), "unchanged accesses are left out");
    free(text);
    make_version(&after);
    text = document(TABLE);
    holds(text, "2 kernels: 2 same");
    holds(text, "1 access was not judged: the machine has no rule for it.");
    free(text);
}

Test(trace_gate, the_csv_has_a_line_for_each_access)
{
    change_much();
    char *text = document(CSV);
    size_t lines = 0;
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    cr_assert_eq(lines, 1 + 2 + 3 + 2);
    holds(text, "\n1,nvidia-hopper,0.02,to|<tal>,sum,,,,,,,,,dearer,0.12462");
    holds(text, ",a file.cl,12,5,tile,local,read,12,tile,dearer,31,12800,400,");
    holds(text, "\n1,nvidia-hopper,0.02,,clear,,,,,,,,,missing,,,400,,1,");
    free(text);
}

Test(trace_gate, all_rows_of_the_markdown_table_have_as_many_cells)
{
    change_much();
    char *text = document(MARKDOWN);
    every_line_has_cells(strstr(text, "| kernel, access |"), 7, 7);
    holds(text, "| **to\\|\\<tal\\>** | ");
    free(text);
}

/* The model charges the new version more clocks, but predicts nearly the same time. */
Test(trace_gate, a_cost_that_is_predicted_to_be_hidden_is_reported_as_hidden)
{
    static const enum document all[] = {TABLE, CSV, MARKDOWN, JUNIT};
    change_much();
    before.kernels[0].predicted_ns = 10000;
    after.kernels[0].predicted_ns = 10100; /* 1 % more; the threshold is 2 % */
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        char *text = document(all[i]);
        holds(text, "predicted to take as long as before");
        holds(text, all[i] == JUNIT ? "failures=\"2\"" : "dearer");
        free(text);
    }
    static const unsigned ns[][2] = {{10000, 10300}, {0, 10000}, {10000, 0}};
    for (unsigned i = 0; i < sizeof ns / sizeof *ns; i++) {
        before.kernels[0].predicted_ns = ns[i][0];
        after.kernels[0].predicted_ns = ns[i][1];
        char *text = document(CSV);
        cr_expect_null(strstr(text, "predicted"), "%s", text);
        free(text);
    }
}

Test(trace_gate, dearer_and_missing_kernels_fail_in_junit)
{
    change_much();
    char *text = document(JUNIT);
    holds(text, "tests=\"2\" failures=\"2\"");
    holds(text, "name=\"to|&lt;tal&gt;\"");
    holds(text, "; tile a file.cl:12:5 local read: +3100.0 %, bank passes 4 -&gt; 128\"");
    free(text);
    make_version(&after);
    after.accesses[3].clocks = before.accesses[3].clocks =
        NAN; /* no access of the second kernel has a rule */
    text = document(JUNIT);
    holds(text, "tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"1\"");
    free(text);
}

#ifdef BL_WITH_JANSSON
Test(trace_gate, json_has_kernels_and_their_accesses)
{
    change_much();
    json_t *root = parsed(document(JSON)), *first = at(root, "kernels", 0);
    cr_assert_eq(json_integer_value(json_object_get(json_object_get(root, "changes"), "dearer")),
                 1);
    cr_assert_eq(json_array_size(json_object_get(root, "kernels")), 2);
    cr_assert_str_eq(json_string_value(json_object_get(first, "kernel_before")), "sum");
    cr_assert_eq(json_array_size(json_object_get(first, "accesses")), 3);
    json_t *worst = at(first, "accesses", 0);
    cr_assert_float_eq(json_real_value(json_object_get(worst, "by")), 31, 1e-6);
    cr_assert_float_eq(json_real_value(json_object_get(worst, "bank_passes")), 128, 1e-6);
    cr_assert_float_eq(json_real_value(json_object_get(worst, "bank_passes_before")), 4, 1e-6);
    json_decref(root);
}

Test(trace_gate, bencher_has_each_kernel)
{
    json_t *root = parsed(document(BENCHER));
    const json_t *sum = json_object_get(root, "sum");
    cr_assert_eq(json_object_size(root), 2);
    const json_t *clocks = json_object_get(json_object_get(sum, "clocks"), "value"),
                 *requests = json_object_get(json_object_get(sum, "requests"), "value");
    cr_assert_float_eq(json_real_value(clocks), 99500, 1e-6);
    cr_assert_float_eq(json_real_value(requests), 300, 1e-6);
    json_decref(root);
}
#endif
