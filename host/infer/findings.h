/* What was inferred: values, how sure they are, and the measurements that say so. */
#ifndef BANKLINE_INFER_FINDINGS_H
#define BANKLINE_INFER_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/machine.h"

enum bl_finding_kind {
    BL_FOUND_NUMBER, /* of things: one of a few */
    BL_FOUND_FLAG,
    BL_FOUND_MASKS,
    BL_FOUND_AMOUNT /* on a scale: it has an interval */
};

struct bl_finding {
    const char *key;     /* the machine file's, where it has one */
    const char *meaning; /* for a person */
    const char *unit;    /* or "" */
    enum bl_finding_kind kind;
    bool is_known; /* false: the measurements do not tell, and why says so */
    double value;  /* of a flag 0 or 1 */
    double lo, hi; /* of an amount: where it is with 95 % certainty; of masks the first and the last
                      bit of addresses that they tell of */
    uint64_t masks[BL_MAX_TAG_BITS];
    double confidence; /* that the value is right, or that the amount lies in its interval */
    char basis[128];   /* what it rests on */
    char why[160];     /* why it is not known */
    const char *sweep; /* the evidence, by its name; or NULL */
};

/* One measurement that a finding rests on. */
struct bl_evidence {
    const char *sweep;
    char point[40];  /* what was measured: "stride 3" */
    double x;        /* NAN where points have no order */
    double measured; /* in unit */
    double expected; /* by what was found; NAN: it says nothing of this */
    double error;    /* standard error of measured, a fraction; NAN: not known */
    const char *unit;
};

enum { BL_MAX_FINDINGS = 64 };

struct bl_findings {
    struct bl_finding all[BL_MAX_FINDINGS];
    size_t count;
    struct bl_evidence *evidence;
    size_t evidence_count, evidence_capacity;
    char failed[512]; /* stages that could not be measured, and why: sentences; or empty */
};

/* The finding of this key, or NULL. */
const struct bl_finding *bl_finding_of(const struct bl_findings *findings, const char *key);

/* Its value where it is known, else this one. */
double bl_found(const struct bl_findings *findings, const char *key, double otherwise);

/* Points of the evidence of a sweep. */
size_t bl_evidence_of(const struct bl_findings *findings, const char *sweep);

void bl_findings_free(struct bl_findings *findings);

#endif
