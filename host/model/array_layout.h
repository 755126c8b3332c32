/* Layouts of an array that a group's work-items access. A layout moves each element of the array to
 * a new index, in all accesses to the array, and has an expression that computes the new index.
 *
 * An array is treated as rows of `row` elements: element i lies in row y = i / row, column x = i %
 * row. The row lengths to try are derived from the array's declaration and from the distances
 * between accesses. */
#ifndef BANKLINE_MODEL_ARRAY_LAYOUT_H
#define BANKLINE_MODEL_ARRAY_LAYOUT_H

#include "model/accesses.h"

/* The accesses that transforms are applied to. */
struct bl_accesses {
    const struct bl_access *all; /* all accesses, sorted */
    size_t count;
    const bool *is_own;  /* whether an access is to the array whose accesses are to become cheaper;
                            NULL: all are */
    const bool *is_line; /* whether an access is of the costliest source line; NULL: all are */
    size_t local[3];     /* work-items of a group along x, y and z */
    size_t launch_width; /* work-items of the launch along x; 0: not known */
    unsigned line_bytes; /* line size of the machine; 0: none */
    unsigned bank_round_bytes; /* distance between consecutive words of a bank; 0 if there are no
                                  banks */
    unsigned row_bytes;        /* size of the array's rows, as declared; 0 if unknown */
    bool is_local;             /* the array lies in local memory */
    /* Whether to try a padding of 3 elements before a padding of 1, because its index takes fewer
     * instructions (add_padded). */
    bool has_short_first;
};

enum bl_array_layout_kind {
    BL_ARRAY_UNCHANGED,
    BL_ARRAY_PADDED,   /* rows are longer by `pad` elements */
    BL_ARRAY_SWIZZLED, /* the column is XORed with bits of the row */
    BL_ARRAY_TURNED,   /* transposed: first all of column 0, then all of column 1, ... */
    BL_ARRAY_SPLIT     /* records with members of different sizes become an array per member */
};

struct bl_array_layout {
    enum bl_array_layout_kind kind;
    unsigned element_bytes;
    uint64_t row;       /* elements of a row in the present layout */
    uint64_t pad;       /* elements added to each row, or if TURNED, to each column */
    uint64_t unit;      /* SWIZZLED, TURNED: number of elements that stay adjacent */
    uint64_t rows_each; /* SWIZZLED: rows that are XORed with the same bits */
    uint64_t rows;      /* TURNED, SPLIT: number of rows, if known */
    uint64_t begins;    /* SPLIT: bit x is set if a member begins at column x */
    uint64_t elements;  /* local array: number of elements up to the last accessed one */
    bool is_local;      /* the array lies in local memory, so its size is known */
    bool has_records;   /* rows are the records of a global array, not the rows of a matrix */
    /* Local array: the row length is declared, or is the most frequent distance between neighbours
     * along x.
     */
    bool is_own_row;
};

enum { BL_MAX_ARRAY_LAYOUTS = 144 };

/* The layouts to try, the smallest change first. */
struct bl_array_layouts {
    struct bl_array_layout all[BL_MAX_ARRAY_LAYOUTS];
    size_t count;
    bool is_scattered; /* no layout was found, because no distance is frequent in the costliest line
                        */
};

/* Finds the layouts to try for an array. All of these accesses must be to the array; is_own is
 * ignored. */
void bl_array_layouts_find(const struct bl_accesses *accesses, struct bl_array_layouts *layouts);

/* The new offset in bytes of the element that was at `offset`. */
uint64_t bl_array_layout_place(const struct bl_array_layout *layout, uint64_t offset);

/* The number of elements of a local array with this layout. */
uint64_t bl_array_layout_elements(const struct bl_array_layout *layout);

/* Whether the layout splits none of these accesses and preserves their alignment. */
bool bl_array_layout_keeps(const struct bl_array_layout *layout,
                           const struct bl_accesses *accesses);

/* Writes the change as advice, such as "pad each row of 32 elements by 1". */
void bl_array_layout_words(const struct bl_array_layout *layout, char *words, size_t size);

/* Writes the index in terms of row y and column x, such as "y * 33 + x". UNCHANGED gives "y * 32 +
 * x". SPLIT gives nothing, because it makes several arrays of different types. */
void bl_array_layout_index(const struct bl_array_layout *layout, char *text, size_t size);

/* Writes the new index as an OpenCL C expression of the present index, such as "(i) + (i) / 32".
 * SPLIT gives nothing. */
void bl_array_layout_expression(const struct bl_array_layout *layout, const char *index, char *text,
                                size_t size);

#endif
