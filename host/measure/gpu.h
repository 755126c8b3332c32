/* What the system reports about a GPU outside OpenCL: clock, power, the reason for throttling,
 * memory bandwidth. This tells a ratio that changed because the card was hot from one that changed
 * because of the driver.
 *
 * Sources: sysfs of Intel's i915 and xe and of amdgpu
 * (Documentation/ABI/testing/sysfs-driver-intel- i915-hwmon and its neighbours,
 * Documentation/gpu/amdgpu/thermal.rst), and NVIDIA's management library (NVML API reference),
 * which is loaded where it is installed.
 */
#ifndef BANKLINE_MEASURE_GPU_H
#define BANKLINE_MEASURE_GPU_H

#include <stdint.h>

struct bl_gpu {
    char folder[512];       /* the card's folder in sysfs; empty: none, or nothing useful in it */
    void *library, *handle; /* NVML's handles; NULL: NVML is not available */
    double memory_gbytes_per_s; /* peak memory bandwidth; NAN: unknown */
    double energy_uj; /* energy counter at the last reading, since the driver was loaded; NAN:
                         unknown */
    uint64_t read_ns;
};

struct bl_gpu_state {
    double mhz;         /* current clock; NAN: unknown, or the GPU is idle */
    double watts;       /* average since the last reading; NAN: unknown */
    char throttled[64]; /* why the clock is throttled, "power cap, thermal"; empty: unknown */
};

/* Finds the card: among several of this vendor (PCI id) the one with the PCI address or UUID in
 * bl_device's `card`, else the first. `prefix` is prepended to every path; "" for the computer's
 * own files. */
void bl_gpu_open(struct bl_gpu *gpu, const char *prefix, unsigned vendor_id, const char *card);
void bl_gpu_close(struct bl_gpu *gpu);

/* The clock in MHz, from sysfs alone, which is fast enough to ask before every sample; 0: unknown.
 * Read it while or right after the GPU works: an idle GPU reports 0. */
double bl_gpu_mhz(const struct bl_gpu *gpu);

void bl_gpu_read(struct bl_gpu *gpu, struct bl_gpu_state *state);

#endif
