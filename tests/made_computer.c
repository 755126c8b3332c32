#include "made_computer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char made_computer[] = "/tmp/bankline-computer-XXXXXX";

void make_computer(void) { cr_assert_not_null(mkdtemp(made_computer)); }

void unmake_computer(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", made_computer);
    cr_assert_eq(system(command), 0);
}

void put_file(const char *path, const char *text)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s%s", made_computer, path);
    for (char *at = whole + strlen(made_computer) + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        mkdir(whole, 0777);
        *at = '/';
    }
    FILE *file = fopen(whole, "w");
    cr_assert_not_null(file, "%s", whole);
    fputs(text, file);
    fclose(file);
}
