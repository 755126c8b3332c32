/* Functions for tests of base/file.h: a temporary folder, and checks of the files in it. */
#ifndef BANKLINE_TESTS_FILE_CHECKS_H
#define BANKLINE_TESTS_FILE_CHECKS_H

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

static char folder[] = "/tmp/bankline-test-XXXXXX";

/* Returns the path of a file in the folder. The last four results stay valid. */
static inline char *in_folder(const char *name)
{
    static char paths[4][512];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static inline void make_folder(void)
{
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(chmod(folder, 0777), 0);
}

static inline void remove_folder(void)
{
    char command[80];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    cr_assert_eq(system(command), 0);
}

static inline void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file, "%s", path);
    fputs(text, file);
    cr_assert_eq(fclose(file), 0);
}

/* Checks that the file contains exactly this text, of at most 511 bytes. */
static inline void has(const char *path, const char *text)
{
    char found[512] = "";
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    fclose(file);
    cr_assert_str_eq(found, text, "%s: '%s'", path, found);
}

/* The number of entries in the folder. If an entry is not named `but`, copies its name to `other`,
 * which may be NULL. */
static inline unsigned entries(const char *but, char other[300])
{
    DIR *directory = opendir(folder);
    unsigned count = 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (entry->d_name[0] == '.' && strlen(entry->d_name) <= 2)
            continue;
        count++;
        if (other && strcmp(entry->d_name, but) != 0)
            snprintf(other, 300, "%s", entry->d_name);
    }
    closedir(directory);
    return count;
}

static struct bl_error error;
static struct bl_file *file;

/* Opens a file for writing. `file` must be NULL if and only if opening fails. */
static inline enum bl_status begin(const char *path, enum bl_file_kind kind)
{
    const enum bl_status status = bl_file_open(path, kind, &file, &error);
    cr_assert_eq(status == BL_OK, file != NULL);
    return status;
}

static inline enum bl_status finish(void) { return bl_file_close(file, true, &error); }

/* Appends text to a growing file. */
static inline void record(const char *text)
{
    fputs(text, bl_file_stream(file));
    cr_assert_eq(bl_file_record(file, &error), BL_OK, "%s", error.sentence);
}

/* Replaces the file by this text, and checks the result. */
static inline void write_whole(const char *path, const char *text)
{
    cr_assert_eq(begin(path, BL_FILE_WHOLE), BL_OK, "%s", error.sentence);
    fputs(text, bl_file_stream(file));
    cr_assert_eq(finish(), BL_OK, "%s", error.sentence);
    has(path, text);
}

/* Checks that opening the path for writing fails for both kinds of files, and that the message
 * contains the path and these words. */
static inline void refuses(const char *path, const char *words)
{
    for (int kind = BL_FILE_WHOLE; kind <= BL_FILE_GROWING; kind++) {
        cr_assert_eq(begin(path, (enum bl_file_kind)kind), BL_FILE_FAILED, "%s", path);
        cr_assert(strstr(error.sentence, words), "'%s'", error.sentence);
        cr_assert(strstr(error.sentence, path), "'%s'", error.sentence);
    }
}

#endif
