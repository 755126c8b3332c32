/* Launches kernels of the cases once, with few groups and one round, and checks the results. Of
 * kernels that differ only in their index, one is launched; is_wanted() also leaves out some other
 * kernels. This program is for simulated devices, which are slow (tests/oclgrind.sh).
 * BANKLINE_TEST_DEVICE selects the device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/plan.h"
#include "run/runner.h"
#include "suites.h"

enum {
    MAX_BYTES = 1 << 20
}; /* cases with more data are left out; their kernels are those of other
      cases */

static int failed(const char *what, const struct bl_error *error)
{
    fprintf(stderr, "launch_once: %s: %s\n%s\n", what, error->sentence, error->log);
    return 1;
}

/* Returns 1 if the kernel was launched and its results are right, otherwise -1. */
static int launch(struct bl_session *session, const struct bl_plan_item *item)
{
    struct bl_error error = {0};
    struct bl_runner runner = {0};
    struct bl_timing timing;
    enum bl_status status = bl_runner_open(session, &item->own, &runner, &error);
    if (status == BL_OK)
        status = runner.subject.launch(runner.subject.context, 0, 1, &timing, &error);
    bl_runner_close(&runner);
    if (status == BL_OK)
        return 1;
    failed(item->test_case->id, &error);
    return -1;
}

/* Whether the item's kernel is to be launched. last: the item launched before; NULL for none. */
static bool is_wanted(const struct bl_plan_item *item, const struct bl_plan_item *last)
{
    if (item->status != BL_ROW_OK || item->own.buffers.data_bytes > MAX_BYTES)
        return false;
    if (item->own.buffers.local_bytes >
        item->own.setting.device->local_bytes) /* a case that tests whether the driver refuses the
                                                  launch */
        return false;
    /* Several groups write the same values to the same tile. Oclgrind would report this race, which
     * is intended. */
    if (item->own.launch.is_write && item->own.replicas.tiles.blocks)
        return false;
    /* Cases such as lines/1 to lines/16 have the same kernel, except for a number in it. */
    return !last || item->own.launch.shape.x != last->own.launch.shape.x ||
           strcmp(item->own.build.file, last->own.build.file) != 0 ||
           strncmp(item->own.build.options, last->own.build.options, 100) != 0;
}

int main(void)
{
    struct bl_error error = {0};
    struct bl_device *devices;
    const struct bl_device *device;
    const struct bl_machine *machine;
    struct bl_session *session;
    size_t device_count, count;
    if (bl_devices_list(&devices, &device_count, &error) != BL_OK ||
        bl_device_select(devices, device_count, getenv("BANKLINE_TEST_DEVICE"), &device, &error) !=
            BL_OK)
        return failed("devices", &error);
    struct bl_device small = *device;
    small.compute_units = 1;
    small.cache_bytes =
        MAX_BYTES / 16; /* so that the working sets that fit in the cache are small */
    small.bank_arrays = 1;
    const struct bl_wait_limits limits = {.deadline_s = 3600};
    const struct bl_catalogue catalogue = bl_suites();
    const struct bl_plan_filter filter = {.quick = false};
    struct bl_plan_item *items;
    if (bl_machine_find("cpu", &machine, &error) != BL_OK ||
        bl_plan(&catalogue, &filter, machine, &small, &items, &count, &error) != BL_OK ||
        bl_session_open(device, NULL, &limits, &session, &error) != BL_OK)
        return failed("plan", &error);
    unsigned launched = 0, wrong = 0;
    const struct bl_plan_item *last = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!is_wanted(&items[i], last))
            continue;
        last = &items[i];
        const int done = launch(session, &items[i]);
        launched += done > 0;
        wrong += done < 0;
    }
    bl_session_close(session);
    free(items);
    free(devices);
    printf("%u kernels launched on %s, %u failed\n", launched, small.name, wrong);
    return wrong > 0 || launched < 30;
}
