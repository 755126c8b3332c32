/* The server of native.h. */
#include "cl/native.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/coverage.h"
#include "cl/cl_error.h"
#include "cl/device.h"

enum { MAX_ARGUMENTS = 256, MAX_TEXT = 1 << 26 };

struct program {
    uint64_t number;
    cl_program built; /* NULL if it cannot be built */
    struct program *next;
};

/* The files of a launch. work: the first file; changes to it stay in this process. before: the
 * same, unchanged. after: the second file. */
struct files {
    char *work, *after;
    const char *before;
    size_t bytes;
};

struct serving {
    int connection;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    struct program *programs;
    struct files files;
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

/* Receives a byte with two descriptors. */
static bool receive_files(int connection, int files[2])
{
    char byte;
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))] = {0};
    struct iovec data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof control};
    const ssize_t got = recvmsg(connection, &message, MSG_CMSG_CLOEXEC);
    const struct cmsghdr *header = got == 1 ? CMSG_FIRSTHDR(&message) : NULL;
    if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS ||
        header->cmsg_len != CMSG_LEN(2 * sizeof(int)))
        return false;
    memcpy(files, CMSG_DATA(header), 2 * sizeof(int));
    return true;
}

static size_t bytes_of_bits(size_t bytes) { return (bytes / BL_NATIVE_PAGE + 7) / 8; }

