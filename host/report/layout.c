/* Wraps text and cells to a width, and formats the values that all formats share. */
#include "report/layout.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"
#include "report/row.h"

char *bl_format_ratio(double ratio, char text[16])
{
    const double inverse = 1 / ratio;
    if (!isfinite(ratio))
        strcpy(text, "-");
    else if (ratio >= 1 && ratio <= 999 && fabs(ratio - round(ratio)) < 1e-9)
        snprintf(text, 16, "%.0f", ratio);
    else if (inverse >= 2 && inverse <= 999 && fabs(inverse - round(inverse)) < 1e-9)
        snprintf(text, 16, "1/%.0f", inverse);
    else
        snprintf(text, 16, "%.4f", ratio);
    return text;
}

char *bl_format_claim(const struct bl_row *row, char text[20])
{
    char ratio[16];
    const bool is_derived = isfinite(row->claim) && bl_claim_is_derived(row);
    snprintf(text, 20, is_derived ? "(%s)" : "%s", bl_format_ratio(row->claim, ratio));
    return text;
}

/* Writes the range of the predictions by the machine's alternative banks, such as "1/16-1/2". */
static const char *format_range(const struct bl_row *row, char text[16])
{
    double from = INFINITY, to = -INFINITY;
    for (unsigned i = 0; i < row->alternative_count; i++) {
        from = fmin(from, row->alternatives[i].predicted);
        to = fmax(to, row->alternatives[i].predicted);
    }
    char ends[2][16];
    bl_format_ratio(from, ends[0]);
    bl_format_ratio(to, ends[1]);
    snprintf(text, 16, "%.7s-%.7s", ends[0], ends[1]);
    return text;
}

const char *bl_format_prediction(const struct bl_row *row, char text[16])
{
    if (row->alternative_count > 0)
        return format_range(row, text);
    if (isfinite(row->predicted) || row->direction == BL_ANY_DIRECTION)
        return bl_format_ratio(row->predicted, text);
    return bl_direction_name(row->direction);
}

char *bl_format_rule(const struct bl_row *row, char text[48])
{
    snprintf(text, 48, "%s%s%s", row->level, *row->level && *row->bound ? ", " : "", row->bound);
    return text;
}

char *bl_format_measured(const struct bl_row *row, char text[48])
{
    snprintf(text, 48, "%.4f [%.4f, %.4f]", row->measured, row->measured_lo, row->measured_hi);
    return text;
}

enum { DEFAULT_WIDTH = 80, BETWEEN = 2 /* blanks between two columns */ };

unsigned bl_line_width(FILE *file)
{
    const int descriptor = fileno(file);
    if (descriptor < 0 || !isatty(descriptor))
        return BL_ANY_WIDTH;
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    const char *text = getenv("COLUMNS");
    const unsigned long columns = text ? strtoul(text, NULL, 10) : 0;
    return columns > 0 && columns < BL_ANY_WIDTH ? (unsigned)columns : DEFAULT_WIDTH;
}

static unsigned width_of(const char *text, size_t length)
{
    unsigned width = 0;
    for (size_t i = 0; i < length; i++)
        width += ((unsigned char)text[i] & 0xC0) != 0x80;
    return width;
}

unsigned bl_text_width(const char *text) { return width_of(text, strlen(text)); }

/* Writes text, with '?' in place of each character that could control a terminal. */
static void put_text(FILE *file, const char *text, size_t length)
{
    for (size_t bytes; length > 0; text += bytes, length -= bytes) {
        const size_t unshowable = bl_unshowable(text, length);
        bytes = unshowable ? unshowable : bl_utf8_character(text, length);
        if (unshowable)
            fputc('?', file);
        else
            fwrite(text, 1, bytes, file);
    }
}

void bl_put_lines(FILE *file, const char *text, size_t length)
{
    for (size_t part; length > 0; text += part, length -= part) {
        for (part = 0; part < length && text[part] != '\n' && text[part] != '\t';)
            part++;
        put_text(file, text, part);
        if (part < length)
            fputc(text[part++], file);
    }
}

