/* Finds what a path leads to: a regular file, an open descriptor, or something else. */
#ifndef BANKLINE_BASE_FILE_TARGET_H
#define BANKLINE_BASE_FILE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

enum bl_target_kind {
    BL_TARGET_REGULAR, /* a regular file, or an unused name under which a file can be created */
    BL_TARGET_SPECIAL, /* a pipe, a device, a folder, anything in /proc or in /dev except /dev/shm
                        */
    BL_TARGET_DESCRIPTOR, /* an open descriptor of this process */
};

struct bl_file_target {
    enum bl_target_kind kind;
    int descriptor;    /* the open descriptor; -1 for other kinds */
    bool exists;       /* whether the target exists; `about` is then valid */
    struct stat about; /* result of stat() for the target */
    char *name;        /* absolute, with symbolic links resolved, except a link in /proc at its end;
                          NULL for a descriptor */
    size_t base;       /* index in `name` of the part after the last '/' */
};

/* Follows symbolic links one by one, so that a link to /dev/stdout is recognized. The file at the
 * end of the links need not exist. "-" is descriptor 1 if is_output, else 0. Returns 0 or an errno:
 * ENOENT if `path` is empty or its folder is missing, ELOOP, EACCES, ENOMEM and others. The caller
 * frees target with bl_target_free, also after a failure. */
int bl_target_resolve(const char *path, bool is_output, struct bl_file_target *target);

void bl_target_free(struct bl_file_target *target);

/* Whether both structs describe the same file: the device and inode numbers are equal. */
bool bl_same_file(const struct stat *one, const struct stat *other);

#endif
