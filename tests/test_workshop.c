/* Other people's tools, in a folder of their own. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/workshop.h"

static struct bl_workshop workshop;
static struct bl_error error;

Test(workshop, a_command_reads_and_writes_and_nothing_stays)
{
    static const char *const words[] = {"sh", "-c", "cat \"$WHERE\"; echo said >&2; exit 3", NULL};
    char path[BL_WORKSHOP_PATH];
    cr_assert_eq(bl_workshop_open(&workshop, &error), BL_OK, "%s", error.sentence);
    cr_assert_eq(bl_workshop_write(&workshop, "in", "text\n", &error), BL_OK);
    const char *const environment[] = {"WHERE", bl_workshop_path(&workshop, "in", path), NULL};
    cr_assert_eq(bl_workshop_run(&workshop, words, environment), 3);
    char *log = bl_workshop_read(&workshop, "log");
    cr_assert_str_eq(log, "text\nsaid\n");
    free(log);
    cr_assert_eq(bl_workshop_write(&workshop, "empty", "", &error), BL_OK);
    cr_assert_null(bl_workshop_read(&workshop, "empty"));
    cr_assert_null(bl_workshop_read(&workshop, "none"));
    bl_workshop_close(&workshop);
    cr_assert_neq(access(workshop.folder, F_OK), 0);
    cr_assert_eq(bl_workshop_write(&workshop, "in", "text", &error), BL_FILE_FAILED);
    cr_assert(strstr(error.sentence, "cannot write"), "%s", error.sentence);
}

Test(workshop, commands_that_are_not_there_or_are_killed)
{
    static const char *const none[] = {"no-such-command", NULL}, *const killed[] = {"sh", "-c",
                                                                                    "kill -9 $$",
                                                                                    NULL};
    setenv("TMPDIR", "", 1);
    cr_assert_eq(bl_workshop_open(&workshop, &error), BL_OK);
    cr_assert_eq(strncmp(workshop.folder, "/tmp/", 5), 0);
    cr_assert_eq(bl_workshop_run(&workshop, none, NULL), 127);
    cr_assert_eq(bl_workshop_run(&workshop, killed, NULL), 126);
    bl_workshop_close(&workshop);
    setenv("TMPDIR", "/no/such", 1);
    cr_assert_eq(bl_workshop_open(&workshop, &error), BL_FILE_FAILED);
    cr_assert(strstr(error.sentence, "cannot make a folder in /no/such"), "%s", error.sentence);
}
