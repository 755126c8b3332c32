/* The end of a pipe that a library inside another program writes to. A program may close what it
 * did not open, or open a file of its own under the number; a driver script may close every
 * descriptor before it starts another program. So each write first checks that the descriptor still
 * is the pipe, and opens the pipe anew through its reader where it is not.
 *
 * Compiled into the plugin of Oclgrind (C++), the layer that reports times, and the program.
 */
#ifndef BANKLINE_TRACE_PIPE_END_H
#define BANKLINE_TRACE_PIPE_END_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(hidden) /* no name of ours in other people's programs */

/* No program's own descriptors are expected from this number on. */
enum { BL_PIPE_MIN_DESCRIPTOR = 200, BL_PIPE_DESCRIPTION = 96 };

struct bl_pipe_end {
    int descriptor; /* of this process alone; -1: nobody reads, or the pipe cannot be reached */
    int inherited;
    pid_t reader, process; /* process: it was opened in */
    int reader_descriptor;
    dev_t device;
    ino_t inode;
};

/* Describes a pipe for a variable of the environment: the number of its inherited end, its device
 * and inode, and the process and descriptor that read it. */
void bl_pipe_describe(int inherited, int reader_descriptor, char text[BL_PIPE_DESCRIPTION]);

/* Opens the pipe of a description, which may be NULL, or lack what reads it; false where the pipe
 * cannot be reached. */
bool bl_pipe_end_open(struct bl_pipe_end *end, const char *description);

/* Writes all of it, as one write where the pipe takes so many bytes. Returns false, from then on
 * too, where nobody reads, the pipe cannot be reached, or this is a fork of the process that opened
 * it. No signal is raised, and no other file is written to. */
bool bl_pipe_end_write(struct bl_pipe_end *end, const void *data, size_t bytes);

/* Between these two, other processes that lock the pipe wait with what they write. Without effect
 * where a process could not open an end of its own. The lock ends with the process, too. */
void bl_pipe_end_lock(struct bl_pipe_end *end);
void bl_pipe_end_unlock(struct bl_pipe_end *end);

void bl_pipe_end_close(struct bl_pipe_end *end);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
