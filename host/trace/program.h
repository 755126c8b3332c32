/* Starts the user's program: under Oclgrind with the plugin that reports memory accesses, or on the
 * real device with the layer that reports times. */
#ifndef BANKLINE_TRACE_PROGRAM_H
#define BANKLINE_TRACE_PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/status.h"
#include "trace/pace.h"

/* The answers of the machine's driver to a program's queries (BL_WIRE_ANSWERS); 0 if not known. */
struct bl_driver_answers {
    unsigned units, group, kernel, lanes;
};

struct bl_traced_settings {
    const char *const *words; /* the program's command line, ended by NULL; if is_simulation is set,
                                 only the file for oclgrind-kernel */
    bool is_simulation;
    const char *between; /* number of groups to sample between the first and the last; or "all" */
    const char *limit;   /* max accesses to report per group */
    const char *build_options; /* additional options for Oclgrind's compiler; or NULL */
    const char *plugin;        /* path of the plugin, or of the layer */
    struct bl_budget budget;   /* time budget; its length is 0 if there is none */
    const char *local_layer;   /* path of the library local_size_layer.c, for which bl_can_preload
                                  holds; or NULL */
    unsigned local_size;       /* maximum group size if the program leaves the size to OpenCL */
    struct bl_driver_answers answers; /* for local_layer */
    unsigned local_bytes;             /* local memory that a group may use; 0 if not known */
    bool is_quick;                    /* run only the first and the last group of each launch */
    char *const *environment;         /* from bl_environment_copy */
    bool reports_work;                /* also report what work-items do between accesses */
    bool is_timed; /* run without Oclgrind; `plugin` is the layer times_layer.c */
    int output;    /* descriptor for what the program prints; 0 for standard error */
};

struct bl_traced_program {
    pid_t process;
    int descriptor; /* descriptor to read the trace from */
    int kept_open;  /* the writing end, until bl_traced_watch closes it; or -1 */
};

#define BL_TRACE_PLUGIN "bankline-oclgrind.so"
#define BL_TRACE_LAYER "bankline-times.so"
#define BL_TRACE_LOCAL_LAYER "bankline-local-size.so"

/* Finds the plugin with this name beside bankline, as in a build folder, or where it was installed.
 * Fails with BL_USAGE if there is none. */
enum bl_status bl_trace_find_plugin(const char *name, char path[4096], struct bl_error *error);

/* Copies the current environment; NULL if memory runs out. Call it before the first OpenCL call:
 * some OpenCL loaders overwrite parts of the variables that they read, and a program started later
 * would get truncated values. */
char **bl_environment_copy(void);
void bl_environment_free(char **environment);

/* Whether a library can be preloaded from this path. LD_PRELOAD separates paths by blanks and
 * colons, so the path must have neither. */
bool bl_can_preload(const char *path);

/* Starts the program. If this succeeds, call bl_traced_end later. Fails with BL_NO_DEVICE if
 * Oclgrind is missing, and with BL_FILE_FAILED and the reason if the program cannot be started or
 * no descriptors or processes are left. */
enum bl_status bl_traced_start(const struct bl_traced_settings *settings,
                               struct bl_traced_program *program, struct bl_error *error);

/* Call this regularly while reading the descriptor. Until the program has ended, this function
 * keeps the writing end open: the program may close all descriptors before it starts the process
 * that uses OpenCL, and that process then opens the pipe again. */
void bl_traced_watch(struct bl_traced_program *program);

/* Whether the process has ended; bl_traced_end must still be called to collect it. */
bool bl_traced_has_ended(const struct bl_traced_program *program);

/* Closes the descriptor and waits for the program. has_to_stop: first sends SIGTERM to the program
 * and its child processes, and SIGKILL two seconds later. Returns the status from waitpid. */
int bl_traced_end(struct bl_traced_program *program, bool has_to_stop);

#endif
