/* Searches for changes that make a kernel's accesses to an array cheaper. Each transform
 * (model/transform.h) is applied to the recorded accesses to the array by the kernel's costliest
 * group, or to a sample of these accesses. The costs of each row are scaled to all groups. If other
 * kernels also access an array in global memory, a new layout is applied to their accesses, too,
 * and is rejected if it makes these accesses dearer or splits some of them. Private to host/trace.
 */
#ifndef BANKLINE_TRACE_ARRAY_SEARCH_H
#define BANKLINE_TRACE_ARRAY_SEARCH_H

#include "trace/trace.h"

/* A buffer that a kernel accesses. */
struct bl_traced_array {
    uint64_t buffer;
    enum bl_memory memory;
    const struct bl_trace_row *worst; /* the array's row that loses the most clocks */
    double lost, clocks;              /* sums over the array's rows */
    double lost_by_worst;
    unsigned vector_bytes; /* as in struct bl_trace_row, of all rows of the array */
};

/* A row's cost. If the machine file lists several possible bank configurations, the clocks are
 * means over these configurations, and the passes are the minimum and the maximum; the passes are 0
 * if the row has a rule. */
struct bl_row_cost {
    double clocks, lost;              /* of all groups */
    double least_passes, most_passes; /* bank passes per request */
};

/* Another kernel that accesses an array in global memory. */
struct bl_other_kernel {
    unsigned kernel;
    struct bl_access *accesses; /* accesses to the array by the kernel's costliest group, or a
                                   sample of them */
    size_t count;
    double clocks;     /* of these accesses */
    double all_clocks; /* of the array's rows in this kernel, for all groups */
};

/* The state of a search in one kernel, array by array. */
struct bl_array_search {
    const struct bl_trace *trace;
    unsigned kernel;
    struct bl_access *accesses; /* accesses of the kernel's costliest group, or a sample of them */
    size_t count;
    size_t first_row, rows; /* index of the kernel's first row, and the number of its rows */
    struct bl_traced_array *arrays; /* arrays for which a search is worthwhile; the array that loses
                                       the most clocks comes first */
    size_t array_count;
    bool are_ids_swapped;                    /* bl_array_search_swap_ids was called */
    const struct bl_trace_kernel *vetoed_by; /* another kernel, whose accesses a rejected layout
                                                would make dearer or split; or NULL */
    bool depends_on_banks;     /* the cost of the array's accesses depends on uncertain banks */
    struct bl_row_cost *costs; /* one per row of the kernel */
    double *weights; /* for each row of the kernel, how many clocks of all groups a clock of
                        `accesses` stands for */
    double absent_clocks, absent_stages[BL_STAGES]; /* clocks of rows without such accesses */
    /* Scratch space: */
    uint32_t *row_of; /* for each instruction, 1 + the index of the row found last; 0 if none was
                         found yet */
    bool *is_own, *is_line;
    struct bl_trace_row *sums; /* first half: accesses to the array, one entry per row; second half:
                                  accesses to other arrays */
    const struct bl_traced_array *array;
    enum bl_aligned_vectors vectors;   /* of the change whose costs are summed */
    double own_clocks;                 /* clocks of the accesses to the array */
    struct bl_assumption *assumptions; /* one per possible bank configuration; at least 1 */
    unsigned assumption_count;
    struct bl_other_kernel *others; /* of the array searched last */
    size_t other_count, other_capacity;
};

/* Finds the arrays whose accesses take more than 10 % of the kernel's clocks, or lose more than 1 %
 * of these clocks. Lost clocks are the clocks beyond those of contiguous accesses. All clocks are
 * estimated for all groups (launch_groups.h). Fails with BL_NO_MEMORY. Call bl_array_search_end
 * even after a failure. */
enum bl_status bl_array_search_begin(struct bl_array_search *search, const struct bl_trace *trace,
                                     unsigned kernel, struct bl_error *error);

/* Finds fixes for `array`, which is one of search->arrays. Fails with BL_NO_MEMORY. */
enum bl_status bl_array_search_fixes(struct bl_array_search *search,
                                     const struct bl_traced_array *array, struct bl_fixes *fixes,
                                     struct bl_error *error);

/* Swaps the work-item ids x and y in all recorded accesses; later searches assume that the program
 * makes this change. */
void bl_array_search_swap_ids(struct bl_array_search *search);

/* The cost of one of the kernel's rows. */
const struct bl_row_cost *bl_array_search_cost(const struct bl_array_search *search,
                                               const struct bl_trace_row *row);

/* Whether search->accesses are all accesses of the group, and not a sample. */
bool bl_array_search_has_all(const struct bl_array_search *search);

/* Whether the array loses more than 1 % of the kernel's clocks, so that it is mentioned even if no
 * fix helps. */
bool bl_array_search_is_costly(const struct bl_array_search *search,
                               const struct bl_traced_array *array);

void bl_array_search_end(struct bl_array_search *search);

#endif
