/* A simulated host: /proc and /sys in a separate folder, for tests of the code that reads these.
 */
#ifndef BANKLINE_TESTS_MADE_COMPUTER_H
#define BANKLINE_TESTS_MADE_COMPUTER_H

extern char made_computer[];
void make_computer(void);
void unmake_computer(void);

/* Writes a file. Creates its folders if necessary. */
void put_file(const char *path, const char *text);

#endif
