/* Loads kernel sources and builds kernels. A kernel is built when it is needed, or earlier by
 * background threads: compiling hundreds of kernels takes long, so some kernels are measured while
 * others are compiled. */
#include "cl/program.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static size_t table_bytes(const struct bl_expression *expression)
{
    return expression->table_count * sizeof *expression->table;
}

/* The key of a kernel: its file, name, options and index expression. Messages show the key, too, so
 * it has a short hash of the expression's table instead of the table. */
static char *key_of(const struct bl_kernel_source *source)
{
    const struct bl_expression *expression = source->expression;
    char *key = NULL, table[32] = "";
    if (expression)
        snprintf(table, sizeof table, ", table %016" PRIx64,
                 bl_hash_add(BL_HASH_BEGIN, expression->table, table_bytes(expression)));
    const int length =
        asprintf(&key, "%s, %s %s%s%s%s", source->file, source->name, source->options,
                 expression ? ", " : "", expression ? expression->text : "", table);
    return length < 0 ? NULL : key;
}

bool bl_sources_are_equal(const struct bl_kernel_source *one, const struct bl_kernel_source *other)
{
    const struct bl_expression *a = one->expression, *b = other->expression;
    if (strcmp(one->file, other->file) != 0 || strcmp(one->name, other->name) != 0 ||
        strcmp(one->options, other->options) != 0 || !a != !b)
        return false;
    return !a || (strcmp(a->text, b->text) == 0 && a->table_count == b->table_count &&
                  memcmp(a->table, b->table, table_bytes(a)) == 0);
}

static void release(struct bl_kernel *kernel)
{
    if (kernel->kernel)
        clReleaseKernel(kernel->kernel);
    if (kernel->table)
        clReleaseMemObject(kernel->table);
    if (kernel->program)
        clReleaseProgram(kernel->program);
    free(kernel->key);
    free(kernel);
}

void bl_programs_release(struct bl_kernel *list)
{
    while (list) {
        struct bl_kernel *next = list->next;
        release(list);
        list = next;
    }
}

struct bl_kernel *bl_program_find(struct bl_kernel *list, const struct bl_kernel_source *source)
{
    char *key = key_of(source);
    while (key && list && strcmp(list->key, key) != 0)
        list = list->next;
    free(key);
    return key ? list : NULL;
}

static enum bl_status build_failure(const struct bl_kernel *kernel,
                                    const struct bl_compiler *compiler,
                                    const struct bl_kernel_source *source, cl_int code,
                                    struct bl_error *error)
{
    const char *folder = compiler->folder;
    char buffer[32];
    bl_fail(error, BL_BUILD_FAILED, "kernel %s of %s%s%s does not build (%s)", source->name,
            folder ? folder : "", folder ? "/" : "", source->file, bl_cl_error_name(code, buffer));
    if (!error)
        return BL_BUILD_FAILED;
    size_t size = 0;
    error->log[0] = '\0';
    if (clGetProgramBuildInfo(kernel->program, compiler->device, CL_PROGRAM_BUILD_LOG, 0, NULL,
                              &size) != CL_SUCCESS ||
        size == 0)
        return BL_BUILD_FAILED;
    char *log = calloc(size + 1, 1);
    if (log && clGetProgramBuildInfo(kernel->program, compiler->device, CL_PROGRAM_BUILD_LOG, size,
                                     log, NULL) == CL_SUCCESS)
        snprintf(error->log, sizeof error->log, "%s", log);
    free(log);
    return BL_BUILD_FAILED;
}

/* Copies the expression's table to the device and sets it as the kernel's last argument, once per
 * kernel; each launch sets only the arguments before the table (session.h). */
static enum bl_status give_table(struct bl_kernel *kernel, cl_context context,
                                 const struct bl_expression *expression, struct bl_error *error)
{
    cl_int code;
    kernel->table = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   table_bytes(expression), expression->table, &code);
    const enum bl_status status = bl_cl_check(code, "clCreateBuffer", error);
    if (status != BL_OK)
        return status;
    code = clSetKernelArg(kernel->kernel, BL_TABLE_ARGUMENT, sizeof(cl_mem), &kernel->table);
    return bl_cl_check(code, "clSetKernelArg", error);
}

