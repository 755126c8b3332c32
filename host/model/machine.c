/* The table of a machine's fields, and the functions that print them (machine_file.h).
 * machine_file.c reads the fields from files and finds the built-in machines. */
#include "model/machine_file.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The fields. */

#define AT(member) offsetof(struct bl_machine, member), sizeof((struct bl_machine *)0)->member

/* The keys of a level (struct bl_level) begin with the macros' argument `level`, such as "l2". */
enum {
    OF_LEVEL = BL_FIELD_OPTIONAL | BL_FIELD_ZERO_IS_UNKNOWN,
    OF_FOUND = OF_LEVEL | BL_FIELD_INFERRED
};
/* clang-format off */ /* one key per row */
#define FIELD(level, i, member, kind, max, flags, meaning)                                        \
    {level "_" #member, kind, AT(levels[i].member), 0, max, 0, flags, meaning}
#define KEY(level, i, member, kind, max, meaning)                                                 \
    FIELD(level, i, member, kind, max, OF_LEVEL, meaning)
#define PERCENT(level, i, member, meaning) KEY(level, i, member, BL_FIELD_COUNT, 100000, meaning)
/* A percentage of a saving. With more than 100 %, a cost could be negative. */
#define SAVING(level, i, member, meaning) KEY(level, i, member, BL_FIELD_COUNT, 100, meaning)
#define AMOUNT(level, i, member, max, meaning)                                                    \
    FIELD(level, i, member, BL_FIELD_AMOUNT, max, OF_FOUND, meaning)
/* kib_flags, far_flags: the flags of kib, which `infer` finds only for caches, and of far_line_ns,
 * which it finds only for memory. */
#define LEVEL(level, i, kib_flags, far_flags, what, how_much)                                     \
    FIELD(level, i, name, BL_FIELD_TEXT, 0, OF_FOUND, what),                                      \
    KEY(level, i, granule_bytes, BL_FIELD_POWER_OF_TWO, 1024,                                     \
        "bytes of a granule, the smallest amount that this level delivers; 0 if the level has\n"  \
        "no rule"),                                                                               \
    PERCENT(level, i, least_of_line_percent,                                                      \
            "minimum cost of each line of a request, in hundredths of a granule"),                \
    PERCENT(level, i, least_of_request_percent,                                                   \
            "minimum cost of a whole request, in hundredths of a granule"),                       \
    KEY(level, i, block_bytes, BL_FIELD_POWER_OF_TWO, 1u << 20,                                   \
        "bytes of a block, such as a row of DRAM, that a request opens once for all granules in\n"\
        "it; 0 if this level has no blocks"),                                                     \
    PERCENT(level, i, open_percent,                                                               \
            "charge for opening a block, in hundredths of a granule; part of its minimum cost"),  \
    PERCENT(level, i, line_percent,                                                               \
            "charge for each line touched, in hundredths of a granule;\n"                         \
            "part of a block's minimum cost"),                                                    \
    PERCENT(level, i, granule_percent,                                                            \
            "charge for each granule, in hundredths of a granule;\n"                              \
            "part of a block's minimum cost"),                                                    \
    KEY(level, i, shared_requests, BL_FIELD_COUNT, 1024,                                          \
        "number of requests per group for which the rule of shared granules holds; 0 if there\n"  \
        "is no such rule"),                                                                       \
    SAVING(level, i, near_percent,                                                                \
           "saving of scattered requests, in percent of the saving if four consecutive\n"         \
           "requests shared all common granules; at most 100, together with alike_percent and\n"   \
           "far_percent"),                                                                        \
    SAVING(level, i, alike_percent,                                                               \
           "percentage points added to near_percent if one other request reads all granules\n"    \
           "of a request; in proportion if it reads a part of them"),                             \
    SAVING(level, i, far_percent,                                                                 \
           "further saving of scattered requests, in percent of the saving if the whole group\n"  \
           "shared all common granules"),                                                         \
    SAVING(level, i, repeated_percent,                                                            \
           "saving of requests that a neighbour repeats, in percent of the saving if the whole\n" \
           "group shared all common granules; at most 100"),                                      \
    KEY(level, i, write_block_bytes, BL_FIELD_POWER_OF_TWO, 1u << 20,                             \
        "bytes of a block for counting partial writes, at least a line; 0 if there is no rule\n"  \
        "for writes"),                                                                            \
    PERCENT(level, i, write_alone_percent,                                                        \
            "fixed part of the minimum cost of a block without partial sectors, in hundredths\n"  \
            "of a full sector"),                                                                  \
    PERCENT(level, i, write_whole_percent,                                                        \
            "charge for each granule touched, part of the minimum cost of a block without\n"      \
            "partial sectors, in hundredths of a full sector"),                                   \
    KEY(level, i, write_mixes, BL_FIELD_FLAG, 0,                                                  \
        "yes if a block with full and partial sectors costs the sum of both; no if such a block\n"\
        "has no rule"),                                                                           \
    PERCENT(level, i, write_open_percent,                                                         \
            "opening a block that has partial sectors costs this plus write_line_percent for\n"   \
            "each partially written line; in hundredths of a full sector"),                       \
    PERCENT(level, i, write_line_percent,                                                         \
            "what each partially written line adds to the cost of opening its block; in\n"        \
            "hundredths of a full sector"),                                                       \
    PERCENT(level, i, write_fill_percent,                                                         \
            "filling a block that has partial sectors costs this plus write_part_percent for\n"   \
            "each partial sector; in hundredths of a full sector. The block costs whichever is\n" \
            "more, opening or filling it"),                                                       \
    PERCENT(level, i, write_part_percent,                                                         \
            "what each partial sector adds to the cost of filling its block; in hundredths of\n"  \
            "a full sector"),                                                                     \
    PERCENT(level, i, write_shared_percent,                                                       \
            "cost of scattered or dense partial writes if requests write the same sectors, in\n"  \
            "percent of their cost without sharing; 0 if there is no rule for shared writes"),    \
    PERCENT(level, i, write_run_whole_percent,                                                    \
            "cost of each full sector if runs of bytes fill blocks together, in hundredths of a\n"\
            "full sector written alone"),                                                         \
    PERCENT(level, i, write_run_part_percent,                                                     \
            "cost of each partial sector if runs of bytes fill blocks together, in hundredths\n"  \
            "of a full sector written alone"),                                                    \
    PERCENT(level, i, write_mixed_percent,                                                        \
            "cost of requests with many blocks of both full and partial sectors, in percent of\n" \
            "the cost if the full and the partial sectors were written separately"),              \
    PERCENT(level, i, write_few_mixed_percent,                                                    \
            "percentage points added to write_shared_percent for requests with few blocks of\n"   \
            "both full and partial sectors, in proportion to these blocks' share of the cost"),   \
    PERCENT(level, i, write_split_percent,                                                        \
            "cost, in hundredths of a full sector, that is added to the cost of the sectors for\n"\
            "each request that writes one run of full sectors and shares its end blocks"),        \
    SAVING(level, i, write_gathered_percent,                                                      \
           "saving of other requests that write only full sectors, in percent of the saving if\n" \
           "the whole group wrote together; at most 100"),                                        \
    PERCENT(level, i, write_repeated_percent,                                                     \
            "percentage points subtracted from write_shared_percent for each further request\n"   \
            "that writes the same sector, if scattered requests write sectors many times; at\n"   \
            "most a third of write_shared_percent; 0 if there is no rule for such requests"),     \
    PERCENT(level, i, write_adjacent_percent,                                                     \
            "percentage points subtracted from write_shared_percent for each further request\n"   \
            "that writes the same block, if short requests are adjacent; at most\n"              \
            "write_shared_percent divided by the sectors of a block; 0 if there is no rule for\n" \
            "such requests"),                                                                     \
    KEY(level, i, cards_percent, BL_FIELD_COUNT, 50,                                              \
        "additional tolerance in percent: measured cards of one model differed this much from\n"  \
        "the prediction (other cards may differ more); 0 if unknown"),                            \
    FIELD(level, i, working_set_mib, BL_FIELD_COUNT, 1u << 20, OF_FOUND, how_much),               \
    FIELD(level, i, kib, BL_FIELD_COUNT, 1u << 30, kib_flags,                                     \
          "capacity of this level in KiB; 0 if unknown"),                                         \
    AMOUNT(level, i, latency_ns, 100000,                                                          \
           "latency in ns: the time of a read of one line on an idle device, if the next read\n"  \
           "waits for its result; 0 if unknown"),                                                 \
    AMOUNT(level, i, further_line_ns, 10000,                                                      \
           "extra latency in ns for each further line of a read; 0 if unknown"),                  \
    FIELD(level, i, far_line_ns, BL_FIELD_AMOUNT, 10000, far_flags,                               \
          "extra latency in ns for each further line of a read if lines are 16 KiB or more\n"     \
          "apart; 0 means further_line_ns"),                                                      \
    AMOUNT(level, i, loaded_latency_ns, 100000,                                                   \
           "latency in ns of a read of one line while all compute units read at nine tenths of\n" \
           "the highest rate; 0 if unknown"),                                                     \
    KEY(level, i, write_delay_ns, BL_FIELD_AMOUNT, 100000,                                        \
        "extra latency in ns of a read while writes take the whole bandwidth of this level;\n"    \
        "in proportion if they take a part of it; 0 if unknown"),                                 \
    AMOUNT(level, i, bytes_per_ns, 1000000,                                                       \
           "bytes per ns that this level delivers to all compute units together, in whole\n"      \
           "lines; 0 if unknown"),                                                                \
    AMOUNT(level, i, write_bytes_per_ns, 1000000,                                                 \
           "bytes per ns that this level accepts from all compute units together, in whole\n"     \
           "lines; 0 if unknown"),                                                                \
    AMOUNT(level, i, unit_bytes_per_ns, 100000,                                                   \
           "bytes per ns that this level delivers to one compute unit while the others are\n"     \
           "idle; 0 if unknown")                                                                  \

/* Times, and counts from which times are predicted. GIVEN_: `infer` does not find them. */
#define TIME(member, max, meaning)                                                                \
    {#member, BL_FIELD_AMOUNT, AT(member), 0, max, 0, OF_FOUND, meaning}
#define COUNT(member, max, meaning)                                                               \
    {#member, BL_FIELD_COUNT, AT(member), 0, max, 0, OF_FOUND, meaning}
#define GIVEN_TIME(member, max, meaning)                                                          \
    {#member, BL_FIELD_AMOUNT, AT(member), 0, max, 0, OF_LEVEL, meaning}
#define GIVEN_COUNT(member, max, meaning)                                                         \
    {#member, BL_FIELD_COUNT, AT(member), 0, max, 0, OF_LEVEL, meaning}
/* clang-format on */

const struct bl_machine_field bl_machine_fields[] = {
    {"name", BL_FIELD_TEXT, AT(name), 0, 0, 0, BL_FIELD_INFERRED,
     "name in the CSV's machine column"},
    {"formerly", BL_FIELD_TEXT, AT(formerly), 0, 0, 0, BL_FIELD_OPTIONAL,
     "former name of the machine, which files may still use; empty if none"},
    {"title", BL_FIELD_TEXT, AT(title), 0, 0, 0, BL_FIELD_OPTIONAL | BL_FIELD_INFERRED,
     "short description of the machine"},
    {"device_type", BL_FIELD_DEVICES, AT(device_type), 0, 0, 0, BL_FIELD_OPTIONAL,
     "type of the devices for which a built-in machine is chosen: cpu, gpu, any, or none"},
    {"vendors", BL_FIELD_NUMBERS, AT(vendors), 0, 0, 0, BL_FIELD_OPTIONAL,
     "PCI vendor ids of the devices for which the machine is chosen, such as 0x8086, at most 4;\n"
     "'none' for any vendor"},
    {"capability_min", BL_FIELD_COUNT, AT(capability_min), 0, 9999, 0, BL_FIELD_OPTIONAL,
     "lowest NVIDIA compute capability for which the machine is chosen, such as 90 for 9.0;\n"
     "0 for any"},
    {"capability_max", BL_FIELD_COUNT, AT(capability_max), 0, 9999, 0, BL_FIELD_OPTIONAL,
     "highest NVIDIA compute capability for which the machine is chosen, such as 90 for 9.0;\n"
     "ignored if capability_min is 0"},
    {"ip_versions", BL_FIELD_VERSIONS, AT(ip_versions), 0, 0, 0, BL_FIELD_OPTIONAL,
     "Intel hardware versions for which the machine is chosen (cl_intel_device_attribute_query),\n"
     "such as 12.55-12.57; 'none' for any"},
    {"device_ids", BL_FIELD_RANGES, AT(device_ids), 0, 0, 0, BL_FIELD_OPTIONAL,
     "PCI device ids for which the machine is chosen if the driver reports no hardware version,\n"
     "such as 0x5690-0x5697; 'none' for any"},
    {"names", BL_FIELD_TEXT, AT(names), 0, 0, 0, BL_FIELD_OPTIONAL,
     "parts of device names for which the machine is chosen if neither the hardware version nor\n"
     "the PCI id decides, separated by commas; empty for any"},
    {"rests_on", BL_FIELD_TEXT, AT(rests_on), 0, 0, 0, BL_FIELD_OPTIONAL | BL_FIELD_INFERRED,
     "evidence for the fields below, separated by commas: 'measured here', 'published' (measured\n"
     "by others), 'documents', 'hypotheses'"},
    {"has_rule", BL_FIELD_FLAG, AT(has_rule), 0, 0, 0, BL_FIELD_INFERRED,
     "yes if the fields below predict measurements; no if nothing is predicted"},
    {"why_no_rule", BL_FIELD_TEXT, AT(why_no_rule), 0, 0, 0, BL_FIELD_OPTIONAL | BL_FIELD_INFERRED,
     "reason why has_rule is no, as a sentence; else empty"},
    {"why_no_global_rule", BL_FIELD_TEXT, AT(why_no_global_rule), 0, 0, 0, BL_FIELD_OPTIONAL,
     "reason why only local memory has a rule, as a sentence; else empty"},
    {"lanes", BL_FIELD_POWER_OF_TWO, AT(lanes), 4, BL_MAX_LANES, 32, BL_FIELD_INFERRED,
     "lanes of a request: work-items that execute a memory instruction together"},
    {"line_bytes", BL_FIELD_POWER_OF_TWO, AT(line_bytes), 4, 1024, 128, BL_FIELD_INFERRED,
     "bytes of a cache line"},
    {"sector_bytes", BL_FIELD_POWER_OF_TWO, AT(sector_bytes), 0, 1024, 0, BL_FIELD_INFERRED,
     "bytes of a sector, the smallest part of a line that can be fetched; 0 if lines are fetched\n"
     "whole"},
    {"tag_masks", BL_FIELD_NUMBERS, AT(tag_masks), 0, 0, 0, BL_FIELD_INFERRED,
     "masks that select the tag bank of a line: bit i of the bank's index is the parity of\n"
     "(address / line_bytes) & mask i; 'none' if there is one tag bank"},
    {"lines_per_clock", BL_FIELD_COUNT, AT(lines_per_clock), 1, 1024, 1, BL_FIELD_INFERRED,
     "lines that each tag bank looks up per clock"},
    {"overlap_percent", BL_FIELD_COUNT, AT(overlap_percent), 0, 100, 0,
     BL_FIELD_OPTIONAL | BL_FIELD_INFERRED,
     "percent of the shorter wait that the longer wait hides, if some requests wait for tags and\n"
     "others for banks; 0 if the waits do not overlap"},
    {"cache_bytes", BL_FIELD_COUNT, AT(cache_bytes), 0, 1u << 30, 0,
     BL_FIELD_INFERRED | BL_FIELD_ZERO_IS_UNKNOWN,
     "bytes of the first cache, which belongs to a compute unit; 0 if unknown"},
    {"cache_name", BL_FIELD_TEXT, AT(cache_name), 0, 0, 0, BL_FIELD_OPTIONAL | BL_FIELD_INFERRED,
     "name of the first cache, which belongs to a compute unit"},
    {"global_reads_alone", BL_FIELD_FLAG, AT(global_reads_alone), 0, 0, 0, BL_FIELD_OPTIONAL,
     "yes if the rule for global memory in the first cache covers only reads"},
    {"global_min_bytes", BL_FIELD_POWER_OF_TWO, AT(global_min_bytes), 0, 16, 0, BL_FIELD_OPTIONAL,
     "smallest access of a lane, in bytes, that the rule for global memory covers; 0 for any"},
    {"global_max_bytes", BL_FIELD_POWER_OF_TWO, AT(global_max_bytes), 0, 16, 0, BL_FIELD_OPTIONAL,
     "largest access of a lane, in bytes, that the rule for global memory covers; 0 for any"},
    {"global_span_kib", BL_FIELD_COUNT, AT(global_span_kib), 0, 1u << 20, 0, BL_FIELD_OPTIONAL,
     "KiB within which the addresses of a request must lie for the rule for global memory to\n"
     "apply; 0 if there is no limit"},
    {"global_in_quads", BL_FIELD_FLAG, AT(global_in_quads), 0, 0, 0, BL_FIELD_OPTIONAL,
     "yes if the first cache serves groups of 16 lanes. If accesses have at most 4 bytes and each\n"
     "quad (four consecutive lanes) spans no more bytes than four contiguous accesses, the 16\n"
     "lanes take one pass. If not, they take four passes: for accesses of at most 4 bytes the\n"
     "first lanes of the quads, the second lanes, and so on; for wider accesses one quad after\n"
     "another. A pass costs the lines of its busiest tag bank or the words of its busiest bank,\n"
     "whichever is more. Each word of a line has its own bank."},
    {"read_least_clocks", BL_FIELD_COUNT, AT(read_least_clocks), 0, 1024, 0, BL_FIELD_OPTIONAL,
     "minimum clocks of a read from the first cache by all lanes; 0 means 1. A read by fewer\n"
     "lanes that would take fewer clocks has no rule."},
    {"scattered_read_least_clocks", BL_FIELD_COUNT, AT(scattered_read_least_clocks), 0, 1024, 0,
     BL_FIELD_OPTIONAL,
     "minimum clocks of a read from the first cache if any quad (four consecutive lanes) spans\n"
     "more bytes than four contiguous accesses; 0 means 1"},
    LEVEL("l2", 0, OF_FOUND, OF_LEVEL, "name of the second cache, which all compute units share",
          "MiB of a working set that fits in this cache but not in the previous one; 0 means half\n"
          "of the cache size that the driver reports"),
    LEVEL("llc", 1, OF_FOUND, OF_LEVEL, "name of a further cache, if there is one",
          "MiB of a working set that fits in this cache but not in the previous one; 0 means half\n"
          "of the cache size that the driver reports"),
    LEVEL("memory", 2, OF_LEVEL, OF_FOUND, "name of the memory",
          "MiB of a working set so large that caches hold almost none of it; 0 means 32 times the\n"
          "cache size that the driver reports"),
    {"banks", BL_FIELD_COUNT, AT(banks), 1, BL_MAX_BANKS, 32, BL_FIELD_INFERRED,
     "banks of local memory"},
    {"bank_bytes", BL_FIELD_POWER_OF_TWO, AT(bank_bytes), 1, 64, 4, BL_FIELD_INFERRED,
     "bytes of a word of a bank; a bank delivers one word per clock"},
    {"local_lanes_at_once", BL_FIELD_POWER_OF_TWO, AT(local_lanes_at_once), 0, BL_MAX_LANES, 0,
     BL_FIELD_OPTIONAL | BL_FIELD_INFERRED | BL_FIELD_ZERO_IS_UNKNOWN,
     "consecutive lanes that the banks of local memory serve together; 0 if all lanes of a\n"
     "request"},
    {"local_lanes_written_at_once", BL_FIELD_POWER_OF_TWO, AT(local_lanes_written_at_once), 0,
     BL_MAX_LANES, 0, BL_FIELD_OPTIONAL | BL_FIELD_INFERRED | BL_FIELD_ZERO_IS_UNKNOWN,
     "consecutive lanes whose writes the banks of local memory accept together;\n"
     "if 0, as many as local_lanes_at_once"},
    {"local_max_bytes", BL_FIELD_POWER_OF_TWO, AT(local_max_bytes), 0, 16, 0, BL_FIELD_OPTIONAL,
     "largest access of a lane, in bytes, for which local memory has a rule; 0 for any"},
    {"banks_alternatives", BL_FIELD_BANKS, AT(banks_alternatives), 0, 0, 0, BL_FIELD_OPTIONAL,
     "possible numbers and widths of the banks if they are uncertain, such as 16x4 65x8,\n"
     "beginning with banks and bank_bytes; a cost on which the alternatives disagree has no rule;\n"
     "none if the banks are certain"},
    {"banks_serve_global", BL_FIELD_FLAG, AT(banks_serve_global), 0, 0, 0, BL_FIELD_INFERRED,
     "yes if the banks of local memory also deliver cached reads of global memory"},
    {"constant_is_global", BL_FIELD_FLAG, AT(constant_is_global), 0, 0, 0, BL_FIELD_INFERRED,
     "yes if constant memory follows the rule for global memory; no if constant memory has no\n"
     "rule"},
    {"atomics_by_lane", BL_FIELD_FLAG, AT(atomics_by_lane), 0, 0, 0,
     BL_FIELD_OPTIONAL | BL_FIELD_INFERRED,
     "yes if a bank of local memory serves atomic additions one lane at a time, even to the same\n"
     "word; no if atomic additions have no rule"},
    {"combines_atomics", BL_FIELD_FLAG, AT(combines_atomics), 0, 0, 0, BL_FIELD_OPTIONAL,
     "yes if one lane does an atomic on local memory for all lanes of a sub-group, where the\n"
     "compiler knows that they update the same word, or where they add 1 to the same word and do\n"
     "not use its old value"},
    {"barrier_more_percent", BL_FIELD_COUNT, AT(barrier_more_percent), 0, 1000, 0,
     BL_FIELD_OPTIONAL | BL_FIELD_INFERRED | BL_FIELD_ZERO_IS_UNKNOWN,
     "time that each further sub-group of a group adds to a barrier between a write and a read of\n"
     "local memory, in percent of the barrier's time in a group of one sub-group; 0 if there is\n"
     "no rule"},
    {"wide_in_parts", BL_FIELD_FLAG, AT(wide_in_parts), 0, 0, 0, BL_FIELD_INFERRED,
     "yes if accesses wider than a word are served in parts: consecutive lanes that together\n"
     "access one word of every bank; no if all lanes are served simultaneously"},
    {"pairs_share_wide", BL_FIELD_FLAG, AT(pairs_share_wide), 0, 0, 0,
     BL_FIELD_OPTIONAL | BL_FIELD_INFERRED,
     "yes if the parts of a wide read of local memory have twice as many lanes when both lanes of\n"
     "each pair read the same element; a pair is two neighbouring lanes, or two lanes 2 apart"},
    {"widest_bytes", BL_FIELD_POWER_OF_TWO, AT(widest_bytes), 1, 16, 16, BL_FIELD_INFERRED,
     "bytes of the widest access of a lane; a wider access is split into several requests"},
    {"widest_components", BL_FIELD_POWER_OF_TWO, AT(widest_components), 1, 16, 4, BL_FIELD_INFERRED,
     "components of the longest vector that a lane accesses in one request"},
    {"three_is_two_and_one", BL_FIELD_FLAG, AT(three_is_two_and_one), 0, 0, 0, BL_FIELD_INFERRED,
     "yes if a vector of three components is split into a request of two and a request of one"},
    {"splits_unaligned", BL_FIELD_FLAG, AT(splits_unaligned), 0, 0, 0, BL_FIELD_OPTIONAL,
     "yes if an access to global memory is split into requests of as many bytes as the\n"
     "compiler knows to be aligned: of one component for vloadn and vstoren, of one byte for\n"
     "members of packed structures"},
    {"local_reads_three_as_four", BL_FIELD_FLAG, AT(local_reads_three_as_four), 0, 0, 0,
     BL_FIELD_INFERRED,
     "yes if a read of a vector of three components from local memory reads all four components\n"
     "that the element occupies"},
    {"constant_reads_three_as_four", BL_FIELD_FLAG, AT(constant_reads_three_as_four), 0, 0, 0,
     BL_FIELD_OPTIONAL,
     "yes if a read of a vector of three components from constant memory reads all four\n"
     "components that the element occupies"},
    {"sectors_written_per_clock", BL_FIELD_COUNT, AT(sectors_written_per_clock), 0, 1024, 0, 0,
     "sectors that a compute unit writes to global memory per clock; 0 if writes cost the same as\n"
     "reads"},
    {"group_items_max", BL_FIELD_COUNT, AT(group_items_max), 0, 1u << 20, 0,
     BL_FIELD_OPTIONAL | BL_FIELD_ZERO_IS_UNKNOWN,
     "work-items of the largest group that these devices accept; 0 if unknown"},
    {"kernel_items_max", BL_FIELD_COUNT, AT(kernel_items_max), 0, 1u << 20, 0,
     BL_FIELD_OPTIONAL | BL_FIELD_ZERO_IS_UNKNOWN,
     "work-items of the largest group that the driver reports for a kernel that requires no group\n"
     "size (CL_KERNEL_WORK_GROUP_SIZE); 0 if unknown"},
    {"null_local_dimensions", BL_FIELD_COUNT, AT(null_local_dimensions), 0, 3, 0,
     BL_FIELD_OPTIONAL | BL_FIELD_ZERO_IS_UNKNOWN,
     "dimensions, from the first, in which groups have more than one work-item if a program\n"
     "leaves their size to OpenCL (local_work_size = NULL); 0 if unknown"},
    {"null_local_least", BL_FIELD_COUNT, AT(null_local_least), 0, 1024, 0,
     BL_FIELD_OPTIONAL | BL_FIELD_ZERO_IS_UNKNOWN,
     "work-items: if the largest divisor of the size along x up to 256 is smaller than this, the\n"
     "driver takes the largest divisor up to group_items_max; 0 if it does not"},
    {"group_local_bytes_max", BL_FIELD_COUNT, AT(group_local_bytes_max), 0, 1u << 20, 0,
     BL_FIELD_OPTIONAL | BL_FIELD_ZERO_IS_UNKNOWN,
     "bytes of local memory that a group may use (CL_DEVICE_LOCAL_MEM_SIZE); 0 if unknown"},
    {"unrolled_reads", BL_FIELD_POWER_OF_TWO, AT(unrolled_reads), 2, BL_MAX_UNROLL, 64, 0,
     "accesses that a kernel for global memory unrolls; kernels for local memory unroll half as\n"
     "many"},
    {"global_sub_groups_per_cu", BL_FIELD_COUNT, AT(global_sub_groups_per_cu), 1, 1024, 128, 0,
     "sub-groups to launch per compute unit for global memory: enough to hide latency"},
    {"local_sub_groups_per_cu", BL_FIELD_COUNT, AT(local_sub_groups_per_cu), 1, 1024, 8,
     BL_FIELD_INFERRED,
     "sub-groups to launch per compute unit for local memory: at most as many as are resident if\n"
     "each uses 8 KiB"},
    TIME(clock_mhz, 100000,
         "clock in MHz at which the times of this file were measured; 0 if unknown, and then no\n"
         "time is predicted"),
    TIME(integer_ns, 10000, "ns from one integer addition to the next dependent one; 0 if unknown"),
    TIME(float_ns, 10000, "ns from one float addition to the next dependent one; 0 if unknown"),
    TIME(cache_latency_ns, 100000, "latency in ns of a read from the first cache; 0 if unknown"),
    TIME(
        conflict_ns, 10000,
        "extra ns of a read from the first cache if it needs two or more bank passes, independent\n"
        "of their number"),
    TIME(further_pass_ns, 10000,
         "extra ns for each further bank pass of a read from the first cache"),
    TIME(local_latency_ns, 100000, "latency in ns of a read of local memory"),
    GIVEN_COUNT(
        constant_address_clocks, 64,
        "clocks that a compute unit takes for each distinct address of a request to a\n"
        "constant array that the program declares; 0 if unknown: then such arrays are read\n"
        "like other constant memory"),
    GIVEN_TIME(constant_latency_ns, 100000,
               "latency in ns of such a request if all lanes read one address; 0 if unknown"),
    GIVEN_TIME(constant_further_ns, 100000,
               "extra ns for each further address of such a request; 0 if unknown"),
    TIME(store_then_load_ns, 100000,
         "ns of a write of one line and a read of the same line, in a chain in which each write\n"
         "waits for the previous read, and in a working set that exceeds the first cache"),
    TIME(store_then_load_line_ns, 10000,
         "extra ns for each further line that is written and then read"),
    TIME(barrier_ns, 100000,
         "ns of a barrier and an access to local memory in a group of one sub-group"),
    COUNT(unit_lines_in_flight, 1u << 20,
          "max lines in flight per compute unit; 0 if unknown, or if no limit was found"),
    COUNT(sub_group_lines_in_flight, 1u << 20,
          "max lines in flight per sub-group; 0 if unknown, or if no limit was found"),
    TIME(launch_ns, 100000000,
         "ns of a launch of one empty group, according to the times of its event"),
    GIVEN_TIME(
        launch_least_ns, 100000000,
        "lower end of the interval that holds 90 % of the launches of one empty group, in ns"),
    GIVEN_TIME(
        launch_most_ns, 100000000,
        "upper end of the interval that holds 90 % of the launches of one empty group, in ns;\n"
        "0 means launch_ns"),
    GIVEN_TIME(first_launch_ns, 100000000,
               "extra ns of a launch that finds the device asleep; 0 if unknown"),
    GIVEN_TIME(first_launch_most_ns, 100000000,
               "upper end of the interval that holds 95 % of these extra times; 0 means\n"
               "first_launch_ns"),
    GIVEN_TIME(awake_ns, 1000000000, "ns for which an idle device stays awake"),
    GIVEN_TIME(
        asleep_ns, 1000000000,
        "ns after which an idle device is asleep; 0 if unknown: then it is asleep only before\n"
        "a program's first launch, and after the host has computed for long"),
    TIME(queued_launch_ns, 100000000,
         "ns of a launch of one empty group that is enqueued while the device is busy, according\n"
         "to the times of its event; 0 if unknown"),
    TIME(enqueue_ns, 100000000, "ns that the host takes to enqueue a launch; 0 if unknown"),
    GIVEN_TIME(
        first_enqueue_ns, 1000000000,
        "ns that the host takes to enqueue a program's first launch, if more than enqueue_ns"),
    GIVEN_TIME(
        kernel_more_ns, 100000000,
        "ns that short kernels of applications take longer than the other values predict; 0 if\n"
        "unknown"),
    {"private_reserved_bytes", BL_FIELD_COUNT, AT(private_reserved_bytes), 0, 1u << 20, 0,
     BL_FIELD_OPTIONAL | BL_FIELD_ZERO_IS_UNKNOWN,
     "bytes of private memory per work-item that the driver reserves at first; 0 if unknown"},
    GIVEN_TIME(
        private_grow_ns, 1000000000,
        "ns that a launch takes longer if its work-items need more private memory than the driver\n"
        "has reserved so far; 0 if unknown"),
    TIME(group_start_ns, 1000000,
         "ns that each further group of few work-items adds to a launch of very many groups on\n"
         "the whole device"),
    TIME(item_start_ns, 10000,
         "minimum ns that each work-item of a group adds to a launch of very many groups"),
    COUNT(compute_units, 1u << 20, "compute units of the device"),
    COUNT(groups_per_unit, 1u << 20, "max resident groups per compute unit"),
    COUNT(sub_groups_per_unit, 1u << 20, "max resident sub-groups per compute unit"),
    GIVEN_COUNT(registers_per_unit, 1u << 30, "registers of 4 bytes per compute unit"),
    COUNT(local_bytes_per_unit, 1u << 30, "bytes of local memory per compute unit"),
    GIVEN_COUNT(local_bytes_reserved, 1u << 20,
                "bytes of local memory that each group occupies in addition to its own"),
    COUNT(instructions_per_clock, BL_MAX_SCHEDULERS,
          "sub-group instructions that a compute unit issues per clock"),
};

const char *const bl_machine_device_names[] = {"none", "any", "cpu", "gpu"};

enum { FIELD_COUNT = sizeof bl_machine_fields / sizeof bl_machine_fields[0] };

const size_t bl_machine_field_count = FIELD_COUNT;

_Static_assert((int)FIELD_COUNT <= (int)BL_MAX_MACHINE_FIELDS,
               "the reader records a line for each field");

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

/* Rounds to four significant digits, more than a measurement has. */
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

/* How each kind of field is printed. */

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

/* Prints the value as in a file, without a line end. */
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
        return bl_fail(error, BL_NO_MEMORY, "out of memory while printing a machine's value");
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
