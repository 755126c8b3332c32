#include "cl/program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cl/source.h"

struct bl_kernel {
    struct bl_kernel *next;
    char *key;     /* file, name and options */
    uint64_t hash; /* of the text, as far as a compiler minds it, and of the key */
    cl_program program;
    cl_kernel kernel;
};

static const char *expression_of(const struct bl_kernel_source *source)
{
    return source->expression ? source->expression->text : "";
}

static const char *table_of(const struct bl_kernel_source *source)
{
    return source->expression && source->expression->table ? source->expression->table : "";
}

/* A table is named by its hash: the key is also what messages call the kernel. */
static char *key_of(const struct bl_kernel_source *source)
{
    char *key = NULL, table[32] = "";
    if (*table_of(source))
        snprintf(table, sizeof table, ", table %016" PRIx64,
                 bl_hash_add(BL_HASH_BEGIN, table_of(source), strlen(table_of(source))));
    const int length =
        asprintf(&key, "%s, %s %s%s%s%s", source->file, source->name, source->options,
                 source->expression ? ", " : "", expression_of(source), table);
    return length < 0 ? NULL : key;
}

bool bl_sources_are_equal(const struct bl_kernel_source *one, const struct bl_kernel_source *other)
{
    return strcmp(one->file, other->file) == 0 && strcmp(one->name, other->name) == 0 &&
           strcmp(one->options, other->options) == 0 && !one->expression == !other->expression &&
           strcmp(expression_of(one), expression_of(other)) == 0 &&
           strcmp(table_of(one), table_of(other)) == 0;
}

static void release(struct bl_kernel *kernel)
{
    if (kernel->kernel)
        clReleaseKernel(kernel->kernel);
    if (kernel->program)
        clReleaseProgram(kernel->program);
    free(kernel->key);
    free(kernel);
}

void bl_programs_release(struct bl_kernel *list)
{
    while (list) {
        struct bl_kernel *next = list->next;
        release(list);
        list = next;
    }
}

const char *bl_program_name(const struct bl_kernel *kernel) { return kernel->key; }

uint64_t bl_program_hash(const struct bl_kernel *kernel) { return kernel->hash; }

cl_kernel bl_program_kernel(const struct bl_kernel *kernel) { return kernel->kernel; }

struct bl_kernel *bl_program_find(struct bl_kernel *list, const struct bl_kernel_source *source)
{
    char *key = key_of(source);
    while (key && list && strcmp(list->key, key) != 0)
        list = list->next;
    free(key);
    return key ? list : NULL;
}

static enum bl_status build_failure(const struct bl_kernel *kernel, cl_device_id device,
                                    const char *folder, const struct bl_kernel_source *source,
                                    cl_int code, struct bl_error *error)
{
    char buffer[32];
    bl_fail(error, BL_BUILD_FAILED, "kernel %s of %s%s%s does not build (%s)", source->name,
            folder ? folder : "", folder ? "/" : "", source->file, bl_cl_error_name(code, buffer));
    if (!error)
        return BL_BUILD_FAILED;
    size_t size = 0;
    error->log[0] = '\0';
    if (clGetProgramBuildInfo(kernel->program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) !=
            CL_SUCCESS ||
        size == 0)
        return BL_BUILD_FAILED;
    char *log = calloc(size + 1, 1);
    if (log && clGetProgramBuildInfo(kernel->program, device, CL_PROGRAM_BUILD_LOG, size, log,
                                     NULL) == CL_SUCCESS)
        snprintf(error->log, sizeof error->log, "%s", log);
    free(log);
    return BL_BUILD_FAILED;
}

enum bl_status bl_program_build(cl_context context, cl_device_id device, const char *folder,
                                const struct bl_kernel_source *source, struct bl_kernel **list,
                                struct bl_kernel **kernel, struct bl_error *error)
{
    char *text;
    enum bl_status status = bl_source_load(folder, source->file, source->expression, &text, error);
    if (status != BL_OK)
        return status;
    struct bl_kernel *built = calloc(1, sizeof *built);
    if (built)
        built->key = key_of(source);
    if (!built || !built->key) {
        status = bl_fail(error, BL_NO_MEMORY, "no memory for kernel %s", source->file);
        goto out;
    }
    built->hash = bl_hash_add(BL_HASH_BEGIN, built->key, strlen(built->key) + 1);
    built->hash = bl_source_hash(built->hash, text);
    cl_int code;
    const char *texts[] = {text};
    built->program = clCreateProgramWithSource(context, 1, texts, NULL, &code);
    status = bl_cl_check(code, "clCreateProgramWithSource", error);
    if (status != BL_OK)
        goto out;
    code = clBuildProgram(built->program, 1, &device, source->options, NULL, NULL);
    if (code == CL_BUILD_PROGRAM_FAILURE || code == CL_INVALID_BUILD_OPTIONS) {
        status = build_failure(built, device, folder, source, code, error);
        if (error)
            bl_source_place(text, error->log, sizeof error->log);
    } else {
        status = bl_cl_check(code, "clBuildProgram", error);
    }
    if (status != BL_OK)
        goto out;
    built->kernel = clCreateKernel(built->program, source->name, &code);
    status = bl_cl_check(code, "clCreateKernel", error);
    if (status != BL_OK) {
        bl_error_context(error, "kernel %s of %s", source->name, source->file);
        goto out;
    }
    built->next = *list;
    *list = built;
    *kernel = built;
    built = NULL;
out:
    if (built)
        release(built);
    free(text);
    return status;
}
