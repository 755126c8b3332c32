/* What the system tells of a GPU besides OpenCL: its clock, its power, why its clock is held down,
 * what its memory can move. A ratio that changed because the card was hot is told from one that
 * changed because a driver did.
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
    char folder[512];       /* the card's in sysfs; empty: it has none there, or nothing to tell */
    void *library, *handle; /* NVML's; NULL: not there */
    double memory_gbytes_per_s; /* what its memory can move at most; NAN: nobody tells */
    double energy_uj;           /* at the last reading, from its driver's own beginning; NAN */
    uint64_t read_ns;
};

struct bl_gpu_state {
    double mhz;         /* now; NAN: nobody tells, or it idles */
    double watts;       /* since the last reading; NAN */
    char throttled[64]; /* what holds its clock down, "power cap, thermal"; empty: nothing known */
};

/* Finds the card: of several of its vendor (PCI id) the one at this PCI address or with this UUID,
 * as bl_device has it in `card`, else the first. `prefix` stands before every path, and "" is the
 * computer's own. */
void bl_gpu_open(struct bl_gpu *gpu, const char *prefix, unsigned vendor_id, const char *card);
void bl_gpu_close(struct bl_gpu *gpu);

/* The clock, in MHz, from sysfs alone, fast enough to ask before every sample; 0: not told. Read it
 * while or right after the GPU works: an idle one reports 0. */
double bl_gpu_mhz(const struct bl_gpu *gpu);

void bl_gpu_read(struct bl_gpu *gpu, struct bl_gpu_state *state);

#endif
