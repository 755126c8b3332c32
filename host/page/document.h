/* The JSON documents of other commands, as sections of the page. */
#ifndef BANKLINE_PAGE_DOCUMENT_H
#define BANKLINE_PAGE_DOCUMENT_H

#include <stdio.h>

#include "base/status.h"
#include "page/plot.h"

/* The command that wrote the document. */
enum bl_page_document_kind { BL_DOCUMENT_TRACE, BL_DOCUMENT_INFER };

struct bl_page_document {
    const char *path;
    void *root; /* jansson's value; NULL: no document */
};

/* Reads what `bankline trace --json` or `bankline infer --json` wrote. BL_FILE_FAILED;
 * BL_BAD_FORMAT for another file; BL_USAGE where the program was built without JSON. Free it
 * whatever is returned. */
enum bl_status bl_page_document_read(const char *path, enum bl_page_document_kind kind,
                                     struct bl_page_document *document, struct bl_error *error);
void bl_page_document_free(struct bl_page_document *document);

/* Writes the source of each traced kernel, with the cost and the loss of each line, and the fixes.
 */
void bl_page_put_trace(FILE *file, const struct bl_page_document *document);

/* The findings about a device; and a picture of each sweep that a value rests on, drawn by
 * bl_page_draw_sweeps. */
enum { BL_SWEEPS = 32 };
struct bl_page_sweeps {
    struct bl_page_curve curves[BL_SWEEPS];
    size_t count;
};
/* The document must outlive the sweeps; free them with bl_page_free_curves, whatever is returned.
 * BL_NO_MEMORY, BL_FILE_FAILED */
enum bl_status bl_page_draw_sweeps(struct bl_plotter *plotter,
                                   const struct bl_page_document *document,
                                   struct bl_page_sweeps *sweeps, struct bl_error *error);
/* An inferred value that is a number; NAN: unknown, or nothing was inferred. */
double bl_page_inferred(const struct bl_page_document *document, const char *key);

/* has_shapes: as bl_page_put_curves has it. */
void bl_page_put_infer(FILE *file, const struct bl_page_document *document,
                       const struct bl_page_sweeps *sweeps, bool *has_shapes);

#endif
