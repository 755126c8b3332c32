/* How a regular file comes into its place. */
#ifndef BANKLINE_BASE_FILE_PLACE_H
#define BANKLINE_BASE_FILE_PLACE_H

#include "base/file_target.h"

/* Locks the file behind descriptor, until it is closed, against other writers. Whether it could be:
 * also when the file system has no locks. */
bool bl_file_lock(int descriptor);

/* Whether name still leads to the file behind descriptor. */
bool bl_file_has_name(int descriptor, const char *name);

/* Whether a new file can be made in target's folder and take the place of an old one there: 0 or an
 * errno. */
int bl_file_check_folder(const struct bl_target *target);

/* Creates a file beside target, locked, with the owner and mode of an existing target. Returns its
 * descriptor, and in *name its name, which the caller frees; or -1 and errno. */
int bl_file_create_beside(const struct bl_target *target, char **name);

/* Owner and mode of an existing target, as far as the OS kernel lets us. */
void bl_file_take_mode(int descriptor, const struct bl_target *target);

/* Brings the file to the disk, and, when temporary is not NULL, from that name to target's. Returns
 * 0 or an errno. */
int bl_file_settle(int descriptor, const char *temporary, const struct bl_target *target);

#endif
