/* Writes and reads saved traces (gate.h).
 *
 * A saved trace is kept in a repository beside the program, so it is text that is easy to diff. A
 * merge or an editor may damage the file, and a comparison with half a trace would miss
 * regressions, so every field is checked when the file is read. */
#include "trace/gate.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/keyfile.h"
#include "base/text.h"
#include "model/machine_file.h"

#define SCHEMA "3"

enum { LONGEST_TEXT = 330 }; /* bytes; encoding can triple the length */

static enum bl_status no_memory(struct bl_error *error)
{
    return bl_fail(error, BL_NO_MEMORY, "out of memory while handling a saved trace");
}

/* Converting a trace. */

uint64_t bl_saved_machine_hash(const struct bl_machine *machine)
{
    uint64_t hash = BL_HASH_BEGIN;
    char text[4096];
    for (size_t i = 0; i < bl_machine_field_count; i++) {
        const struct bl_machine_field *field = &bl_machine_fields[i];
        if (field->kind == BL_FIELD_TEXT || field->kind == BL_FIELD_RANGES ||
            field->kind == BL_FIELD_VERSIONS || field->kind == BL_FIELD_DEVICES ||
            bl_machine_value_text(machine, field, text, sizeof text, NULL) != BL_OK)
            continue;
        hash = bl_hash_add(hash, field->key, strlen(field->key) + 1);
        hash = bl_hash_add(hash, text, strlen(text) + 1);
    }
    return hash;
}

static char *text_of(const char *text)
{
    const size_t length = strlen(text);
    return strndup(text, length < LONGEST_TEXT ? length : LONGEST_TEXT);
}

static bool take_access(struct bl_saved_trace *saved, const struct bl_trace_row *row)
{
    struct bl_saved_access *access = bl_array_append(&saved->accesses, &saved->access_count,
                                                     &saved->access_capacity, sizeof *access);
    if (!access)
        return false;
    const struct bl_cost_sums costs = bl_trace_all_costs(row);
    *access = (struct bl_saved_access){
        .memory = row->memory == BL_MEMORY_DECLARED ? BL_MEMORY_CONSTANT : row->memory,
        .operation = row->operation,
        .requests = (uint64_t)llround(row->all[BL_SUM_REQUESTS]),
        .accesses = (uint64_t)llround(row->all[BL_SUM_ACCESSES]),
        .lanes = (uint64_t)llround(row->all[BL_SUM_LANES]),
        .lines = row->has_rule ? costs.lines : 0,
        .sectors = row->has_rule ? costs.sectors : 0,
        .tag_passes = row->has_rule ? costs.tag_passes : 0,
        .bank_passes = row->has_rule ? costs.bank_passes : 0,
        .clocks = row->all_clocks,
        .ideal_clocks = row->all_ideal_clocks,
        .line = row->line,
        .column = row->column,
        .array = text_of(row->array),
        .call_sites = text_of(row->call_sites ? row->call_sites : row->traced_site),
        .file = text_of(basename(row->name ? row->name : row->file)),
    };
    return access->array && access->call_sites && access->file;
}

static bool take_kernel(struct bl_saved_trace *saved, const struct bl_trace *trace, unsigned number)
{
    const struct bl_trace_kernel *kernel = &trace->kernels[number];
    struct bl_saved_kernel *own = bl_array_append(&saved->kernels, &saved->kernel_count,
                                                  &saved->kernel_capacity, sizeof *own);
    if (!own)
        return false;
    *own = (struct bl_saved_kernel){
        .name = text_of(kernel->name),
        .label = text_of(bl_trace_label_of(kernel)),
        .launches = kernel->launches,
        .groups = kernel->groups,
        .traced_groups = kernel->traced_groups,
        .left_out = kernel->left_out,
        .image_accesses = kernel->image_accesses,
        .local = {kernel->last.local[0], kernel->last.local[1], kernel->last.local[2]},
        .predicted_ns = kernel->predicted.launches > 0 ? (uint64_t)round(kernel->predicted.ns) : 0,
        .first = saved->access_count,
    };
    bool whole = own->name && own->label;
    for (size_t i = 0; i < trace->row_count && whole; i++)
        if (trace->rows[i].kernel == number)
            whole = take_access(saved, &trace->rows[i]);
    own->count = saved->access_count - own->first;
    return whole;
}

