/* Properties of the host that can explain a changed measurement: OS version, processor, clock, and
 * the GPU.
 *
 * Most properties are read from /proc and /sys. `prefix` is prepended to these paths, so that tests
 * can provide their own files; it is "" for the real paths. A property that cannot be read is
 * empty, 0 or NAN. */
#ifndef BANKLINE_MEASURE_HOST_INFO_H
#define BANKLINE_MEASURE_HOST_INFO_H

#include <stdint.h>

struct bl_host_info {
    char os[128];      /* name and release, such as "Linux 6.1.0-18-amd64" */
    char cpu[128];     /* "model name" of /proc/cpuinfo */
    char governor[32]; /* cpufreq's governor; "mixed" if the processors' governors differ */
};

/* Reads the properties that do not change during a run. */
struct bl_host_info bl_host_info_read(const char *prefix);

/* The highest current clock of all processors, in MHz, from cpufreq or else from /proc/cpuinfo; 0
 * if unknown. */
double bl_cpu_mhz(const char *prefix);

/* A GPU's clock, power, throttling and memory bandwidth, which OpenCL does not report. These values
 * can explain why a ratio changed, for example because the card was hot.
 *
 * Sources: sysfs files of Intel's drivers i915 and xe and of amdgpu (Linux's
 * Documentation/ABI/testing/sysfs-driver-intel-i915-hwmon and similar files, and
 * Documentation/gpu/amdgpu/thermal.rst), and NVIDIA's management library NVML (API reference) where
 * it is installed. */

struct bl_gpu {
    char folder[512];           /* the card's folder in sysfs; empty if not found */
    void *nvml, *handle;        /* NVML's handles; NULL if NVML is not available */
    double memory_gbytes_per_s; /* peak memory bandwidth; NAN if unknown */
    double energy_uj;           /* energy counter at the last reading, in microjoules; NAN if
                                   unknown */
    uint64_t read_ns;           /* host time of the last reading (bl_host_now_ns) */
};

struct bl_gpu_state {
    double mhz;         /* current clock; NAN if unknown, or if an idle GPU reports 0 */
    double watts;       /* average power since the last reading, or else the current power, in
                           watts; NAN if unknown */
    char throttled[64]; /* reasons for throttling, such as "power cap, thermal"; empty if unknown or
                           if there are none */
};

/* Finds a card of the vendor with this PCI vendor id. card: PCI address or UUID (as in struct
 * bl_device). NVML accepts both. In sysfs, a card is found only by its PCI address; if `card` is
 * not a PCI address, the vendor's first card is taken. `prefix` is prepended to every path, so that
 * tests can provide their own files; it is "" for the real paths. */
void bl_gpu_open(struct bl_gpu *gpu, const char *prefix, unsigned vendor_id, const char *card);
void bl_gpu_close(struct bl_gpu *gpu);

/* The current clock in MHz; 0 if unknown. Reads only sysfs, because that is fast enough to do
 * before every sample. Call it during or right after a launch, because an idle GPU reports 0. */
double bl_gpu_mhz(const struct bl_gpu *gpu);

/* Reads the GPU's state. If the GPU has an energy counter, the next call returns the average power
 * since this call. */
void bl_gpu_read(struct bl_gpu *gpu, struct bl_gpu_state *state);

#endif
