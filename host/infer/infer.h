/* Infers a machine description from measurements alone. The result is a list of values, each with
 * its certainty and the measurements that support it. */
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
    BL_FOUND_NUMBER, /* a whole number without an interval, such as a count */
    BL_FOUND_FLAG,
    BL_FOUND_MASKS,
    BL_FOUND_AMOUNT /* a quantity with an interval */
};

struct bl_finding {
    const char *key; /* key in inference.c's table; equals the machine file's key if there is one */
    const char *meaning; /* the value's meaning, in words for the user */
    const char *unit;    /* unit, or "" */
    enum bl_finding_kind kind;
    bool is_known; /* false if not determined; `why` then states the reason */
    double value;  /* the value; a flag is 0 or 1 */
    double lo, hi; /* an amount's 95 % interval; for masks, the lowest and the highest address bit
                      whose effect was determined */
    uint64_t masks[BL_MAX_TAG_BITS];
    double confidence; /* probability that the value or interval is right */
    char basis[128];   /* the measurements that the value rests on */
    char why[160];     /* why the value is unknown */
    const char *sweep; /* name of the sweep that supports the value, or NULL */
};

/* One measurement that a finding rests on. */
struct bl_evidence {
    const char *sweep;
    char point[40]; /* what was measured: "stride 3" */
    double x; /* the point's position on the sweep's axis, such as the stride; NAN if the sweep has
                 no axis */
    double measured; /* measured value, in `unit` */
    double expected; /* value that the finding predicts; NAN if it predicts none */
    double error;    /* relative standard error of `measured`; NAN if unknown */
    const char *unit;
};

/* A bank layout of local memory that a machine lists as possible (hypotheses_of). */
struct bl_hypothesis {
    struct bl_banks banks;
    double probability; /* given the measurements */
    double misfit;      /* rms of measured / expected - 1, with all other values fitted */
};

enum { BL_MAX_FINDINGS = 96 };

struct bl_findings {
    struct bl_finding all[BL_MAX_FINDINGS];
    size_t count;
    struct bl_hypothesis hypotheses[BL_MAX_BANK_ALTERNATIVES];
    unsigned hypothesis_count;   /* 0 if there were none or local memory could not be measured */
    char hypotheses_of[32];      /* name of the machine that lists the hypotheses */
    double other_probability;    /* probability that no hypothesis is right */
    unsigned points, max_points; /* probes measured to find the banks, and probes available */
    struct bl_evidence *evidence;
    size_t evidence_count, evidence_capacity;
    /* the stages that could not be measured, each with the reason; "" if there are none */
    char failed[512];
};

/* The finding with this key, or NULL. */
const struct bl_finding *bl_finding_of(const struct bl_findings *findings, const char *key);

/* The value with this key if it is known, else `otherwise`. */
double bl_found(const struct bl_findings *findings, const char *key, double otherwise);

void bl_findings_free(struct bl_findings *findings);

/* Whether the finding's masks and the machine's masks group lines into the same tag banks, as far
 * as address bits `lo` to `hi` show. The numbering of the banks does not matter. */
bool bl_same_bank_hash(const struct bl_finding *finding, const struct bl_machine *machine);

struct bl_infer_settings {
    bool quick;    /* fewer samples, smaller working sets, and no search for the TLB's reach */
    uint64_t seed; /* seed of the random numbers; not 0 */
    /* The machine whose alternative bank layouts get a higher prior probability. If it is NULL or
     * lists no alternative, all bank layouts are equally likely a priori. */
    const struct bl_machine *hypotheses;
    /* Called before each stage with the stage's name, its index from 0 and the number of stages;
     * may be NULL. */
    void (*progress)(void *context, const char *stage, unsigned number, unsigned stages);
    /* Called once if the device looks busy, with a sentence to show. The inference gives up only
     * much later. May be NULL. */
    void (*is_busy)(void *context, const char *sentence);
    void *context;
};

/* Infers a machine and fills in the findings, which must be empty at first (all members zero) and
 * which the caller frees; after a failure they hold what was found until then. Values that the
 * measurements do not determine become unknown findings. Fails with BL_INTERRUPTED, BL_HANGS or
 * BL_NO_MEMORY; with BL_BAD_CLOCK or BL_WRONG_RESULT if times or results are wrong; and with
 * BL_OPENCL_FAILED or BL_BUILD_FAILED if even the simplest probe fails. */
enum bl_status bl_infer(const struct bl_target *target, const struct bl_infer_settings *settings,
                        struct bl_findings *findings, struct bl_error *error);

/* The machine that the findings describe. Unknown values get the start values (bl_machine_start).
 * has_rule is true if lanes, banks, lines and tag banks are known and banks broadcast: lanes that
 * read the same word get it together. (The model has no rule for banks without broadcast.) */
struct bl_machine bl_machine_of(const struct bl_findings *findings, const char *name);

/* Functions that write the findings as CSV and as JSON. */

/* The device and time of the inference; written into both formats. */
struct bl_infer_origin {
    const char *device, *driver, *tool_version;
    char time_utc[32];
    uint64_t seed;
};

/* Writes a finding's value: "32", "yes", "0x2eb... 0x1b5...", "187432" or "unknown". Returns
 * `text`. */
enum { BL_FINDING_TEXT = 128 };
const char *bl_finding_text(const struct bl_finding *finding, char text[BL_FINDING_TEXT]);

/* Writes one record `value` per finding, one record `point` per measurement, one record
 * `hypothesis` per hypothesis and, if there are any, one for the case that no hypothesis is right.
 * The key of these last records is the name of the machine that lists the hypotheses; their value
 * is the banks, or `none`. Call this function in the C locale; check ferror for write errors. */
void bl_findings_csv(FILE *file, const struct bl_findings *findings,
                     const struct bl_infer_origin *origin);

/* Writes {"schema", "device", ..., "values": [{...}], "hypotheses": {...} or null, "evidence":
 * {SWEEP: [{...}]}}. Fails with BL_NO_MEMORY, or with BL_USAGE if the program was built without
 * jansson. */
enum bl_status bl_findings_json(FILE *file, const struct bl_findings *findings,
                                const struct bl_infer_origin *origin, struct bl_error *error);

/* Tests an inferred machine: compares measured cases of the catalogue with the predictions of both
 * the inferred and the built-in machine. */

struct bl_bench;
struct bl_catalogue;

/* How far predictions are from measurements. */
struct bl_infer_distance {
    unsigned rows;
    double mean, largest; /* fractions */
    char worst[96];       /* the row with the largest distance */
};

/* Measures the catalogue's cases of lines, banks and shapes on the bench's device, and compares
 * their ratios with the predictions of both machines; a machine without a rule gets no rows.
 * Afterwards bench->machine is the machine that was used for measuring. Fails with BL_INTERRUPTED,
 * BL_HANGS or BL_NO_MEMORY; a case that fails for another reason is skipped. */
enum bl_status bl_infer_compare_cases(const struct bl_catalogue *catalogue, struct bl_bench *bench,
                                      const struct bl_machine *inferred,
                                      const struct bl_machine *documented,
                                      struct bl_infer_distance *by_inferred,
                                      struct bl_infer_distance *by_documented,
                                      struct bl_error *error);

#endif
