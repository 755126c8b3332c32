/* Ctrl-C and other signals that end the program: what is written is finished first. */
#ifndef BANKLINE_CLI_INTERRUPT_H
#define BANKLINE_CLI_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

/* Catches SIGINT, SIGTERM and SIGHUP once, unless they are ignored. The first one is remembered;
 * the program has most of a second then to come to its end, before the signal ends it. A second one
 * ends it at once. */
void bl_interrupt_catch(void);

/* The signal that came, or 0: for those who wait (cl/session.h). */
const volatile sig_atomic_t *bl_interrupt(void);

/* The same for those who call a function, with a context that it needs not. */
bool bl_is_interrupted(void *context);

/* Ends the process by the signal that came, as its parent expects; returns if none came. */
void bl_interrupt_end(void);

#endif
