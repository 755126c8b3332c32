/* Reads a run's CSV and writes the run in every format. jansson and libxml2 must be able to parse
 * the JSON and the XML. */
#include <jansson.h>
#include <libxml/parser.h>
#include <string.h>

#include "fuzz.h"
#include "report/layout.h"
#include "report/run.h"
#include "report/sink.h"

/* Aborts if the text is not valid in its format. */
static void check(const char *format, const char *text, size_t size)
{
    if (strstr(format, "json") || strcmp(format, "bencher") == 0) {
        json_t *root = json_loadb(text, size, 0, NULL);
        if (!root)
            abort();
        json_decref(root);
    } else if (strcmp(format, "junit") == 0) {
        xmlDocPtr read = xmlReadMemory(text, (int)size, NULL, NULL,
                                       XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_HUGE);
        if (!read)
            abort();
        xmlFreeDoc(read);
    } else if (size > 0 && text[size - 1] != '\n') {
        abort();
    } else if (strcmp(format, "prometheus") ==
               0) { /* the format's reader requires UTF-8, which jansson checks */
        json_t *value = json_stringn(text, size);
        if (!value)
            abort();
        json_decref(value);
    }
}

static void write_as(const struct bl_format *format, const struct bl_run_rows *run)
{
    static const struct bl_machine machine = {.name = "nvidia-hopper", .has_rule = true};
    const struct bl_view view = {.machine = &machine, .tolerance = 0.1, .width = 80};
    struct bl_error error = {0};
    char *text = NULL;
    size_t length = 0;
    struct bl_sink sink = {.format = format,
                           .stream = open_memstream(&text, &length),
                           .view = &view,
                           .run = &run->info,
                           .error = &error};
    const struct bl_run_writer *writer = &format->run;
    if (writer->begin && writer->begin(&sink) != BL_OK)
        abort();
    for (size_t i = 0; i < run->count; i++)
        if (writer->row(&sink, &run->rows[i]) != BL_OK)
            abort();
    if (writer->end && writer->end(&sink, true) != BL_OK)
        abort();
    fclose(sink.stream);
    check(format->name ? format->name : "table", text, length);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct bl_error error = {0};
    struct bl_run_rows run;
    const int descriptor = as_file(data, size, path);
    if (bl_run_read(path, &run, &error) == BL_OK) {
        size_t count;
        const struct bl_format *const *formats = bl_formats(&count);
        for (size_t i = 0; i < count; i++)
            write_as(formats[i], &run);
        write_as(&bl_format_table, &run);
    }
    bl_run_free(&run);
    close(descriptor);
    return 0;
}
