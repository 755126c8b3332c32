#include "cl/ahead.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* A source, and what became of it. */
struct ordered {
    struct bl_kernel_source source;
    bool is_repeated;         /* it is among those before: what follows is theirs */
    bool is_finished;         /* what follows is known */
    struct bl_kernel *kernel; /* a list of it alone; NULL: it does not build */
    enum bl_status status;
    struct bl_error *error; /* NULL: none, or no memory for it */
};

enum { MAX_THREADS = 3 };

struct bl_ahead {
    cl_context context;
    cl_device_id device;
    const char *folder;
    struct ordered *all;
    size_t count;
    pthread_t threads[MAX_THREADS];
    unsigned thread_count;
    pthread_mutex_t lock; /* of what follows, and of what becomes of sources */
    pthread_cond_t changed;
    size_t next; /* to be built */
    bool ends;
};

static void build(const struct bl_ahead *ahead, struct ordered *ordered)
{
    struct bl_error error = {0};
    struct bl_kernel *kernel;
    ordered->status = bl_program_build(ahead->context, ahead->device, ahead->folder,
                                       &ordered->source, &ordered->kernel, &kernel, &error);
    if (ordered->status == BL_OK)
        return;
    ordered->error = malloc(sizeof error);
    if (ordered->error)
        *ordered->error = error;
}

/* The next source to be built, or NULL. The lock is held. */
static struct ordered *take_next(struct bl_ahead *ahead)
{
    while (ahead->next < ahead->count && ahead->all[ahead->next].is_repeated)
        ahead->next++;
    return ahead->ends || ahead->next == ahead->count ? NULL : &ahead->all[ahead->next++];
}

static void *build_all(void *context)
{
    struct bl_ahead *ahead = context;
    struct ordered *ordered;
    pthread_mutex_lock(&ahead->lock);
    while ((ordered = take_next(ahead)) != NULL) {
        pthread_mutex_unlock(&ahead->lock);
        build(ahead, ordered);
        pthread_mutex_lock(&ahead->lock);
        ordered->is_finished = true;
        pthread_cond_broadcast(&ahead->changed);
    }
    pthread_mutex_unlock(&ahead->lock);
    return NULL;
}

/* One processor is left to the thread that measures. */
static unsigned threads_wanted(void)
{
    cpu_set_t set;
    const int processors = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return processors <= 2 ? 1 : processors > MAX_THREADS ? MAX_THREADS : (unsigned)processors - 1;
}

/* The first source that is equal to this one. */
static struct ordered *find(const struct bl_ahead *ahead, const struct bl_kernel_source *source)
{
    for (size_t i = 0; i < ahead->count; i++)
        if (bl_sources_are_equal(&ahead->all[i].source, source))
            return &ahead->all[i];
    return NULL;
}

enum bl_status bl_ahead_open(cl_context context, cl_device_id device, const char *folder,
                             const struct bl_kernel_source sources[], size_t count,
                             struct bl_ahead **ahead, struct bl_error *error)
{
    *ahead = NULL;
    struct bl_ahead *opened = calloc(1, sizeof *opened);
    struct ordered *all = calloc(count + 1, sizeof *all);
    if (!opened || !all) {
        free(opened);
        free(all);
        return bl_fail(error, BL_NO_MEMORY, "no memory for %zu kernels", count);
    }
    *opened = (struct bl_ahead){
        .context = context, .device = device, .folder = folder, .all = all, .count = count};
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
        bl_ahead_close(opened);
        return bl_fail(error, BL_NO_MEMORY, "no thread to build kernels in");
    }
    *ahead = opened;
    return BL_OK;
}

void bl_ahead_close(struct bl_ahead *ahead)
{
    if (!ahead)
        return;
    pthread_mutex_lock(&ahead->lock);
    ahead->ends = true;
    pthread_mutex_unlock(&ahead->lock);
    for (unsigned i = 0; i < ahead->thread_count; i++)
        pthread_join(ahead->threads[i], NULL);
    pthread_cond_destroy(&ahead->changed);
    pthread_mutex_destroy(&ahead->lock);
    for (size_t i = 0; i < ahead->count; i++) {
        bl_programs_release(ahead->all[i].kernel);
        free(ahead->all[i].error);
    }
    free(ahead->all);
    free(ahead);
}

bool bl_ahead_take(struct bl_ahead *ahead, const struct bl_kernel_source *source,
                   struct bl_kernel **kernel, enum bl_status *status, struct bl_error *error)
{
    const struct ordered *ordered = find(ahead, source);
    if (!ordered)
        return false;
    pthread_mutex_lock(&ahead->lock);
    while (!ordered->is_finished)
        pthread_cond_wait(&ahead->changed, &ahead->lock);
    pthread_mutex_unlock(&ahead->lock);
    *kernel = ordered->kernel;
    *status = ordered->status;
    if (ordered->error && error)
        *error = *ordered->error;
    else if (*status != BL_OK)
        bl_fail(error, *status, "kernel %s of %s does not build", source->name, source->file);
    return true;
}
