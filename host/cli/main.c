#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/measure.h"
#include "version.h"

static enum bl_status show_help(const struct bl_options *options, struct bl_error *error)
{
    (void)options, (void)error;
    bl_options_help(stdout);
    return BL_OK;
}

static enum bl_status show_version(const struct bl_options *options, struct bl_error *error)
{
    (void)options, (void)error;
    puts("bankline " BL_VERSION);
    return BL_OK;
}

static enum bl_status (*const commands[])(const struct bl_options *, struct bl_error *) = {
    [BL_COMMAND_HELP] = show_help,
    [BL_COMMAND_VERSION] = show_version,
    [BL_COMMAND_DEVICES] = bl_command_devices,
    [BL_COMMAND_LIST] = bl_command_list,
    [BL_COMMAND_MODEL] = bl_command_model,
    [BL_COMMAND_RUN] = bl_command_run,
    [BL_COMMAND_TRY] = bl_command_try,
    [BL_COMMAND_COMPARE] = bl_command_compare,
    [BL_COMMAND_HISTORY] = bl_command_history,
};

/* Where coverage is counted, what ends without exit() counts too. */
static void count_coverage(void)
{
#ifdef BL_COVERAGE
    extern void __gcov_dump(void);
    __gcov_dump();
#endif
}

int main(int argc, char *argv[])
{
    struct bl_options options;
    struct bl_error error = {0};
    enum bl_status status = bl_options_parse(argc, argv, &options, &error);
    bl_interrupt_catch();
    if (status == BL_OK)
        status = commands[options.command](&options, &error);
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && bl_status_exit(status) < 2)
        status = bl_fail(&error, BL_FILE_FAILED, "cannot write to standard output: %s",
                         strerror(errno ? errno : EIO));
    if (status != BL_OK)
        fprintf(stderr, "bankline: %s\n",
                error.sentence[0] ? error.sentence : bl_status_words(status));
    if (status != BL_OK && error.log[0])
        fputs(error.log, stderr);
    fflush(stderr);
    if (*bl_interrupt() || bl_run_lost_a_device())
        count_coverage();
    bl_interrupt_end();
    if (bl_run_lost_a_device())
        _exit(bl_status_exit(status));
    return bl_status_exit(status);
}
