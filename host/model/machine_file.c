/* Reads machines from text files. Finds built-in machines by name, chooses the machine for a
 * device, and handles uncertain banks. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/file.h"
#include "base/keyfile.h"
#include "base/text.h"
#include "model/machine_file.h"

/* Generated from the files of machines/ at build time. */
extern const struct bl_machine bl_built_in_machines[];
extern const size_t bl_built_in_machine_count;

const struct bl_machine *bl_machines(size_t *count)
{
    *count = bl_built_in_machine_count;
    return bl_built_in_machines;
}

const char *bl_machine_name_now(const char *name)
{
    size_t count;
    const struct bl_machine *all = bl_machines(&count);
    for (size_t i = 0; i < count; i++)
        if (*name && strcmp(all[i].formerly, name) == 0)
            return all[i].name;
    return name;
}

/* `otherwise` says what else may be given, or is empty; it is appended to an error message that
 * lists all names. */
static enum bl_status find(const char *name, const char *otherwise,
                           const struct bl_machine **machine, struct bl_error *error)
{
    size_t count, used = 0;
    const struct bl_machine *all = bl_machines(&count);
    struct bl_nearest nearest = bl_nearest_begin(name);
    const char *now = bl_machine_name_now(name);
    char names[512] = "", meant[128];
    *machine = NULL;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(all[i].name, now) == 0) {
            *machine = &all[i];
            return BL_OK;
        }
        bl_nearest_offer(&nearest, all[i].name);
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
                                     all[i].name);
    }
    return bl_fail(error, BL_UNKNOWN_MACHINE, "unknown machine '%s'%s%s%s", name,
                   nearest.best ? "" : "; there are ",
                   nearest.best ? bl_did_you_mean(&nearest, meant) : names,
                   nearest.best ? "" : otherwise);
}

enum bl_status bl_machine_find(const char *name, const struct bl_machine **machine,
                               struct bl_error *error)
{
    return find(name, "", machine, error);
}

const char bl_banks_are_unknown[] =
    "nobody has published the banks of this GPU: 'bankline infer' finds them";

unsigned bl_machine_alternatives(const struct bl_machine *machine)
{
    unsigned count = 0;
    while (count < BL_MAX_BANK_ALTERNATIVES && machine->banks_alternatives[count].count)
        count++;
    return count;
}

unsigned bl_machine_max_group_items(const struct bl_machine *machine)
{
    return machine->group_items_max;
}

struct bl_machine bl_machine_alternative(const struct bl_machine *machine, unsigned i)
{
    struct bl_machine one = *machine;
    one.banks = machine->banks_alternatives[i].count;
    one.bank_bytes = machine->banks_alternatives[i].bytes;
    memset(one.banks_alternatives, 0, sizeof one.banks_alternatives);
    return one;
}

static bool is_within(const struct bl_range ranges[], size_t max, unsigned number)
{
    for (size_t i = 0; i < max && ranges[i].from && number; i++)
        if (number >= ranges[i].from && number <= ranges[i].to)
            return true;
    return false;
}

/* Whether the text contains this part, ignoring case. */
static bool has_part(const char *text, const char *part, size_t length)
{
    for (; text && *text; text++)
        if (strncasecmp(text, part, length) == 0)
            return true;
    return false;
}

/* Whether one of the device's names contains one of the comma-separated parts ("navi2, gfx103"). */
static bool is_named(const struct bl_device_kind *kind, const char *parts)
{
    while (*(parts += strspn(parts, ", "))) {
        size_t length = strcspn(parts, ",");
        while (isspace((unsigned char)parts[length - 1]))
            length--;
        if (has_part(kind->name, parts, length) || has_part(kind->board, parts, length) ||
            has_part(kind->gfx, parts, length))
            return true;
        parts += strcspn(parts, ",");
    }
    return false;
}

/* Kinds of evidence that a device is of a machine's generation, from the least to the most
 * reliable. */
enum evidence { NOT_THIS_GENERATION, ANY_GENERATION, BY_NAME, BY_ID, BY_VERSION, BY_PRODUCT };

