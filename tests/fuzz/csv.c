/* Reads a run's CSV, and writes its rows to a new file. Reading and writing this new file again
 * must give the same bytes. */
#include "report/csv.h"
#include "fuzz.h"
#include "report/run.h"

struct kept {
    FILE *copy;
    size_t count;
};

static enum bl_status copy_row(void *context, const struct bl_run_info *run,
                               const struct bl_row *row, size_t line, struct bl_error *error)
{
    (void)line, (void)error;
    struct kept *kept = context;
    struct bl_run_info newer = *run;
    newer.schema = BL_CSV_SCHEMA;
    bl_csv_row(kept->copy, &newer, row);
    kept->count++;
    return BL_OK;
}

/* Copies the rows of a CSV to a new file. *count receives their number. */
static enum bl_status copy_rows(const char *from, const char *path, size_t *count,
                                struct bl_error *error)
{
    struct kept kept = {.copy = fopen(path, "w")};
    if (!kept.copy)
        abort();
    bl_csv_header(kept.copy);
    const enum bl_status status = bl_csv_read(from, copy_row, &kept, error);
    fclose(kept.copy);
    *count = kept.count;
    return status;
}

static bool are_equal(const char *one, const char *other)
{
    FILE *a = fopen(one, "r"), *b = fopen(other, "r");
    int c, d;
    do
        c = getc(a), d = getc(b);
    while (c == d && c != EOF);
    fclose(a);
    fclose(b);
    return c == d;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64], first[80], second[80];
    struct bl_error error = {0};
    struct bl_run_rows run;
    const int descriptor = as_file(data, size, path);
    enum bl_status status = bl_run_read(path, &run, &error);
    check_failure(status, &error);
    bl_run_free(&run);

    size_t count, again;
    snprintf(first, sizeof first, "/tmp/bankline-fuzz-%d.1", (int)getpid());
    snprintf(second, sizeof second, "/tmp/bankline-fuzz-%d.2", (int)getpid());
    if (copy_rows(path, first, &count, &error) == BL_OK &&
        (copy_rows(first, second, &again, &error) != BL_OK || again != count ||
         !are_equal(first, second)))
        abort();
    unlink(first);
    unlink(second);
    close(descriptor);
    return 0;
}