enum bl_status bl_program_build(const struct bl_compiler *compiler,
                                const struct bl_kernel_source *source, struct bl_kernel **list,
                                struct bl_error *error)
{
    char *text;
    enum bl_status status = bl_source_load(compiler->folder, source->file, &text, error);
    if (status != BL_OK)
        return status;
    struct bl_kernel *built = calloc(1, sizeof *built);
    if (built)
        built->key = key_of(source);
    if (!built || !built->key) {
        status =
            bl_fail(error, BL_NO_MEMORY, "out of memory while building kernel %s", source->file);
        goto out;
    }
    built->hash =
        bl_source_hash(bl_hash_add(BL_HASH_BEGIN, built->key, strlen(built->key) + 1), text);
    cl_int code;
    const char *texts[] = {text};
    built->program = clCreateProgramWithSource(compiler->context, 1, texts, NULL, &code);
    status = bl_cl_check(code, "clCreateProgramWithSource", error);
    if (status != BL_OK)
        goto out;
    code = clBuildProgram(built->program, 1, &compiler->device, source->options, NULL, NULL);
    if (code == CL_BUILD_PROGRAM_FAILURE || code == CL_INVALID_BUILD_OPTIONS) {
        status = build_failure(built, compiler, source, code, error);
        if (error)
            bl_source_place(text, error->log, sizeof error->log);
    } else {
        status = bl_cl_check(code, "clBuildProgram", error);
    }
    if (status != BL_OK)
        goto out;
    built->kernel = clCreateKernel(built->program, source->name, &code);
    status = bl_cl_check(code, "clCreateKernel", error);
    if (status == BL_OK && source->expression)
        status = give_table(built, compiler->context, source->expression, error);
    if (status != BL_OK) {
        bl_error_context(error, "kernel %s of %s", source->name, source->file);
        goto out;
    }
    built->next = *list;
    *list = built;
    built = NULL;
out:
    if (built)
        release(built);
    free(text);
    return status;
}

/* The build queue. */

/* A source and the result of its build. */
struct queued {
    struct bl_kernel_source source;
    bool is_repeated;         /* an earlier entry has the same source; the result is stored there */
    bool is_finished;         /* whether the build is over, so that the members below are valid */
    struct bl_kernel *kernel; /* NULL if the build failed */
    enum bl_status status;
    struct bl_error *error; /* NULL if the build succeeded, or if there was no memory for the
                               message */
};

enum { MAX_THREADS = 3 };

struct bl_build_queue {
    struct bl_compiler compiler;
    struct queued *all;
    size_t count;
    pthread_t threads[MAX_THREADS];
    unsigned thread_count;
    pthread_mutex_t lock; /* guards the members below and the entries' results */
    pthread_cond_t changed;
    size_t next; /* index of the first entry that no thread has taken */
    bool is_closing;
};

static void build(const struct bl_build_queue *queue, struct queued *queued)
{
    struct bl_error error = {0};
    queued->status = bl_program_build(&queue->compiler, &queued->source, &queued->kernel, &error);
    if (queued->status == BL_OK)
        return;
    queued->error = malloc(sizeof error);
    if (queued->error)
        *queued->error = error;
}

/* Takes the next source to build; NULL if none is left or the queue is being closed. The caller
 * holds the lock. */
static struct queued *take_next(struct bl_build_queue *queue)
{
    while (queue->next < queue->count && queue->all[queue->next].is_repeated)
        queue->next++;
    return queue->is_closing || queue->next == queue->count ? NULL : &queue->all[queue->next++];
}

