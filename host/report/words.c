#include "report/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

char *bl_format_ratio(double ratio, char text[16])
{
    const double inverse = 1 / ratio;
    if (!isfinite(ratio))
        strcpy(text, "-");
    else if (ratio >= 1 && ratio <= 999 && fabs(ratio - round(ratio)) < 1e-9)
        snprintf(text, 16, "%.0f", ratio);
    else if (inverse >= 2 && inverse <= 999 && fabs(inverse - round(inverse)) < 1e-9)
        snprintf(text, 16, "1/%.0f", inverse);
    else
        snprintf(text, 16, "%.4f", ratio);
    return text;
}

const char *bl_format_prediction(const struct bl_row *row, char text[16])
{
    if (isfinite(row->predicted) || row->direction == BL_ANY_DIRECTION)
        return bl_format_ratio(row->predicted, text);
    return bl_direction_name(row->direction);
}

char *bl_format_rule(const struct bl_row *row, char text[48])
{
    snprintf(text, 48, "%s%s%s", row->level, *row->level && *row->bound ? ", " : "", row->bound);
    return text;
}

char *bl_format_measured(const struct bl_row *row, char text[48])
{
    snprintf(text, 48, "%.4f [%.4f, %.4f]", row->measured, row->measured_lo, row->measured_hi);
    return text;
}
