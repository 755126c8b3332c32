/* Draws one panel per request. A panel contains, from top to bottom: a description in words; the
 * lanes, each with its line and bank; the lines with their sectors and tag banks; the line that
 * each tag bank looks up in each clock; the lane that each bank serves in each clock. */
#include "page/request_picture.h"

#include <stdlib.h>
#include <string.h>

#include "page/html.h"
#include "page/request_svg.h"

/* Sizes in pixels; A_ROW: lanes per row. Two digits in the font of 8 px fit into a cell. */
enum { CELL = 13, LABEL = 64, GAP = 24, A_ROW = 32, NARROWEST = 4, ROW = 12, TAG_CELL = 26 };
enum {
    LINE_NAME = 12,
    SHOWN_LINES = 32,
    SHOWN_CLOCKS = 64
}; /* SHOWN_LINES, SHOWN_CLOCKS: maximum numbers to draw; a text states how many more there are */
enum { MOST_WORDS = BL_MAX_LANES * BL_MAX_ACCESS_BYTES };

/* A cache line that the request touches. Arrays of lines are in the order in which lanes first
 * touch the lines. */
struct drawn_line {
    uint64_t number, sectors; /* address / line size; one bit for each sector that a lane touches */
    unsigned tag_bank, clock; /* the tag bank that looks up the line, and in which clock, from 0 */
};

/* A word that lanes want. Lanes that are served together share a word, except in atomic updates.
 * Arrays of words are in the order in which lanes reach the words. */
struct drawn_word {
    uint64_t number;
    unsigned lane; /* the first lane that wants the word */
    unsigned bank, clock;
};

struct panel {
    const struct bl_machine *machine;
    const struct bl_request *request;
    struct bl_cost cost;
    bool has_cost, has_lines, has_banks;
    /* Whether the clocks of the lines (has_lookups) and of the words (has_passes) agree with the
     * cost by the machine's rule. Clocks that do not agree are not drawn. */
    bool has_lookups, has_passes;
    struct drawn_line lines[MOST_WORDS];
    struct drawn_word words[MOST_WORDS];
    unsigned line_count, word_count;
    unsigned y, width;
};

static unsigned add_line(struct panel *panel, uint64_t address)
{
    const struct bl_machine *machine = panel->machine;
    const uint64_t number = address / machine->line_bytes;
    const unsigned sector_bytes =
        machine->sector_bytes ? machine->sector_bytes : machine->line_bytes;
    unsigned i = 0;
    while (i < panel->line_count && panel->lines[i].number != number)
        i++;
    if (i == panel->line_count)
        panel->lines[panel->line_count++] =
            (struct drawn_line){.number = number, .tag_bank = bl_tag_bank(machine, number)};
    panel->lines[i].sectors |= (uint64_t)1 << address % machine->line_bytes / sector_bytes;
    return i;
}

/* Assigns lines to the clocks of their tag banks, in the order of the lanes. A tag bank looks up
 * lines_per_clock lines in a clock. */
static void look_up(struct panel *panel)
{
    unsigned clocks = 0;
    for (unsigned lane = 0; lane < panel->request->lanes; lane++)
        for (unsigned byte = 0; byte < panel->request->access_bytes; byte++)
            add_line(panel, panel->request->addresses_bytes[lane] + byte);
    for (unsigned i = 0; i < panel->line_count; i++) {
        unsigned before = 0;
        for (unsigned other = 0; other < i; other++)
            before += panel->lines[other].tag_bank == panel->lines[i].tag_bank;
        panel->lines[i].clock = before / panel->machine->lines_per_clock;
        clocks = panel->lines[i].clock + 1 > clocks ? panel->lines[i].clock + 1 : clocks;
    }
    panel->has_lookups = panel->has_cost && clocks == panel->cost.tag_passes;
}

/* Adds the words of a lane. The words from index `first` on belong to lanes that are served
 * together with this lane, from clock `start` on. */
static void add_words(struct panel *panel, unsigned lane, unsigned first, unsigned start)
{
    const struct bl_machine *machine = panel->machine;
    const uint64_t address = panel->request->addresses_bytes[lane];
    const uint64_t last = (address + panel->request->access_bytes - 1) / machine->bank_bytes;
    for (uint64_t number = address / machine->bank_bytes; number <= last; number++) {
        const unsigned bank = (unsigned)(number % machine->banks);
        unsigned before = 0;
        bool is_new = true;
        for (unsigned i = first; i < panel->word_count && is_new; i++) {
            is_new = panel->request->is_atomic || panel->words[i].number != number;
            before += panel->words[i].bank == bank;
        }
        if (is_new && panel->word_count < MOST_WORDS)
            panel->words[panel->word_count++] =
                (struct drawn_word){number, lane, bank, start + before};
    }
}