/* Of all line ends in the result, keeps only those at the end of the format. */
unsigned bl_print(FILE *file, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t length = strlen(text), ends = 0;
    for (size_t i = strlen(format); i > 0 && format[i - 1] == '\n'; i--)
        ends++;
    for (size_t i = 0; i < ends && length > 0 && text[length - 1] == '\n'; i++)
        length--;
    put_text(file, text, length);
    for (size_t i = 0; i < ends; i++)
        fputc('\n', file);
    return width_of(text, length);
}

/* The length in bytes of the text's first line: as many of the words before the first '\n' as fit,
 * but at least one word. */
static size_t line_length(const char *text, unsigned width)
{
    size_t length = 0;
    for (;;) {
        const size_t blanks = strspn(text + length, " ");
        const size_t next = length + blanks + strcspn(text + length + blanks, " \n");
        if (next == length + blanks || (length > 0 && width_of(text, next) > width))
            return length;
        length = next;
    }
}

/* The text after its first line, without the blanks or the '\n' at which the line was broken. */
static const char *after_line(const char *text, size_t length)
{
    text += length;
    text += strspn(text, " ");
    return *text == '\n' ? text + 1 : text;
}

static void put_blanks(FILE *file, unsigned count) { fprintf(file, "%*s", (int)count, ""); }

unsigned bl_put_wrapped(FILE *file, const char *text, unsigned at, unsigned indent, unsigned width)
{
    for (;;) {
        const size_t length = line_length(text, width > at ? width - at : 0);
        put_text(file, text, length);
        at += width_of(text, length);
        text = after_line(text, length);
        if (!*text)
            return at;
        fputc('\n', file);
        if (*text != '\n')
            put_blanks(file, indent);
        at = indent;
    }
}

void bl_put_paragraph(FILE *file, unsigned at, unsigned indent, unsigned width, const char *format,
                      ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    /* Only line ends at the beginning of the format are kept; others become '?'. */
    char *line = text;
    for (; *format == '\n'; format++)
        fputc(*line++, file);
    bl_make_showable(line);
    bl_put_wrapped(file, line, at, indent, width);
    fputc('\n', file);
}

void bl_put_escaped(FILE *file, const char *text, bl_escape *escape, const char *stray)
{
    for (size_t left = strlen(text), bytes; left > 0; text += bytes, left -= bytes) {
        const size_t length = bl_utf8_character(text, left);
        const char *instead = length ? escape(text, length) : stray;
        bytes = length ? length : 1;
        if (instead)
            fputs(instead, file);
        else
            fwrite(text, 1, bytes, file);
    }
}

void bl_put_markdown(FILE *file, const char *text)
{
    for (size_t left = strlen(text), bytes; left > 0; text += bytes, left -= bytes) {
        const size_t unshowable = bl_unshowable(text, left);
        bytes = unshowable ? unshowable : bl_utf8_character(text, left);
        if (unshowable) {
            fputc(*text == '\n' || *text == '\r' ? ' ' : '?', file);
            continue;
        }
        if (strchr("\\|`*_<>[]&~", *text))
            fputc('\\', file);
        fwrite(text, 1, bytes, file);
    }
}

/* The total width of the columns that are shown and of the blanks between them. */
static unsigned total_width(const struct bl_layout *layout)
{
    unsigned total = 0;
    for (size_t i = 0; i < layout->count; i++)
        if (layout->widths[i])
            total += layout->widths[i] + (total ? BETWEEN : 0);
    return total;
}

/* Omits the column with the highest rank. Returns false if every shown column must stay. */
static bool leave_one_out(struct bl_layout *layout)
{
    size_t out = layout->count;
    for (size_t i = 0; i < layout->count; i++)
        if (layout->widths[i] && layout->columns[i].rank > 0 &&
            (out == layout->count || layout->columns[i].rank > layout->columns[out].rank))
            out = i;
    if (out == layout->count)
        return false;
    layout->widths[out] = 0;
    return true;
}

/* Makes the widest wrapping column one character narrower; of equally wide columns, the first.
 * Returns false if every column has its min width. */
