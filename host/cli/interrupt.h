/* Ctrl-C and other signals that end the program: files are finished first. */
#ifndef BANKLINE_CLI_INTERRUPT_H
#define BANKLINE_CLI_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

/* Catches SIGINT, SIGTERM and SIGHUP once, unless they are ignored. After the first signal, the
 * program has 0.7 s to finish before the signal ends it. A second signal ends it immediately. */
void bl_interrupt_catch(void);

/* From now on the program may take any time to finish after the first signal, so results that took
 * long are written. A second signal still ends it immediately. */
void bl_interrupt_hold(void);

/* Points to the signal that arrived, or to 0. For struct bl_wait_limits and bl_run_settings. */
const volatile sig_atomic_t *bl_interrupt(void);

/* Whether a signal arrived, as a callback; context is unused. */
bool bl_is_interrupted(void *context);

/* If a signal arrived, ends the process by that signal, as its parent expects; else returns. */
void bl_interrupt_end(void);

#endif
