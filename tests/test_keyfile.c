/* Tests how files of 'key = value' lines are read, and how missing folders are created. */
#include <signal.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/keyfile.h"
#include "file_checks.h"

TestSuite(keyfile, .init = make_folder, .fini = remove_folder);

static char seen[256];

/* Appends "line number:key=value;" to `seen`. */
static enum bl_status note(void *context, const struct bl_key_line *line, struct bl_error *problem)
{
    (void)context, (void)problem;
    const size_t used = strlen(seen);
    snprintf(seen + used, sizeof seen - used, "%u:%.20s=%.20s;", line->number, line->key,
             line->value);
    return BL_OK;
}

static enum bl_status read_path(const char *path)
{
    seen[0] = error.sentence[0] = '\0';
    return bl_keyfile_read(path, note, NULL, &error);
}

static enum bl_status read_text(const char *text, size_t size)
{
    FILE *out = fopen(in_folder("k"), "w");
    fwrite(text, 1, size, out);
    fclose(out);
    return read_path(in_folder("k"));
}

Test(keyfile, keys_and_values_are_read)
{
    static const char text[] = "\xEF\xBB\xBF"
                               "a = 1\r\n\n# c\n b=x y # z\n\xEF\xBB\xBF"
                               "c=\nlast = 2";
    cr_assert_eq(read_text(text, sizeof text - 1), BL_OK, "%s", error.sentence);
    cr_assert_str_eq(seen, "1:a=1;4:b=x y;5:\xEF\xBB\xBF"
                           "c=;6:last=2;");
    cr_assert_eq(read_text("", 0), BL_OK);
    cr_assert_eq(read_text("\xEF\xBB\xBF", 3), BL_OK);
    cr_assert_str_eq(seen, "");
}

Test(keyfile, lines_without_a_key_and_a_value_are_refused)
{
    cr_assert_eq(read_text("a = 1\nword\nb = 2\n", 17), BL_BAD_FORMAT);
    cr_assert_str_eq(seen, "1:a=1;");
    cr_assert(strstr(error.sentence, "k:2: "), "%s", error.sentence);
    cr_assert_eq(read_text("= 1\n", 4), BL_BAD_FORMAT);
    cr_assert_eq(read_text("a = 1\nb\0 = 2\n", 13), BL_BAD_FORMAT);
    cr_assert(strstr(error.sentence, "k:2: a zero byte"), "%s", error.sentence);
}

/* Reads a file whose second line has this many bytes, with or without a line end. */
static enum bl_status read_long(size_t bytes, const char *end)
{
    char *text = malloc(bytes + 16);
    const int used = sprintf(text, "a = 1\nk = ");
    memset(text + used, 'v', bytes - 4);
    const size_t size =
        (size_t)sprintf(text + used + bytes - 4, "%s", end) + (size_t)used + bytes - 4;
    const enum bl_status status = read_text(text, size);
    free(text);
    return status;
}

Test(keyfile, a_line_has_at_most_4095_bytes)
{
    for (int has_end = 0; has_end < 2; has_end++) {
        cr_assert_eq(read_long(4095, has_end ? "\n" : ""), BL_OK, "%s", error.sentence);
        cr_assert_str_eq(seen, "1:a=1;2:k=vvvvvvvvvvvvvvvvvvvv;");
        cr_assert_eq(read_long(4096, has_end ? "\n" : ""), BL_BAD_FORMAT);
        cr_assert(strstr(error.sentence, "k:2: longer than 4095 bytes"), "%s", error.sentence);
        cr_assert_str_eq(seen, "1:a=1;");
    }
}

Test(keyfile, reading_stops_at_a_line_that_is_too_long)
{
    int how;
    cr_assert_eq(mkfifo(in_folder("pipe"), 0666), 0);
    if (fork() == 0) {
        FILE *out = fopen(in_folder("pipe"), "w");
        for (long i = 0; i < 100L << 20; i++)
            putc('x', out);
        _exit(0);
    }
    cr_assert_eq(read_path(in_folder("pipe")), BL_BAD_FORMAT, "%s", error.sentence);
    cr_assert(strstr(error.sentence, "pipe:1: longer than 4095 bytes"), "%s", error.sentence);
    cr_assert_gt(wait(&how), 0);
    cr_assert(WIFSIGNALED(how) && WTERMSIG(how) == SIGPIPE, "%x", (unsigned)how);
}

Test(keyfile, a_file_that_cannot_be_read_does_not_count_as_empty)
{
    cr_assert_eq(read_path(in_folder("none")), BL_FILE_FAILED);
    cr_assert_eq(read_path(folder), BL_FILE_FAILED);
    cr_assert(strstr(error.sentence, "Is a directory"), "%s", error.sentence);
}

Test(keyfile, pipes_and_standard_input_are_read)
{
    cr_assert_eq(mkfifo(in_folder("pipe"), 0666), 0);
    for (int i = 0; i < 3; i++) {
        const char *name = i == 0 ? in_folder("pipe") : i == 1 ? "/dev/stdin" : "-";
        /* Closes the reading end that the previous iteration opened. Otherwise the new writer would
         * not wait for a reader, and could have ended before the next reader opens the pipe. */
        cr_assert_not_null(freopen("/dev/null", "r", stdin));
        if (fork() == 0) {
            put(in_folder("pipe"), "a = 1\nword\n");
            _exit(0);
        }
        if (i > 0)
            cr_assert_not_null(freopen(in_folder("pipe"), "r", stdin));
        cr_assert_gt(i > 0 ? wait(NULL) : 1, 0); /* the writer has ended */
        cr_assert_eq(read_path(name), BL_BAD_FORMAT, "%s", error.sentence);
        cr_assert_str_eq(seen, "1:a=1;");
        cr_assert_gt(i > 0 ? 1 : wait(NULL), 0);
    }
    cr_assert(strstr(error.sentence, "standard input:2: "), "%s", error.sentence);
}

Test(folders, missing_folders_are_created, .init = make_folder, .fini = remove_folder)
{
    char *path = in_folder("a//b/c.csv"), *again = in_folder("a/b/d/e"),
         *below = in_folder("f/g/h");
    cr_assert_eq(bl_make_folders(path, &error), BL_OK, "%s", error.sentence);
    cr_assert_str_eq(path + strlen(folder), "/a//b/c.csv");
    cr_assert_eq(access(in_folder("a/b"), W_OK), 0);
    cr_assert_eq(bl_make_folders(again, &error), BL_OK, "%s", error.sentence);
    put(in_folder("f"), "");
    below = strcpy(malloc(512), below);
    cr_assert_eq(bl_make_folders(below, &error), BL_FILE_FAILED);
    cr_assert_str_eq(below + strlen(folder), "/f/g/h", "the path is restored");
    cr_assert(strstr(error.sentence, "/f: File exists"), "%s", error.sentence);
    free(below);
    cr_assert_eq(chdir(folder), 0);
    char empty[] = "\0/x/y", word[] = "word";
    cr_assert_eq(bl_make_folders(empty, &error), BL_OK);
    cr_assert_eq(bl_make_folders(word, &error), BL_OK);
    cr_assert_eq(access("x", F_OK), -1);
}
