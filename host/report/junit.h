/* JUnit XML, as GitLab and Jenkins read it: one suite of test cases. The suite's counts precede its
 * test cases, so the cases are kept until the run ends. */
#ifndef BANKLINE_REPORT_JUNIT_H
#define BANKLINE_REPORT_JUNIT_H

#include <stddef.h>
#include <stdio.h>

#include "base/status.h"
#include "report/row.h"

enum bl_junit_outcome { BL_JUNIT_PASSED, BL_JUNIT_FAILED, BL_JUNIT_BROKEN, BL_JUNIT_SKIPPED };

struct bl_junit_case {
    enum bl_junit_outcome outcome;
    char suite[BL_SUITE_BYTES], name[512], message[BL_NO_NUMBER_REASON];
    double seconds;
};

struct bl_junit_suite {
    struct bl_junit_case *cases; /* freed by the caller */
    size_t count, capacity;
};

/* Adds a copy of a test case. Returns BL_OK or BL_NO_MEMORY. */
enum bl_status bl_junit_add(struct bl_junit_suite *suite, const struct bl_junit_case *test,
                            struct bl_error *error);

/* Writes the document. `time_utc` and `host` may be ""; without a time, the host is omitted. */
void bl_junit_put(FILE *file, const struct bl_junit_suite *suite, const char *name,
                  const char *time_utc, const char *host);

#endif
