/* An ordinary OpenCL program for `bankline trace` to run. It launches a kernel and prints a sum of
 * the kernel's output.
 *
 * run_kernel FOLDER NAME [N [LAUNCHES [BUILD-OPTIONS [leak|null|ask]]]]: FOLDER has the source of
 * the kernel NAME; N is the number of elements along each dimension. NAME=OTHER: the kernel's name
 * in the source is OTHER. N/W: groups are W work-items wide. N/W/M: in addition, the kernel's
 * number argument is M instead of N. leak: does everything twice and releases no object. null:
 * leaves the group size to OpenCL. ask: queries the device and chooses the group size: 1 on a CPU,
 * else the largest one.
 *
 * run_kernel --time LOCK FOLDER NAME N LAUNCHES BUILD-OPTIONS... builds the kernel once with each
 * of these options, launches these builds alternately, and prints a line for each build with the
 * sum of its output and the times of its launches in ns. It locks the file LOCK during launches, so
 * that only one of several such processes uses the GPU at a time, while others build. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

enum argument { NONE, FLOATS, INTS, BYTES, FLOAT4S, BEGINS, COLUMNS, OUT, LOCAL, NUMBER, IMAGE };

struct kernel {
    const char *name, *file, *options;
    unsigned dimensions, n; /* number of dimensions; number of elements along each dimension */
    size_t local[2];
    size_t item_bytes; /* for each argument in local memory, its bytes per work-item */
    enum argument arguments[6];
};

static struct kernel kernels[] = {
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
    {"divided", "arrays", "", 1, 64, {32, 1}, 0, {INTS, OUT}},
    {"rounds", "arrays", "", 1, 64, {32, 1}, 0, {INTS, OUT}},
    {"computes", "arrays", "", 1, 64, {32, 1}, 0, {INTS, OUT}},
    {"exchanged", "arrays", "", 1, 64, {32, 1}, 0, {INTS, OUT, NUMBER}},
    {"work", "work", "", 1, 64, {32, 1}, 0, {INTS, OUT, NUMBER}},
    {"intrinsics", "intrinsics", "", 1, 64, {32, 1}, 0, {INTS, OUT, NUMBER}},
    {"tiled_product", "advice", "", 2, 64, {16, 16}, 0, {FLOATS, FLOATS, OUT, NUMBER}},
    {"swapped_ids", "advice", "", 2, 64, {16, 16}, 0, {FLOATS, OUT, NUMBER}},
    {"update_member", "advice", "", 1, 64, {32, 1}, 0, {OUT}},
    {"accumulate", "advice", "", 2, 32, {16, 16}, 0, {FLOATS, FLOATS, OUT, NUMBER}},
    {"scattered", "advice", "", 1, 64, {32, 1}, 0, {INTS, OUT}},
    {"between_barriers", "advice", "", 1, 64, {32, 1}, 0, {INTS, OUT}},
    {"transpose_tile", "tiles", "", 2, 32, {32, 8}, 0, {INTS, OUT, NUMBER}},
    {"transpose_square_tile", "tiles", "", 2, 32, {16, 16}, 0, {INTS, OUT, NUMBER}},
    {"product_tile", "tiles", "", 2, 32, {16, 16}, 0, {INTS, OUT, NUMBER}},
    {"stencil_tile", "tiles", "", 1, 128, {64, 1}, 0, {INTS, OUT, NUMBER}},
    {"fft_tile", "tiles", "", 1, 128, {64, 1}, 0, {INTS, OUT, NUMBER}},
    {"reduction_tile", "tiles", "", 1, 256, {128, 1}, 0, {INTS, OUT, NUMBER}},
    {"constant_table", "constants", "", 1, 64, {32, 1}, 0, {OUT, NUMBER}},
    {"atomic_words", "atomics", "", 1, 64, {32, 1}, 0, {OUT, NUMBER}},
    {"image", "arrays", "", 1, 64, {32, 1}, 0, {IMAGE, OUT}},
};

/* Mean number of elements per row of the sparse matrix; half of the rows have one more, the others
 * one less. */
enum { ROW_ELEMENTS = 5 };

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

