/* Reads the properties of the host and of its GPU. The files of /proc and /sys differ between
 * systems, so each of them is optional. */
#include "measure/host_info.h"

#include <dlfcn.h>
#include <glob.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "measure/sampler.h"

/* Reads the first line of a file, without its line end. `line` is empty if the file cannot be
 * read. */
static void read_line(const char *path, char line[256])
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

/* Finds the paths below the prefix that match the pattern. The caller always calls globfree. */
static void find_paths(const char *prefix, const char *pattern, glob_t *found)
{
    char whole[1024];
    snprintf(whole, sizeof whole, "%s%s", prefix, pattern);
    if (glob(whole, 0, NULL, found) != 0)
        found->gl_pathc = 0;
}

/* Copies the first value of a key of /proc/cpuinfo to `first`, truncated to fit; `first` is empty
 * if the key is missing. Returns the highest number among the key's values, or 0. */
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
    find_paths(prefix, "/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor", &found);
    governor[0] = '\0';
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char line[256];
        read_line(found.gl_pathv[i], line);
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
    find_paths(prefix, pattern, &found);
    double highest = 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char line[256];
        read_line(found.gl_pathv[i], line);
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

/* A GPU's clock and power. File names in sysfs differ between Linux drivers, so each value has a
 * list of patterns, and the first file that exists is read. NVML is loaded at run time, because a
 * program linked with NVML would not start on a host without NVIDIA's driver. */

static const char *const clocks[] = {"/gt_act_freq_mhz", "/gt/gt0/rps_act_freq_mhz",
                                     "/device/tile0/gt0/freq0/act_freq", NULL};
static const char *const energies[] = {"/device/hwmon/hwmon*/energy1_input", NULL}; /* uJ */
static const char *const powers[] = {"/device/hwmon/hwmon*/power1_average",         /* uW */
                                     "/device/hwmon/hwmon*/power1_input", NULL};
/* Each of these files contains 1 while the clock is throttled for the reason that follows "reason_"
 * in the file's name ("status": for any reason). */
static const char *const throttles[] = {"/gt/gt*/throttle_reason_*",
                                        "/device/tile*/gt*/freq0/throttle/reason_*", NULL};

/* Reads a number from the first existing file that matches one of the patterns; NAN if there is
 * none. */
static double read_number(const char *folder, const char *const patterns[])
{
    double number = NAN;
    for (size_t i = 0; patterns[i] && isnan(number); i++) {
        glob_t found;
        find_paths(folder, patterns[i], &found);
        if (found.gl_pathc > 0) {
            char line[256], *end;
            read_line(found.gl_pathv[0], line);
            number = strtod(line, &end);
            if (end == line)
                number = NAN;
        }
        globfree(&found);
    }
    return number;
}

static void add_reason(char throttled[64], const char *reason)
{
    if (strstr(throttled, reason))
        return;
    const size_t used = strlen(throttled);
    snprintf(throttled + used, 64 - used, "%s%s", used ? ", " : "", reason);
}

static void read_throttles(const char *folder, char throttled[64])
{
    for (size_t i = 0; throttles[i]; i++) {
        glob_t found;
        find_paths(folder, throttles[i], &found);
        for (size_t f = 0; f < found.gl_pathc; f++) {
            char line[256];
            const char *reason = strstr(strrchr(found.gl_pathv[f], '/'), "reason_") + 7;
            read_line(found.gl_pathv[f], line);
            if (strcmp(line, "1") == 0 && strcmp(reason, "status") != 0)
                add_reason(throttled, reason);
        }
        globfree(&found);
    }
}

/* Constants of NVML, from its API reference. */
enum { CLOCK_SM = 1, CLOCK_MEMORY = 2 };

static const struct {
    unsigned long long bit;
    const char *name;
} reasons[] = {
    {0x4, "power cap"}, {0x8, "hardware slowdown"}, {0x20, "thermal"},
    {0x40, "thermal"},  {0x80, "power brake"},
};

/* Calls an NVML function that returns a 32-bit number. Returns 0 if the call fails. `kind` is the
 * function's enumeration argument, or negative if the function has no such argument. */
static unsigned ask(const struct bl_gpu *gpu, const char *function, int kind)
{
    unsigned number = 0;
    int code = 1;
    void *const symbol = gpu->handle ? dlsym(gpu->nvml, function) : NULL;
    if (symbol && kind < 0)
        code = ((int (*)(void *, unsigned *))symbol)(gpu->handle, &number);
    else if (symbol)
        code = ((int (*)(void *, int, unsigned *))symbol)(gpu->handle, kind, &number);
    return code == 0 ? number : 0;
}

static unsigned long long ask_wide(const struct bl_gpu *gpu, const char *function)
{
    unsigned long long number = 0;
    void *const symbol = gpu->handle ? dlsym(gpu->nvml, function) : NULL;
    const bool is_told =
        symbol && ((int (*)(void *, unsigned long long *))symbol)(gpu->handle, &number) == 0;
    return is_told ? number : 0;
}

