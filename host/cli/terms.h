/* Definitions of words, for the help and the man page. */
#ifndef BANKLINE_CLI_TERMS_H
#define BANKLINE_CLI_TERMS_H

struct bl_term {
    const char *term, *meaning; /* NULL at the end of a list */
};

/* The CSV's columns, and the words of the tables and messages: made of results/README.md. */
extern const struct bl_term bl_column_terms[], bl_word_terms[];

#endif
