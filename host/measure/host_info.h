/* Properties of the computer that can explain a changed measurement: OS kernel, processor, clock.
 *
 * Read from /proc and /sys, whose prefix is a parameter so that tests bring their own; "" is the
 * computer's. What cannot be read is empty, or 0.
 */
#ifndef BANKLINE_MEASURE_HOST_INFO_H
#define BANKLINE_MEASURE_HOST_INFO_H

#include <glob.h>

struct bl_host_info {
    char os[128];      /* "Linux 6.1.0-18-amd64" */
    char cpu[128];     /* "model name" of /proc/cpuinfo */
    char governor[32]; /* cpufreq's governor of the first processor; "mixed" if they differ */
};

/* Reads what does not change during a run. */
struct bl_host_info bl_host_info_read(const char *prefix);

/* The highest current clock of any processor, in MHz: cpufreq's, else that of /proc/cpuinfo. */
double bl_cpu_mhz(const char *prefix);

/* Reads the first line of a file, without its line end; empty if there is none. */
void bl_read_line(const char *path, char line[256]);

/* All paths below the prefix that match the pattern; the caller calls globfree in any case. */
void bl_find_paths(const char *prefix, const char *pattern, glob_t *found);

#endif
