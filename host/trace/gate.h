/* Compares two versions of a program by their traces: which kernels and accesses got dearer by the
 * model.
 *
 * Kernels are matched by name, and the rest by the similarity of their accesses. The accesses of
 * two matched kernels are matched by memory and operation, then by array, figures and order in the
 * source. An array that only one version has may have been renamed. Lines and columns only decide
 * between accesses that are otherwise alike, so that moved code matches itself.
 *
 * All clocks are per launch, extrapolated from the traced groups to all groups. Nothing is
 * measured, so there is no noise; the threshold says how much growth is accepted.
 */
#ifndef BANKLINE_TRACE_GATE_H
#define BANKLINE_TRACE_GATE_H

#include "trace/saved.h"

enum bl_gate_change {
    BL_GATE_SAME,
    BL_GATE_DEARER, /* beyond the threshold */
    BL_GATE_CHEAPER,
    BL_GATE_NEW,
    BL_GATE_MISSING,
    BL_GATE_NO_RULE, /* access: it has no rule in one version, or in both; kernel: no access has
                        one, or one access has it in one version alone */
    BL_GATE_CHANGES
};

const char *bl_gate_change_name(enum bl_gate_change change);

struct bl_gate_access {
    const struct bl_saved_access *before, *after; /* one may be NULL */
    double clocks_before, clocks_after;           /* per launch; NAN: not known */
    double by; /* after / before - 1; NAN unless both are known */
    enum bl_gate_change change;
};

struct bl_gate_kernel {
    const struct bl_saved_kernel *before, *after; /* one may be NULL */
    double clocks_before, clocks_after, by;       /* as for an access */
    /* A kernel is dearer if its clocks grew beyond the threshold. It is also dearer if they grew at
     * all and those of one access beyond the threshold; else a hot access would hide a cold one. */
    enum bl_gate_change change;
    /* An access had a rule before and has none now: how much the kernel changed is not known. */
    bool has_lost_rule;
    size_t first, count; /* of bl_gate.accesses: dearest growth first */
};

struct bl_gate {
    const struct bl_saved_trace *before, *after; /* borrowed */
    double threshold;                            /* a fraction */
    struct bl_gate_kernel *kernels;              /* as in `after`, then the missing ones */
    size_t kernel_count;
    struct bl_gate_access *accesses;
    size_t access_count;
    size_t counts[BL_GATE_CHANGES]; /* of kernels */
    size_t lost_rules;              /* kernels that are NO_RULE and have lost one */
};

/* Compares two saved traces, which must outlive the gate. Returns BL_OK; BL_NO_MEMORY; BL_USAGE if
 * they were made for different machines or with different options, or if no access has a rule. Free
 * the gate in any case. */
enum bl_status bl_gate_compare(const struct bl_saved_trace *before,
                               const struct bl_saved_trace *after, double threshold,
                               struct bl_gate *gate, struct bl_error *error);
void bl_gate_free(struct bl_gate *gate);

/* Whether an access of both versions has a rule in one of them alone. */
bool bl_gate_is_one_sided(const struct bl_gate_access *access);

/* Kernels that are dearer or missing, or have lost a rule. */
size_t bl_gate_bad(const struct bl_gate *gate);

/* The figure of an access that changed most: "bank passes 1 -> 32", per request; "" if none did. */
enum { BL_GATE_WHY = 80 };
const char *bl_gate_why(const struct bl_gate_access *access, char text[BL_GATE_WHY]);

/* "array file.cl:16:43 local read" in the new version, or in the old one if it is missing. */
enum { BL_GATE_PLACE = 512 };
const char *bl_gate_place(const struct bl_gate_access *access, char text[BL_GATE_PLACE]);

#endif
