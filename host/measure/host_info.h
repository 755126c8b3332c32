/* What of the computer can explain that a measurement changed: kernel, processor, clocks.
 *
 * Read from /proc and /sys, whose prefix is a parameter so that tests bring their own; "" is the
 * computer's. What cannot be read is empty, or 0.
 */
#ifndef BANKLINE_MEASURE_HOST_INFO_H
#define BANKLINE_MEASURE_HOST_INFO_H

struct bl_host_info {
    char os[128];      /* "Linux 6.1.0-18-amd64" */
    char cpu[128];     /* "model name" of /proc/cpuinfo */
    char governor[32]; /* of cpufreq, of the first processor; "mixed" when they differ */
};

/* What does not change during a run. */
struct bl_host_info bl_host_info_read(const char *prefix);

/* The highest clock of any processor now, in MHz: cpufreq's, else that of /proc/cpuinfo. */
double bl_cpu_mhz(const char *prefix);

/* The clock of the first GPU of this vendor (PCI id) that reports it in sysfs, in MHz: Intel's i915
 * (gt_act_freq_mhz, the clock as it is) and xe (act_freq). Read while or right after it works: an
 * idle GPU reports 0. */
double bl_gpu_mhz(const char *prefix, unsigned vendor_id);

#endif
