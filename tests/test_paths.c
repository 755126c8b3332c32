/* Tests the check that an output is neither another output nor an input, whatever its path. */
#include <fcntl.h>

#include "file_checks.h"

TestSuite(paths, .init = make_folder, .fini = remove_folder);

static enum bl_status check(const char *one, const char *other, bool other_is_output)
{
    const struct bl_named_path paths[] = {
        {"--csv", one, true}, {"--none", NULL, true}, {"OTHER", other, other_is_output}};
    error.sentence[0] = '\0';
    return bl_paths_check_distinct(paths, 3, &error);
}

static void are_one(const char *one, const char *other)
{
    for (int is_output = 0; is_output < 2; is_output++) {
        cr_assert_eq(check(one, other, is_output), BL_USAGE, "%s %s", one, other);
        cr_assert(strstr(error.sentence, "--csv") && strstr(error.sentence, "OTHER"), "%s",
                  error.sentence);
    }
}

static void are_two(const char *one, const char *other)
{
    for (int is_output = 0; is_output < 2; is_output++)
        cr_assert_eq(check(one, other, is_output), BL_OK, "%s", error.sentence);
}

Test(paths, existing_files_are_compared_by_inode)
{
    put(in_folder("one"), "");
    put(in_folder("two"), "");
    cr_assert_eq(link(in_folder("one"), in_folder("hard")), 0);
    cr_assert_eq(symlink("one", in_folder("soft")), 0);
    are_one(in_folder("one"), in_folder("one"));
    are_one(in_folder("one"), in_folder("hard"));
    are_one(in_folder("soft"), in_folder("hard"));
    are_two(in_folder("one"), in_folder("two"));
    cr_assert_eq(chdir(folder), 0);
    are_one("./one", in_folder("soft"));
}

Test(paths, files_that_do_not_exist_yet_are_compared_by_name)
{
    cr_assert_eq(mkdir(in_folder("a"), 0777), 0);
    cr_assert_eq(symlink("a", in_folder("b")), 0);
    cr_assert_eq(symlink("a/new", in_folder("dangling")), 0);
    are_one(in_folder("a/new"), in_folder("b/new"));
    are_one(in_folder("a/../b/new"), in_folder("dangling"));
    are_two(in_folder("a/new"), in_folder("new"));
    put(in_folder("new"), "");
    are_two(in_folder("a/new"), in_folder("new"));
    are_two(in_folder("no/such"),
            in_folder("no/such")); /* the folder does not exist, so this check passes; opening the
                                      file reports the error */
}

Test(paths, two_inputs_may_be_the_same_file)
{
    put(in_folder("one"), "");
    const struct bl_named_path inputs[] = {{"OLD.csv", in_folder("one"), false},
                                           {"NEW.csv", in_folder("one"), false}};
    cr_assert_eq(bl_paths_check_distinct(inputs, 2, &error), BL_OK);
    cr_assert_eq(bl_paths_check_distinct(NULL, 0, NULL), BL_OK);
}

Test(paths, standard_output_is_recognized_by_all_its_names)
{
    cr_assert_eq(check("-", "/dev/stdout", true), BL_USAGE);
    cr_assert_eq(check("-", "-", true), BL_USAGE);
    cr_assert_eq(check("/dev/fd/1", "/proc/self/fd/1", true), BL_USAGE);
    cr_assert_eq(check("-", in_folder("x"), true), BL_OK);
    cr_assert_eq(check("-", "-", false), BL_OK, "standard input and standard output are two files");
    const int kept = dup(STDOUT_FILENO);
    cr_assert_not_null(freopen("/dev/null", "w", stdout));
    const enum bl_status status = check("-", "/dev/stdout", true);
    dup2(kept, STDOUT_FILENO);
    cr_assert_eq(status, BL_USAGE, "standard output is recognized even if it is redirected");
}

Test(paths, devices_may_be_named_any_number_of_times)
{
    are_two("/dev/null", "/dev/null");
    are_two("/dev/full", "/dev/full");
    cr_assert_eq(mkfifo(in_folder("pipe"), 0666), 0);
    are_one(in_folder("pipe"), in_folder("pipe"));
}

/* Checks one output or input while standard output is redirected to the file `out`. */
static enum bl_status check_while_printing(const char *path, bool is_output)
{
    const int kept = dup(STDOUT_FILENO), out = open(in_folder("out"), O_WRONLY | O_CREAT, 0666);
    fflush(stdout);
    dup2(out, STDOUT_FILENO);
    const enum bl_status status =
        bl_paths_check_distinct(&(struct bl_named_path){"--json", path, is_output}, 1, &error);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(out);
    return status;
}

Test(paths, the_file_that_standard_output_goes_to_is_refused)
{
    cr_assert_eq(symlink("out", in_folder("link")), 0);
    cr_assert_eq(check_while_printing(in_folder("out"), true), BL_USAGE);
    cr_assert(strstr(error.sentence, "--json"), "%s", error.sentence);
    cr_assert(strstr(error.sentence, "standard output"), "%s", error.sentence);
    cr_assert_eq(check_while_printing(in_folder("link"), true), BL_USAGE);
    cr_assert_eq(check_while_printing(in_folder("link"), false), BL_USAGE);
    cr_assert_eq(check_while_printing(in_folder("other"), true), BL_OK);
    cr_assert_eq(check_while_printing("-", true), BL_OK);
}
