/* The outcome of a planned case (status), and the note of its row. */
#ifndef BANKLINE_REPORT_ROW_STATUS_H
#define BANKLINE_REPORT_ROW_STATUS_H

#include "base/status.h"

enum bl_row_status {
    BL_ROW_OK,
    BL_ROW_NOISY,        /* samples vary more than the requested precision allows */
    BL_ROW_SKIPPED,      /* not measured in this run */
    BL_ROW_UNSUPPORTED,  /* the device cannot run the case */
    BL_ROW_ERROR,        /* the measurement failed, for example a call or a build */
    BL_ROW_WRONG_RESULT, /* a work-item's result is wrong; the row has no number */
    BL_ROW_BAD_CLOCK,    /* the device's clock cannot be trusted; the row has no number */
    BL_ROW_IMPOSSIBLE,   /* throughput above a physical limit; the row has no number */
    BL_ROW_STATUS_COUNT
};

/* Returns "ok", "noisy", ... */
const char *bl_row_status_name(enum bl_row_status status);

/* The row status for a measurement that ended with this bl_status. */
enum bl_row_status bl_row_status_of(enum bl_status status);

/* Appends a text to a note, after "; " if the note is not empty. Truncates what does not fit. */
enum { BL_NOTE_BYTES = 448 }; /* size of the column `note` */
void bl_add_note(char note[BL_NOTE_BYTES], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
