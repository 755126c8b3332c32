/* A layer that simulates time. On the device's clock and on the host's clock, a launch takes a
 * fixed number of ns per round, and everything else takes no time, however slow or busy the host
 * is. The library must also be preloaded (LD_PRELOAD), because measurements read the host's clock.
 * The device's clock can be made to report wrong times of launches.
 *
 * BANKLINE_TEST_CLOCK is honest, zero (launches take no time), reverse (launches end before they
 * start), fast (launches take a thousandth of their time), slow (a thousand times their time),
 * fixed (every launch takes 1000 ns), jump (some launches end a second later), back (some launches
 * end a second earlier), leap (the clock jumps between launches), step:NS (length of a tick) or
 * wrap:BITS (size of the counter). BANKLINE_TEST_ROUND_NS: the time of a round (default 40000).
 *
 * BANKLINE_TEST_QUEUE=HOST:ALONE:BEHIND: enqueueing a launch takes HOST ns, and launches wait for
 * earlier launches. A launch takes ALONE ns more if the device is idle when it is enqueued, else
 * BEHIND ns more. */
#include "layer.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static char lie[16]; /* the word in BANKLINE_TEST_CLOCK */
static cl_ulong amount, round_ns = 40000;
static cl_ulong began_ns; /* start of the current launch, or of the previous launch if none runs */
static cl_uint rounds;
static unsigned launches;
static struct {
    cl_ulong host_ns, alone_ns, behind_ns; /* BANKLINE_TEST_QUEUE; host_ns is 0 if it is not set */
    cl_ulong free_ns;                      /* when the device will be idle */
} queueing;
static cl_ulong extra_ns; /* what the current launch takes in addition to its rounds: alone_ns or
                             behind_ns */
static struct run {
    cl_event event;
    cl_ulong start_ns, end_ns;
} runs[64];                /* the latest launches, if BANKLINE_TEST_QUEUE is set */
static cl_ulong waves = 1; /* number of waves in which the groups of a launch run; 1 if the launch
                              is executed */

static _Atomic cl_ulong now_ns = 1000000000000u;
static atomic_bool is_preloaded;

/* Only measurements use the clock that is replaced here. Code that waits, or needs the date, uses
 * other clocks, which stay real. */
int clock_gettime(clockid_t name, struct timespec *time)
{
    if (name != CLOCK_MONOTONIC_RAW)
        return (int)syscall(SYS_clock_gettime, name, time);
    is_preloaded = 1;
    const cl_ulong now = now_ns;
    *time = (struct timespec){(time_t)(now / 1000000000u), (long)(now % 1000000000u)};
    return 0;
}

/* The kernels that `infer` launches, and the index of the argument that is the number of rounds.
 * The times of these kernels vary a little, because `infer` measures the noise. */
static const struct inferring {
    const char *name;
    cl_uint arguments, rounds_at;
    bool takes_too_long; /* whether a launch of several groups is not executed, because it would
                            take too long */
} inferring[] = {
    {"lanes", 6, 4, false},    {"lanes", 9, 7, false},         {"chase", 8, 5, true},
    {"stream", 7, 4, false},   {"stream_writes", 7, 4, false}, {"barriers", 3, 0, false},
    {"reads", 4, 2, false},    {"writes", 5, 3, false},        {"local_chain", 3, 1, false},
    {"integers", 4, 2, false}, {"floats", 3, 1, false},        {"nothing", 2, 0, false}};
/* The kernel of the current launch; NULL if it is none of `inferring`. */
static const struct inferring *launched;

/* Finds a kernel in `inferring` by its name and its number of arguments, because a suite has a
 * kernel `chase`, too. NULL if not found. */
static const struct inferring *inferring_of(cl_kernel kernel)
{
    char name[64] = "";
    cl_uint count = 0;
    real->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
    real->clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL);
    for (size_t i = 0; i < sizeof inferring / sizeof *inferring; i++)
        if (inferring[i].arguments == count && strcmp(inferring[i].name, name) == 0)
            return &inferring[i];
    return NULL;
}

static cl_ulong duration_ns(void)
{
    const cl_ulong even = rounds * round_ns;
    return extra_ns +
           (launched ? (even + even / 1000 * (launches * 2654435761u >> 16 & 7)) * waves : even);
}

static cl_int CL_API_CALL set_argument(cl_kernel kernel, cl_uint index, size_t size,
                                       const void *value)
{
    const struct inferring *own = size == sizeof rounds ? inferring_of(kernel) : NULL;
    if (size == sizeof rounds && index == (own ? own->rounds_at : 2))
        memcpy(&rounds, value, sizeof rounds);
    return real->clSetKernelArg(kernel, index, size, value);
}

