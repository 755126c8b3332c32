/* `bankline devices`: the OpenCL devices of this host. */
#include <stdio.h>
#include <stdlib.h>

#include "cl/device.h"
#include "cli/command.h"
#include "report/json_values.h"
#include "report/layout.h"

struct devices_settings {
    bool json;
};

/* Writes a remark on the machine's predictions for the device; "" if there is none. */
static void describe_machine(const struct bl_device *device, const struct bl_machine *machine,
                             char text[512])
{
    text[0] = '\0';
    if (!machine->has_rule)
        snprintf(text, 512, "no predictions: %s", machine->why_no_rule);
    else if (bl_machine_alternatives(machine) > 0)
        snprintf(text, 512, "%s", bl_banks_are_unknown);
    else if (device->warp_lanes && device->warp_lanes != machine->lanes)
        snprintf(text, 512, "the machine has %u lanes, but the driver reports %u", machine->lanes,
                 device->warp_lanes);
}

/* Prints a line such as "     machine   cpu: ..."; a long text continues on indented lines. */
static void print_fact(const char *name, const char *text)
{
    printf("     %-10s", name);
    bl_put_paragraph(stdout, 15, 15, bl_line_width(stdout), "%s", text);
}

static void print_device(const struct bl_device *device, bool is_default)
{
    static const char *const types[] = {"CPU", "GPU", "other"};
    const struct bl_machine *machine = bl_device_machine(device);
    char text[512];
    bl_print(stdout, "%u:%u  %s%s\n", device->platform_index, device->device_index, device->name,
             is_default ? "   (default)" : "");
    snprintf(text, sizeof text, "%s, driver %s", device->platform_name, device->driver);
    print_fact("platform", text);
    if (*device->card)
        print_fact("card", device->card);
    snprintf(text, sizeof text,
             "%s, %u compute units at %u MHz, %llu KiB local memory per group, groups of up to %zu "
             "work-items",
             types[device->type], device->compute_units, device->clock_mhz,
             (unsigned long long)device->local_bytes / 1024, device->max_group_items);
    print_fact("device", text);
    snprintf(text, sizeof text, "%s: %s", machine->name, machine->title);
    print_fact("machine", text);
    describe_machine(device, machine, text);
    if (*text)
        print_fact("", text);
}

#ifdef BL_WITH_JANSSON

static json_t *device_of(const struct bl_device *device, bool is_default, bool *whole)
{
    static const char *const types[] = {"CPU", "GPU", "other"};
    const struct bl_machine *machine = bl_device_machine(device);
    char index[32];
    snprintf(index, sizeof index, "%u:%u", device->platform_index, device->device_index);
    return bl_json_pack(
        whole, "{s:s, s:o, s:o, s:o, s:s, s:o, s:b, s:I, s:I, s:I, s:I, s:I, s:o, s:b}", "index",
        index, "name", bl_json_string(device->name), "platform",
        bl_json_string(device->platform_name), "driver", bl_json_string(device->driver), "type",
        types[device->type], "card", bl_json_string_or_null(device->card), "default", is_default,
        "compute_units", (json_int_t)device->compute_units, "clock_mhz",
        (json_int_t)device->clock_mhz, "local_bytes", (json_int_t)device->local_bytes,
        "memory_bytes", (json_int_t)device->memory_bytes, "max_group_items",
        (json_int_t)device->max_group_items, "machine", bl_json_string(machine->name), "has_rule",
        machine->has_rule);
}

static enum bl_status print_devices_as_json(FILE *file, const struct bl_device devices[],
                                            size_t count, const struct bl_device *chosen,
                                            struct bl_error *error)
{
    bool whole = true;
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        bl_json_append(array, device_of(&devices[i], &devices[i] == chosen, &whole), &whole);
    return bl_json_dump(bl_json_pack(&whole, "{s:o}", "devices", array), whole, file, error);
}

#else

static enum bl_status print_devices_as_json(FILE *file, const struct bl_device devices[],
                                            size_t count, const struct bl_device *chosen,
                                            struct bl_error *error)
{
    (void)file, (void)devices, (void)count, (void)chosen;
    return bl_json_is_built(error);
}

#endif

static enum bl_status run(const void *settings_, const struct bl_arguments *arguments,
                          struct bl_error *error)
{
    (void)arguments;
    const struct devices_settings *settings = settings_;
    struct bl_device *devices;
    size_t count;
    const struct bl_device *chosen;
    enum bl_status status = bl_devices_choose(NULL, &devices, &count, &chosen, error);
    if (status == BL_OK && settings->json)
        status = print_devices_as_json(stdout, devices, count, chosen, error);
    else if (status == BL_OK)
        for (size_t i = 0; i < count; i++)
            print_device(&devices[i], &devices[i] == chosen);
    free(devices);
    return status;
}

static const struct bl_option options[] = {
    {"json", NULL, "print JSON", BL_FLAG(struct devices_settings, json)},
    {0},
};

const struct bl_command bl_command_devices = {
    .name = "devices",
    .arguments = "",
    .summary = "list the OpenCL devices, each with the machine that its predictions use",
    .description =
        "Prints the OpenCL devices of this host, each with its index for --device and with the "
        "machine (the description of a device) that its predictions use.",
    .examples = {"bankline devices", "bankline devices --json"},
    .options = {{.options = options}},
    .settings_bytes = sizeof(struct devices_settings),
    .run = run,
};
