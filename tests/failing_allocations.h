/* Lets one allocation of the program fail, but none in a shared library. The linker (--wrap)
 * redirects the program's calls of malloc, calloc, ... to failing_allocations.c. */
#ifndef BANKLINE_TEST_FAILING_ALLOCATIONS_H
#define BANKLINE_TEST_FAILING_ALLOCATIONS_H

extern long until_failure; /* number of successful allocations before the failure; negative if none
                              fails */

#endif
