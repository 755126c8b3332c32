/* Accesses of a group's work-items, as a trace records them or as a pattern makes them, and layouts
 * of the array that they access: other places for its elements, which all accesses to it share, and
 * the index expression that finds them there.
 *
 * An array is seen as rows of `row` elements: element i lies in row y = i / row, column x = i %
 * row. Which lengths of rows are worth a try is learnt from the array's declaration and from the
 * distances between accesses.
 */
#ifndef BANKLINE_MODEL_ARRAY_LAYOUT_H
#define BANKLINE_MODEL_ARRAY_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bl_operation { BL_OPERATION_READ, BL_OPERATION_WRITE, BL_OPERATION_ATOMIC };

/* An access of one work-item. */
struct bl_access {
    uint32_t instruction; /* number of the instruction */
    /* Number of this execution of the instruction: work-items that execute it together share one.
     */
    uint32_t occurrence;
    uint32_t item; /* the work-item's number in the group, x fastest */
    uint32_t bytes;
    uint64_t address;          /* address; the upper bits number the buffer */
    uint8_t memory, operation; /* enum bl_memory; enum bl_operation */
    uint16_t phase;            /* barriers that the group passed before; at most UINT16_MAX */
    uint32_t order;            /* a work-item's own accesses are made in this order */
};

/* Oclgrind numbers buffers in the bits of an address from this one up. */
enum { BL_BUFFER_BITS = 48 };

/* All accesses of one group in one execution of one instruction. */
struct bl_step {
    const struct bl_access *accesses; /* sorted by item */
    size_t count;
};

/* Sorts by instruction, occurrence and item. */
void bl_accesses_sort(struct bl_access accesses[], size_t count);

/* The next step of sorted accesses, from *at, which is advanced. Returns false after the last step.
 */
bool bl_next_step(const struct bl_access accesses[], size_t count, size_t *at,
                  struct bl_step *step);

/* The accesses that transforms are applied to. */
struct bl_accesses {
    const struct bl_access *all; /* all accesses, sorted */
    size_t count;
    const bool *is_own;  /* which accesses are to become cheaper: those to one array; NULL: all */
    const bool *is_line; /* of these, the costliest line's; NULL: all */
    size_t local[3];     /* work-items of a group along x, y and z */
    size_t launch_width; /* work-items of the launch along x; 0: not known */
    unsigned line_bytes; /* line size of the machine; 0: none */
    unsigned bank_round_bytes; /* from a bank's word to its next one; 0: no banks */
    unsigned row_bytes;        /* of the array's rows, as declared; 0: not known */
    bool is_local;             /* the array lies in local memory */
};

enum bl_array_layout_kind {
    BL_ARRAY_UNCHANGED,
    BL_ARRAY_PADDED,   /* rows are longer by `pad` elements */
    BL_ARRAY_SWIZZLED, /* the column is XORed with bits of the row */
    BL_ARRAY_TURNED,   /* columns are stored one after another; of records: their members */
    BL_ARRAY_SPLIT     /* members of records that differ in size are stored one after another */
};

struct bl_array_layout {
    enum bl_array_layout_kind kind;
    unsigned element_bytes;
    uint64_t row;       /* elements of a row as it is */
    uint64_t pad;       /* elements added to each row; TURNED: to each column */
    uint64_t unit;      /* elements that stay next to each other: SWIZZLED, TURNED */
    uint64_t rows_each; /* SWIZZLED: rows that are XORed with the same bits */
    uint64_t rows;      /* TURNED, SPLIT: number of rows, as far as known */
    uint64_t begins;    /* SPLIT: bit x: a member begins at column x */
    uint64_t elements;  /* of a local array, up to the last accessed one */
    bool is_local;      /* its size is known */
    bool has_records;   /* rows are records of a global array, not those of a matrix */
};

enum { BL_MAX_ARRAY_LAYOUTS = 144 };

/* The layouts to try, the smallest change first. */
struct bl_array_layouts {
    struct bl_array_layout all[BL_MAX_ARRAY_LAYOUTS];
    size_t count;
    bool is_scattered; /* there are none: no distance is frequent in the costliest line */
};

/* Finds the layouts to try for the array of these accesses (all of them: is_own is not used). */
void bl_array_layouts_find(const struct bl_accesses *accesses, struct bl_array_layouts *layouts);

/* The offset in bytes at which an element is found that was at `offset`. */
uint64_t bl_array_layout_place(const struct bl_array_layout *layout, uint64_t offset);

/* How many elements a local array has with this layout. */
uint64_t bl_array_layout_elements(const struct bl_array_layout *layout);

/* Whether these accesses stay whole and as aligned as they are. */
bool bl_array_layout_keeps(const struct bl_array_layout *layout,
                           const struct bl_accesses *accesses);

/* Writes what to do: "pad each row of 32 elements by 1". */
void bl_array_layout_words(const struct bl_array_layout *layout, char *words, size_t size);

/* Writes the index by row y and column x, "y * 33 + x"; UNCHANGED gives "y * 32 + x", SPLIT
 * nothing: its members are arrays of several types. */
void bl_array_layout_index(const struct bl_array_layout *layout, char *text, size_t size);

/* Writes the index by the present one, an expression in OpenCL C: "(i) + (i) / 32"; SPLIT: nothing.
 */
void bl_array_layout_expression(const struct bl_array_layout *layout, const char *index, char *text,
                                size_t size);

#endif
