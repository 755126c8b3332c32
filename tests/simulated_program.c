/* Lets `bankline infer` measure a simulated device instead of the OpenCL device. This file is
 * linked into a copy of the program, which is otherwise unchanged. BANKLINE_TEST_SIMULATED states
 * the number and width of the simulated banks, the noise in % and the seed, such as "65x8 3 7". */
#include <stdio.h>
#include <stdlib.h>

#include "infer/target.h"
#include "simulated_target.h"

/* Because of the linker's option --wrap, these functions replace those without __wrap_ in their
 * names. */
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