static bool shrink_widest(struct bl_layout *layout)
{
    size_t widest = layout->count;
    for (size_t i = 0; i < layout->count; i++)
        if (layout->columns[i].min_width && layout->widths[i] > layout->columns[i].min_width &&
            (widest == layout->count || layout->widths[i] > layout->widths[widest]))
            widest = i;
    if (widest == layout->count)
        return false;
    layout->widths[widest]--;
    return true;
}

struct bl_layout bl_layout_for(const struct bl_layout_column columns[], size_t count,
                               unsigned width)
{
    struct bl_layout layout = {.columns = columns, .count = count, .width = width}, narrowest;
    for (size_t i = 0; i < count; i++)
        layout.widths[i] = columns[i].width;
    do { /* if the columns do not fit even when narrowed, omit one and try again */
        narrowest = layout;
        while (total_width(&narrowest) > width && shrink_widest(&narrowest))
            ;
    } while (total_width(&narrowest) > width && leave_one_out(&layout));
    return narrowest;
}

/* The next shown column after `column`; layout->count if there is none. */
static size_t next_shown(const struct bl_layout *layout, size_t column)
{
    do
        column++;
    while (column < layout->count && !layout->widths[column]);
    return column;
}

/* The column whose cell is coloured, and its colour; "" for no colour. */
struct coloured {
    size_t column;
    const char *colour;
};

static void put_cell(FILE *file, const char *text, size_t length, const char *colour)
{
    fputs(colour, file);
    put_text(file, text, length);
    fputs(*colour ? BL_COLOUR_END : "", file);
}

/* Writes one line of the cells. Advances each element of rests[] past the text that was written. */
static void put_line(const struct bl_layout *layout, FILE *file, const char *rests[],
                     const struct coloured *coloured)
{
    unsigned at = 0, start = 0;
    for (size_t i = 0; i < layout->count; i++) {
        const unsigned width = layout->widths[i];
        if (!width)
            continue;
        const bool is_last = next_shown(layout, i) >= layout->count;
        const bool wraps = layout->columns[i].min_width && layout->width < BL_ANY_WIDTH;
        const unsigned room = is_last && layout->width > start ? layout->width - start : width;
        const size_t length = wraps ? line_length(rests[i], room) : strlen(rests[i]);
        const unsigned taken = width_of(rests[i], length);
        if (length > 0) {
            const unsigned least = at ? at + BETWEEN : 0;
            unsigned from =
                layout->columns[i].is_right && taken < width ? start + width - taken : start;
            from = from < least ? least : from;
            if (at > 0 && from > start && from + taken > layout->width) { /* a long cell has shifted
                                                                             this cell beyond the
                                                                             line's end */
                fputc('\n', file);
                at = 0;
                from = start;
            }
            put_blanks(file, from - at);
            put_cell(file, rests[i], length, i == coloured->column ? coloured->colour : "");
            at = from + taken;
        }
        rests[i] = wraps ? after_line(rests[i], length) : "";
        start += width + BETWEEN;
    }
    fputc('\n', file);
}

void bl_layout_row_coloured(const struct bl_layout *layout, FILE *file, const char *const cells[],
                            size_t column, const char *colour)
{
    const struct coloured coloured = {column, colour};
    const char *rests[BL_LAYOUT_MAX_COLUMNS];
    for (size_t i = 0; i < layout->count; i++)
        rests[i] = cells[i] ? cells[i] : "";
    bool is_more;
    do {
        put_line(layout, file, rests, &coloured);
        is_more = false;
        for (size_t i = 0; i < layout->count; i++)
            is_more |= layout->widths[i] && *rests[i];
    } while (is_more);
}

void bl_layout_row(const struct bl_layout *layout, FILE *file, const char *const cells[])
{
    bl_layout_row_coloured(layout, file, cells, 0, "");
}

void bl_layout_heading(const struct bl_layout *layout, FILE *file)
{
    const char *names[BL_LAYOUT_MAX_COLUMNS];
    for (size_t i = 0; i < layout->count; i++)
        names[i] = layout->columns[i].name;
    bl_layout_row(layout, file, names);
}
