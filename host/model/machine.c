/* The table of a machine's fields, and how they are printed (machine_file.h). machine_file.c reads
 * them, and has the built-in machines. */
#include "model/machine_file.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The fields. */

#define AT(member) offsetof(struct bl_machine, member), sizeof((struct bl_machine *)0)->member

/* The keys of a level (struct bl_level), whose names begin with `level`. */
enum {
    OF_LEVEL = BL_FIELD_OPTIONAL | BL_FIELD_ZERO_IS_UNKNOWN,
    OF_TIME = OF_LEVEL | BL_FIELD_INFERRED
};
/* clang-format off */ /* one key per row */
#define KEY(level, i, member, kind, max, meaning)                                                 \
    {level "_" #member, kind, AT(levels[i].member), 0, max, 0, OF_LEVEL, meaning}
#define PERCENT(level, i, member, meaning) KEY(level, i, member, BL_FIELD_COUNT, 100000, meaning)
#define AMOUNT(level, i, member, max, meaning)                                                    \
    {level "_" #member, BL_FIELD_AMOUNT, AT(levels[i].member), 0, max, 0, OF_TIME, meaning}
#define LEVEL(level, i, what, how_much)                                                           \
    KEY(level, i, name, BL_FIELD_TEXT, 0, what),                                                  \
    KEY(level, i, granule_bytes, BL_FIELD_POWER_OF_TWO, 1024,                                     \
        "bytes that it delivers at once, even if fewer are wanted; 0: no rule for this level"),   \
    PERCENT(level, i, least_of_line_percent,                                                      \
            "minimum cost of each line of a request, in hundredths of a granule,"),               \
    PERCENT(level, i, least_of_request_percent, "... and of the whole request"),                  \
    KEY(level, i, block_bytes, BL_FIELD_POWER_OF_TWO, 1u << 20,                                   \
        "bytes of a block, such as a row of DRAM, that a request opens once for all granules in\n" \
        "it; 0: no blocks. Minimum costs, in hundredths of a granule:"),                          \
    PERCENT(level, i, open_percent, "opening a block,"),                                          \
    PERCENT(level, i, line_percent, "... plus each of its lines that is touched,"),               \
    PERCENT(level, i, granule_percent, "... plus each of its granules"),                          \
    KEY(level, i, shared_requests, BL_FIELD_COUNT, 1024,                                          \
        "requests of a group for which there is a rule of what they share; 0: there is none.\n"   \
        "How much of what sharing would save is saved, in percent:"),                             \
    PERCENT(level, i, near_percent, "by scattered requests, of what is shared by four,"),         \
    PERCENT(level, i, alike_percent,                                                              \
            "... more of it the more granules one other request wants too, if it wants all,"),    \
    PERCENT(level, i, far_percent, "... and of what is shared by the group;"),                    \
    PERCENT(level, i, repeated_percent, "by requests that a neighbour repeats"),                  \
    KEY(level, i, write_block_bytes, BL_FIELD_POWER_OF_TWO, 1u << 20,                             \
        "bytes of a block in which partial writes are counted, a line or more; 0: no rule for\n"  \
        "writes. Costs, in hundredths of a fully written sector:"),                               \
    PERCENT(level, i, write_alone_percent,                                                        \
            "minimum of a block whose written sectors are all written fully,"),                   \
    PERCENT(level, i, write_whole_percent, "... plus each granule that they lie in"),             \
    KEY(level, i, write_mixes, BL_FIELD_FLAG, 0,                                                  \
        "yes: a block with full and partial sectors costs the sum of both; no: no rule for it"),  \
    PERCENT(level, i, write_open_percent, "a partly written block,"),                             \
    PERCENT(level, i, write_line_percent,                                                         \
            "... plus each of its partly written lines; or, if that is more,"),                   \
    PERCENT(level, i, write_fill_percent, "... the block,"),                                      \
    PERCENT(level, i, write_part_percent, "... plus each of its partly written sectors"),         \
    PERCENT(level, i, write_shared_percent,                                                       \
            "what scattered and dense partial writes of requests that share cost, in percent of\n" \
            "this; 0: there is no rule of what is shared, nor of the next two:"),                 \
    PERCENT(level, i, write_run_whole_percent,                                                    \
            "a whole sector of runs that fill blocks together, and"),                             \
    PERCENT(level, i, write_run_part_percent, "... a sector that two of them write in part"),     \
    PERCENT(level, i, write_mixed_percent,                                                        \
            "cost of requests with many blocks of both kinds, in hundredths of the sum"),         \
    PERCENT(level, i, write_few_mixed_percent, "... with few: more for their part of the cost"), \
    KEY(level, i, cards_percent, BL_FIELD_COUNT, 50,                                              \
        "how far cards of one model were measured to differ from the prediction, in percent:\n"   \
        "a row may be off by as much; other cards may differ more. 0: not known"),                \
    KEY(level, i, working_set_mib, BL_FIELD_COUNT, 1u << 20, how_much),                           \
    KEY(level, i, kib, BL_FIELD_COUNT, 1u << 30, "KiB that it holds; 0: not known"),              \
    AMOUNT(level, i, latency_ns, 100000,                                                          \
           "ns of a read of one line whose result is the next read's address, on an idle\n"       \
           "device; 0: not known, as for all of the level's times"),                              \
    AMOUNT(level, i, further_line_ns, 10000,                                                      \
           "ns more for each further line of such a request,"),                                   \
    AMOUNT(level, i, far_line_ns, 10000,                                                          \
           "... if its lines are 16 KiB or more apart; 0: the same"),                             \
    AMOUNT(level, i, loaded_latency_ns, 100000,                                                   \
           "ns of such a read while all compute units read as much as the level delivers"),       \
    AMOUNT(level, i, bytes_per_ns, 1000000,                                                       \
           "bytes per ns that it delivers to all compute units together, in whole lines,"),       \
    AMOUNT(level, i, write_bytes_per_ns, 1000000, "... and takes from them, in whole lines"),     \
    AMOUNT(level, i, unit_bytes_per_ns, 100000,                                                   \
           "bytes per ns that it delivers to one compute unit while the others are idle")

/* Times, and what limits how much is under way. */
#define TIME(member, max, meaning)                                                                \
    {#member, BL_FIELD_AMOUNT, AT(member), 0, max, 0, OF_TIME, meaning}
#define COUNT(member, max, meaning)                                                               \
    {#member, BL_FIELD_COUNT, AT(member), 0, max, 0, OF_TIME, meaning}
/* clang-format on */

const struct bl_machine_field bl_machine_fields[] = {
    {"name", BL_FIELD_TEXT, AT(name), 0, 0, 0, 0, "name in the CSV's machine column"},
    {"formerly", BL_FIELD_TEXT, AT(formerly), 0, 0, 0, BL_FIELD_OPTIONAL,
     "a former name, which files may still use"},
    {"title", BL_FIELD_TEXT, AT(title), 0, 0, 0, BL_FIELD_OPTIONAL, "a short description"},
    {"device_type", BL_FIELD_DEVICES, AT(device_type), 0, 0, 0, BL_FIELD_OPTIONAL,
     "devices for which it is chosen if it is built in: cpu, gpu, any, or none"},
    {"vendors", BL_FIELD_NUMBERS, AT(vendors), 0, 0, 0, BL_FIELD_OPTIONAL,
     "... of these vendors (PCI, as 0x8086), at most 4; none: of any vendor"},
    {"capability_min", BL_FIELD_COUNT, AT(capability_min), 0, 9999, 0, BL_FIELD_OPTIONAL,
     "... of at least this compute capability of NVIDIA, as 90 for 9.0; 0: of any"},
    {"capability_max", BL_FIELD_COUNT, AT(capability_max), 0, 9999, 0, BL_FIELD_OPTIONAL,
     "... and of at most this"},
    {"ip_versions", BL_FIELD_VERSIONS, AT(ip_versions), 0, 0, 0, BL_FIELD_OPTIONAL,
     "... of these versions of Intel's hardware (cl_intel_device_attribute_query), as\n"
     "12.55-12.57; none: of any"},
    {"device_ids", BL_FIELD_RANGES, AT(device_ids), 0, 0, 0, BL_FIELD_OPTIONAL,
     "... or, where the driver reports no version, of these PCI ids, as 0x5690-0x5697,"},
    {"names", BL_FIELD_TEXT, AT(names), 0, 0, 0, BL_FIELD_OPTIONAL,
     "... or with one of these in the name, commas between them; none of all three: any device"},
    {"rests_on", BL_FIELD_TEXT, AT(rests_on), 0, 0, 0, BL_FIELD_OPTIONAL,
     "evidence for the fields below: measured here, published (by others who measured),\n"
     "documents, hypotheses; commas between them"},
    {"has_rule", BL_FIELD_FLAG, AT(has_rule), 0, 0, 0, 0,
     "yes: measurements are held against the fields below; no: nothing is predicted"},
    {"why_no_rule", BL_FIELD_TEXT, AT(why_no_rule), 0, 0, 0, BL_FIELD_OPTIONAL,
     "the reason if has_rule is no: a sentence"},
    {"why_no_global_rule", BL_FIELD_TEXT, AT(why_no_global_rule), 0, 0, 0, BL_FIELD_OPTIONAL,
     "the reason if only local memory has a rule: a sentence; else empty"},
    {"lanes", BL_FIELD_POWER_OF_TWO, AT(lanes), 4, BL_MAX_LANES, 32, BL_FIELD_INFERRED,
     "work-items that one request serves (the sub-group of one memory instruction)"},
    {"line_bytes", BL_FIELD_POWER_OF_TWO, AT(line_bytes), 4, 1024, 128, BL_FIELD_INFERRED,
     "bytes of a cache line"},
    {"sector_bytes", BL_FIELD_POWER_OF_TWO, AT(sector_bytes), 0, 1024, 0, BL_FIELD_INFERRED,
     "bytes of a line that can be fetched alone; 0: lines are fetched whole"},
    {"tag_masks", BL_FIELD_NUMBERS, AT(tag_masks), 0, 0, 0, 0,
     "which tag bank looks up a line: bit i of the bank's number is the parity of the line's\n"
     "number (its address / line_bytes) and mask i; none: one tag bank"},
    {"lines_per_clock", BL_FIELD_COUNT, AT(lines_per_clock), 1, 1024, 1, BL_FIELD_INFERRED,
     "lines that each tag bank looks up per clock"},
    {"overlap_percent", BL_FIELD_COUNT, AT(overlap_percent), 0, 100, 0,
     BL_FIELD_OPTIONAL | BL_FIELD_INFERRED,
     "if some requests wait for tags and others for banks: the part of the shorter wait that the\n"
     "longer one hides; 0: none"},
    {"cache_bytes", BL_FIELD_COUNT, AT(cache_bytes), 0, 1u << 30, 0,
     BL_FIELD_INFERRED | BL_FIELD_ZERO_IS_UNKNOWN,
     "bytes of the compute unit's cache, which these rules describe; 0: not known"},
    {"cache_name", BL_FIELD_TEXT, AT(cache_name), 0, 0, 0, BL_FIELD_OPTIONAL, "... and its name"},
    {"global_reads_alone", BL_FIELD_FLAG, AT(global_reads_alone), 0, 0, 0, BL_FIELD_OPTIONAL,
     "yes: that cache has a rule for reads alone"},
    {"global_min_bytes", BL_FIELD_POWER_OF_TWO, AT(global_min_bytes), 0, 16, 0, BL_FIELD_OPTIONAL,
     "smallest access of a lane, in bytes, that the rule covers; 0: any"},
    {"global_max_bytes", BL_FIELD_POWER_OF_TWO, AT(global_max_bytes), 0, 16, 0, BL_FIELD_OPTIONAL,
     "... and the largest; 0: any"},
    {"global_span_kib", BL_FIELD_COUNT, AT(global_span_kib), 0, 1u << 20, 0, BL_FIELD_OPTIONAL,
     "KiB within which all lanes of a request must lie for the rule to apply; 0: no limit"},
    {"global_in_quads", BL_FIELD_FLAG, AT(global_in_quads), 0, 0, 0, BL_FIELD_OPTIONAL,
     "yes: a request of that cache goes in groups of 16 lanes. Accesses of 4 bytes take one pass\n"
     "where each four lanes in a row lie within 16 bytes, else four: the first lane of each\n"
     "such four, the second, ...; wider ones take a pass for each four lanes in a row. A pass\n"
     "costs the lines of its busiest tag bank, or the words of its busiest bank: one for each\n"
     "of a line"},
    {"read_least_clocks", BL_FIELD_COUNT, AT(read_least_clocks), 0, 1024, 0, BL_FIELD_OPTIONAL,
     "minimum clocks of a read of that cache by all lanes; a read by fewer lanes that would take\n"
     "less has no rule; 0: one"},
    {"scattered_read_least_clocks", BL_FIELD_COUNT, AT(scattered_read_least_clocks), 0, 1024, 0,
     BL_FIELD_OPTIONAL,
     "the same if any four consecutive lanes touch more bytes than four accesses have; 0: one"},
    LEVEL("l2", 0, "name of the next cache, which all compute units share",
          "MiB of a working set that it holds and the previous cache does not; 0: half of the\n"
          "cache size that the driver reports"),
    LEVEL("llc", 1, "name of a further cache, if there is one", "as for the previous cache"),
    LEVEL("memory", 2, "name of the memory",
          "MiB of a working set of which caches hold next to nothing; 0: 32 times the cache size\n"
          "that the driver reports"),
    {"banks", BL_FIELD_COUNT, AT(banks), 1, BL_MAX_BANKS, 32, BL_FIELD_INFERRED,
     "banks of local memory"},
    {"bank_bytes", BL_FIELD_POWER_OF_TWO, AT(bank_bytes), 1, 64, 4, BL_FIELD_INFERRED,
     "bytes of a bank's word, of which it delivers one per clock"},
    {"local_lanes_at_once", BL_FIELD_POWER_OF_TWO, AT(local_lanes_at_once), 0, BL_MAX_LANES, 0,
     BL_FIELD_OPTIONAL | BL_FIELD_INFERRED | BL_FIELD_ZERO_IS_UNKNOWN,
     "consecutive lanes that the banks of local memory serve together; 0: all of a request"},
    {"local_lanes_written_at_once", BL_FIELD_POWER_OF_TWO, AT(local_lanes_written_at_once), 0,
     BL_MAX_LANES, 0, BL_FIELD_OPTIONAL | BL_FIELD_INFERRED | BL_FIELD_ZERO_IS_UNKNOWN,
     "... and whose writes they take together; 0: as many as in a read"},
    {"local_max_bytes", BL_FIELD_POWER_OF_TWO, AT(local_max_bytes), 0, 16, 0, BL_FIELD_OPTIONAL,
     "largest access of a lane, in bytes, for which local memory has a rule; 0: any"},
    {"banks_alternatives", BL_FIELD_BANKS, AT(banks_alternatives), 0, 0, 0, BL_FIELD_OPTIONAL,
     "if the banks are not known: the possible ones, beginning with the two numbers above, as\n"
     "16x4 65x8; what depends on them has no rule then; none: the banks are known"},
    {"banks_serve_global", BL_FIELD_FLAG, AT(banks_serve_global), 0, 0, 0, BL_FIELD_INFERRED,
     "yes: cached reads of global memory come through the same banks"},
    {"constant_is_global", BL_FIELD_FLAG, AT(constant_is_global), 0, 0, 0, BL_FIELD_INFERRED,
     "yes: constant memory goes the way of global memory; no: the model has no rule for it"},
    {"atomics_by_lane", BL_FIELD_FLAG, AT(atomics_by_lane), 0, 0, 0,
     BL_FIELD_OPTIONAL | BL_FIELD_INFERRED,
     "yes: a bank of local memory serves atomic additions one lane at a time, even to the same\n"
     "word; no: the model has no rule for them"},
    {"barrier_more_percent", BL_FIELD_COUNT, AT(barrier_more_percent), 0, 1000, 0,
     BL_FIELD_OPTIONAL | BL_FIELD_INFERRED | BL_FIELD_ZERO_IS_UNKNOWN,
     "what each further sub-group of a group adds to a barrier between a write and a read of\n"
     "local memory, in hundredths of what it takes in a group of one; 0: there is no rule"},
    {"wide_in_parts", BL_FIELD_FLAG, AT(wide_in_parts), 0, 0, 0, BL_FIELD_INFERRED,
     "yes: an access wider than a word is served in parts of as many consecutive lanes as ask\n"
     "for one word of every bank; no: all lanes at once"},
    {"pairs_share_wide", BL_FIELD_FLAG, AT(pairs_share_wide), 0, 0, 0,
     BL_FIELD_OPTIONAL | BL_FIELD_INFERRED,
     "yes: a part of a read of local memory has twice as many lanes if each lane wants the same\n"
     "element as its neighbour, or as the lane after that"},
    {"widest_bytes", BL_FIELD_POWER_OF_TWO, AT(widest_bytes), 1, 16, 16, BL_FIELD_INFERRED,
     "bytes of the widest access of a lane; a wider one is several requests"},
    {"widest_components", BL_FIELD_POWER_OF_TWO, AT(widest_components), 1, 16, 4, BL_FIELD_INFERRED,
     "components of the longest vector that a lane accesses in one request"},
    {"three_is_two_and_one", BL_FIELD_FLAG, AT(three_is_two_and_one), 0, 0, 0, BL_FIELD_INFERRED,
     "yes: a vector of 3 is a request of two components and one of one"},
    {"local_reads_three_as_four", BL_FIELD_FLAG, AT(local_reads_three_as_four), 0, 0, 0,
     BL_FIELD_INFERRED,
     "yes: but a read of local memory takes all four components that the element occupies"},
    {"constant_reads_three_as_four", BL_FIELD_FLAG, AT(constant_reads_three_as_four), 0, 0, 0,
     BL_FIELD_OPTIONAL, "yes: a read of constant memory does so, too"},
    {"sectors_written_per_clock", BL_FIELD_COUNT, AT(sectors_written_per_clock), 0, 1024, 0, 0,
     "sectors that leave a compute unit per clock when global memory is written; 0: writes cost\n"
     "what reads cost"},
    {"group_items_max", BL_FIELD_COUNT, AT(group_items_max), 0, 1u << 20, 0,
     BL_FIELD_OPTIONAL | BL_FIELD_ZERO_IS_UNKNOWN,
     "work-items of the largest group that these devices take; 0: not known"},
    {"kernel_items_max", BL_FIELD_COUNT, AT(kernel_items_max), 0, 1u << 20, 0,
     BL_FIELD_OPTIONAL | BL_FIELD_ZERO_IS_UNKNOWN,
     "work-items of the largest group that their driver states for a kernel\n"
     "(CL_KERNEL_WORK_GROUP_SIZE) that requires no size; 0: not known"},
    {"unrolled_reads", BL_FIELD_POWER_OF_TWO, AT(unrolled_reads), 2, BL_MAX_UNROLL, 64, 0,
     "accesses that a kernel unrolls in global memory, half as many in local memory"},
    {"global_sub_groups_per_cu", BL_FIELD_COUNT, AT(global_sub_groups_per_cu), 1, 1024, 128, 0,
     "sub-groups to launch for each compute unit: enough to hide latency"},
    {"local_sub_groups_per_cu", BL_FIELD_COUNT, AT(local_sub_groups_per_cu), 1, 1024, 8, 0,
     "the same for local memory: not more than are resident at once, each with 8 KiB"},
    TIME(clock_mhz, 100000,
         "clock in MHz at which the times of this file were measured; 0: not known, as for all\n"
         "fields that follow, without which no time is predicted"),
    TIME(integer_ns, 10000, "ns from one addition of integers to the next, which needs its result"),
    TIME(float_ns, 10000, "the same of floats"),
    TIME(
        cache_latency_ns, 100000,
        "ns of a read from the first cache whose result is the next read's address; the latencies\n"
        "of the levels above are defined alike"),
    TIME(conflict_ns, 10000,
         "ns more if a bank has to serve such a request more than once, whatever the number of\n"
         "passes,"),
    TIME(further_pass_ns, 10000, "... and for each further pass"),
    TIME(local_latency_ns, 100000,
         "ns of a read of local memory whose result is the next read's address"),
    TIME(store_then_load_ns, 100000,
         "ns of a write of one line and a read of it whose result is the next write's address, in\n"
         "a working set that the first cache does not hold,"),
    TIME(store_then_load_line_ns, 10000, "... and for each further line of both requests"),
    TIME(barrier_ns, 100000,
         "ns of a barrier and an exchange through local memory in a group of one sub-group"),
    COUNT(unit_lines_in_flight, 1u << 20,
          "max lines that a compute unit waits for at a time; 0: not known, or no limit found"),
    COUNT(sub_group_lines_in_flight, 1u << 20, "the same of one sub-group"),
    TIME(launch_ns, 100000000, "ns of a launch of one group that does nothing, by its event"),
    TIME(launch_least_ns, 100000000,
         "least ns of such a launch in nine of ten: launches of the same kernel differ"),
    TIME(launch_most_ns, 100000000, "most ns of such a launch in nine of ten; launch_ns if 0"),
    TIME(first_launch_ns, 100000000,
         "ns more that a program's first launch takes, which finds the device idle"),
    TIME(
        group_start_ns, 1000000,
        "ns that each further group, if small, adds to a launch of very many on the whole device,"),
    TIME(item_start_ns, 10000, "... and at least this for each of its work-items"),
    TIME(sided_group_start_ns, 1000000,
         "the same as group_start_ns for groups of more than one side; 0: they start as others do"),
    COUNT(compute_units, 1u << 20, "compute units of the device"),
    COUNT(groups_per_unit, 1u << 20, "groups that a compute unit holds at most,"),
    COUNT(sub_groups_per_unit, 1u << 20, "... sub-groups,"),
    COUNT(registers_per_unit, 1u << 30, "... registers of 4 bytes,"),
    COUNT(local_bytes_per_unit, 1u << 30, "... bytes of local memory, of which"),
    COUNT(local_bytes_reserved, 1u << 20, "... each group takes this many in addition to its own"),
    COUNT(instructions_per_clock, 64,
          "instructions of sub-groups that a compute unit issues per clock"),
};

const char *const bl_machine_device_names[] = {"none", "any", "cpu", "gpu"};

enum { FIELD_COUNT = sizeof bl_machine_fields / sizeof bl_machine_fields[0] };

const size_t bl_machine_field_count = FIELD_COUNT;

_Static_assert((int)FIELD_COUNT <= (int)BL_MAX_MACHINE_FIELDS,
               "a reader has a line for each field");

const struct bl_machine_field *bl_machine_field_named(const char *key)
{
    for (size_t i = 0; i < FIELD_COUNT; i++)
        if (strcmp(bl_machine_fields[i].key, key) == 0)
            return &bl_machine_fields[i];
    return NULL;
}

double bl_machine_value(const struct bl_machine *machine, const struct bl_machine_field *field)
{
    const void *at = (const char *)machine + field->offset;
    double value = NAN;
    if (field->kind == BL_FIELD_FLAG)
        value = *(const bool *)at;
    else if (field->kind == BL_FIELD_COUNT || field->kind == BL_FIELD_POWER_OF_TWO)
        value = *(const unsigned *)at;
    else if (field->kind == BL_FIELD_AMOUNT)
        value = *(const double *)at;
    return value == 0 && field->flags & BL_FIELD_ZERO_IS_UNKNOWN ? (double)NAN : value;
}

/* Rounds to four digits, which is more than a measurement has. */
static double rounded(double amount)
{
    const double unit = amount > 0 ? pow(10, floor(log10(amount)) - 3) : 1;
    return round(amount / unit) * unit;
}

void bl_machine_set(struct bl_machine *machine, const struct bl_machine_field *field, double value)
{
    void *at = (char *)machine + field->offset;
    if (field->kind == BL_FIELD_FLAG)
        *(bool *)at = value > 0.5;
    else if (field->kind == BL_FIELD_COUNT || field->kind == BL_FIELD_POWER_OF_TWO)
        *(unsigned *)at = (unsigned)lround(fmin(field->max, fmax(field->min, value)));
    else if (field->kind == BL_FIELD_AMOUNT)
        *(double *)at = rounded(fmin(field->max, fmax(field->min, value)));
}

struct bl_machine bl_machine_start(void)
{
    struct bl_machine machine = {.device_type = BL_FOR_NONE};
    for (size_t i = 0; i < FIELD_COUNT; i++)
        bl_machine_set(&machine, &bl_machine_fields[i], bl_machine_fields[i].start);
    return machine;
}

/* How each kind is written. */

/* Prints with a decimal point in every locale. */
static void print_amount(FILE *file, double amount)
{
    enum { PLACES = 6, PARTS = 1000000 };
    const uint64_t parts = (uint64_t)llround(amount * PARTS);
    unsigned rest = (unsigned)(parts % PARTS);
    int places = PLACES;
    for (; rest && rest % 10 == 0; places--)
        rest /= 10;
    fprintf(file, "%" PRIu64, parts / PARTS);
    if (rest)
        fprintf(file, ".%0*u", places, rest);
}

static void print_pairs(FILE *file, const struct bl_machine_field *field, const unsigned pairs[])
{
    const size_t max = field->size / sizeof pairs[0];
    for (size_t i = 0; i < max && pairs[i]; i += BL_NUMBERS_OF_PAIR) {
        const unsigned from = pairs[i], to = pairs[i + 1];
        if (i)
            fputc(' ', file);
        if (field->kind == BL_FIELD_BANKS) {
            fprintf(file, "%ux%u", from, to);
        } else if (field->kind == BL_FIELD_RANGES) {
            fprintf(file, "0x%04x", from);
            if (from != to)
                fprintf(file, "-0x%04x", to);
        } else {
            fprintf(file, "%u.%u", from / BL_IP_RELEASES, from % BL_IP_RELEASES);
            if (from != to)
                fprintf(file, "-%u.%u", to / BL_IP_RELEASES, to % BL_IP_RELEASES);
        }
    }
    fputs(pairs[0] ? "" : "none", file);
}

/* The value as text, without line end. */
static void print_value(FILE *file, const struct bl_machine_field *field,
                        const struct bl_machine *machine)
{
    const void *at = (const char *)machine + field->offset;
    switch (field->kind) {
    case BL_FIELD_TEXT:
        fputs(at, file);
        break;
    case BL_FIELD_FLAG:
        fputs(*(const bool *)at ? "yes" : "no", file);
        break;
    case BL_FIELD_COUNT:
    case BL_FIELD_POWER_OF_TWO:
        fprintf(file, "%u", *(const unsigned *)at);
        break;
    case BL_FIELD_AMOUNT:
        print_amount(file, *(const double *)at);
        break;
    case BL_FIELD_NUMBERS:
        for (size_t i = 0; i < field->size / sizeof(uint64_t) && ((const uint64_t *)at)[i]; i++)
            fprintf(file, "%s0x%" PRIx64, i ? " " : "", ((const uint64_t *)at)[i]);
        fputs(*(const uint64_t *)at ? "" : "none", file);
        break;
    case BL_FIELD_RANGES:
    case BL_FIELD_VERSIONS:
    case BL_FIELD_BANKS:
        print_pairs(file, field, at);
        break;
    case BL_FIELD_DEVICES:
        fputs(bl_machine_device_names[*(const enum bl_machine_devices *)at], file);
        break;
    }
}

enum bl_status bl_machine_value_text(const struct bl_machine *machine,
                                     const struct bl_machine_field *field, char text[], size_t size,
                                     struct bl_error *error)
{
    FILE *file = fmemopen(text, size, "w");
    if (!file)
        return bl_fail(error, BL_NO_MEMORY, "no memory for a machine's value");
    print_value(file, field, machine);
    fclose(file);
    return BL_OK;
}

static void print_comment(FILE *file, const char *text)
{
    while (*text) {
        const size_t length = strcspn(text, "\n");
        fprintf(file, "# %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

void bl_machine_print(FILE *file, const struct bl_machine *machine)
{
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        print_comment(file, bl_machine_fields[i].meaning);
        fprintf(file, "%s = ", bl_machine_fields[i].key);
        print_value(file, &bl_machine_fields[i], machine);
        fputs(i + 1 == FIELD_COUNT ? "\n" : "\n\n", file);
    }
}
