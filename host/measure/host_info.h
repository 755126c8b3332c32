/* What of the computer can explain that a measurement changed: kernel, processor, clock.
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
    char governor[32]; /* of cpufreq, of the first processor; "mixed" when they differ */
};

/* What does not change during a run. */
struct bl_host_info bl_host_info_read(const char *prefix);

/* The highest clock of any processor now, in MHz: cpufreq's, else that of /proc/cpuinfo. */
double bl_cpu_mhz(const char *prefix);

/* The first line of a file, without its end; empty where there is none. */
void bl_read_line(const char *path, char line[256]);

/* All paths of this pattern below the prefix; globfree is the caller's, whatever it finds. */
void bl_find_paths(const char *prefix, const char *pattern, glob_t *found);

#endif
