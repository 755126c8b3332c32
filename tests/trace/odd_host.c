/* OpenCL programs with unusual behaviour: odd_host WHAT [FILE]. WHAT is one of these:
 *
 *  - closes FILE: closes the descriptors 3 to 1023, opens FILE under each of these numbers, and
 *    launches a kernel twice
 *  - aborts: launches two kernels; Oclgrind aborts the second, which reads a float image with an
 *    integer function
 *  - threads: runs four host threads at once, each with its own context; each launches a different
 *    kernel 20 times
 *  - names: launches kernels `scale` of two programs; the first program is also built with other
 *    options
 *  - forks: launches a kernel twice, and in between once in a child process with its own context
 *  - late: releases its OpenCL objects in an atexit handler, and checks that nothing else writes
 *    into its memory
 *  - queues: launches `fill` twice behind a large write, waits, and launches it three times more,
 *    waiting in different ways after each launch
 *  - computes: launches `fill`, then, after computing for 0.1 s and 3 ms, the same function of two
 *    other programs, then the first again
 *  - sizes: launches a kernel of OpenCL C 3.0 that uses 40 KiB of local memory, in groups of 32,
 *    then of 16
 *  - fills, copies: fills or copies a buffer on the device, and launches `fill` at once
 *  - sleeps: launches kernels after the host has copied or built something, each of another name
 *  - depends: launches a kernel that stores numbers, then, in groups of another size, a kernel that
 *    repeats a loop as often as they say, then a long kernel; prints how many groups of the latter
 *    ran
 *  - whole [WHAT]: launches a kernel whose arguments are of many kinds, then a kernel that counts
 *    how often the first stored the right number, and prints this. WHAT is what happens between:
 *    crashes (a kernel whose second group reads an address that does not exist), images (a kernel
 *    with an image), or resets (a kernel whose last group sets back what each group has increased);
 *    or closes (closes descriptors from standard output's on before the first launch, lets the
 *    second kernel print, and prints the result into the file whole.out)
 *
 * Exits with status 7 if all went well and the handling of SIGPIPE is unchanged. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

enum {
    ITEMS = 64,
    GROUP = 32,
    BYTES = 4096,
    WELL = 7,
    THREADS = 4,
    LAUNCHES = 20,
    WHOLE_FIRST = 64,
    WHOLE_ITEMS = 4096,
    LAST_DESCRIPTOR = 1024
};

struct host {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_mem buffer;
};

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "odd_host: %s: %d\n", what, status);
    exit(1);
}

static struct host open_host(void)
{
    struct host host;
    cl_platform_id platform;
    cl_int status;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &host.device, NULL), "clGetDeviceIDs");
    host.context = clCreateContext(NULL, 1, &host.device, NULL, NULL, &status);
    check(status, "clCreateContext");
    host.queue = clCreateCommandQueue(host.context, host.device, 0, &status);
    check(status, "clCreateCommandQueue");
    host.buffer = clCreateBuffer(host.context, CL_MEM_READ_WRITE, BYTES, NULL, &status);
    check(status, "clCreateBuffer");
    return host;
}

static void close_host(const struct host *host)
{
    clReleaseMemObject(host->buffer);
    clReleaseCommandQueue(host->queue);
    clReleaseContext(host->context);
}

static cl_kernel build(const struct host *host, const char *source, const char *options,
                       const char *name)
{
    cl_int status;
    cl_program program = clCreateProgramWithSource(host->context, 1, &source, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &host->device, options, NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, name, &status);
    check(status, "clCreateKernel");
    clReleaseProgram(program);
    return kernel;
}

/* Launches a kernel. buffer_at: index of the argument that takes the buffer. */
static void enqueue(const struct host *host, cl_kernel kernel, cl_uint buffer_at)
{
    const size_t items = ITEMS, group = GROUP;
    check(clSetKernelArg(kernel, buffer_at, sizeof host->buffer, &host->buffer), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(host->queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
}

/* Launches a kernel and waits. */
static void launch(const struct host *host, cl_kernel kernel, cl_uint buffer_at)
{
    enqueue(host, kernel, buffer_at);
    check(clFinish(host->queue), "clFinish");
}

static const char fill[] = "kernel void fill(global int *out)\n"
                           "{\n"
                           "    out[get_global_id(0)] = (int)get_global_id(0);\n"
                           "}\n";

static int close_descriptors(const char *path)
{
    enum { FIRST = 3, END = 1024 };
    for (int i = FIRST; i < END; i++)
        close(i);
    const int file = open(path, O_RDWR);
    for (int i = FIRST; file >= 0 && i < END; i++)
        if (i != file)
            dup2(file, i);
    const struct host host = open_host();
    cl_kernel kernel = build(&host, fill, "", "fill");
    launch(&host, kernel, 0);
    for (int i = FIRST; i < END; i++) /* overwrites the descriptors between the launches, too */
        dup2(file, i);
    launch(&host, kernel, 0);
    clReleaseKernel(kernel);
    close_host(&host);
    return WELL;
}

static int abort_launch(void)
{
    static const char source[] =
        "constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST;\n"
        "kernel void wrong(read_only image2d_t image, global int *out)\n"
        "{\n"
        "    int i = (int)get_global_id(0);\n"
        "    out[i] = 1;\n"
        "    out[i] = read_imagei(image, nearest, (int2)(i, 0)).x;\n"
        "}\n";
    const struct host host = open_host();
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    const cl_image_desc wanted = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = ITEMS, .image_height = 1};
    cl_int status;
    cl_mem image = clCreateImage(host.context, CL_MEM_READ_ONLY, &format, &wanted, NULL, &status);
    check(status, "clCreateImage");
    cl_kernel filling = build(&host, fill, "", "fill"), wrong = build(&host, source, "", "wrong");
    check(clSetKernelArg(wrong, 0, sizeof image, &image), "clSetKernelArg");
    launch(&host, filling, 0);
    launch(&host, wrong, 1);
    clReleaseMemObject(image);
    clReleaseKernel(filling);
    clReleaseKernel(wrong);
    close_host(&host);
    return WELL;
}

static pthread_barrier_t together;

static void *launch_own(void *number)
{
    char source[512];
    snprintf(source, sizeof source,
             "kernel void of_thread_%d(global int *out)\n"
             "{\n"
             "    out[get_global_id(0)] += %d;\n"
             "}\n",
             *(int *)number, *(int *)number);
    pthread_barrier_wait(&together);
    char name[32];
    snprintf(name, sizeof name, "of_thread_%d", *(int *)number);
    /* Oclgrind's compiler and its OpenCL objects may not be thread-safe. */
    static pthread_mutex_t building = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&building);
    const struct host host = open_host();
    cl_kernel kernel = build(&host, source, "", name);
    pthread_mutex_unlock(&building);
    pthread_barrier_wait(&together);
    for (int i = 0; i < LAUNCHES; i++)
        launch(&host, kernel, 0);
    pthread_barrier_wait(&together);
    pthread_mutex_lock(&building);
    clReleaseKernel(kernel);
    close_host(&host);
    pthread_mutex_unlock(&building);
    return NULL;
}

