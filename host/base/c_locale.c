#include "base/c_locale.h"

enum bl_status bl_c_locale_enter(struct bl_c_locale *scope, struct bl_error *error)
{
    scope->own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (scope->own == (locale_t)0)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the C locale");
    scope->before = uselocale(scope->own);
    return BL_OK;
}

void bl_c_locale_leave(struct bl_c_locale *scope)
{
    uselocale(scope->before);
    freelocale(scope->own);
}
