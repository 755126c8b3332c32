/* A signal sets a flag and starts a timer. Measuring code checks the flag between launches, so
 * files are finished before the program ends. If the program takes too long to finish, the timer
 * ends it: a driver's compiler, for example, does not check the flag. The same signal a second time
 * ends the program immediately, because the first removed the signal's handler. */
#include "cli/interrupt.h"

#include <stddef.h>
#include <sys/time.h>

enum { GRACE_US = 700000 };

static volatile sig_atomic_t came, is_held;

/* Handles SIGALRM: ends the program by the signal that arrived before, without waiting for code
 * that ignores the flag, such as a compiler. */
static void give_up(int number)
{
    (void)number;
    signal(came, SIG_DFL);
    raise(came);
}

static void remember(int number)
{
    came = number;
    if (is_held)
        return;
    const struct itimerval grace = {.it_value = {.tv_usec = GRACE_US}};
    setitimer(ITIMER_REAL, &grace, NULL);
}

void bl_interrupt_catch(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = remember, .sa_flags = SA_RESTART | (int)SA_RESETHAND};
    const struct sigaction last = {.sa_handler = give_up};
    sigaction(SIGALRM, &last, NULL);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction before;
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

void bl_interrupt_hold(void)
{
    const struct itimerval none = {0};
    is_held = 1;
    setitimer(ITIMER_REAL, &none, NULL);
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