static int launch_in_threads(void)
{
    pthread_t threads[THREADS];
    int numbers[THREADS];
    pthread_barrier_init(&together, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        if (pthread_create(&threads[i], NULL, launch_own, &numbers[i]) != 0)
            return 1;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return WELL;
}

static int launch_namesakes(void)
{
    static const char once[] = "kernel void scale(global int *out)\n"
                               "{\n"
                               "    out[get_global_id(0) * STEP] *= 3;\n"
                               "}\n",
                      other[] = "// Another program.\n"
                                "kernel void scale(global int *out)\n"
                                "{\n"
                                "    out[get_global_id(0)] *= 5;\n"
                                "}\n";
    const struct host host = open_host();
    cl_kernel kernels[] = {build(&host, once, "-DSTEP=1", "scale"),
                           build(&host, other, "", "scale"),
                           build(&host, once, "-DSTEP=8", "scale")};
    for (int i = 0; i < 3; i++)
        for (int times = 0; times <= i; times++)
            launch(&host, kernels[i], 0);
    for (int i = 0; i < 3; i++)
        clReleaseKernel(kernels[i]);
    close_host(&host);
    return WELL;
}

static int compute_between_launches(void)
{
    const struct host host = open_host();
    cl_kernel kernels[] = {build(&host, fill, "", "fill"), build(&host, fill, "-DSECOND", "fill"),
                           build(&host, fill, "-DTHIRD", "fill")};
    static const clock_t clocks[] = {0, CLOCKS_PER_SEC / 10, CLOCKS_PER_SEC * 3 / 1000};
    for (int i = 0; i < 3; i++) {
        for (const clock_t begin = clock(); clock() - begin < clocks[i];)
            ;
        launch(&host, kernels[i], 0);
    }
    launch(&host, kernels[0], 0);
    for (int i = 0; i < 3; i++)
        clReleaseKernel(kernels[i]);
    close_host(&host);
    return WELL;
}

static void launch_once(void)
{
    const struct host host = open_host();
    cl_kernel kernel = build(&host, fill, "", "fill");
    launch(&host, kernel, 0);
    clReleaseKernel(kernel);
    close_host(&host);
}

static int launch_in_child(void)
{
    const struct host host = open_host();
    cl_kernel kernel = build(&host, fill, "", "fill");
    launch(&host, kernel, 0);
    const pid_t child = fork();
    if (child == 0) {
        launch_once();
        _exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    launch(&host, kernel, 0);
    clReleaseKernel(kernel);
    close_host(&host);
    return status == 0 ? WELL : 1;
}

static struct host late;
static cl_kernel late_kernel;

static void release_late(void)
{
    enum { BLOCKS = 16, BLOCK = 512, PATTERN = 0x5A }; /* Oclgrind frees one block of BLOCK bytes */
    unsigned char *blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = malloc(BLOCK);
        if (blocks[i])
            memset(blocks[i], PATTERN, BLOCK);
    }
    clReleaseKernel(late_kernel);
    close_host(&late);
    for (int i = 0; i < BLOCKS; i++)
        for (int k = 0; blocks[i] && k < BLOCK; k++)
            if (blocks[i][k] != PATTERN)
                _exit(1);
    for (int i = 0; i < BLOCKS; i++)
        free(blocks[i]);
}

static int release_at_exit(void)
{
    atexit(release_late);
    late = open_host();
    late_kernel = build(&late, fill, "", "fill");
    launch(&late, late_kernel, 0);
    return WELL;
}

static int launch_sizes(void)
{
    static const char source[] = "kernel void large(global int *out)\n"
                                 "{\n"
                                 "    local int tile[10240];\n"
                                 "    tile[get_local_id(0)] = 1;\n"
                                 "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                 "    out[get_global_id(0)] = tile[0];\n"
                                 "}\n";
    const struct host host = open_host();
    cl_kernel kernel = build(&host, source, "-cl-std=CL3.0", "large");
    launch(&host, kernel, 0);
    const size_t items = ITEMS, group = GROUP / 2;
    check(clEnqueueNDRangeKernel(host.queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clFinish(host.queue), "clFinish");
    clReleaseKernel(kernel);
    close_host(&host);
    return WELL;
}

static int launch_behind_command(bool copies)
{
    const struct host host = open_host();
    const cl_int zero = 0;
    cl_kernel kernel = build(&host, fill, "", "fill");
    check(copies ? clEnqueueCopyBuffer(host.queue, host.buffer, host.buffer, 0, BYTES / 2,
                                       BYTES / 2, 0, NULL, NULL)
                 : clEnqueueFillBuffer(host.queue, host.buffer, &zero, sizeof zero, 0, BYTES, 0,
                                       NULL, NULL),
          "clEnqueueCopyBuffer or clEnqueueFillBuffer");
    launch(&host, kernel, 0);
    clReleaseKernel(kernel);
    close_host(&host);
    return WELL;
}

static cl_mem create(const struct host *host, size_t bytes, void *data)
{
    cl_int status;
    cl_mem buffer =
        clCreateBuffer(host->context, data ? CL_MEM_COPY_HOST_PTR : 0, bytes, data, &status);
    check(status, "clCreateBuffer");
    return buffer;
}

static int launch_after_work_of_host(void)
{
    enum { LARGE = 32 << 20 };
    static const char *const names[] = {"first",   "again", "initial", "later",
                                        "written", "read",  "built"};
    char source[1024] = "";
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        sprintf(source + strlen(source),
                "kernel void %s(global int *out) { out[get_global_id(0)] = 1; }\n", names[i]);
    static char data[LARGE];
    struct host host = open_host();
    cl_mem buffers[] = {host.buffer, create(&host, LARGE, data)};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        static cl_kernel kernels[sizeof names / sizeof *names];
        for (unsigned j = 0; i == 0 && j < sizeof names / sizeof *names; j++)
            kernels[j] = build(&host, source, "", names[j]);
        host.buffer = buffers[*names[i] == 'i' || *names[i] == 'l'];
        if (*names[i] == 'w')
            check(clEnqueueWriteBuffer(host.queue, buffers[1], CL_TRUE, 0, LARGE, data, 0, NULL,
                                       NULL),
                  "clEnqueueWriteBuffer");
        if (*names[i] == 'r')
            check(
                clEnqueueReadBuffer(host.queue, buffers[1], CL_TRUE, 0, LARGE, data, 0, NULL, NULL),
                "clEnqueueReadBuffer");
        if (*names[i] == 'b')
            clReleaseKernel(build(&host, fill, "", "fill"));
        launch(&host, kernels[i], 0);
    }
    return WELL;
}

static int launch_dependent(void)
{
    enum { ROWS = 64, COLUMNS = 512, ITERATIONS = 200, LONG_GROUP = 256 };
    static const char source[] =
        "kernel void produce(global int *number)\n"
        "{\n"
        "    number[get_global_id(1) * get_global_size(0) + get_global_id(0)] = 5;\n"
        "}\n"
        "kernel void consume(global int *number)\n"
        "{\n"
        "    const size_t at = get_global_id(1) * get_global_size(0) + get_global_id(0);\n"
        "    for (int i = number[at]; i > 0; i--)\n"
        "        number[at] = i;\n"
        "}\n"
        "kernel void count(global int *number)\n"
        "{\n"
        "    int sum = 0;\n"
        "    for (int i = 0; i < ITERATIONS; i++)\n"
        "        sum += number[i] & 1;\n"
        "    number[get_global_id(0)] = sum | 1 << 30;\n"
        "}\n";
    static const size_t sizes[][2] = {{COLUMNS, ROWS}, {COLUMNS, ROWS}, {COLUMNS * ROWS, 1}},
                        groups[][2] = {{64, 2}, {16, 4}, {LONG_GROUP, 1}};
    static const char *const names[] = {"produce", "consume", "count"};
    static int numbers[ROWS * COLUMNS];
    struct host host = open_host();
    clReleaseMemObject(host.buffer);
    cl_int status;
    host.buffer = clCreateBuffer(host.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                 sizeof numbers, numbers, &status);
    check(status, "clCreateBuffer");
    char option[32];
    snprintf(option, sizeof option, "-DITERATIONS=%d", ITERATIONS);
    for (int i = 0; i < 3; i++) {
        cl_kernel kernel = build(&host, source, option, names[i]);
        check(clSetKernelArg(kernel, 0, sizeof host.buffer, &host.buffer), "clSetKernelArg");
        check(
            clEnqueueNDRangeKernel(host.queue, kernel, 2, NULL, sizes[i], groups[i], 0, NULL, NULL),
            "clEnqueueNDRangeKernel");
        clReleaseKernel(kernel);
    }
    check(clEnqueueReadBuffer(host.queue, host.buffer, CL_TRUE, 0, sizeof numbers, numbers, 0, NULL,
                              NULL),
          "clEnqueueReadBuffer");
    int ran = 0;
    for (int i = 0; i < ROWS * COLUMNS; i += LONG_GROUP)
        ran += numbers[i] >> 30;
    printf("%d of %d groups of count ran\n", ran, ROWS * COLUMNS / LONG_GROUP);
    close_host(&host);
    return WELL;
}

static void enqueue_whole(const struct host *host, cl_kernel kernel)
{
    const size_t items = WHOLE_ITEMS, first = WHOLE_FIRST, group = GROUP;
    check(clEnqueueNDRangeKernel(host->queue, kernel, 1, &first, &items, &group, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clFinish(host->queue), "clFinish");
}

static void enqueue_between(const struct host *host, cl_kernel kernel, bool has_image)
{
    static const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    static const cl_image_desc size = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    cl_int status;
    cl_mem image = clCreateImage(host->context, CL_MEM_READ_ONLY, &format, &size, NULL, &status);
    check(status, "clCreateImage");
    check(clSetKernelArg(kernel, 0, sizeof host->buffer, &host->buffer), "clSetKernelArg");
    if (has_image)
        check(clSetKernelArg(kernel, 1, sizeof image, &image), "clSetKernelArg");
    enqueue_whole(host, kernel);
    clReleaseMemObject(image);
}

static void check_resets(const struct host *host, cl_kernel kernel)
{
    const cl_int none = 0;
    cl_int left = -1;
    check(clEnqueueFillBuffer(host->queue, host->buffer, &none, sizeof none, 0, sizeof none, 0,
                              NULL, NULL),
          "clEnqueueFillBuffer");
    enqueue_between(host, kernel, false);
    check(clEnqueueReadBuffer(host->queue, host->buffer, CL_TRUE, 0, sizeof left, &left, 0, NULL,
                              NULL),
          "clEnqueueReadBuffer");
    printf("%d is left\n", left);
}

/* Launches kernels of so many groups that --quick leaves some out. */
static int launch_whole(const char *between)
{
    static const char source[] =
        "typedef struct { int one, two[3]; } numbers;\n"
        "constant int four[] = {40, 41, 42, 43};\n"
        "kernel void store(global int *out, numbers of, float3 five, uchar six, global int *none)\n"
        "{\n"
        "    const size_t at = get_global_id(0);\n"
        "    out[at] = at + of.two[2] + four[at % 4] + (int)five.z + six + (none != 0);\n"
        "}\n"
        "kernel void count(global const int *in, local int *right, global int *sum)\n"
        "{\n"
        "    const size_t at = get_global_id(0), item = get_local_id(0);\n"
        "#ifdef PRINTS\n"
        "    printf(\"work-item %d prints more text than the buffer of standard output; \"\n"
        "           \"PoCL's files must not take the number of its descriptor\\n\", (int)at);\n"
        "#endif\n"
        "    right[item] = in[at] == at + 30 + 40 + at % 4 + 50 + 60;\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    for (int i = 0; item == 0 && i < get_local_size(0); i++)\n"
        "        atomic_add(sum, right[i]);\n"
        "}\n"
        "kernel void resets(global int *out)\n"
        "{\n"
        "    const size_t last = get_num_groups(0) - 1;\n"
        "    if (get_local_id(0) == 0 && atomic_inc(&out[0]) == last)\n"
        "        out[0] = 0;\n"
        "}\n"
        "kernel void crashes(global int *out)\n"
        "{\n"
        "    if (get_group_id(0) == 1)\n"
        "        out[0] = *(volatile global int *)(out[0] + 8);\n"
        "}\n"
        "kernel void images(global int *out, read_only image2d_t image)\n"
        "{\n"
        "    if (get_group_id(0) == 1)\n"
        "        out[0] = get_image_width(image);\n"
        "}\n";
    static const struct {
        cl_int one, two[3];
    } of = {10, {0, 0, 30}};
    static const cl_float3 five = {{0, 0, 50}};
    static const cl_uchar six = 60;
    static const cl_int zeros[BYTES / sizeof(cl_int)];
    struct host host = open_host();
    cl_mem out = create(&host, (WHOLE_FIRST + WHOLE_ITEMS) * sizeof(cl_int), NULL),
           sums = host.buffer;
    cl_int status, sum = 0;
    const cl_buffer_region part = {BYTES / 2, sizeof sum};
    cl_mem last = clCreateSubBuffer(sums, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &status);
    check(status, "clCreateSubBuffer");
    check(clEnqueueWriteBuffer(host.queue, sums, CL_TRUE, 0, BYTES, zeros, 0, NULL, NULL),
          "clEnqueueWriteBuffer");
    const bool closes = strcmp(between, "closes") == 0;
    cl_kernel store = build(&host, source, "", "store"),
              count = build(&host, source, closes ? "-DPRINTS" : "", "count");
    check(clSetKernelArg(store, 0, sizeof out, &out) | clSetKernelArg(store, 1, sizeof of, &of) |
              clSetKernelArg(store, 2, sizeof five, &five) |
              clSetKernelArg(store, 3, sizeof six, &six) |
              clSetKernelArg(store, 4, sizeof out, NULL),
          "clSetKernelArg");
    check(clSetKernelArg(count, 0, sizeof out, &out) |
              clSetKernelArg(count, 1, GROUP * sizeof(cl_int), NULL) |
              clSetKernelArg(count, 2, sizeof last, &last),
          "clSetKernelArg");
    for (int i = STDOUT_FILENO; closes && i < LAST_DESCRIPTOR; i++)
        close(i);
    enqueue_whole(&host, store);
    host.buffer = out;
    if (strcmp(between, "resets") == 0) {
        check_resets(&host, build(&host, source, "", between));
        enqueue_whole(&host, store);
    } else if (*between && !closes) {
        enqueue_between(&host, build(&host, source, "", between), *between == 'i');
        enqueue_whole(&host, store);
    }
    enqueue_whole(&host, count);
    check(clEnqueueReadBuffer(host.queue, last, CL_TRUE, 0, sizeof sum, &sum, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    if (closes && !freopen("whole.out", "w", stdout))
        return 0;
    printf("%d of %d numbers are right\n", sum, WHOLE_ITEMS);
    clReleaseMemObject(last);
    clReleaseMemObject(sums);
    close_host(&host);
    return WELL;
}

static void wait_by_asking(const struct host *host)
{
    cl_event ended;
    cl_int status = CL_QUEUED;
    check(clEnqueueMarkerWithWaitList(host->queue, 0, NULL, &ended), "clEnqueueMarkerWithWaitList");
    check(clFlush(host->queue), "clFlush");
    while (status != CL_COMPLETE)
        check(
            clGetEventInfo(ended, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
            "clGetEventInfo");
    clReleaseEvent(ended);
}

static int launch_behind_write(void)
{
    static char data[1 << 23]; /* large enough for the device to be busy for a while */
    const struct host host = open_host();
    cl_int status;
    cl_mem large = clCreateBuffer(host.context, CL_MEM_READ_WRITE, sizeof data, NULL, &status);
    check(status, "clCreateBuffer");
    cl_kernel kernel = build(&host, fill, "", "fill");
    cl_event ended;
    check(clEnqueueWriteBuffer(host.queue, large, CL_FALSE, 0, sizeof data, data, 0, NULL, NULL),
          "clEnqueueWriteBuffer");
    enqueue(&host, kernel, 0);
    check(clFlush(host.queue), "clFlush"); /* does not wait */
    enqueue(&host, kernel, 0);
    check(clEnqueueMarkerWithWaitList(host.queue, 0, NULL, &ended), "clEnqueueMarkerWithWaitList");
    check(clWaitForEvents(1, &ended), "clWaitForEvents");
    enqueue(&host, kernel, 0);
    check(clEnqueueWriteBuffer(host.queue, large, CL_FALSE, 0, sizeof data, data, 0, NULL, NULL),
          "clEnqueueWriteBuffer");
    wait_by_asking(&host);
    enqueue(&host, kernel, 0);
    check(clEnqueueReadBuffer(host.queue, large, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    launch(&host, kernel, 0);
    clReleaseEvent(ended);
    clReleaseKernel(kernel);
    clReleaseMemObject(large);
    close_host(&host);
    return WELL;
}

int main(int count, char **words)
{
    const char *what = count > 1 ? words[1] : "";
    int ended = 0;
    signal(SIGPIPE, SIG_DFL);
    if (strcmp(what, "closes") == 0 && count > 2)
        ended = close_descriptors(words[2]);
    else if (strcmp(what, "aborts") == 0)
        ended = abort_launch();
    else if (strcmp(what, "threads") == 0)
        ended = launch_in_threads();
    else if (strcmp(what, "names") == 0)
        ended = launch_namesakes();
    else if (strcmp(what, "forks") == 0)
        ended = launch_in_child();
    else if (strcmp(what, "late") == 0)
        ended = release_at_exit();
    else if (strcmp(what, "queues") == 0)
        ended = launch_behind_write();
    else if (strcmp(what, "computes") == 0)
        ended = compute_between_launches();
    else if (strcmp(what, "sizes") == 0)
        ended = launch_sizes();
    else if (strcmp(what, "fills") == 0 || strcmp(what, "copies") == 0)
        ended = launch_behind_command(*what == 'c');
    else if (strcmp(what, "sleeps") == 0)
        ended = launch_after_work_of_host();
    else if (strcmp(what, "depends") == 0)
        ended = launch_dependent();
    else if (strcmp(what, "whole") == 0)
        ended = launch_whole(count > 2 ? words[2] : "");
    if (ended)
        return signal(SIGPIPE, SIG_DFL) == SIG_DFL ? ended : 1;
    fputs("usage: odd_host closes FILE | aborts | threads | names | forks | late | queues | "
          "computes | sizes | fills | copies | sleeps | depends | whole [WHAT]\n",
          stderr);
    return 2;
}
