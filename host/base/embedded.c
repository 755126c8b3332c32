#include "base/embedded.h"

#include <stddef.h>
#include <string.h>

const char *bl_embedded_text(const struct bl_embedded texts[], const char *name)
{
    for (; texts->name; texts++)
        if (strcmp(texts->name, name) == 0)
            return texts->text;
    return NULL;
}
