/* Other people's tools, in a folder of their own. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/temp_dir.h"

static struct bl_temp_dir temp_dir;
static struct bl_error error;

Test(temp_dir, a_command_reads_and_writes_and_nothing_stays)
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

Test(temp_dir, commands_that_are_not_there_or_are_killed)
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
