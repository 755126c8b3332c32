#include "cli/report_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cases.h"
#include "model/explain.h"
#include "suites.h"

/* Whether it is one of the two guides' numbered cases. */
static bool is_first_rank(const struct bl_case *test_case)
{
    return strncmp(test_case->id, "global/", 7) == 0 || strncmp(test_case->id, "local/", 6) == 0;
}

enum { FEW_GROUPS = 2 };

/* The costliest request of a case that has an index pattern. */
static enum bl_status add_case(struct bl_report_cases *cases, const struct bl_machine *machine,
                               const struct bl_plan_item *item, struct bl_error *error)
{
    const struct bl_case *test_case = item->test_case;
    struct bl_launch few = item->own.launch; /* groups of a case cost alike */
    few.groups = few.groups < FEW_GROUPS ? few.groups : FEW_GROUPS;
    const struct bl_launch *launch = &few;
    uint64_t *starts = bl_pattern_starts(test_case->pattern, launch);
    if (!starts)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the pictures");
    struct bl_explanation explained;
    enum bl_status status = bl_explain(machine, launch, starts, &explained, error);
    if (status == BL_OK) {
        struct bl_page_case *shown = &cases->all[cases->count++];
        *shown = (struct bl_page_case){.is_first_rank = is_first_rank(test_case),
                                       .id = test_case->id,
                                       .title = test_case->title,
                                       .document = test_case->document};
        snprintf(shown->index, sizeof shown->index, "%s",
                 bl_pattern_expression(test_case->pattern));
        for (unsigned lane = 0; lane < explained.lanes; lane++)
            shown->addresses_bytes[lane] =
                starts[explained.first_item + lane] * launch->type->element_bytes;
        struct bl_part parts[BL_MAX_PARTS];
        bl_parts_of(machine, launch->memory, launch->is_write, launch->type, parts);
        shown->request = (struct bl_request){.memory = launch->memory,
                                             .is_write = launch->is_write,
                                             .access_bytes = parts[0].bytes,
                                             .lanes = explained.lanes,
                                             .addresses_bytes = shown->addresses_bytes};
    }
    free(starts);
    return status == BL_BAD_MACHINE ? BL_OK : status;
}

/* Whether a document says what the case should cost, and an index says what it asks for. */
static bool is_drawn(const struct bl_case *test_case)
{
    return (test_case->claim > 0 || is_first_rank(test_case)) &&
           (test_case->lay_out == bl_lay_out_pattern ||
            test_case->lay_out == bl_lay_out_local_writes);
}

/* The ids of the cases that are drawn; the caller frees them. */
static const char **drawn_cases(const struct bl_catalogue *catalogue, size_t *count)
{
    size_t all = 0;
    *count = 0;
    for (size_t s = 0; s < catalogue->count; s++)
        all += catalogue->suites[s]->count;
    const char **ids = calloc(all + 1, sizeof(const char *));
    for (size_t s = 0; s < catalogue->count && ids; s++)
        for (size_t c = 0; c < catalogue->suites[s]->count; c++)
            if (is_drawn(&catalogue->suites[s]->cases[c]))
                ids[(*count)++] = catalogue->suites[s]->cases[c].id;
    return ids;
}

/* Of the items of a case the row of the machine's own lanes, or else the first. */
static const struct bl_plan_item *choose(const struct bl_plan_item items[], size_t count,
                                         const char *case_id, const struct bl_machine *machine)
{
    const struct bl_plan_item *first = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct bl_shape shape = items[i].own.launch.shape;
        if (strcmp(items[i].test_case->id, case_id) != 0)
            continue;
        if (shape.x == machine->lanes && shape.y == 1)
            return &items[i];
        first = first ? first : &items[i];
    }
    return first;
}

enum bl_status bl_report_cases(const struct bl_machine *machine, struct bl_report_cases *cases,
                               struct bl_error *error)
{
    *cases = (struct bl_report_cases){0};
    const struct bl_catalogue catalogue = bl_suites();
    struct bl_plan_item *items = NULL;
    size_t count = 0, drawn = 0;
    const char **ids = drawn_cases(&catalogue, &drawn);
    if (!ids)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the pictures");
    const struct bl_arguments selectors = {ids, drawn};
    const struct bl_plan_settings rows_alone = {.quick = true};
    enum bl_status status =
        bl_plan_cases(&catalogue, &rows_alone, &selectors, machine, NULL, &items, &count, error);
    if (status == BL_OK && !(cases->all = calloc(drawn + 1, sizeof *cases->all)))
        status = bl_fail(error, BL_NO_MEMORY, "no memory for the pictures");
    for (size_t i = 0; i < drawn && status == BL_OK; i++) {
        const struct bl_plan_item *item = choose(items, count, ids[i], machine);
        if (item)
            status = add_case(cases, machine, item, error);
    }
    free(ids);
    free(items);
    return status;
}
