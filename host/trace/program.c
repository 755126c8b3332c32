#include "trace/program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/wire.h"

enum bl_status bl_trace_find_plugin(const char *name, char path[4096], struct bl_error *error)
{
    char own[2048];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length > 0) {
        own[length] = '\0';
        char *slash = strrchr(own, '/');
        if (slash)
            *slash = '\0';
        snprintf(path, 4096, "%s/trace/%s", own, name);
        if (access(path, R_OK) == 0)
            return BL_OK;
    }
    snprintf(path, 4096, "%s/%s", BL_PLUGIN_DIR, name);
    if (access(path, R_OK) == 0)
        return BL_OK;
    return bl_fail(error, BL_USAGE,
                   "this bankline was built without its plugin for Oclgrind, so it cannot trace; "
                   "install liboclgrind-dev and a C++ compiler, and build it again");
}

/* Whether a command is in one of PATH's folders, or there by its own path. */
static bool is_there(const char *command)
{
    if (strchr(command, '/'))
        return access(command, X_OK) == 0;
    const char *path = getenv("PATH");
    for (const char *at = path ? path : "/usr/bin:/bin"; *at;) {
        const size_t length = strcspn(at, ":");
        char full[PATH_MAX];
        snprintf(full, sizeof full, "%.*s/%s", (int)length, at, command);
        if (access(full, X_OK) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

/* BL_OCLGRIND_BIN: the folder of the Oclgrind that the plugin was built for, or empty: PATH's. */
static const char *simulator_of(const struct bl_traced_settings *settings)
{
    return settings->is_simulation ? BL_OCLGRIND_BIN "oclgrind-kernel" : BL_OCLGRIND_BIN "oclgrind";
}

static enum bl_status check(const struct bl_traced_settings *settings, struct bl_error *error)
{
    const char *simulator = simulator_of(settings);
    if (!settings->is_timed && !is_there(simulator))
        return bl_fail(error, BL_NO_DEVICE,
                       "there is no '%s', which runs the kernels; install the package oclgrind",
                       simulator);
    if (settings->is_simulation && access(settings->words[0], R_OK) != 0)
        return bl_fail(error, BL_FILE_FAILED, "cannot read %s: %s", settings->words[0],
                       strerror(errno));
    if (!settings->is_simulation && !is_there(settings->words[0]) &&
        access(settings->words[0], F_OK) == 0)
        return bl_fail(error, BL_FILE_FAILED, "'%s' is no program: it is not executable",
                       settings->words[0]);
    if (!settings->is_simulation && !is_there(settings->words[0]))
        return bl_fail(error, BL_FILE_FAILED, "there is no program '%s'", settings->words[0]);
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

/* Puts a path before what a variable of the environment has. */
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

/* Has a shell start the program, and returns of how many words: Oclgrind puts its own library
 * before what LD_PRELOAD has, and the layer is to be found before that. */
static size_t put_local_layer(const struct bl_traced_settings *settings, const char *words[])
{
    char number[16];
    if (strpbrk(settings->local_layer, " :")) /* which end a path in LD_PRELOAD */
        return 0;
    snprintf(number, sizeof number, "%u", settings->local_size);
    setenv(BL_WIRE_LOCAL_SIZE, number, 1);
    words[0] = "/bin/sh";
    words[1] = "-c";
    words[2] = "export LD_PRELOAD=\"$0:$LD_PRELOAD\"; exec \"$@\"";
    words[3] = settings->local_layer;
    return 4;
}

/* In the new process; never returns. */
static void become(const struct bl_traced_settings *settings, int descriptor)
{
    char number[16];
    snprintf(number, sizeof number, "%d", descriptor);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    environ = (char **)settings->environment;
    if (settings->is_timed) {
        setenv(BL_TIMES_DESCRIPTOR, number, 1);
        put_first("OPENCL_LAYERS", settings->plugin);
        put_first("LD_PRELOAD", settings->plugin);
        lseek(STDIN_FILENO, 0, SEEK_SET); /* a file that the run under Oclgrind has read */
        execvp(settings->words[0], (char *const *)settings->words);
        _exit(127);
    }
    setenv(BL_WIRE_DESCRIPTOR, number, 1);
    setenv(BL_WIRE_BETWEEN, settings->between, 1);
    setenv(BL_WIRE_LIMIT, settings->limit, 1);
    unsetenv("OPENCL_LAYERS");
    if (*BL_OCLGRIND_BIN) /* whose programs do not know where their library is */
        put_first("LD_LIBRARY_PATH", BL_OCLGRIND_BIN "../lib");
    size_t count = 0;
    while (settings->words[count])
        count++;
    const char **words = calloc(count + 13, sizeof *words);
    if (words) {
        size_t at = 0;
        words[at++] = simulator_of(settings);
        words[at++] = "--plugins";
        words[at++] = settings->plugin;
        if (settings->is_quick)
            words[at++] = "--quick"; /* which the plugin sees in its environment */
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

enum bl_status bl_traced_start(const struct bl_traced_settings *settings,
                               struct bl_traced_program *program, struct bl_error *error)
{
    enum bl_status status = check(settings, error);
    if (status != BL_OK)
        return status;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return bl_fail(error, BL_FILE_FAILED, "cannot make a pipe: %s", strerror(errno));
    fflush(NULL);
    program->process = fork();
    if (program->process == 0) {
        fcntl(ends[1], F_SETFD, 0); /* it stays open in the program */
        become(settings, ends[1]);
    }
    const int reason = errno;
    close(ends[1]);
    program->descriptor = ends[0];
    if (program->process > 0)
        return BL_OK;
    close(ends[0]);
    return bl_fail(error, BL_FILE_FAILED, "cannot start a process: %s", strerror(reason));
}

int bl_traced_end(struct bl_traced_program *program, bool has_to_stop)
{
    int status = 0;
    close(program->descriptor);
    if (has_to_stop)
        kill(program->process, SIGTERM);
    while (waitpid(program->process, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}
