/* Layouts of an array that a group's work-items access. A layout moves each element of the array to
 * a new index. An OpenCL C expression computes the new index from the present one; a program would
 * use it in all accesses to the array.
 *
 * An array is treated as rows of `row` elements: element i is in row y = i / row and column x = i %
 * row. The row lengths to try are derived from the array's declaration, from the distances between
 * accesses and, in local memory, from the banks. */
#ifndef BANKLINE_MODEL_ARRAY_LAYOUT_H
#define BANKLINE_MODEL_ARRAY_LAYOUT_H

#include "model/accesses.h"

/* The accesses that transforms are applied to. */
struct bl_accesses {
    const struct bl_access *all; /* all accesses, sorted */
    size_t count;
    const bool *is_own;  /* per access: whether it accesses the array for which fixes are sought;
                            NULL: all */
    const bool *is_line; /* per access: whether the costliest source line makes it; NULL: all */
    size_t local[3];     /* work-items of a group along x, y and z */
    unsigned lanes;      /* of a sub-group; 0 if unknown */
    size_t launch_width; /* work-items of the launch along x; 0 if unknown */
    unsigned line_bytes; /* bytes of a cache line; 0 if there are none */
    unsigned bank_round_bytes; /* bytes from a bank's word to its next word; 0 without banks */
    unsigned row_bytes;        /* bytes of a row, as the array is declared; 0 if unknown */
    bool is_local;             /* the array is in local memory */
    /* Local memory that the group uses (0 if unknown), and that it may use (0 for no limit). */
    uint64_t group_local_bytes, group_local_bytes_max;
    bool is_gathered; /* the costliest line's addresses depend on loaded data */
    bool is_volatile; /* some accesses must be made as often as the program says */
    /* Of accesses that the machine splits because the compiler does not know their alignment: bytes
     * of a value if all their addresses are multiples of it; else at most 1. line: by the costliest
     * line; all: to the array. component_bytes, alignment: of the costliest line (bl_type). */
    unsigned line_vector_bytes, all_vector_bytes, component_bytes, alignment;
    bool is_sampled; /* accesses were dropped (bl_trace_fewer) */
    /* Whether to try a padding of 3 elements before a padding of 1, because the index with a
     * padding of 3 takes fewer instructions (add_padded). */
    bool has_short_first;
};

enum bl_array_layout_kind {
    BL_ARRAY_UNCHANGED,
    BL_ARRAY_PADDED,   /* each row gets `pad` additional elements */
    BL_ARRAY_SWIZZLED, /* the column is XORed with bits of the row */
    BL_ARRAY_TURNED,   /* transposed: first all of column 0, then all of column 1, ... */
    BL_ARRAY_SPLIT /* an array of records becomes one array per member; the members differ in size
                    */
};

struct bl_array_layout {
    enum bl_array_layout_kind kind;
    unsigned element_bytes;
    uint64_t row;       /* elements of a row in the present layout */
    uint64_t pad;       /* elements added to each row (PADDED) or to each column (TURNED) */
    uint64_t unit;      /* SWIZZLED, TURNED: this many consecutive elements stay adjacent */
    uint64_t rows_each; /* SWIZZLED: number of consecutive rows whose columns are XORed with the
                           same bits */
    uint64_t rows;   /* TURNED, SPLIT: number of rows up to the last accessed row; rounded up for a
                        global array */
    uint64_t begins; /* SPLIT: bit x is set if a member begins at column x */
    uint64_t elements; /* number of elements up to the last accessed element */
    bool is_local;     /* the array is in local memory, so its size is known */
    bool has_records;  /* rows are the records of a global array, not the rows of a matrix */
    /* Local array: `row` is the declared length, or else the most frequent distance above 1 between
     * neighbouring work-items along x, if it is at least 8 elements (own_row_of). */
    bool is_own_row;
};

enum { BL_MAX_ARRAY_LAYOUTS = 144 };

/* The layouts to try: first paddings, then swizzles, then transposed or split arrays. */
struct bl_array_layouts {
    struct bl_array_layout all[BL_MAX_ARRAY_LAYOUTS];
    size_t count;
    bool is_scattered; /* no layout was tried, because the costliest line accesses the array at
                          irregular distances */
    bool is_gathered;  /* no rows of a matrix in global memory were tried: the distances between
                          accesses are those of loaded data */
};

/* Finds the layouts to try for an array. All accesses must be to this array; accesses->is_own is
 * ignored. */
void bl_array_layouts_find(const struct bl_accesses *accesses, struct bl_array_layouts *layouts);

/* The offset, in bytes, that the byte at `offset` in the array gets in the new layout. */
uint64_t bl_array_layout_place(const struct bl_array_layout *layout, uint64_t offset);

/* The same for an address, whose bits from BL_BUFFER_BITS up stay as they are. */
uint64_t bl_array_layout_address(const struct bl_array_layout *layout, uint64_t address);

/* The number of elements of a local array with this layout. */
uint64_t bl_array_layout_elements(const struct bl_array_layout *layout);

/* Whether each of these accesses stays contiguous and aligned in the new layout. */
bool bl_array_layout_keeps(const struct bl_array_layout *layout,
                           const struct bl_accesses *accesses);

/* Writes the change as advice, such as "pad each row of 32 elements by 1". */
void bl_array_layout_words(const struct bl_array_layout *layout, char *words, size_t size);

/* Writes the new index of the element in row y and column x, such as "y * 33 + x" (for UNCHANGED,
 * "y * 32 + x"). For a transposed global array, ROWS stands for the number of rows. Writes an empty
 * text for SPLIT, because the members get several arrays of different types. */
void bl_array_layout_index(const struct bl_array_layout *layout, char *text, size_t size);

/* Writes the new index as an OpenCL C expression of the present index, such as "(i) + (i) / 32".
 * Writes an empty text for SPLIT. */
void bl_array_layout_expression(const struct bl_array_layout *layout, const char *index, char *text,
                                size_t size);

#endif
