/* Finds the file that a line of a program's source comes from. A program passes one text to OpenCL,
 * often concatenated from several files, but the user knows only the files. So the text is searched
 * for the contents of files that the program may have read. */
#include "trace/trace.h"

#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"

enum { MAX_FILES = 2000, MAX_BYTES = 1 << 20, MIN_BYTES = 32, DEPTH = 3 };

/* A part of a program's source that is equal to a file. */
struct part {
    unsigned program;
    unsigned first, lines; /* first: line of the source, counted from 1; lines: number of lines */
    char *file;
};

struct parts {
    struct part *all;
    size_t count, capacity;
};

static bool is_opencl(const char *name)
{
    static const char *const ends[] = {".cl", ".ocl", ".clh", ".h", ".hpp"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof ends / sizeof ends[0]; i++)
        if (strcmp(dot, ends[i]) == 0)
            return true;
    return false;
}

static unsigned lines_before(const char *text, const char *end)
{
    unsigned lines = 0;
    for (; text < end; text++)
        lines += *text == '\n';
    return lines;
}

static char *text_of(const char *path, size_t bytes)
{
    char *text = malloc(bytes + 1);
    FILE *file = text ? fopen(path, "r") : NULL;
    const size_t got = file ? fread(text, 1, bytes, file) : 0;
    if (file)
        fclose(file);
    if (!text || got != bytes || memchr(text, '\0', bytes)) {
        free(text);
        return NULL;
    }
    text[bytes] = '\0';
    return text;
}

/* Adds a part for each program whose source contains the file's text at the beginning of a line. */
static bool add_file(struct parts *parts, const struct bl_trace *trace, const char *path,
                     size_t bytes)
{
    char *text = text_of(path, bytes);
    bool whole = true;
    for (size_t i = 0; text && whole && i < trace->program_count; i++) {
        const char *source = trace->programs[i].source, *at = strstr(source, text);
        if (!at || (at > source && at[-1] != '\n'))
            continue;
        struct part *part =
            bl_array_append(&parts->all, &parts->count, &parts->capacity, sizeof *part);
        char *name = part ? strdup(path[0] == '.' && path[1] == '/' ? path + 2 : path) : NULL;
        if (part)
            *part = (struct part){.program = (unsigned)i,
                                  .first = 1 + lines_before(source, at),
                                  .lines = lines_before(text, text + bytes) + 1,
                                  .file = name};
        whole = name != NULL;
    }
    free(text);
    return whole;
}

/* The size of the longest source, at most MAX_BYTES. Larger files are not looked for. */
static off_t longest_source(const struct bl_trace *trace)
{
    size_t longest = 0;
    for (size_t i = 0; i < trace->program_count; i++) {
        const size_t bytes = strlen(trace->programs[i].source);
        longest = bytes > longest ? bytes : longest;
    }
    return longest < MAX_BYTES ? (off_t)longest : MAX_BYTES;
}

