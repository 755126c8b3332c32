/* Fits text to the width of a terminal: paragraphs are wrapped; columns of tables are wrapped or
 * omitted. Words are never broken.
 *
 * Widths are counted in characters of UTF-8. Texts cannot control the terminal: characters that
 * could do so (bl_unshowable) become '?', and colours are passed separately from the text.
 */
#ifndef BANKLINE_REPORT_LAYOUT_H
#define BANKLINE_REPORT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct bl_row;

enum { BL_ANY_WIDTH = 1 << 30, BL_LAYOUT_MAX_COLUMNS = 24 };

/* The width of a line of this file, in characters: the terminal's width, or else the value of the
 * environment variable COLUMNS, or else 80. BL_ANY_WIDTH if the file is not a terminal. */
unsigned bl_line_width(FILE *file);

/* The text's width on a terminal, in characters. */
unsigned bl_text_width(const char *text);

/* Like fprintf, for at most 4095 bytes of a single line. Control characters become '?', and so do
 * line ends, except those at the end of the format. Returns the number of characters before the
 * final line ends. */
unsigned bl_print(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes `length` bytes of a compiler's log or of a source, with control characters replaced as by
 * bl_print. Tabs and line ends are kept. */
void bl_put_lines(FILE *file, const char *text, size_t length);

/* Writes text, wrapped at blanks so that only a single long word can exceed `width`. The text
 * begins at column `at` of the current line. All later lines, also those after a '\n', are indented
 * by `indent` blanks. Returns the column at which the text ends. */
unsigned bl_put_wrapped(FILE *file, const char *text, unsigned at, unsigned indent, unsigned width);

/* Like bl_put_wrapped, for the result of a printf format (at most 2047 bytes) and a line end after
 * it. Of all line ends in the result, only those at the beginning of the format are kept. */
void bl_put_paragraph(FILE *file, unsigned at, unsigned indent, unsigned width, const char *format,
                      ...) __attribute__((format(printf, 5, 6)));

struct bl_layout_column {
    const char *name;
    unsigned width;     /* width that suffices for most cells, in characters */
    unsigned min_width; /* min width of a wrapping column; 0 if the column does not wrap */
    unsigned rank;      /* columns with the highest rank are omitted first; columns of rank 0 are
                           never omitted */
    bool is_right;      /* whether cells are right-aligned, as numbers are */
};

/* A table's columns, and the widths with which they fit into a line. */
struct bl_layout {
    const struct bl_layout_column *columns;
    size_t count;
    unsigned width;                         /* max width of a line */
    unsigned widths[BL_LAYOUT_MAX_COLUMNS]; /* width of each column; 0 if the column is omitted */
};

/* Fits the columns into a line. Wrapping columns become narrower, the widest first, down to their
 * min_width. If that is not enough, columns are omitted by rank. count <= BL_LAYOUT_MAX_COLUMNS;
 * columns[] must outlive the layout. */
struct bl_layout bl_layout_for(const struct bl_layout_column columns[], size_t count,
                               unsigned width);

/* Writes a row of the table. cells[] has one cell per column, including omitted columns; NULL is an
 * empty cell. A cell of a wrapping column continues on the next line in its column. Any other cell
 * that is too long shifts the cells after it, or moves them to a new line if they do not fit. */
void bl_layout_row(const struct bl_layout *layout, FILE *file, const char *const cells[]);

/* Like bl_layout_row, but the cell of one column has a colour; "" for no colour. */
void bl_layout_row_coloured(const struct bl_layout *layout, FILE *file, const char *const cells[],
                            size_t column, const char *colour);

/* Writes the names of the columns. */
void bl_layout_heading(const struct bl_layout *layout, FILE *file);

/* Writes text. If `escape` returns a text for a character, that text replaces the character.
 * `stray` replaces each byte that is not UTF-8. */
typedef const char *bl_escape(const char *character, size_t bytes);
void bl_put_escaped(FILE *file, const char *text, bl_escape *escape, const char *stray);

/* Writes text for a Markdown file that may be shown on a terminal. Escapes characters that have a
 * meaning in Markdown; line ends become blanks, and other unshowable characters become '?'. */
void bl_put_markdown(FILE *file, const char *text);

/* Escape sequences for a terminal's colours, for bl_layout_row_coloured. */
#define BL_GREEN "\x1b[32m"
#define BL_RED "\x1b[31m"
#define BL_YELLOW "\x1b[33m"
#define BL_COLOUR_END "\x1b[0m"

/* A row's values as text, for the table, Markdown and the page. */

/* Writes a ratio: integers, fractions such as "1/4", other ratios as decimals, "-" for NAN. Returns
 * `text`. */
char *bl_format_ratio(double ratio, char text[16]);

/* Writes the row's claim, in parentheses if it is derived. Returns `text`. */
char *bl_format_claim(const struct bl_row *row, char text[20]);

/* Returns the row's predicted ratio, or the range of its alternatives, or else the expected
 * direction ("slower"), or else "-". The result is static or is in `text`. */
const char *bl_format_prediction(const struct bl_row *row, char text[16]);

/* Writes the ratio and its interval: "0.9503 [0.9466, 0.9530]". Returns `text`. */
char *bl_format_measured(const struct bl_row *row, char text[48]);

/* Writes "memory, granules": the level whose rule gives the prediction, and the bottleneck by that
 * rule. A part that the row lacks is left out. Returns `text`. */
char *bl_format_rule(const struct bl_row *row, char text[48]);

#endif
