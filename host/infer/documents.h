/* What was inferred, as CSV and as JSON. */
#ifndef BANKLINE_INFER_DOCUMENTS_H
#define BANKLINE_INFER_DOCUMENTS_H

#include <stdio.h>

#include "infer/findings.h"

/* Of the run. */
struct bl_infer_origin {
    const char *device, *driver, *tool_version;
    char time_utc[32];
    uint64_t seed;
};

/* A finding's value as text: "32", "yes", "0x2eb... 0x1b5...", "187432"; "unknown". */
enum { BL_FINDING_TEXT = 128 };
const char *bl_finding_text(const struct bl_finding *finding, char text[BL_FINDING_TEXT]);

/* One line for each finding (record `value`), then one for each measurement (record `point`). In
 * the C locale; ferror says what the file made of it. */
void bl_findings_csv(FILE *file, const struct bl_findings *findings,
                     const struct bl_infer_origin *origin);

/* {"schema", "device", ..., "values": [{...}], "evidence": {SWEEP: [{...}]}}. BL_NO_MEMORY;
 * BL_USAGE where the program was built without jansson. */
enum bl_status bl_findings_json(FILE *file, const struct bl_findings *findings,
                                const struct bl_infer_origin *origin, struct bl_error *error);

#endif
