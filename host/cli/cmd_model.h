/* Requests that are given as the byte addresses of their lanes, and what the model says of each. */
#ifndef BANKLINE_CLI_CMD_MODEL_H
#define BANKLINE_CLI_CMD_MODEL_H

#include "base/status.h"
#include "model/machine.h"

#endif
