/* Infers a machine from measurements alone: values, their certainty, and the measurements that
 * support them. */
#ifndef BANKLINE_INFER_INFER_H
#define BANKLINE_INFER_INFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"
#include "infer/target.h"
#include "model/machine.h"

enum bl_finding_kind {
    BL_FOUND_NUMBER, /* a count, one of a few values */
    BL_FOUND_FLAG,
    BL_FOUND_MASKS,
    BL_FOUND_AMOUNT /* a quantity with an interval */
};

struct bl_finding {
    const char *key;     /* key in the table in infer.c; the machine file's key, if it has one */
    const char *meaning; /* the meaning, for the reader */
    const char *unit;    /* unit, or "" */
    enum bl_finding_kind kind;
    bool is_known; /* false: the measurements do not determine it; see why */
    double value;  /* the value; of a flag 0 or 1 */
    double lo,
        hi; /* of an amount: its 95 % interval; of masks: the first and last address bit tried */
    uint64_t masks[BL_MAX_TAG_BITS];
    double confidence; /* probability that the value is right, or that the amount lies in its
                          interval */
    char basis[128];   /* the measurements that the value rests on */
    char why[160];     /* why the value is unknown */
    const char *sweep; /* name of the evidence; or NULL */
};

/* One measurement that a finding rests on. */
struct bl_evidence {
    const char *sweep;
    char point[40];  /* what was measured: "stride 3" */
    double x;        /* NAN if points have no order */
    double measured; /* measured value, in unit */
    double expected; /* value expected from the finding; NAN: no expectation */
    double error;    /* standard error of measured, a fraction; NAN: unknown */
    const char *unit;
};

/* Banks of local memory that were held possible before anything was measured. */
struct bl_hypothesis {
    struct bl_banks banks;
    double probability; /* given the measurements */
    double misfit; /* root mean square of measured / expected - 1, with the best other values */
};

enum { BL_MAX_FINDINGS = 96 };

struct bl_findings {
    struct bl_finding all[BL_MAX_FINDINGS];
    size_t count;
    struct bl_hypothesis hypotheses[BL_MAX_BANK_ALTERNATIVES];
    unsigned hypothesis_count;   /* 0: there were none, or local memory could not be measured */
    char hypotheses_of[32];      /* name of the machine that lists them */
    double other_probability;    /* that the banks are none of the hypotheses */
    unsigned points, max_points; /* measured to find the banks; there could have been */
    struct bl_evidence *evidence;
    size_t evidence_count, evidence_capacity;
    /* stages that could not be measured, and the reasons: sentences; else empty */
    char failed[512];
};

/* The finding of this key, or NULL. */
const struct bl_finding *bl_finding_of(const struct bl_findings *findings, const char *key);

/* The value of this key if it is known, else `otherwise`. */
double bl_found(const struct bl_findings *findings, const char *key, double otherwise);

void bl_findings_free(struct bl_findings *findings);

/* A finding with the key, meaning, unit and kind that the table in infer.c has for the key. */
struct bl_finding bl_finding_named(const char *key);

/* Whether the finding's masks choose tag banks as the machine's do, as far as the addresses can
 * tell; the numbering of the banks does not matter. */
bool bl_same_bank_hash(const struct bl_finding *finding, const struct bl_machine *machine);

struct bl_infer_settings {
    bool quick;    /* fewer samples, and no page reach */
    uint64_t seed; /* seed of the random places; not 0 */
    /* Its alternatives for the banks are weighed first; NULL, or none: all are alike beforehand. */
    const struct bl_machine *hypotheses;
    /* Called before each stage with its name, its number from 0, and the number of stages; or NULL.
     */
    void (*progress)(void *context, const char *stage, unsigned number, unsigned stages);
    /* Called once, after a twentieth of the time that is spent on a busy device before it is given
     * up, with a sentence that says so; or NULL. */
    void (*is_busy)(void *context, const char *sentence);
    void *context;
};

/* Fills findings, which the caller frees; after a failure they hold what was found before it.
 * Values that the measurements do not determine are unknown findings. BL_INTERRUPTED, BL_HANGS,
 * BL_BAD_CLOCK and BL_WRONG_RESULT if nothing can be inferred, BL_NO_MEMORY; BL_OPENCL_FAILED and
 * BL_BUILD_FAILED if not even the first probe runs. */
enum bl_status bl_infer(const struct bl_target *target, const struct bl_infer_settings *settings,
                        struct bl_findings *findings, struct bl_error *error);

/* The machine that the findings describe; unknown values have a machine file's start values.
 * has_rule is true if lanes, banks, lines and tag banks are known, and lanes that read the same
 * word get it together: the model knows no other banks. */
struct bl_machine bl_machine_of(const struct bl_findings *findings, const char *name);

/* The findings as CSV and as JSON. */

/* The run, as identified in the documents. */
struct bl_infer_origin {
    const char *device, *driver, *tool_version;
    char time_utc[32];
    uint64_t seed;
};

/* A finding's value as text: "32", "yes", "0x2eb... 0x1b5...", "187432"; "unknown". */
enum { BL_FINDING_TEXT = 128 };
const char *bl_finding_text(const struct bl_finding *finding, char text[BL_FINDING_TEXT]);

/* "16x4": the banks as in a machine file. */
enum { BL_BANKS_TEXT = 24 };
const char *bl_banks_text(const struct bl_banks *banks, char text[BL_BANKS_TEXT]);

/* Writes one line per finding (record `value`), then one per hypothesis (record `hypothesis`: the
 * machine's name is its key, and the last value is `none`), then one per measurement (record
 * `point`). In the C
 * locale; check ferror for write errors. */
void bl_findings_csv(FILE *file, const struct bl_findings *findings,
                     const struct bl_infer_origin *origin);

/* Writes {"schema", "device", ..., "values": [{...}], "hypotheses": {...} or null, "evidence":
 * {SWEEP: [{...}]}}. BL_NO_MEMORY;
 * BL_USAGE if the program was built without jansson. */
enum bl_status bl_findings_json(FILE *file, const struct bl_findings *findings,
                                const struct bl_infer_origin *origin, struct bl_error *error);

/* The documented cases, predicted by an inferred machine and by the documented one. */

struct bl_bench;
struct bl_catalogue;

/* The distance of predictions from measurements. */
struct bl_infer_distance {
    unsigned rows;
    double mean, largest; /* fractions */
    char worst[96];       /* the row with the largest distance */
};

/* Measures the catalogue's cases of lines, banks and shapes on the bench's device, and compares
 * them with both machines; a machine without a rule gets no rows. Afterwards bench has the machine
 * that was used for measuring. BL_INTERRUPTED, BL_HANGS, BL_NO_MEMORY; a case that fails for
 * another reason is left out. */
enum bl_status bl_infer_compare_cases(const struct bl_catalogue *catalogue, struct bl_bench *bench,
                                      const struct bl_machine *inferred,
                                      const struct bl_machine *documented,
                                      struct bl_infer_distance *by_inferred,
                                      struct bl_infer_distance *by_documented,
                                      struct bl_error *error);

#endif
