#include "base/selector.h"

#include <fnmatch.h>
#include <string.h>

bool bl_selects(const char *selector, const char *case_id)
{
    const size_t length = strlen(selector);
    if (strncmp(selector, case_id, length) == 0 && case_id[length] == '/')
        return true;
    return fnmatch(selector, case_id, 0) == 0;
}
