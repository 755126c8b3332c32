/* Inside host/page only: what a run comes to in a sentence, and its findings, the worst first. */
#ifndef BANKLINE_PAGE_FINDINGS_H
#define BANKLINE_PAGE_FINDINGS_H

#include "page/nights.h"
#include "report/compare.h"

enum bl_severity {
    BL_SEVERE,    /* slower, broken, or not as predicted */
    BL_ATTENTION, /* cannot be judged, or only words are refuted */
    BL_NOTE       /* good to know */
};

/* "bad", "look", "note": the class in HTML, and the word beside the finding. */
const char *bl_severity_name(enum bl_severity severity);

struct bl_page_finding {
    enum bl_severity severity;
    char what[600]; /* a sentence with its figures */
    char todo[300]; /* what to do; or "" */
};

enum { BL_FINDINGS = 10 };
struct bl_headlines {
    struct bl_page_finding all[BL_FINDINGS];
    unsigned count;
};

/* Finds them for a run, its comparison with the first of several runs (or NULL), and the history
 * (or NULL). Within a severity, changes come before rows without a number, these before refuted
 * predictions, and these before claims of the documents that do not hold here. At least one. */
void bl_page_findings(const struct bl_run_rows *run, const struct bl_comparison *comparison,
                      const struct bl_nights *nights, struct bl_headlines *findings);

/* The whole run in a sentence: "As predicted.", and the counts behind it. */
struct bl_page_verdict {
    enum bl_severity severity;
    char lead[160], counts[400];
};
void bl_page_judge(const struct bl_run_rows *run, const struct bl_comparison *comparison,
                   const struct bl_nights *nights, struct bl_page_verdict *verdict);

/* How many rows of a run have this verdict, and a number. */
size_t bl_page_count(const struct bl_run_rows *run, enum bl_verdict verdict);

#endif
