/* Properties of the computer that can explain a changed measurement: OS version, processor, clock.
 *
 * They are read from /proc and /sys. `prefix` is prepended to these paths, so that tests can use
 * made-up files; "" for the real ones. A property that cannot be read is empty or 0. */
#ifndef BANKLINE_MEASURE_HOST_INFO_H
#define BANKLINE_MEASURE_HOST_INFO_H

#include <glob.h>

struct bl_host_info {
    char os[128];      /* "Linux 6.1.0-18-amd64" */
    char cpu[128];     /* "model name" of /proc/cpuinfo */
    char governor[32]; /* cpufreq's governor; "mixed" if processors differ */
};

/* Reads the properties that do not change during a run. */
struct bl_host_info bl_host_info_read(const char *prefix);

/* The highest current clock of all processors, in MHz, from cpufreq or else /proc/cpuinfo. */
double bl_cpu_mhz(const char *prefix);

/* Reads the first line of a file, without its line end; empty if there is no file. */
void bl_read_line(const char *path, char line[256]);

/* Finds the paths below the prefix that match the pattern. The caller always calls globfree. */
void bl_find_paths(const char *prefix, const char *pattern, glob_t *found);

#endif
