/* The table of a machine's fields, and machines as text (machine_file.h). machine_choice.c has the
 * built-in ones, and chooses one for a device. */
#include "model/machine_file.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/keyfile.h"
#include "base/text.h"

/* The fields. */

#define AT(member) offsetof(struct bl_machine, member), sizeof((struct bl_machine *)0)->member

/* The keys of a level (struct bl_level), whose names begin with `level`. */
enum { OF_LEVEL = BL_FIELD_OPTIONAL | BL_FIELD_ZERO_IS_UNKNOWN };
/* clang-format off */ /* one key per row */
#define KEY(level, i, member, kind, max, meaning)                                                 \
    {level "_" #member, kind, AT(levels[i].member), 0, max, 0, OF_LEVEL, meaning}
#define PERCENT(level, i, member, meaning) KEY(level, i, member, BL_FIELD_COUNT, 100000, meaning)
#define LEVEL(level, i, what, how_much)                                                           \
    KEY(level, i, name, BL_FIELD_TEXT, 0, what),                                                  \
    KEY(level, i, granule_bytes, BL_FIELD_POWER_OF_TWO, 1024,                                     \
        "bytes that it delivers together, however few are wanted; 0: there is no rule for it"),   \
    PERCENT(level, i, least_of_line_percent,                                                      \
            "what a request costs for each of its lines at least, in hundredths of a granule,"),  \
    PERCENT(level, i, least_of_request_percent, "... and altogether at least"),                   \
    KEY(level, i, block_bytes, BL_FIELD_POWER_OF_TWO, 1u << 20,                                   \
        "bytes of a row, or of what else a request opens once for all its granules there; 0:\n"   \
        "nothing is. What it costs at least, in hundredths of a granule:"),                       \
    PERCENT(level, i, open_percent, "a block,"),                                                  \
    PERCENT(level, i, line_percent, "... each of its lines that is touched, and"),                \
    PERCENT(level, i, granule_percent, "... each of its granules"),                               \
    KEY(level, i, write_block_bytes, BL_FIELD_POWER_OF_TWO, 1u << 20,                             \
        "bytes in which partial writes are counted: a line, or more; 0: there is no rule of\n"    \
        "writes. What they cost, in hundredths of a sector that is written whole:"),              \
    PERCENT(level, i, write_alone_percent, "a block of whole sectors alone at least, and"),       \
    PERCENT(level, i, write_whole_percent, "... each granule that they lie in"),                  \
    KEY(level, i, write_mixes, BL_FIELD_FLAG, 0,                                                  \
        "yes: where some are whole and some are not, what both cost; no: there is no rule then"), \
    PERCENT(level, i, write_open_percent, "a block that is written in part, and"),                \
    PERCENT(level, i, write_line_percent,                                                         \
            "... each of its lines that is written in part; or, if that is more,"),               \
    PERCENT(level, i, write_fill_percent, "... the block, and"),                                  \
    PERCENT(level, i, write_part_percent, "... each of its sectors that is written in part"),     \
    KEY(level, i, cards_percent, BL_FIELD_COUNT, 50,                                              \
        "how far a prediction may be off on another card of the model, in percent: it is held\n"  \
        "as an interval so wide; 0: as a figure"),                                                \
    KEY(level, i, working_set_mib, BL_FIELD_COUNT, 1u << 20, how_much)
/* clang-format on */

const struct bl_machine_field bl_machine_fields[] = {
    {"name", BL_FIELD_TEXT, AT(name), 0, 0, 0, 0, "what the CSV's machine column says"},
    {"formerly", BL_FIELD_TEXT, AT(formerly), 0, 0, 0, BL_FIELD_OPTIONAL,
     "a name that it had: files may still say it"},
    {"title", BL_FIELD_TEXT, AT(title), 0, 0, 0, BL_FIELD_OPTIONAL, "a few words for a person"},
    {"device_type", BL_FIELD_DEVICES, AT(device_type), 0, 0, 0, BL_FIELD_OPTIONAL,
     "built in, it is chosen for such devices: cpu, gpu, any, or none"},
    {"vendors", BL_FIELD_NUMBERS, AT(vendors), 0, 0, 0, BL_FIELD_OPTIONAL,
     "... of these vendors (PCI, as 0x8086), at most 4; none: of any vendor"},
    {"capability_min", BL_FIELD_COUNT, AT(capability_min), 0, 9999, 0, BL_FIELD_OPTIONAL,
     "... of NVIDIA's compute capability from this on, as 90 for 9.0; 0: of any"},
    {"capability_max", BL_FIELD_COUNT, AT(capability_max), 0, 9999, 0, BL_FIELD_OPTIONAL,
     "... up to this"},
    {"ip_versions", BL_FIELD_VERSIONS, AT(ip_versions), 0, 0, 0, BL_FIELD_OPTIONAL,
     "... of these versions of Intel's hardware (cl_intel_device_attribute_query), as\n"
     "12.55-12.57; none: of any"},
    {"device_ids", BL_FIELD_RANGES, AT(device_ids), 0, 0, 0, BL_FIELD_OPTIONAL,
     "... or, where the driver reports no version, of these PCI ids, as 0x5690-0x5697,"},
    {"names", BL_FIELD_TEXT, AT(names), 0, 0, 0, BL_FIELD_OPTIONAL,
     "... or with one of these in the name, commas between them; none of all three: any device"},
    {"rests_on", BL_FIELD_TEXT, AT(rests_on), 0, 0, 0, BL_FIELD_OPTIONAL,
     "what the fields below rest on: measured here, published (by others who measured),\n"
     "documents, hypotheses; commas between them"},
    {"has_rule", BL_FIELD_FLAG, AT(has_rule), 0, 0, 0, 0,
     "yes: measurements are held against the fields below; no: nothing is predicted"},
    {"why_no_rule", BL_FIELD_TEXT, AT(why_no_rule), 0, 0, 0, BL_FIELD_OPTIONAL,
     "where has_rule is no: a sentence"},
    {"why_no_global_rule", BL_FIELD_TEXT, AT(why_no_global_rule), 0, 0, 0, BL_FIELD_OPTIONAL,
     "a sentence, where the rule is of local memory alone; else empty"},
    {"lanes", BL_FIELD_POWER_OF_TWO, AT(lanes), 4, BL_MAX_LANES, 32, BL_FIELD_INFERRED,
     "work-items that one request serves (the sub-group of one memory instruction)"},
    {"line_bytes", BL_FIELD_POWER_OF_TWO, AT(line_bytes), 4, 1024, 128, BL_FIELD_INFERRED,
     "bytes of a cache line"},
    {"sector_bytes", BL_FIELD_POWER_OF_TWO, AT(sector_bytes), 0, 1024, 0, BL_FIELD_INFERRED,
     "bytes of a line that are fetched alone; 0: a line is fetched whole"},
    {"tag_masks", BL_FIELD_NUMBERS, AT(tag_masks), 0, 0, 0, 0,
     "which tag bank looks up a line: bit i of the bank's number is the parity of the line's\n"
     "number (its address / line_bytes) and mask i; none: one tag bank"},
    {"lines_per_clock", BL_FIELD_COUNT, AT(lines_per_clock), 1, 1024, 1, BL_FIELD_INFERRED,
     "lines that each tag bank looks up per clock"},
    {"overlap_percent", BL_FIELD_COUNT, AT(overlap_percent), 0, 100, 0,
     BL_FIELD_OPTIONAL | BL_FIELD_INFERRED,
     "where some requests wait for tags and others for banks: how much of the smaller wait the\n"
     "other hides; 0: nothing, for each request waits for both"},
    {"cache_bytes", BL_FIELD_COUNT, AT(cache_bytes), 0, 1u << 30, 0,
     BL_FIELD_INFERRED | BL_FIELD_ZERO_IS_UNKNOWN,
     "bytes of the cache that these rules are of, for each compute unit; 0: not known"},
    {"cache_name", BL_FIELD_TEXT, AT(cache_name), 0, 0, 0, BL_FIELD_OPTIONAL, "... and its name"},
    {"global_reads_alone", BL_FIELD_FLAG, AT(global_reads_alone), 0, 0, 0, BL_FIELD_OPTIONAL,
     "yes: the rule of that cache is of reads, and there is none of writes"},
    {"global_min_bytes", BL_FIELD_POWER_OF_TWO, AT(global_min_bytes), 0, 16, 0, BL_FIELD_OPTIONAL,
     "bytes of a lane's access from which on there is a rule of that cache; 0: any"},
    {"global_max_bytes", BL_FIELD_POWER_OF_TWO, AT(global_max_bytes), 0, 16, 0, BL_FIELD_OPTIONAL,
     "... up to which; 0: any"},
    {"global_span_kib", BL_FIELD_COUNT, AT(global_span_kib), 0, 1u << 20, 0, BL_FIELD_OPTIONAL,
     "KiB within which all lanes of a request must lie for that rule; 0: there is no limit"},
    {"global_in_quads", BL_FIELD_FLAG, AT(global_in_quads), 0, 0, 0, BL_FIELD_OPTIONAL,
     "yes: a request of that cache goes in groups of 16 lanes. Accesses of 4 bytes take one pass\n"
     "where each four lanes in a row lie within 16 bytes, else four: the first lane of each\n"
     "such four, the second, ...; wider ones take a pass for each four lanes in a row. A pass\n"
     "costs the lines of its busiest tag bank, or the words of its busiest bank: one for each\n"
     "of a line"},
    {"read_least_clocks", BL_FIELD_COUNT, AT(read_least_clocks), 0, 1024, 0, BL_FIELD_OPTIONAL,
     "clocks that a read of that cache by all lanes takes at least, and by fewer there is no rule\n"
     "of what would take less; 0: one"},
    {"scattered_read_least_clocks", BL_FIELD_COUNT, AT(scattered_read_least_clocks), 0, 1024, 0,
     BL_FIELD_OPTIONAL,
     "the same where any four lanes in a row touch more than four accesses' bytes; 0: one"},
    LEVEL("l2", 0, "the cache behind it, which all compute units share",
          "MiB that stay in it and in no cache before it; 0: half of what the driver reports"),
    LEVEL("llc", 1, "the last cache, where that is another one", "as for the cache before"),
    LEVEL("memory", 2, "what all of it comes from",
          "MiB of which caches hold next to nothing; 0: 32 times what the driver reports as cache"),
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
     "bytes of a lane's access up to which there is a rule of local memory; 0: any"},
    {"banks_alternatives", BL_FIELD_BANKS, AT(banks_alternatives), 0, 0, 0, BL_FIELD_OPTIONAL,
     "where nobody knows the banks: what they may be, first the two numbers above, as 16x4 65x8;\n"
     "what depends on them then has no rule; none: they are known"},
    {"banks_serve_global", BL_FIELD_FLAG, AT(banks_serve_global), 0, 0, 0, BL_FIELD_INFERRED,
     "yes: cached reads of global memory come through the same banks"},
    {"constant_is_global", BL_FIELD_FLAG, AT(constant_is_global), 0, 0, 0, BL_FIELD_INFERRED,
     "yes: constant memory goes the way of global memory; no: the model has no rule for it"},
    {"atomics_by_lane", BL_FIELD_FLAG, AT(atomics_by_lane), 0, 0, 0,
     BL_FIELD_OPTIONAL | BL_FIELD_INFERRED,
     "yes: a bank of local memory takes atomic additions one lane after another, those to the\n"
     "same word too; no: the model has no rule for them"},
    {"barrier_more_percent", BL_FIELD_COUNT, AT(barrier_more_percent), 0, 1000, 0,
     BL_FIELD_OPTIONAL | BL_FIELD_INFERRED | BL_FIELD_ZERO_IS_UNKNOWN,
     "what each further sub-group of a group adds to a barrier between a write and a read of\n"
     "local memory, in hundredths of what it takes in a group of one; 0: there is no rule"},
    {"wide_in_parts", BL_FIELD_FLAG, AT(wide_in_parts), 0, 0, 0, BL_FIELD_INFERRED,
     "yes: an access wider than a word is served in parts of as many consecutive lanes as ask\n"
     "for one word of every bank; no: all lanes at once"},
    {"pairs_share_wide", BL_FIELD_FLAG, AT(pairs_share_wide), 0, 0, 0,
     BL_FIELD_OPTIONAL | BL_FIELD_INFERRED,
     "yes: but a part of a read of local memory has twice as many lanes where each of them wants\n"
     "the same element as its neighbour, or each the same as the next but one"},
    {"widest_bytes", BL_FIELD_POWER_OF_TWO, AT(widest_bytes), 1, 16, 16, BL_FIELD_INFERRED,
     "bytes of the widest access of a lane; a wider one is several requests"},
    {"widest_components", BL_FIELD_POWER_OF_TWO, AT(widest_components), 1, 16, 4, BL_FIELD_INFERRED,
     "components of the longest vector that a lane accesses in one request"},
    {"three_is_two_and_one", BL_FIELD_FLAG, AT(three_is_two_and_one), 0, 0, 0, BL_FIELD_INFERRED,
     "yes: a vector of 3 is a request of two components and one of one"},
    {"local_reads_three_as_four", BL_FIELD_FLAG, AT(local_reads_three_as_four), 0, 0, 0,
     BL_FIELD_INFERRED, "yes: but a read of local memory takes all four that it occupies"},
    {"constant_reads_three_as_four", BL_FIELD_FLAG, AT(constant_reads_three_as_four), 0, 0, 0,
     BL_FIELD_OPTIONAL, "yes: and so does one of constant memory"},
    {"sectors_written_per_clock", BL_FIELD_COUNT, AT(sectors_written_per_clock), 0, 1024, 0, 0,
     "sectors that leave a compute unit per clock when global memory is written; 0: writes cost\n"
     "what reads cost"},
    {"unrolled_reads", BL_FIELD_POWER_OF_TWO, AT(unrolled_reads), 2, BL_MAX_UNROLL, 64, 0,
     "accesses that a kernel unrolls in global memory, half as many in local memory"},
    {"global_sub_groups_per_cu", BL_FIELD_COUNT, AT(global_sub_groups_per_cu), 1, 1024, 128, 0,
     "sub-groups to launch for each compute unit: enough to hide latency"},
    {"local_sub_groups_per_cu", BL_FIELD_COUNT, AT(local_sub_groups_per_cu), 1, 1024, 8, 0,
     "the same for local memory: not more than are resident at once, each with 8 KiB"},
};

