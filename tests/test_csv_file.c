/* A CSV that grows row by row: whole lines at any moment, and the old file until the new one is
 * whole. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/csv.h"
#include "report/csv_file.h"

static struct bl_error error;
static struct bl_csv_file csv;
static char folder[] = "/tmp/bankline-csv-XXXXXX", path[64], part[80];

static void make(void)
{
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/run.csv", folder);
    snprintf(part, sizeof part, "%s.part", path);
}

static void unmake(void)
{
    unlink(path);
    unlink(part);
    cr_assert_eq(rmdir(folder), 0, "something else is left");
}

TestSuite(csv_file, .init = make, .fini = unmake);

static void write_old(void)
{
    FILE *file = fopen(path, "w");
    fputs("old\n", file);
    fclose(file);
}

static bool is_old(void)
{
    char text[16] = "";
    FILE *file = fopen(path, "r");
    const size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    return size == 4 && strcmp(text, "old\n") == 0;
}

/* Rows of a file that must be readable. */
static size_t rows_in(const char *name)
{
    FILE *file = fopen(name, "r");
    struct bl_row *rows;
    size_t count;
    cr_assert_not_null(file, "%s", name);
    cr_assert_eq(bl_csv_read(file, &rows, &count, &error), BL_OK, "%s", error.sentence);
    fclose(file);
    free(rows);
    return count;
}

static void add(unsigned count)
{
    const struct bl_row row = bl_row_empty();
    for (unsigned i = 0; i < count; i++)
        cr_assert_eq(bl_csv_add(&csv, &row, &error), BL_OK, "%s", error.sentence);
}

Test(csv_file, where_there_is_none_rows_can_be_read_as_they_come)
{
    cr_assert_eq(bl_csv_open(path, &csv, &error), BL_OK);
    cr_assert_eq(rows_in(path), 0);
    add(1);
    cr_assert_eq(rows_in(path), 1);
    add(2);
    cr_assert_eq(bl_csv_close(&csv, true, &error), BL_OK);
    cr_assert_eq(rows_in(path), 3);
    cr_assert_eq(access(part, F_OK), -1);
    cr_assert_eq(bl_csv_close(&csv, true, &error), BL_OK, "once is enough");
}

Test(csv_file, an_old_one_stays_until_the_new_one_is_whole)
{
    write_old();
    cr_assert_eq(bl_csv_open(path, &csv, &error), BL_OK);
    add(2);
    cr_assert(is_old());
    cr_assert_eq(rows_in(part), 2);
    cr_assert_eq(bl_csv_close(&csv, true, &error), BL_OK, "%s", error.sentence);
    cr_assert_eq(rows_in(path), 2);
    cr_assert_eq(access(part, F_OK), -1);
}

Test(csv_file, an_old_one_stays_when_the_new_one_does_not_become_whole)
{
    write_old();
    cr_assert_eq(bl_csv_open(path, &csv, &error), BL_OK);
    add(2);
    cr_assert_eq(bl_csv_close(&csv, false, &error), BL_FILE_FAILED);
    cr_assert(strstr(error.sentence, "is as it was; the rows so far are in "), "%s",
              error.sentence);
    cr_assert(is_old());
    cr_assert_eq(rows_in(part), 2);
    write_old();
    cr_assert_eq(bl_csv_open(path, &csv, &error), BL_OK);
    cr_assert_eq(bl_csv_close(&csv, false, NULL), BL_FILE_FAILED, "nobody need listen");
}

Test(csv_file, a_row_that_does_not_fit_is_not_there_by_half)
{
    const struct bl_row row = bl_row_empty();
    struct stat about;
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(bl_csv_open(path, &csv, &error), BL_OK);
    add(1);
    cr_assert_eq(stat(path, &about), 0);
    const struct rlimit limit = {(rlim_t)about.st_size + 10, RLIM_INFINITY},
                        none = {RLIM_INFINITY, RLIM_INFINITY};
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const enum bl_status status = bl_csv_add(&csv, &row, &error);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
    cr_assert_eq(status, BL_FILE_FAILED);
    cr_assert(strstr(error.sentence, path) && strstr(error.sentence, "File too large"), "%s",
              error.sentence);
    cr_assert_eq(rows_in(path), 1, "ten bytes of it were written");
    add(1); /* there is room again */
    cr_assert_eq(rows_in(path), 2);
    bl_csv_close(&csv, true, &error);
}

Test(csv_file, a_header_that_does_not_fit_leaves_what_was_there)
{
    signal(SIGXFSZ, SIG_IGN);
    const struct rlimit limit = {10, RLIM_INFINITY}, none = {RLIM_INFINITY, RLIM_INFINITY};
    for (int is_there = 0; is_there < 2; is_there++) {
        if (is_there)
            write_old();
        cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
        const enum bl_status status = bl_csv_open(path, &csv, &error);
        cr_assert_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
        cr_assert_eq(status, BL_FILE_FAILED);
        cr_assert_null(csv.file);
        cr_assert_eq(access(path, F_OK), is_there ? 0 : -1);
        cr_assert_eq(access(part, F_OK), -1);
    }
    cr_assert(is_old());
}

Test(csv_file, what_cannot_be_written_is_told_at_once)
{
    char other[5000];
    memset(other, 'x', sizeof other - 1);
    other[sizeof other - 1] = '\0';
    cr_assert_eq(bl_csv_open(other, &csv, &error), BL_FILE_FAILED);
    cr_assert_eq(bl_csv_open("/no/such/folder/x.csv", &csv, &error), BL_FILE_FAILED);
    cr_assert(strstr(error.sentence, "/no/such/folder/x.csv: No such file"), "%s", error.sentence);
    cr_assert_eq(bl_csv_open(folder, &csv, &error), BL_FILE_FAILED);
    cr_assert_eq(bl_csv_open("/dev/full", &csv, &error), BL_FILE_FAILED);
    cr_assert_null(csv.file);
    cr_assert_eq(bl_csv_open("/dev/null", &csv, &error), BL_OK);
    add(1);
    cr_assert_eq(bl_csv_close(&csv, true, &error), BL_OK, "%s", error.sentence);
}