/* The most reliable evidence that the device is of the machine's generation. */
static enum evidence generation(const struct bl_machine *machine, const struct bl_device_kind *kind)
{
    if (machine->capability_min) {
        if (kind->capability < machine->capability_min ||
            kind->capability > machine->capability_max)
            return NOT_THIS_GENERATION;
        if (!machine->names[0])
            return BY_VERSION;
        return is_named(kind, machine->names) ? BY_PRODUCT : NOT_THIS_GENERATION;
    }
    if (machine->ip_versions[0].from && kind->ip_version)
        return is_within(machine->ip_versions, BL_MAX_VERSIONS, kind->ip_version)
                   ? BY_VERSION
                   : NOT_THIS_GENERATION;
    if (is_within(machine->device_ids, BL_MAX_IDS, kind->device_id))
        return BY_ID;
    if (is_named(kind, machine->names))
        return BY_NAME;
    return machine->ip_versions[0].from || machine->device_ids[0].from || machine->names[0]
               ? NOT_THIS_GENERATION
               : ANY_GENERATION;
}

/* How well the machine fits the device; 0 if it does not fit. Evidence of the generation counts
 * more than the vendor, and the vendor counts more than the device type. */
static unsigned fit(const struct bl_machine *machine, const struct bl_device_kind *kind)
{
    const enum bl_machine_devices own = kind->type == BL_DEVICE_CPU   ? BL_FOR_CPU
                                        : kind->type == BL_DEVICE_GPU ? BL_FOR_GPU
                                                                      : BL_FOR_ANY;
    if (machine->device_type != own && machine->device_type != BL_FOR_ANY)
        return 0;
    bool is_vendor = false;
    for (size_t i = 0; i < BL_MAX_VENDORS; i++)
        is_vendor |= machine->vendors[i] && machine->vendors[i] == kind->vendor_id;
    if (machine->vendors[0] && !is_vendor)
        return 0;
    const enum evidence of_generation = generation(machine, kind);
    if (of_generation == NOT_THIS_GENERATION)
        return 0;
    return (unsigned)(machine->device_type != BL_FOR_ANY) + 2u * is_vendor + 4u * of_generation;
}

const struct bl_machine *bl_machine_for(const struct bl_device_kind *kind)
{
    size_t count;
    const struct bl_machine *all = bl_machines(&count), *best = &all[0];
    for (size_t i = 1; i < count; i++)
        if (fit(&all[i], kind) > fit(best, kind))
            best = &all[i];
    return best;
}

/* Reads a machine from text (machine_file.h). */

struct reading {
    struct bl_machine *machine;
    unsigned lines[BL_MAX_MACHINE_FIELDS]; /* line of each key; 0 if the key has not occurred yet */
    unsigned keys;                         /* number of keys so far */
    bool is_like_another;                  /* the first key was 'like' */
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

/* Reads a decimal number in the C locale. Rejects infinities and hexadecimal numbers. */
static enum bl_status take_amount(const struct bl_key_line *line,
                                  const struct bl_machine_field *field, double *value,
                                  struct bl_error *error)
{
    char *end;
    double parsed;
    const enum bl_status status = bl_read_decimal(line->value, &parsed, &end, error);
    if (status != BL_OK)
        return status;
    if (line->value[0] < '0' || line->value[0] > '9' || *end || strpbrk(line->value, "xX") ||
        !(parsed >= field->min && parsed <= field->max))
        return bl_keyfile_fail(line, error, "%s = %s: expected a number from %u to %u", line->key,
                               line->value, field->min, field->max);
    *value = parsed;
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
            return bl_keyfile_fail(
                line, error,
                "%s = %s: expected 'none' or 1 to %zu nonzero numbers, separated by spaces, "
                "such as '0x5 0xa'",
                line->key, line->value, max);
        numbers[count++] = number;
        at = end + strspn(end, " ");
    }
    return count ? BL_OK : bl_keyfile_fail(line, error, "%s has no value", line->key);
}

/* Reads a number of at most `max` at *text and moves *text past it. Returns 0 if there is no such
 * number. */
static unsigned read_number(const char **text, int base, unsigned long max)
{
    char *end;
    if (**text < '0' || **text > '9')
        return 0;
    errno = 0;
    const unsigned long number = strtoul(*text, &end, base);
    if (errno || number > max)
        return 0;
    *text = end;
    return (unsigned)number;
}

/* Reads one end of a range, such as "0x5690", or "12.55" for a version. */
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

