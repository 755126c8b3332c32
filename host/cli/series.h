/* One row of a device over time, as a person reads it. */
#ifndef BANKLINE_CLI_SERIES_H
#define BANKLINE_CLI_SERIES_H

#include "history/database.h"
#include "report/sink.h"

/* Prints all points, and a sparkline on a terminal. */
void bl_series_show(const struct bl_series *series, const struct bl_view *view);

/* Prints since when the level is what it is. threshold: a fraction. */
void bl_series_since(const struct bl_series *series, double threshold, const struct bl_view *view);

#endif
