/* Reads the computer's properties. Which files of /proc and /sys exist differs between systems, so
 * each is optional. */
#include "measure/host_info.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

void bl_read_line(const char *path, char line[256])
{
    line[0] = '\0';
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    if (!fgets(line, 256, file))
        line[0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    fclose(file);
}

void bl_find_paths(const char *prefix, const char *pattern, glob_t *found)
{
    char whole[1024];
    snprintf(whole, sizeof whole, "%s%s", prefix, pattern);
    if (glob(whole, 0, NULL, found) != 0)
        found->gl_pathc = 0;
}

/* Copies the first value of a key of /proc/cpuinfo to `first`, cut to fit; empty if there is none.
 * Returns the highest of the key's values as a number, or 0. */
static double read_cpuinfo(const char *prefix, const char *key, char first[128])
{
    char path[1024], line[256];
    snprintf(path, sizeof path, "%s/proc/cpuinfo", prefix);
    FILE *file = fopen(path, "re");
    const size_t length = strlen(key);
    double highest = 0;
    first[0] = '\0';
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        const char *colon = strchr(line, ':');
        if (strncmp(line, key, length) != 0 || !colon ||
            strspn(line + length, " \t") != (size_t)(colon - line) - length)
            continue;
        const char *value = colon + 1 + strspn(colon + 1, " ");
        highest = fmax(highest, strtod(value, NULL));
        if (!first[0])
            snprintf(first, 128, "%.127s", value);
    }
    if (file)
        fclose(file);
    return highest;
}

static void read_governor(const char *prefix, char governor[32])
{
    glob_t found;
    bl_find_paths(prefix, "/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor", &found);
    governor[0] = '\0';
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char line[256];
        bl_read_line(found.gl_pathv[i], line);
        if (i > 0 && strcmp(governor, line) != 0) {
            strcpy(governor, "mixed");
            break;
        }
        snprintf(governor, 32, "%.31s", line);
    }
    globfree(&found);
}

struct bl_host_info bl_host_info_read(const char *prefix)
{
    struct bl_host_info read = {.os = ""};
    struct utsname name;
    if (uname(&name) == 0)
        snprintf(read.os, sizeof read.os, "%.60s %.60s", name.sysname, name.release);
    read_cpuinfo(prefix, "model name", read.cpu);
    read_governor(prefix, read.governor);
    return read;
}

/* The highest number in the files that match the pattern; 0 if there are none. */
static double highest_number(const char *prefix, const char *pattern)
{
    glob_t found;
    bl_find_paths(prefix, pattern, &found);
    double highest = 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char line[256];
        bl_read_line(found.gl_pathv[i], line);
        highest = fmax(highest, strtod(line, NULL));
    }
    globfree(&found);
    return highest;
}

double bl_cpu_mhz(const char *prefix)
{
    char first[128];
    const double khz =
        highest_number(prefix, "/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq");
    return khz > 0 ? khz / 1000 : read_cpuinfo(prefix, "cpu MHz", first);
}