static void *build_all(void *context)
{
    struct bl_build_queue *queue = context;
    struct queued *queued;
    pthread_mutex_lock(&queue->lock);
    while ((queued = take_next(queue)) != NULL) {
        pthread_mutex_unlock(&queue->lock);
        build(queue, queued);
        pthread_mutex_lock(&queue->lock);
        queued->is_finished = true;
        pthread_cond_broadcast(&queue->changed);
    }
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

/* One processor is left to the thread that measures, unless there is only one processor. */
static unsigned threads_wanted(void)
{
    cpu_set_t set;
    const int processors = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return processors <= 2 ? 1 : processors > MAX_THREADS ? MAX_THREADS : (unsigned)processors - 1;
}

/* The first entry whose source equals this one, or NULL. */
static struct queued *find(const struct bl_build_queue *queue,
                           const struct bl_kernel_source *source)
{
    for (size_t i = 0; i < queue->count; i++)
        if (bl_sources_are_equal(&queue->all[i].source, source))
            return &queue->all[i];
    return NULL;
}

struct bl_build_queue *bl_build_queue_open(const struct bl_compiler *compiler,
                                           const struct bl_kernel_source sources[], size_t count)
{
    struct bl_build_queue *opened = calloc(1, sizeof *opened);
    struct queued *all = calloc(count + 1, sizeof *all);
    if (!opened || !all) {
        free(opened);
        free(all);
        return NULL;
    }
    *opened = (struct bl_build_queue){.compiler = *compiler, .all = all, .count = count};
    for (size_t i = 0; i < count; i++)
        all[i].source = sources[i];
    for (size_t i = 0; i < count; i++)
        all[i].is_repeated = find(opened, &sources[i]) != &all[i];
    pthread_mutex_init(&opened->lock, NULL);
    pthread_cond_init(&opened->changed, NULL);
    const unsigned wanted = threads_wanted();
    while (opened->thread_count < wanted &&
           pthread_create(&opened->threads[opened->thread_count], NULL, build_all, opened) == 0)
        opened->thread_count++;
    if (opened->thread_count == 0) {
        bl_build_queue_close(opened);
        return NULL;
    }
    return opened;
}

void bl_build_queue_close(struct bl_build_queue *queue)
{
    if (!queue)
        return;
    pthread_mutex_lock(&queue->lock);
    queue->is_closing = true;
    pthread_mutex_unlock(&queue->lock);
    for (unsigned i = 0; i < queue->thread_count; i++)
        pthread_join(queue->threads[i], NULL);
    pthread_cond_destroy(&queue->changed);
    pthread_mutex_destroy(&queue->lock);
    for (size_t i = 0; i < queue->count; i++) {
        bl_programs_release(queue->all[i].kernel);
        free(queue->all[i].error);
    }
    free(queue->all);
    free(queue);
}

bool bl_build_queue_take(struct bl_build_queue *queue, const struct bl_kernel_source *source,
                         struct bl_kernel **kernel, enum bl_status *status, struct bl_error *error)
{
    const struct queued *queued = find(queue, source);
    if (!queued)
        return false;
    pthread_mutex_lock(&queue->lock);
    while (!queued->is_finished)
        pthread_cond_wait(&queue->changed, &queue->lock);
    pthread_mutex_unlock(&queue->lock);
    *kernel = queued->kernel;
    *status = queued->status;
    if (queued->error && error)
        *error = *queued->error;
    else if (*status != BL_OK)
        bl_fail(error, *status, "kernel %s of %s does not build", source->name, source->file);
    return true;
}

/* Loads kernel sources. #include lines are expanded here for two reasons: OpenCL compilers cannot
 * read embedded files, and the hash of the expanded text covers the whole source of a kernel. */

enum { DEEPEST_INCLUDE = 8 };

static enum bl_status read_whole(const char *folder, const char *name, char **text,
                                 struct bl_error *error)
{
    *text = NULL;
    char path[4096];
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path)
        return bl_fail(error, BL_FILE_FAILED, "the path of kernel %s is too long", name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return bl_fail(error, BL_FILE_FAILED, "cannot read kernel %s: %s", path, strerror(errno));
    size_t capacity = 0;
    const bool is_empty = getdelim(text, &capacity, '\0', file) < 0;
    const bool failed = ferror(file) || !*text;
    const int reason = errno;
    fclose(file);
    if (!failed && is_empty)
        **text = '\0';
    if (!failed)
        return BL_OK;
    free(*text);
    *text = NULL;
    return bl_fail(error, BL_FILE_FAILED, "cannot read kernel %s: %s", path, strerror(reason));
}

static enum bl_status find_text(const char *folder, const char *name, char **text,
                                struct bl_error *error)
{
    if (folder)
        return read_whole(folder, name, text, error);
    const char *embedded = bl_embedded_text(bl_embedded_sources, name);
    if (embedded) {
        *text = strdup(embedded);
        return *text ? BL_OK
                     : bl_fail(error, BL_NO_MEMORY, "out of memory while loading kernel %s", name);
    }
    return bl_fail(error, BL_FILE_FAILED, "there is no kernel file %s", name);
}

/* Copies the file's lines to `out`, replacing #include lines by the files they name. */
static enum bl_status expand(const char *folder, const char *name, unsigned depth, FILE *out,
                             struct bl_error *error)
{
    if (depth > DEEPEST_INCLUDE)
        return bl_fail(error, BL_FILE_FAILED, "kernel %s: includes are nested too deeply", name);
    char *text = NULL;
    enum bl_status status = find_text(folder, name, &text, error);
    if (status != BL_OK || !text)
        return status;
    fprintf(out, "#line 1 \"%s\"\n", name);
    unsigned number = 1;
    for (const char *line = text; *line && status == BL_OK; number++) {
        const size_t length = strcspn(line, "\n");
        char included[256];
        if (sscanf(line, "#include \"%255[^\"\n]\"", included) == 1) {
            status = expand(folder, included, depth + 1, out, error);
            fprintf(out, "#line %u \"%s\"\n", number + 1, name);
        } else {
            fprintf(out, "%.*s\n", (int)length, line);
        }
        line += length + (line[length] == '\n');
    }
    free(text);
    return status;
}

enum bl_status bl_source_load(const char *folder, const char *name, char **text,
                              struct bl_error *error)
{
    *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(text, &size);
    if (!out)
        return bl_fail(error, BL_NO_MEMORY, "out of memory while loading kernel %s", name);
    enum bl_status status = expand(folder, name, 0, out, error);
    const bool failed = ferror(out);
    if ((fclose(out) != 0 || failed) && status == BL_OK)
        status = bl_fail(error, BL_NO_MEMORY, "out of memory while loading kernel %s", name);
    if (status != BL_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}

/* Returns the position after the comment, #line directive or white space that begins at `at`, or
 * `at` if none of these begins there. */
static const char *skip(const char *at, bool begins_line)
{
    const char *end = at;
    if (strncmp(at, "/*", 2) == 0) {
        end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (strncmp(at, "//", 2) == 0 || (begins_line && strncmp(at, "#line ", 6) == 0))
        return at + strcspn(at, "\n");
    return at + strspn(at, " \t\n");
}

uint64_t bl_source_hash(uint64_t hash, const char *text)
{
    bool begins_line = true, skipped = false, is_first = true;
    for (const char *at = text; *at;) {
        const char *end = skip(at, begins_line);
        if (end > at) {
            begins_line |= memchr(at, '\n', (size_t)(end - at)) != NULL;
            skipped = true;
            at = end;
            continue;
        }
        if (skipped && !is_first)
            hash = bl_hash_add(hash, " ", 1);
        hash = bl_hash_add(hash, at++, 1);
        begins_line = skipped = is_first = false;
    }
    return hash;
}

/* Finds the source file, and the line in that file, from which line `number` of the combined text
 * comes. */
static void place_of(const char *text, unsigned number, char file[64], unsigned *line)
{
    strcpy(file, "<kernel>");
    *line = number;
    for (unsigned at = 1, own = 1; at < number && *text; at++, own++) {
        char named[64];
        unsigned next;
        if (sscanf(text, "#line %u \"%63[^\"]\"", &next, named) == 2) {
            strcpy(file, named);
            own = next - 1; /* the directive gives the number of the line that follows it */
        }
        *line = own + 1;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
}

void bl_source_place(const char *text, char *log, size_t capacity)
{
    static const char unnamed[] = "<kernel>:";
    for (char *at = log; (at = strstr(at, unnamed)); at++) {
        char *rest;
        const unsigned long number = strtoul(at + sizeof unnamed - 1, &rest, 10);
        if (number == 0 || *rest != ':')
            continue;
        char file[64], place[96];
        unsigned line;
        place_of(text, (unsigned)number, file, &line);
        const size_t length = (size_t)snprintf(place, sizeof place, "%s:%u", file, line);
        const size_t left = strlen(rest) + 1;
        if ((size_t)(at - log) + length + left > capacity)
            return;
        memmove(at + length, rest, left);
        memcpy(at, place, length);
    }
}
