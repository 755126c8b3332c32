/* Infers a machine from measurements alone. */
#ifndef BANKLINE_INFER_INFER_H
#define BANKLINE_INFER_INFER_H

#include "infer/findings.h"
#include "infer/target.h"

struct bl_infer_settings {
    bool quick;    /* fewer samples, and no page reach */
    uint64_t seed; /* of the random places; not 0 */
    /* Called before each stage: its name, its number from 0 on and of how many. NULL is allowed. */
    void (*progress)(void *context, const char *stage, unsigned number, unsigned stages);
    void *context;
};

/* Fills findings, which the caller frees; what was found before a failure stays there. Values that
 * the measurements do not support are findings that are not known. BL_INTERRUPTED, BL_HANGS,
 * BL_BAD_CLOCK and BL_WRONG_RESULT where nothing can be inferred, BL_NO_MEMORY; BL_OPENCL_FAILED
 * and BL_BUILD_FAILED where not even the first probe can be had. */
enum bl_status bl_infer(const struct bl_target *target, const struct bl_infer_settings *settings,
                        struct bl_findings *findings, struct bl_error *error);

/* The machine that the findings describe: values that are not known are those that the model takes
 * where nothing is known. has_rule is true where lanes, banks, lines and tag banks are known, and
 * lanes that read the same word get it together: the model knows no other banks. */
struct bl_machine bl_machine_of(const struct bl_findings *findings, const char *name);

#endif
