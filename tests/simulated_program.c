/* Replaces the OpenCL device that `bankline infer` measures by a simulated device. The linker adds
 * this file to the program's main function; everything else is the real program.
 * BANKLINE_TEST_SIMULATED states the device's banks, noise (in %) and seed, such as "65x8 3 7". */
#include <stdio.h>
#include <stdlib.h>

#include "infer/target.h"
#include "simulated_target.h"

/* With the linker's --wrap, functions with these names replace the program's. */
enum bl_status __wrap_bl_device_target_open(struct bl_session *session,
                                            const struct bl_device *device, uint64_t max_bytes,
                                            struct bl_device_target **opened,
                                            struct bl_target *target, struct bl_error *error);
void __wrap_bl_device_target_close(struct bl_device_target *opened);

static struct simulated simulated;

enum bl_status __wrap_bl_device_target_open(struct bl_session *session,
                                            const struct bl_device *device, uint64_t max_bytes,
                                            struct bl_device_target **opened,
                                            struct bl_target *target, struct bl_error *error)
{
    struct bl_banks banks;
    double noise_percent;
    unsigned long long seed;
    const char *made = getenv("BANKLINE_TEST_SIMULATED");
    (void)session, (void)device, (void)max_bytes;
    if (!made ||
        sscanf(made, "%ux%u %lf %llu", &banks.count, &banks.bytes, &noise_percent, &seed) != 4)
        return bl_fail(error, BL_USAGE, "BANKLINE_TEST_SIMULATED: expected banks, noise and seed");
    simulated_make_banks(&simulated, seed, noise_percent / 100, &banks);
    simulated.machine.lanes = 16;
    simulated.broadcasts = true;
    *opened = NULL;
    *target = simulated_target(&simulated);
    return BL_OK;
}

void __wrap_bl_device_target_close(struct bl_device_target *opened) { (void)opened; }
