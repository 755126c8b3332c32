#include "report/document.h"

#include <locale.h>

#include "base/replace.h"
#include "report/document_writers.h"

#ifdef BL_WITH_JANSSON
#define IF_JANSSON(writer) writer
#else
#define IF_JANSSON(writer) NULL
#endif
#ifdef BL_WITH_LIBXML2
#define IF_LIBXML2(writer) writer
#else
#define IF_LIBXML2(writer) NULL
#endif

static const struct {
    bl_document_writer *run, *comparison; /* NULL: not built, or there is none */
    const char *made_with;                /* the library that both need */
} documents[] = {
    [BL_DOCUMENT_JSON] = {IF_JANSSON(bl_write_json), IF_JANSSON(bl_write_comparison_json),
                          "jansson"},
    [BL_DOCUMENT_BENCHMARK_JSON] = {IF_JANSSON(bl_write_benchmark_json), NULL, "jansson"},
    [BL_DOCUMENT_JUNIT] = {IF_LIBXML2(bl_write_junit), IF_LIBXML2(bl_write_comparison_junit),
                           "libxml2"},
    [BL_DOCUMENT_PROMETHEUS] = {bl_write_prometheus, bl_write_comparison_prometheus, ""},
    [BL_DOCUMENT_MARKDOWN] = {bl_write_markdown, bl_write_comparison_markdown, ""},
    [BL_DOCUMENT_CSV] = {NULL, bl_write_comparison_csv, ""},
};

bool bl_document_is_built(enum bl_document document, const char **library)
{
    *library = documents[document].made_with;
    return documents[document].run || documents[document].comparison;
}

enum bl_status bl_document_write(enum bl_document document, FILE *file,
                                 const struct bl_document_content *content, struct bl_error *error)
{
    bl_document_writer *write =
        content->comparison ? documents[document].comparison : documents[document].run;
    if (!write)
        return bl_fail(error, BL_USAGE, "this bankline was built without %s",
                       documents[document].made_with);
    const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0)
        return bl_fail(error, BL_NO_MEMORY, "no memory for the C locale");
    const locale_t before = uselocale(c_locale);
    const enum bl_status status = write(file, content, error);
    uselocale(before);
    freelocale(c_locale);
    return status;
}

struct named_content {
    enum bl_document document;
    const struct bl_document_content *content;
};

static enum bl_status write_named(FILE *file, const void *content, struct bl_error *error)
{
    const struct named_content *named = content;
    return bl_document_write(named->document, file, named->content, error);
}

enum bl_status bl_document_save(enum bl_document document, const char *path,
                                const struct bl_document_content *content, struct bl_error *error)
{
    const struct named_content named = {document, content};
    return bl_replace_file(path, write_named, &named, error);
}
