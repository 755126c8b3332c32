/* Writes findings as CSV, where values, hypotheses and measurements are three kinds of records in
 * one table, and as JSON. */
#include "infer/infer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/csv.h"
#include "report/json_values.h"

enum { SCHEMA = 1 };

const char *bl_finding_text(const struct bl_finding *finding, char text[BL_FINDING_TEXT])
{
    size_t used = 0;
    if (!finding->is_known)
        snprintf(text, BL_FINDING_TEXT, "unknown");
    else if (finding->kind == BL_FOUND_FLAG)
        snprintf(text, BL_FINDING_TEXT, "%s", finding->value > 0.5 ? "yes" : "no");
    else if (finding->kind != BL_FOUND_MASKS)
        snprintf(text, BL_FINDING_TEXT, finding->value >= 1e4 ? "%.0f" : "%.4g", finding->value);
    else if (!finding->masks[0])
        snprintf(text, BL_FINDING_TEXT, "none");
    else
        for (size_t i = 0; i < BL_MAX_TAG_BITS && finding->masks[i]; i++)
            used += (size_t)snprintf(text + used, BL_FINDING_TEXT - used, "%s0x%" PRIx64,
                                     i ? " " : "", finding->masks[i]);
    return text;
}

enum { BYTES_DIGITS = 12 }; /* of a number that may be a count of bytes */

/* Rounds an amount: bytes to whole numbers, other amounts to six significant digits, which is finer
 * than any measurement. */
static double round_amount(const struct bl_finding *finding, double amount)
{
    char text[32];
    if (strcmp(finding->unit, "bytes") == 0)
        return round(amount);
    snprintf(text, sizeof text, "%.6g", amount);
    return strtod(text, NULL);
}

static void put_origin(FILE *file, const struct bl_infer_origin *origin, const char *record)
{
    fprintf(file, "%d,", SCHEMA);
    bl_csv_field(file, origin->time_utc, ",");
    bl_csv_field(file, origin->tool_version, ",");
    bl_csv_field(file, origin->device, ",");
    bl_csv_field(file, origin->driver, ",");
    fprintf(file, "%" PRIu64 ",%s,", origin->seed, record);
}

/* Writes banks the way machine files do, such as "16x4". */
enum { BANKS_TEXT = 24 };
static const char *banks_text(const struct bl_banks *banks, char text[BANKS_TEXT])
{
    snprintf(text, BANKS_TEXT, "%ux%u", banks->count, banks->bytes);
    return text;
}

/* Writes a record `hypothesis`. misfit: NAN if the name is `none`. */
static void put_hypothesis(FILE *file, const struct bl_findings *findings,
                           const struct bl_infer_origin *origin, const char *name,
                           double probability, double misfit)
{
    put_origin(file, origin, "hypothesis");
    bl_csv_field(file, findings->hypotheses_of, ",");
    fprintf(file, "%s,,,,", name);
    bl_csv_number(file, probability, ",local-reads,,,,,");
    bl_csv_number(file, misfit, ",");
    fprintf(file, "%u of %u points\n", findings->points, findings->max_points);
}

void bl_findings_csv(FILE *file, const struct bl_findings *findings,
                     const struct bl_infer_origin *origin)
{
    fputs("schema,time_utc,tool_version,device,driver,seed,record,key,value,lo,hi,unit,confidence,"
          "sweep,point,x,measured,expected,error,basis\n",
          file);
    char text[BL_FINDING_TEXT];
    for (size_t i = 0; i < findings->count; i++) {
        const struct bl_finding *finding = &findings->all[i];
        const bool has_interval = finding->is_known && finding->kind == BL_FOUND_AMOUNT;
        put_origin(file, origin, "value");
        bl_csv_field(file, finding->key, ",");
        bl_csv_field(file, bl_finding_text(finding, text), ",");
        bl_csv_digits(file, has_interval ? round_amount(finding, finding->lo) : NAN, BYTES_DIGITS,
                      ",");
        bl_csv_digits(file, has_interval ? round_amount(finding, finding->hi) : NAN, BYTES_DIGITS,
                      ",");
        bl_csv_field(file, finding->unit, ",");
        bl_csv_number(file, finding->is_known ? finding->confidence : NAN, ",");
        bl_csv_field(file, finding->sweep ? finding->sweep : "", ",,,,,,");
        bl_csv_field(file, finding->is_known ? finding->basis : finding->why, "\n");
    }
    for (unsigned h = 0; h < findings->hypothesis_count; h++) {
        const struct bl_hypothesis *hypothesis = &findings->hypotheses[h];
        char name[BANKS_TEXT];
        put_hypothesis(file, findings, origin, banks_text(&hypothesis->banks, name),
                       hypothesis->probability, hypothesis->misfit);
    }
    if (findings->hypothesis_count)
        put_hypothesis(file, findings, origin, "none", findings->other_probability, NAN);
    for (size_t i = 0; i < findings->evidence_count; i++) {
        const struct bl_evidence *evidence = &findings->evidence[i];
        put_origin(file, origin, "point");
        fputs(",,,,", file);
        bl_csv_field(file, evidence->unit, ",,");
        bl_csv_field(file, evidence->sweep, ",");
        bl_csv_field(file, evidence->point, ",");
        bl_csv_digits(file, evidence->x, BYTES_DIGITS, ",");
        bl_csv_number(file, evidence->measured, ",");
        bl_csv_number(file, evidence->expected, ",");
        bl_csv_number(file, evidence->error, ",\n");
    }
}

