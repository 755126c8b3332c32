/* One allocation of the program's own fails: the linker hands its calls to failing_allocations.c
 * (--wrap). */
#ifndef BANKLINE_TEST_FAILING_ALLOCATIONS_H
#define BANKLINE_TEST_FAILING_ALLOCATIONS_H

extern long until_failure; /* allocations; below 0: none fails */

#endif
