/* Rewrites gnuplot's SVG: the colours of scripts/plots become the page's CSS variables, so that the
 * dark theme has dark pictures. */
#include "page/gnuplot_svg.h"

#include <string.h>

struct rewrite {
    const char *from, *to;
};

/* The colours of scripts/plots, and white, which gnuplot puts behind marks. */
static const struct {
    unsigned red, green, blue;
    const char *variable;
} colours[] = {
    {11, 92, 138, "good"},   {168, 50, 10, "bad"},     {92, 86, 72, "open"},
    {102, 102, 102, "open"}, {27, 31, 36, "text"},     {208, 208, 208, "line"},
    {219, 233, 244, "mark"}, {255, 255, 255, "paper"},
};

enum { LONGEST_COLOUR = sizeof "rgb(255, 255, 255)" - 1 };

/* Colours by name and attributes, in tags. */
static const struct rewrite of_tags[] = {
    {"\"black\"", "\"currentColor\""}, {"'black'", "'currentColor'"},
    {"\"gray\"", "\"var(--line)\""},   {"white", "var(--paper)"},
    {"#FFFFFF", "var(--paper)"},       {"xlink:href", "href"},
};

/* Attributes that say what is so anyway, or are for files of their own; from the name to the quote.
 */
static const char *const needless[] = {
    "stroke-linecap=\"butt\"", "stroke-linejoin=\"miter\"", "font-family=\"sans-serif\"",
    "class=\"gridline\"",      "xmlns:xlink=\"http",        "xmlns=\"http",
    "id=\"gnuplot_",
};

/* Elements that are left out whole. */
static const struct rewrite left_out[] = {
    {"<title>", "</title>"},
    {"<desc>", "</desc>"},
    {"<filter ", "</filter>"},
    {"<rect x=\"0\" y=\"0\" width", "/>"}, /* the background */
};

static bool begins_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

static const char *behind_blanks(const char *at)
{
    while (is_blank(*at))
        at++;
    return at;
}

/* Behind the group that begins here if there is nothing in it, else NULL. */
static const char *behind_empty_group(const char *at)
{
    if (!begins_with(at, "<g ") && !begins_with(at, "<g>"))
        return NULL;
    const char *end = strchr(at, '>');
    end = end ? behind_blanks(end + 1) : NULL;
    return end && begins_with(end, "</g>") ? end + 4 : NULL;
}

/* Behind what is left out at this '<', or `at`. */
static const char *behind_left_out(const char *at, bool keeps_shapes)
{
    const char *empty = behind_empty_group(at);
    if (empty)
        return empty;
    if (begins_with(at, "<defs>") && !keeps_shapes) {
        const char *end = strstr(at, "</defs>");
        return end ? end + sizeof "</defs>" - 1 : at;
    }
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        const char *end = begins_with(at, left_out[i].from) ? strstr(at, left_out[i].to) : NULL;
        if (end)
            return end + strlen(left_out[i].to);
    }
    return at;
}

/* Behind the needless attributes that begin here, and the blanks before and behind them. */
static const char *behind_needless(const char *at)
{
    at = behind_blanks(at);
    for (size_t i = 0; i < sizeof needless / sizeof *needless; i++) {
        const char *value = begins_with(at, needless[i]) ? strchr(at, '"') : NULL;
        const char *end = value ? strchr(value + 1, '"') : NULL;
        if (end)
            return behind_needless(end + 1);
    }
    return at;
}

/* Writes the variable of the colour "rgb(11, 92, 138)" that begins here; returns the place behind
 * it, or `at` where there is none. */
static const char *put_colour(FILE *file, const char *at)
{
    unsigned red, green, blue;
    int length = 0;
    char text[LONGEST_COLOUR + 1]; /* a copy, for sscanf measures all that follows first */
    snprintf(text, sizeof text, "%.*s", (int)LONGEST_COLOUR, begins_with(at, "rgb(") ? at : "");
    if (!*text || sscanf(text, "rgb(%u ,%u ,%u )%n", &red, &green, &blue, &length) != 3 ||
        length == 0)
        return at;
    for (size_t i = 0; i < sizeof colours / sizeof *colours; i++)
        if (colours[i].red == red && colours[i].green == green && colours[i].blue == blue) {
            fprintf(file, "var(--%s)", colours[i].variable);
            return at + length;
        }
    return at;
}

/* Writes what stands at this place of a tag; returns the place behind it. */
static const char *put_of_tag(FILE *file, const char *at)
{
    const char *next = put_colour(file, at);
    if (next != at)
        return next;
    for (size_t i = 0; i < sizeof of_tags / sizeof *of_tags; i++)
        if (begins_with(at, of_tags[i].from)) {
            fputs(of_tags[i].to, file);
            return at + strlen(of_tags[i].from);
        }
    if (is_blank(*at)) {
        at = behind_needless(at);
        if (*at != '>' && *at != '/')
            fputc(' ', file);
        return at;
    }
    fputc(*at, file);
    return at + 1;
}

void bl_page_put_svg(FILE *file, const char *svg, bool keeps_shapes)
{
    bool is_in_tag = false;
    const char *at = strstr(svg, "<svg");
    while (at && *at) {
        if (*at == '<') {
            const char *next = behind_left_out(at, keeps_shapes);
            if (next != at) {
                at = next;
                continue;
            }
            is_in_tag = true;
        }
        if (is_in_tag) {
            is_in_tag = *at != '>';
            at = put_of_tag(file, at);
        } else if (is_blank(*at)) { /* between tags a line end is enough */
            const char *end = behind_blanks(at);
            if (*end != '<')
                fputc(' ', file);
            at = end;
        } else {
            fputc(*at++, file);
        }
    }
}
