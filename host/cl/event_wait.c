#include "cl/event_wait.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct bl_event_wait {
    struct bl_wait_limits limits;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    cl_event event; /* to wait for; NULL: none */
    cl_int code;    /* result of the last wait */
    bool is_closing, is_stuck;
};

static void *wait_for_events(void *context)
{
    struct bl_event_wait *wait = context;
    pthread_mutex_lock(&wait->mutex);
    while (!wait->is_closing) {
        if (!wait->event) {
            pthread_cond_wait(&wait->changed, &wait->mutex);
            continue;
        }
        const cl_event event = wait->event;
        pthread_mutex_unlock(&wait->mutex);
        const cl_int code = clWaitForEvents(1, &event);
        pthread_mutex_lock(&wait->mutex);
        wait->code = code;
        wait->event = NULL;
        pthread_cond_broadcast(&wait->changed);
    }
    pthread_mutex_unlock(&wait->mutex);
    return NULL;
}

enum bl_status bl_event_wait_open(const struct bl_wait_limits *limits, struct bl_event_wait **wait,
                                  struct bl_error *error)
{
    *wait = NULL;
    struct bl_event_wait *opened = calloc(1, sizeof *opened);
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
    *wait = opened;
    return BL_OK;
}

void bl_event_wait_close(struct bl_event_wait *wait)
{
    if (!wait || wait->is_stuck)
        return;
    pthread_mutex_lock(&wait->mutex);
    wait->is_closing = true;
    pthread_cond_broadcast(&wait->changed);
    pthread_mutex_unlock(&wait->mutex);
    pthread_join(wait->thread, NULL);
    pthread_cond_destroy(&wait->changed);
    pthread_mutex_destroy(&wait->mutex);
    free(wait);
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* At most a tenth of a second, so that an interruption is seen soon. */
static void wait_a_little(struct bl_event_wait *wait)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += 100000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&wait->changed, &wait->mutex, &until);
}

enum bl_status bl_event_wait_for(struct bl_event_wait *wait, cl_event event, struct bl_error *error)
{
    const struct bl_wait_limits *limits = &wait->limits;
    const double deadline_s = now_s() + limits->deadline_s;
    enum bl_status status = BL_OK;
    pthread_mutex_lock(&wait->mutex);
    wait->event = event;
    pthread_cond_broadcast(&wait->changed);
    while (wait->event && status == BL_OK) {
        wait_a_little(wait);
        if (!wait->event)
            break;
        if (limits->interrupted && *limits->interrupted)
            status = bl_fail(error, BL_INTERRUPTED, "interrupted");
        else if (now_s() > deadline_s)
            status = bl_fail(error, BL_HANGS, "the device does not finish: given up after %g s",
                             limits->deadline_s);
    }
    wait->is_stuck = status != BL_OK;
    const cl_int code = wait->code;
    pthread_mutex_unlock(&wait->mutex);
    return status == BL_OK ? bl_cl_check(code, "clWaitForEvents", error) : status;
}
