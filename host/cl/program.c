/* Builds kernels: one at a time, or in the background by a queue of threads, because compiling
 * hundreds of kernels takes longer than measuring some of them. */
#include "cl/program.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cl/source.h"

static size_t table_bytes(const struct bl_expression *expression)
{
    return expression->table_count * sizeof *expression->table;
}

/* The key of a kernel: file, name and options. Messages print it too, so an expression's table
 * appears in it as a short hash. */
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

/* Copies the expression's table to the device and sets it as the kernel's last argument, once for
 * all launches; each launch sets only the arguments before it (session.h). */
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
        status = bl_fail(error, BL_NO_MEMORY, "no memory for kernel %s", source->file);
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
    bool is_repeated;         /* an equal entry comes earlier, and has the result */
    bool is_finished;         /* the members below are valid */
    struct bl_kernel *kernel; /* NULL: it failed to build */
    enum bl_status status;
    struct bl_error *error; /* NULL: no error, or no memory for a copy of it */
};

enum { MAX_THREADS = 3 };

struct bl_build_queue {
    struct bl_compiler compiler;
    struct queued *all;
    size_t count;
    pthread_t threads[MAX_THREADS];
    unsigned thread_count;
    pthread_mutex_t lock; /* guards the members below, and the results */
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

/* Takes the next source to build; NULL if there is none. Call it with the lock held. */
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

/* One processor is left to the thread that measures, if there are more than two. */
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
