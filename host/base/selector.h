/* What names cases on a command line. */
#ifndef BANKLINE_BASE_SELECTOR_H
#define BANKLINE_BASE_SELECTOR_H

#include <stdbool.h>

/* Whether the selector is the case's id ("local/5"), its suite ("local"), or a shell glob that
 * matches the id ("local/[1-4]"; '*' matches '/' too). */
bool bl_selects(const char *selector, const char *case_id);

#endif
