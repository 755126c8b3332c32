/* The catalogue. Each name in SUITES declares a suite and adds it to the catalogue. */
#include "suites.h"

/* In the guides a hardware thread executes 16 work-items. */
enum { CLAIM_LANES = 16 };

/* The suites, in the order in which they run. */
/* clang-format off */
#define SUITES(SUITE)                                                                           \
    SUITE(global) SUITE(local) SUITE(shape) SUITE(width) SUITE(lines) SUITE(stride)             \
    SUITE(column) SUITE(local_banks) SUITE(local_write) SUITE(atomic) SUITE(latency)            \
    SUITE(constant) SUITE(local_vs_cache) SUITE(level) SUITE(prefetch) SUITE(stage)             \
    SUITE(bank_update) SUITE(barrier) SUITE(private) SUITE(spill) SUITE(histogram)              \
    SUITE(convolution) SUITE(local_size)
/* clang-format on */

#define DECLARE(name) extern const struct bl_suite bl_suite_##name;
SUITES(DECLARE)

#define ADDRESS(name) &bl_suite_##name,
static const struct bl_suite *const suites[] = {SUITES(ADDRESS)};

struct bl_catalogue bl_suites(void)
{
    return (struct bl_catalogue){suites, sizeof suites / sizeof suites[0], CLAIM_LANES};
}
