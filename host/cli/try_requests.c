/* The requests that `try` draws in one picture. */
#include "cli/try_requests.h"

#include <stdlib.h>

#include "cli/try_view.h"
#include "page/request_picture.h"

/* A request and what it points to; must not move. */
struct drawn {
    struct bl_request request;
    uint64_t addresses_bytes[BL_MAX_LANES];
};

/* Finds the requests; *count receives how many. */
static enum bl_status find_requests(const struct bl_trying *trying, struct drawn drawn[],
                                    struct bl_drawn_request requests[], size_t *count,
                                    struct bl_error *error)
{
    const struct bl_run *run = trying->run;
    struct bl_pattern_explanation explained;
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < run->count && status == BL_OK; i++) {
        if (run->items[i].status != BL_ROW_OK)
            continue;
        if (*count == BL_MOST_TRY_REQUESTS)
            return bl_fail(error, BL_USAGE, "--requests draws at most %d expressions",
                           (int)BL_MOST_TRY_REQUESTS);
        struct drawn *one = &drawn[*count];
        status = bl_try_costliest(run->bench.machine, &trying->trials.all[i], &run->items[i],
                                  one->addresses_bytes, &one->request, &explained, error);
        requests[(*count)++] =
            (struct bl_drawn_request){bl_trial_name(&trying->trials.all[i]), &one->request};
    }
    return status;
}

enum bl_status bl_try_requests_svg(FILE *file, const struct bl_trying *trying,
                                   struct bl_error *error)
{
    struct bl_drawn_request requests[BL_MOST_TRY_REQUESTS];
    size_t count = 0;
    struct drawn *drawn = calloc(BL_MOST_TRY_REQUESTS, sizeof *drawn);
    if (!drawn)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the picture");
    enum bl_status status = find_requests(trying, drawn, requests, &count, error);
    const struct bl_machine *machine = trying->run->bench.machine;
    if (status == BL_OK)
        status = bl_requests_svg(file, machine, requests, count, error);
    else if (status == BL_BAD_MACHINE)
        bl_fail(error, status, "--requests: machine %s has no rule for such accesses",
                machine->name);
    free(drawn);
    return status;
}
