/* Prints tables of inferred values. One table shows how certain each value is; another shows the
 * values of the documented machine and of the driver beside the inferred values. */
#include "cli/infer_view.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "model/machine_file.h"
#include "report/layout.h"

enum { VALUE, FOUND, SURE, BASIS, COLUMNS };

static const struct bl_layout_column columns[COLUMNS] = {
    [VALUE] = {.name = "parameter", .width = 26},
    [FOUND] = {.name = "inferred", .width = 21},
    [SURE] = {.name = "certainty", .width = 22},
    [BASIS] = {.name = "meaning; basis", .width = 70, .min_width = 30, .rank = 1},
};

static const char *sure_text(const struct bl_finding *finding, char text[64])
{
    if (finding->kind == BL_FOUND_AMOUNT)
        snprintf(text, 64, finding->hi >= 1e4 ? "95 %%: %.0f-%.0f" : "95 %%: %.4g-%.4g",
                 finding->lo, finding->hi);
    else
        snprintf(text, 64, finding->confidence > 0.999 ? "%.2f %%" : "%.1f %%",
                 100 * finding->confidence);
    return text;
}

static bool have_one_reason(const struct bl_finding *a, const struct bl_finding *b)
{
    return !a->is_known && !b->is_known && strcmp(a->why, b->why) == 0;
}

static bool is_first_of_its_reason(const struct bl_findings *findings, size_t i)
{
    for (size_t before = 0; before < i; before++)
        if (have_one_reason(&findings->all[before], &findings->all[i]))
            return false;
    return true;
}

/* Prints a reason, and all values that are unknown for this reason: "no rule of banks fits: banks,
 * bank_bytes" */
static void print_reason(FILE *file, const struct bl_findings *findings, size_t first,
                         unsigned width)
{
    char text[1024];
    snprintf(text, sizeof text, "%s:", findings->all[first].why);
    for (size_t i = first; i < findings->count; i++)
        if (have_one_reason(&findings->all[first], &findings->all[i]))
            bl_text_add(text, sizeof text, "%s %s", i == first ? "" : ",", findings->all[i].key);
    fputs("  ", file);
    bl_put_paragraph(file, 2, 6, width, "%s", text);
}

void bl_print_findings(FILE *file, const struct bl_findings *findings)
{
    const unsigned width = bl_line_width(file);
    const struct bl_layout layout = bl_layout_for(columns, COLUMNS, width);
    bool any_unknown = false;
    bl_layout_heading(&layout, file);
    for (size_t i = 0; i < findings->count; i++) {
        const struct bl_finding *finding = &findings->all[i];
        char value[BL_FINDING_TEXT], found[BL_FINDING_TEXT + 32], sure[64], basis[256];
        any_unknown |= !finding->is_known;
        if (!finding->is_known)
            continue;
        snprintf(found, sizeof found, "%s%s%s", bl_finding_text(finding, value),
                 finding->unit[0] ? " " : "", finding->unit);
        snprintf(basis, sizeof basis, "%s; %s", finding->meaning, finding->basis);
        const char *const cells[COLUMNS] = {finding->key, found, sure_text(finding, sure), basis};
        bl_layout_row(&layout, file, cells);
        if (!layout.widths[BASIS]) {
            fputs("    ", file);
            bl_put_paragraph(file, 4, 4, width, "%s", basis);
        }
    }
    if (findings->failed[0]) {
        fputs("\nmeasurements that failed twice: ", file);
        bl_put_paragraph(file, 33, 4, width, "%s", findings->failed);
    }
    if (any_unknown)
        fputs("\nnot determined by the measurements:\n", file);
    for (size_t i = 0; i < findings->count; i++)
        if (!findings->all[i].is_known && is_first_of_its_reason(findings, i))
            print_reason(file, findings, i, width);
}

/* Returns a probability as text: "> 99.9 %" from 99.9 % (BL_MOST_CERTAIN) on, because no inference
 * is certain, and "< 0.1 %" below 0.1 %. The text is in `text` or constant. */
static const char *probability_text(double probability, char text[16])
{
    if (probability >= 0.999)
        return "> 99.9 %";
    if (probability < 0.001)
        return "< 0.1 %";
    snprintf(text, 16, "%.1f %%", 100 * probability);
    return text;
}

void bl_print_hypotheses(FILE *file, const struct bl_findings *findings)
{
    enum { BANKS, PROBABILITY, MISFIT, FARED };
    char heading[64], text[16];
    if (!findings->hypothesis_count)
        return;
    snprintf(heading, sizeof heading, "banks of %s", findings->hypotheses_of);
    const struct bl_layout_column fared[FARED] = {
        [BANKS] = {.name = heading, .width = 40},
        [PROBABILITY] = {.name = "probability", .width = 12},
        [MISFIT] = {.name = "rms misfit", .width = 10},
    };
    const struct bl_layout layout = bl_layout_for(fared, FARED, bl_line_width(file));
    bl_layout_heading(&layout, file);
    for (unsigned h = 0; h < findings->hypothesis_count; h++) {
        const struct bl_hypothesis *hypothesis = &findings->hypotheses[h];
        char name[40], misfit[32];
        snprintf(name, sizeof name, "%u of %u bytes", hypothesis->banks.count,
                 hypothesis->banks.bytes);
        snprintf(misfit, sizeof misfit, "%.1f %%", 100 * hypothesis->misfit);
        const char *const cells[FARED] = {name, probability_text(hypothesis->probability, text),
                                          misfit};
        bl_layout_row(&layout, file, cells);
    }
    const char *const none[FARED] = {"none of these",
                                     probability_text(findings->other_probability, text), ""};
    bl_layout_row(&layout, file, none);
    if (findings->points < findings->max_points)
        fprintf(file, "%u of %u points were enough\n", findings->points, findings->max_points);
    fputc('\n', file);
}

