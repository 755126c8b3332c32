#include "report/table.h"

#include <math.h>
#include <string.h>

#define RED "\x1b[31m"
#define GREEN "\x1b[32m"
#define YELLOW "\x1b[33m"
#define RESET "\x1b[0m"

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

void bl_table_begin(struct bl_table *table, const struct bl_row *run)
{
    if (table->quiet)
        return;
    fprintf(table->file, "%s (%s, driver %s), held against machine %s\n\n", run->device,
            run->platform, run->driver, run->machine);
    fprintf(table->file, "%-24s %-7s %-6s %-9s  %-25s %-9s  %8s\n", "case", "shape", "claim",
            "predicted", "measured [95 % interval]", "verdict", "B/clk/CU");
}

static const char *colour_of(const struct bl_table *table, const struct bl_row *row)
{
    if (!table->colour)
        return "";
    if (row->verdict == BL_CONFIRMED)
        return GREEN;
    if (row->verdict == BL_REFUTED || row->status >= BL_ROW_ERROR)
        return RED;
    return row->verdict == BL_UNCLEAR ? YELLOW : "";
}

/* Whether a measured row contradicts the guide's claim; unclear counts as holding. */
static bool claim_fails(const struct bl_table *table, const struct bl_row *row)
{
    return bl_verdict_of(row->claim, row->measured_lo, row->measured_hi, table->tolerance) ==
           BL_REFUTED;
}

static void count_error(struct bl_table *table, const struct bl_row *row)
{
    if (!isfinite(row->measured) || !isfinite(row->predicted) || !table->machine->has_rule)
        return;
    const double error = fabs(row->measured / row->predicted - 1);
    table->errors++;
    table->error_sum += error;
    if (error <= table->error_max)
        return;
    table->error_max = error;
    snprintf(table->error_case, sizeof table->error_case, "%.63s", row->case_id);
}

static void count_row(struct bl_table *table, const struct bl_row *row)
{
    count_error(table, row);
    table->rows++;
    table->verdicts[row->verdict]++;
    table->statuses[row->status]++;
    if (!isfinite(row->claim) || !isfinite(row->measured) || !table->machine->has_rule)
        return;
    table->claims++;
    if (!claim_fails(table, row)) {
        table->claims_held++;
        return;
    }
    const size_t used = strlen(table->claims_failed);
    if (used + strlen(row->case_id) + sizeof ", " > sizeof table->claims_failed)
        return; /* the table itself marks each of them */
    table->claims_named++;
    snprintf(table->claims_failed + used, sizeof table->claims_failed - used, "%s%s",
             used ? ", " : "", row->case_id);
}

static void print_measured(const struct bl_table *table, const struct bl_row *row)
{
    char interval[40];
    snprintf(interval, sizeof interval, "%.4f [%.4f, %.4f]", row->measured, row->measured_lo,
             row->measured_hi);
    const char *colour = colour_of(table, row);
    fprintf(table->file, "%-25s %s%-9s%s  ", interval, colour, bl_verdict_name(row->verdict),
            *colour ? RESET : "");
    if (isfinite(row->bytes_per_clock_cu))
        fprintf(table->file, "%8.1f", row->bytes_per_clock_cu);
    else
        fprintf(table->file, "%8s", "-");
    if (row->status == BL_ROW_NOISY)
        fprintf(table->file, "  noisy");
    if (row->note[0])
        fprintf(table->file, "  %s", row->note);
    if (isfinite(row->claim) && table->machine->has_rule && claim_fails(table, row))
        fprintf(table->file, "  %sthe guide's claim does not hold here%s",
                table->colour ? YELLOW : "", table->colour ? RESET : "");
}

void bl_table_row(struct bl_table *table, const struct bl_row *row)
{
    count_row(table, row);
    if (table->quiet)
        return;
    char claim[16], predicted[16];
    const char *name = row->case_id;
    if (strlen(name) > 24) {
        fprintf(table->file, "%s\n", name);
        name = "";
    }
    fprintf(table->file, "%-24s %-7s %-6s %-9s  ", name, row->shape,
            bl_format_ratio(row->claim, claim), bl_format_prediction(row, predicted));
    if (isfinite(row->measured)) {
        print_measured(table, row);
    } else {
        const char *colour = colour_of(table, row);
        fprintf(table->file, "%s%s%s: %s", colour, bl_row_status_name(row->status),
                *colour ? RESET : "", row->reason);
    }
    fputc('\n', table->file);
}

static void print_conventions(const struct bl_table *table)
{
    fprintf(table->file,
            "\nclaim: the guide's ratio, for its own set-up alone. predicted: the model's ratio "
            "for machine %s,\nor the guide's words. measured: throughput over the baseline's "
            "('bankline list' names it). verdict: the\ninterval against predicted +- %g %%. "
            "B/clk/CU: useful bytes, per clock of the frequency that the driver\nreports, per "
            "compute unit.\n",
            table->machine->name, table->tolerance * 100);
    if (!table->machine->has_rule)
        fprintf(table->file, "no-rule: %s.\n", table->machine->why_no_rule);
}

/* ", 3 refuted" when there are any. */
static void print_count(FILE *file, bool *first, unsigned count, const char *name)
{
    if (count)
        fprintf(file, "%s%u %s", *first ? " " : ", ", count, name);
    *first = *first && count == 0;
}

void bl_table_end(struct bl_table *table)
{
    if (!table->quiet && table->rows > 0)
        print_conventions(table);
    if (table->claims > 0) {
        fprintf(table->file, "%sThe guide's claims: %u of %u hold here", table->quiet ? "" : "\n",
                table->claims_held, table->claims);
        if (table->claims_failed[0])
            fprintf(table->file, "; not %s", table->claims_failed);
        const unsigned unnamed = table->claims - table->claims_held - table->claims_named;
        if (unnamed > 0)
            fprintf(table->file, " and %u more", unnamed);
        fprintf(table->file, ".\n");
    }
    if (table->errors > 1)
        fprintf(table->file,
                "%sDistance from the prediction: %.1f %% in the mean, %.1f %% at most "
                "(%s).\n",
                table->quiet || table->claims > 0 ? "" : "\n",
                100 * table->error_sum / table->errors, 100 * table->error_max, table->error_case);
    fprintf(table->file, "%u row%s:", table->rows, table->rows == 1 ? "" : "s");
    bool first = true;
    for (unsigned v = 0; v < BL_NO_VERDICT; v++)
        print_count(table->file, &first, table->verdicts[v], bl_verdict_name((enum bl_verdict)v));
    for (unsigned s = BL_ROW_NOISY; s < BL_ROW_STATUS_COUNT; s++)
        print_count(table->file, &first, table->statuses[s],
                    bl_row_status_name((enum bl_row_status)s));
    fprintf(table->file, "%s\n", first ? " none" : "");
}
