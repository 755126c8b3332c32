/* Handles Ctrl-C and other signals that end the program, and devices that hang. Files are finished
 * before the program ends. */
#ifndef BANKLINE_CLI_INTERRUPT_H
#define BANKLINE_CLI_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

/* Catches SIGINT, SIGTERM and SIGHUP, unless they are ignored. The program then has 0.7 s to finish
 * before the signal ends it. The same signal a second time ends the program immediately, if it
 * arrives at least half a second after the first. */
void bl_interrupt_catch(void);

/* From now on the program may take any time to finish after a signal, so that results that took
 * long to compute are written. The same signal a second time still ends the program immediately. */
void bl_interrupt_hold(void);

/* While guarded, a repeated signal does not end the program immediately, so that a program that it
 * started can be stopped first. Takes back signals from handlers that OpenCL drivers have installed
 * since bl_interrupt_catch. bl_interrupt_guard(false) then ends the program; so does the end of
 * 10 s. */
void bl_interrupt_guard(bool guarded);

/* Points to the number of the signal that arrived, or to 0. For struct bl_wait_limits and
 * bl_run_settings. */
const volatile sig_atomic_t *bl_interrupt(void);

/* Whether a signal arrived. For use as a callback; ignores `context`. */
bool bl_is_interrupted(void *context);

/* If a signal arrived, ends the process by that signal, as the parent process expects. Otherwise
 * returns. */
void bl_interrupt_end(void);

struct bl_run;

/* Closes a run, and notes whether its device hung (bl_lost_a_device). */
void bl_end_run(struct bl_run *run);

/* Whether the device of any run hung. The process must then end by _exit. */
bool bl_lost_a_device(void);

#endif
