/* Tests how text and tables are wrapped to the width of a line. */
#include <criterion/criterion.h>
#include <pty.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "report/layout.h"

static char *text;
static size_t size;
static FILE *file;

static void begin(void)
{
    free(text);
    file = open_memstream(&text, &size);
}

static void wraps_to(const char *paragraph, unsigned at, unsigned indent, unsigned width,
                     const char *expected)
{
    begin();
    bl_put_wrapped(file, paragraph, at, indent, width);
    fclose(file);
    cr_assert_str_eq(text, expected);
}

Test(layout, a_paragraph_is_broken_only_at_blanks)
{
    wraps_to("one two three", 0, 0, 80, "one two three");
    wraps_to("one two three", 0, 2, 7, "one two\n  three");
    wraps_to("one two three", 5, 2, 8, "one\n  two\n  three");
    wraps_to("a word_that_is_too_long b", 0, 1, 8, "a\n word_that_is_too_long\n b");
    wraps_to("one\ntwo", 0, 3, 80, "one\n   two");
    wraps_to("one\n\ntwo", 0, 3, 80, "one\n\n   two");
    wraps_to("", 4, 3, 80, "");
    wraps_to("one two three", 0, 0, BL_ANY_WIDTH, "one two three");
}

Test(layout, the_width_counts_characters_and_not_bytes)
{
    cr_assert_eq(bl_text_width("gr\xc3\xbcn"), 4);
}

Test(layout, escape_sequences_in_a_text_are_not_written)
{
    wraps_to("a\x1b[2Jb\x1b]0;title\x07 c", 0, 0, 80, "a?[2Jb?]0;title? c");
    wraps_to("\x1b[32mone\x1b[0m two", 0, 0, 80, "?[32mone?[0m two");
}

Test(layout, line_ends_in_arguments_are_replaced)
{
    begin();
    cr_assert_eq(bl_print(file, "%s, %d\n", "a\nb\x1b[1A\xc2\x9b\xff", 7), 12);
    cr_assert_eq(bl_print(file, "%s", "no end\n"), 7);
    bl_print(file, "%s", "");
    bl_put_paragraph(file, 0, 0, 80, "\n%s", "two\nlines");
    static const char log[] = "a log\n\tof\x1b[31m two lines\n";
    bl_put_lines(file, log, strlen(log));
    fclose(file);
    cr_assert_str_eq(text, "a?b?[1A??, 7\nno end?\ntwo?lines\na log\n\tof?[31m two lines\n", "%s",
                     text);
}

Test(layout, all_line_ends_of_a_format_are_kept)
{
    begin();
    cr_assert_eq(bl_print(file, "%s:\n\n", "a\n"), 3);
    bl_print(file, "\n");
    fclose(file);
    cr_assert_str_eq(text, "a?:\n\n\n");
}

static const struct bl_layout_column columns[] = {
    {"case", 6, 0, 0, false},
    {"ratio", 5, 0, 1, true},
    {"source", 12, 6, 2, false},
    {"gist", 20, 8, 0, false},
};
static const char *const cells[] = {"a/1", "1/16", "guide, part 2", "every other word of it"};

static void fits_to(unsigned width, const char *expected)
{
    const struct bl_layout layout = bl_layout_for(columns, 4, width);
    begin();
    bl_layout_heading(&layout, file);
    bl_layout_row(&layout, file, cells);
    fclose(file);
    cr_assert_str_eq(text, expected, "width %u:\n%s", width, text);
    for (const char *line = text; width < BL_ANY_WIDTH && *line; line = strchr(line, '\n') + 1)
        cr_assert_leq(strcspn(line, "\n"), width);
}

Test(layout, a_table_that_is_too_wide_is_wrapped_and_then_loses_columns)
{
    fits_to(BL_ANY_WIDTH, "case    ratio  source        gist\n"
                          "a/1      1/16  guide, part 2  every other word of it\n");
    fits_to(40, "case    ratio  source       gist\n"
                "a/1      1/16  guide, part  every other\n"
                "               2            word of it\n");
    fits_to(31, "case    ratio  source  gist\n"
                "a/1      1/16  guide,  every\n"
                "               part 2  other\n"
                "                       word of\n"
                "                       it\n");
    fits_to(30, "case    ratio  gist\n"
                "a/1      1/16  every other\n"
                "               word of it\n");
    fits_to(16, "case    gist\n"
                "a/1     every\n"
                "        other\n"
                "        word of\n"
                "        it\n");
}

Test(layout, the_widest_column_is_the_first_to_become_narrower)
{
    static const struct bl_layout_column two[] = {
        {.name = "case", .width = 24, .min_width = 16},
        {.name = "gist", .width = 50, .min_width = 25},
    };
    static const unsigned widths[][3] = {{80, 24, 50}, {76, 24, 50}, {75, 24, 49}, {52, 24, 26},
                                         {51, 24, 25}, {50, 23, 25}, {43, 16, 25}, {20, 16, 25}};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        const struct bl_layout layout = bl_layout_for(two, 2, widths[i][0]);
        cr_assert_eq(layout.widths[0], widths[i][1], "at width %u", widths[i][0]);
        cr_assert_eq(layout.widths[1], widths[i][2], "at width %u", widths[i][0]);
    }
}

Test(layout, a_colour_surrounds_only_its_cell_and_has_no_width)
{
    const struct bl_layout layout = bl_layout_for(columns, 4, 40);
    begin();
    bl_layout_row_coloured(&layout, file, (const char *const[]){"a/1", "1/16", "x\x1b[1m", "y"}, 1,
                           BL_RED);
    fclose(file);
    cr_assert_str_eq(text, "a/1      \x1b[31m1/16\x1b[0m  x?[1m        y\n", "%s", text);
}

Test(layout, after_a_cell_that_is_too_long_other_cells_move_right_or_to_the_next_line)
{
    const char *const wide[] = {"a/long-name", "1/16", "guide", "gist"};
    const struct bl_layout narrow = bl_layout_for(columns, 4, 24);
    begin();
    bl_layout_row(&narrow, file, wide);
    fclose(file);
    cr_assert_str_eq(text, "a/long-name  1/16  gist\n");
    const struct bl_layout narrower = bl_layout_for(columns, 4, 23);
    begin();
    bl_layout_row(&narrower, file, (const char *const[]){"a/longest-name", "1/16", "", "gist"});
    fclose(file);
    cr_assert_str_eq(text, "a/longest-name  1/16\n               gist\n");
    begin();
    bl_layout_row(&narrower, file, (const char *const[]){"a/length", "1/16", "", "one four"});
    fclose(file);
    cr_assert_str_eq(text, "a/length  1/16\n               one four\n");
}

Test(layout, the_width_is_the_terminals_or_the_variable_columns_or_80)
{
    FILE *regular = tmpfile();
    cr_assert_eq(bl_line_width(regular), BL_ANY_WIDTH, "a regular file is not a terminal");
    fclose(regular);
    int parent, child;
    if (openpty(&parent, &child, NULL, NULL, &(struct winsize){.ws_col = 57}) != 0)
        cr_skip_test("there are no pseudo-terminals");
    FILE *terminal = fdopen(child, "w");
    setenv("COLUMNS", "100", 1);
    cr_assert_eq(bl_line_width(terminal), 57);
    cr_assert_eq(ioctl(child, TIOCSWINSZ, &(struct winsize){0}), 0);
    cr_assert_eq(bl_line_width(terminal), 100);
    setenv("COLUMNS", "many", 1);
    cr_assert_eq(bl_line_width(terminal), 80);
    fclose(terminal);
    close(parent);
}