static bool read_pair(const char **text, enum bl_field_kind kind, unsigned pair[BL_NUMBERS_OF_PAIR])
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
    const size_t max = field->size / (BL_NUMBERS_OF_PAIR * sizeof pairs[0]);
    const char *const example = field->kind == BL_FIELD_BANKS      ? "16x4 65x8"
                                : field->kind == BL_FIELD_VERSIONS ? "9.0 12.55-12.57"
                                                                   : "0x0bd5 0x5690-0x5697";
    size_t count = 0;
    if (strcmp(line->value, "none") == 0)
        return BL_OK;
    for (const char *at = line->value; *at || count == 0; count++) {
        if (count == max || !read_pair(&at, field->kind, &pairs[BL_NUMBERS_OF_PAIR * count]) ||
            (*at && *at != ' '))
            return bl_keyfile_fail(
                line, error,
                "%s = %s: expected 'none' or 1 to %zu entries, separated by spaces, such as '%s'",
                line->key, line->value, max, example);
        at += strspn(at, " ");
    }
    return BL_OK;
}

static enum bl_status take_devices(const struct bl_key_line *line, enum bl_machine_devices *value,
                                   struct bl_error *error)
{
    for (size_t i = 0; i < BL_MACHINE_DEVICE_NAMES; i++)
        if (strcmp(line->value, bl_machine_device_names[i]) == 0) {
            *value = (enum bl_machine_devices)i;
            return BL_OK;
        }
    return bl_keyfile_fail(line, error, "%s = %s: expected 'none', 'any', 'cpu' or 'gpu'",
                           line->key, line->value);
}

static enum bl_status take_flag(const struct bl_key_line *line, bool *value, struct bl_error *error)
{
    *value = strcmp(line->value, "yes") == 0;
    if (*value || strcmp(line->value, "no") == 0)
        return BL_OK;
    return bl_keyfile_fail(line, error, "%s = %s: expected 'yes' or 'no'", line->key, line->value);
}

static enum bl_status take_value(const struct bl_key_line *line,
                                 const struct bl_machine_field *field, struct bl_machine *machine,
                                 struct bl_error *error)
{
    void *at = (char *)machine + field->offset;
    memset(at, 0, field->size); /* 'like' may have set a value */
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
    case BL_FIELD_AMOUNT:
        return take_amount(line, field, at, error);
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

/* 'like = NAME' copies a built-in machine, except its names, its title and its evidence. */
static enum bl_status take_like(const struct bl_key_line *line, struct reading *reading,
                                struct bl_error *error)
{
    const struct bl_machine *other;
    if (reading->keys > 1)
        return bl_keyfile_fail(line, error, "key 'like' must be the first key");
    struct bl_error why = {0};
    if (bl_machine_find(line->value, &other, &why) != BL_OK)
        return bl_keyfile_fail(line, error, "like = %s: %s", line->value, why.sentence);
    *reading->machine = *other;
    memset(reading->machine->name, 0, sizeof other->name);
    memset(reading->machine->title, 0, sizeof other->title);
    memset(reading->machine->formerly, 0, sizeof other->formerly);
    memset(reading->machine->rests_on, 0, sizeof other->rests_on);
    reading->is_like_another = true;
    return BL_OK;
}

static bool is_missing(const struct reading *reading, size_t i)
{
    if (reading->lines[i] || (bl_machine_fields[i].flags & BL_FIELD_OPTIONAL))
        return false;
    return !reading->is_like_another || strcmp(bl_machine_fields[i].key, "name") == 0;
}

static enum bl_status take_line(void *context, const struct bl_key_line *line,
                                struct bl_error *error)
{
    struct reading *reading = context;
    reading->keys++;
    if (strcmp(line->key, "like") == 0)
        return take_like(line, reading, error);
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
    for (size_t i = 0; i < bl_machine_field_count; i++)
        bl_nearest_offer(&nearest, bl_machine_fields[i].key);
    char meant[128];
    return bl_keyfile_fail(line, error, "unknown key '%s'%s", line->key,
                           nearest.best
                               ? bl_did_you_mean(&nearest, meant)
                               : "; 'bankline model --show-machine nvidia-hopper' shows all keys");
}

/* Checks that requests which share granules or sectors cannot save more than they cost. The checks
 * follow from limits in granules.c: on average, at most 3.8 requests write the same sector, and a
 * short request writes at least one sector. name: the prefix of the level's keys. */
static enum bl_status check_savings(const char *path, const char *name,
                                    const struct bl_machine *machine, const struct bl_level *level,
                                    struct bl_error *error)
{
    const unsigned sum = level->near_percent + level->alike_percent + level->far_percent;
    const unsigned shared = level->write_shared_percent;
    if (sum > 100)
        return bl_fail(error, BL_BAD_FORMAT,
                       "%s: %s_near_percent, %s_alike_percent and %s_far_percent are together %u, "
                       "more than 100",
                       path, name, name, name, sum);
    if (shared && level->write_repeated_percent > shared / 3)
        return bl_fail(error, BL_BAD_FORMAT,
                       "%s: %s_write_repeated_percent is %u, more than a third of "
                       "%s_write_shared_percent, %u",
                       path, name, level->write_repeated_percent, name, shared);
    const unsigned sectors =
        machine->sector_bytes ? level->write_block_bytes / machine->sector_bytes : 0;
    if (shared && sectors && level->write_adjacent_percent > shared / sectors)
        return bl_fail(error, BL_BAD_FORMAT,
                       "%s: %s_write_adjacent_percent is %u, more than %s_write_shared_percent, "
                       "%u, divided by the sectors of a block, %u",
                       path, name, level->write_adjacent_percent, name, shared, sectors);
    return BL_OK;
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
        if (check_savings(path, keys[i], machine, level, error) != BL_OK)
            return BL_BAD_FORMAT;
    }
    return BL_OK;
}