/* By enum bl_machine_devices. */
static const char *const device_types[] = {"none", "any", "cpu", "gpu"};

enum { FIELD_COUNT = sizeof bl_machine_fields / sizeof bl_machine_fields[0] };

const size_t bl_machine_field_count = FIELD_COUNT;

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
    return value == 0 && field->flags & BL_FIELD_ZERO_IS_UNKNOWN ? (double)NAN : value;
}

void bl_machine_set(struct bl_machine *machine, const struct bl_machine_field *field, double value)
{
    void *at = (char *)machine + field->offset;
    if (field->kind == BL_FIELD_FLAG)
        *(bool *)at = value > 0.5;
    else if (field->kind == BL_FIELD_COUNT || field->kind == BL_FIELD_POWER_OF_TWO)
        *(unsigned *)at = (unsigned)lround(fmin(field->max, fmax(field->min, value)));
}

struct bl_machine bl_machine_start(void)
{
    struct bl_machine machine = {.device_type = BL_FOR_NONE};
    for (size_t i = 0; i < FIELD_COUNT; i++)
        bl_machine_set(&machine, &bl_machine_fields[i], bl_machine_fields[i].start);
    return machine;
}

/* A range or banks are two numbers, 0 behind the last; how each kind is written. */
enum { NUMBERS_OF_PAIR = 2 };
_Static_assert(sizeof(struct bl_range) == NUMBERS_OF_PAIR * sizeof(unsigned) &&
                   sizeof(struct bl_banks) == sizeof(struct bl_range),
               "the fields of pairs are read and printed as arrays of numbers");