enum bl_status bl_saved_of(const struct bl_trace *trace, const char *tool, const char *settings,
                           int exit_status, struct bl_saved_trace *saved, struct bl_error *error)
{
    char status[16];
    snprintf(status, sizeof status, "%d", exit_status);
    *saved = (struct bl_saved_trace){
        .tool = text_of(tool),
        .machine = text_of(trace->machine->name),
        .settings = text_of(settings),
        .status = exit_status ? text_of(status) : NULL,
        .machine_hash = bl_saved_machine_hash(trace->machine),
    };
    bool whole =
        saved->tool && saved->machine && saved->settings && (saved->status || exit_status == 0);
    for (unsigned i = 0; i < trace->kernel_count && whole; i++)
        whole = take_kernel(saved, trace, i);
    return whole ? BL_OK : no_memory(error);
}

double bl_saved_per_launch(const struct bl_saved_kernel *kernel, double sum)
{
    if (kernel->traced_groups == 0 || kernel->launches == 0)
        return NAN;
    return sum / kernel->launches;
}

double bl_saved_clocks(const struct bl_saved_trace *saved, const struct bl_saved_kernel *kernel)
{
    double clocks = 0;
    for (size_t i = kernel->first; i < kernel->first + kernel->count; i++)
        if (isfinite(saved->accesses[i].clocks))
            clocks += saved->accesses[i].clocks;
    return bl_saved_per_launch(kernel, clocks);
}

void bl_saved_free(struct bl_saved_trace *saved)
{
    for (size_t i = 0; i < saved->kernel_count; i++) {
        free(saved->kernels[i].name);
        free(saved->kernels[i].label);
    }
    for (size_t i = 0; i < saved->access_count; i++) {
        free(saved->accesses[i].array);
        free(saved->accesses[i].call_sites);
        free(saved->accesses[i].file);
    }
    free(saved->kernels);
    free(saved->accesses);
    free(saved->tool);
    free(saved->machine);
    free(saved->settings);
    free(saved->status);
    *saved = (struct bl_saved_trace){0};
}

/* Writing. */

static bool is_encoded(const char *text, size_t at)
{
    const unsigned char c = (unsigned char)text[at];
    return c <= ' ' || c == '%' || c == '#' || c == 0x7f || strcmp(text, "-") == 0;
}

static void put_text(FILE *file, const char *text)
{
    if (!*text)
        fputc('-', file);
    for (size_t i = 0; text[i]; i++)
        if (is_encoded(text, i))
            fprintf(file, "%%%02X", (unsigned char)text[i]);
        else
            fputc(text[i], file);
}

/* Adds a line to the hash. The last line of the file stores the final hash. */
static uint64_t hash_of(uint64_t hash, const char *key, const char *value)
{
    hash = bl_hash_add(hash, key, strlen(key) + 1);
    return bl_hash_add(hash, value, strlen(value) + 1);
}

/* A line being written. */
struct saved_line {
    char *text;
    size_t bytes;
    FILE *file; /* NULL if memory ran out */
};

static void line_begin(struct saved_line *line)
{
    *line = (struct saved_line){.text = NULL};
    line->file = open_memstream(&line->text, &line->bytes);
}

static bool line_end(struct saved_line *line, FILE *file, const char *key, uint64_t *hash)
{
    if (!line->file || fclose(line->file) != 0) {
        free(line->text);
        return false;
    }
    fprintf(file, "%s = %s\n", key, line->text);
    *hash = hash_of(*hash, key, line->text);
    free(line->text);
    return true;
}

static void put_clocks(FILE *file, double clocks)
{
    if (isfinite(clocks))
        fprintf(file, " %.17g", clocks);
    else
        fputs(" -", file);
}

static bool write_access(FILE *file, const struct bl_saved_access *access, uint64_t *hash)
{
    struct saved_line line;
    line_begin(&line);
    if (line.file) {
        fprintf(line.file,
                "%s %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
                " %" PRIu64,
                bl_memory_name(access->memory), bl_operation_name(access->operation),
                access->requests, access->accesses, access->lanes, access->lines, access->sectors,
                access->tag_passes, access->bank_passes);
        put_clocks(line.file, access->clocks);
        put_clocks(line.file, access->ideal_clocks);
        fprintf(line.file, " %u %u ", access->line, access->column);
        put_text(line.file, access->array);
        fputc(' ', line.file);
        put_text(line.file, access->call_sites);
        fputc(' ', line.file);
        put_text(line.file, access->file);
    }
    return line_end(&line, file, "access", hash);
}

