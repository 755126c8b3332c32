/* Private data that does not fit the registers, from the guide "Memory Access Overview": what
 * spills goes through the caches like global memory. Compared by elements changed. */
#include "run/private_workload.h"

/* clang-format off */ /* a case a row */
#define SPILL .lay_out = bl_lay_out_private, .forms = BL_FORM_ROW, .native_width_only = true, \
              .memory = BL_MEMORY_PRIVATE, .baseline = "spill/32", \
              .variant = BL_PRIVATE(BL_PRIVATE_STATIC, 0), \
              .document = "memory access overview, spilled private memory"

static const struct bl_case cases[] = {
    {.id = "spill/32", .title = "32 words of a work-item: registers", .n = 32,
     .skip_in_quick = true, SPILL},
    {.id = "spill/512", .title = "512 words of a work-item: more than the registers", .n = 512,
     .direction = BL_SLOWER, SPILL},
};
/* clang-format on */

BL_SUITE(spill, "spill", "private data that does not fit the registers");
