/* Starts a program under Oclgrind with the plugin that reports what its kernels access, or on the
 * real device with the layer that reports how long they take. */
#ifndef BANKLINE_TRACE_PROGRAM_H
#define BANKLINE_TRACE_PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/status.h"
#include "trace/pace.h"

struct bl_traced_settings {
    const char *const *words; /* of the program, ended by NULL; or, if is_simulation, the file of
                                 oclgrind-kernel alone */
    bool is_simulation;
    const char *between;       /* groups to sample between the first and the last; "all" */
    const char *limit;         /* accesses of a group to report */
    const char *build_options; /* for Oclgrind's compiler besides the program's own; or NULL */
    const char *plugin;        /* its path, or the layer's */
    struct bl_budget budget;   /* of time; length 0: none */
    const char *local_layer;   /* path of local_size_layer.c's library; or NULL */
    unsigned local_size;       /* at most, of groups whose size the program leaves to OpenCL */
    bool is_quick;             /* of each launch only the first and the last group run */
    char *const *environment;  /* as bl_environment_copy gives it */
    bool reports_work;         /* what work-items do between their accesses, too */
    bool is_timed;             /* no Oclgrind: the plugin is the layer, times_layer.c */
};

struct bl_traced_program {
    pid_t process;
    int descriptor; /* to read the trace from */
    int kept_open;  /* the other end, or -1: bl_traced_watch */
};

#define BL_TRACE_PLUGIN "bankline-oclgrind.so"
#define BL_TRACE_LAYER "bankline-times.so"
#define BL_TRACE_LOCAL_LAYER "bankline-local-size.so"

/* Where the plugin of this name is: beside the program, as in a build folder, or where it was
 * installed. BL_USAGE where there is none. */
enum bl_status bl_trace_find_plugin(const char *name, char path[4096], struct bl_error *error);

/* The environment as it is now: some OpenCL loaders cut their own variables to pieces when they are
 * first called, and a program that is started after that would see the first piece. NULL without
 * memory. */
char **bl_environment_copy(void);
void bl_environment_free(char **environment);

/* Starts it; what it prints goes to standard error. BL_NO_DEVICE where there is no Oclgrind;
 * BL_FILE_FAILED, with the reason, where the program itself cannot be started or there are no
 * descriptors or processes left. Each that starts is to be ended. */
enum bl_status bl_traced_start(const struct bl_traced_settings *settings,
                               struct bl_traced_program *program, struct bl_error *error);

/* To be called now and then while the descriptor is read. Until the program has ended, the pipe is
 * held open from this side too: a program may close every descriptor before it starts the one that
 * uses OpenCL, which opens the pipe anew. */
void bl_traced_watch(struct bl_traced_program *program);

/* Closes the descriptor and waits. has_to_stop: it and what it started are sent SIGTERM first,
 * and SIGKILL two seconds later. Returns what waitpid has as its status. */
int bl_traced_end(struct bl_traced_program *program, bool has_to_stop);

#endif
