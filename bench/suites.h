/* The catalogue: every suite, one file each, listed in suites.c.
 *
 * A new case with an existing kernel touches its suite's file alone. A new suite touches its own
 * file, its kernel, suites.c and a Meson line.
 */
#ifndef BANKLINE_BENCH_SUITES_H
#define BANKLINE_BENCH_SUITES_H

#include "run/case.h"

/* All suites in the order in which they run. */
struct bl_catalogue bl_suites(void);

#endif
