/* Tests how regular files are written: at any moment, a file has its whole old content or its whole
 * new content, or, if it grows, only whole records. Also tests the check that an output is neither
 * another output nor an input, whatever its path. */
#include <fcntl.h>

#include "file_checks.h"

TestSuite(file, .init = make_folder, .fini = remove_folder);

static mode_t mode_of(const char *path)
{
    struct stat about;
    cr_assert_eq(lstat(path, &about), 0, "%s", path);
    return about.st_mode & 07777;
}

Test(file, a_whole_file_does_not_exist_before_it_is_complete)
{
    const char *path = in_folder("x.json");
    cr_assert_eq(begin(path, BL_FILE_WHOLE), BL_OK);
    cr_assert_not(bl_file_is_stdout(file));
    for (int i = 0; i < 100000; i++)
        fputs("0123456789", bl_file_stream(file));
    fflush(bl_file_stream(file));
    cr_assert_eq(bl_file_record(file, &error), BL_OK, "a record of a whole file has no effect");
    cr_assert_eq(entries("", NULL), 0);
    cr_assert_eq(finish(), BL_OK, "%s", error.sentence);
    struct stat about;
    cr_assert_eq(stat(path, &about), 0);
    cr_assert_eq(about.st_size, 1000000);
    cr_assert_eq(entries("", NULL), 1);
}

Test(file, an_incomplete_whole_file_is_removed)
{
    for (int is_there = 0; is_there < 2; is_there++) {
        cr_assert_eq(begin(in_folder("x"), BL_FILE_WHOLE), BL_OK);
        fputs("half", bl_file_stream(file));
        cr_assert_eq(bl_file_close(file, false, &error), BL_OK);
        cr_assert_eq(entries("", NULL), (unsigned)is_there);
        put(in_folder("x"), "old");
    }
    has(in_folder("x"), "old");
    cr_assert_eq(bl_file_close(NULL, true, &error), BL_OK);
}

Test(file, a_new_growing_file_has_only_whole_records_at_any_moment)
{
    const char *path = in_folder("x.csv");
    cr_assert_eq(begin(path, BL_FILE_GROWING), BL_OK);
    has(path, "");
    record("one\n");
    has(path, "one\n");
    fputs("tw", bl_file_stream(file));
    fflush(bl_file_stream(file));
    has(path, "one\n");
    record("o\n");
    has(path, "one\ntwo\n");
    fputs("three\n", bl_file_stream(file));
    cr_assert_eq(finish(), BL_OK);
    has(path, "one\ntwo\nthree\n");
    cr_assert_eq(entries("", NULL), 1);
}

Test(file, an_incomplete_new_growing_file_keeps_its_records)
{
    cr_assert_eq(begin(in_folder("x"), BL_FILE_GROWING), BL_OK);
    cr_assert_eq(bl_file_close(file, false, &error), BL_OK);
    cr_assert_eq(entries("", NULL), 0, "the folder is empty");
    cr_assert_eq(begin(in_folder("x"), BL_FILE_GROWING), BL_OK);
    record("one\n");
    fputs("tw", bl_file_stream(file));
    cr_assert_eq(bl_file_close(file, false, &error), BL_OK);
    has(in_folder("x"), "one\n");
}

Test(file, an_old_file_is_kept_until_the_growing_one_is_complete)
{
    char part[300];
    put(in_folder("x.csv"), "old\n");
    cr_assert_eq(begin(in_folder("x.csv"), BL_FILE_GROWING), BL_OK);
    record("one\n");
    cr_assert_eq(entries("x.csv", part), 2);
    cr_assert(strncmp(part, "x.csv.", 6) == 0 && strcmp(part + strlen(part) - 5, ".part") == 0,
              "%s", part);
    has(in_folder("x.csv"), "old\n");
    has(in_folder(part), "one\n");
    cr_assert_eq(finish(), BL_OK, "%s", error.sentence);
    has(in_folder("x.csv"), "one\n");
    cr_assert_eq(entries("", NULL), 1);
}

Test(file, an_incomplete_growing_file_leaves_the_old_file_and_keeps_its_records_beside_it)
{
    char part[300];
    put(in_folder("x.csv"), "old\n");
    cr_assert_eq(begin(in_folder("x.csv"), BL_FILE_GROWING), BL_OK);
    cr_assert_eq(bl_file_close(file, false, &error), BL_OK);
    cr_assert_eq(entries("", NULL), 1, "there are no records to keep");
    cr_assert_eq(begin(in_folder("x.csv"), BL_FILE_GROWING), BL_OK);
    record("one\n");
    cr_assert_eq(bl_file_close(file, false, &error), BL_FILE_FAILED);
    cr_assert_eq(entries("x.csv", part), 2);
    cr_assert(strstr(error.sentence, "x.csv is unchanged; the records so far are in "), "%s",
              error.sentence);
    cr_assert(strstr(error.sentence, part), "%s", error.sentence);
    has(in_folder("x.csv"), "old\n");
    has(in_folder(part), "one\n");
}

