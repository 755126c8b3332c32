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
    bool is_first_rank; /* whether it is one of the guides' numbered cases: shown without being
                           opened */
    const char *id, *title, *document;
    char index[128]; /* the index as its document prints it; else empty */
    struct bl_request request;
    uint64_t addresses_bytes[BL_MAX_LANES];
};

/* Unit copied with a ratio. */
#define BL_RATIO_UNIT "of the baseline's throughput"

struct bl_page {
    const struct bl_page_run *runs; /* the page is about the last run */
    size_t run_count;
    /* of the first run with the last; NULL: there is only one run */
    const struct bl_comparison *comparison;
    const struct bl_machine *machine; /* machine of the last run; NULL: unknown */
    const struct bl_page_case *cases; /* cases whose requests are drawn */
    size_t case_count;
    const struct bl_page_curve *curves;
    size_t curve_count;
    char why_no_curves[256];              /* why there are no pictures: a sentence; else empty */
    const struct bl_nights *nights;       /* nights from the history; NULL: not shown */
    struct bl_page_document trace, infer; /* root NULL: not shown */
    const struct bl_page_sweeps *sweeps;  /* sweeps of `infer` */
    const char *(*document_of)(const char *case_id); /* document and section of a case; "" */
    const char *command;                             /* command that made the page */
    const char *time_utc, *tool_version;
};

/* The page's style and script, and gnuplot's scripts; made at build time. */
extern const struct bl_embedded bl_page_texts[];

/* Writes the page; check ferror for write errors. */
void bl_page_write(FILE *file, const struct bl_page *page);

#endif