/* Enqueueing takes host_ns, and the launch waits for earlier launches. */
static void queue_launch(void)
{
    now_ns += queueing.host_ns;
    const int is_busy = queueing.free_ns > now_ns;
    began_ns = is_busy ? queueing.free_ns : now_ns;
    extra_ns = is_busy ? queueing.behind_ns : queueing.alone_ns;
}

static void remember(cl_event event)
{
    queueing.free_ns = began_ns + duration_ns();
    runs[launches % (sizeof runs / sizeof *runs)] = (struct run){event, began_ns, queueing.free_ns};
}

static const struct run *run_of(cl_event event)
{
    enum { COUNT = sizeof runs / sizeof *runs };
    for (unsigned back = 0; back < COUNT; back++)
        if (runs[(launches - back) % COUNT].event == event)
            return &runs[(launches - back) % COUNT];
    return NULL;
}

static cl_int CL_API_CALL enqueue(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                  const size_t *offset, const size_t *global, const size_t *local,
                                  cl_uint count, const cl_event *list, cl_event *event)
{
    began_ns = now_ns;
    launches++;
    launched = inferring_of(kernel);
    if (queueing.host_ns)
        queue_launch();
    const size_t groups = local ? global[0] / local[0] : 1;
    const int is_executed = !(launched && launched->takes_too_long && groups > 1);
    waves = is_executed ? 1 : (groups + 63) / 64; /* 64 groups run at a time */
    const cl_int code = is_executed
                            ? real->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset,
                                                           global, local, count, list, event)
                            : real->clEnqueueMarkerWithWaitList(queue, count, list, event);
    if (queueing.host_ns && code == CL_SUCCESS && event)
        remember(*event);
    return code;
}

static cl_int CL_API_CALL wait_for(cl_uint count, const cl_event *list)
{
    const cl_int code = real->clWaitForEvents(count, list);
    const cl_ulong end_ns = began_ns + duration_ns();
    if (now_ns < end_ns)
        now_ns = end_ns;
    return code;
}

static int is(const char *name) { return strcmp(lie, name) == 0; }

static void tell(cl_ulong *start, cl_ulong *end)
{
    const int now_and_then = launches % 7 == 3;
    *start = began_ns + (is("leap") ? launches % 5 * 1000000007u : 0);
    *end = *start + duration_ns();
    if (is("zero"))
        *end = *start;
    else if (is("reverse"))
        *end = *start - duration_ns();
    else if (is("fast"))
        *end = *start + duration_ns() / 1000;
    else if (is("slow"))
        *end = *start + duration_ns() * 1000;
    else if (is("fixed"))
        *end = *start + 1000;
    else if (is("jump") && now_and_then)
        *end += 1000000000u;
    else if (is("back") && now_and_then)
        *end -= 1000000000u;
    else if (is("step"))
        *start -= *start % amount, *end -= *end % amount;
    else if (is("wrap"))
        *start %= (cl_ulong)1 << amount, *end %= (cl_ulong)1 << amount;
}

static cl_int CL_API_CALL profiling_info(cl_event event, cl_profiling_info name, size_t size,
                                         void *value, size_t *needed)
{
    const cl_int code = real->clGetEventProfilingInfo(event, name, size, value, needed);
    cl_ulong start, end;
    if (code != CL_SUCCESS || !value)
        return code;
    tell(&start, &end);
    const struct run *run = queueing.host_ns ? run_of(event) : NULL;
    if (run)
        start = run->start_ns, end = run->end_ns;
    if (name == CL_PROFILING_COMMAND_START)
        memcpy(value, &start, sizeof start);
    if (name == CL_PROFILING_COMMAND_END)
        memcpy(value, &end, sizeof end);
    return CL_SUCCESS;
}

static cl_int hook(struct _cl_icd_dispatch *dispatch)
{
    const char *chosen = getenv("BANKLINE_TEST_CLOCK"), *takes = getenv("BANKLINE_TEST_ROUND_NS"),
               *queue = getenv("BANKLINE_TEST_QUEUE");
    if (!chosen || sscanf(chosen, "%15[a-z]:%lu", lie, &amount) < 1)
        return CL_INVALID_VALUE;
    if (takes)
        round_ns = strtoul(takes, NULL, 10);
    if (queue && sscanf(queue, "%lu:%lu:%lu", &queueing.host_ns, &queueing.alone_ns,
                        &queueing.behind_ns) != 3)
        return CL_INVALID_VALUE;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    if (!is_preloaded) {
        fputs("layer: the clock is not preloaded\n", stderr);
        return CL_INVALID_VALUE;
    }
    fprintf(stderr, "layer: clock %s\n", lie);
    dispatch->clSetKernelArg = set_argument;
    dispatch->clEnqueueNDRangeKernel = enqueue;
    dispatch->clWaitForEvents = wait_for;
    dispatch->clGetEventProfilingInfo = profiling_info;
    return CL_SUCCESS;
}