/* Checks pairs of fields: the first must not exceed the second. Skips a pair if one of its fields
 * is unknown, or if the second is 0. */
static enum bl_status check_order(const char *path, const struct bl_machine *machine,
                                  struct bl_error *error)
{
    static const char *const pairs[][2] = {{"sector_bytes", "line_bytes"},
                                           {"line_bytes", "cache_bytes"},
                                           {"local_lanes_at_once", "lanes"},
                                           {"local_lanes_written_at_once", "lanes"},
                                           {"global_min_bytes", "global_max_bytes"},
                                           {"capability_min", "capability_max"},
                                           {"groups_per_unit", "sub_groups_per_unit"},
                                           {"launch_least_ns", "launch_ns"},
                                           {"launch_ns", "launch_most_ns"},
                                           {"queued_launch_ns", "launch_ns"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const double one = bl_machine_value(machine, bl_machine_field_named(pairs[i][0])),
                     other = bl_machine_value(machine, bl_machine_field_named(pairs[i][1]));
        if (other > 0 && one > other)
            return bl_fail(error, BL_BAD_FORMAT, "%s: %s is %.6g, more than the %s, %.6g", path,
                           pairs[i][0], one, pairs[i][1], other);
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
    for (size_t i = 0; i < bl_machine_field_count; i++)
        if (is_missing(&reading, i))
            return bl_fail(error, BL_BAD_FORMAT, "%s: the key '%s' is missing", path,
                           bl_machine_fields[i].key);
    if (!machine->has_rule && !machine->why_no_rule[0])
        snprintf(machine->why_no_rule, sizeof machine->why_no_rule, "%.60s gives no reason", path);
    if (check_order(path, machine, error) != BL_OK)
        return BL_BAD_FORMAT;
    if (machine->sector_bytes && machine->line_bytes / machine->sector_bytes > BL_MAX_SECTORS)
        return bl_fail(error, BL_BAD_FORMAT,
                       "%s: a line of %u bytes has more than %d sectors of %u", path,
                       machine->line_bytes, BL_MAX_SECTORS, machine->sector_bytes);
    const struct bl_banks *first = machine->banks_alternatives;
    if (first->count && (first->count != machine->banks || first->bytes != machine->bank_bytes))
        return bl_fail(error, BL_BAD_FORMAT,
                       "%s: banks_alternatives begins with %ux%u, but banks and bank_bytes are %u "
                       "and %u",
                       path, first->count, first->bytes, machine->banks, machine->bank_bytes);
    return check_levels(path, machine, error);
}

enum bl_status bl_machine_named(const char *name, struct bl_machine *storage,
                                const struct bl_machine **machine, struct bl_error *error)
{
    enum bl_status status = find(name, ", or give the path of a file", machine, error);
    if (status == BL_OK || (!strchr(name, '/') && access(name, F_OK) != 0))
        return status;
    status = bl_machine_read(name, storage, error);
    *machine = storage;
    return status;
}
