#include "page/plot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "page/html.h"
#include "page/page.h"

void bl_page_free_curves(struct bl_page_curve curves[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(curves[i].svg);
        curves[i].svg = NULL;
        bl_points_free(&curves[i].points);
    }
}

enum bl_status bl_plotter_open(struct bl_plotter *plotter, struct bl_error *error)
{
    plotter->has_no_gnuplot = false;
    plotter->failures = 0;
    return bl_temp_dir_open(&plotter->temp_dir, error);
}

void bl_plotter_close(struct bl_plotter *plotter) { bl_temp_dir_close(&plotter->temp_dir); }

enum bl_status bl_plotter_put(const struct bl_plotter *plotter, const char *name, const char *text,
                              struct bl_error *error)
{
    return bl_temp_dir_write(&plotter->temp_dir, name, text, error);
}

void bl_plot(struct bl_plotter *plotter, const char *script, const char *csv,
             const char *const arguments[], struct bl_page_curve *curve)
{
    char paths[3][BL_TEMP_DIR_PATH];
    const struct bl_temp_dir *temp_dir = &plotter->temp_dir;
    const char *words[7 + BL_PLOT_ARGUMENTS] = {"gnuplot", "-d", "-c"};
    words[3] = bl_temp_dir_path(temp_dir, script, paths[0]);
    words[4] = bl_temp_dir_path(temp_dir, csv, paths[1]);
    words[5] = bl_temp_dir_path(temp_dir, "out.svg", paths[2]);
    for (unsigned i = 0; arguments && arguments[i] && i < BL_PLOT_ARGUMENTS; i++)
        words[6 + i] = arguments[i];
    unlink(paths[2]);
    if (plotter->has_no_gnuplot ||
        bl_temp_dir_write(temp_dir, script, bl_embedded_text(bl_page_texts, script), NULL) != BL_OK)
        return;
    const int status = bl_temp_dir_run(temp_dir, words, NULL);
    plotter->has_no_gnuplot = status == 127;
    plotter->failures += status != 0 && status != 127;
    if (status == 0)
        curve->svg = bl_temp_dir_read(temp_dir, "out.svg");
}

void bl_plot_points(struct bl_plotter *plotter, const char *script, const char *const arguments[],
                    struct bl_page_curve *curve)
{
    char *csv = bl_points_csv(&curve->points);
    if (csv && bl_plotter_put(plotter, "points.csv", csv, NULL) == BL_OK)
        bl_plot(plotter, script, "points.csv", arguments, curve);
    free(csv);
}

/* What lies between the first "<svg" of the file and its end, without a declaration, and without
 * the ids that gnuplot gives, which are the same in every picture. */
static void put_picture(FILE *file, const char *svg)
{
    static const char id[] = " id=\"gnuplot_";
    const char *at = strstr(svg, "<svg");
    while (at) {
        const char *next = strstr(at, id);
        if (!next) {
            fputs(at, file);
            return;
        }
        fwrite(at, 1, (size_t)(next - at), file);
        at = strchr(next + sizeof id - 1, '"');
        at = at ? at + 1 : NULL;
    }
}

void bl_page_put_curves(FILE *file, const struct bl_page_curve curves[], size_t count,
                        const char *ids)
{
    for (size_t i = 0; i < count; i++) {
        if (!curves[i].svg)
            continue;
        fprintf(file, "<figure class=\"curve\"><figcaption id=\"%s-%zu\"><h3>", ids, i);
        bl_html(file, curves[i].title);
        fputs("</h3><p>", file);
        bl_html(file, curves[i].what);
        fprintf(
            file,
            "</p></figcaption>\n<div class=\"drawn\" role=\"img\" aria-labelledby=\"%s-%zu\">\n",
            ids, i);
        put_picture(file, curves[i].svg);
        fputs("</div>\n", file);
        bl_points_table(file, &curves[i].points);
        fputs("</figure>\n", file);
    }
}