static void open_nvml(struct bl_gpu *gpu, const char *prefix, const char *card)
{
    char name[512];
    snprintf(name, sizeof name, "%s%slibnvidia-ml.so.1", prefix, *prefix ? "/" : "");
    gpu->nvml = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (!gpu->nvml)
        return;
    int (*const begin)(void) = (int (*)(void))dlsym(gpu->nvml, "nvmlInit_v2");
    const bool is_address = strchr(card, ':') != NULL;
    int (*const find)(const char *, void **) = (int (*)(const char *, void **))dlsym(
        gpu->nvml, is_address ? "nvmlDeviceGetHandleByPciBusId_v2" : "nvmlDeviceGetHandleByUUID");
    snprintf(name, sizeof name, "%s%.*s", is_address ? "" : "GPU-", (int)strcspn(card, "@"), card);
    if (!begin || !find || begin() != 0 || find(name, &gpu->handle) != 0)
        gpu->handle = NULL;
    /* memory transfers two bits per pin and clock (double data rate) */
    const double bits = 2.0 * ask(gpu, "nvmlDeviceGetMemoryBusWidth", -1);
    const double mhz = ask(gpu, "nvmlDeviceGetMaxClockInfo", CLOCK_MEMORY);
    if (bits > 0 && mhz > 0)
        gpu->memory_gbytes_per_s = bits / 8 * mhz / 1000;
}

/* Whether the card in this folder may have the PCI address `card`: false only if both addresses are
 * known and differ. */
static bool is_at(const char *folder, const char *card)
{
    char path[600], line[256];
    bool is_other = false;
    snprintf(path, sizeof path, "%s/device/uevent", folder);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        const size_t key = strlen("PCI_SLOT_NAME=");
        if (strchr(card, ':') && strncmp(line, "PCI_SLOT_NAME=", key) == 0)
            is_other = strncmp(line + key, card, strcspn(card, "@")) != 0;
    }
    if (file)
        fclose(file);
    return !is_other;
}

void bl_gpu_open(struct bl_gpu *gpu, const char *prefix, unsigned vendor_id, const char *card)
{
    enum { NVIDIA = 0x10de };
    glob_t cards;
    *gpu = (struct bl_gpu){.memory_gbytes_per_s = NAN, .energy_uj = NAN};
    find_paths(prefix, "/sys/class/drm/card[0-9]*/device/vendor", &cards);
    for (size_t i = 0; i < cards.gl_pathc && !gpu->folder[0]; i++) {
        char line[256], folder[512];
        const int length = (int)(strlen(cards.gl_pathv[i]) - strlen("/device/vendor"));
        snprintf(folder, sizeof folder, "%.*s", length, cards.gl_pathv[i]);
        read_line(cards.gl_pathv[i], line);
        if (strtoul(line, NULL, 16) == vendor_id && is_at(folder, card))
            strcpy(gpu->folder, folder);
    }
    globfree(&cards);
    if (vendor_id == NVIDIA)
        open_nvml(gpu, prefix, card);
    struct bl_gpu_state begin;
    bl_gpu_read(gpu, &begin);
}

void bl_gpu_close(struct bl_gpu *gpu)
{
    if (!gpu->nvml)
        return;
    int (*const end)(void) = (int (*)(void))dlsym(gpu->nvml, "nvmlShutdown");
    if (end)
        end();
    dlclose(gpu->nvml);
    gpu->nvml = gpu->handle = NULL;
}

double bl_gpu_mhz(const struct bl_gpu *gpu)
{
    const double mhz = gpu->folder[0] ? read_number(gpu->folder, clocks) : 0;
    return mhz > 0 ? mhz : 0;
}

/* The average power since the last reading if the card has an energy counter, else the current
 * power. NAN if unknown. */
static double read_watts(struct bl_gpu *gpu)
{
    const uint64_t now_ns = bl_host_now_ns();
    double energy_uj = gpu->folder[0] ? read_number(gpu->folder, energies) : NAN;
    if (gpu->handle)
        energy_uj = 1e3 * (double)ask_wide(gpu, "nvmlDeviceGetTotalEnergyConsumption"); /* mJ */
    double watts = (energy_uj - gpu->energy_uj) / ((double)(now_ns - gpu->read_ns) * 1e-3);
    gpu->energy_uj = energy_uj > 0 ? energy_uj : NAN;
    gpu->read_ns = now_ns;
    if (isnan(energy_uj) && gpu->folder[0])
        watts = read_number(gpu->folder, powers) * 1e-6;
    return watts > 0 ? watts : NAN;
}

void bl_gpu_read(struct bl_gpu *gpu, struct bl_gpu_state *state)
{
    *state = (struct bl_gpu_state){.mhz = bl_gpu_mhz(gpu), .watts = read_watts(gpu)};
    if (gpu->handle)
        state->mhz = ask(gpu, "nvmlDeviceGetClockInfo", CLOCK_SM);
    state->mhz = state->mhz > 0 ? state->mhz : NAN;
    if (gpu->folder[0])
        read_throttles(gpu->folder, state->throttled);
    const unsigned long long bits =
        gpu->handle ? ask_wide(gpu, "nvmlDeviceGetCurrentClocksThrottleReasons") : 0;
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (bits & reasons[i].bit)
            add_reason(state->throttled, reasons[i].name);
}
