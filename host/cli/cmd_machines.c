/* `bankline machines`: lists the machines, the devices that each machine is for, and the evidence
 * for each machine. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/command.h"
#include "model/machine_file.h"
#include "report/json_values.h"
#include "report/layout.h"

struct machines_settings {
    bool json;
};

enum { DEVICES_BYTES = 512 };

/* Adds the vendors and the type of the machine's devices, such as "Intel GPUs". */
static void add_kind(char text[DEVICES_BYTES], const struct bl_machine *machine)
{
    static const struct {
        uint64_t vendor;
        const char *name;
    } vendors[] = {{0x8086, "Intel"}, {0x10de, "NVIDIA"}, {0x1002, "AMD"}};
    static const char *const types[] = {"none", "any other device", "CPUs", "GPUs"};
    for (size_t i = 0; i < BL_MAX_VENDORS && machine->vendors[i]; i++) {
        const char *name = NULL;
        for (size_t v = 0; v < sizeof vendors / sizeof vendors[0]; v++)
            if (vendors[v].vendor == machine->vendors[i])
                name = vendors[v].name;
        if (name)
            bl_text_add(text, DEVICES_BYTES, "%s ", name);
        else
            bl_text_add(text, DEVICES_BYTES, "vendor 0x%04x's ", (unsigned)machine->vendors[i]);
    }
    bl_text_add(text, DEVICES_BYTES, "%s", types[machine->device_type]);
}

static void add_capability(char text[DEVICES_BYTES], const struct bl_machine *machine)
{
    const unsigned min = machine->capability_min, max = machine->capability_max;
    bl_text_add(text, DEVICES_BYTES, " of compute capability %u.%u", min / 10, min % 10);
    if (max != min)
        bl_text_add(text, DEVICES_BYTES, " to %u.%u", max / 10, max % 10);
}

/* Adds the first `most` values of a list with this separator: "gfx90a, aldebaran, MI210, ..." */
static void add_values(char text[DEVICES_BYTES], const char *list, char separator, unsigned most)
{
    const char separators[] = {separator, '\0'};
    for (unsigned i = 0; *list; i++) {
        const size_t length = strcspn(list, separators);
        if (i == most) {
            bl_text_add(text, DEVICES_BYTES, ", ...");
            return;
        }
        bl_text_add(text, DEVICES_BYTES, "%s%.*s", i > 0 ? ", " : " ", (int)length, list);
        list += length;
        list += strspn(list, separator == ',' ? ", " : separators);
    }
}

/* Writes which devices the machine is for. Returns BL_OK or BL_NO_MEMORY. */
static enum bl_status describe_devices(char text[DEVICES_BYTES], const struct bl_machine *machine,
                                       struct bl_error *error)
{
    enum { FIRST_NAMES = 3 };
    const bool has_versions = machine->ip_versions[0].from, has_ids = machine->device_ids[0].from;
    text[0] = '\0';
    add_kind(text, machine);
    if (machine->capability_min)
        add_capability(text, machine);
    if (has_versions) {
        char versions[128];
        const enum bl_status status = bl_machine_value_text(
            machine, bl_machine_field_named("ip_versions"), versions, sizeof versions, error);
        if (status != BL_OK)
            return status;
        bl_text_add(text, DEVICES_BYTES, " of version");
        add_values(text, versions, ' ', BL_MAX_VERSIONS);
    }
    if (has_ids)
        bl_text_add(text, DEVICES_BYTES, "%s by PCI id", has_versions ? "; else" : "");
    if (machine->names[0] && (has_versions || has_ids)) {
        bl_text_add(text, DEVICES_BYTES, "; else by name");
    } else if (machine->names[0]) {
        bl_text_add(text, DEVICES_BYTES, " named");
        add_values(text, machine->names, ',', FIRST_NAMES);
    }
    const bool is_generation = machine->capability_min || has_versions || machine->names[0];
    if (machine->vendors[0] && !is_generation)
        bl_text_add(text, DEVICES_BYTES, " of any other generation");
    return BL_OK;
}

