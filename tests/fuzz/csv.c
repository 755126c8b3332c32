/* A run's CSV; what can be read is written again and must come back the same. */
#include "report/csv.h"
#include "fuzz.h"
#include "report/compare.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct bl_error error = {0};
    struct bl_run_file run;
    const int descriptor = as_file(data, size, path);
    enum bl_status status = bl_run_file_read(path, &run, &error);
    check_failure(status, &error);
    bl_run_file_free(&run);

    FILE *file = fopen(path, "r");
    struct bl_row *rows, *again;
    size_t count, again_count;
    status = bl_csv_read(file, &rows, &count, &error);
    fclose(file);
    if (status == BL_OK) {
        FILE *copy = tmpfile();
        if (!copy || bl_csv_header(copy, &error) != BL_OK)
            abort();
        for (size_t i = 0; i < count; i++) {
            rows[i].schema = BL_CSV_SCHEMA;
            if (bl_csv_row(copy, &rows[i], &error) != BL_OK)
                abort();
        }
        rewind(copy);
        if (bl_csv_read(copy, &again, &again_count, &error) != BL_OK || again_count != count)
            abort();
        for (size_t i = 0; i < count; i++)
            if (strcmp(rows[i].case_id, again[i].case_id) != 0 ||
                strcmp(rows[i].reason, again[i].reason) != 0 || rows[i].lanes != again[i].lanes)
                abort();
        fclose(copy);
        free(again);
    }
    free(rows);
    close(descriptor);
    return 0;
}
