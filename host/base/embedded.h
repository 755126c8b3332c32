/* Texts that are part of the program, made from files when it is built (embed.py). */
#ifndef BANKLINE_BASE_EMBEDDED_H
#define BANKLINE_BASE_EMBEDDED_H

struct bl_embedded {
    const char *name; /* of the file: "global.cl" */
    const char *text;
};

/* The text of this name in an array that a row of null pointers ends; NULL: there is none. */
const char *bl_embedded_text(const struct bl_embedded texts[], const char *name);

#endif
