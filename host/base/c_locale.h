/* Numbers with a point, whatever locale the program runs in. */
#ifndef BANKLINE_BASE_C_LOCALE_H
#define BANKLINE_BASE_C_LOCALE_H

#include <locale.h>

#include "base/status.h"

struct bl_c_locale {
    locale_t own, before;
};

/* Makes the C locale that of the calling thread, until bl_c_locale_leave. BL_OK or BL_NO_MEMORY. */
enum bl_status bl_c_locale_enter(struct bl_c_locale *scope, struct bl_error *error);
void bl_c_locale_leave(struct bl_c_locale *scope);

#endif
