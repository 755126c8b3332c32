/* Tests the reading of runs: which files are refused, and which line the message names. */
#include "run_files.h"

TestSuite(run, .init = make_files, .fini = remove_files);

Test(run, the_lowest_and_the_highest_clock_of_the_rows_are_found)
{
    struct bl_row rows[] = {row_of("one", 1), row_of("two", 1), row_of("three", 1)};
    double lowest, highest;
    struct bl_run_rows made = {.rows = rows, .count = 3};
    bl_run_device_mhz(&made, &lowest, &highest);
    cr_assert(isnan(lowest) && isnan(highest));
    rows[1].device_mhz = 1150;
    rows[2].device_mhz = 900;
    bl_run_device_mhz(&made, &lowest, &highest);
    cr_assert_float_eq(lowest, 900, 0);
    cr_assert_float_eq(highest, 1150, 0);
}

static void refused(const char *sentence_part)
{
    struct bl_run_rows read;
    cr_assert_eq(bl_run_read(old_path, &read, &error), BL_BAD_FORMAT);
    has(error.sentence, old_path);
    has(error.sentence, sentence_part);
    bl_run_free(&read);
}

Test(run, a_file_that_is_not_a_run_is_refused_with_its_line)
{
    struct bl_row rows[] = {row_of("one", 1), row_of("two", 1), row_of("one", 1)};
    write_run(old_path, rows, 3);
    refused("line 4: the same row of one as in line 2");
    write_run(old_path, rows, 0);
    refused("line 1: there are no rows after the header");
    static const double intervals[][3] = {{0, 1, 2}, {1, 1.5, 2}, {1, 0.2, 0.5}, {1, -1, 2}};
    for (size_t i = 0; i < sizeof intervals / sizeof intervals[0]; i++) {
        struct bl_row odd = row_of("one", intervals[i][0]);
        odd.measured_lo = intervals[i][1];
        odd.measured_hi = intervals[i][2];
        write_run(old_path, &odd, 1);
        refused("line 2: measured ");
    }
    fclose(fopen(old_path, "w"));
    refused("line 1");
    write_run(old_path, rows, 1);
    cr_assert_eq(truncate(old_path, (off_t)strlen(text_of_file(old_path)) - 30), 0);
    refused("line 2: ");
    struct bl_run_rows read;
    cr_assert_eq(bl_run_read("/no/such", &read, &error), BL_FILE_FAILED);
    bl_run_free(&read);
}

/* Writes rows with two devices, and then rows with two run ids, to one file. */
Test(run, a_file_of_two_runs_is_refused)
{
    const struct bl_row one = row_of("one", 1), two = row_of("two", 1);
    struct bl_run_info other = run_on("device");
    for (int i = 0; i < 2; i++) {
        FILE *file = fopen(old_path, "w");
        run = run_on("device");
        strcpy(run.run_id, "a");
        other = run;
        strcpy(i ? other.run_id : other.device, "b");
        bl_csv_header(file);
        bl_csv_row(file, &run, &one);
        bl_csv_row(file, &other, &two);
        fclose(file);
        refused(i ? "line 3: run_id 'b' differs from the run's 'a'"
                  : "line 3: device 'b' differs from the run's 'device'");
    }
}
