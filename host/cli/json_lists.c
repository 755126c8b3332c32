/* One JSON object for each case or device; jansson does the quoting. */
#include "cli/json_lists.h"

#include "report/json_values.h"

#ifdef BL_WITH_JANSSON

#include <string.h>

#include "model/machine_file.h"
#include "report/row.h"
#include "run/measure_case.h"

static json_t *case_of(const struct bl_plan_item *item, const struct bl_machine *machine,
                       bool *whole)
{
    const struct bl_row row = bl_planned_row(item, machine);
    const struct bl_case *test_case = item->test_case;
    const char *direction =
        row.direction == BL_ANY_DIRECTION ? "" : bl_direction_name(row.direction);
    json_t *object = bl_json_pack(
        whole, "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "case",
        bl_json_string(row.key.case_id), "suite", bl_json_string(row.suite), "title",
        bl_json_string(test_case->title), "document", bl_json_string(test_case->document),
        "baseline", bl_json_string(test_case->baseline), "claim",
        bl_json_number_or_null(item->claim), "claim_source",
        bl_json_string_or_null(row.claim_source), "direction", bl_json_string_or_null(direction),
        "predicted", bl_json_number_or_null(row.predicted));
    if (row.alternative_count > 0)
        bl_json_add(object, "alternatives", bl_json_alternatives(&row, whole), whole);
    return object;
}

enum bl_status bl_print_cases_json(FILE *file, const struct bl_machine *machine,
                                   const struct bl_plan_item *const items[], size_t count,
                                   struct bl_error *error)
{
    bool whole = true;
    json_t *cases = json_array();
    for (size_t i = 0; i < count; i++)
        bl_json_append(cases, case_of(items[i], machine, &whole), &whole);
    return bl_json_dump(bl_json_pack(&whole, "{s:o, s:o}", "machine", bl_json_string(machine->name),
                                     "cases", cases),
                        whole, file, error);
}

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

enum bl_status bl_print_devices_json(FILE *file, const struct bl_device devices[], size_t count,
                                     const struct bl_device *chosen, struct bl_error *error)
{
    bool whole = true;
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        bl_json_append(array, device_of(&devices[i], &devices[i] == chosen, &whole), &whole);
    return bl_json_dump(bl_json_pack(&whole, "{s:o}", "devices", array), whole, file, error);
}

/* An array of texts, from one with commas between them. */
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

/* An array of texts, from a field whose values have blanks between them. */
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

enum bl_status bl_print_machines_json(FILE *file, struct bl_error *error)
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

enum bl_status bl_print_machines_json(FILE *file, struct bl_error *error)
{
    (void)file;
    return bl_json_is_built(error);
}

#endif
