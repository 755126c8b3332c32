/* Folders of files that are about to be written. */
#ifndef BANKLINE_FOLDERS_H
#define BANKLINE_FOLDERS_H

#include "base/status.h"

/* Makes the folders in which the file `path` is to lie, those that are missing; path is as it was
 * afterwards. BL_FILE_FAILED with the folder that cannot be made. */
enum bl_status bl_make_folders(char *path, struct bl_error *error);

#endif
