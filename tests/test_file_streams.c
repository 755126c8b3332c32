/* Tests output to descriptors, pipes and devices, which are written to and never replaced. */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "file_checks.h"

TestSuite(file_streams, .init = make_folder, .fini = remove_folder);

/* Opens path as this descriptor. */
static void redirect(int descriptor, const char *path, int flags)
{
    const int opened = open(path, flags, 0666);
    cr_assert_geq(opened, 0, "%s", path);
    cr_assert_eq(dup2(opened, descriptor), descriptor);
    close(opened);
}

static ino_t inode_of(const char *path)
{
    struct stat about;
    cr_assert_eq(stat(path, &about), 0);
    return about.st_ino;
}

Test(file_streams, if_standard_output_is_a_file_output_is_written_at_its_present_position)
{
    char here[64];
    const int kept = dup(STDOUT_FILENO);
    snprintf(here, sizeof here, "/proc/%d/fd/1", (int)getpid());
    cr_assert_eq(symlink("/dev/stdout", in_folder("chain")), 0);
    cr_assert_eq(symlink("chain", in_folder("link")), 0);
    cr_assert_eq(symlink("/proc/self/fd", in_folder("fds")), 0);
    const char *names[] = {
        "-",  "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "//dev/../dev/stdout",
        here, "link",        "fds/1"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (int kind = BL_FILE_WHOLE; kind <= BL_FILE_GROWING; kind++) {
            const char *name = i < 6 ? names[i] : in_folder(names[i]);
            fflush(stdout);
            redirect(STDOUT_FILENO, in_folder("out"), O_WRONLY | O_CREAT | O_TRUNC);
            const ino_t before = inode_of(in_folder("out"));
            fputs("heading\n", stdout);
            const enum bl_status status =
                bl_file_open(name, (enum bl_file_kind)kind, &file, &error);
            const bool is_stdout = status == BL_OK && bl_file_is_stdout(file);
            if (status == BL_OK)
                fputs("rows\n", bl_file_stream(file));
            const enum bl_status closed = bl_file_close(file, true, &error);
            fputs("footer\n", stdout);
            fflush(stdout);
            dup2(kept, STDOUT_FILENO);
            cr_assert_eq(status, BL_OK, "%s: %s", name, error.sentence);
            cr_assert_eq(closed, BL_OK, "%s: %s", name, error.sentence);
            cr_assert(is_stdout, "%s", name);
            has(in_folder("out"), "heading\nrows\nfooter\n");
            cr_assert_eq(inode_of(in_folder("out")), before, "%s", name);
        }
}

Test(file_streams, output_to_a_descriptor_is_appended_to_its_file)
{
    redirect(77, in_folder("seven"), O_WRONLY | O_CREAT | O_TRUNC);
    cr_assert_eq(write(77, "before\n", 7), 7);
    cr_assert_eq(begin("/dev/fd/77", BL_FILE_GROWING), BL_OK, "%s", error.sentence);
    cr_assert_not(bl_file_is_stdout(file));
    record("one\n");
    has(in_folder("seven"), "before\none\n");
    cr_assert_eq(bl_file_close(file, false, &error), BL_OK, "%s", error.sentence);
    has(in_folder("seven"), "before\none\n");
    cr_assert_eq(write(77, "after\n", 6), 6, "the descriptor is still open");
    has(in_folder("seven"), "before\none\nafter\n");
    cr_assert_eq(begin("/dev/fd/78", BL_FILE_WHOLE), BL_FILE_FAILED);
    cr_assert(strstr(error.sentence, "not open for writing"), "%s", error.sentence);
}

Test(file_streams, standard_error_counts_as_standard_output_if_both_are_the_same_file)
{
    redirect(STDERR_FILENO, in_folder("err"), O_WRONLY | O_CREAT | O_TRUNC);
    cr_assert_eq(begin("/dev/stderr", BL_FILE_WHOLE), BL_OK);
    cr_assert_not(bl_file_is_stdout(file));
    fputs("text\n", bl_file_stream(file));
    cr_assert_eq(finish(), BL_OK);
    has(in_folder("err"), "text\n");
    const int kept = dup(STDOUT_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    const enum bl_status status = begin("/dev/stderr", BL_FILE_WHOLE);
    const bool is_stdout = bl_file_is_stdout(file);
    redirect(STDOUT_FILENO, "/dev/null", O_WRONLY);
    bl_file_close(file, true, &error);
    cr_assert_eq(begin("/dev/null", BL_FILE_WHOLE), BL_OK);
    const bool null_is_stdout = bl_file_is_stdout(file);
    dup2(kept, STDOUT_FILENO);
    cr_assert_eq(status, BL_OK);
    cr_assert(is_stdout);
    cr_assert_not(null_is_stdout);
    cr_assert_eq(finish(), BL_OK);
}

Test(file_streams, devices_are_written_to)
{
    cr_assert_eq(symlink("/dev/full", in_folder("link")), 0);
    static const char *const names[] = {"/dev/full", "link"};
    for (int i = 0; i < 2; i++) {
        const char *name = i ? in_folder(names[i]) : names[i];
        for (int kind = BL_FILE_WHOLE; kind <= BL_FILE_GROWING; kind++) {
            cr_assert_eq(begin(name, (enum bl_file_kind)kind), BL_OK, "%s", error.sentence);
            fputs("text", bl_file_stream(file));
            if (kind == BL_FILE_GROWING)
                cr_assert_eq(bl_file_record(file, &error), BL_FILE_FAILED);
            cr_assert_eq(finish(), BL_FILE_FAILED);
            cr_assert(strstr(error.sentence, "No space left on device"), "%s", error.sentence);
        }
    }
    cr_assert_eq(begin("/dev/null", BL_FILE_GROWING), BL_OK);
    record("one\n");
    cr_assert_eq(finish(), BL_OK);
    const enum bl_status status = begin("/dev/no-such-device", BL_FILE_GROWING);
    bl_file_close(file, false, NULL);
    cr_assert_eq(status, BL_FILE_FAILED);
    cr_assert_eq(access("/dev/no-such-device", F_OK), -1);
}

/* Paths such as /proc/PID/fd/N look like symbolic links, but only the OS kernel can follow them. */
Test(file_streams, files_opened_by_another_process_are_written_to_and_not_replaced)
{
    int ends[2];
    char name[64], text[16] = "";
    put(in_folder("out"), "before\n");
    cr_assert_eq(pipe(ends), 0);
    const int ours[] = {open(in_folder("out"), O_WRONLY | O_CLOEXEC), ends[1]};
    const ino_t before = inode_of(in_folder("out"));
    const pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "/proc/%d/fd/%d", (int)child, ours[i]);
        cr_assert_eq(begin(name, BL_FILE_WHOLE), BL_OK, "%s", error.sentence);
        fputs("text\n", bl_file_stream(file));
        cr_assert_eq(finish(), BL_OK, "%s", error.sentence);
    }
    kill(child, SIGKILL);
    wait(NULL);
    has(in_folder("out"), "before\ntext\n");
    cr_assert_eq(inode_of(in_folder("out")), before);
    cr_assert_eq(read(ends[0], text, sizeof text - 1), 5);
    cr_assert_str_eq(text, "text\n");
}

