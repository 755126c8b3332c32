// Tiles of local memory for scripts/check-advice, which builds them with different types, sizes and
// layouts: a tile has ROWS rows of COLUMNS elements of type T, in CELLS cells. Element i is in cell
// PLACE(i). PLACE_OF(row, column) computes the same cell from row and column, without a division.
// A launch repeats everything ROUNDS times.
#ifndef T
#define T int
#endif
#ifndef ROWS
#define ROWS 32
#define COLUMNS 32
#endif
#ifndef PLACE
#define PLACE(i) (i)
#define PLACE_OF(row, column) ((row) * COLUMNS + (column))
#define CELLS (ROWS * COLUMNS)
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#define ELEMENTS (ROWS * COLUMNS)
#define X ((int)get_local_id(0))
#define Y ((int)get_local_id(1))
#define WIDTH ((int)get_local_size(0))
#define HEIGHT ((int)get_local_size(1))
#define ITEMS (WIDTH * HEIGHT)
#ifdef SWAPPED // the group's width and height are swapped, and so are x and y
#define ID ((Y * WIDTH + X) % HEIGHT * WIDTH + (Y * WIDTH + X) / HEIGHT)
#else
#define ID (Y * WIDTH + X)
#endif
#define OUTSIDE ((get_group_id(1) * get_num_groups(0) + get_group_id(0)) * ITEMS + ID)
#define AT(i) tile[PLACE((i))]
#define CELL(row, column) tile[PLACE_OF((row), (column))]

// Writes the tile row by row, and reads it column by column.
#define TRANSPOSE                                                                                  \
    local T tile[CELLS];                                                                           \
    const int id = ID;                                                                             \
    T sum = in[OUTSIDE];                                                                           \
    for (int round = 0; round < ROUNDS; round++) {                                                 \
        for (int i = id; i < ELEMENTS; i += ITEMS)                                                 \
            CELL(i / COLUMNS, i % COLUMNS) = sum + (T)i;                                           \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        for (int i = id; i < ELEMENTS; i += ITEMS)                                                 \
            sum += CELL(i % ROWS, i / ROWS);                                                       \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
    }                                                                                              \
    out[OUTSIDE] = sum;

kernel void transpose_tile(global const T *in, global T *out, int n)
{
    TRANSPOSE
}

kernel void transpose_square_tile(global const T *in, global T *out, int n)
{
    TRANSPOSE
}

// Each work-item multiplies two rows of the tile: its neighbours along x have different first rows
// and the same second row.
kernel void product_tile(global const T *in, global T *out, int n)
{
    local T tile[CELLS];
    const int id = ID, row = id % WIDTH % ROWS, column = id / WIDTH % COLUMNS;
    T sum = in[OUTSIDE];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = id; i < ELEMENTS; i += ITEMS)
            CELL(i % ROWS, i / ROWS) = sum + (T)i;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < COLUMNS; k++)
            sum += CELL(row, k) * CELL(column % ROWS, k);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[OUTSIDE] = sum;
}

// Each work-item processes one row, three elements at a time.
kernel void stencil_tile(global const T *in, global T *out, int n)
{
    local T tile[CELLS];
    const int id = ID;
    T sum = in[OUTSIDE];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = id; i < ELEMENTS; i += ITEMS)
            CELL(i / COLUMNS, i % COLUMNS) = sum + (T)i;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int row = id; row < ROWS; row += ITEMS)
            for (int k = 1; k + 1 < COLUMNS; k++)
                sum += CELL(row, k - 1) + CELL(row, k) * (T)2 + CELL(row, k + 1);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[OUTSIDE] = sum;
}

// The steps of a radix-4 transform, with strides 1, 4, 16, ...; elements after a step's last whole
// block stay unchanged.
kernel void fft_tile(global const T *in, global T *out, int n)
{
    local T tile[CELLS];
    const int id = ID;
    T sum = in[OUTSIDE];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = id; i < ELEMENTS; i += ITEMS)
            AT(i) = sum + (T)i;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int stride = 1; 4 * stride <= ELEMENTS; stride *= 4) {
            for (int i = id; i < ELEMENTS / (4 * stride) * stride; i += ITEMS) {
                const int first = i / stride * 4 * stride + i % stride;
                const T a = AT(first), b = AT(first + stride), c = AT(first + 2 * stride),
                        d = AT(first + 3 * stride);
                AT(first) = a + b + c + d;
                AT(first + stride) = a - b + c - d;
                AT(first + 2 * stride) = a + b - c - d;
                AT(first + 3 * stride) = a - b - c + d;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        sum += AT(id % ELEMENTS);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[OUTSIDE] = sum;
}

// Adds neighbours in pairs, then pairs of these sums, and so on.
kernel void reduction_tile(global const T *in, global T *out, int n)
{
    local T tile[CELLS];
    const int id = ID;
    T sum = in[OUTSIDE];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = id; i < ELEMENTS; i += ITEMS)
            AT(i) = sum + (T)i;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int stride = 1; 2 * stride <= ELEMENTS; stride *= 2) {
            for (int i = id; 2 * stride * i + stride < ELEMENTS; i += ITEMS)
                AT(2 * stride * i) += AT(2 * stride * i + stride);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        sum += AT(0);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[OUTSIDE] = sum;
}