/* Assigns the words to clocks. Returns the number of clocks that the banks take if they serve
 * `together` lanes at once. */
static unsigned serve(struct panel *panel, unsigned together)
{
    unsigned start = 0, clocks = 0, first = 0;
    panel->word_count = 0;
    for (unsigned lane = 0; lane < panel->request->lanes; lane++) {
        if (lane % together == 0) { /* the next lanes wait until the busiest bank is done */
            start = clocks;
            first = panel->word_count;
        }
        add_words(panel, lane, first, start);
        for (unsigned i = first; i < panel->word_count; i++)
            clocks = panel->words[i].clock + 1 > clocks ? panel->words[i].clock + 1 : clocks;
    }
    return clocks;
}

static void look(struct panel *panel)
{
    const struct bl_machine *machine = panel->machine;
    const struct bl_request *request = panel->request;
    const bool is_local = request->memory == BL_MEMORY_LOCAL;
    panel->has_cost = bl_cost_of(machine, request, &panel->cost) == BL_OK;
    panel->has_lines = !is_local && machine->line_bytes > 0 && machine->lines_per_clock > 0;
    panel->has_banks =
        machine->banks > 0 && machine->bank_bytes > 0 && (is_local || machine->banks_serve_global);
    if (panel->has_lines)
        look_up(panel);
    if (!panel->has_banks)
        return;
    /* If lanes share elements in pairs, twice as many lanes are served together. */
    const unsigned together = bl_lanes_at_once(machine, request);
    for (unsigned times = 1; times <= 2 && !panel->has_passes; times++)
        panel->has_passes =
            serve(panel, times * together) == panel->cost.bank_passes && panel->has_cost;
}

static void put_text(FILE *file, unsigned x, unsigned y, const char *class, const char *text)
{
    fprintf(file, "<text x=\"%u\" y=\"%u\"%s%s%s>", x, y, *class ? " class=\"" : "", class,
            *class ? "\"" : "");
    bl_html(file, text);
    fputs("</text>", file);
}

static void put_number(FILE *file, unsigned x, unsigned y, const char *class, unsigned number)
{
    char text[16];
    snprintf(text, sizeof text, "%u", number);
    put_text(file, x, y, class, text);
}

static void put_cell(FILE *file, unsigned x, unsigned y, unsigned width, const char *class)
{
    fprintf(file, "<path class=\"%s\" d=\"M%u %uh%uv%dh-%uz\"/>", class, x, y, width, (int)ROW,
            width);
}

/* Names a line: "A" to "Z", then "a" to "z", then by number. */
static void name_line(unsigned i, char name[LINE_NAME])
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    if (i < sizeof letters - 1)
        snprintf(name, LINE_NAME, "%c", letters[i]);
    else
        snprintf(name, LINE_NAME, "%u", i);
}

static void put_heading(FILE *file, struct panel *panel, const char *text)
{
    panel->y += 20;
    put_text(file, 0, panel->y, "head", text);
    panel->y += 5;
}

/* Draws the lanes in rows of 32. Each lane is labelled with its index, the first line that it
 * touches, and its bank. */
static void draw_lanes(FILE *file, struct panel *panel)
{
    const struct bl_request *request = panel->request;
    put_heading(file, panel, "lanes");
    for (unsigned first = 0; first < request->lanes; first += A_ROW) {
        const unsigned y = panel->y;
        put_text(file, 0, y + 9, "", "lane");
        if (panel->has_lines)
            put_text(file, 0, y + 9 + ROW, "", "line");
        if (panel->has_banks)
            put_text(file, 0, y + 9 + (panel->has_lines ? 2U : 1U) * ROW, "", "bank");
        for (unsigned lane = first; lane < request->lanes && lane < first + A_ROW; lane++) {
            const unsigned x = LABEL + (lane - first) * CELL;
            const uint64_t address = request->addresses_bytes[lane];
            unsigned below = y;
            put_cell(file, x, y, CELL, "cell");
            put_number(file, x + CELL / 2, y + 9, "mid", lane);
            if (panel->has_lines) {
                char name[LINE_NAME];
                const unsigned line = add_line(panel, address);
                name_line(line, name);
                put_cell(file, x, below += ROW, CELL, line % 2 ? "odd" : "even");
                put_text(file, x + CELL / 2, below + 9, "mid", name);
            }
            if (panel->has_banks)
                put_number(
                    file, x + CELL / 2, below + 9 + ROW, "mid",
                    (unsigned)(address / panel->machine->bank_bytes % panel->machine->banks));
        }
        panel->y += ((panel->has_lines ? 2U : 1U) + (panel->has_banks ? 1U : 0U)) * ROW + 4;
    }
}

