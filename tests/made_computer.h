/* A simulated host for tests of code that reads /proc and /sys: both lie in a separate folder. */
#ifndef BANKLINE_TESTS_MADE_COMPUTER_H
#define BANKLINE_TESTS_MADE_COMPUTER_H

extern char made_computer[];
void make_computer(void);
void unmake_computer(void);

/* Writes a file. Creates its folders if necessary. */
void put_file(const char *path, const char *text);

#endif