static bool look_in(const char *folder, const struct bl_trace *trace, struct parts *parts)
{
    const off_t max_bytes = longest_source(trace);
    char *const folders[] = {(char *)folder, NULL};
    FTS *walk = fts_open(folders, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    bool whole = true;
    unsigned seen = 0;
    for (FTSENT *at; walk && whole && seen < MAX_FILES && (at = fts_read(walk));) {
        const bool is_hidden = at->fts_level > 0 && at->fts_name[0] == '.';
        if (at->fts_info == FTS_D && (is_hidden || at->fts_level >= DEPTH))
            fts_set(walk, at, FTS_SKIP);
        seen++;
        if (at->fts_info == FTS_F && is_opencl(at->fts_name) &&
            at->fts_statp->st_size >= MIN_BYTES && at->fts_statp->st_size <= max_bytes)
            whole = add_file(parts, trace, at->fts_path, (size_t)at->fts_statp->st_size);
    }
    if (walk)
        fts_close(walk);
    return whole;
}

/* If a word of the command line names a folder, searches this folder; if it names a file, searches
 * the folder of the file, unless the word has no slash: the working folder is searched anyway. */
static bool look_at_word(const char *word, const struct bl_trace *trace, struct parts *parts)
{
    struct stat about;
    if (stat(word, &about) != 0)
        return true;
    if (S_ISDIR(about.st_mode))
        return look_in(word, trace, parts);
    const char *slash = strrchr(word, '/');
    if (!slash || !S_ISREG(about.st_mode))
        return true;
    char *folder = strndup(word, slash > word ? (size_t)(slash - word) : 1);
    const bool whole = folder && look_in(folder, trace, parts);
    free(folder);
    return whole;
}

/* The smallest part that contains the line: if one file contains the whole text of another, the
 * line belongs to the smaller file. */
static const struct part *part_of(const struct parts *parts, unsigned program, unsigned line)
{
    const struct part *best = NULL;
    for (size_t i = 0; i < parts->count; i++) {
        const struct part *part = &parts->all[i];
        if (part->program == program && line >= part->first && line < part->first + part->lines &&
            (!best || part->lines < best->lines))
            best = part;
    }
    return best;
}

/* Translates the lines of call sites to lines of their files; NULL if memory runs out. */
static char *name_sites(const char *all, const struct parts *parts, unsigned program,
                        bool is_source)
{
    char *sites = NULL;
    const char *traced = all;
    size_t bytes = 0;
    FILE *file = open_memstream(&sites, &bytes);
    unsigned line, column;
    int used = 0;
    for (; file && sscanf(traced, "%u:%u%n", &line, &column, &used) == 2; traced += used) {
        const struct part *part = is_source ? part_of(parts, program, line) : NULL;
        fprintf(file, "%s%u:%u", traced == all ? "" : ",", part ? line - (part->first - 1) : line,
                column);
        used += traced[used] == ',';
    }
    if (file && fclose(file) != 0) {
        free(sites);
        return NULL;
    }
    return sites;
}

static bool name_row(struct bl_trace *trace, struct bl_trace_row *row, const struct parts *parts)
{
    const unsigned program = trace->kernels[row->kernel].program;
    /* Oclgrind names the program's text input.cl; all other names are real files. */
    const char *slash = strrchr(row->file, '/');
    const bool is_source = strcmp(slash ? slash + 1 : row->file, "input.cl") == 0 || !*row->file;
    const struct part *part = is_source ? part_of(parts, program, row->line) : NULL;
    char name[32];
    snprintf(name, sizeof name, "source %u", program + 1);
    row->source_line = is_source ? row->line : 0;
    row->name = strdup(part ? part->file : is_source ? name : row->file);
    if (part)
        row->line -= part->first - 1;
    row->call_sites = name_sites(row->traced_site, parts, program, is_source);
    return row->name && row->call_sites;
}

/* For a row whose line is unknown: if all rows of its program whose line is known have the same
 * file, assigns this file. */
static bool name_by_others(const struct bl_trace *trace, struct bl_trace_row *row)
{
    const char *name = NULL;
    for (size_t i = 0; i < trace->row_count; i++) {
        const struct bl_trace_row *other = &trace->rows[i];
        if (other->line == 0 ||
            trace->kernels[other->kernel].program != trace->kernels[row->kernel].program)
            continue;
        if (name && strcmp(name, other->name) != 0)
            return true;
        name = other->name;
    }
    char *copy = name ? strdup(name) : NULL;
    if (!copy)
        return !name;
    free(row->name);
    row->name = copy;
    return true;
}

static bool are_same(const char *one, const char *other)
{
    return strcmp(one ? one : "", other ? other : "") == 0;
}

/* Writes the name of the file that contains the kernel's lines; "source N" if no line is known. */
static void place_of(const struct bl_trace *trace, unsigned kernel, char text[128])
{
    snprintf(text, 128, "source %u", trace->kernels[kernel].program + 1);
    for (size_t i = 0; i < trace->row_count; i++)
        if (trace->rows[i].kernel == kernel && trace->rows[i].source_line > 0) {
            snprintf(text, 128, "%.100s", basename(trace->rows[i].name));
            return;
        }
}

/* Labels a kernel whose name is not unique, such as "scale (scale.cl)". If the file is not unique
 * either, the program's build options are added. If the options are not unique either, the
 * program's number is added instead. */
static bool label(struct bl_trace *trace, unsigned number)
{
    struct bl_trace_kernel *kernel = &trace->kernels[number];
    const struct bl_trace_program *program = &trace->programs[kernel->program];
    char own[128], place[128];
    unsigned same = 0, same_places = 0, same_options = 0;
    place_of(trace, number, own);
    for (unsigned i = 0; i < trace->kernel_count; i++) {
        if (i == number || strcmp(trace->kernels[i].name, kernel->name) != 0)
            continue;
        place_of(trace, i, place);
        const bool is_place = strcmp(own, place) == 0;
        same++;
        same_places += is_place;
        same_options += is_place && are_same(trace->programs[trace->kernels[i].program].options,
                                             program->options);
    }
    if (!same)
        return true;
    const char *options = program->options && *program->options ? program->options : "no options";
    int bytes;
    if (!same_places)
        bytes = asprintf(&kernel->label, "%s (%s)", kernel->name, own);
    else if (!same_options)
        bytes = asprintf(&kernel->label, "%s (%s, %.60s)", kernel->name, own, options);
    else
        bytes =
            asprintf(&kernel->label, "%s (%s, program %u)", kernel->name, own, kernel->program + 1);
    if (bytes < 0)
        kernel->label = NULL;
    return bytes >= 0;
}

enum bl_status bl_trace_name_files(struct bl_trace *trace, const char *const words[],
                                   struct bl_error *error)
{
    struct parts parts = {0};
    bool whole = look_in(".", trace, &parts);
    for (size_t i = 0; whole && words && words[i]; i++)
        whole = look_at_word(words[i], trace, &parts);
    for (size_t i = 0; whole && i < trace->row_count; i++)
        whole = name_row(trace, &trace->rows[i], &parts);
    for (size_t i = 0; whole && i < trace->row_count; i++)
        whole = trace->rows[i].line > 0 || name_by_others(trace, &trace->rows[i]);
    for (unsigned i = 0; whole && i < trace->kernel_count; i++)
        whole = label(trace, i);
    for (size_t i = 0; i < parts.count; i++)
        free(parts.all[i].file);
    free(parts.all);
    return whole ? BL_OK : bl_fail(error, BL_NO_MEMORY, "out of memory while naming source files");
}

unsigned bl_trace_same_program(const struct bl_trace *trace, unsigned program)
{
    for (unsigned i = 0; i < program && program < trace->program_count; i++)
        if (are_same(trace->programs[i].source, trace->programs[program].source) &&
            are_same(trace->programs[i].options, trace->programs[program].options))
            return i;
    return program;
}