static void put_more(FILE *file, struct panel *panel, unsigned more, const char *what)
{
    char text[64];
    snprintf(text, sizeof text, "and %u more %s", more, what);
    put_text(file, 0, panel->y + 9, "", text);
    panel->y += ROW;
}

static void draw_lines(FILE *file, struct panel *panel)
{
    const struct bl_machine *machine = panel->machine;
    const unsigned sectors =
        machine->sector_bytes ? machine->line_bytes / machine->sector_bytes : 1;
    put_heading(file, panel, "lines, with their tag banks and sectors");
    for (unsigned i = 0; i < panel->line_count && i < SHOWN_LINES; i++, panel->y += ROW) {
        char name[LINE_NAME];
        name_line(i, name);
        put_text(file, 0, panel->y + 9, "", name);
        put_number(file, LABEL / 2, panel->y + 9, "", panel->lines[i].tag_bank);
        for (unsigned s = 0; s < sectors; s++)
            put_cell(file, LABEL + s * CELL, panel->y, CELL,
                     panel->lines[i].sectors >> s & 1 ? i % 2 ? "odd" : "even" : "cell");
    }
    if (panel->line_count > SHOWN_LINES)
        put_more(file, panel, panel->line_count - SHOWN_LINES, "lines");
}

/* Labels the clocks on the left side. */
static void draw_clocks(FILE *file, const struct panel *panel, unsigned clocks)
{
    for (unsigned clock = 0; clock < clocks && clock < SHOWN_CLOCKS; clock++) {
        char text[24];
        snprintf(text, sizeof text, "clock %u", clock + 1);
        put_text(file, 0, panel->y + clock * ROW + 9, "", text);
    }
}

static void end_clocks(FILE *file, struct panel *panel, unsigned clocks)
{
    panel->y += (clocks < SHOWN_CLOCKS ? clocks : SHOWN_CLOCKS) * ROW;
    if (clocks > SHOWN_CLOCKS)
        put_more(file, panel, clocks - SHOWN_CLOCKS, "clocks");
}

static void draw_lookups(FILE *file, struct panel *panel)
{
    put_heading(file, panel, "tag banks: the line that each looks up in each clock");
    draw_clocks(file, panel, panel->cost.tag_passes);
    for (unsigned i = 0; i < panel->line_count; i++) {
        const struct drawn_line *line = &panel->lines[i];
        unsigned beside = 0; /* number of earlier lines that the tag bank looks up in the same
                                clock */
        char name[LINE_NAME];
        for (unsigned other = 0; other < i; other++)
            beside += panel->lines[other].tag_bank == line->tag_bank &&
                      panel->lines[other].clock == line->clock;
        const unsigned per_clock = panel->machine->lines_per_clock;
        const unsigned x = LABEL + (line->tag_bank * per_clock + beside) * TAG_CELL,
                       y = panel->y + line->clock * ROW;
        if (line->clock >= SHOWN_CLOCKS)
            continue;
        name_line(i, name);
        put_cell(file, x, y, TAG_CELL, line->clock ? "again" : "used");
        put_text(file, x + TAG_CELL / 2, y + 9, "mid on", name);
    }
    end_clocks(file, panel, panel->cost.tag_passes);
}

static unsigned bank_pitch(const struct bl_machine *machine)
{
    const unsigned pitch = machine->banks ? A_ROW * CELL / machine->banks : CELL;
    return pitch > CELL ? CELL : pitch < NARROWEST ? NARROWEST : pitch;
}

static void draw_passes(FILE *file, struct panel *panel)
{
    const unsigned pitch = bank_pitch(panel->machine), banks = panel->machine->banks;
    put_heading(file, panel, "banks: the first lane that each serves in each clock");
    put_text(file, 0, panel->y + 9, "", "bank");
    for (unsigned bank = 0; bank<banks; bank += banks> 8 ? banks / 8 : 1)
        put_number(file, LABEL + bank * pitch + pitch / 2, panel->y + 9, "mid", bank);
    panel->y += ROW;
    draw_clocks(file, panel, panel->cost.bank_passes);
    for (unsigned bank = 0; bank < banks; bank++)
        put_cell(file, LABEL + bank * pitch, panel->y, pitch, "cell");
    for (unsigned i = 0; i < panel->word_count; i++) {
        const struct drawn_word *word = &panel->words[i];
        const unsigned x = LABEL + word->bank * pitch, y = panel->y + word->clock * ROW;
        if (word->clock >= SHOWN_CLOCKS)
            continue;
        put_cell(file, x, y, pitch, word->clock ? "again" : "used");
        if (pitch == CELL)
            put_number(file, x + CELL / 2, y + 9, "mid on", word->lane);
    }
    end_clocks(file, panel, panel->cost.bank_passes);
}

