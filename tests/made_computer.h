/* A simulated host for tests of code that reads /proc and /sys: a folder with made-up files takes
 * the place of the root folder. */
#ifndef BANKLINE_TESTS_MADE_COMPUTER_H
#define BANKLINE_TESTS_MADE_COMPUTER_H

extern char made_computer[];
void make_computer(void);
void unmake_computer(void);

/* Writes the file made_computer + path. Creates its folders if necessary. */
void put_file(const char *path, const char *text);

#endif
