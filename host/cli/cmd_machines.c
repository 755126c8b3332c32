/* `bankline machines`: the descriptions, which devices they are for, what they rest on. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/json_lists.h"
#include "model/machine_file.h"
#include "report/layout.h"

struct machines_settings {
    bool json;
};

enum { DEVICES_BYTES = 512 };

/* "Intel GPUs" */
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

/* BL_OK or BL_NO_MEMORY. */
static enum bl_status describe_devices(char text[DEVICES_BYTES], const struct bl_machine *machine,
                                       struct bl_error *error)
{
    const char *separator = "";
    text[0] = '\0';
    add_kind(text, machine);
    if (machine->capability_min)
        add_capability(text, machine);
    if (machine->ip_versions[0].from) {
        char versions[128];
        const enum bl_status status = bl_machine_value_text(
            machine, bl_machine_field_named("ip_versions"), versions, sizeof versions, error);
        if (status != BL_OK)
            return status;
        bl_text_add(text, DEVICES_BYTES, " of version %s", versions);
        separator = ", else";
    }
    if (machine->device_ids[0].from) {
        bl_text_add(text, DEVICES_BYTES, "%s by PCI id", separator);
        separator = ", else";
    }
    if (machine->names[0])
        bl_text_add(text, DEVICES_BYTES, "%s by name", separator);
    const bool is_generation =
        machine->capability_min || machine->ip_versions[0].from || machine->names[0];
    if (machine->vendors[0] && !is_generation)
        bl_text_add(text, DEVICES_BYTES, " of any other generation");
    return BL_OK;
}

static enum bl_status print_table(struct bl_error *error)
{
    static const struct bl_layout_column columns[] = {
        {.name = "machine", .width = 20},
        {.name = "rests on", .width = 22},
        {.name = "devices", .width = 60, .min_width = 24},
        {.name = "title", .width = 60, .min_width = 24, .rank = 1},
    };
    enum { COLUMNS = sizeof columns / sizeof columns[0] };
    const unsigned width = bl_line_width(stdout);
    const struct bl_layout layout = bl_layout_for(columns, COLUMNS, width);
    size_t count;
    const struct bl_machine *all = bl_machines(&count);
    bl_layout_heading(&layout, stdout);
    for (size_t i = 0; i < count; i++) {
        char devices[DEVICES_BYTES];
        const enum bl_status status = describe_devices(devices, &all[i], error);
        if (status != BL_OK)
            return status;
        const char *const cells[COLUMNS] = {all[i].name, all[i].rests_on, devices, all[i].title};
        bl_layout_row(&layout, stdout, cells);
    }
    bl_put_paragraph(stdout, 0, 0, width,
                     "\nrests on: measured here (by this project), published (by others who "
                     "measured), documents (of the vendor or of its software), hypotheses (what "
                     "nobody has published). 'bankline model --show-machine NAME' prints one, its "
                     "ids and names too.");
    return BL_OK;
}

static enum bl_status run(const void *settings_, const struct bl_arguments *arguments,
                          struct bl_error *error)
{
    (void)arguments;
    const struct machines_settings *settings = settings_;
    return settings->json ? bl_print_machines_json(stdout, error) : print_table(error);
}

static const struct bl_option options[] = {
    {"json", NULL, "print JSON", BL_FLAG(struct machines_settings, json)},
    {0},
};

const struct bl_command bl_command_machines = {
    .name = "machines",
    .arguments = "",
    .summary = "descriptions, which devices they are for, what they rest on",
    .description =
        "Prints the machines whose rules measurements are held against: which devices each is "
        "chosen for, and what it rests on. A device is of the machine whose version of the "
        "hardware, PCI id or name, or compute capability, it reports, in this order.",
    .examples = {"bankline machines", "bankline machines --json"},
    .options = {{.options = options}},
    .settings_bytes = sizeof(struct machines_settings),
    .run = run,
};