struct side_by_side {
    char inferred[128], documented[128], driver[64];
    bool differ;
};

static void number(char text[], size_t size, double value)
{
    snprintf(text, size, value >= 1e4 ? "%.0f" : "%.4g", value);
}

/* The value that the driver reports for this key; NAN if it reports none. */
static double driver_of(const struct bl_device *device, const char *key)
{
    if (strcmp(key, "lanes") == 0 && device->warp_lanes)
        return device->warp_lanes;
    if (strcmp(key, "compute_units") == 0)
        return device->compute_units;
    if (strcmp(key, "clock_mhz") == 0 && device->clock_mhz)
        return device->clock_mhz;
    return NAN;
}

static bool compare(const struct bl_finding *finding, const struct bl_machine *documented,
                    const struct bl_device *device, struct side_by_side *side)
{
    *side = (struct side_by_side){.inferred = "", .documented = "-", .driver = "-"};
    bl_finding_text(finding, side->inferred);
    const double driver = driver_of(device, finding->key);
    const struct bl_machine_field *field =
        documented->has_rule ? bl_machine_field_named(finding->key) : NULL;
    const bool is_hypothesis =
        bl_machine_alternatives(documented) > 0 &&
        (strcmp(finding->key, "banks") == 0 || strcmp(finding->key, "bank_bytes") == 0);
    const double known =
        field && !is_hypothesis ? bl_machine_value(documented, field) : (double)NAN;
    const double tolerance = finding->kind == BL_FOUND_AMOUNT ? 0.1 : 0;
    if (isfinite(driver))
        number(side->driver, sizeof side->driver, driver);
    if (finding->kind == BL_FOUND_MASKS && documented->has_rule) {
        struct bl_finding other = {.kind = BL_FOUND_MASKS, .is_known = true};
        memcpy(other.masks, documented->tag_masks, sizeof other.masks);
        bl_finding_text(&other, side->documented);
        side->differ = finding->is_known && !bl_same_bank_hash(finding, documented);
        return true;
    }
    if (is_hypothesis && field)
        strcpy(side->documented, "not known");
    else if (field && isfinite(known) && field->kind == BL_FIELD_FLAG)
        strcpy(side->documented, known > 0.5 ? "yes" : "no");
    else if (isfinite(known))
        number(side->documented, sizeof side->documented, known);
    if (finding->is_known && isfinite(known))
        side->differ |= fabs(finding->value - known) > tolerance * fabs(known);
    if (finding->is_known && isfinite(driver))
        side->differ |= fabs(finding->value - driver) > tolerance * fabs(driver);
    return isfinite(known) || isfinite(driver) || (is_hypothesis && field);
}

unsigned bl_print_side_by_side(FILE *file, const struct bl_findings *findings,
                               const struct bl_machine *documented, const struct bl_device *device)
{
    enum { KEY, INFERRED, DOCUMENTED, DRIVER, NOTE, SIDES };
    char heading[64];
    snprintf(heading, sizeof heading, "%s", documented->has_rule ? documented->name : "documented");
    const struct bl_layout_column side_columns[SIDES] = {
        [KEY] = {.name = "parameter", .width = 26},
        [INFERRED] = {.name = "inferred", .width = 25},
        [DOCUMENTED] = {.name = heading, .width = 25},
        [DRIVER] = {.name = "driver", .width = 8},
        [NOTE] = {.name = "", .width = 8},
    };
    const struct bl_layout layout = bl_layout_for(side_columns, SIDES, bl_line_width(file));
    unsigned differ = 0;
    bl_layout_heading(&layout, file);
    for (size_t i = 0; i < findings->count; i++) {
        struct side_by_side side;
        if (!compare(&findings->all[i], documented, device, &side))
            continue;
        const char *const cells[SIDES] = {findings->all[i].key, side.inferred, side.documented,
                                          side.driver, side.differ ? "differs" : ""};
        bl_layout_row(&layout, file, cells);
        differ += side.differ;
    }
    return differ;
}

static void print_distance(FILE *file, const char *name, const struct bl_infer_distance *distance)
{
    if (distance->rows)
        fprintf(file, "  %-16s mean %.1f %%, largest %.1f %% (%s)\n", name, 100 * distance->mean,
                100 * distance->largest, distance->worst);
    else
        fprintf(file, "  %-16s no predictions\n", name);
}

void bl_print_distances(FILE *file, const struct bl_machine *documented,
                        const struct bl_infer_distance *by_inferred,
                        const struct bl_infer_distance *by_documented)
{
    const unsigned rows =
        by_inferred->rows > by_documented->rows ? by_inferred->rows : by_documented->rows;
    fprintf(file, "%u documented cases, measured / predicted - 1:\n", rows);
    print_distance(file, "inferred", by_inferred);
    print_distance(file, documented->name, by_documented);
}
