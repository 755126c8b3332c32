#include "cli/settings.h"

#include "cli/option_values.h"

const struct bl_option bl_csv_options[] = {
    {"csv", "FILE", "write the rows as CSV", BL_TEXT(struct bl_output_settings, paths[0]),
     .completes = BL_COMPLETE_FILES},
    {0},
};

const struct bl_option bl_results_options[] = {
    {"results", "DIR", "write the rows to DIR/<device>-<card>/<run_id>.csv",
     BL_TEXT(struct bl_output_settings, results), .completes = BL_COMPLETE_FOLDERS},
    {0},
};

enum written { RUNS, CHANGES, FLEETS };

static bool writes(const struct bl_format *format, enum written written)
{
    return written == RUNS      ? format->writes_runs
           : written == CHANGES ? format->writes_changes
                                : format->fleet_help != NULL;
}

static bool format_option(size_t i, enum written written, struct bl_option *option)
{
    size_t count;
    const struct bl_format *const *formats = bl_formats(&count);
    for (size_t f = 0; f < count; f++)
        if (writes(formats[f], written) && i-- == 0) {
            *option = (struct bl_option){
                formats[f]->name,
                "FILE",
                written == FLEETS ? formats[f]->fleet_help : formats[f]->help,
                bl_parse_text,
                offsetof(struct bl_output_settings, paths) + f * sizeof(const char *),
                .completes = BL_COMPLETE_FILES};
            return true;
        }
    return false;
}

bool bl_run_format_option(size_t i, struct bl_option *option)
{
    return format_option(i, RUNS, option);
}

bool bl_change_format_option(size_t i, struct bl_option *option)
{
    return format_option(i, CHANGES, option);
}

bool bl_fleet_format_option(size_t i, struct bl_option *option)
{
    return format_option(i, FLEETS, option);
}

const struct bl_option bl_plan_options[] = {
    {"shape", "WxH", "work-groups of this shape",
     BL_SHAPE(struct bl_plan_settings, shape, BL_MAX_SHAPE)},
    {"quick", NULL, "fewer shapes and cases, and less time for each",
     BL_FLAG(struct bl_plan_settings, quick)},
    {0},
};

const struct bl_option bl_change_options[] = {
    {"threshold", "PCT", "the change that must be found (default 2%)",
     BL_PERCENT(struct bl_change_settings, threshold)},
    {"absolute", NULL, "also in its own time, not only against each case's baseline",
     BL_FLAG(struct bl_change_settings, absolute)},
    {"quiet", NULL, "print the last lines only", BL_FLAG(struct bl_change_settings, quiet)},
    {0},
};