static void print_pairs(FILE *file, const struct bl_machine_field *field, const unsigned pairs[])
{
    const size_t max = field->size / sizeof pairs[0];
    for (size_t i = 0; i < max && pairs[i]; i += NUMBERS_OF_PAIR) {
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
        fputs(device_types[*(const enum bl_machine_devices *)at], file);
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

struct reading {
    struct bl_machine *machine;
    unsigned lines[FIELD_COUNT]; /* line of each key; 0: not seen yet */
};

static enum bl_status take_count(const struct bl_key_line *line,
                                 const struct bl_machine_field *field, unsigned *value,
                                 struct bl_error *error)
{
    char *end;
    errno = 0;
    const unsigned long parsed = strtoul(line->value, &end, 10);
    const bool is_power = (parsed & (parsed - 1)) == 0;
    if (line->value[0] < '0' || line->value[0] > '9' || *end || errno || parsed < field->min ||
        parsed > field->max || (field->kind == BL_FIELD_POWER_OF_TWO && !is_power))
        return bl_keyfile_fail(
            line, error, "%s = %s: expected %s from %u to %u", line->key, line->value,
            field->kind == BL_FIELD_POWER_OF_TWO ? "a power of two" : "an integer", field->min,
            field->max);
    *value = (unsigned)parsed;
    return BL_OK;
}

static enum bl_status take_numbers(const struct bl_key_line *line,
                                   const struct bl_machine_field *field, uint64_t numbers[],
                                   struct bl_error *error)
{
    const size_t max = field->size / sizeof numbers[0];
    size_t count = 0;
    if (strcmp(line->value, "none") == 0)
        return BL_OK;
    for (const char *at = line->value; *at;) {
        char *end;
        errno = 0;
        const uint64_t number = strtoull(at, &end, 0);
        if (end == at || *at == '-' || (*end && *end != ' ') || errno || number == 0 ||
            count == max)
            return bl_keyfile_fail(line, error,
                                   "%s = %s: expected none, or 1 to %zu numbers such as 0x5 0xa",
                                   line->key, line->value, max);
        numbers[count++] = number;
        at = end + strspn(end, " ");
    }
    return count ? BL_OK : bl_keyfile_fail(line, error, "%s has no value", line->key);
}

/* Reads a number up to max at *text and moves *text behind it. Returns 0 if there is none. */
static unsigned read_number(const char **text, int base, unsigned long max)
{
    if (**text < '0' || **text > '9')
        return 0;
    char *end;
    errno = 0;
    const unsigned long number = strtoul(*text, &end, base);
    if (errno || number > max)
        return 0;
    *text = end;
    return (unsigned)number;
}

/* "0x5690", or as a version "12.55". */
static unsigned read_end(const char **text, enum bl_field_kind kind)
{
    if (kind == BL_FIELD_RANGES)
        return read_number(text, 0, 0xffff);
    const unsigned architecture = read_number(text, 10, 1023);
    if (architecture == 0 || **text != '.')
        return 0;
    ++*text;
    const bool is_number = **text >= '0' && **text <= '9';
    return is_number ? BL_IP_VERSION(architecture, read_number(text, 10, BL_IP_RELEASES - 1)) : 0;
}

static bool read_pair(const char **text, enum bl_field_kind kind, unsigned pair[NUMBERS_OF_PAIR])
{
    if (kind == BL_FIELD_BANKS) {
        pair[0] = read_number(text, 10, BL_MAX_BANKS);
        if (*(*text)++ != 'x')
            return false;
        pair[1] = read_number(text, 10, 64);
        return pair[0] && pair[1] && (pair[1] & (pair[1] - 1)) == 0;
    }
    pair[0] = pair[1] = read_end(text, kind);
    if (**text == '-') {
        ++*text;
        pair[1] = read_end(text, kind);
    }
    return pair[0] && pair[0] <= pair[1];
}

static enum bl_status take_pairs(const struct bl_key_line *line,
                                 const struct bl_machine_field *field, unsigned pairs[],
                                 struct bl_error *error)
{
    const size_t max = field->size / (NUMBERS_OF_PAIR * sizeof pairs[0]);
    const char *const example = field->kind == BL_FIELD_BANKS      ? "16x4 65x8"
                                : field->kind == BL_FIELD_VERSIONS ? "9.0 12.55-12.57"
                                                                   : "0x0bd5 0x5690-0x5697";
    size_t count = 0;
    if (strcmp(line->value, "none") == 0)
        return BL_OK;
    for (const char *at = line->value; *at || count == 0; count++) {
        if (count == max || !read_pair(&at, field->kind, &pairs[NUMBERS_OF_PAIR * count]) ||
            (*at && *at != ' '))
            return bl_keyfile_fail(line, error, "%s = %s: expected none, or 1 to %zu such as %s",
                                   line->key, line->value, max, example);
        at += strspn(at, " ");
    }
    return BL_OK;
}

static enum bl_status take_devices(const struct bl_key_line *line, enum bl_machine_devices *value,
                                   struct bl_error *error)
{
    for (size_t i = 0; i < sizeof device_types / sizeof device_types[0]; i++)
        if (strcmp(line->value, device_types[i]) == 0) {
            *value = (enum bl_machine_devices)i;
            return BL_OK;
        }
    return bl_keyfile_fail(line, error, "%s = %s: expected none, any, cpu or gpu", line->key,
                           line->value);
}

static enum bl_status take_flag(const struct bl_key_line *line, bool *value, struct bl_error *error)
{
    *value = strcmp(line->value, "yes") == 0;
    if (*value || strcmp(line->value, "no") == 0)
        return BL_OK;
    return bl_keyfile_fail(line, error, "%s = %s: expected yes or no", line->key, line->value);
}

static enum bl_status take_value(const struct bl_key_line *line,
                                 const struct bl_machine_field *field, struct bl_machine *machine,
                                 struct bl_error *error)
{
    void *at = (char *)machine + field->offset;
    switch (field->kind) {
    case BL_FIELD_TEXT:
        if (strlen(line->value) >= field->size)
            return bl_keyfile_fail(line, error, "%s is longer than %zu bytes", line->key,
                                   field->size - 1);
        if (!*line->value && !(field->flags & BL_FIELD_OPTIONAL))
            return bl_keyfile_fail(line, error, "%s has no value", line->key);
        strcpy(at, line->value);
        return BL_OK;
    case BL_FIELD_FLAG:
        return take_flag(line, at, error);
    case BL_FIELD_COUNT:
    case BL_FIELD_POWER_OF_TWO:
        return take_count(line, field, at, error);
    case BL_FIELD_NUMBERS:
        return take_numbers(line, field, at, error);
    case BL_FIELD_RANGES:
    case BL_FIELD_VERSIONS:
    case BL_FIELD_BANKS:
        return take_pairs(line, field, at, error);
    case BL_FIELD_DEVICES:
        return take_devices(line, at, error);
    }
    return BL_BAD_FORMAT;
}

static enum bl_status take_line(void *context, const struct bl_key_line *line,
                                struct bl_error *error)
{
    struct reading *reading = context;
    const struct bl_machine_field *field = bl_machine_field_named(line->key);
    if (field) {
        unsigned *before = &reading->lines[field - bl_machine_fields];
        if (*before)
            return bl_keyfile_fail(line, error, "key '%s' was given in line %u already", line->key,
                                   *before);
        *before = line->number;
        return take_value(line, field, reading->machine, error);
    }
    struct bl_nearest nearest = bl_nearest_begin(line->key);
    for (size_t i = 0; i < FIELD_COUNT; i++)
        bl_nearest_offer(&nearest, bl_machine_fields[i].key);
    char meant[128];
    return bl_keyfile_fail(line, error, "unknown key '%s'%s", line->key,
                           nearest.best
                               ? bl_did_you_mean(&nearest, meant)
                               : "; 'bankline model --show-machine nvidia-hopper' shows them all");
}

static enum bl_status check_levels(const char *path, const struct bl_machine *machine,
                                   struct bl_error *error)
{
    static const char *const keys[BL_LEVELS] = {"l2", "llc", "memory"};
    for (unsigned i = 0; i < BL_LEVELS; i++) {
        const struct bl_level *level = &machine->levels[i];
        if (level->granule_bytes > machine->line_bytes)
            return bl_fail(error, BL_BAD_FORMAT,
                           "%s: %s_granule_bytes is %u, more than a line's %u", path, keys[i],
                           level->granule_bytes, machine->line_bytes);
        if (level->granule_bytes && level->granule_bytes < machine->sector_bytes)
            return bl_fail(error, BL_BAD_FORMAT,
                           "%s: %s_granule_bytes is %u, less than the sector_bytes, %u", path,
                           keys[i], level->granule_bytes, machine->sector_bytes);
        if (level->granule_bytes && !level->name[0])
            return bl_fail(error, BL_BAD_FORMAT, "%s: %s_name is missing", path, keys[i]);
        const unsigned blocks[] = {level->block_bytes, level->write_block_bytes};
        for (int write = 0; write < 2; write++)
            if (blocks[write] && blocks[write] < machine->line_bytes)
                return bl_fail(error, BL_BAD_FORMAT,
                               "%s: %s_%sblock_bytes is %u, less than a line's %u", path, keys[i],
                               write ? "write_" : "", blocks[write], machine->line_bytes);
        if (level->write_block_bytes && (!machine->sector_bytes || !level->granule_bytes))
            return bl_fail(error, BL_BAD_FORMAT,
                           "%s: %s_write_block_bytes needs sector_bytes and %s_granule_bytes", path,
                           keys[i], keys[i]);
    }
    return BL_OK;
}

enum bl_status bl_machine_read(const char *path, struct bl_machine *machine, struct bl_error *error)
{
    *machine = (struct bl_machine){0};
    struct reading reading = {.machine = machine};
    enum bl_status status = bl_keyfile_read(path, take_line, &reading, error);
    if (status != BL_OK)
        return status;
    for (size_t i = 0; i < FIELD_COUNT; i++)
        if (!reading.lines[i] && !(bl_machine_fields[i].flags & BL_FIELD_OPTIONAL))
            return bl_fail(error, BL_BAD_FORMAT, "%s: the key '%s' is missing", path,
                           bl_machine_fields[i].key);
    if (!machine->has_rule && !machine->why_no_rule[0])
        snprintf(machine->why_no_rule, sizeof machine->why_no_rule, "%.60s says that it has none",
                 path);
    if (machine->sector_bytes > machine->line_bytes)
        return bl_fail(error, BL_BAD_FORMAT, "%s: sector_bytes is %u, more than the line_bytes, %u",
                       path, machine->sector_bytes, machine->line_bytes);
    if (machine->sector_bytes && machine->line_bytes / machine->sector_bytes > BL_MAX_SECTORS)
        return bl_fail(error, BL_BAD_FORMAT,
                       "%s: a line of %u bytes has more than %d sectors of %u", path,
                       machine->line_bytes, BL_MAX_SECTORS, machine->sector_bytes);
    const struct bl_banks *first = machine->banks_alternatives;
    if (first->count && (first->count != machine->banks || first->bytes != machine->bank_bytes))
        return bl_fail(error, BL_BAD_FORMAT,
                       "%s: banks_alternatives begins with %ux%u, and banks and bank_bytes are %u "
                       "and %u",
                       path, first->count, first->bytes, machine->banks, machine->bank_bytes);
    return check_levels(path, machine, error);
}

enum bl_status bl_machine_named(const char *name, struct bl_machine *storage,
                                const struct bl_machine **machine, struct bl_error *error)
{
    enum bl_status status = bl_machine_find(name, machine, error);
    if (status == BL_OK || (!strchr(name, '/') && access(name, F_OK) != 0))
        return status;
    status = bl_machine_read(name, storage, error);
    *machine = storage;
    return status;
}
