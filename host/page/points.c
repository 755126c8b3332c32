#include "page/points.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "page/html.h"
#include "report/csv.h"

bool bl_points_add(struct bl_points *points, const char *name,
                   const double numbers[BL_POINT_NUMBERS])
{
    struct bl_point *more =
        bl_array_grow(points->all, points->count, &points->capacity, sizeof *more);
    if (!more)
        return false;
    points->all = more;
    struct bl_point *point = &more[points->count++];
    snprintf(point->name, sizeof point->name, "%s", name);
    memcpy(point->numbers, numbers, sizeof point->numbers);
    return true;
}

void bl_points_free(struct bl_points *points)
{
    free(points->all);
    points->all = NULL;
    points->count = points->capacity = 0;
}

static unsigned columns_of(const struct bl_points *points)
{
    unsigned count = 0;
    while (count < BL_POINT_NUMBERS && points->columns[count].name)
        count++;
    return count;
}

void bl_points_table(FILE *file, const struct bl_points *points)
{
    if (points->count == 0)
        return;
    fprintf(file,
            "<details><summary>Its %zu point%s</summary>\n<div class=\"scroll\" tabindex=\"0\" "
            "role=\"region\" aria-label=\"Points\"><table class=\"sorts\"><thead><tr>",
            points->count, points->count == 1 ? "" : "s");
    bl_html_heading(file, points->what, NULL);
    for (unsigned c = 0; c < columns_of(points); c++)
        bl_html_heading(file, points->columns[c].name, points->columns[c].unit);
    fputs("</tr></thead><tbody>\n", file);
    for (size_t i = 0; i < points->count; i++) {
        fputs("<tr><th scope=\"row\">", file);
        bl_html(file, points->all[i].name);
        fputs("</th>", file);
        for (unsigned c = 0; c < columns_of(points); c++)
            bl_html_number(file, points->all[i].numbers[c], 4);
        fputs("</tr>\n", file);
    }
    fputs("</tbody></table></div></details>\n", file);
}

char *bl_points_csv(const struct bl_points *points)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    fputs(points->what, file);
    for (unsigned c = 0; c < columns_of(points); c++)
        fprintf(file, ",%s", points->columns[c].name);
    fputc('\n', file);
    for (size_t i = 0; i < points->count; i++) {
        bl_csv_field(file, points->all[i].name, "");
        for (unsigned c = 0; c < columns_of(points); c++) {
            fputc(',', file);
            bl_csv_number(file, points->all[i].numbers[c], "");
        }
        fputc('\n', file);
    }
    const bool is_whole = !ferror(file);
    if (fclose(file) != 0 || !is_whole) {
        free(text);
        return NULL;
    }
    return text;
}
