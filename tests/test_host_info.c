/* Tests how the processor, its governor and its clock are read, from made-up files in /proc and
 * /sys. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "made_computer.h"
#include "measure/host_info.h"

TestSuite(host_info, .init = make_computer, .fini = unmake_computer);

Test(host_info, properties_are_empty_if_nothing_can_be_read)
{
    const struct bl_host_info read = bl_host_info_read(made_computer);
    cr_assert_str_eq(read.cpu, "");
    cr_assert_str_eq(read.governor, "");
    cr_assert_eq(strncmp(read.os, "Linux ", 6), 0, "%s", read.os);
    cr_assert_float_eq(bl_cpu_mhz(made_computer), 0, 0);
}

Test(host_info, the_processor_and_its_governor_are_read)
{
    put_file("/proc/cpuinfo",
             "processor\t: 0\nmodel name\t: One CPU @ 2 GHz\ncpu MHz\t\t: 1200.5\n\n"
             "processor\t: 1\nmodel name\t: Other\ncpu MHz\t\t: 2400.25\n");
    cr_assert_float_eq(bl_cpu_mhz(made_computer), 2400.25, 0);
    put_file("/proc/cpuinfo",
             "model name\nmodel names\t: none\nmodel name x: none\nmodel name\t: One CPU @ 2 GHz\n"
             "cpu MHz\t\t: 2400.25\n");
    struct bl_host_info read = bl_host_info_read(made_computer);
    cr_assert_str_eq(read.cpu, "One CPU @ 2 GHz");
    cr_assert_float_eq(bl_cpu_mhz(made_computer), 2400.25, 0);
    put_file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    put_file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "800000\n");
    put_file("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n");
    put_file("/sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "3100000\n");
    read = bl_host_info_read(made_computer);
    cr_assert_str_eq(read.governor, "powersave");
    cr_assert_float_eq(bl_cpu_mhz(made_computer), 3100, 0, "cpufreq is preferred to cpuinfo");
    put_file("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
    read = bl_host_info_read(made_computer);
    cr_assert_str_eq(read.governor, "mixed");
}

Test(host_info, properties_may_have_any_length)
{
    char *text = malloc(5000);
    memset(text, 'x', 4999);
    text[4999] = '\0';
    memcpy(text, "model name : ", 13);
    put_file("/proc/cpuinfo", text);
    put_file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", text);
    free(text);
    const struct bl_host_info read = bl_host_info_read(made_computer);
    cr_assert_lt(strlen(read.cpu), sizeof read.cpu);
    cr_assert_eq(strlen(read.governor), 31);
}