static bool write_kernel(FILE *file, const struct bl_saved_kernel *kernel, uint64_t *hash)
{
    struct saved_line line;
    line_begin(&line);
    if (line.file) {
        put_text(line.file, kernel->name);
        fputc(' ', line.file);
        put_text(line.file, kernel->label);
        fprintf(line.file,
                " %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
                " %" PRIu64 " %" PRIu64,
                kernel->launches, kernel->groups, kernel->traced_groups, kernel->left_out,
                kernel->image_accesses, kernel->local[0], kernel->local[1], kernel->local[2],
                kernel->predicted_ns);
    }
    return line_end(&line, file, "kernel", hash);
}

static bool write_text(FILE *file, const char *key, const char *text, uint64_t *hash)
{
    struct saved_line line;
    line_begin(&line);
    if (line.file)
        put_text(line.file, text);
    return line_end(&line, file, key, hash);
}

/* Formats the value of the last line. */
static void format_end(const struct bl_saved_trace *saved, uint64_t hash, char text[80])
{
    snprintf(text, 80, "%zu %zu %016" PRIx64, saved->kernel_count, saved->access_count, hash);
}

enum bl_status bl_saved_write(FILE *file, const struct bl_saved_trace *saved,
                              struct bl_error *error)
{
    uint64_t hash = hash_of(BL_HASH_BEGIN, "schema", SCHEMA);
    fputs("# 'bankline trace --against' compares later traces with this one.\nschema = " SCHEMA
          "\n",
          file);
    bool whole = write_text(file, "tool", saved->tool, &hash);
    struct saved_line machine;
    line_begin(&machine);
    if (machine.file) {
        put_text(machine.file, saved->machine);
        fprintf(machine.file, " %016" PRIx64, saved->machine_hash);
    }
    whole = line_end(&machine, file, "machine", &hash) && whole;
    whole = whole && write_text(file, "settings", saved->settings, &hash);
    if (saved->status)
        whole = whole && write_text(file, "status", saved->status, &hash);
    for (size_t k = 0; k < saved->kernel_count && whole; k++) {
        const struct bl_saved_kernel *kernel = &saved->kernels[k];
        whole = write_kernel(file, kernel, &hash);
        for (size_t i = kernel->first; i < kernel->first + kernel->count && whole; i++)
            whole = write_access(file, &saved->accesses[i], &hash);
    }
    char end[80];
    format_end(saved, hash, end);
    fprintf(file, "end = %s\n", end);
    return whole ? BL_OK : no_memory(error);
}

/* Reading. */

struct saved_reading {
    struct bl_saved_trace *saved;
    uint64_t hash; /* of the lines so far */
    unsigned lines;
    bool is_ended;
};

/* Reads the fields of a value one after another. `status` is the first failure, or BL_OK. */
struct fields {
    const char *at;
    const struct bl_key_line *line;
    struct bl_error *error;
    enum bl_status status;
};

static bool fails(struct fields *fields, const char *what, const char *field)
{
    if (fields->status == BL_OK)
        fields->status =
            bl_keyfile_fail(fields->line, fields->error, "%s cannot be '%.40s'", what, field);
    return false;
}

/* Reads the next field, of at most `size` - 1 bytes. If there is no further field, or if the field
 * is longer, fails and sets `field` to an empty text. */
static bool next_field(struct fields *fields, char field[], size_t size, const char *what)
{
    const size_t length = strcspn(fields->at, " ");
    *field = '\0';
    if (length == 0 || length >= size)
        return fails(fields, what, fields->at);
    memcpy(field, fields->at, length);
    field[length] = '\0';
    fields->at += length;
    if (*fields->at == ' ' && fields->at[1])
        fields->at++;
    return true;
}