#ifdef BL_WITH_JANSSON

static json_t *points_of(const struct bl_findings *findings, const char *sweep, bool *whole)
{
    json_t *points = json_array();
    for (size_t i = 0; i < findings->evidence_count; i++) {
        const struct bl_evidence *evidence = &findings->evidence[i];
        if (strcmp(evidence->sweep, sweep) == 0)
            bl_json_append(points,
                           bl_json_pack(whole, "{s:o, s:o, s:o, s:o, s:o, s:o}", "point",
                                        bl_json_string(evidence->point), "x",
                                        bl_json_number_or_null(evidence->x), "measured",
                                        bl_json_number_or_null(evidence->measured), "expected",
                                        bl_json_number_or_null(evidence->expected), "error",
                                        bl_json_number_or_null(evidence->error), "unit",
                                        bl_json_string(evidence->unit)),
                           whole);
    }
    return points;
}

static json_t *value_of(const struct bl_finding *finding, bool *whole)
{
    char text[BL_FINDING_TEXT];
    if (!finding->is_known)
        return json_null();
    if (finding->kind == BL_FOUND_FLAG)
        return json_boolean(finding->value > 0.5);
    if (finding->kind != BL_FOUND_MASKS)
        return bl_json_number_or_null(finding->value);
    json_t *masks = json_array();
    for (size_t i = 0; i < BL_MAX_TAG_BITS && finding->masks[i]; i++) {
        snprintf(text, sizeof text, "0x%" PRIx64, finding->masks[i]);
        bl_json_append(masks, bl_json_string(text), whole);
    }
    return masks;
}

static json_t *finding_of(const struct bl_finding *finding, bool *whole)
{
    const bool is_known = finding->is_known;
    const bool has_interval = is_known && finding->kind == BL_FOUND_AMOUNT;
    return bl_json_pack(whole, "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "key",
                        bl_json_string(finding->key), "meaning", bl_json_string(finding->meaning),
                        "value", value_of(finding, whole), "lo",
                        bl_json_number_or_null(has_interval ? finding->lo : NAN), "hi",
                        bl_json_number_or_null(has_interval ? finding->hi : NAN), "unit",
                        bl_json_string(finding->unit), "confidence",
                        bl_json_number_or_null(is_known ? finding->confidence : NAN), "basis",
                        is_known ? bl_json_string(finding->basis) : json_null(), "why_unknown",
                        is_known ? json_null() : bl_json_string(finding->why), "sweep",
                        finding->sweep ? bl_json_string(finding->sweep) : json_null());
}

static json_t *hypotheses_of(const struct bl_findings *findings, bool *whole)
{
    if (!findings->hypothesis_count)
        return json_null();
    json_t *all = json_array();
    for (unsigned h = 0; h < findings->hypothesis_count; h++) {
        const struct bl_hypothesis *hypothesis = &findings->hypotheses[h];
        bl_json_append(all,
                       bl_json_pack(whole, "{s:i, s:i, s:o, s:o}", "banks",
                                    (int)hypothesis->banks.count, "bank_bytes",
                                    (int)hypothesis->banks.bytes, "probability",
                                    bl_json_number_or_null(hypothesis->probability), "misfit",
                                    bl_json_number_or_null(hypothesis->misfit)),
                       whole);
    }
    return bl_json_pack(whole, "{s:o, s:i, s:i, s:o, s:o}", "machine",
                        bl_json_string(findings->hypotheses_of), "points", (int)findings->points,
                        "max_points", (int)findings->max_points, "none_probability",
                        bl_json_number_or_null(findings->other_probability), "banks", all);
}

enum bl_status bl_findings_json(FILE *file, const struct bl_findings *findings,
                                const struct bl_infer_origin *origin, struct bl_error *error)
{
    bool whole = true;
    json_t *values = json_array(), *sweeps = json_object();
    for (size_t i = 0; i < findings->count; i++)
        bl_json_append(values, finding_of(&findings->all[i], &whole), &whole);
    for (size_t i = 0; i < findings->evidence_count; i++) {
        const char *sweep = findings->evidence[i].sweep;
        if (!json_object_get(sweeps, sweep))
            bl_json_add(sweeps, sweep, points_of(findings, sweep, &whole), &whole);
    }
    json_t *root = bl_json_pack(
        &whole, "{s:i, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o}", "schema", (int)SCHEMA, "time_utc",
        bl_json_string(origin->time_utc), "tool_version", bl_json_string(origin->tool_version),
        "device", bl_json_string(origin->device), "driver", bl_json_string(origin->driver), "seed",
        (json_int_t)origin->seed, "values", values, "hypotheses", hypotheses_of(findings, &whole),
        "evidence", sweeps);
    return bl_json_dump(root, whole, file, error);
}

#else

enum bl_status bl_findings_json(FILE *file, const struct bl_findings *findings,
                                const struct bl_infer_origin *origin, struct bl_error *error)
{
    (void)file, (void)findings, (void)origin;
    return bl_json_is_built(error);
}

#endif
