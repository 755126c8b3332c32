/* A folder of our own with a random name, and a tool that runs with its output in a log there. */
#include "base/temp_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum bl_status bl_temp_dir_open(struct bl_temp_dir *temp_dir, struct bl_error *error)
{
    const char *base = getenv("TMPDIR");
    if (!base || !*base)
        base = "/tmp";
    char whole[PATH_MAX]; /* absolute, or a tool could take it for an option */
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
    /* Reads all of it: a text has no NUL. */
    const ssize_t length = getdelim(&text, &room, '\0', file);
    fclose(file);
    if (length >= 0)
        return text;
    free(text);
    return NULL;
}

/* In the new process. */
static void become(const char *log, const char *const words[], const char *const environment[])
{
    const int output = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    for (size_t i = 0; environment && environment[i]; i += 2)
        setenv(environment[i], environment[i + 1], 1);
    execvp(words[0], (char *const *)words);
    _exit(127);
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
    int ended = 127 << 8;
    while (waitpid(process, &ended, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(ended) ? WEXITSTATUS(ended) : 126;
}
