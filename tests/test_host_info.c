/* What is read of the computer, from a made-up one. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "measure/host_info.h"

static char prefix[] = "/tmp/bankline-computer-XXXXXX";

static void make(void) { cr_assert_not_null(mkdtemp(prefix)); }

static void unmake(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", prefix);
    cr_assert_eq(system(command), 0);
}

TestSuite(host_info, .init = make, .fini = unmake);

static void put(const char *path, const char *text)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s%s", prefix, path);
    for (char *at = whole + strlen(prefix) + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        mkdir(whole, 0777);
        *at = '/';
    }
    FILE *file = fopen(whole, "w");
    cr_assert_not_null(file, "%s", whole);
    fputs(text, file);
    fclose(file);
}

Test(host_info, nothing_is_made_up_where_nothing_can_be_read)
{
    const struct bl_host_info read = bl_host_info_read(prefix);
    cr_assert_str_eq(read.cpu, "");
    cr_assert_str_eq(read.governor, "");
    cr_assert_eq(strncmp(read.os, "Linux ", 6), 0, "%s", read.os);
    cr_assert_float_eq(bl_cpu_mhz(prefix), 0, 0);
    cr_assert_float_eq(bl_gpu_mhz(prefix, 0x8086), 0, 0);
}

Test(host_info, the_processor_and_its_governor)
{
    put("/proc/cpuinfo", "processor\t: 0\nmodel name\t: One CPU @ 2 GHz\ncpu MHz\t\t: 1200.5\n\n"
                         "processor\t: 1\nmodel name\t: Other\ncpu MHz\t\t: 2400.25\n");
    cr_assert_float_eq(bl_cpu_mhz(prefix), 2400.25, 0);
    put("/proc/cpuinfo",
        "model name\nmodel names\t: none\nmodel name x: none\nmodel name\t: One CPU @ 2 GHz\n"
        "cpu MHz\t\t: 2400.25\n");
    struct bl_host_info read = bl_host_info_read(prefix);
    cr_assert_str_eq(read.cpu, "One CPU @ 2 GHz");
    cr_assert_float_eq(bl_cpu_mhz(prefix), 2400.25, 0);
    put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "800000\n");
    put("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n");
    put("/sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "3100000\n");
    read = bl_host_info_read(prefix);
    cr_assert_str_eq(read.governor, "powersave");
    cr_assert_float_eq(bl_cpu_mhz(prefix), 3100, 0, "cpufreq before cpuinfo");
    put("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
    read = bl_host_info_read(prefix);
    cr_assert_str_eq(read.governor, "mixed");
}

Test(host_info, the_gpus_clock_is_that_of_its_vendors_card)
{
    put("/sys/class/drm/card0/device/vendor", "0x10de\n");
    put("/sys/class/drm/card0/gt_act_freq_mhz", "1\n");
    put("/sys/class/drm/card1/device/vendor", "0x8086\n");
    cr_assert_float_eq(bl_gpu_mhz(prefix, 0x8086), 0, 0);
    put("/sys/class/drm/card1/device/tile0/gt0/freq0/act_freq", "1900\n");
    cr_assert_float_eq(bl_gpu_mhz(prefix, 0x8086), 1900, 0, "xe");
    put("/sys/class/drm/card1/gt_act_freq_mhz", "1150\n");
    cr_assert_float_eq(bl_gpu_mhz(prefix, 0x8086), 1150, 0, "i915");
    put("/sys/class/drm/card1/gt_act_freq_mhz", "");
    put("/sys/class/drm/card1/gt/gt0/rps_act_freq_mhz", "700\n");
    cr_assert_float_eq(bl_gpu_mhz(prefix, 0x8086), 700, 0, "newer i915");
}

Test(host_info, what_is_there_may_be_of_any_length)
{
    char *text = malloc(5000);
    memset(text, 'x', 4999);
    text[4999] = '\0';
    memcpy(text, "model name : ", 13);
    put("/proc/cpuinfo", text);
    put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", text);
    free(text);
    const struct bl_host_info read = bl_host_info_read(prefix);
    cr_assert_lt(strlen(read.cpu), sizeof read.cpu);
    cr_assert_eq(strlen(read.governor), 31);
}
