/* Cost of one request on one machine.
 *
 * A request is what one memory instruction of one sub-group asks for. Source of the rule: the
 * processor-graphics guides ("Memory Access Overview", "__local Memory"): bandwidth falls with the
 * number of distinct cache lines, or with the worst bank's number of distinct words. On `nvidia`,
 * where one array serves both memories, a global load costs whichever is more: its line look-ups,
 * several a clock, or its bank passes. That is this project's finding, not a vendor's statement.
 */
#ifndef BANKLINE_MODEL_ACCESS_H
#define BANKLINE_MODEL_ACCESS_H

#include <stdint.h>

#include "model/launch.h"
#include "model/machine.h"
#include "status.h"

struct bl_cost {
    unsigned lines;       /* distinct cache lines touched; 0 for local memory */
    unsigned bank_passes; /* distinct words wanted from the busiest bank; 0 where no banks */
    unsigned clocks;      /* what the machine charges for the request, at least 1 */
};

/* addresses_bytes holds `lanes` byte offsets, one for each active lane (1 <= lanes <=
 * BL_MAX_LANES); each lane reads access_bytes (1 to 16) from there. A vector counts every line and
 * every word that it touches, a narrow access the one word it lies in: the guides give 8-, 16- and
 * 32-bit accesses and vectors of these no rule of their own. Returns BL_OK, or BL_BAD_MACHINE when
 * the machine has no rule for this memory or lacks a field that the rule needs. */
enum bl_status bl_cost_of(const struct bl_machine *machine, enum bl_memory memory,
                          unsigned access_bytes, const uint64_t addresses_bytes[], unsigned lanes, struct bl_cost *cost);

#endif
