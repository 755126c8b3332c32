/* Checks of the texts that the output formats write (JSON, Prometheus, Markdown). */
#ifndef BANKLINE_TESTS_DOCUMENTS_H
#define BANKLINE_TESTS_DOCUMENTS_H

#ifdef BL_WITH_JANSSON
#include <jansson.h>
#endif

#include "rows.h"

#ifdef BL_WITH_JANSSON
/* Parses JSON, and frees the text. */
static inline json_t *parsed(char *text)
{
    json_error_t error;
    json_t *root = json_loads(text, 0, &error);
    cr_assert_not_null(root, "%s in\n%s", error.text, text);
    free(text);
    return root;
}

/* Element i of the root's member `array`. */
static inline json_t *at(json_t *root, const char *array, size_t i)
{
    return json_array_get(json_object_get(root, array), i);
}
#endif

static inline void lines_are_prometheus(const char *text)
{
    cr_assert_null(strstr(text, "nan"));
    cr_assert_null(strchr(text, '\xff'), "not UTF-8: %s", text);
    cr_assert_eq(text[strlen(text) - 1], '\n');
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        cr_assert(strncmp(line, "# ", 2) == 0 || strncmp(line, "bankline_", 9) == 0, "%s", line);
}

/* Checks that a Markdown table has this many lines, and each line this many unescaped '|'. */
static inline void every_line_has_cells(const char *table, size_t wanted_cells, size_t wanted_lines)
{
    size_t lines = 0;
    cr_assert_not_null(table);
    for (const char *line = table; *line; line += strcspn(line, "\n") + 1, lines++) {
        size_t cells = 0;
        for (const char *at = line; *at != '\n'; at++)
            cells += *at == '|' && (at == line || at[-1] != '\\');
        cr_assert_eq(cells, wanted_cells, "%zu cells in %s", cells, line);
    }
    cr_assert_eq(lines, wanted_lines);
}

#endif
