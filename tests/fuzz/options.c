/* Parses a command line; the input has one word per line. */
#include "cli/command.h"
#include "fuzz.h"

enum { MAX_WORDS = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char name[] = "bankline";
    char *text = malloc(size + 1), *words[MAX_WORDS + 1] = {name};
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    int count = 1;
    for (char *rest = text, *word; count < MAX_WORDS && (word = strsep(&rest, "\n"));)
        words[count++] = word;
    struct bl_invocation invocation;
    struct bl_error error = {0};
    const enum bl_status status =
        bl_command_line_parse(&bl_commands, count, words, &invocation, &error);
    check_failure(status, &error);
    bl_invocation_free(&invocation);
    free(text);
    return 0;
}
