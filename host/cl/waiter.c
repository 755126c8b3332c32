#include "cl/waiter.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct bl_waiter {
    struct bl_wait_limits limits;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    cl_event event; /* to be waited for; NULL: none */
    cl_int code;    /* of the last wait */
    bool is_closing, is_stuck;
};

static void *wait_for_events(void *context)
{
    struct bl_waiter *waiter = context;
    pthread_mutex_lock(&waiter->mutex);
    while (!waiter->is_closing) {
        if (!waiter->event) {
            pthread_cond_wait(&waiter->changed, &waiter->mutex);
            continue;
        }
        const cl_event event = waiter->event;
        pthread_mutex_unlock(&waiter->mutex);
        const cl_int code = clWaitForEvents(1, &event);
        pthread_mutex_lock(&waiter->mutex);
        waiter->code = code;
        waiter->event = NULL;
        pthread_cond_broadcast(&waiter->changed);
    }
    pthread_mutex_unlock(&waiter->mutex);
    return NULL;
}

enum bl_status bl_waiter_open(const struct bl_wait_limits *limits, struct bl_waiter **waiter,
                              struct bl_error *error)
{
    *waiter = NULL;
    struct bl_waiter *opened = calloc(1, sizeof *opened);
    if (!opened)
        return bl_fail(error, BL_NO_MEMORY, "no memory for a thread that waits");
    opened->limits = *limits;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&opened->mutex, NULL);
    pthread_cond_init(&opened->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    if (pthread_create(&opened->thread, NULL, wait_for_events, opened) != 0) {
        free(opened);
        return bl_fail(error, BL_NO_MEMORY, "no thread to wait for the device");
    }
    *waiter = opened;
    return BL_OK;
}

void bl_waiter_close(struct bl_waiter *waiter)
{
    if (!waiter || waiter->is_stuck)
        return;
    pthread_mutex_lock(&waiter->mutex);
    waiter->is_closing = true;
    pthread_cond_broadcast(&waiter->changed);
    pthread_mutex_unlock(&waiter->mutex);
    pthread_join(waiter->thread, NULL);
    pthread_cond_destroy(&waiter->changed);
    pthread_mutex_destroy(&waiter->mutex);
    free(waiter);
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A tenth of a second at most, so that who is to stop does. */
static void wait_a_little(struct bl_waiter *waiter)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += 100000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&waiter->changed, &waiter->mutex, &until);
}

enum bl_status bl_wait(struct bl_waiter *waiter, cl_event event, struct bl_error *error)
{
    const struct bl_wait_limits *limits = &waiter->limits;
    const double deadline_s = now_s() + limits->deadline_s;
    enum bl_status status = BL_OK;
    pthread_mutex_lock(&waiter->mutex);
    waiter->event = event;
    pthread_cond_broadcast(&waiter->changed);
    while (waiter->event && status == BL_OK) {
        wait_a_little(waiter);
        if (!waiter->event)
            break;
        if (limits->interrupted && *limits->interrupted)
            status = bl_fail(error, BL_INTERRUPTED, "interrupted");
        else if (now_s() > deadline_s)
            status = bl_fail(error, BL_HANGS, "the device does not finish: given up after %g s",
                             limits->deadline_s);
    }
    waiter->is_stuck = status != BL_OK;
    const cl_int code = waiter->code;
    pthread_mutex_unlock(&waiter->mutex);
    return status == BL_OK ? bl_cl_check(code, "clWaitForEvents", error) : status;
}
