/* Lets one allocation of the program's own code fail. The linker (--wrap) redirects allocation
 * calls to failing_allocations.c. */
#ifndef BANKLINE_TEST_FAILING_ALLOCATIONS_H
#define BANKLINE_TEST_FAILING_ALLOCATIONS_H

extern long until_failure; /* number of successful allocations before the failure; negative if none
                              fails */

#endif
