/* The catalogue: every suite, one file each, listed in suites.c.
 *
 * To add a case with an existing kernel, change only its suite's file. To add a suite, write its
 * file and its kernel, and add a line each to suites.c and the Meson files. */
#ifndef BANKLINE_BENCH_SUITES_H
#define BANKLINE_BENCH_SUITES_H

#include "run/case.h"

/* All suites in the order in which they run. */
struct bl_catalogue bl_suites(void);

#endif
