#include "page/curves.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/workshop.h"

static const struct {
    const char *script, *title, *what;
} known[BL_CURVES] = {
    {"predicted.gp", "Predicted and measured",
     "Every row that has a prediction: what the model computes across, what was measured up, both "
     "logarithmic. Rows within 5 % lie between the dashed lines; others are crosses, with the "
     "case's name."},
    {"documented.gp", "Documented cases",
     "The documents' cases in groups of 16x1: the claim (plus), the prediction for this machine "
     "(square) and what was measured (dot, with its 95 % interval)."},
    {"working-sets.gp", "Working sets",
     "Contiguous reads of a working set of growing size, as a part of the rate in the first cache: "
     "each step down is a level that no longer holds it."},
    {"latency.gp", "Latency",
     "What one read takes, in ns, when each depends on the one before, over the size of the "
     "working set: each step up is a level further away."},
};

/* false: there is no gnuplot. A script that fails, as for want of rows, draws nothing. */
static bool draw(const struct bl_workshop *workshop, const char *csv, const char *name,
                 struct bl_page_curve *curve)
{
    char script[BL_WORKSHOP_PATH], svg[BL_WORKSHOP_PATH];
    bl_workshop_path(workshop, name, script);
    bl_workshop_path(workshop, "out.svg", svg);
    unlink(svg);
    const char *const words[] = {"gnuplot", "-d", "-c", script, csv, svg, NULL};
    if (bl_workshop_write(workshop, name, bl_embedded_text(bl_page_texts, name), NULL) != BL_OK)
        return true;
    const int status = bl_workshop_run(workshop, words, NULL);
    if (status == 0)
        curve->svg = bl_workshop_read(workshop, "out.svg");
    return status != 127;
}

enum bl_status bl_page_draw(const char *csv, struct bl_page_curve curves[BL_CURVES],
                            char why_none[256], struct bl_error *error)
{
    struct bl_workshop workshop;
    *why_none = '\0';
    for (unsigned i = 0; i < BL_CURVES; i++)
        curves[i] = (struct bl_page_curve){.title = known[i].title, .what = known[i].what};
    const enum bl_status status = bl_workshop_open(&workshop, error);
    if (status != BL_OK)
        return status;
    for (unsigned i = 0; i < BL_CURVES; i++)
        if (!draw(&workshop, csv, known[i].script, &curves[i]))
            snprintf(why_none, 256,
                     "The curves are missing, for there is no gnuplot: install the package "
                     "gnuplot-nox and make the page again.");
    bl_workshop_close(&workshop);
    return BL_OK;
}

void bl_page_free_curves(struct bl_page_curve curves[BL_CURVES])
{
    for (unsigned i = 0; i < BL_CURVES; i++) {
        free(curves[i].svg);
        curves[i].svg = NULL;
    }
}
