/* A made-up computer's /proc and /sys, in a folder of their own, for tests of what is read there.
 */
#ifndef BANKLINE_TESTS_MADE_COMPUTER_H
#define BANKLINE_TESTS_MADE_COMPUTER_H

extern char made_computer[];
void make_computer(void);
void unmake_computer(void);

/* Writes a file, and makes its folders. */
void put_file(const char *path, const char *text);

#endif
