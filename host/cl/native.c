/* The server of native.h. */
#include "cl/native.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cl/cl_error.h"

enum { MAX_ARGUMENTS = 256, MAX_TEXT = 1 << 26 };

struct program {
    uint64_t number;
    cl_program built; /* NULL if it cannot be built */
    struct program *next;
};

struct serving {
    int connection;
    char *mapped;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    struct program *programs;
};

static bool receive(int connection, void *to, size_t bytes)
{
    char *at = to;
    while (bytes > 0) {
        const ssize_t got = recv(connection, at, bytes, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        bytes -= (size_t)got;
    }
    return true;
}

/* Receives a text; NULL if it is too long, memory runs out or the connection is closed. */
static char *receive_text(int connection, size_t bytes)
{
    char *text = bytes < MAX_TEXT ? calloc(bytes + 1, 1) : NULL;
    if (text && !receive(connection, text, bytes)) {
        free(text);
        return NULL;
    }
    return text;
}

static int receive_file(int connection)
{
    char byte, control[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof control};
    const ssize_t got = recvmsg(connection, &message, MSG_CMSG_CLOEXEC);
    const struct cmsghdr *header = got == 1 ? CMSG_FIRSTHDR(&message) : NULL;
    int file = -1;
    if (header && header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(sizeof file))
        memcpy(&file, CMSG_DATA(header), sizeof file);
    return file;
}

/* PoCL's CPU, or NULL. Other CPU implementations were not tried. */
static cl_device_id find_device(void)
{
    enum { MAX_PLATFORMS = 64 };
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint count = 0;
    if (clGetPlatformIDs(MAX_PLATFORMS, platforms, &count) != CL_SUCCESS)
        return NULL;
    for (cl_uint i = 0; i < count && i < MAX_PLATFORMS; i++) {
        char name[128] = "";
        cl_device_id device;
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
        if (strcmp(name, "Portable Computing Language") == 0 &&
            clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, NULL) == CL_SUCCESS)
            return device;
    }
    return NULL;
}

/* The program with this number, built first if the launch has its source. */
static cl_program program_of(struct serving *serving, uint64_t number, const char *source,
                             const char *options)
{
    struct program *program = serving->programs;
    while (program && program->number != number)
        program = program->next;
    if (program || !*source)
        return program ? program->built : NULL;
    program = calloc(1, sizeof *program);
    if (!program)
        return NULL;
    *program = (struct program){.number = number, .next = serving->programs};
    serving->programs = program;
    cl_program built = clCreateProgramWithSource(serving->context, 1, &source, NULL, NULL);
    if (built && clBuildProgram(built, 1, &serving->device, options, NULL, NULL) == CL_SUCCESS)
        program->built = built;
    return program->built;
}

/* Sets an argument. A buffer is used where it lies in the mapped file, so that the kernel's results
 * need not be copied. *buffer receives the buffer. */
static bool set_argument(struct serving *serving, cl_kernel kernel, cl_uint index,
                         const struct bl_native_argument *argument, cl_mem *buffer)
{
    static char value[1 << 16];
    const size_t bytes = argument->bytes;
    switch (argument->kind) {
    case BL_NATIVE_VALUE:
        return bytes <= sizeof value && receive(serving->connection, value, bytes) &&
               (!kernel || clSetKernelArg(kernel, index, bytes, value) == CL_SUCCESS);
    case BL_NATIVE_LOCAL:
        return !kernel || clSetKernelArg(kernel, index, bytes, NULL) == CL_SUCCESS;
    case BL_NATIVE_NULL:
        return !kernel || clSetKernelArg(kernel, index, sizeof(cl_mem), NULL) == CL_SUCCESS;
    default:
        if (argument->offset > BL_NATIVE_MAPPED || bytes > BL_NATIVE_MAPPED - argument->offset)
            return false;
        *buffer = clCreateBuffer(serving->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes,
                                 serving->mapped + argument->offset, NULL);
        return *buffer &&
               (!kernel || clSetKernelArg(kernel, index, sizeof(cl_mem), buffer) == CL_SUCCESS);
    }
}

static bool enqueue(const struct serving *serving, const struct bl_native_launch *launch,
                    cl_kernel kernel)
{
    size_t offset[3], global[3], local[3];
    for (unsigned i = 0; i < 3; i++)
        offset[i] = launch->offset[i], global[i] = launch->global[i], local[i] = launch->local[i];
    return clEnqueueNDRangeKernel(serving->queue, kernel, launch->dimensions, offset, global, local,
                                  0, NULL, NULL) == CL_SUCCESS &&
           clFinish(serving->queue) == CL_SUCCESS;
}

