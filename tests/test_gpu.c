/* Tests how the clock, the power and the reasons for throttling of a GPU are read, from made-up
 * files in /sys and from a substitute for NVIDIA's library. NVML_FOLDER is the folder of this
 * substitute, which is built from nvml.c. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "made_computer.h"
#include "measure/host_info.h"

enum { AMD = 0x1002, INTEL = 0x8086, NVIDIA = 0x10de };
#define CARD "/sys/class/drm/card1"

static struct bl_gpu gpu;
static struct bl_gpu_state state;

static void close_all(void)
{
    bl_gpu_close(&gpu);
    unmake_computer();
}

TestSuite(gpu, .init = make_computer, .fini = close_all);

/* The clock of the vendor's first card, in MHz; 0 if it is unknown. */
static double mhz_now(unsigned vendor)
{
    bl_gpu_open(&gpu, made_computer, vendor, "");
    return bl_gpu_mhz(&gpu);
}

Test(gpu, nothing_is_known_without_a_gpu)
{
    const unsigned vendors[] = {AMD, INTEL, NVIDIA};
    for (size_t i = 0; i < 3; i++) {
        cr_assert_float_eq(mhz_now(vendors[i]), 0, 0);
        bl_gpu_read(&gpu, &state);
        cr_assert(isnan(state.mhz) && isnan(state.watts) && isnan(gpu.memory_gbytes_per_s));
        cr_assert_str_eq(state.throttled, "");
    }
}

Test(gpu, the_clock_of_the_vendors_card_is_read)
{
    put_file("/sys/class/drm/card0/device/vendor", "0x10de\n");
    put_file("/sys/class/drm/card0/gt_act_freq_mhz", "1\n");
    put_file(CARD "/device/vendor", "0x8086\n");
    cr_assert_float_eq(mhz_now(INTEL), 0, 0);
    put_file(CARD "/device/tile0/gt0/freq0/act_freq", "1900\n");
    cr_assert_float_eq(mhz_now(INTEL), 1900, 0, "xe");
    put_file(CARD "/gt_act_freq_mhz", "1150\n");
    cr_assert_float_eq(mhz_now(INTEL), 1150, 0, "i915");
    put_file(CARD "/gt_act_freq_mhz", "");
    put_file(CARD "/gt/gt0/rps_act_freq_mhz", "700\n");
    cr_assert_float_eq(mhz_now(INTEL), 700, 0, "newer versions of i915");
}

Test(gpu, the_card_at_the_address_is_chosen)
{
    put_file("/sys/class/drm/card0/device/vendor", "0x8086\n");
    put_file("/sys/class/drm/card0/device/uevent", "DRIVER=xe\nPCI_SLOT_NAME=0000:03:00.0\n");
    put_file("/sys/class/drm/card0/gt_act_freq_mhz", "300\n");
    put_file(CARD "/device/vendor", "0x8086\n");
    put_file(CARD "/device/uevent", "DRIVER=xe\nPCI_SLOT_NAME=0000:17:00.0\n");
    put_file(CARD "/gt_act_freq_mhz", "1700\n");
    const struct {
        const char *card;
        double mhz;
    } cards[] = {{"0000:03:00.0", 300},
                 {"0000:17:00.0", 1700},
                 {"0000:17:00.0@host", 1700},
                 {"0000:18:00.0", 0},
                 {"", 300},
                 {"5e8c6b0f-93a1", 300}};
    for (size_t i = 0; i < sizeof cards / sizeof cards[0]; i++) {
        bl_gpu_open(&gpu, made_computer, INTEL, cards[i].card);
        cr_assert_float_eq(bl_gpu_mhz(&gpu), cards[i].mhz, 0, "%s", cards[i].card);
    }
}

Test(gpu, power_is_computed_from_the_energy_counter_or_if_there_is_none_read_directly)
{
    put_file(CARD "/device/vendor", "0x1002\n");
    put_file(CARD "/device/hwmon/hwmon3/power1_average", "120500000\n");
    bl_gpu_open(&gpu, made_computer, AMD, "");
    bl_gpu_read(&gpu, &state);
    cr_assert_float_eq(state.watts, 120.5, 1e-9);
    put_file(CARD "/device/hwmon/hwmon3/energy1_input", "1000000\n");
    bl_gpu_open(&gpu, made_computer, AMD, "");
    usleep(10000);
    put_file(CARD "/device/hwmon/hwmon3/energy1_input", "1000010\n");
    bl_gpu_read(&gpu, &state); /* the counter rises by 10 uJ in at least 10 ms */
    cr_assert(state.watts > 0 && state.watts <= 0.001, "%g W", state.watts);
    bl_gpu_read(&gpu, &state);
    cr_assert(isnan(state.watts), "the energy counter did not change: %g W", state.watts);
}

Test(gpu, reasons_for_throttling_are_named)
{
    put_file(CARD "/device/vendor", "0x8086\n");
    put_file(CARD "/gt/gt0/throttle_reason_status", "1\n");
    put_file(CARD "/gt/gt0/throttle_reason_pl1", "1\n");
    put_file(CARD "/gt/gt0/throttle_reason_thermal", "0\n");
    put_file(CARD "/gt/gt1/throttle_reason_pl1", "1\n");
    put_file(CARD "/gt/gt1/throttle_reason_prochot", "1\n");
    bl_gpu_open(&gpu, made_computer, INTEL, "");
    bl_gpu_read(&gpu, &state);
    cr_assert_str_eq(state.throttled, "pl1, prochot");
    put_file("/sys/class/drm/card2/device/vendor", "0x1002\n");
    put_file("/sys/class/drm/card2/device/tile0/gt0/freq0/throttle/reason_vr_thermalert", "1\n");
    bl_gpu_open(&gpu, made_computer, AMD, "");
    bl_gpu_read(&gpu, &state);
    cr_assert_str_eq(state.throttled, "vr_thermalert");
}

Test(gpu, nvidias_library_is_queried_by_uuid_or_address)
{
    const char *const cards[] = {"5e8c6b0f-93a1-0000-0000-000000000000", "0000:17:00.0",
                                 "0000:17:00.0@host"};
    for (size_t i = 0; i < 3; i++) {
        bl_gpu_open(&gpu, NVML_FOLDER, NVIDIA, cards[i]);
        bl_gpu_read(&gpu, &state);
        cr_assert_float_eq(gpu.memory_gbytes_per_s, 4916.736, 1e-6, "%s", cards[i]);
        cr_assert_float_eq(state.mhz, 1965, 0);
        cr_assert_gt(state.watts, 0);
        cr_assert_str_eq(state.throttled, "power cap, thermal");
        bl_gpu_close(&gpu);
    }
    bl_gpu_open(&gpu, NVML_FOLDER, NVIDIA, "0000:18:00.0");
    bl_gpu_read(&gpu, &state);
    cr_assert(isnan(gpu.memory_gbytes_per_s) && isnan(state.mhz), "there is no such card");
    bl_gpu_close(&gpu);
    bl_gpu_open(&gpu, NVML_FOLDER, INTEL, cards[0]);
    cr_assert_null(gpu.nvml, "the card is of another vendor");
}