static uint64_t number_field(struct fields *fields, const char *what, uint64_t max, int base)
{
    char field[32], *end;
    if (!next_field(fields, field, sizeof field, what))
        return 0;
    const bool is_digit =
        base == 16 ? isxdigit((unsigned char)*field) : isdigit((unsigned char)*field);
    const uint64_t number = strtoull(field, &end, base);
    if (!is_digit || *end || number > max)
        fails(fields, what, field);
    return number;
}

static double clocks_field(struct fields *fields, const char *what)
{
    char field[40], *end;
    if (!next_field(fields, field, sizeof field, what) || strcmp(field, "-") == 0)
        return NAN;
    const double clocks = strtod(field, &end);
    if (!isdigit((unsigned char)*field) || *end || !isfinite(clocks))
        fails(fields, what, field);
    return clocks;
}

static unsigned hexadecimal(char digit)
{
    return isdigit((unsigned char)digit) ? (unsigned)(digit - '0')
                                         : (unsigned)(toupper((unsigned char)digit) - 'A') + 10;
}

static char *text_field(struct fields *fields, const char *what)
{
    char field[3 * LONGEST_TEXT + 1], *end = field;
    if (!next_field(fields, field, sizeof field, what))
        return NULL;
    for (const char *at = strcmp(field, "-") == 0 ? "" : field; *at; at++) {
        const bool is_code = *at == '%';
        if (is_code && (!isxdigit((unsigned char)at[1]) || !isxdigit((unsigned char)at[2]) ||
                        (at[1] == '0' && at[2] == '0'))) {
            fails(fields, what, field);
            return NULL;
        }
        *end++ = is_code ? (char)(hexadecimal(at[1]) << 4 | hexadecimal(at[2])) : *at;
        at += is_code ? 2 : 0;
    }
    *end = '\0';
    char *text = strdup(field);
    if (!text && fields->status == BL_OK)
        fields->status = no_memory(fields->error);
    return text;
}

static unsigned name_field(struct fields *fields, const char *what,
                           const char *(*name_of)(unsigned number), unsigned count)
{
    char field[16];
    if (!next_field(fields, field, sizeof field, what))
        return 0;
    for (unsigned i = 0; i < count; i++)
        if (strcmp(name_of(i), field) == 0)
            return i;
    fails(fields, what, field);
    return 0;
}

static const char *memory_name(unsigned number) { return bl_memory_name((enum bl_memory)number); }

static const char *operation_name(unsigned number)
{
    return bl_operation_name((enum bl_operation)number);
}

static void read_kernel(struct fields *fields, struct bl_saved_trace *saved)
{
    struct bl_saved_kernel *kernel = bl_array_append(&saved->kernels, &saved->kernel_count,
                                                     &saved->kernel_capacity, sizeof *kernel);
    if (!kernel) {
        fields->status = no_memory(fields->error);
        return;
    }
    kernel->first = saved->access_count;
    kernel->name = text_field(fields, "a kernel's name");
    kernel->label = text_field(fields, "a kernel's label");
    kernel->launches = (unsigned)number_field(fields, "its launches", UINT32_MAX, 10);
    kernel->groups = number_field(fields, "its groups", UINT64_MAX, 10);
    kernel->traced_groups = number_field(fields, "its traced groups", kernel->groups, 10);
    kernel->left_out = number_field(fields, "its left-out accesses", UINT64_MAX, 10);
    kernel->image_accesses = number_field(fields, "its accesses to images", UINT64_MAX, 10);
    for (int i = 0; i < 3; i++)
        kernel->local[i] = number_field(fields, "its groups' size", UINT64_MAX, 10);
    kernel->predicted_ns = number_field(fields, "its predicted time", UINT64_MAX, 10);
}