/* Writes the text of bl_page_cells_words, one part per line; or why the request has no cost. */
static void draw_words(FILE *file, struct panel *panel)
{
    char words[320];
    bl_page_cells_words(panel->machine, panel->request, words);
    if (!panel->has_cost)
        snprintf(words, sizeof words, "%s",
                 bl_why_no_cost(panel->machine, panel->request->memory, panel->request->is_atomic));
    for (char *part = words; part;) {
        char *end = strstr(part, "; ");
        if (end)
            *end = '\0';
        put_text(file, 0, panel->y += 14, "words", part);
        part = end ? end + 2 : NULL;
    }
}

static void draw_panel(FILE *file, struct panel *panel, const char *title)
{
    panel->y = 14;
    put_text(file, 0, panel->y, "title", title);
    draw_words(file, panel);
    draw_lanes(file, panel);
    if (panel->has_lines)
        draw_lines(file, panel);
    if (panel->has_lines && panel->has_lookups)
        draw_lookups(file, panel);
    if (panel->has_banks && panel->has_passes)
        draw_passes(file, panel);
    const unsigned banks = panel->machine->banks * bank_pitch(panel->machine);
    panel->width = LABEL + (banks > A_ROW * CELL ? banks : A_ROW * CELL) + GAP;
    panel->y += GAP;
}

static const char style[] =
    "<style>svg { --text: #1b1f24; --paper: #ffffff; --line: #8b949e; --good: #0b5c8a; --bad: "
    "#a8320a; --even: #dbe9f4; --odd: #f6e3d3; background: var(--paper) }\n"
    "@media (prefers-color-scheme: dark) { svg { --text: #e7eaee; --paper: #14181d; --line: "
    "#6b7681; --good: #7cc4f0; --bad: #ff9d76; --even: #23384a; --odd: #4a3020 } }\n"
    "text { fill: var(--text); font: 8px ui-monospace, monospace } .title { font-size: 13px; "
    "font-weight: bold } .head { font-size: 10px; font-weight: bold } .words { font-size: 10px }\n"
    ".mid { text-anchor: middle } .on { fill: var(--paper) } path { stroke: var(--line); "
    "stroke-width: .5 } .cell { fill: none } .even { fill: var(--even) } .odd { fill: var(--odd) } "
    ".used { fill: var(--good) } .again { fill: var(--bad) }</style>\n";

/* Writes the panels, two per row, and computes the picture's width and height in pixels. */
static enum bl_status draw_all(FILE *file, const struct bl_machine *machine,
                               const struct bl_drawn_request requests[], size_t count,
                               unsigned size[2])
{
    struct panel *panel = malloc(sizeof *panel);
    unsigned x = 0, y = 0, row_height = 0;
    for (size_t i = 0; i < count && panel; i++) {
        *panel = (struct panel){.machine = machine, .request = requests[i].request};
        if (i % 2 == 0) {
            x = 0;
            y += row_height;
            row_height = 0;
        }
        look(panel);
        fprintf(file, "<g transform=\"translate(%u %u)\">", x + 8, y + 4);
        draw_panel(file, panel, requests[i].title);
        fputs("</g>\n", file);
        x += panel->width;
        row_height = panel->y > row_height ? panel->y : row_height;
        size[0] = x + 8 > size[0] ? x + 8 : size[0];
    }
    size[1] = y + row_height + 4;
    const bool has_memory = panel != NULL;
    free(panel);
    return has_memory ? BL_OK : BL_NO_MEMORY;
}

enum bl_status bl_requests_svg(FILE *file, const struct bl_machine *machine,
                               const struct bl_drawn_request requests[], size_t count,
                               struct bl_error *error)
{
    char *drawing = NULL;
    size_t bytes = 0;
    unsigned size[2] = {0};
    FILE *out = open_memstream(&drawing, &bytes);
    enum bl_status status = out ? draw_all(out, machine, requests, count, size) : BL_NO_MEMORY;
    if (out && (fclose(out) != 0 || !drawing))
        status = BL_NO_MEMORY;
    if (status == BL_OK) {
        fprintf(file,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %u\" width=\"%u\" "
                "height=\"%u\" role=\"img\">\n<title>",
                size[0], size[1], size[0], size[1]);
        bl_htmlf(file, "Requests on machine %s", machine->name);
        fprintf(file, "</title>\n%s%s</svg>\n", style, drawing);
    }
    free(drawing);
    return status == BL_OK ? BL_OK
                           : bl_fail(error, status, "out of memory while drawing the picture");
}