static enum bl_status print_table(struct bl_error *error)
{
    struct bl_layout_column columns[] = {
        {.name = "machine"},
        {.name = "rests on"},
        {.name = "devices", .min_width = 24},
        {.name = "title", .min_width = 24, .rank = 1},
    };
    enum { COLUMNS = sizeof columns / sizeof columns[0] };
    const unsigned width = bl_line_width(stdout);
    struct bl_layout layout = {0};
    size_t count;
    const struct bl_machine *all = bl_machines(&count);
    for (size_t i = 0; i < 2 * count; i++) { /* the first pass over the machines finds the columns'
                                                widths, the second pass prints */
        const struct bl_machine *machine = &all[i % count];
        char devices[DEVICES_BYTES];
        const enum bl_status status = describe_devices(devices, machine, error);
        if (status != BL_OK)
            return status;
        const char *const cells[COLUMNS] = {machine->name, machine->rests_on, devices,
                                            machine->title};
        if (i == count) {
            layout = bl_layout_for(columns, COLUMNS, width);
            bl_layout_heading(&layout, stdout);
        }
        for (size_t c = 0; c < COLUMNS && i < count; c++) {
            const unsigned needed = bl_text_width(cells[c]);
            columns[c].width = needed > columns[c].width ? needed : columns[c].width;
        }
        if (i >= count)
            bl_layout_row(&layout, stdout, cells);
    }
    bl_put_paragraph(
        stdout, 0, 0, width,
        "\nrests on: measured here (by this project), published (measured by others), documents "
        "(of the vendor or of its software), hypotheses (not published). "
        "'bankline model --show-machine NAME' prints a whole description, with all ids "
        "and names.");
    return BL_OK;
}

#ifdef BL_WITH_JANSSON

/* Splits a text at its commas into a JSON array. */
static json_t *texts_of(const char *text, bool *whole)
{
    json_t *array = json_array();
    while (*(text += strspn(text, ", "))) {
        const size_t length = strcspn(text, ",");
        bl_json_append(array, bl_json_text(text, length), whole);
        text += length;
    }
    return array;
}

/* Splits a field's text at its blanks into a JSON array. */
static json_t *values_of(const struct bl_machine *machine, const char *key, bool *whole)
{
    char text[1024];
    const struct bl_machine_field *field = bl_machine_field_named(key);
    if (bl_machine_value_text(machine, field, text, sizeof text, NULL) != BL_OK)
        return NULL;
    for (char *at = text; (at = strchr(at, ' '));)
        *at = ',';
    return strcmp(text, "none") == 0 ? json_array() : texts_of(text, whole);
}

static json_t *machine_of(const struct bl_machine *machine, bool *whole)
{
    static const char *const lists[] = {"vendors", "ip_versions", "device_ids",
                                        "banks_alternatives"};
    static const char *const types[] = {"none", "any", "cpu", "gpu"};
    json_t *object = bl_json_pack(
        whole, "{s:o, s:o, s:s, s:I, s:I, s:o, s:o, s:b, s:o}", "name",
        bl_json_string(machine->name), "title", bl_json_string(machine->title), "device_type",
        types[machine->device_type], "capability_min", (json_int_t)machine->capability_min,
        "capability_max", (json_int_t)machine->capability_max, "names",
        texts_of(machine->names, whole), "rests_on", texts_of(machine->rests_on, whole), "has_rule",
        machine->has_rule, "why_no_rule", bl_json_string_or_null(machine->why_no_rule));
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        bl_json_add(object, lists[i], values_of(machine, lists[i], whole), whole);
    return object;
}

static enum bl_status print_machines_as_json(FILE *file, struct bl_error *error)
{
    bool whole = true;
    size_t count;
    const struct bl_machine *all = bl_machines(&count);
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        bl_json_append(array, machine_of(&all[i], &whole), &whole);
    return bl_json_dump(bl_json_pack(&whole, "{s:o}", "machines", array), whole, file, error);
}

#else

static enum bl_status print_machines_as_json(FILE *file, struct bl_error *error)
{
    (void)file;
    return bl_json_is_built(error);
}

#endif

static enum bl_status run(const void *settings_, const struct bl_arguments *arguments,
                          struct bl_error *error)
{
    (void)arguments;
    const struct machines_settings *settings = settings_;
    return settings->json ? print_machines_as_json(stdout, error) : print_table(error);
}

static const struct bl_option options[] = {
    {"json", NULL, "print JSON", BL_FLAG(struct machines_settings, json)},
    {0},
};

const struct bl_command bl_command_machines = {
    .name = "machines",
    .arguments = "",
    .summary = "list the machines (descriptions of devices) and the evidence for each",
    .description =
        "Prints the machines (the descriptions of devices that predictions use), the devices that "
        "each is for, and the evidence that it rests on. A device's machine is found by the "
        "hardware version or compute capability that the driver reports, else by the device's PCI "
        "id, else by its name.",
    .examples = {"bankline machines", "bankline machines --json"},
    .options = {{.options = options}},
    .settings_bytes = sizeof(struct machines_settings),
    .run = run,
};
