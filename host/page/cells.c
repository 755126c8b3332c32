#include "page/cells.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "page/html.h"

enum { SIDE = 7, GAP = 1, STEP = SIDE + GAP, MAX_LINES = 32, LABEL = 62, TOP = 14 };

/* What a request touches, in order. */
struct touched {
    uint64_t lines[BL_MAX_LANES * 2];
    uint64_t sectors[BL_MAX_LANES * 2]; /* a bit each, of these lines */
    unsigned line_count;
    uint64_t words[BL_MAX_LANES * 16];
    unsigned word_count;
};

static void add_line(const struct bl_machine *machine, uint64_t address, struct touched *touched)
{
    const uint64_t line = address / machine->line_bytes;
    unsigned i = 0;
    while (i < touched->line_count && touched->lines[i] != line)
        i++;
    if (i == touched->line_count) {
        if (i == sizeof touched->lines / sizeof *touched->lines)
            return;
        touched->lines[touched->line_count++] = line;
        touched->sectors[i] = 0;
    }
    const unsigned sector_bytes =
        machine->sector_bytes ? machine->sector_bytes : machine->line_bytes;
    touched->sectors[i] |= (uint64_t)1 << address % machine->line_bytes / sector_bytes;
}

static void add_word(const struct bl_machine *machine, uint64_t address, struct touched *touched)
{
    const uint64_t word = address / machine->bank_bytes;
    for (unsigned i = 0; i < touched->word_count; i++)
        if (touched->words[i] == word)
            return;
    if (touched->word_count < sizeof touched->words / sizeof *touched->words)
        touched->words[touched->word_count++] = word;
}

static void look(const struct bl_machine *machine, const struct bl_request *request,
                 struct touched *touched)
{
    *touched = (struct touched){0};
    const bool has_lines = request->memory != BL_MEMORY_LOCAL,
               has_banks = machine->banks > 0 &&
                           (request->memory == BL_MEMORY_LOCAL || machine->banks_serve_global);
    for (unsigned lane = 0; lane < request->lanes; lane++)
        for (unsigned byte = 0; byte < request->access_bytes; byte++) {
            const uint64_t address = request->addresses_bytes[lane] + byte;
            if (has_lines)
                add_line(machine, address, touched);
            if (has_banks)
                add_word(machine, address, touched);
        }
}

static int by_number(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static void put_square(FILE *file, unsigned x, unsigned y, const char *kind)
{
    fprintf(file, "<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\"/>", kind, x, y,
            (int)SIDE, (int)SIDE);
}

/* Rows of sectors, each behind its tag bank; returns the y behind them. */
static unsigned draw_lines(FILE *file, const struct bl_machine *machine,
                           const struct touched *touched)
{
    const unsigned sectors =
        machine->sector_bytes ? machine->line_bytes / machine->sector_bytes : 1;
    const unsigned shown = touched->line_count < MAX_LINES ? touched->line_count : MAX_LINES;
    unsigned y = TOP;
    fprintf(file, "<text x=\"0\" y=\"9\">lines</text>");
    for (unsigned i = 0; i < shown; i++, y += STEP) {
        fprintf(file, "<text x=\"0\" y=\"%u\">tags %u</text>", y + SIDE,
                bl_tag_bank(machine, touched->lines[i]));
        for (unsigned s = 0; s < sectors; s++)
            put_square(file, LABEL + s * STEP, y, touched->sectors[i] >> s & 1 ? "used" : "cell");
    }
    if (shown < touched->line_count)
        fprintf(file, "<text x=\"0\" y=\"%u\">and %u more</text>", y + SIDE,
                touched->line_count - shown);
    return y + (shown < touched->line_count ? STEP : 0) + TOP;
}

/* Columns of words over their banks; returns the y behind them. */
static unsigned draw_banks(FILE *file, const struct bl_machine *machine, unsigned top,
                           struct touched *touched)
{
    unsigned wanted[BL_MAX_BANKS] = {0}, most = 1;
    qsort(touched->words, touched->word_count, sizeof *touched->words, by_number);
    for (unsigned i = 0; i < touched->word_count; i++) {
        const unsigned bank = (unsigned)(touched->words[i] % machine->banks);
        wanted[bank]++;
        most = wanted[bank] > most ? wanted[bank] : most;
    }
    const unsigned rows = most < MAX_LINES ? most : MAX_LINES;
    fprintf(file, "<text x=\"0\" y=\"%u\">words of each of %u banks</text>", top + 9,
            machine->banks);
    for (unsigned bank = 0; bank < machine->banks; bank++)
        for (unsigned row = 0; row < rows; row++)
            if (row < wanted[bank] || row == 0)
                put_square(file, bank * STEP, top + TOP + row * STEP,
                           row >= wanted[bank] ? "cell"
                           : row               ? "again"
                                               : "used");
    return top + TOP + rows * STEP;
}

void bl_page_cells_words(const struct bl_machine *machine, const struct bl_request *request,
                         char words[320])
{
    struct bl_cost cost;
    *words = '\0';
    if (bl_cost_of(machine, request, &cost) != BL_OK)
        return;
    int used = snprintf(words, 320, "%u lanes", request->lanes);
    if (cost.lines)
        used += snprintf(words + used, 320 - (size_t)used, " touch %u line%s", cost.lines,
                         cost.lines == 1 ? "" : "s");
    if (cost.sectors)
        used += snprintf(words + used, 320 - (size_t)used, " in %u sector%s", cost.sectors,
                         cost.sectors == 1 ? "" : "s");
    if (cost.tag_passes)
        used +=
            snprintf(words + used, 320 - (size_t)used, "; the busiest tag bank looks up %u line%s",
                     cost.tag_passes, cost.tag_passes == 1 ? "" : "s");
    if (cost.bank_passes)
        used +=
            snprintf(words + used, 320 - (size_t)used, "%s the busiest bank delivers %u word%s",
                     cost.lines ? ";" : ":", cost.bank_passes, cost.bank_passes == 1 ? "" : "s");
    snprintf(words + used, 320 - (size_t)used, ": %u clock%s", cost.clocks,
             cost.clocks == 1 ? "" : "s");
}

void bl_page_cells(FILE *file, const struct bl_machine *machine, const struct bl_request *request,
                   const char *id)
{
    struct touched *touched = malloc(sizeof *touched);
    char *drawing = NULL, words[320];
    size_t size = 0;
    FILE *out = touched ? open_memstream(&drawing, &size) : NULL;
    bl_page_cells_words(machine, request, words);
    if (out && *words) {
        unsigned y = 0;
        look(machine, request, touched);
        if (touched->line_count)
            y = draw_lines(out, machine, touched);
        if (touched->word_count)
            y = draw_banks(out, machine, y, touched);
        const unsigned wide = touched->word_count ? machine->banks * STEP : 0;
        const unsigned width = wide > LABEL + 140 ? wide : LABEL + 140;
        if (fclose(out) == 0) {
            fprintf(file, "<svg role=\"img\" viewBox=\"0 0 %u %u\" width=\"%u\" height=\"%u\" ",
                    width, y + 2, width, y + 2);
            fputs("aria-label=\"", file);
            bl_htmlf(file, "%s: %s", id, words);
            fprintf(file, "\">%s</svg>\n", drawing);
        }
        out = NULL;
    }
    if (out)
        fclose(out);
    free(drawing);
    free(touched);
}
