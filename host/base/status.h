/* One status type for the whole library.
 *
 * A function that can fail returns an enum bl_status. If it takes a struct bl_error, it also writes
 * one sentence for the user into the struct: which device, case, file or call failed, and what
 * would have worked. The list below has, for each status, the exit status of the program (0 done, 1
 * bad news, 2 usage, 3 device, 4 file) and the words that are printed if there is no sentence. */
#ifndef BANKLINE_STATUS_H
#define BANKLINE_STATUS_H

#include <stddef.h>

#define BL_STATUSES(STATUS)                                            \
    STATUS(OK, 0, "no error")                                          \
    STATUS(BAD_NEWS, 1, "a row is refuted, wrong or without a number") \
    STATUS(USAGE, 2, "the command line cannot be understood")          \
    STATUS(UNKNOWN_CASE, 2, "no such case")                            \
    STATUS(UNKNOWN_MACHINE, 2, "no such machine")                      \
    STATUS(BAD_MACHINE, 2, "the machine lacks a field the rule needs") \
    STATUS(BAD_SHAPE, 2, "the work-group shape is not possible")       \
    STATUS(BAD_EXPRESSION, 2, "the index expression is not valid")     \
    STATUS(OUT_OF_RANGE, 2, "an index lies outside the array")         \
    STATUS(AMBIGUOUS_DEVICE, 2, "several devices match")               \
    STATUS(NO_PLATFORM, 3, "no OpenCL platform")                       \
    STATUS(NO_DEVICE, 3, "no OpenCL device")                           \
    STATUS(OPENCL_FAILED, 3, "an OpenCL call failed")                  \
    STATUS(BUILD_FAILED, 3, "a kernel does not build")                 \
    STATUS(NO_MEMORY, 3, "out of memory")                              \
    STATUS(WRONG_RESULT, 3, "the device computed a wrong result")      \
    STATUS(BAD_CLOCK, 3, "the device's clock cannot be trusted")       \
    STATUS(HANGS, 3, "the device did not finish in time")              \
    STATUS(INTERRUPTED, 3, "interrupted by a signal")                  \
    STATUS(IMPOSSIBLE, 3, "throughput is above a physical limit")      \
    STATUS(FILE_FAILED, 4, "a file could not be read or written")      \
    STATUS(NO_READER, 4, "standard output was closed by its reader")   \
    STATUS(BAD_FORMAT, 4, "a file does not have the expected format")

enum bl_status {
#define BL_STATUS_ENUM(name, exit_status, words) BL_##name,
    BL_STATUSES(BL_STATUS_ENUM)
#undef BL_STATUS_ENUM
};

struct bl_error {
    enum bl_status status;
    char sentence[768]; /* one line; control characters are replaced by '?' */
    char log[8192];     /* a compiler's build log, truncated to fit; empty if there is none */
};

/* The words for a status that has no sentence; never NULL. */
const char *bl_status_words(enum bl_status status);

/* The exit status, 0 to 4, that the program ends with for this status. */
int bl_status_exit(enum bl_status status);

/* Writes the sentence (printf's format) into error, which may be NULL, and returns status. */
enum bl_status bl_fail(struct bl_error *error, enum bl_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prepends context (printf's format) and ": " to the sentence. Callers add what the failed function
 * does not know, for example the name of the case. */
void bl_error_context(struct bl_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
