/* Replaces NVIDIA's management library (libnvidia-ml.so.1). Reports one card, whose memory bus has
 * 6144 bits at 3201 MHz, as on an H200. The card's energy counter rises by 50 J at each reading.
 * The functions return 0 for success, as NVIDIA's do. */
#include <string.h>

int nvmlInit_v2(void);
int nvmlInit_v2(void) { return 0; }

static int card;

int nvmlDeviceGetHandleByUUID(const char *uuid, void **handle);
int nvmlDeviceGetHandleByUUID(const char *uuid, void **handle)
{
    *handle = &card;
    return strcmp(uuid, "GPU-5e8c6b0f-93a1-0000-0000-000000000000") != 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *address, void **handle);
int nvmlDeviceGetHandleByPciBusId_v2(const char *address, void **handle)
{
    *handle = &card;
    return strcmp(address, "0000:17:00.0") != 0;
}

int nvmlDeviceGetMemoryBusWidth(void *device, unsigned *bits);
int nvmlDeviceGetMemoryBusWidth(void *device, unsigned *bits)
{
    *bits = 6144;
    return device != &card;
}

int nvmlDeviceGetMaxClockInfo(void *device, int kind, unsigned *mhz);
int nvmlDeviceGetMaxClockInfo(void *device, int kind, unsigned *mhz)
{
    *mhz = kind == 2 ? 3201 : 1980;
    return device != &card;
}

int nvmlDeviceGetClockInfo(void *device, int kind, unsigned *mhz);
int nvmlDeviceGetClockInfo(void *device, int kind, unsigned *mhz)
{
    *mhz = kind == 1 ? 1965 : 3201;
    return device != &card;
}

int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *mj);
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *mj)
{
    static unsigned long long used = 1000000;
    *mj = used += 50000;
    return device != &card;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons)
{
    *reasons = 0x1 | 0x4 | 0x20 | 0x40; /* idle, power cap, thermal (software), thermal
                                           (hardware) */
    return device != &card;
}
