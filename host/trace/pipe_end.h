/* The write end of a pipe, used by a library inside another program. The program may close
 * descriptors that it did not open, or reuse a descriptor's number for its own file, and a script
 * may close all descriptors before it starts another program. So each write first checks that the
 * descriptor is still the pipe. If not, the pipe is opened again through /proc/PID/fd of the
 * process that reads it.
 *
 * Compiled into the Oclgrind plugin (C++), the layer that reports times, and bankline itself. */
#ifndef BANKLINE_TRACE_PIPE_END_H
#define BANKLINE_TRACE_PIPE_END_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(hidden) /* do not export these names into the user's program */

/* Programs are not expected to use descriptors from this number on. */
enum { BL_PIPE_MIN_DESCRIPTOR = 200, BL_PIPE_DESCRIPTION = 96 };

struct bl_pipe_end {
    int descriptor; /* this process's descriptor; -1 if there is no reader or the pipe cannot be
                       reached */
    int inherited;
    pid_t reader, process; /* process: the process that called bl_pipe_end_open */
    int reader_descriptor;
    dev_t device;
    ino_t inode;
};

/* Writes the description of a pipe for an environment variable: the inherited descriptor, the
 * pipe's device and inode, this process (which reads the pipe), and its descriptor. */
void bl_pipe_describe(int inherited, int reader_descriptor, char text[BL_PIPE_DESCRIPTION]);

/* Opens the pipe. The description may lack the reader's process and descriptor. Returns false if
 * the description is NULL or invalid, or if the pipe cannot be reached. */
bool bl_pipe_end_open(struct bl_pipe_end *end, const char *description);

/* Writes all bytes, in a single write() if the pipe accepts that many. Returns false, now and for
 * all later calls, if there is no reader, if the pipe cannot be reached, or in a fork of the
 * process that opened it. Never raises a signal and never writes to another file. */
bool bl_pipe_end_write(struct bl_pipe_end *end, const void *data, size_t bytes);

/* Lock the pipe: other processes that lock it wait until the lock is released. The lock has no
 * effect between processes that could not open the pipe again and therefore share one open file
 * description. The lock is released at the latest when the process ends. */
void bl_pipe_end_lock(struct bl_pipe_end *end);
void bl_pipe_end_unlock(struct bl_pipe_end *end);

void bl_pipe_end_close(struct bl_pipe_end *end);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
