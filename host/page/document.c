#include "page/document.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "report/json_is_built.h"

#ifdef BL_WITH_JANSSON
#include "page/document_inside.h"

const char *bl_json_text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

double bl_json_number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

enum bl_status bl_page_document_read(const char *path, enum bl_page_document_kind kind,
                                     struct bl_page_document *document, struct bl_error *error)
{
    static const struct {
        const char *command, *array;
    } kinds[] = {{"trace", "kernels"}, {"infer", "values"}};
    *document = (struct bl_page_document){.path = path};
    json_error_t failed;
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    if (!file)
        return bl_fail(error, BL_FILE_FAILED, "cannot read %s: %s", path, strerror(errno));
    json_t *root = json_loadf(file, 0, &failed);
    if (file != stdin)
        fclose(file);
    document->root = root;
    if (!root)
        return bl_fail(error, BL_BAD_FORMAT, "%s, line %d: %.200s", path, failed.line, failed.text);
    if (!json_is_integer(json_object_get(root, "schema")) ||
        !json_is_array(json_object_get(root, kinds[kind].array)))
        return bl_fail(error, BL_BAD_FORMAT, "%s: not what 'bankline %s --json' writes", path,
                       kinds[kind].command);
    return BL_OK;
}

void bl_page_document_free(struct bl_page_document *document)
{
    json_decref(document->root);
    document->root = NULL;
}

#else

enum bl_status bl_page_document_read(const char *path, enum bl_page_document_kind kind,
                                     struct bl_page_document *document, struct bl_error *error)
{
    (void)path, (void)kind;
    *document = (struct bl_page_document){0};
    return bl_json_is_built(error);
}

void bl_page_document_free(struct bl_page_document *document) { (void)document; }

void bl_page_put_trace(FILE *file, const struct bl_page_document *document)
{
    (void)file, (void)document;
}

enum bl_status bl_page_draw_sweeps(struct bl_plotter *plotter,
                                   const struct bl_page_document *document,
                                   struct bl_page_sweeps *sweeps, struct bl_error *error)
{
    (void)plotter, (void)document, (void)sweeps, (void)error;
    return BL_OK;
}

double bl_page_inferred(const struct bl_page_document *document, const char *key)
{
    (void)document, (void)key;
    return NAN;
}

void bl_page_put_infer(FILE *file, const struct bl_page_document *document,
                       const struct bl_page_sweeps *sweeps)
{
    (void)file, (void)document, (void)sweeps;
}

#endif
