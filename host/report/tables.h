/* What the tables on the terminal share. */
#ifndef BANKLINE_REPORT_TABLES_H
#define BANKLINE_REPORT_TABLES_H

#include "report/sink.h"

/* Writes "SEPARATOR3 refuted" if count is not 0; the next separator is then ", ". */
void bl_table_count(FILE *file, const char **separator, size_t count, const char *name);

/* The table of a comparison: functions of a struct bl_change_writer. */
enum bl_status bl_changes_begin(struct bl_sink *sink);
enum bl_status bl_changes_row(struct bl_sink *sink, const struct bl_compared *row);
enum bl_status bl_changes_end(struct bl_sink *sink, bool is_complete);

#endif