static void read_access(struct fields *fields, struct bl_saved_trace *saved)
{
    if (saved->kernel_count == 0) {
        fields->status = bl_keyfile_fail(fields->line, fields->error, "an access without a kernel");
        return;
    }
    struct bl_saved_access *access = bl_array_append(&saved->accesses, &saved->access_count,
                                                     &saved->access_capacity, sizeof *access);
    if (!access) {
        fields->status = no_memory(fields->error);
        return;
    }
    saved->kernels[saved->kernel_count - 1].count++;
    access->memory = (enum bl_memory)name_field(fields, "a memory", memory_name, 4);
    access->operation = (enum bl_operation)name_field(fields, "an access", operation_name, 3);
    uint64_t *const sums[] = {&access->requests,   &access->accesses, &access->lanes,
                              &access->lines,      &access->sectors,  &access->tag_passes,
                              &access->bank_passes};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        *sums[i] = number_field(fields, "a sum over requests", UINT64_MAX, 10);
    access->clocks = clocks_field(fields, "clocks");
    access->ideal_clocks = clocks_field(fields, "clocks of contiguous requests");
    access->line = (unsigned)number_field(fields, "a line", UINT32_MAX, 10);
    access->column = (unsigned)number_field(fields, "a column", UINT32_MAX, 10);
    access->array = text_field(fields, "an array");
    access->call_sites = text_field(fields, "call sites");
    access->file = text_field(fields, "a file");
    if (access->requests == 0)
        fails(fields, "the number of requests", "0");
}

static void read_end(struct fields *fields, struct saved_reading *reading)
{
    char wanted[80];
    format_end(reading->saved, reading->hash, wanted);
    reading->is_ended = true;
    if (strcmp(fields->at, wanted) != 0)
        fields->status = bl_keyfile_fail(
            fields->line, fields->error,
            "this line does not match the lines before it, so the file was changed or damaged");
    fields->at = "";
}

/* Processes a line with one of the keys tool, machine, settings and status. Returns false if the
 * line has another key. */
static bool read_head(struct fields *fields, struct bl_saved_trace *saved, const char *key)
{
    char **const text = strcmp(key, "tool") == 0       ? &saved->tool
                        : strcmp(key, "machine") == 0  ? &saved->machine
                        : strcmp(key, "settings") == 0 ? &saved->settings
                        : strcmp(key, "status") == 0   ? &saved->status
                                                       : NULL;
    if (!text)
        return false;
    if (*text)
        fields->status = bl_keyfile_fail(fields->line, fields->error, "'%.20s' occurs twice", key);
    else
        *text = text_field(fields, key);
    if (text == &saved->machine)
        saved->machine_hash = number_field(fields, "a hash", UINT64_MAX, 16);
    return true;
}

static enum bl_status read_line(void *context, const struct bl_key_line *line,
                                struct bl_error *error)
{
    struct saved_reading *reading = context;
    struct bl_saved_trace *saved = reading->saved;
    struct fields fields = {line->value, line, error, BL_OK};
    if (reading->is_ended)
        return bl_keyfile_fail(line, error, "a line follows the last line ('end')");
    if (reading->lines++ == 0) {
        if (strcmp(line->key, "schema") != 0)
            return bl_keyfile_fail(line, error,
                                   "this file is not a trace that 'trace --save' wrote");
        if (strcmp(line->value, SCHEMA) != 0)
            return bl_keyfile_fail(
                line, error,
                "the file has schema %.20s, but this bankline reads schema " SCHEMA
                "; save the trace again",
                line->value);
    } else if (strcmp(line->key, "kernel") == 0) {
        read_kernel(&fields, saved);
    } else if (strcmp(line->key, "access") == 0) {
        read_access(&fields, saved);
    } else if (strcmp(line->key, "end") == 0) {
        read_end(&fields, reading);
    } else if (!read_head(&fields, saved, line->key)) {
        return bl_keyfile_fail(line, error, "unknown key '%.40s'", line->key);
    }
    if (fields.status == BL_OK && *fields.at && reading->lines > 1)
        fails(&fields, "the rest of the line", fields.at);
    reading->hash = hash_of(reading->hash, line->key, line->value);
    return fields.status;
}

enum bl_status bl_saved_read(const char *path, struct bl_saved_trace *saved, struct bl_error *error)
{
    struct saved_reading reading = {.saved = saved, .hash = BL_HASH_BEGIN};
    *saved = (struct bl_saved_trace){0};
    const enum bl_status status = bl_keyfile_read(path, read_line, &reading, error);
    if (status != BL_OK)
        return status;
    if (!reading.is_ended || !saved->tool || !saved->machine || !saved->settings)
        return bl_fail(error, BL_BAD_FORMAT,
                       "%s is not a complete trace that 'trace --save' wrote: %s", path,
                       reading.lines == 0 ? "it is empty" : "it was cut short");
    return BL_OK;
}
