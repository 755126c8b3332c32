/* The commands. Each prints its results to standard output and returns a status; the sentence of a
 * failure is in error, for main to print. */
#ifndef BANKLINE_CLI_COMMANDS_H
#define BANKLINE_CLI_COMMANDS_H

#include "cli/options.h"

enum bl_status bl_command_compare(const struct bl_options *options, struct bl_error *error);
enum bl_status bl_command_devices(const struct bl_options *options, struct bl_error *error);
enum bl_status bl_command_history(const struct bl_options *options, struct bl_error *error);
enum bl_status bl_command_list(const struct bl_options *options, struct bl_error *error);
enum bl_status bl_command_model(const struct bl_options *options, struct bl_error *error);
enum bl_status bl_command_run(const struct bl_options *options, struct bl_error *error);
enum bl_status bl_command_try(const struct bl_options *options, struct bl_error *error);

#endif
