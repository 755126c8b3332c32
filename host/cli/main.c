/* The program: parses the command line, runs the command, and returns the exit status. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/coverage.h"
#include "base/file.h"
#include "cl/native.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "report/layout.h"

static void do_nothing(int number) { (void)number; }

/* Keeps SIGPIPE and SIGXFSZ from ending the program, so that a write to a closed pipe, or beyond
 * the limit of file sizes, fails with an error code instead. Sets a handler that does nothing, and
 * not SIG_IGN, because programs that we start would inherit SIG_IGN. */
static void keep_alive_on_failed_writes(void)
{
    const struct sigaction action = {.sa_handler = do_nothing, .sa_flags = SA_RESTART};
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL);
}

/* Flushes standard output. Returns `status` if that succeeds, or if `status` is a failure with an
 * exit status of 2 or more. If the reader closed the pipe early, as 'head' does, fails with
 * BL_NO_READER and without a message. */
static enum bl_status end_stdout(enum bl_status status, struct bl_error *error)
{
    const int reason = bl_file_flush_stdout();
    struct pollfd pipe = {.fd = STDOUT_FILENO};
    if (!reason || bl_status_exit(status) >= 2)
        return status;
    if (reason == EPIPE || (poll(&pipe, 1, 0) > 0 && (pipe.revents & POLLERR)))
        return BL_NO_READER;
    return bl_fail(error, BL_FILE_FAILED, "cannot write to standard output: %s", strerror(reason));
}

int main(int argc, char *argv[])
{
    if (argc == 3 && strcmp(argv[0], BL_NATIVE_NAME) == 0)
        return bl_native_serve(argv[1], argv[2]);
    bl_file_guard_standard_streams();
    keep_alive_on_failed_writes();
    struct bl_invocation invocation;
    struct bl_error error = {0};
    enum bl_status status = bl_command_line_parse(&bl_commands, argc, argv, &invocation, &error);
    bl_interrupt_catch();
    if (status == BL_OK)
        status = invocation.command->run(invocation.settings, &invocation.arguments, &error);
    bl_invocation_free(&invocation);
    status = end_stdout(status, &error);
    if (status != BL_OK && status != BL_NO_READER)
        fprintf(stderr, "bankline: %s\n",
                error.sentence[0] ? error.sentence : bl_status_words(status));
    if (status != BL_OK && error.log[0])
        bl_put_lines(stderr, error.log, strlen(error.log));
    fflush(stderr);
    if (*bl_interrupt() || bl_lost_a_device())
        bl_count_coverage();
    bl_interrupt_end();
    if (bl_lost_a_device())
        _exit(bl_status_exit(status));
    return bl_status_exit(status);
}
