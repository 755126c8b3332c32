/* A run's CSV as every document: other programs' parsers must be able to read it. */
#include <jansson.h>
#include <libxml/parser.h>

#include "fuzz.h"
#include "report/csv.h"
#include "report/document.h"

static void check(enum bl_document document, const char *text, size_t size)
{
    if (document == BL_DOCUMENT_JSON || document == BL_DOCUMENT_BENCHMARK_JSON) {
        json_t *root = json_loadb(text, size, 0, NULL);
        if (!root)
            abort();
        json_decref(root);
    } else if (document == BL_DOCUMENT_JUNIT) {
        xmlDocPtr read = xmlReadMemory(text, (int)size, NULL, NULL,
                                       XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_HUGE);
        if (!read)
            abort();
        xmlFreeDoc(read);
    } else if (size > 0 && text[size - 1] != '\n') {
        abort();
    } else if (document == BL_DOCUMENT_PROMETHEUS) { /* whose reader wants UTF-8, as jansson does */
        json_t *value = json_stringn(text, size);
        if (!value)
            abort();
        json_decref(value);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bl_row *rows = NULL;
    size_t count = 0;
    struct bl_error error = {0};
    FILE *file = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
    if (!file)
        return 0;
    const enum bl_status status = bl_csv_read(file, &rows, &count, &error);
    fclose(file);
    const struct bl_document_content content = {.rows = rows, .count = count};
    for (unsigned d = 0; d < BL_DOCUMENT_CSV && status == BL_OK; d++) {
        char *text = NULL;
        size_t length = 0;
        FILE *out = open_memstream(&text, &length);
        if (bl_document_write((enum bl_document)d, out, &content, &error) != BL_OK)
            abort();
        fclose(out);
        check((enum bl_document)d, text, length);
        free(text);
    }
    free(rows);
    return 0;
}
