/* Inside host/report only: what the two tables, of a run and of a comparison, share. */
#ifndef BANKLINE_REPORT_TABLE_H
#define BANKLINE_REPORT_TABLE_H

#include "report/sink.h"

#define BL_GREEN "\x1b[32m"
#define BL_RED "\x1b[31m"
#define BL_YELLOW "\x1b[33m"
#define BL_COLOUR_END "\x1b[0m"

enum bl_status bl_table_begin_changes(struct bl_sink *sink, struct bl_error *error);
enum bl_status bl_table_change(struct bl_sink *sink, const struct bl_compared *row,
                               struct bl_error *error);
enum bl_status bl_table_fleet(struct bl_sink *sink, const struct bl_fleet *fleet,
                              struct bl_error *error);
enum bl_status bl_table_end_changes(struct bl_sink *sink, bool is_complete, struct bl_error *error);

#endif
