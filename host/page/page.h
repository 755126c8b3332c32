/* A self-contained HTML page about one or more runs; it needs no other file and no network. This
 * header declares the page, its findings and curves, and the sections for JSON documents of other
 * commands. */
#ifndef BANKLINE_PAGE_PAGE_H
#define BANKLINE_PAGE_PAGE_H

#include <stdio.h>

#include "base/status.h"
#include "base/text.h"
#include "model/access.h"
#include "page/nights.h"
#include "page/plot.h"
#include "report/compare.h"
#include "report/run.h"

/* The JSON documents of other commands, as sections of the page. */

/* The command that wrote the document. */
enum bl_page_document_kind { BL_DOCUMENT_TRACE, BL_DOCUMENT_INFER };

struct bl_page_document {
    const char *path;
    void *root; /* jansson's value; NULL if there is no document */
};

/* Reads the output of `bankline trace --json` or `bankline infer --json`. Returns BL_OK;
 * BL_FILE_FAILED; BL_BAD_FORMAT for any other file; or BL_USAGE if the program was built without
 * JSON. Free the document even after a failure. */
enum bl_status bl_page_document_read(const char *path, enum bl_page_document_kind kind,
                                     struct bl_page_document *document, struct bl_error *error);
void bl_page_document_free(struct bl_page_document *document);

/* Writes the suggested fixes and the source of each traced kernel. Each source line shows the
 * clocks of its accesses, and how many clocks contiguous accesses would save. */
void bl_page_put_trace(FILE *file, const struct bl_page_document *document);

/* Pictures of the sweeps, which are the measurements from which a machine's values were inferred.
 * bl_page_draw_sweeps draws the pictures. */
enum { BL_SWEEPS = 32 };
struct bl_page_sweeps {
    struct bl_page_curve curves[BL_SWEEPS];
    size_t count;
};
/* Draws the sweeps of a document; the document must outlive the sweeps. Free the sweeps' curves
 * with bl_page_free_curves, even after a failure. Returns BL_OK or BL_NO_MEMORY. */
enum bl_status bl_page_draw_sweeps(struct bl_plotter *plotter,
                                   const struct bl_page_document *document,
                                   struct bl_page_sweeps *sweeps, struct bl_error *error);
/* An inferred number; NAN if the number is unknown or there is no document. */
double bl_page_inferred(const struct bl_page_document *document, const char *key);

/* Writes the inferred values and the sweeps. has_shapes: see bl_page_put_curves. */
void bl_page_put_infer(FILE *file, const struct bl_page_document *document,
                       const struct bl_page_sweeps *sweeps, bool *has_shapes);

struct bl_page_run {
    const char *path;
    struct bl_run_rows rows;
};

/* The costliest request of a documented case, on the machine of the run. */
struct bl_page_case {
    bool is_first_rank; /* whether the case is numbered in the guides; other cases are collapsed */
    const char *id, *title, *document;
    char index[128]; /* the text of the index expression; or "" */
    struct bl_request request;
    uint64_t addresses_bytes[BL_MAX_LANES];
};

/* The unit that is copied with a ratio. */
#define BL_RATIO_UNIT "of the baseline's throughput"

struct bl_page {
    const struct bl_page_run *runs; /* the runs; the page is mainly about the last one */
    size_t run_count;
    /* comparison of the first run with the last; NULL if there is only one run */
    const struct bl_comparison *comparison;
    const struct bl_machine *machine; /* machine of the last run; NULL if unknown or without rule */
    const struct bl_page_case *cases; /* cases whose requests are drawn */
    size_t case_count;
    const struct bl_page_curve *curves;
    size_t curve_count;
    char why_no_curves[256];              /* why pictures are missing, as a sentence; else "" */
    const struct bl_nights *nights;       /* nights from the history; NULL if they are not shown */
    struct bl_page_document trace, infer; /* a document whose root is NULL is not shown */
    const struct bl_page_sweeps *sweeps;  /* sweeps of `infer` */
    const char *(*document_of)(const char *case_id); /* returns document and section of a case, or
                                                        "" */
    const char *command;                             /* command line that made the page */
    const char *time_utc, *tool_version;
};

/* The page's style and script, and gnuplot's scripts; embedded at build time. */
extern const struct bl_embedded bl_page_texts[];

/* Writes the page; check ferror for write errors. */
void bl_page_write(FILE *file, const struct bl_page *page);

/* Private to host/page: the summary of a run in one sentence, and its findings, the worst first. */

enum bl_severity {
    BL_SEVERE,    /* for example rows that are slower, broken, or not as predicted */
    BL_ATTENTION, /* for example rows that cannot be judged, or refuted claims in words */
    BL_NOTE       /* good to know */
};

/* Returns "bad", "look" or "note": the class in HTML, and the word beside the finding. */
const char *bl_severity_name(enum bl_severity severity);

struct bl_page_finding {
    enum bl_severity severity;
    char what[600]; /* the finding in a sentence, with its figures */
    char todo[300]; /* what to do about the finding; or "" */
};

enum { BL_FINDINGS = 16 };
struct bl_headlines {
    struct bl_page_finding all[BL_FINDINGS];
    unsigned count;
};

/* Collects the findings of a run, of its comparison with the first run (may be NULL), and of the
 * history (may be NULL). The result has at least one finding. Findings of the same severity are in
 * this order: changes, failed rows, refuted predictions, refuted claims in words, doubtful rows,
 * refuted claims of the documents, the costliest pattern, unsupported rows. */
void bl_page_findings(const struct bl_run_rows *run, const struct bl_comparison *comparison,
                      const struct bl_nights *nights, struct bl_headlines *findings);

/* Whether the runs are of two cards of the same device. */
bool bl_page_is_other_card(const struct bl_comparison *comparison);

/* A sentence about the whole run, such as "As predicted.", and the numbers of rows that support it.
 */
struct bl_page_verdict {
    enum bl_severity severity;
    char lead[160], counts[400];
};
void bl_page_judge(const struct bl_run_rows *run, const struct bl_comparison *comparison,
                   const struct bl_nights *nights, struct bl_page_verdict *verdict);

/* The number of rows of a run that have this verdict and a number. */
size_t bl_page_count(const struct bl_run_rows *run, enum bl_verdict verdict);

/* The curves of one run. */

enum { BL_CURVES = 5 };

/* Draws all curves for which the page's last run has rows. model: the model's predictions for the
 * strides from 1 to 64 (bl_page_strides); may have no points. Returns BL_OK or BL_NO_MEMORY. Free
 * the curves with bl_page_free_curves, even after a failure. */
enum bl_status bl_page_draw(struct bl_plotter *plotter, const struct bl_page *page,
                            const struct bl_points *model, struct bl_page_curve curves[BL_CURVES],
                            struct bl_error *error);

#endif
