/* Searches for fixes of a kernel's arrays: transforms (model/transform.h) are applied to all
 * recorded accesses to an array by the kernel's costliest group. A layout of an array that other
 * kernels access too is also applied to their accesses, and rejected if it makes one of them
 * slower. Private to host/trace.
 */
#ifndef BANKLINE_TRACE_ARRAY_SEARCH_H
#define BANKLINE_TRACE_ARRAY_SEARCH_H

#include "trace/trace.h"

/* A buffer that a kernel accesses. */
struct bl_traced_array {
    uint64_t buffer;
    enum bl_memory memory;
    const struct bl_trace_row *worst; /* its row that loses most */
    double lost, clocks, requests;    /* sums over its rows */
    double lost_by_worst;
};

/* A row's cost. If the machine's banks are not certain, it covers the alternatives of the banks. */
struct bl_row_cost {
    double clocks, lost; /* sums over all traced requests, averaged over the alternatives */
    double least_passes, most_passes; /* bank passes per request */
};

/* The search in one kernel, array by array. */
struct bl_array_search {
    const struct bl_trace *trace;
    unsigned kernel;
    struct bl_access *accesses; /* accesses of the kept group, or only the first ones */
    size_t count;
    size_t first_row, rows;         /* the kernel's first row, and its number of rows */
    struct bl_traced_array *arrays; /* arrays worth searching, those that lose most first */
    size_t array_count;
    bool are_ids_swapped; /* bl_array_search_swap_ids */
    const struct bl_trace_kernel
        *vetoed_by;            /* a kernel that a cheaper layout would make slower; or NULL */
    bool depends_on_banks;     /* the cost of the array depends on banks that are not certain */
    struct bl_row_cost *costs; /* one for each row of the kernel */
    /* Scratch space: */
    uint32_t *row_of; /* row of each instruction's last access, counted from 1 */
    bool *is_own, *is_line;
    struct bl_trace_row
        *sums; /* one per row for accesses to the array, then one per row for other arrays */
    const struct bl_traced_array *array;
    double own_clocks;                 /* of accesses to the array */
    struct bl_assumption *assumptions; /* the machine, or one for each alternative of its banks */
    unsigned assumption_count;
    struct bl_other_kernel *others;
    size_t other_count, other_capacity;
};

/* Finds the kernel's arrays that lose at least 1 % of its clocks or take at least 10 % of them.
 * Fails with BL_NO_MEMORY. Call bl_array_search_end in any case. */
enum bl_status bl_array_search_begin(struct bl_array_search *search, const struct bl_trace *trace,
                                     unsigned kernel, struct bl_error *error);

/* The clocks that a unit's schedulers need to issue the instructions of so many requests if a
 * layout makes indices longer than the program's; 0 if the machine's schedulers are not known. Such
 * an access is assumed to take at least seven instructions: for its index, for itself, and for the
 * use of its value. The number seven separates those of 100 tiles that gained on an H200 from those
 * that did not (results/rules/README.md). */
double bl_issue_clocks(const struct bl_machine *machine, double requests);

/* Finds fixes for one of these arrays. */
enum bl_status bl_array_search_fixes(struct bl_array_search *search,
                                     const struct bl_traced_array *array, struct bl_fixes *fixes,
                                     struct bl_error *error);

/* Continues the search as if the ids of x and y had been swapped. */
void bl_array_search_swap_ids(struct bl_array_search *search);

/* The cost of one of the kernel's rows. */
const struct bl_row_cost *bl_array_search_cost(const struct bl_array_search *search,
                                               const struct bl_trace_row *row);

/* Whether the array loses enough to be mentioned even if no fix helps. */
bool bl_array_search_is_costly(const struct bl_array_search *search,
                               const struct bl_traced_array *array);

void bl_array_search_end(struct bl_array_search *search);

#endif
