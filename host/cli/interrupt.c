/* A signal sets a flag and starts a timer. Measuring code checks the flag between launches, so
 * files are finished before the program ends. If the program takes too long to finish, the timer
 * ends it: a driver's compiler, for example, does not check the flag. The same signal a second time
 * ends the program immediately, unless it comes soon after the first: `timeout` sends its signal to
 * the process and then to the process's group, so the signal arrives twice. */
#include "cli/interrupt.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/time.h>
#include <time.h>

#include "run/run.h"

enum { GRACE_US = 700000, REPETITION_MS = 500, GUARDED_S = 10 };

static volatile sig_atomic_t came, is_held, is_guarded, is_repeated;
static struct timespec came_at;

/* Handles SIGALRM: ends the program by the signal that arrived before, without waiting for code
 * that ignores the flag, such as a compiler. */
static void give_up(int number)
{
    (void)number;
    signal(came, SIG_DFL);
    raise(came);
}

static long ms_between(const struct timespec *from, const struct timespec *to)
{
    return (to->tv_sec - from->tv_sec) * 1000 + (to->tv_nsec - from->tv_nsec) / 1000000;
}

static void remember(int number)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (came == number) {
        if (ms_between(&came_at, &now) < REPETITION_MS || (is_guarded && is_repeated))
            return;
        if (!is_guarded)
            give_up(number);
        is_repeated = 1;
        setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {.tv_sec = GUARDED_S}}, NULL);
        return;
    }
    came_at = now;
    atomic_thread_fence(memory_order_release); /* another thread may handle the next signal */
    came = number;
    if (is_held)
        return;
    const struct itimerval grace = {.it_value = {.tv_usec = GRACE_US}};
    setitimer(ITIMER_REAL, &grace, NULL);
}

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof signals[0] };
static bool is_caught[SIGNALS];

static void install_handlers(void)
{
    const struct sigaction action = {.sa_handler = remember, .sa_flags = SA_RESTART};
    for (size_t i = 0; i < SIGNALS; i++)
        if (is_caught[i])
            sigaction(signals[i], &action, NULL);
}

void bl_interrupt_catch(void)
{
    const struct sigaction last = {.sa_handler = give_up};
    sigaction(SIGALRM, &last, NULL);
    for (size_t i = 0; i < SIGNALS; i++) {
        struct sigaction before;
        is_caught[i] = sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN;
    }
    install_handlers();
}

void bl_interrupt_hold(void)
{
    const struct itimerval none = {0};
    is_held = 1;
    setitimer(ITIMER_REAL, &none, NULL);
}

void bl_interrupt_guard(bool guarded)
{
    is_guarded = guarded;
    if (guarded) /* OpenCL drivers install LLVM's handlers, which catch only one signal */
        install_handlers();
    if (!guarded && is_repeated)
        give_up(SIGALRM);
}

bool bl_is_interrupted(void *context)
{
    (void)context;
    return *bl_interrupt() != 0;
}

const volatile sig_atomic_t *bl_interrupt(void) { return &came; }

void bl_interrupt_end(void)
{
    if (came)
        give_up(SIGALRM);
}

static bool lost_a_device;

void bl_end_run(struct bl_run *run) { lost_a_device |= bl_run_close(run); }

bool bl_lost_a_device(void) { return lost_a_device; }
