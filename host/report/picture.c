/* Draws a request as text: a row of letters for its lines, and rows of digits (letters from 10 on)
 * for its banks and passes. */
#include "report/picture.h"

#include <string.h>

#include "report/layout.h"

enum { LANES_A_ROW = 32 };

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";

/* The mark with this number; '+' if there are too few marks. */
static char mark(const char marks[], unsigned number)
{
    return number < strlen(marks) ? marks[number] : '+';
}

/* Fills in each lane's line, numbered in order of first appearance. */
static void name_lines(const struct bl_machine *machine, const struct bl_request *request,
                       char cells[BL_MAX_LANES])
{
    unsigned numbers[BL_MAX_LANES], count = 0;
    for (unsigned lane = 0; lane < request->lanes; lane++) {
        const uint64_t line = request->addresses_bytes[lane] / machine->line_bytes;
        numbers[lane] = count;
        for (unsigned before = 0; before < lane && numbers[lane] == count; before++)
            if (request->addresses_bytes[before] / machine->line_bytes == line)
                numbers[lane] = numbers[before];
        count += numbers[lane] == count;
        cells[lane] = mark(letters, numbers[lane]);
    }
}

/* Fills in each lane's bank and pass: the bank of the lane's first word, and the pass in which the
 * bank delivers that word. A bank delivers its words in the order of the lanes. All lanes that
 * are served together and access the same word get it in the same pass. */
static void name_banks(const struct bl_machine *machine, const struct bl_request *request,
                       char banks[BL_MAX_LANES], char passes[BL_MAX_LANES])
{
    const unsigned at_once = bl_lanes_at_once(machine, request);
    unsigned pass_of[BL_MAX_LANES], first_pass = 0, part = 0;
    for (unsigned lane = 0; lane < request->lanes; lane++) {
        const uint64_t word = request->addresses_bytes[lane] / machine->bank_bytes;
        const unsigned own_part = lane / at_once;
        if (own_part != part) { /* the banks serve at_once lanes together; the next lanes begin
                                   after the last pass of these */
            for (unsigned before = 0; before < lane; before++)
                first_pass = pass_of[before] > first_pass ? pass_of[before] : first_pass;
            part = own_part;
        }
        pass_of[lane] = first_pass + 1;
        for (unsigned before = 0; before < lane; before++) {
            const uint64_t other = request->addresses_bytes[before] / machine->bank_bytes;
            if (before / at_once != part || other % machine->banks != word % machine->banks)
                continue;
            if (other == word) {
                pass_of[lane] = pass_of[before];
                break;
            }
            if (pass_of[before] >= pass_of[lane])
                pass_of[lane] = pass_of[before] + 1;
        }
        banks[lane] = mark(digits, (unsigned)(word % machine->banks));
        passes[lane] = mark(digits, pass_of[lane]);
    }
}

/* Whether the banks of the machine's local memory serve the request. */
static bool has_banks(const struct bl_machine *machine, enum bl_memory memory)
{
    return memory == BL_MEMORY_LOCAL || machine->banks_serve_global;
}

static void draw_row(FILE *file, const char *name, const char cells[], unsigned first,
                     unsigned lanes)
{
    fprintf(file, "  %s", name);
    for (unsigned lane = first; lane < lanes && lane < first + LANES_A_ROW; lane++)
        fprintf(file, " %c", cells[lane]);
    fputc('\n', file);
}

void bl_picture(FILE *file, const struct bl_machine *machine, const struct bl_request *request)
{
    struct bl_cost cost;
    if (bl_cost_of(machine, request, &cost) != BL_OK)
        return;
    char lines[BL_MAX_LANES], banks[BL_MAX_LANES], passes[BL_MAX_LANES];
    name_lines(machine, request, lines);
    name_banks(machine, request, banks, passes);
    for (unsigned first = 0; first < request->lanes; first += LANES_A_ROW) {
        fputs("  lane", file);
        for (unsigned lane = first; lane < request->lanes && lane < first + LANES_A_ROW; lane += 8)
            fprintf(file, " %-15u", lane);
        fputc('\n', file);
        if (cost.lines)
            draw_row(file, "line", lines, first, request->lanes);
        if (cost.bank_passes && has_banks(machine, request->memory)) {
            draw_row(file, "bank", banks, first, request->lanes);
            draw_row(file, "pass", passes, first, request->lanes);
        }
    }
}

void bl_picture_legend(FILE *file, const struct bl_machine *machine, enum bl_memory memory,
                       unsigned width)
{
    bl_put_paragraph(
        file, 0, 0, width, "%s%s",
        memory == BL_MEMORY_LOCAL ? "" : "line: lanes with the same letter share a cache line. ",
        has_banks(machine, memory)
            ? "bank: the bank of a lane's first word. pass: the clock in which the bank delivers "
              "that word; lanes with the same bank in different passes are in conflict."
            : "");
    fputc('\n', file);
}