Test(file, symbolic_links_are_kept_and_their_targets_are_written)
{
    cr_assert_eq(mkdir(in_folder("far"), 0777), 0);
    cr_assert_eq(symlink("chain", in_folder("link")), 0);
    cr_assert_eq(symlink("far/target", in_folder("chain")), 0);
    cr_assert_eq(begin(in_folder("link"), BL_FILE_GROWING), BL_OK, "%s", error.sentence);
    record("dangling\n");
    cr_assert_eq(finish(), BL_OK);
    has(in_folder("far/target"), "dangling\n");
    for (int kind = BL_FILE_WHOLE; kind <= BL_FILE_GROWING; kind++) {
        cr_assert_eq(begin(in_folder("link"), (enum bl_file_kind)kind), BL_OK);
        fputs("new\n", bl_file_stream(file));
        cr_assert_eq(finish(), BL_OK, "%s", error.sentence);
        struct stat about;
        cr_assert_eq(lstat(in_folder("link"), &about), 0);
        cr_assert(S_ISLNK(about.st_mode));
        has(in_folder("far/target"), "new\n");
    }
    cr_assert_eq(symlink("loop", in_folder("loop")), 0);
    refuses(in_folder("loop"), "symbolic links");
}

Test(file, a_name_may_have_the_maximum_length)
{
    char name[256], part[300];
    for (size_t length = 240; length <= 255; length++) {
        memset(name, 'x', length);
        if (length > 243)
            memcpy(name + 242, "\xC3\xA9", 2); /* the temporary name is cut at this character of two
                                                  bytes */
        name[length] = '\0';
        write_whole(in_folder(name), "new");
        write_whole(in_folder(name), "newer");
        cr_assert_eq(begin(in_folder(name), BL_FILE_GROWING), BL_OK, "%s", error.sentence);
        cr_assert_eq(entries(name, part), 2);
        const char *cut = strchr(part, '.');
        cr_assert_not_null(cut);
        cr_assert((unsigned char)cut[-1] != 0xC3, "%zu", length);
        cr_assert_eq(finish(), BL_OK, "%s", error.sentence);
        cr_assert_eq(unlink(in_folder(name)), 0);
    }
    memset(name, 'x', sizeof name);
    char too_long[300];
    snprintf(too_long, sizeof too_long, "%.*sxx", 255, name);
    cr_assert_eq(begin(in_folder(too_long), BL_FILE_WHOLE), BL_FILE_FAILED);
}

Test(file, a_file_keeps_its_mode_and_a_new_one_gets_the_usual_mode)
{
    static const mode_t modes[] = {0600, 0644, 0664, 0640, 02755, 0200};
    const bool is_root = geteuid() == 0;
    umask(027);
    if (is_root) /* a write by root does not clear the set-group-ID bit */
        cr_assert_eq(seteuid(65534), 0);
    write_whole(in_folder("whole"), "");
    cr_assert_eq(mode_of(in_folder("whole")), 0640);
    cr_assert_eq(begin(in_folder("growing"), BL_FILE_GROWING), BL_OK);
    cr_assert_eq(finish(), BL_OK);
    cr_assert_eq(mode_of(in_folder("growing")), 0640);
    cr_assert_eq(umask(027), 027, "the umask is unchanged");
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        for (int kind = BL_FILE_WHOLE; kind <= BL_FILE_GROWING; kind++) {
            cr_assert_eq(chmod(in_folder("whole"), modes[i]), 0);
            cr_assert_eq(begin(in_folder("whole"), (enum bl_file_kind)kind), BL_OK);
            fputs("text", bl_file_stream(file));
            cr_assert_eq(bl_file_record(file, &error), BL_OK);
            cr_assert_eq(finish(), BL_OK);
            cr_assert_eq(mode_of(in_folder("whole")), modes[i], "%o", (unsigned)modes[i]);
        }
    cr_assert_eq(seteuid(is_root ? 0 : geteuid()), 0);
}

Test(file, root_keeps_the_files_owner)
{
    if (geteuid() != 0) {
        remove_folder(); /* called here, because .fini does not run if a test is skipped */
        cr_skip_test("only root can give a file away");
    }
    struct stat about;
    put(in_folder("x"), "old");
    cr_assert_eq(chown(in_folder("x"), 12345, 54321), 0);
    cr_assert_eq(chmod(in_folder("x"), 06750), 0);
    write_whole(in_folder("x"), "new");
    cr_assert_eq(stat(in_folder("x"), &about), 0);
    cr_assert_eq(about.st_uid, 12345);
    cr_assert_eq(about.st_gid, 54321);
    cr_assert_eq(about.st_mode & 07777, 06750);
}

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
