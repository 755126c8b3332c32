/* Runs one of the kernels beside it: run_kernel FOLDER NAME [N [LAUNCHES [BUILD-OPTIONS]]]. An
 * OpenCL program as others write them, for `bankline trace`; it prints a sum of what the kernel
 * computed. NAME=OTHER: the source calls the kernel OTHER. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

enum argument { NONE, FLOATS, INTS, BYTES, FLOAT4S, BEGINS, COLUMNS, OUT, LOCAL, NUMBER, IMAGE };

struct kernel {
    const char *name, *file, *options;
    unsigned dimensions, n; /* n: elements along each dimension */
    size_t local[2];
    size_t item_bytes; /* of each argument in local memory, for each work-item */
    enum argument arguments[6];
};

static const struct kernel kernels[] = {
    {"transpose_naive", "transpose_naive", "", 2, 64, {32, 8}, 0, {FLOATS, OUT, NUMBER}},
    {"transpose_tiled", "transpose_tiled", "", 2, 64, {32, 8}, 0, {FLOATS, OUT, NUMBER}},
    {"transpose_padded", "transpose_padded", "", 2, 64, {32, 8}, 0, {FLOATS, OUT, NUMBER}},
    {"matrix_product", "matrix_product", "", 2, 32, {16, 16}, 0, {FLOATS, FLOATS, OUT, NUMBER}},
    {"stencil", "stencil", "", 2, 64, {16, 16}, 0, {FLOATS, OUT, NUMBER}},
    {"histogram", "histogram", "", 1, 4096, {128, 1}, 0, {BYTES, OUT, NUMBER}},
    {"reduction", "reduction", "", 1, 1024, {128, 1}, 4, {FLOATS, OUT, LOCAL}},
    {"sparse_product",
     "sparse_product",
     "",
     1,
     500,
     {64, 1},
     0,
     {BEGINS, COLUMNS, FLOATS, FLOATS, OUT, NUMBER}},
    {"scan", "scan", "", 1, 1024, {128, 1}, 8, {INTS, OUT, LOCAL}},
    {"n_body", "n_body", "", 1, 256, {64, 1}, 16, {FLOAT4S, OUT, LOCAL, NUMBER}},
    {"complex_transpose", "complex_transpose", "", 2, 64, {32, 8}, 0, {FLOATS, OUT, NUMBER}},
    {"row_sums", "row_sums", "", 2, 64, {32, 8}, 0, {FLOATS, OUT, NUMBER}},
    {"wave", "divergence", "", 1, 64, {32, 1}, 0, {INTS, OUT}},
    {"nested", "divergence", "", 1, 64, {32, 1}, 0, {INTS, OUT}},
    {"early_return", "divergence", "", 1, 64, {32, 1}, 0, {INTS, OUT}},
    {"break_and_continue", "divergence", "", 1, 64, {32, 1}, 0, {INTS, OUT}},
    {"choices", "divergence", "", 1, 64, {32, 1}, 0, {INTS, OUT}},
    {"short_circuit", "divergence", "", 1, 64, {32, 1}, 0, {INTS, OUT}},
    {"calls", "divergence", "", 1, 64, {32, 1}, 0, {INTS, OUT}},
    {"two_arrays", "arrays", "", 1, 64, {32, 1}, 0, {INTS, INTS, OUT}},
    {"inlined", "arrays", "", 1, 64, {32, 1}, 0, {INTS, OUT}},
    {"gather", "arrays", "", 1, 64, {32, 1}, 0, {INTS, OUT}},
    {"prints", "arrays", "", 1, 64, {32, 1}, 0, {INTS, OUT}},
    {"read_twice", "arrays", "", 1, 64, {32, 1}, 0, {INTS, OUT}},
    {"gather_local", "arrays", "", 1, 64, {32, 1}, 0, {INTS, OUT}},
    {"tiled_product", "advice", "", 2, 64, {16, 16}, 0, {FLOATS, FLOATS, OUT, NUMBER}},
    {"swapped_ids", "advice", "", 2, 64, {16, 16}, 0, {FLOATS, OUT, NUMBER}},
    {"update_member", "advice", "", 1, 64, {32, 1}, 0, {OUT}},
    {"accumulate", "advice", "", 2, 32, {16, 16}, 0, {FLOATS, FLOATS, OUT, NUMBER}},
    {"scattered", "advice", "", 1, 64, {32, 1}, 0, {INTS, OUT}},
    {"between_barriers", "advice", "", 1, 64, {32, 1}, 0, {INTS, OUT}},
    {"image", "arrays", "", 1, 64, {32, 1}, 0, {IMAGE, OUT}},
};

enum { ROW_ELEMENTS = 5 }; /* of the sparse matrix, one more or less */

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "run_kernel: %s: %d\n", what, status);
    exit(1);
}

static char *text_of(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.cl", folder, name);
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(1);
    }
    char *text = calloc(1, 65536);
    if (!text || fread(text, 1, 65535, file) == 0)
        exit(1);
    fclose(file);
    return text;
}

static const char *called; /* the kernel's name in the source, if it has another */

static unsigned next(unsigned *state) { return *state = *state * 1664525u + 1013904223u; }

/* Elements that no argument goes beyond, and what is in them. */
static size_t elements_of(const struct kernel *kernel, unsigned n)
{
    const size_t items = kernel->dimensions == 2 ? (size_t)n * n : n;
    const size_t of_item =
        strcmp(kernel->name, "sparse_product") == 0 ? ROW_ELEMENTS + 1
        : strcmp(kernel->file, "divergence") == 0 || strcmp(kernel->file, "arrays") == 0 ? 64
                                                                                         : 1;
    return (items + kernel->local[0]) * of_item;
}

