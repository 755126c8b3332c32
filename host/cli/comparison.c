#include "cli/comparison.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *bl_key_part(const char *key, unsigned number, size_t *length)
{
    for (; number > 0; number--)
        key += strcspn(key, "\n") + 1;
    *length = strcspn(key, "\n");
    return key;
}

static void print_row(const struct bl_compared *row)
{
    const char *key = row->key;
    size_t case_length, type_length, shape_length;
    const char *case_id = bl_key_part(key, 0, &case_length);
    const char *type = bl_key_part(key, 1, &type_length), *shape = bl_key_part(key, 2, &shape_length);
    printf("%-8s %-24.*s %-7.*s %-7.*s", bl_change_name(row->change), (int)case_length, case_id,
           (int)shape_length, shape, (int)type_length, type);
    if (row->before && row->after && isfinite(row->by))
        printf(" %+7.2f %%  %.4f [%.4f, %.4f] -> %.4f [%.4f, %.4f]%s", 100 * row->by,
               row->before->ratio.median, row->before->ratio.lo, row->before->ratio.hi,
               row->after->ratio.median, row->after->ratio.lo, row->after->ratio.hi,
               row->is_absolute ? "  (in clocks, not against its baseline)" : "");
    else if (row->after && row->after->reason)
        printf("  %s", row->after->reason);
    putchar('\n');
}

enum bl_status bl_comparison_print(const struct bl_options *options,
                                   const struct bl_compared compared[], size_t count,
                                   struct bl_error *error)
{
    size_t counts[BL_CHANGE_COUNT] = {0};
    for (size_t i = 0; i < count; i++) {
        counts[compared[i].change]++;
        /* Rows of which nobody can tell are worth a line where they look like a change. */
        const bool is_told = compared[i].change == BL_CHANGE_UNCLEAR
                                 ? fabs(compared[i].by) >= options->threshold
                                 : compared[i].change != BL_CHANGE_SAME;
        if (is_told && !options->quiet)
            print_row(&compared[i]);
    }
    printf("%zu row%s:", count, count == 1 ? "" : "s");
    const char *separator = " ";
    for (unsigned change = 0; change < BL_CHANGE_COUNT; change++)
        if (counts[change]) {
            printf("%s%zu %s", separator, counts[change], bl_change_name((enum bl_change)change));
            separator = ", ";
        }
    putchar('\n');
    if (counts[BL_CHANGE_SLOWER] + counts[BL_CHANGE_MISSING] + counts[BL_CHANGE_BROKEN] == 0)
        return BL_OK;
    return bl_fail(error, BL_BAD_NEWS, "%zu slower, %zu missing, %zu broken",
                   counts[BL_CHANGE_SLOWER], counts[BL_CHANGE_MISSING], counts[BL_CHANGE_BROKEN]);
}
