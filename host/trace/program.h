/* Starts the user's program, either under Oclgrind with the plugin that reports memory accesses, or
 * on a real device with the layer that reports times. */
#ifndef BANKLINE_TRACE_PROGRAM_H
#define BANKLINE_TRACE_PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/status.h"
#include "model/machine.h"
#include "trace/pace.h"

/* The most work-items of a group that a driver usually chooses. */
enum { BL_DRIVER_LOCAL_SIZE = 256 };

struct bl_traced_settings {
    const char *const *words; /* the program's command line, ended by NULL; if is_simulation, only a
                                 simulator file */
    bool is_simulation;
    const char *between; /* number of groups to trace between the first and the last; or "all" */
    const char *limit;   /* maximum number of accesses to report per group */
    const char *build_options; /* additional options for Oclgrind's compiler; or NULL */
    const char *plugin;        /* path of the plugin, or of the layer */
    struct bl_budget budget;   /* time budget; its length is 0 if there is none */
    const char *local_layer;   /* path, accepted by bl_can_preload, of the library of
                                  local_size_layer.c; or NULL */
    unsigned local_size; /* maximum group size for launches that leave the size to OpenCL; 0: as the
                            machine's driver chooses */
    const struct bl_machine *machine; /* the device that the program sees; NULL if is_timed */
    bool is_quick;                    /* run only the groups that are traced */
    char *const *environment;         /* from bl_environment_copy */
    bool reports_work;                /* also report what work-items do between accesses */
    const char *native; /* path of bankline, to start the server that runs launches on PoCL
                           (cl/native.h); NULL: none */
    bool is_timed;      /* run without Oclgrind; `plugin` is the layer times_layer.c */
    int output;         /* descriptor for what the program prints; 0 for standard error */
};

enum { BL_TRACED_MARK = 160 };

struct bl_traced_program {
    pid_t process;
    char mark[BL_TRACED_MARK]; /* a variable in the environment of the program and what it starts */
    int descriptor;            /* descriptor to read the trace from */
    pid_t native;              /* the server of cl/native.h; 0 or less if there is none */
    char native_socket[32];    /* the value of BL_NATIVE_SOCKET */
    int kept_open;             /* the pipe's write end; -1 after bl_traced_watch has closed it */
};

#define BL_TRACE_PLUGIN "bankline-oclgrind.so"
#define BL_TRACE_LAYER "bankline-times.so"
#define BL_TRACE_LOCAL_LAYER "bankline-local-size.so"

/* Finds the plugin with this file name where plugins are installed, or else in a build folder.
 * Fails with BL_USAGE if neither has the plugin. */
enum bl_status bl_trace_find_plugin(const char *name, char path[4096], struct bl_error *error);

/* Copies the current environment; NULL if memory runs out. Call this before the first OpenCL call:
 * some OpenCL loaders overwrite parts of the environment variables that they read, and a program
 * that is started later would get truncated values. */
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

/* Closes the pipe's write end once the program has ended. Call this regularly while reading the
 * descriptor. Until then the write end stays open, because the program may close all its
 * descriptors before it starts the process that uses OpenCL, and this process then opens the pipe
 * again. */
void bl_traced_watch(struct bl_traced_program *program);

/* Whether the process has ended. bl_traced_end must still be called to reap it. */
bool bl_traced_has_ended(const struct bl_traced_program *program);

/* Closes the descriptor and waits for the program. has_to_stop: first sends SIGTERM to the program
 * and all processes that it started, and SIGKILL to those that still run two seconds later (if the
 * OS has no pidfds, only SIGTERM to the program). Not found are processes whose parents have ended
 * and that have cleared their environment. Returns the status from waitpid. */
int bl_traced_end(struct bl_traced_program *program, bool has_to_stop);

enum { BL_TRACED_BETWEEN = 24 };

/* Converts "all", "first,last" or "first,last,N" to bl_traced_settings.between. Fails with BL_USAGE
 * for any other text. */
enum bl_status bl_traced_between(const char *sample, char between[BL_TRACED_BETWEEN],
                                 struct bl_error *error);

#endif
