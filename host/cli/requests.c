#include "cli/requests.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/keyfile.h"
#include "model/access.h"
#include "report/layout.h"

enum { WIDEST = 16 };

enum { NAME, LINES, SECTORS, TAGS, BANKS, CLOCKS, COLUMN_COUNT };

static const struct bl_layout_column columns[COLUMN_COUNT] = {
    [NAME] = {.name = "request", .width = 24},
    [LINES] = {.name = "lines", .width = 7, .is_right = true},
    [SECTORS] = {.name = "sectors", .width = 7, .is_right = true},
    [TAGS] = {.name = "tags", .width = 7, .is_right = true},
    [BANKS] = {.name = "banks", .width = 7, .is_right = true},
    [CLOCKS] = {.name = "clocks", .width = 7, .is_right = true},
};

struct printing {
    const struct bl_machine *machine;
    struct bl_layout layout;
    size_t count;
};

/* The next word of a value, which strtok_r's *rest goes on from; NULL: there is none. */
static const char *next_word(char **rest) { return strtok_r(NULL, " \t", rest); }

static bool is_number(const char *word, uint64_t *number)
{
    char *end;
    if (!word || word[0] < '0' || word[0] > '9')
        return false;
    errno = 0;
    *number = strtoull(word, &end, 0);
    return errno == 0 && *end == '\0';
}

static bool is_memory(const char *word, enum bl_memory *memory)
{
    for (*memory = BL_MEMORY_GLOBAL; *memory < BL_MEMORY_PRIVATE; (*memory)++)
        if (word && strcmp(word, bl_memory_name(*memory)) == 0)
            return true;
    return false;
}

static bool is_op(const char *word, struct bl_request *request)
{
    request->is_write = word && strcmp(word, "write") == 0;
    request->is_atomic = word && strcmp(word, "atomic") == 0;
    return request->is_write || request->is_atomic || (word && strcmp(word, "read") == 0);
}

static enum bl_status parse(const struct bl_key_line *line, struct bl_request *request,
                            uint64_t addresses[BL_MAX_LANES], struct bl_error *error)
{
    char text[4096];
    snprintf(text, sizeof text, "%s", line->value);
    char *rest;
    const char *memory = strtok_r(text, " \t", &rest);
    uint64_t bytes;
    *request = (struct bl_request){.addresses_bytes = addresses};
    if (!is_memory(memory, &request->memory))
        return bl_keyfile_fail(line, error, "%s: '%.60s' is not global, local or constant",
                               line->key, memory ? memory : "");
    const char *op = next_word(&rest);
    if (!is_op(op, request))
        return bl_keyfile_fail(line, error, "%s: '%.60s' is not read, write or atomic", line->key,
                               op ? op : "");
    const char *width = next_word(&rest);
    if (!is_number(width, &bytes) || bytes < 1 || bytes > WIDEST)
        return bl_keyfile_fail(line, error, "%s: '%.60s' is not 1 to 16 bytes", line->key,
                               width ? width : "");
    request->access_bytes = (unsigned)bytes;
    for (const char *word; (word = next_word(&rest)); request->lanes++) {
        if (request->lanes == BL_MAX_LANES)
            return bl_keyfile_fail(line, error, "%s: more than %d lanes", line->key, BL_MAX_LANES);
        if (!is_number(word, &addresses[request->lanes]) ||
            addresses[request->lanes] > UINT64_MAX - WIDEST)
            return bl_keyfile_fail(line, error, "%s: '%.60s' is no address", line->key, word);
    }
    return request->lanes > 0 ? BL_OK : bl_keyfile_fail(line, error, "%s: no address", line->key);
}

static enum bl_status print_request(void *context, const struct bl_key_line *line,
                                    struct bl_error *error)
{
    struct printing *printing = context;
    uint64_t addresses[BL_MAX_LANES];
    struct bl_request request;
    struct bl_cost cost;
    const enum bl_status status = parse(line, &request, addresses, error);
    if (status != BL_OK)
        return status;
    if (bl_cost_of(printing->machine, &request, &cost) != BL_OK)
        return bl_fail(error, BL_BAD_MACHINE, "%s:%u: %s: machine %s has no rule for it",
                       line->path, line->number, line->key, printing->machine->name);
    if (printing->count++ == 0)
        bl_layout_heading(&printing->layout, stdout);
    const unsigned counts[] = {cost.lines, cost.sectors, cost.tag_passes, cost.bank_passes,
                               cost.clocks};
    char texts[COLUMN_COUNT][16];
    const char *cells[COLUMN_COUNT] = {line->key};
    for (int i = LINES; i < COLUMN_COUNT; i++) {
        snprintf(texts[i], sizeof texts[i], "%u", counts[i - LINES]);
        cells[i] = texts[i];
    }
    bl_layout_row(&printing->layout, stdout, cells);
    return BL_OK;
}

enum bl_status bl_print_requests(const char *path, const struct bl_machine *machine,
                                 struct bl_error *error)
{
    struct printing printing = {.machine = machine};
    printing.layout = bl_layout_for(columns, COLUMN_COUNT, bl_line_width(stdout));
    const enum bl_status status = bl_keyfile_read(path, print_request, &printing, error);
    if (status == BL_OK && printing.count == 0)
        return bl_fail(error, BL_BAD_FORMAT,
                       "%s: no request in it; a line is 'name = MEMORY OP BYTES ADDRESS...'", path);
    return status;
}
