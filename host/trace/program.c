/* Starts and stops traced programs. A traced program may be a script that starts other programs,
 * may close all its descriptors, or may never end. */
#include "trace/program.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cl/native.h"
#include "trace/pipe_end.h"
#include "trace/wire.h"

/* Writes the folder of bankline's executable; "." if it is unknown. */
static void find_own_folder(char path[2048])
{
    const ssize_t length = readlink("/proc/self/exe", path, 2047);
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    strcpy(slash ? slash : path, slash ? "" : ".");
}

/* BL_PLUGIN_DIR is usually relative to bankline's folder, so that an installation can be moved. It
 * is absolute if bankline and the plugin are installed in unrelated folders. */
enum bl_status bl_trace_find_plugin(const char *name, char path[4096], struct bl_error *error)
{
    char own[2048], built[4096];
    find_own_folder(own);
    snprintf(built, sizeof built, "%s/trace/%s", own, name); /* in a build folder */
    const bool is_absolute = *BL_PLUGIN_DIR == '/';
    snprintf(path, 4096, "%s%s%s/%s", is_absolute ? "" : own, is_absolute ? "" : "/", BL_PLUGIN_DIR,
             name);
    if (access(path, R_OK) == 0)
        return BL_OK;
    if (access(built, R_OK) == 0) {
        strcpy(path, built);
        return BL_OK;
    }
    return bl_fail(error, BL_USAGE,
                   "cannot trace: the plugin for Oclgrind is neither %s nor %s; if bankline was "
                   "built without it, install liboclgrind-dev and a C++ compiler, and build again "
                   "(Debian 13 and later lack this package; scripts/README.md describes how to "
                   "use your own Oclgrind)",
                   path, built);
}

/* Whether the path is an executable file. Folders have execute permission, too. */
static bool is_executable(const char *path)
{
    struct stat found;
    return access(path, X_OK) == 0 && stat(path, &found) == 0 && !S_ISDIR(found.st_mode);
}

