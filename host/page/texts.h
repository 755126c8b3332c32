/* Texts that are part of the program: the page's style and script, and gnuplot's scripts. */
#ifndef BANKLINE_PAGE_TEXTS_H
#define BANKLINE_PAGE_TEXTS_H

struct bl_page_text {
    const char *name; /* "page.css" */
    const char *text;
};

/* Made when the program is built; ends with a row of null pointers. */
extern const struct bl_page_text bl_page_texts[];

/* The text of this name, which there is. */
const char *bl_page_text_named(const char *name);

#endif
