/* Writes to the pipe even if the traced program closes or reuses its descriptors (pipe_end.h). */
#include "trace/pipe_end.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void bl_pipe_describe(int inherited, int reader_descriptor, char text[BL_PIPE_DESCRIPTION])
{
    struct stat pipe = {0};
    fstat(inherited, &pipe);
    snprintf(text, BL_PIPE_DESCRIPTION, "%d:%ju:%ju:%jd:%d", inherited, (uintmax_t)pipe.st_dev,
             (uintmax_t)pipe.st_ino, (intmax_t)getpid(), reader_descriptor);
}

static bool is_pipe(const struct bl_pipe_end *end, int descriptor)
{
    struct stat now;
    return descriptor >= 0 && fstat(descriptor, &now) == 0 && S_ISFIFO(now.st_mode) &&
           now.st_dev == end->device && now.st_ino == end->inode;
}

/* Moves a descriptor to a high number, which the program probably does not use. */
static int move_up(int descriptor)
{
    const int high = fcntl(descriptor, F_DUPFD_CLOEXEC, BL_PIPE_MIN_DESCRIPTOR);
    if (high < 0)
        return descriptor;
    close(descriptor);
    return high;
}

/* Opens a descriptor for this process only: programs that it executes do not inherit the
 * descriptor, except one with a low number from dup(). */
static int open_own(const struct bl_pipe_end *end)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%jd/fd/%d", (intmax_t)end->reader, end->reader_descriptor);
    /* Check before opening: the path may lead to a different file by now, and opening that file may
     * have side effects. */
    struct stat there;
    const bool is_there = stat(path, &there) == 0 && S_ISFIFO(there.st_mode) &&
                          there.st_dev == end->device && there.st_ino == end->inode;
    int own = is_there ? open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (own >= 0)
        own = move_up(own);
    else if (is_pipe(end, end->inherited))
        own = fcntl(end->inherited, F_DUPFD_CLOEXEC, BL_PIPE_MIN_DESCRIPTOR);
    /* If no high number is available, use a low one. */
    return own < 0 && is_pipe(end, end->inherited) ? dup(end->inherited) : own;
}

bool bl_pipe_end_open(struct bl_pipe_end *end, const char *description)
{
    uintmax_t device, inode;
    intmax_t reader = 0; /* 0 (unknown) if the description has only three fields */
    *end = (struct bl_pipe_end){.descriptor = -1, .inherited = -1, .process = getpid()};
    const int fields = description ? sscanf(description, "%d:%ju:%ju:%jd:%d", &end->inherited,
                                            &device, &inode, &reader, &end->reader_descriptor)
                                   : 0;
    if (fields != 3 && fields != 5)
        return false;
    end->device = (dev_t)device;
    end->inode = (ino_t)inode;
    end->reader = (pid_t)reader;
    end->descriptor = open_own(end);
    return end->descriptor >= 0;
}

/* Writes without raising SIGPIPE, which would kill the program: blocks the signal, and discards it
 * if write() raised it. */
static ssize_t write_quietly(int descriptor, const void *data, size_t bytes)
{
    sigset_t broken, pending, before;
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &broken, &before);
    const ssize_t sent = write(descriptor, data, bytes);
    const int reason = errno;
    if (sent < 0 && reason == EPIPE && !sigismember(&pending, SIGPIPE))
        while (sigtimedwait(&broken, NULL, &(struct timespec){0}) < 0 && errno == EINTR)
            ;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = reason;
    return sent;
}

bool bl_pipe_end_write(struct bl_pipe_end *end, const void *data, size_t bytes)
{
    const char *at = data;
    if (end->descriptor < 0 || getpid() != end->process)
        return false;
    if (!is_pipe(end, end->descriptor))
        end->descriptor = open_own(end);
    while (bytes > 0 && end->descriptor >= 0) {
        const ssize_t sent = write_quietly(end->descriptor, at, bytes);
        if (sent >= 0) {
            at += sent;
            bytes -= (size_t)sent;
        } else if (errno == EAGAIN) {
            poll(&(struct pollfd){.fd = end->descriptor, .events = POLLOUT}, 1, -1);
        } else if (errno != EINTR) {
            bl_pipe_end_close(end);
        }
    }
    return end->descriptor >= 0;
}

/* The lock belongs to the open file description, and each process opens its own description
 * (open_own). */
static void lock(struct bl_pipe_end *end, int operation)
{
    if (getpid() != end->process || !is_pipe(end, end->descriptor))
        return;
    while (flock(end->descriptor, operation) != 0 && errno == EINTR)
        ;
}

void bl_pipe_end_lock(struct bl_pipe_end *end) { lock(end, LOCK_EX); }

void bl_pipe_end_unlock(struct bl_pipe_end *end) { lock(end, LOCK_UN); }

void bl_pipe_end_close(struct bl_pipe_end *end)
{
    if (is_pipe(end, end->descriptor) && getpid() == end->process)
        close(end->descriptor);
    end->descriptor = -1;
}