Test(file_streams, a_named_pipe_is_written_to)
{
    char text[16] = "";
    cr_assert_eq(mkfifo(in_folder("pipe"), 0666), 0);
    const int reader = open(in_folder("pipe"), O_RDONLY | O_NONBLOCK);
    cr_assert_eq(begin(in_folder("pipe"), BL_FILE_GROWING), BL_OK, "%s", error.sentence);
    record("one\n");
    cr_assert_eq(read(reader, text, sizeof text - 1), 4);
    cr_assert_str_eq(text, "one\n");
    close(reader);
    signal(SIGPIPE, SIG_IGN);
    fputs("two\n", bl_file_stream(file));
    cr_assert_eq(bl_file_record(file, &error), BL_FILE_FAILED);
    cr_assert(strstr(error.sentence, "Broken pipe"), "%s", error.sentence);
    cr_assert_eq(bl_file_close(file, true, NULL), BL_FILE_FAILED, "the error may be NULL");
}

Test(file_streams, if_standard_output_has_no_reader_the_status_is_no_reader)
{
    int ends[2];
    const int kept = dup(STDOUT_FILENO);
    signal(SIGPIPE, SIG_IGN);
    fflush(stdout);
    cr_assert_eq(pipe(ends), 0);
    close(ends[0]);
    dup2(ends[1], STDOUT_FILENO);
    const enum bl_status opened = begin("-", BL_FILE_GROWING);
    fputs("text", bl_file_stream(file));
    const enum bl_status recorded = bl_file_record(file, &error),
                         closed = bl_file_close(file, false, &error);
    dup2(kept, STDOUT_FILENO);
    cr_assert_eq(opened, BL_OK);
    cr_assert_eq(recorded, BL_NO_READER);
    cr_assert_eq(closed, BL_NO_READER);
    cr_assert_str_eq(error.sentence, "cannot write to standard output: Broken pipe");
    cr_assert_eq(bl_status_exit(BL_NO_READER), 4);
}

/* Closes the standard streams and tests what is opened afterwards. Returns 0 if all checks hold.
 * Runs in a child process, because Criterion needs the test's descriptors for its report. */
static int use_closed_streams(void)
{
    char byte;
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
    bl_file_guard_standard_streams();
    const int next = open("/dev/null", O_RDWR);
    const bool is_refused = bl_file_open("-", BL_FILE_WHOLE, &file, &error) == BL_FILE_FAILED &&
                            strstr(error.sentence, "standard output: it is not open for writing");
    return next > STDERR_FILENO && is_refused && read(STDIN_FILENO, &byte, 1) < 0 &&
                   write(STDOUT_FILENO, "x", 1) < 0 && write(STDERR_FILENO, "x", 1) < 0
               ? 0
               : 1;
}

Test(file_streams, no_file_gets_the_descriptor_of_a_closed_standard_stream)
{
    int how;
    fflush(NULL);
    if (fork() == 0)
        _exit(use_closed_streams());
    cr_assert_gt(wait(&how), 0);
    cr_assert(WIFEXITED(how) && WEXITSTATUS(how) == 0, "%x", (unsigned)how);
    bl_file_guard_standard_streams();
    cr_assert_geq(fcntl(STDOUT_FILENO, F_GETFD), 0);
}
