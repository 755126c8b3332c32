#include "cl/ahead.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A source, and what became of it. */
struct ordered {
    struct bl_kernel_source source;
    struct bl_kernel *kernel;
    enum bl_status status;
    struct bl_error *error; /* NULL: none, or no memory for it */
};

struct bl_ahead {
    cl_context context;
    cl_device_id device;
    const char *folder;
    struct ordered *all;
    size_t count;
    struct bl_kernel *kernels; /* of the thread alone while it runs */
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows, and of what is finished */
    pthread_cond_t changed;
    size_t finished; /* the first so many of all */
    bool ends;
};

static void build(struct bl_ahead *ahead, struct ordered *ordered)
{
    struct bl_error error = {0};
    ordered->kernel = bl_program_find(ahead->kernels, &ordered->source);
    if (ordered->kernel)
        return;
    ordered->status = bl_program_build(ahead->context, ahead->device, ahead->folder,
                                       &ordered->source, &ahead->kernels, &ordered->kernel, &error);
    if (ordered->status == BL_OK)
        return;
    ordered->error = malloc(sizeof error);
    if (ordered->error)
        *ordered->error = error;
}

static void *build_all(void *context)
{
    struct bl_ahead *ahead = context;
    bool ends = false;
    for (size_t i = 0; i < ahead->count && !ends; i++) {
        build(ahead, &ahead->all[i]);
        pthread_mutex_lock(&ahead->lock);
        ahead->finished = i + 1;
        ends = ahead->ends;
        pthread_cond_broadcast(&ahead->changed);
        pthread_mutex_unlock(&ahead->lock);
    }
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
    for (size_t i = 0; i < count; i++)
        all[i].source = sources[i];
    *opened = (struct bl_ahead){
        .context = context, .device = device, .folder = folder, .all = all, .count = count};
    pthread_mutex_init(&opened->lock, NULL);
    pthread_cond_init(&opened->changed, NULL);
    if (pthread_create(&opened->thread, NULL, build_all, opened) != 0) {
        free(opened);
        free(all);
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
    pthread_join(ahead->thread, NULL);
    pthread_cond_destroy(&ahead->changed);
    pthread_mutex_destroy(&ahead->lock);
    bl_programs_release(ahead->kernels);
    for (size_t i = 0; i < ahead->count; i++)
        free(ahead->all[i].error);
    free(ahead->all);
    free(ahead);
}

bool bl_ahead_take(struct bl_ahead *ahead, const struct bl_kernel_source *source,
                   struct bl_kernel **kernel, enum bl_status *status, struct bl_error *error)
{
    size_t i = 0;
    while (i < ahead->count && !bl_sources_are_equal(&ahead->all[i].source, source))
        i++;
    if (i == ahead->count)
        return false;
    pthread_mutex_lock(&ahead->lock);
    while (ahead->finished <= i)
        pthread_cond_wait(&ahead->changed, &ahead->lock);
    pthread_mutex_unlock(&ahead->lock);
    const struct ordered *ordered = &ahead->all[i];
    *kernel = ordered->kernel;
    *status = ordered->status;
    if (ordered->error && error)
        *error = *ordered->error;
    else if (*status != BL_OK)
        bl_fail(error, *status, "kernel %s of %s does not build", source->name, source->file);
    return true;
}