static char *map(int file, size_t bytes, bool is_written, bool is_private)
{
    void *at = mmap(NULL, bytes, PROT_READ | (is_written ? PROT_WRITE : 0),
                    is_private ? MAP_PRIVATE : MAP_SHARED, file, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* Maps the files and closes their descriptors. */
static bool map_files(struct files *files, const int descriptors[2], size_t bytes)
{
    *files = (struct files){.bytes = bytes};
    if (bytes > 0) {
        files->work = map(descriptors[0], bytes, true, true);
        files->before = map(descriptors[0], bytes, false, false);
        files->after = map(descriptors[1], bytes + bytes_of_bits(bytes), true, false);
    }
    close(descriptors[0]);
    close(descriptors[1]);
    return bytes == 0 || (files->work && files->before && files->after);
}

static void unmap_files(struct files *files)
{
    if (files->work)
        munmap(files->work, files->bytes);
    if (files->before)
        munmap((void *)files->before, files->bytes);
    if (files->after)
        munmap(files->after, files->bytes + bytes_of_bits(files->bytes));
    *files = (struct files){0};
}

/* Writes the pages of a buffer that the kernel has changed to the second file. */
static void write_changed_pages(const struct files *files, size_t offset, size_t bytes)
{
    for (size_t page = offset / BL_NATIVE_PAGE; page * BL_NATIVE_PAGE < offset + bytes; page++) {
        const size_t at = page * BL_NATIVE_PAGE;
        if (memcmp(files->work + at, files->before + at, BL_NATIVE_PAGE) == 0)
            continue;
        memcpy(files->after + at, files->work + at, BL_NATIVE_PAGE);
        files->after[files->bytes + page / 8] |= (char)(1 << page % 8);
    }
}

/* PoCL's CPU, or NULL. Other CPU implementations were not tried. */
static cl_device_id find_device(void)
{
    struct bl_device *devices;
    struct bl_error error;
    size_t count;
    cl_device_id found = NULL;
    bl_devices_list(&devices, &count, &error);
    for (size_t i = 0; i < count && !found; i++)
        if (devices[i].type == BL_DEVICE_CPU &&
            strcmp(devices[i].platform_name, "Portable Computing Language") == 0)
            found = devices[i].id;
    free(devices);
    return found;
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

/* Receives a value of any size, and sets it if there is a kernel. */
static bool set_value(const struct serving *serving, cl_kernel kernel, cl_uint index, size_t bytes)
{
    char *value = receive_text(serving->connection, bytes);
    const bool is_set =
        value && (!kernel || clSetKernelArg(kernel, index, bytes, value) == CL_SUCCESS);
    free(value);
    return is_set;
}

/* Sets an argument, if there is a kernel. A buffer is used where it lies in the mapped file.
 * *buffer receives the buffer. */
static bool set_argument(const struct serving *serving, cl_kernel kernel, cl_uint index,
                         const struct bl_native_argument *argument, cl_mem *buffer)
{
    const size_t bytes = argument->bytes, all = serving->files.bytes;
    if (argument->kind == BL_NATIVE_VALUE)
        return set_value(serving, kernel, index, bytes);
    if (!kernel)
        return true;
    if (argument->kind == BL_NATIVE_LOCAL)
        return clSetKernelArg(kernel, index, bytes, NULL) == CL_SUCCESS;
    if (argument->kind == BL_NATIVE_NULL)
        return clSetKernelArg(kernel, index, sizeof(cl_mem), NULL) == CL_SUCCESS;
    if (argument->offset > all || bytes > all - argument->offset)
        return false;
    *buffer = clCreateBuffer(serving->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes,
                             serving->files.work + argument->offset, NULL);
    return *buffer && clSetKernelArg(kernel, index, sizeof(cl_mem), buffer) == CL_SUCCESS;
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
static bool release_buffer(const struct serving *serving, cl_mem buffer, size_t bytes)
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
static bool run(const struct serving *serving, const struct bl_native_launch *launch,
                cl_kernel kernel, enum bl_native_answer *answer)
{
    cl_mem buffers[MAX_ARGUMENTS] = {NULL};
    struct bl_native_argument arguments[MAX_ARGUMENTS];
    bool is_set = kernel != NULL, is_open = launch->arguments <= MAX_ARGUMENTS;
    for (cl_uint i = 0; i < launch->arguments && is_open; i++) {
        is_open = receive(serving->connection, &arguments[i], sizeof arguments[i]);
        is_set = is_open &&
                 set_argument(serving, is_set ? kernel : NULL, i, &arguments[i], &buffers[i]) &&
                 is_set;
    }
    bool is_done = is_open && is_set && enqueue(serving, launch, kernel);
    for (cl_uint i = 0; i < launch->arguments && i < MAX_ARGUMENTS; i++)
        is_done &= !buffers[i] || release_buffer(serving, buffers[i], arguments[i].bytes);
    for (cl_uint i = 0; is_done && i < launch->arguments; i++)
        if (buffers[i])
            write_changed_pages(&serving->files, arguments[i].offset, arguments[i].bytes);
    *answer = is_done ? BL_NATIVE_DONE : BL_NATIVE_FAILED;
    return is_open;
}

/* Receives a launch behind its files, runs it and answers. Returns false if no other launch can
 * follow. */
static bool serve_launch(struct serving *serving, const int descriptors[2])
{
    struct bl_native_launch launch;
    enum bl_native_answer answer = BL_NATIVE_FAILED;
    if (!receive(serving->connection, &launch, sizeof launch) || launch.dimensions < 1 ||
        launch.dimensions > 3)
        return false;
    alarm(BL_NATIVE_SECONDS); /* the signal ends the process */
    const bool is_mapped = map_files(&serving->files, descriptors, launch.bytes);
    char *texts[] = {receive_text(serving->connection, launch.folder_bytes),
                     receive_text(serving->connection, launch.source_bytes),
                     receive_text(serving->connection, launch.options_bytes),
                     receive_text(serving->connection, launch.name_bytes)};
    bool is_open = texts[0] && texts[1] && texts[2] && texts[3];
    if (is_open) {
        const cl_program program = is_mapped && chdir(texts[0]) == 0
                                       ? program_of(serving, launch.program, texts[1], texts[2])
                                       : NULL;
        const cl_kernel kernel = program ? clCreateKernel(program, texts[3], NULL) : NULL;
        is_open = run(serving, &launch, kernel, &answer);
        if (kernel)
            clReleaseKernel(kernel);
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    unmap_files(&serving->files);
    alarm(0);
    const char byte = (char)answer;
    bl_count_coverage();
    return is_open && send(serving->connection, &byte, 1, MSG_NOSIGNAL) == 1;
}

/* Serves a connection; runs in a process of its own. */
static void serve(int connection)
{
    struct serving serving = {.connection = connection};
    const char ready = BL_NATIVE_READY;
    int files[2];
    serving.device = find_device();
    if (!serving.device)
        return;
    serving.context = clCreateContext(NULL, 1, &serving.device, NULL, NULL, NULL);
    if (!serving.context)
        return;
    serving.queue = clCreateCommandQueue(serving.context, serving.device, 0, NULL);
    if (!serving.queue || send(connection, &ready, 1, MSG_NOSIGNAL) != 1)
        return;
    alarm(0);
    while (receive_files(connection, files) && serve_launch(&serving, files))
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

/* Prepares the process that serves a connection. Its kernel may crash, and must then leave no core
 * file. It ends with the server, and when a launch takes too long. */
static void prepare(pid_t server)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGALRM, SIG_DFL);
    signal(SIGCHLD, SIG_DFL); /* PoCL waits for a linker that it starts */
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != server)
        _exit(1);
    alarm(BL_NATIVE_SECONDS); /* until the device is ready: a driver may hang */
}

/* Closes all descriptors from `first` on, which are the user's, such as that of a locked file. */
static void close_from(int first)
{
    if (syscall(SYS_close_range, (unsigned)first, UINT_MAX, 0) == 0)
        return;
    for (int i = first; i < sysconf(_SC_OPEN_MAX); i++) /* a kernel before Linux 5.9 */
        close(i);
}

int bl_native_serve(const char *descriptor, const char *parent)
{
    enum { LISTENER = 3 };
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != (pid_t)atoi(parent))
        return 1;
    if (dup2(atoi(descriptor), LISTENER) != LISTENER)
        return 1;
    close_from(LISTENER + 1);
    signal(SIGCHLD, SIG_IGN);
    /* One thread runs the groups one after another, so that the results of a kernel whose groups
     * race are the same every time. PoCL 5 renamed the variable. */
    setenv("POCL_MAX_PTHREAD_COUNT", "1", 1);
    setenv("POCL_CPU_MAX_CU_COUNT", "1", 1);
    unsetenv("OPENCL_LAYERS");
    const pid_t server = getpid();
    for (;;) {
        const int connection = accept4(LISTENER, NULL, NULL, SOCK_CLOEXEC);
        if (connection < 0 && errno != EINTR && errno != ECONNABORTED)
            return 1;
        if (connection >= 0 && is_ours(connection) && fork() == 0) {
            prepare(server);
            serve(connection);
            _exit(0);
        }
        if (connection >= 0)
            close(connection);
    }
}
