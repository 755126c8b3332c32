/* The documented cases, as a report draws them. */
#ifndef BANKLINE_CLI_CMD_REPORT_H
#define BANKLINE_CLI_CMD_REPORT_H

#include "page/page.h"

struct bl_report_cases {
    struct bl_page_case *all; /* which point into themselves: they stay where they are */
    size_t count;
};

/* The costliest request of each case whose claim a document prints and that has an index pattern,
 * in the row of the machine's own lanes, or else in its first shape. The machine has a rule. The
 * caller frees cases->all, whatever is returned. BL_NO_MEMORY */
enum bl_status bl_report_cases(const struct bl_machine *machine, struct bl_report_cases *cases,
                               struct bl_error *error);

#endif
