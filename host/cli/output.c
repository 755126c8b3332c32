#include "cli/output.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/folders.h"
#include "measure/surroundings.h"
#include "report/csv.h"
#include "version.h"

enum { CSV_FILE, RESULTS_FILE, FILE_COUNT };

static void describe_run(struct bl_row *run, const struct bl_device *device)
{
    *run = bl_row_empty();
    const time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(run->time_utc, sizeof run->time_utc, "%Y-%m-%dT%H:%M:%SZ", &utc);
    uint64_t random = 0;
    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
        random = (uint64_t)getpid();
    char compact[32];
    strftime(compact, sizeof compact, "%Y%m%dT%H%M%SZ", &utc);
    snprintf(run->run_id, sizeof run->run_id, "%s-%08" PRIx32, compact, (uint32_t)random);
    snprintf(run->tool_version, sizeof run->tool_version, "%s", BL_VERSION);
    if (gethostname(run->host, sizeof run->host - 1) != 0)
        run->host[0] = '\0';
    const struct bl_surroundings around = bl_surroundings_read("");
    strcpy(run->os, around.os);
    strcpy(run->cpu, around.cpu);
    strcpy(run->governor, around.governor);
    if (!device)
        return;
    snprintf(run->platform, sizeof run->platform, "%s", device->platform_name);
    snprintf(run->device, sizeof run->device, "%s", device->name);
    snprintf(run->driver, sizeof run->driver, "%s", device->driver);
}

/* "NVIDIA H100 80GB HBM3" becomes "nvidia-h100-80gb-hbm3". */
static void slug_of(const char *name, char slug[64])
{
    size_t used = 0;
    for (; *name && used < 63; name++) {
        if (isalnum((unsigned char)*name))
            slug[used++] = (char)tolower((unsigned char)*name);
        else if (used > 0 && slug[used - 1] != '-')
            slug[used++] = '-';
    }
    while (used > 0 && slug[used - 1] == '-')
        used--;
    slug[used] = '\0';
}

/* DIR/<device>/<utc>.csv, and its folders. */
static enum bl_status name_result(const char *folder, const struct bl_row *run, char path[4096],
                                  struct bl_error *error)
{
    char slug[64], compact[32];
    slug_of(run->device, slug);
    snprintf(compact, sizeof compact, "%.16s", run->run_id);
    if (snprintf(path, 4096, "%s/%s/%s.csv", folder, slug, compact) >= 4096)
        return bl_fail(error, BL_FILE_FAILED, "the path of --results is too long");
    return bl_make_folders(path, error);
}

static bool wants_documents(const struct bl_options *options)
{
    for (unsigned d = 0; d < BL_DOCUMENT_COUNT; d++)
        if (options->documents[d])
            return true;
    return false;
}

bool bl_output_is_wanted(const struct bl_options *options)
{
    return options->csv || options->results || wants_documents(options);
}

static enum bl_status check_documents(const struct bl_options *options, struct bl_error *error)
{
    for (unsigned d = 0; d < BL_DOCUMENT_COUNT; d++) {
        const char *path = options->documents[d], *library;
        if (!path)
            continue;
        if (!bl_document_is_built((enum bl_document)d, &library))
            return bl_fail(error, BL_USAGE, "cannot write %s: this bankline was built without %s",
                           path, library);
        /* Told now, and not when all is measured. */
        const char *slash = strrchr(path, '/');
        char folder[4096];
        snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 1,
                 slash ? path : ".");
        if (access(path, W_OK) != 0 && access(folder, W_OK | X_OK) != 0)
            return bl_fail(error, BL_FILE_FAILED, "cannot write %s: %s", path, strerror(errno));
    }
    return BL_OK;
}

enum bl_status bl_output_open(const struct bl_options *options, const struct bl_device *device,
                              struct bl_output *output, struct bl_error *error)
{
    memset(output, 0, sizeof *output);
    output->options = options;
    describe_run(&output->run, device);
    enum bl_status status = check_documents(options, error);
    if (status != BL_OK)
        return status;
    char path[4096];
    if (options->csv)
        status = bl_csv_open(options->csv, &output->files[CSV_FILE], error);
    if (options->results && status == BL_OK)
        status = name_result(options->results, &output->run, path, error);
    if (options->results && status == BL_OK)
        status = bl_csv_open(path, &output->files[RESULTS_FILE], error);
    output->is_open = status == BL_OK;
    if (status != BL_OK)
        bl_output_close(output, false, NULL);
    return status;
}

/* Takes the row, or at least its samples. */
static enum bl_status keep(struct bl_output *output, struct bl_row *row, struct bl_error *error)
{
    enum bl_status status = BL_OK;
    if (wants_documents(output->options) && output->count == output->capacity) {
        const size_t capacity = output->capacity ? 2 * output->capacity : 64;
        struct bl_row *more = realloc(output->rows, capacity * sizeof *more);
        if (more) {
            output->rows = more;
            output->capacity = capacity;
        } else {
            status = bl_fail(error, BL_NO_MEMORY, "no memory for %zu rows", capacity);
        }
    }
    if (output->count < output->capacity) {
        output->rows[output->count++] = *row;
    } else {
        free(row->sample_ratios);
        row->sample_ratios = NULL;
    }
    return status;
}

enum bl_status bl_output_row(struct bl_output *output, struct bl_row *row, struct bl_error *error)
{
    const struct bl_row *run = &output->run;
    memcpy(row->run_id, run->run_id, sizeof row->run_id);
    memcpy(row->time_utc, run->time_utc, sizeof row->time_utc);
    memcpy(row->tool_version, run->tool_version, sizeof row->tool_version);
    memcpy(row->host, run->host, sizeof row->host);
    memcpy(row->platform, run->platform, sizeof row->platform);
    memcpy(row->device, run->device, sizeof row->device);
    memcpy(row->driver, run->driver, sizeof row->driver);
    memcpy(row->os, run->os, sizeof row->os);
    memcpy(row->cpu, run->cpu, sizeof row->cpu);
    memcpy(row->governor, run->governor, sizeof row->governor);
    enum bl_status first = keep(output, row, error);
    for (int i = 0; i < FILE_COUNT; i++) {
        if (!output->files[i].file)
            continue;
        const enum bl_status status =
            bl_csv_add(&output->files[i], row, first == BL_OK ? error : NULL);
        first = first == BL_OK ? status : first;
    }
    return first;
}

enum bl_status bl_output_close(struct bl_output *output, bool is_whole, struct bl_error *error)
{
    enum bl_status status = BL_OK;
    for (int i = 0; i < FILE_COUNT; i++) {
        const enum bl_status closed =
            bl_csv_close(&output->files[i], is_whole, status == BL_OK ? error : NULL);
        status = status == BL_OK ? closed : status;
    }
    /* A document of half a run would look like one of a whole run. */
    for (unsigned d = 0; d < BL_DOCUMENT_COUNT && output->is_open && is_whole; d++) {
        if (!output->options->documents[d])
            continue;
        const struct bl_document_content content = {.rows = output->rows, .count = output->count};
        const enum bl_status saved =
            bl_document_save((enum bl_document)d, output->options->documents[d], &content,
                             status == BL_OK ? error : NULL);
        status = status == BL_OK ? saved : status;
    }
    for (size_t i = 0; i < output->count; i++)
        free(output->rows[i].sample_ratios);
    free(output->rows);
    output->rows = NULL;
    output->count = output->capacity = 0;
    return status;
}