static void fill(unsigned char *data, enum argument argument, size_t count, unsigned n)
{
    unsigned state = 1;
    for (size_t i = 0; i < count; i++) {
        const unsigned random = next(&state) >> 8;
        const float real = (float)(random % 1000) / 1000;
        int whole = (int)(random % 100);
        switch (argument) {
        case BEGINS:
            whole = (int)(i * ROW_ELEMENTS + i % 2);
            break;
        case COLUMNS:
            whole = (int)(random % n);
            break;
        case BYTES:
            data[i] = (unsigned char)random;
            continue;
        case INTS:
            break;
        default:
            memcpy(data + 4 * i, &real, 4);
            continue;
        }
        memcpy(data + 4 * i, &whole, 4);
    }
}

/* The first GPU, else the first device. */
static cl_device_id choose_device(void)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    cl_device_id device = NULL;
    check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
    for (cl_uint i = 0; i < count && i < 16 && !device; i++)
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_GPU, 1, &device, NULL) != CL_SUCCESS)
            device = NULL;
    if (!device)
        check(clGetDeviceIDs(platforms[0], CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    return device;
}

/* 8 x 8 floats. */
static cl_mem image_of(cl_context context, void *data)
{
    cl_int status;
    const cl_image_format format = {CL_R, CL_FLOAT};
    const cl_image_desc about = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
    cl_mem image = clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &about,
                                 data, &status);
    check(status, "clCreateImage");
    return image;
}

static void run(const char *folder, const struct kernel *kernel, unsigned n, int launches,
                const char *options, int leaks, int leaves_size)
{
    cl_int status;
    const cl_device_id device = choose_device();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    char *text = text_of(folder, kernel->file);
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, options, NULL, NULL), "clBuildProgram");
    cl_kernel made = clCreateKernel(program, called ? called : kernel->name, &status);
    check(status, "clCreateKernel");

    const size_t elements = elements_of(kernel, n), bytes = 16 * elements;
    unsigned char *data = calloc(1, bytes);
    cl_mem buffers[6] = {NULL}, out = NULL;
    const size_t group = kernel->local[0] * kernel->local[1];
    for (cl_uint i = 0; data && i < 6 && kernel->arguments[i] != NONE; i++) {
        const enum argument argument = kernel->arguments[i];
        if (argument == NUMBER) {
            check(clSetKernelArg(made, i, sizeof n, &n), "clSetKernelArg");
        } else if (argument == LOCAL) {
            check(clSetKernelArg(made, i, kernel->item_bytes * group, NULL), "clSetKernelArg");
        } else {
            memset(data, 0, bytes);
            if (argument != OUT)
                fill(data, argument, argument == FLOAT4S ? 4 * elements : elements, n);
            buffers[i] = argument == IMAGE
                             ? image_of(context, data)
                             : clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                              bytes, data, &status);
            check(status, "clCreateBuffer");
            if (argument == OUT)
                out = buffers[i];
            check(clSetKernelArg(made, i, sizeof buffers[i], &buffers[i]), "clSetKernelArg");
        }
    }
    /* What a kernel with a tile of its own needs: as many rows of groups as tiles. */
    const int is_tiled = strcmp(kernel->name, "transpose_naive") != 0 &&
                         (strstr(kernel->name, "transpose") || strstr(kernel->name, "row_sums"));
    const size_t rows = is_tiled ? n / kernel->local[0] * kernel->local[1] : n;
    const size_t global[2] = {(n + kernel->local[0] - 1) / kernel->local[0] * kernel->local[0],
                              kernel->dimensions == 2 ? rows : 1};
    for (int launch = 0; launch < launches; launch++)
        check(clEnqueueNDRangeKernel(queue, made, kernel->dimensions, NULL, global,
                                     leaves_size ? NULL : kernel->local, 0, NULL, NULL),
              "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, bytes, data, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    unsigned sum = 0;
    for (size_t i = 0; i < bytes; i++)
        sum = sum * 31 + data[i];
    printf("%s: %08x\n", kernel->name, sum);
    free(text);
    free(data);
    if (leaks)
        return;
    for (int i = 0; i < 6; i++)
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
    clReleaseKernel(made);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}

int main(int count, char **words)
{
    const struct kernel *kernel = NULL;
    char *other = count > 2 ? strchr(words[2], '=') : NULL;
    if (other) {
        *other = '\0';
        called = other + 1;
    }
    for (size_t i = 0; count > 2 && i < sizeof kernels / sizeof *kernels; i++)
        if (strcmp(kernels[i].name, words[2]) == 0)
            kernel = &kernels[i];
    if (!kernel) {
        fputs("usage: run_kernel FOLDER NAME [N [LAUNCHES [BUILD-OPTIONS]]]\n", stderr);
        return 2;
    }
    const unsigned n = count > 3 ? (unsigned)atoi(words[3]) : kernel->n;
    const int launches = count > 4 ? atoi(words[4]) : 1;
    const char *options = count > 5 ? words[5] : kernel->options;
    const int leaks = count > 6 && strcmp(words[6], "leak") == 0;
    const int leaves_size = count > 6 && strcmp(words[6], "null") == 0;
    for (int times = 0; times <= leaks; times++)
        run(words[1], kernel, n, launches, options, leaks, leaves_size);
    return 0;
}
