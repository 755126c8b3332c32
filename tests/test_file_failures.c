/* Tests files that cannot be written: missing permissions, locks of other writers, and the files
 * that remain after a failure. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "file_checks.h"

TestSuite(file_failures, .init = make_folder, .fini = remove_folder);

Test(file_failures, a_file_that_must_not_be_written_is_refused_when_it_is_opened)
{
    put(in_folder("read-only"), "old");
    cr_assert_eq(chmod(in_folder("read-only"), 0444), 0);
    refuses(in_folder("read-only"), "it is read-only");
    refuses(folder, "Is a directory");
    refuses(in_folder("no/such"), "No such file or directory");
    refuses(in_folder("read-only/x"), "Not a directory");
    refuses(in_folder("new/"), "No such file or directory");
    refuses("", "No such file or directory");
    cr_assert_eq(bl_file_open(folder, BL_FILE_WHOLE, &file, NULL), BL_FILE_FAILED);
    cr_assert_eq(entries("", NULL), 1);
    has(in_folder("read-only"), "old");
}

Test(file_failures, permissions_apply_to_an_ordinary_user)
{
    put(in_folder("others"), "old");
    cr_assert_eq(chmod(in_folder("others"), 0444), 0);
    cr_assert_eq(mkdir(in_folder("closed"), 0755), 0);
    put(in_folder("closed/mine"), "old");
    cr_assert_eq(chmod(in_folder("closed/mine"), 0666), 0);
    if (geteuid() == 0) {
        cr_assert_eq(chmod(in_folder("others"), 0644), 0);
        put(in_folder("sticky-others"), "old");
        cr_assert_eq(chmod(in_folder("sticky-others"), 0666), 0);
        cr_assert_eq(seteuid(65534), 0);
        refuses(in_folder("others"), "Permission denied");
    } else {
        cr_assert_eq(chmod(in_folder("closed"), 0555), 0);
    }
    refuses(in_folder("closed/mine"), "no permission to make or replace a file in its folder");
    refuses(in_folder("closed/new"), "no permission to make or replace a file in its folder");
    if (getuid() == 0) {
        cr_assert_eq(seteuid(0), 0);
        cr_assert_eq(chmod(folder, 01777), 0);
        cr_assert_eq(seteuid(65534), 0);
        refuses(in_folder("sticky-others"), "no permission to make or replace");
        write_whole(in_folder("own"), "new");
        write_whole(in_folder("own"), "newer");
        cr_assert_eq(seteuid(0), 0);
    }
    cr_assert_eq(chmod(in_folder("closed"), 0755), 0);
}

Test(file_failures, a_second_writer_is_refused_until_the_first_has_ended)
{
    for (int is_there = 0; is_there < 2; is_there++)
        for (int kind = is_there ? BL_FILE_WHOLE : BL_FILE_GROWING; kind <= BL_FILE_GROWING;
             kind++) {
            cr_assert_eq(begin(in_folder("x"), (enum bl_file_kind)kind), BL_OK);
            struct bl_file *first = file;
            fputs("first\n", bl_file_stream(first));
            refuses(in_folder("x"), "it is being written by another process");
            cr_assert_eq(bl_file_close(first, true, &error), BL_OK);
            has(in_folder("x"), "first\n");
            write_whole(in_folder("x"), "second\n");
        }
    cr_assert_eq(entries("", NULL), 1);
}

Test(file_failures, the_file_of_new_records_beside_an_old_file_is_locked_too)
{
    char part[300];
    put(in_folder("x"), "old");
    cr_assert_eq(begin(in_folder("x"), BL_FILE_GROWING), BL_OK);
    record("one\n");
    cr_assert_eq(entries("x", part), 2);
    struct bl_file *first = file;
    refuses(in_folder(part), "it is being written by another process");
    cr_assert_eq(bl_file_close(first, true, &error), BL_OK);
}

/* A function to call once before the next flock(). The C library's flock() is replaced, so that a
 * test can change files between open() and flock(). */
static void (*before_lock)(void);

int flock(int descriptor, int operation)
{
    void (*meanwhile)(void) = before_lock;
    before_lock = NULL;
    if (meanwhile)
        meanwhile();
    return (int)syscall(SYS_flock, descriptor, operation);
}

static void replace_it(void)
{
    put(in_folder("other"), "another's\n");
    cr_assert_eq(rename(in_folder("other"), in_folder("x")), 0);
}

static void remove_it(void) { cr_assert_eq(unlink(in_folder("x")), 0); }

Test(file_failures, if_a_file_is_replaced_before_it_is_locked_the_new_file_is_locked)
{
    static void (*const events[])(void) = {replace_it, remove_it};
    for (int i = 0; i < 4; i++) {
        unlink(in_folder("x"));
        if (i < 2)
            put(in_folder("x"), "old\n");
        before_lock = events[i % 2];
        cr_assert_eq(begin(in_folder("x"), BL_FILE_GROWING), BL_OK, "%s", error.sentence);
        cr_assert_null(before_lock);
        struct bl_file *first = file;
        refuses(in_folder("x"), "it is being written by another process");
        fputs("first\n", bl_file_stream(first));
        has(in_folder("x"), i % 2 ? "" : "another's\n");
        cr_assert_eq(bl_file_close(first, true, &error), BL_OK, "%s", error.sentence);
        has(in_folder("x"), "first\n");
        cr_assert_eq(entries("", NULL), 1);
    }
}

