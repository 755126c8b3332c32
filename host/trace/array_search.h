/* The search for what would make a kernel's arrays cheaper: transforms (model/transform.h) are
 * applied to all recorded accesses to an array by the kernel's costliest group, and a layout of an
 * array that other kernels access, too, to theirs. Inside host/trace only.
 */
#ifndef BANKLINE_TRACE_ARRAY_SEARCH_H
#define BANKLINE_TRACE_ARRAY_SEARCH_H

#include "trace/trace.h"

/* A buffer that a kernel accesses. */
struct bl_traced_array {
    uint64_t buffer;
    enum bl_memory memory;
    const struct bl_trace_row *worst; /* of its rows */
    double lost, clocks, requests;    /* of its rows */
};

/* A kernel of which arrays are searched one after another. */
struct bl_array_search {
    const struct bl_trace *trace;
    unsigned kernel;
    struct bl_access *accesses; /* of the kept group, perhaps fewer */
    size_t count;
    size_t first_row, rows;         /* of the kernel */
    struct bl_traced_array *arrays; /* that may be worth a word, those that lose most first */
    size_t array_count;
    bool are_ids_swapped; /* bl_array_search_swap_ids */
    const struct bl_trace_kernel
        *vetoed_by; /* a layout that gains makes this one slower; or NULL */
    bool depends_on_banks; /* the array's costs, which are not certain on this machine */
    /* Scratch space: */
    uint32_t *row_of; /* of each instruction's last access, from 1 */
    bool *is_own, *is_line;
    struct bl_trace_row *sums; /* of the rows, twice: of the array, of others */
    const struct bl_traced_array *array;
    double own_clocks, other_clocks, other_stages[BL_STAGES]; /* of the array, of other arrays */
    struct bl_other_kernel *others;
    size_t other_count, other_capacity;
};

/* Finds the kernel's arrays: those that lose at least a hundredth of its clocks, or take a tenth.
 * BL_NO_MEMORY; bl_array_search_end in any case. */
enum bl_status bl_array_search_begin(struct bl_array_search *search, const struct bl_trace *trace,
                                     unsigned kernel, struct bl_error *error);

/* Finds what would make one of them cheaper. */
enum bl_status bl_array_search_fixes(struct bl_array_search *search,
                                     const struct bl_traced_array *array, struct bl_fixes *fixes,
                                     struct bl_error *error);

/* Goes on as if the ids of x and y were swapped. */
void bl_array_search_swap_ids(struct bl_array_search *search);

/* Whether the array loses enough to be worth a word even where nothing is known that helps. */
bool bl_array_search_is_costly(const struct bl_array_search *search,
                               const struct bl_traced_array *array);

void bl_array_search_end(struct bl_array_search *search);

#endif