/* Makes the kernel's results visible in the mapped file, and releases the buffer. */
static bool give_back(const struct serving *serving, cl_mem buffer, size_t bytes)
{
    cl_int code = CL_SUCCESS;
    void *at = clEnqueueMapBuffer(serving->queue, buffer, CL_TRUE, CL_MAP_READ, 0, bytes, 0, NULL,
                                  NULL, &code);
    if (at)
        clEnqueueUnmapMemObject(serving->queue, buffer, at, 0, NULL, NULL);
    clFinish(serving->queue);
    clReleaseMemObject(buffer);
    return code == CL_SUCCESS;
}

/* Receives the arguments and runs the kernel. All arguments are received even if one cannot be set,
 * because another launch may follow. Returns false if the connection is closed. */
static bool run(struct serving *serving, const struct bl_native_launch *launch, cl_kernel kernel,
                enum bl_native_answer *answer)
{
    cl_mem buffers[MAX_ARGUMENTS] = {NULL};
    size_t bytes[MAX_ARGUMENTS];
    bool is_set = true, is_open = launch->arguments <= MAX_ARGUMENTS;
    for (cl_uint i = 0; i < launch->arguments && is_open; i++) {
        struct bl_native_argument argument;
        is_open = receive(serving->connection, &argument, sizeof argument);
        bytes[i] = argument.bytes;
        is_set = is_open &&
                 set_argument(serving, is_set ? kernel : NULL, i, &argument, &buffers[i]) && is_set;
    }
    bool is_done = is_open && is_set && kernel && enqueue(serving, launch, kernel);
    for (cl_uint i = 0; i < launch->arguments && i < MAX_ARGUMENTS; i++)
        is_done &= !buffers[i] || give_back(serving, buffers[i], bytes[i]);
    *answer = is_done ? BL_NATIVE_DONE : BL_NATIVE_FAILED;
    return is_open;
}

/* Receives a launch, runs it and answers. Returns false if no other launch can follow. */
static bool serve_launch(struct serving *serving)
{
    struct bl_native_launch launch;
    enum bl_native_answer answer = BL_NATIVE_FAILED;
    if (!receive(serving->connection, &launch, sizeof launch) || launch.dimensions < 1 ||
        launch.dimensions > 3)
        return false;
    alarm(BL_NATIVE_SECONDS); /* the signal ends the process */
    char *texts[] = {receive_text(serving->connection, launch.folder_bytes),
                     receive_text(serving->connection, launch.source_bytes),
                     receive_text(serving->connection, launch.options_bytes),
                     receive_text(serving->connection, launch.name_bytes)};
    bool is_open = texts[0] && texts[1] && texts[2] && texts[3];
    if (is_open) {
        const cl_program program =
            chdir(texts[0]) == 0 ? program_of(serving, launch.program, texts[1], texts[2]) : NULL;
        const cl_kernel kernel = program ? clCreateKernel(program, texts[3], NULL) : NULL;
        is_open = run(serving, &launch, kernel, &answer);
        if (kernel)
            clReleaseKernel(kernel);
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    alarm(0);
    const char byte = (char)answer;
    return is_open && send(serving->connection, &byte, 1, MSG_NOSIGNAL) == 1;
}

/* Serves a connection; runs in a process of its own. */
static void serve(int connection)
{
    struct serving serving = {.connection = connection};
    const int file = receive_file(connection);
    void *mapped = mmap(NULL, BL_NATIVE_MAPPED, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    serving.device = mapped != MAP_FAILED ? find_device() : NULL;
    if (!serving.device)
        return;
    serving.mapped = mapped;
    serving.context = clCreateContext(NULL, 1, &serving.device, NULL, NULL, NULL);
    if (!serving.context)
        return;
    serving.queue = clCreateCommandQueue(serving.context, serving.device, 0, NULL);
    while (serving.queue && serve_launch(&serving))
        ;
}

/* Whether the other end of the connection belongs to the same user. */
static bool is_ours(int connection)
{
    struct ucred peer;
    socklen_t bytes = sizeof peer;
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 &&
           peer.uid == geteuid();
}

int bl_native_serve(const char *descriptor)
{
    const int listener = atoi(descriptor);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGCHLD, SIG_IGN);
    /* One thread runs the groups one after another, so that the results of a kernel whose groups
     * race are the same every time. PoCL 5 renamed the variable. */
    setenv("POCL_MAX_PTHREAD_COUNT", "1", 1);
    setenv("POCL_CPU_MAX_CU_COUNT", "1", 1);
    unsetenv("OPENCL_LAYERS");
    for (;;) {
        const int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (connection < 0 && errno != EINTR)
            return 1;
        const pid_t server = getpid();
        if (connection >= 0 && is_ours(connection) && fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); /* a kernel may crash */
            signal(SIGCHLD, SIG_DFL); /* PoCL waits for a linker that it starts */
            if (getppid() == server)
                serve(connection);
            _exit(0);
        }
        if (connection >= 0)
            close(connection);
    }
}