static void limit_size(rlim_t bytes)
{
    const struct rlimit limit = {bytes, RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

Test(file_failures, a_record_that_does_not_fit_is_left_out_completely)
{
    char part[300] = "x";
    for (int is_there = 0; is_there < 2; is_there++) {
        cr_assert_eq(begin(in_folder("x"), BL_FILE_GROWING), BL_OK);
        record("one\n");
        entries("x", part);
        limit_size(10);
        fputs("a record of more bytes\n", bl_file_stream(file));
        const enum bl_status status = bl_file_record(file, &error);
        limit_size(RLIM_INFINITY);
        cr_assert_eq(status, BL_FILE_FAILED);
        cr_assert(strstr(error.sentence, in_folder("x")), "%s", error.sentence);
        cr_assert(strstr(error.sentence, "File too large"), "%s", error.sentence);
        cr_assert_eq(strstr(error.sentence, "; the records so far are in ") != NULL, is_there);
        has(in_folder(part), "one\n");
        record("three\n");
        has(in_folder(part), "one\nthree\n");
        cr_assert_eq(finish(), BL_FILE_FAILED, "a record is missing");
        has(in_folder(part), "one\nthree\n");
        put(in_folder("x"), "old\n");
    }
    cr_assert(strstr(error.sentence, in_folder(part)), "%s", error.sentence);
    cr_assert_eq(entries("", NULL), 2);
}

Test(file_failures, a_whole_file_that_does_not_fit_leaves_the_old_file_unchanged)
{
    for (int is_there = 0; is_there < 2; is_there++) {
        cr_assert_eq(begin(in_folder("x"), BL_FILE_WHOLE), BL_OK);
        fputs("more than fits", bl_file_stream(file));
        limit_size(10);
        const enum bl_status status = finish();
        limit_size(RLIM_INFINITY);
        cr_assert_eq(status, BL_FILE_FAILED);
        cr_assert(strstr(error.sentence, "File too large"), "%s", error.sentence);
        cr_assert_null(strstr(error.sentence, "so far"), "%s", error.sentence);
        cr_assert_eq(entries("", NULL), (unsigned)is_there);
        put(in_folder("x"), "old");
    }
    has(in_folder("x"), "old");
}

Test(file_failures, a_whole_file_that_cannot_be_renamed_is_removed)
{
    cr_assert_eq(begin(in_folder("x"), BL_FILE_WHOLE), BL_OK);
    fputs("text", bl_file_stream(file));
    cr_assert_eq(mkdir(in_folder("x"), 0777), 0);
    cr_assert_eq(finish(), BL_FILE_FAILED);
    cr_assert(strstr(error.sentence, "created, changed"), "%s", error.sentence);
    cr_assert_null(strstr(error.sentence, "so far"), "%s", error.sentence);
    cr_assert_eq(entries("", NULL), 1);
}

Test(file_failures, a_file_that_another_process_created_meanwhile_is_not_replaced)
{
    cr_assert_eq(begin(in_folder("x"), BL_FILE_WHOLE), BL_OK);
    fputs("text", bl_file_stream(file));
    put(in_folder("x"), "another's\n");
    cr_assert_eq(finish(), BL_FILE_FAILED);
    cr_assert(strstr(error.sentence, "created, changed"), "%s", error.sentence);
    has(in_folder("x"), "another's\n");
    cr_assert_eq(entries("", NULL), 1);
}

Test(file_failures, it_is_an_error_if_another_process_replaces_a_new_growing_file)
{
    cr_assert_eq(begin(in_folder("x"), BL_FILE_GROWING), BL_OK);
    record("one\n");
    cr_assert_eq(unlink(in_folder("x")), 0);
    put(in_folder("x"), "another's\n");
    cr_assert_eq(finish(), BL_FILE_FAILED);
    cr_assert(strstr(error.sentence, "removed or replaced it meanwhile"), "%s", error.sentence);
    has(in_folder("x"), "another's\n");
}

Test(file_failures, if_another_process_replaces_the_old_file_its_file_is_kept)
{
    put(in_folder("x"), "old\n");
    cr_assert_eq(begin(in_folder("x"), BL_FILE_GROWING), BL_OK);
    record("one\n");
    cr_assert_eq(unlink(in_folder("x")), 0);
    put(in_folder("x"), "another's\n");
    cr_assert_eq(finish(), BL_FILE_FAILED);
    cr_assert(strstr(error.sentence, "replaced it meanwhile"), "%s", error.sentence);
    has(in_folder("x"), "another's\n");
}

Test(file_failures, after_another_process_truncates_a_file_no_record_is_written)
{
    cr_assert_eq(begin(in_folder("x"), BL_FILE_GROWING), BL_OK);
    record("one\n");
    cr_assert_eq(truncate(in_folder("x"), 0), 0);
    fputs("two\n", bl_file_stream(file));
    cr_assert_eq(bl_file_record(file, &error), BL_FILE_FAILED);
    cr_assert(strstr(error.sentence, "changed, removed"), "%s", error.sentence);
    bl_file_close(file, true, &error);
    has(in_folder("x"), "");
}

extern void __asan_init(void) __attribute__((weak));

Test(file_failures, if_an_allocation_fails_the_old_file_is_kept)
{
    if (__asan_init)
        remove_folder(); /* called here, because .fini does not run if a test is skipped */
    if (__asan_init)
        cr_skip_test("AddressSanitizer needs all addresses");
    struct rlimit limit = {64 << 20, RLIM_INFINITY};
    put(in_folder("x"), "old");
    cr_assert_eq(begin(in_folder("x"), BL_FILE_WHOLE), BL_OK);
    cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
    for (int i = 0; i < 128 << 20 && !ferror(bl_file_stream(file)); i += 16)
        fputs("sixteen letters\n", bl_file_stream(file));
    const enum bl_status status = finish();
    limit.rlim_cur = RLIM_INFINITY;
    cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
    cr_assert_eq(status, BL_NO_MEMORY, "%s", error.sentence);
    has(in_folder("x"), "old");
    cr_assert_eq(entries("", NULL), 1);
}
