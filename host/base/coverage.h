/* Counts executed code for scripts/coverage. */
#ifndef BANKLINE_BASE_COVERAGE_H
#define BANKLINE_BASE_COVERAGE_H

/* Writes what has been executed so far. Needed before the process ends by a signal or by _exit().
 */
static inline void bl_count_coverage(void)
{
#ifdef BL_COVERAGE
    extern void __gcov_dump(void);
    extern void __gcov_reset(void);
    __gcov_dump();
    __gcov_reset();
#endif
}

#endif