static const char *called; /* the kernel's name in the source; NULL if it is `name` */

static unsigned next(unsigned *state) { return *state = *state * 1664525u + 1013904223u; }

/* The number of elements of each buffer. No kernel accesses more. */
static size_t elements_of(const struct kernel *kernel, unsigned n)
{
    const size_t items = kernel->dimensions == 2 ? (size_t)n * n : n;
    const size_t of_item = strcmp(kernel->name, "sparse_product") == 0 ? ROW_ELEMENTS + 1
                           : strcmp(kernel->file, "arrays") == 0       ? 64
                                                                       : 1;
    const size_t of_group = strcmp(kernel->file, "divergence") == 0 ? 4096 : kernel->local[0];
    return (items + of_group) * of_item;
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

/* Returns the first GPU or, if there is none, the first device. */
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

/* An image of 8 x 8 floats. */
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

/* What the command line asks for. */
struct job {
    const struct kernel *kernel;
    const char *folder, *lock; /* folder of the kernel; file to lock, NULL unless launches are
                                  timed */
    const char *const *options;
    int options_count, launches;
    int leaks, leaves_size, asks; /* whether the word leak, null or ask was given */
    unsigned n, number;           /* size of the problem; value of the kernel's NUMBER argument */
};

/* A kernel that was built with one of the job's options. All kernels use the same buffers. */
struct built {
    cl_program program;
    cl_kernel kernel;
    unsigned sum;
    unsigned long long *times_ns; /* time of each launch in ns */
};

struct session {
    const struct job *job;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    struct built *built; /* array of job->options_count */
    cl_mem buffers[6], out;
    size_t bytes;        /* size of each buffer */
    unsigned char *data; /* the output of one kernel */
};

static void build(const struct session *session, const char *text, const char *options,
                  struct built *built)
{
    cl_int status;
    built->program = clCreateProgramWithSource(session->context, 1, &text, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(built->program, 1, &session->device, options, NULL, NULL),
          "clBuildProgram");
    built->kernel =
        clCreateKernel(built->program, called ? called : session->job->kernel->name, &status);
    check(status, "clCreateKernel");
}

static void set_arguments(const struct session *session, cl_kernel made)
{
    const struct kernel *kernel = session->job->kernel;
    const size_t group = kernel->local[0] * kernel->local[1];
    for (cl_uint i = 0; i < 6 && kernel->arguments[i] != NONE; i++) {
        const enum argument argument = kernel->arguments[i];
        if (argument == NUMBER)
            check(clSetKernelArg(made, i, sizeof session->job->number, &session->job->number),
                  "clSetKernelArg");
        else if (argument == LOCAL)
            check(clSetKernelArg(made, i, kernel->item_bytes * group, NULL), "clSetKernelArg");
        else
            check(clSetKernelArg(made, i, sizeof(cl_mem), &session->buffers[i]), "clSetKernelArg");
    }
}

/* Creates the buffers and sets them as arguments of the kernels. */
static void make_buffers(struct session *session)
{
    const struct kernel *kernel = session->job->kernel;
    const size_t elements = elements_of(kernel, session->job->n), bytes = 16 * elements;
    unsigned char *data = calloc(1, bytes);
    cl_int status = CL_SUCCESS;
    for (cl_uint i = 0; data && i < 6 && kernel->arguments[i] != NONE; i++) {
        const enum argument argument = kernel->arguments[i];
        if (argument == NUMBER || argument == LOCAL)
            continue;
        memset(data, 0, bytes);
        if (argument != OUT)
            fill(data, argument, argument == FLOAT4S ? 4 * elements : elements, session->job->n);
        session->buffers[i] =
            argument == IMAGE
                ? image_of(session->context, data)
                : clCreateBuffer(session->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes,
                                 data, &status);
        check(status, "clCreateBuffer");
        if (argument == OUT)
            session->out = session->buffers[i];
    }
    session->bytes = bytes;
    session->data = data;
    for (int i = 0; i < session->job->options_count; i++)
        set_arguments(session, session->built[i].kernel);
}

/* Queries the device and chooses a group size, as libraries do: one work-item on a CPU, the largest
 * group on a GPU. */
static void ask(cl_device_id device, cl_kernel made, size_t *group)
{
    cl_device_type type = 0;
    cl_uint units = 0;
    check(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL),
          "clGetDeviceInfo");
    check(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL), "clGetDeviceInfo");
    check(clGetKernelWorkGroupInfo(made, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof *group, group,
                                   NULL),
          "clGetKernelWorkGroupInfo");
    if (type & CL_DEVICE_TYPE_CPU)
        *group = 1;
}