/* Whether a command exists: by its path if it contains a slash, otherwise in a folder of PATH. */
static bool is_there(const char *command)
{
    if (strchr(command, '/'))
        return is_executable(command);
    const char *path = getenv("PATH");
    for (const char *at = path ? path : "/usr/bin:/bin"; *at;) {
        const size_t length = strcspn(at, ":");
        char full[PATH_MAX];
        snprintf(full, sizeof full, "%.*s/%s", (int)length, at, command);
        if (is_executable(full))
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

/* The command that runs Oclgrind. BL_OCLGRIND_BIN is the folder of the Oclgrind for which the
 * plugin was built; if it is empty, Oclgrind is looked up in PATH. */
static const char *simulator_of(const struct bl_traced_settings *settings)
{
    return settings->is_simulation ? BL_OCLGRIND_BIN "oclgrind-kernel" : BL_OCLGRIND_BIN "oclgrind";
}

static enum bl_status check(const struct bl_traced_settings *settings, struct bl_error *error)
{
    const char *simulator = simulator_of(settings);
    if (!settings->is_timed && !is_there(simulator))
        return bl_fail(
            error, BL_NO_DEVICE,
            "cannot find '%s', which runs the kernels; install the package oclgrind, or "
            "build Oclgrind from source on systems without this package, such as Debian 13",
            simulator);
    if (settings->is_simulation && access(settings->words[0], R_OK) != 0)
        return bl_fail(error, BL_FILE_FAILED, "cannot read %s: %s", settings->words[0],
                       strerror(errno));
    if (!settings->is_simulation && !is_there(settings->words[0]) &&
        access(settings->words[0], F_OK) == 0)
        return bl_fail(error, BL_FILE_FAILED, "cannot run '%s': it is not executable",
                       settings->words[0]);
    if (!settings->is_simulation && !is_there(settings->words[0]))
        return bl_fail(error, BL_FILE_FAILED, "cannot run '%s': no such program",
                       settings->words[0]);
    return BL_OK;
}

char **bl_environment_copy(void)
{
    size_t count = 0;
    while (environ[count])
        count++;
    char **copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++) {
        copy[i] = strdup(environ[i]);
        if (!copy[i]) {
            bl_environment_free(copy);
            return NULL;
        }
    }
    return copy;
}

void bl_environment_free(char **environment)
{
    for (size_t i = 0; environment && environment[i]; i++)
        free(environment[i]);
    free(environment);
}

/* Prepends a path to an environment variable. */
static void put_first(const char *variable, const char *path)
{
    const char *others = getenv(variable);
    char *all = NULL;
    if (others && *others && asprintf(&all, "%s:%s", path, others) >= 0)
        setenv(variable, all, 1);
    else
        setenv(variable, path, 1);
    free(all);
}

bool bl_can_preload(const char *path) { return !strpbrk(path, " :"); }

/* Adds the words of a shell command that preloads the layer and starts the program. Returns the
 * number of words. A shell is needed because the `oclgrind` command puts Oclgrind's library first
 * in LD_PRELOAD, but the layer must come before that library. */
static size_t put_local_layer(const struct bl_traced_settings *settings, const char *words[])
{
    const struct bl_machine *machine = settings->machine;
    const unsigned given = settings->local_size, dimensions = machine->null_local_dimensions;
    char text[64];
    snprintf(text, sizeof text, "%u:%u:%u:%u", given ? given : BL_DRIVER_LOCAL_SIZE,
             dimensions ? dimensions : 3, given ? 0 : machine->null_local_least,
             machine->group_items_max);
    setenv(BL_WIRE_LOCAL_SIZE, text, 1);
    snprintf(text, sizeof text, "%u:%u:%u:%u", machine->compute_units, machine->group_items_max,
             machine->kernel_items_max, machine->lanes);
    setenv(BL_WIRE_ANSWERS, text, 1);
    words[0] = "/bin/sh";
    words[1] = "-c";
    words[2] = "export LD_PRELOAD=\"$0:$LD_PRELOAD\"; exec \"$@\"";
    words[3] = settings->local_layer;
    return 4;
}

/* Runs in the child process and executes the program; never returns. */
static void become(const struct bl_traced_settings *settings, const char *pipe, const char *socket)
{
    char budget[BL_PACE_DESCRIPTION], local[16], lanes[16];
    if (settings->output > 0)
        dup2(settings->output, STDERR_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    environ = (char **)settings->environment;
    if (settings->is_timed) {
        setenv(BL_TIMES_DESCRIPTOR, pipe, 1);
        put_first("OPENCL_LAYERS", settings->plugin);
        put_first("LD_PRELOAD", settings->plugin);
        lseek(STDIN_FILENO, 0,
              SEEK_SET); /* rewind standard input, which the run under Oclgrind has read */
        execvp(settings->words[0], (char *const *)settings->words);
        _exit(127);
    }
    setenv(BL_WIRE_DESCRIPTOR, pipe, 1);
    setenv(BL_WIRE_BETWEEN, settings->between, 1);
    setenv(BL_WIRE_LIMIT, settings->limit, 1);
    if (settings->reports_work) {
        snprintf(lanes, sizeof lanes, "%u", settings->machine->lanes);
        setenv(BL_WIRE_WORKS, lanes, 1);
    }
    if (socket)
        setenv(BL_NATIVE_SOCKET, socket, 1);
    if (settings->budget.length_ns > 0) {
        bl_budget_describe(&settings->budget, budget);
        setenv(BL_WIRE_BUDGET, budget, 1);
        setenv(BL_WIRE_QUICK, "0",
               1); /* the plugin may change 0 to 1, which is what Oclgrind's option --quick sets */
    }
    unsetenv("OPENCL_LAYERS");
    if (*BL_OCLGRIND_BIN) /* otherwise this Oclgrind does not find its library */
        put_first("LD_LIBRARY_PATH", BL_OCLGRIND_BIN "../lib");
    /* Oclgrind's default, 32 KiB, is less than most GPUs allow. */
    const unsigned most = settings->machine->group_local_bytes_max;
    snprintf(local, sizeof local, "%u", most ? most : 65536);
    size_t count = 0;
    while (settings->words[count])
        count++;
    const char **words = calloc(count + 15, sizeof *words);
    if (words) {
        size_t at = 0;
        words[at++] = simulator_of(settings);
        words[at++] = "--plugins";
        words[at++] = settings->plugin;
        words[at++] = "--local-mem-size";
        words[at++] = local;
        if (settings->is_quick)
            words[at++] = "--quick"; /* Oclgrind sets BL_WIRE_QUICK, which the plugin reads */
        if (settings->build_options) {
            words[at++] = "--build-options";
            words[at++] = settings->build_options;
        }
        if (settings->local_layer && !settings->is_simulation)
            at += put_local_layer(settings, words + at);
        for (size_t i = 0; i < count; i++)
            words[at++] = settings->words[i];
        execvp(words[0], (char *const *)words);
    }
    _exit(127);
}

/* Starts the server of cl/native.h, with an environment and descriptors of its own. If it cannot be
 * started, PoCL runs nothing. */
static void start_native(const struct bl_traced_settings *settings,
                         struct bl_traced_program *program)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    socklen_t bytes = sizeof name.sun_family; /* without a name: Linux chooses one */
    char number[16], parent[16];
    snprintf(parent, sizeof parent, "%jd", (intmax_t)getpid());
    program->native = 0;
    const int listener = settings->native ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    if (listener < 0)
        return;
    bool is_named =
        bind(listener, (struct sockaddr *)&name, bytes) == 0 && listen(listener, SOMAXCONN) == 0;
    bytes = sizeof name - 1;
    is_named = is_named && getsockname(listener, (struct sockaddr *)&name, &bytes) == 0;
    snprintf(program->native_socket, sizeof program->native_socket, "%.31s", name.sun_path + 1);
    if (is_named)
        program->native = fork();
    if (is_named && program->native == 0) {
        const int null = open("/dev/null", O_RDWR);
        for (int i = STDIN_FILENO; null >= 0 && i <= STDERR_FILENO; i++)
            dup2(null, i);
        setpgid(0, 0);
        fcntl(listener, F_SETFD, 0);
        snprintf(number, sizeof number, "%d", listener);
        execve(settings->native, (char *const[]){BL_NATIVE_NAME, number, parent, NULL},
               settings->environment);
        _exit(127);
    }
    close(listener);
    if (program->native > 0)
        setpgid(program->native, program->native); /* here, too: either process may be first */
}

static void end_native(const struct bl_traced_program *program)
{
    if (program->native <= 0)
        return;
    kill(-program->native, SIGKILL); /* also the processes that serve connections */
    while (waitpid(program->native, NULL, 0) < 0 && errno == EINTR)
        ;
}

enum bl_status bl_traced_start(const struct bl_traced_settings *settings,
                               struct bl_traced_program *program, struct bl_error *error)
{
    enum bl_status status = check(settings, error);
    if (status != BL_OK)
        return status;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return bl_fail(error, BL_FILE_FAILED, "cannot create a pipe: %s", strerror(errno));
    char pipe[BL_PIPE_DESCRIPTION];
    const int high = fcntl(ends[1], F_DUPFD_CLOEXEC, BL_PIPE_MIN_DESCRIPTOR);
    if (high >= 0) {
        close(ends[1]);
        ends[1] = high;
    }
    bl_pipe_describe(ends[1], ends[0], pipe);
    snprintf(program->mark, sizeof program->mark, "%s=%s", BL_WIRE_DESCRIPTOR, pipe);
    fflush(NULL);
    start_native(settings, program);
    program->process = fork();
    if (program->process == 0) {
        fcntl(ends[1], F_SETFD, 0); /* the program inherits it */
        become(settings, pipe, program->native > 0 ? program->native_socket : NULL);
    }
    const int reason = errno;
    program->descriptor = ends[0];
    program->kept_open = ends[1];
    if (program->process > 0)
        return BL_OK;
    close(ends[0]);
    close(ends[1]);
    end_native(program);
    return bl_fail(error, BL_FILE_FAILED, "cannot start a process: %s", strerror(reason));
}

static void let_go(struct bl_traced_program *program)
{
    if (program->kept_open >= 0)
        close(program->kept_open);
    program->kept_open = -1;
}

bool bl_traced_has_ended(const struct bl_traced_program *program)
{
    siginfo_t ended = {0};
    return waitid(P_PID, (id_t)program->process, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           ended.si_pid != 0;
}

void bl_traced_watch(struct bl_traced_program *program)
{
    if (program->kept_open >= 0 && bl_traced_has_ended(program))
        let_go(program);
}

enum { MAX_STOPPED = 256 };

/* The processes to stop. pidfds are used because a process id may be reused by another process. */
struct stopping {
    struct pollfd all[MAX_STOPPED];
    nfds_t count;
};

static bool has_room(const struct stopping *stopping) { return stopping->count < MAX_STOPPED; }

static bool add(struct stopping *stopping, pid_t process)
{
    const int descriptor = (int)syscall(SYS_pidfd_open, process, 0);
    if (descriptor >= 0)
        stopping->all[stopping->count++] = (struct pollfd){.fd = descriptor, .events = POLLIN};
    return descriptor >= 0;
}

static pid_t parent_of(pid_t process)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%jd/stat", (intmax_t)process);
    FILE *file = fopen(path, "re");
    char text[512] = "";
    intmax_t parent = 0;
    if (file) {
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
    }
    const char *after_name = strrchr(text, ')'); /* a name may contain blanks and parentheses */
    return after_name && sscanf(after_name + 1, " %*c %jd", &parent) == 1 ? (pid_t)parent : 0;
}

/* Adds the process and those of its descendants that /proc lists. parent: the process that listed
 * it as a child, or 0. Between listing and opening, the id may have passed to an unrelated process;
 * its parent then differs. (A child whose parent has just ended is left to add_marked.) */
static void add_tree(struct stopping *stopping, pid_t process, pid_t parent)
{
    char pattern[64];
    glob_t found = {0};
    if (!has_room(stopping) || !add(stopping, process))
        return;
    if (parent > 0 && parent_of(process) != parent) {
        close(stopping->all[--stopping->count].fd);
        return;
    }
    snprintf(pattern, sizeof pattern, "/proc/%jd/task/*/children", (intmax_t)process);
    glob(pattern, 0, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        FILE *file = fopen(found.gl_pathv[i], "re");
        intmax_t child;
        while (file && fscanf(file, "%jd", &child) == 1)
            add_tree(stopping, (pid_t)child, process);
        if (file)
            fclose(file);
    }
    globfree(&found);
}

/* Whether the process began with this variable in its environment. */
static bool has_mark(const char *environment, const char *mark)
{
    char *text = NULL;
    size_t room = 0;
    bool has = false;
    FILE *file = fopen(environment, "re");
    while (file && !has && getdelim(&text, &room, '\0', file) > 0)
        has = strcmp(text, mark) == 0;
    if (file)
        fclose(file);
    free(text);
    return has;
}

/* Adds the processes that the program started, also those whose parents have ended. The descriptor
 * is opened before the environment is read, so it cannot belong to a later process. */
static void add_marked(struct stopping *stopping, const char *mark)
{
    glob_t found = {0};
    glob("/proc/[0-9]*/environ", 0, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc && has_room(stopping); i++) {
        const pid_t process = (pid_t)strtol(found.gl_pathv[i] + strlen("/proc/"), NULL, 10);
        if (process != getpid() && add(stopping, process) && !has_mark(found.gl_pathv[i], mark))
            close(stopping->all[--stopping->count].fd);
    }
    globfree(&found);
}

static struct stopping all_of(const struct bl_traced_program *program)
{
    struct stopping stopping = {.count = 0};
    add_tree(&stopping, program->process, 0);
    add_marked(&stopping, program->mark);
    return stopping;
}

static void let_all_go(struct stopping *stopping)
{
    for (nfds_t i = 0; i < stopping->count; i++)
        close(stopping->all[i].fd);
}

static void signal_all(const struct stopping *stopping, int number)
{
    for (nfds_t i = 0; i < stopping->count; i++)
        syscall(SYS_pidfd_send_signal, stopping->all[i].fd, number, NULL, 0);
}
static bool have_ended(struct stopping *stopping)
{
    return poll(stopping->all, stopping->count, 0) == (int)stopping->count;
}

/* Stops the program and all processes that it started: if only a script got SIGTERM, the program
 * that the script runs would continue. What they have started meanwhile is killed, too. */
static void stop(const struct bl_traced_program *program)
{
    enum { WAITS = 100, WAIT_NS = 20000000 };
    struct stopping stopping = all_of(program);
    if (stopping.count == 0) /* the OS does not support pidfds */
        kill(program->process, SIGTERM);
    signal_all(&stopping, SIGTERM);
    for (int i = 0; i < WAITS && !have_ended(&stopping); i++)
        nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL);
    signal_all(&stopping, SIGKILL);
    let_all_go(&stopping);
    stopping = all_of(program);
    signal_all(&stopping, SIGKILL);
    let_all_go(&stopping);
}

int bl_traced_end(struct bl_traced_program *program, bool has_to_stop)
{
    int status = 0;
    let_go(program);
    close(program->descriptor);
    if (has_to_stop)
        stop(program);
    while (waitpid(program->process, &status, 0) < 0 && errno == EINTR)
        ;
    end_native(program);
    return status;
}

enum bl_status bl_traced_between(const char *sample, char between[BL_TRACED_BETWEEN],
                                 struct bl_error *error)
{
    unsigned count = 0;
    int used = 0;
    const bool is_all = strcmp(sample, "all") == 0, is_ends = strcmp(sample, "first,last") == 0;
    if (!is_all && !is_ends &&
        (sscanf(sample, "first,last,%9u%n", &count, &used) != 1 || sample[used] ||
         sample[11] == '+' || sample[11] == '-' || sample[11] == ' '))
        return bl_fail(
            error, BL_USAGE,
            "invalid --sample '%s': expected 'all', 'first,last' or 'first,last,N' (N groups "
            "between them)",
            sample);
    snprintf(between, BL_TRACED_BETWEEN, is_all ? "all" : "%u", count);
    return BL_OK;
}
