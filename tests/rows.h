/* Example rows, and functions that write them in each output format. */
#ifndef BANKLINE_TESTS_ROWS_H
#define BANKLINE_TESTS_ROWS_H

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/compare.h"
#include "report/csv.h"
#include "report/layout.h"
#include "report/row.h"
#include "report/sink.h"

/* A row without numbers. */
static inline struct bl_row row_named(const char *case_id)
{
    struct bl_row row = bl_row_empty();
    strcpy(row.key.case_id, case_id);
    strcpy(row.key.type, "int");
    strcpy(row.key.shape, "16x1");
    strcpy(row.key.machine, "nvidia-hopper");
    snprintf(row.suite, sizeof row.suite, "%.*s", (int)strcspn(case_id, "/"), case_id);
    row.key.lanes = 16;
    return row;
}

/* A row with this measured ratio, whose interval is +-0.1 %. */
static inline struct bl_row row_of(const char *case_id, double ratio)
{
    struct bl_row row = row_named(case_id);
    row.measured = ratio;
    row.measured_lo = ratio * 0.999;
    row.measured_hi = ratio * 1.001;
    row.bytes_per_clock_cu = 64 * ratio;
    return row;
}

static inline struct bl_run_info run_on(const char *device)
{
    struct bl_run_info run = bl_run_info_empty();
    strcpy(run.device, device);
    return run;
}

static inline void write_rows(const char *path, const struct bl_run_info *run,
                              const struct bl_row rows[], size_t count)
{
    FILE *file = fopen(path, "w");
    bl_csv_header(file);
    for (size_t i = 0; i < count; i++)
        bl_csv_row(file, run, &rows[i]);
    fclose(file);
}

/* The text of a file; the caller frees it. */
static inline char *text_of_file(const char *path)
{
    static char *text; /* static, because open_memstream stores their addresses */
    static size_t size;
    size_t got;
    char block[4096];
    FILE *file = fopen(path, "r"), *memory = open_memstream(&text, &size);
    cr_assert(file && memory, "%s", path);
    while ((got = fread(block, 1, sizeof block, file)) > 0)
        fwrite(block, 1, got, memory);
    fclose(file);
    fclose(memory);
    return text;
}

static inline const struct bl_format *format_named(const char *name)
{
    size_t count;
    const struct bl_format *const *formats = bl_formats(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    cr_assert_fail("there is no format %s", name);
    return NULL;
}

/* Writes a run or, if `comparison` is not NULL, the comparison to a file in the format `name`.
 * Returns the file's text, which the caller frees. Skips the test if the program was built without
 * the format's library. */
static inline char *written(const char *name, const struct bl_run_info *run,
                            const struct bl_row rows[], size_t count,
                            const struct bl_comparison *comparison)
{
    static struct bl_machine machine;
    struct bl_error error = {0};
    const struct bl_format *format = format_named(name);
    if (format->lacks)
        cr_skip_test("built without %s", format->lacks);
    char path[] = "/tmp/bankline-format-XXXXXX";
    close(mkstemp(path));
    strcpy(machine.name, "nvidia-hopper");
    const struct bl_view view = {.machine = &machine, .tolerance = 0.1, .width = BL_ANY_WIDTH};
    const struct bl_sink_file file = {format, path};
    struct bl_sinks *sinks;
    cr_assert_eq(bl_sinks_open(&file, 1, &view, false, &sinks, &error), BL_OK, "%s",
                 error.sentence);
    if (comparison) {
        cr_assert_eq(bl_sinks_comparison(sinks, comparison, &error), BL_OK);
    } else {
        cr_assert_eq(bl_sinks_run(sinks, run, &error), BL_OK);
        for (size_t i = 0; i < count; i++)
            cr_assert_eq(bl_sinks_row(sinks, &rows[i], &error), BL_OK);
    }
    cr_assert_eq(bl_sinks_close(sinks, true, &error), BL_OK, "%s", error.sentence);
    char *text = text_of_file(path);
    unlink(path);
    return text;
}

static inline void has(const char *text, const char *part)
{
    cr_assert(strstr(text, part), "'%s' is missing in\n%s", part, text);
}

#endif