static void launch(const struct session *session, cl_kernel made, cl_event *event)
{
    const struct kernel *kernel = session->job->kernel;
    const unsigned n = session->job->n;
    /* A group of these kernels moves a square tile, so there are fewer rows of work-items than of
     * elements. */
    const int is_tiled = strcmp(kernel->name, "transpose_naive") != 0 &&
                         strcmp(kernel->file, "tiles") != 0 &&
                         (strstr(kernel->name, "transpose") || strstr(kernel->name, "row_sums"));
    const size_t rows = is_tiled ? n / kernel->local[0] * kernel->local[1] : n;
    const size_t global[2] = {(n + kernel->local[0] - 1) / kernel->local[0] * kernel->local[0],
                              kernel->dimensions == 2 ? rows : 1};
    size_t local[2] = {kernel->local[0], kernel->local[1]};
    if (session->job->asks)
        ask(session->device, made, &local[0]);
    check(clEnqueueNDRangeKernel(session->queue, made, kernel->dimensions, NULL, global,
                                 session->job->leaves_size ? NULL : local, 0, NULL, event),
          "clEnqueueNDRangeKernel");
}

static void read_output(const struct session *session)
{
    check(clEnqueueReadBuffer(session->queue, session->out, CL_TRUE, 0, session->bytes,
                              session->data, 0, NULL, NULL),
          "clEnqueueReadBuffer");
}

static unsigned sum_of(const struct session *session)
{
    unsigned sum = 0;
    for (size_t i = 0; i < session->bytes; i++)
        sum = sum * 31 + session->data[i];
    return sum;
}

/* Clears the output, launches each kernel once, and sums its output. An output that equals the
 * first kernel's is not summed again, because a sum takes longer than a launch, and other processes
 * wait for the GPU. */
static void sum_each(struct session *session)
{
    unsigned char *first = malloc(session->bytes);
    const unsigned zero = 0;
    for (int i = 0; first && i < session->job->options_count; i++) {
        check(clEnqueueFillBuffer(session->queue, session->out, &zero, sizeof zero, 0,
                                  session->bytes, 0, NULL, NULL),
              "clEnqueueFillBuffer");
        launch(session, session->built[i].kernel, NULL);
        read_output(session);
        if (i > 0 && memcmp(first, session->data, session->bytes) == 0) {
            session->built[i].sum = session->built[0].sum;
            continue;
        }
        session->built[i].sum = sum_of(session);
        if (i == 0)
            memcpy(first, session->data, session->bytes);
    }
    free(first);
}

/* Measures launches alternately. The host waits after each one, because a launch that is enqueued
 * behind another one takes less time. */
static void time_by_turns(struct session *session)
{
    const int count = session->job->options_count;
    for (int turn = 0; turn < session->job->launches; turn++) {
        for (int i = 0; i < count; i++) {
            cl_event event;
            cl_ulong begin, end;
            launch(session, session->built[i].kernel, &event);
            check(clFinish(session->queue), "clFinish");
            check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin,
                                          NULL),
                  "CL_PROFILING_COMMAND_START");
            check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL),
                  "CL_PROFILING_COMMAND_END");
            session->built[i].times_ns[turn] = end - begin;
            clReleaseEvent(event);
        }
    }
}

/* Holds the lock while this process uses the GPU. If several processes used the GPU at once, the
 * GPU would divide its time between them, and the time of a launch would include launches of other
 * processes. */
