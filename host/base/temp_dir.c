/* Runs compilers and other tools on files in a temporary folder with a random name. A tool may
 * hang, print without end or start child processes. So each tool runs in a separate process group
 * with limits for its time and its output, and the whole group is killed if the tool exceeds a
 * limit. */
#include "base/temp_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum bl_status bl_temp_dir_open(struct bl_temp_dir *temp_dir, struct bl_error *error)
{
    const char *base = getenv("TMPDIR");
    if (!base || !*base)
        base = "/tmp";
    temp_dir->limit_s = BL_TOOL_LIMIT_S;
    temp_dir->is_interrupted = NULL;
    char whole[PATH_MAX]; /* absolute, because a tool could mistake a relative path that begins with
                             '-' for an option */
    snprintf(temp_dir->folder, sizeof temp_dir->folder, "%.4000s/bankline-XXXXXX",
             realpath(base, whole) ? whole : base);
    return mkdtemp(temp_dir->folder)
               ? BL_OK
               : bl_fail(error, BL_FILE_FAILED, "cannot make a folder in %s: %s", base,
                         strerror(errno));
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

void bl_temp_dir_close(const struct bl_temp_dir *temp_dir)
{
    nftw(temp_dir->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *bl_temp_dir_path(const struct bl_temp_dir *temp_dir, const char *name,
                             char path[BL_TEMP_DIR_PATH])
{
    snprintf(path, BL_TEMP_DIR_PATH, "%s/%.500s", temp_dir->folder, name);
    return path;
}

enum bl_status bl_temp_dir_write(const struct bl_temp_dir *temp_dir, const char *name,
                                 const char *text, struct bl_error *error)
{
    char path[BL_TEMP_DIR_PATH];
    FILE *file = fopen(bl_temp_dir_path(temp_dir, name, path), "w");
    bool failed = !file || fputs(text, file) < 0;
    failed |= file && fclose(file) != 0;
    return failed ? bl_fail(error, BL_FILE_FAILED, "cannot write %s: %s", path, strerror(errno))
                  : BL_OK;
}

char *bl_temp_dir_read(const struct bl_temp_dir *temp_dir, const char *name)
{
    char path[BL_TEMP_DIR_PATH], *text = NULL;
    FILE *file = fopen(bl_temp_dir_path(temp_dir, name, path), "r");
    if (!file)
        return NULL;
    size_t room = 0;
    /* A text file has no zero byte, so getdelim reads the whole file. */
    const ssize_t length = getdelim(&text, &room, '\0', file);
    fclose(file);
    if (length >= 0)
        return text;
    free(text);
    return NULL;
}

/* Runs in the child process: becomes the leader of a new process group, so that the tool can be
 * killed together with its child processes, and executes the tool. */
static void become(const char *log, const char *const words[], const char *const environment[])
{
    const struct rlimit files = {BL_TOOL_FILE_BYTES, BL_TOOL_FILE_BYTES};
    const int input = open("/dev/null", O_RDONLY),
              output = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* kills the tool when bankline ends, because Ctrl-C does not
                                         reach the new process group */
    setrlimit(RLIMIT_FSIZE, &files);
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    for (size_t i = 0; environment && environment[i]; i += 2)
        setenv(environment[i], environment[i + 1], 1);
    execvp(words[0], (char *const *)words);
    _exit(BL_TOOL_NOT_STARTED);
}

static double seconds_since(const struct timespec *begin)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begin->tv_sec) + (double)(now.tv_nsec - begin->tv_nsec) / 1e9;
}

static bool is_too_long(const char *log)
{
    struct stat about;
    return stat(log, &about) == 0 && about.st_size > BL_TOOL_LOG_BYTES;
}

/* The reason to kill a running command, as an enum bl_tool_end; 0 if it may continue. */
static int reason_to_end(const struct bl_temp_dir *temp_dir, const char *log,
                         const struct timespec *begin)
{
    if (temp_dir->is_interrupted && temp_dir->is_interrupted(NULL))
        return BL_TOOL_INTERRUPTED;
    if (is_too_long(log))
        return BL_TOOL_TOO_TALKATIVE;
    return seconds_since(begin) >= temp_dir->limit_s ? BL_TOOL_TOO_LONG : 0;
}

static int wait_for(const struct bl_temp_dir *temp_dir, pid_t process, const char *log)
{
    enum { PAUSE_NS = 5000000 };
    struct timespec begin;
    int ended = BL_TOOL_NOT_STARTED << 8, reason = 0;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    while (!reason && waitpid(process, &ended, WNOHANG) == 0) {
        reason = reason_to_end(temp_dir, log, &begin);
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    }
    if (reason) {
        kill(-process, SIGKILL);
        while (waitpid(process, &ended, 0) < 0 && errno == EINTR)
            ;
    }
    if (is_too_long(log)) { /* the command may have ended before the check above saw the long log */
        reason = BL_TOOL_TOO_TALKATIVE;
        if (truncate(log, BL_TOOL_LOG_BYTES) != 0)
            unlink(log);
    }
    if (reason)
        return reason;
    return WIFEXITED(ended) ? WEXITSTATUS(ended) : BL_TOOL_KILLED;
}

int bl_temp_dir_run(const struct bl_temp_dir *temp_dir, const char *const words[],
                    const char *const environment[])
{
    char log[BL_TEMP_DIR_PATH];
    bl_temp_dir_path(temp_dir, "log", log);
    fflush(NULL);
    const pid_t process = fork();
    if (process == 0)
        become(log, words, environment);
    if (process < 0)
        return BL_TOOL_NOT_STARTED;
    setpgid(process, process); /* the child makes the same call, so that the group exists before
                                  kill(), whichever process runs first */
    return wait_for(temp_dir, process, log);
}

const char *bl_tool_end_words(const struct bl_temp_dir *temp_dir, int end, char text[80])
{
    if (end == BL_TOOL_TOO_LONG)
        snprintf(text, 80, "ran for more than %u s and was ended", temp_dir->limit_s);
    else if (end == BL_TOOL_TOO_TALKATIVE)
        snprintf(text, 80, "printed more than %d KiB and was ended", BL_TOOL_LOG_BYTES >> 10);
    else
        snprintf(text, 80, end == BL_TOOL_INTERRUPTED ? "was interrupted" : "failed");
    return text;
}
