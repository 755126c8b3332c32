/* One self-contained page of HTML about one run or several: no file beside it, no network. */
#ifndef BANKLINE_PAGE_PAGE_H
#define BANKLINE_PAGE_PAGE_H

#include <stdio.h>

#include "base/text.h"
#include "model/access.h"
#include "page/document.h"
#include "page/nights.h"
#include "page/plot.h"
#include "report/compare.h"

struct bl_page_run {
    const char *path;
    struct bl_run_rows rows;
};

/* The costliest request of a documented case on the run's machine. */
struct bl_page_case {
    bool is_first_rank; /* of the guides' numbered cases: shown without being opened */
    const char *id, *title, *document;
    char index[128]; /* as its document prints it; or empty */
    struct bl_request request;
    uint64_t addresses_bytes[BL_MAX_LANES];
};

/* What is copied behind a ratio. */
#define BL_RATIO_UNIT "of the baseline's throughput"

struct bl_page {
    const struct bl_page_run *runs; /* the last is what the page is about */
    size_t run_count;
    const struct bl_comparison *comparison; /* of the first with the last; NULL: there is one run */
    const struct bl_machine *machine;       /* of the last run; NULL: none is known by its name */
    const struct bl_page_case *cases;       /* whose requests are drawn */
    size_t case_count;
    const struct bl_page_curve *curves;
    size_t curve_count;
    char why_no_curves[256];                         /* a sentence; or empty */
    const struct bl_nights *nights;                  /* of the history; NULL: not shown */
    struct bl_page_document trace, infer;            /* without a root: not shown */
    const struct bl_page_sweeps *sweeps;             /* of infer */
    const char *(*document_of)(const char *case_id); /* which document, and where in it; "" */
    const char *command;                             /* that made the page */
    const char *time_utc, *tool_version;
};

/* The page's style and script, and gnuplot's scripts; made at build time. */
extern const struct bl_embedded bl_page_texts[];

/* Writes the page; ferror says what the file made of it. */
void bl_page_write(FILE *file, const struct bl_page *page);

#endif
