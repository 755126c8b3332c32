#include "cli/json_lists.h"

#include "report/json_is_built.h"

#ifdef BL_WITH_JANSSON

#include <string.h>

#include "report/json_values.h"
#include "report/row.h"
#include "run/measure_case.h"

static json_t *text(const char *bytes) { return bl_json_text(bytes, strlen(bytes)); }

static json_t *case_of(const struct bl_plan_item *item, const struct bl_machine *machine,
                       bool *whole)
{
    const struct bl_row row = bl_planned_row(item, machine);
    json_t *object = json_object();
    bl_json_add(object, "case", text(row.key.case_id), whole);
    bl_json_add(object, "suite", text(row.suite), whole);
    bl_json_add(object, "title", text(item->test_case->title), whole);
    bl_json_add(object, "document", text(item->test_case->document), whole);
    bl_json_add(object, "baseline", text(item->test_case->baseline), whole);
    bl_json_add(object, "claim", bl_json_number_or_null(item->claim), whole);
    bl_json_add(object, "direction",
                row.direction == BL_ANY_DIRECTION ? json_null()
                                                  : text(bl_direction_name(row.direction)),
                whole);
    bl_json_add(object, "predicted", bl_json_number_or_null(row.predicted), whole);
    return object;
}

enum bl_status bl_print_cases_json(FILE *file, const struct bl_machine *machine,
                                   const struct bl_plan_item *const items[], size_t count,
                                   struct bl_error *error)
{
    bool whole = true;
    json_t *root = json_object(), *cases = json_array();
    bl_json_add(root, "machine", text(machine->name), &whole);
    for (size_t i = 0; i < count; i++)
        bl_json_append(cases, case_of(items[i], machine, &whole), &whole);
    bl_json_add(root, "cases", cases, &whole);
    return bl_json_dump(root, whole, file, error);
}

static json_t *device_of(const struct bl_device *device, bool is_default, bool *whole)
{
    static const char *const types[] = {"CPU", "GPU", "other"};
    const struct bl_machine *machine = bl_device_machine(device);
    char index[32];
    snprintf(index, sizeof index, "%u:%u", device->platform_index, device->device_index);
    json_t *object = json_object();
    bl_json_add(object, "index", text(index), whole);
    bl_json_add(object, "name", text(device->name), whole);
    bl_json_add(object, "platform", text(device->platform_name), whole);
    bl_json_add(object, "driver", text(device->driver), whole);
    bl_json_add(object, "type", text(types[device->type]), whole);
    bl_json_add(object, "card", *device->card ? text(device->card) : json_null(), whole);
    bl_json_add(object, "default", json_boolean(is_default), whole);
    bl_json_add(object, "compute_units", json_integer(device->compute_units), whole);
    bl_json_add(object, "clock_mhz", json_integer(device->clock_mhz), whole);
    bl_json_add(object, "local_bytes", json_integer((json_int_t)device->local_bytes), whole);
    bl_json_add(object, "memory_bytes", json_integer((json_int_t)device->memory_bytes), whole);
    bl_json_add(object, "max_group_items", json_integer((json_int_t)device->max_group_items),
                whole);
    bl_json_add(object, "machine", text(machine->name), whole);
    bl_json_add(object, "has_rule", json_boolean(machine->has_rule), whole);
    return object;
}

enum bl_status bl_print_devices_json(FILE *file, const struct bl_device devices[], size_t count,
                                     const struct bl_device *chosen, struct bl_error *error)
{
    bool whole = true;
    json_t *root = json_object(), *array = json_array();
    for (size_t i = 0; i < count; i++)
        bl_json_append(array, device_of(&devices[i], &devices[i] == chosen, &whole), &whole);
    bl_json_add(root, "devices", array, &whole);
    return bl_json_dump(root, whole, file, error);
}

#else

enum bl_status bl_print_cases_json(FILE *file, const struct bl_machine *machine,
                                   const struct bl_plan_item *const items[], size_t count,
                                   struct bl_error *error)
{
    (void)file, (void)machine, (void)items, (void)count;
    return bl_json_is_built(error);
}

enum bl_status bl_print_devices_json(FILE *file, const struct bl_device devices[], size_t count,
                                     const struct bl_device *chosen, struct bl_error *error)
{
    (void)file, (void)devices, (void)count, (void)chosen;
    return bl_json_is_built(error);
}

#endif
