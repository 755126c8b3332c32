/* Tests how external tools run in a temporary folder: their files, their output and their end. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/temp_dir.h"

static struct bl_temp_dir temp_dir;
static struct bl_error error;

Test(temp_dir, a_command_reads_and_writes_and_its_files_are_removed)
{
    static const char *const words[] = {"sh", "-c", "cat \"$WHERE\"; echo said >&2; exit 3", NULL};
    char path[BL_TEMP_DIR_PATH];
    cr_assert_eq(bl_temp_dir_open(&temp_dir, &error), BL_OK, "%s", error.sentence);
    cr_assert_eq(bl_temp_dir_write(&temp_dir, "in", "text\n", &error), BL_OK);
    const char *const environment[] = {"WHERE", bl_temp_dir_path(&temp_dir, "in", path), NULL};
    cr_assert_eq(bl_temp_dir_run(&temp_dir, words, environment), 3);
    char *log = bl_temp_dir_read(&temp_dir, "log");
    cr_assert_str_eq(log, "text\nsaid\n");
    free(log);
    cr_assert_eq(bl_temp_dir_write(&temp_dir, "empty", "", &error), BL_OK);
    cr_assert_null(bl_temp_dir_read(&temp_dir, "empty"));
    cr_assert_null(bl_temp_dir_read(&temp_dir, "none"));
    bl_temp_dir_close(&temp_dir);
    cr_assert_neq(access(temp_dir.folder, F_OK), 0);
    cr_assert_eq(bl_temp_dir_write(&temp_dir, "in", "text", &error), BL_FILE_FAILED);
    cr_assert(strstr(error.sentence, "cannot write"), "%s", error.sentence);
}

/* Opens a folder whose commands are killed after limit_s, together with the processes that they
 * start. */
static void open_limited(unsigned limit_s)
{
    cr_assert_eq(bl_temp_dir_open(&temp_dir, &error), BL_OK, "%s", error.sentence);
    cr_assert_eq(temp_dir.limit_s, 60);
    temp_dir.limit_s = limit_s;
}

/* Whether a process runs or sleeps. A dead process may still be listed as a zombie. */
static bool is_running(int process)
{
    char state[64] = "Z", path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    FILE *file = fopen(path, "r");
    if (file) {
        if (fscanf(file, "%*d %*s %63s", state) != 1)
            strcpy(state, "Z"); /* the process ended after its file was opened */
        fclose(file);
    }
    return strcmp(state, "Z") != 0 && strcmp(state, "X") != 0;
}

Test(temp_dir, a_command_that_hangs_is_ended_with_its_child_processes, .timeout = 300)
{
    static const char *const words[] = {
        "sh", "-c", "echo $$; sleep 1000 & echo $!; trap '' TERM INT; sleep 1000", NULL};
    open_limited(3);
    char text[80];
    cr_assert_eq(bl_temp_dir_run(&temp_dir, words, NULL), BL_TOOL_TOO_LONG);
    cr_assert_str_eq(bl_tool_end_words(&temp_dir, BL_TOOL_TOO_LONG, text),
                     "ran for more than 3 s and was ended");
    char *log = bl_temp_dir_read(&temp_dir, "log");
    cr_assert_not_null(log);
    int parent, child;
    cr_assert_eq(sscanf(log, "%d %d", &parent, &child), 2, "%s", log);
    free(log);
    cr_assert_neq(kill(parent, 0), 0);
    /* SIGKILL was sent, but the OS kernel decides when the child dies. If the child survives, the
     * test's time limit ends this wait. */
    while (is_running(child))
        usleep(10000);
    bl_temp_dir_close(&temp_dir);
}

Test(temp_dir, a_command_that_prints_without_end_is_ended_and_its_log_is_bounded, .timeout = 300)
{
    static const char *const words[] = {"yes", NULL},
                             *const ended[] = {"sh", "-c", "head -c 3000000 /dev/zero", NULL},
                             *const input[] = {"cat", NULL};
    struct stat about;
    char path[BL_TEMP_DIR_PATH];
    open_limited(200);
    cr_assert_eq(bl_temp_dir_run(&temp_dir, words, NULL), BL_TOOL_TOO_TALKATIVE);
    cr_assert_eq(stat(bl_temp_dir_path(&temp_dir, "log", path), &about), 0);
    cr_assert_eq(about.st_size, BL_TOOL_LOG_BYTES);
    cr_assert_eq(bl_temp_dir_run(&temp_dir, ended, NULL), BL_TOOL_TOO_TALKATIVE);
    cr_assert_eq(stat(path, &about), 0);
    cr_assert_eq(about.st_size, BL_TOOL_LOG_BYTES);
    cr_assert_eq(bl_temp_dir_run(&temp_dir, input, NULL), 0, "standard input is empty");
    bl_temp_dir_close(&temp_dir);
}

static bool is_interrupted(void *context) { return context == NULL; }

Test(temp_dir, an_interruption_ends_a_command, .timeout = 300)
{
    static const char *const words[] = {"sleep", "1000", NULL};
    open_limited(200);
    temp_dir.is_interrupted = is_interrupted;
    cr_assert_eq(bl_temp_dir_run(&temp_dir, words, NULL), BL_TOOL_INTERRUPTED);
    bl_temp_dir_close(&temp_dir);
}

Test(temp_dir, missing_and_killed_commands_are_reported)
{
    static const char *const none[] = {"no-such-command", NULL}, *const killed[] = {"sh", "-c",
                                                                                    "kill -9 $$",
                                                                                    NULL};
    setenv("TMPDIR", "", 1);
    cr_assert_eq(bl_temp_dir_open(&temp_dir, &error), BL_OK);
    cr_assert_eq(strncmp(temp_dir.folder, "/tmp/", 5), 0);
    cr_assert_eq(bl_temp_dir_run(&temp_dir, none, NULL), 127);
    cr_assert_eq(bl_temp_dir_run(&temp_dir, killed, NULL), 126);
    bl_temp_dir_close(&temp_dir);
    setenv("TMPDIR", "/no/such", 1);
    cr_assert_eq(bl_temp_dir_open(&temp_dir, &error), BL_FILE_FAILED);
    cr_assert(strstr(error.sentence, "cannot make a folder in /no/such"), "%s", error.sentence);
}