static void run_timed(struct session *session)
{
    const struct job *job = session->job;
    const int lock = open(job->lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock < 0 || flock(lock, LOCK_EX) != 0) {
        perror(job->lock);
        exit(1);
    }
    make_buffers(session);
    sum_each(session);
    time_by_turns(session);
    flock(lock, LOCK_UN);
    for (int i = 0; i < job->options_count; i++) {
        printf("%s: %08x", job->kernel->name, session->built[i].sum);
        for (int turn = 0; turn < job->launches; turn++)
            printf(" %llu", session->built[i].times_ns[turn]);
        puts("");
    }
}

static void release(const struct session *session)
{
    for (int i = 0; i < 6; i++)
        if (session->buffers[i])
            clReleaseMemObject(session->buffers[i]);
    for (int i = 0; i < session->job->options_count; i++) {
        clReleaseKernel(session->built[i].kernel);
        clReleaseProgram(session->built[i].program);
    }
    clReleaseCommandQueue(session->queue);
    clReleaseContext(session->context);
}

static void run(const struct job *job)
{
    cl_int status;
    struct session session = {.job = job, .device = choose_device()};
    session.context = clCreateContext(NULL, 1, &session.device, NULL, NULL, &status);
    check(status, "clCreateContext");
    session.queue = clCreateCommandQueue(session.context, session.device,
                                         job->lock ? CL_QUEUE_PROFILING_ENABLE : 0, &status);
    check(status, "clCreateCommandQueue");
    char *text = text_of(job->folder, job->kernel->file);
    session.built = calloc((size_t)job->options_count, sizeof *session.built);
    if (!session.built)
        exit(1);
    for (int i = 0; i < job->options_count; i++) {
        build(&session, text, job->options[i], &session.built[i]);
        session.built[i].times_ns = calloc((size_t)job->launches + 1, sizeof(unsigned long long));
        if (!session.built[i].times_ns)
            exit(1);
    }
    if (job->lock) {
        run_timed(&session);
    } else {
        make_buffers(&session);
        for (int i = 0; i < job->launches; i++)
            launch(&session, session.built[0].kernel, NULL);
        read_output(&session);
        printf("%s: %08x\n", job->kernel->name, sum_of(&session));
    }
    if (!job->leaks)
        release(&session);
    for (int i = 0; i < job->options_count; i++)
        free(session.built[i].times_ns);
    free(session.built);
    free(session.data);
    free(text);
}

static struct kernel *kernel_called(char *name)
{
    char *other = strchr(name, '=');
    if (other) {
        *other = '\0';
        called = other + 1;
    }
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strcmp(kernels[i].name, name) == 0)
            return &kernels[i];
    return NULL;
}

int main(int count, char **words)
{
    struct job job = {.launches = 1, .options_count = 1};
    if (count > 2 && strcmp(words[1], "--time") == 0) {
        job.lock = words[2];
        words += 2;
        count -= 2;
    }
    struct kernel *kernel = count > (job.lock ? 5 : 2) ? kernel_called(words[2]) : NULL;
    if (!kernel) {
        fputs("usage: run_kernel FOLDER NAME [N [LAUNCHES [BUILD-OPTIONS [leak|null|ask]]]]\n"
              "       run_kernel --time LOCK FOLDER NAME N LAUNCHES BUILD-OPTIONS...\n",
              stderr);
        return 2;
    }
    job.kernel = kernel;
    job.folder = words[1];
    job.n = job.number = kernel->n;
    unsigned width = (unsigned)kernel->local[0];
    if (count > 3 && sscanf(words[3], "%u/%u/%u", &job.n, &width, &job.number) < 3)
        job.number = job.n;
    kernel->local[0] = width;
    job.launches = count > 4 ? atoi(words[4]) : 1;
    job.options = count > 5 ? (const char *const *)&words[5] : &job.kernel->options;
    if (job.lock) {
        job.options_count = count - 5;
    } else {
        job.leaks = count > 6 && strcmp(words[6], "leak") == 0;
        job.leaves_size = count > 6 && strcmp(words[6], "null") == 0;
        job.asks = count > 6 && strcmp(words[6], "ask") == 0;
    }
    for (int times = 0; times <= job.leaks; times++)
        run(&job);
    return 0;
}
