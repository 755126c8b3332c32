/* The man page, made from the commands' tables. */
#ifndef BANKLINE_CLI_MAN_PAGE_H
#define BANKLINE_CLI_MAN_PAGE_H

#include <stdio.h>

/* Writes bankline(1) for man(7)'s macros. */
void bl_print_man_page(FILE *file);

#endif
