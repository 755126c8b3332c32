/* An inferred machine as a section: what was found, and the sweeps that it rests on. */
#include <string.h>

#include "page/document.h"
#include "page/document_inside.h"
#include "page/html.h"

static const char *unit_of(const json_t *points)
{
    return bl_json_text_of(json_array_get(points, 0), "unit");
}

static enum bl_status draw_sweep(struct bl_plotter *plotter, const char *sweep,
                                 const json_t *points, struct bl_page_curve *curve,
                                 struct bl_error *error)
{
    const char *unit = unit_of(points), *const arguments[] = {sweep, NULL};
    size_t i;
    json_t *point;
    curve->points = (struct bl_points){
        .what = "sweep", /* as the CSV of `infer` has it: the script asks for it */
        .columns = {{"x", ""}, {"measured", unit}, {"expected", unit}, {"error", unit}}};
    snprintf(curve->title, sizeof curve->title, "Sweep %.100s", sweep);
    json_array_foreach(points, i, point)
    {
        const double numbers[BL_POINT_NUMBERS] = {
            bl_json_number_of(point, "x"), bl_json_number_of(point, "measured"),
            bl_json_number_of(point, "expected"), bl_json_number_of(point, "error")};
        if (!bl_points_add(&curve->points, sweep, numbers))
            return bl_fail(error, BL_NO_MEMORY, "no memory for %zu points", i);
    }
    snprintf(curve->what, sizeof curve->what,
             "%zu measurements in %.40s (dots, with their error), and what the inferred machine "
             "makes of them (squares), where a fit rests on them.",
             curve->points.count, *unit ? unit : "no unit");
    bl_plot_points(plotter, "sweep.gp", arguments, curve);
    curve->points.what = "point";
    json_array_foreach(points, i, point)
        snprintf(curve->points.all[i].name, BL_POINT_NAME, "%s", bl_json_text_of(point, "point"));
    return BL_OK;
}

enum bl_status bl_page_draw_sweeps(struct bl_plotter *plotter,
                                   const struct bl_page_document *document,
                                   struct bl_page_sweeps *sweeps, struct bl_error *error)
{
    const char *name;
    json_t *points, *all = json_object_get(document->root, "evidence");
    enum bl_status status = BL_OK;
    sweeps->count = 0;
    json_object_foreach(all, name, points)
    {
        if (status == BL_OK && sweeps->count < BL_SWEEPS && json_array_size(points) > 0)
            status = draw_sweep(plotter, name, points, &sweeps->curves[sweeps->count++], error);
    }
    return status;
}

double bl_page_inferred(const struct bl_page_document *document, const char *key)
{
    size_t i;
    json_t *value;
    json_array_foreach(json_object_get(document->root, "values"), i, value)
    {
        if (strcmp(bl_json_text_of(value, "key"), key) == 0)
            return bl_json_number_of(value, "value");
    }
    return NAN;
}

/* A number, a flag or a list, as it is. */
static void put_value(FILE *file, const json_t *value)
{
    if (json_is_boolean(value))
        fputs(json_is_true(value) ? "yes" : "no", file);
    else if (json_is_number(value))
        bl_htmlf(file, "%.8g", json_number_value(value));
    else if (json_is_array(value))
        for (size_t i = 0; i < json_array_size(value); i++) {
            fputs(i ? " " : "", file);
            bl_html(file, json_string_value(json_array_get(value, i))
                              ? json_string_value(json_array_get(value, i))
                              : "?");
        }
    else
        fputs("unknown", file);
}

static void put_finding(FILE *file, const json_t *value)
{
    const double lo = bl_json_number_of(value, "lo"), hi = bl_json_number_of(value, "hi");
    const char *why = bl_json_text_of(value, "why_unknown");
    fputs("<tr><th scope=\"row\">", file);
    bl_html(file, bl_json_text_of(value, "key"));
    fputs("</th><td>", file);
    put_value(file, json_object_get(value, "value"));
    fputs("</td><td>", file);
    if (isfinite(lo) && isfinite(hi))
        bl_htmlf(file, "%.6g to %.6g", lo, hi);
    fputs("</td>", file);
    bl_html_cell(file, bl_json_text_of(value, "unit"));
    bl_html_number(file, 100 * bl_json_number_of(value, "confidence"), 4);
    bl_html_cell(file, bl_json_text_of(value, "meaning"));
    bl_html_cell(file, *why ? why : bl_json_text_of(value, "basis"));
    fputs("</tr>\n", file);
}

void bl_page_put_infer(FILE *file, const struct bl_page_document *document,
                       const struct bl_page_sweeps *sweeps)
{
    const json_t *root = document->root;
    size_t i;
    json_t *value;
    if (!root)
        return;
    fputs("<h2 id=\"infer\">The machine, by measurement</h2>\n<p>", file);
    bl_htmlf(file, "Inferred of %.200s, driver %.60s, at %.40s, seed %.0f; from %.300s.",
             bl_json_text_of(root, "device"), bl_json_text_of(root, "driver"),
             bl_json_text_of(root, "time_utc"), bl_json_number_of(root, "seed"), document->path);
    fputs("</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Inferred "
          "values\"><table class=\"sorts\"><thead><tr>",
          file);
    static const char *const heads[] = {"key", "value", "95 % interval", "unit"};
    for (i = 0; i < sizeof heads / sizeof *heads; i++)
        bl_html_heading(file, heads[i], NULL);
    bl_html_heading(file, "certainty (%)", "%");
    bl_html_heading(file, "meaning", NULL);
    bl_html_heading(file, "basis", NULL);
    fputs("</tr></thead><tbody>\n", file);
    json_array_foreach(json_object_get(root, "values"), i, value) put_finding(file, value);
    fputs("</tbody></table></div>\n", file);
    bl_page_put_curves(file, sweeps->curves, sweeps->count, "sweep");
}
