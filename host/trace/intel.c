#include "trace/intel.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The surface that messages to local memory name, up to Gen12's data cache. */
enum { LOCAL_SURFACE = 0xFE };

static bool has_word(const char *text, const char *word) { return strstr(text, word) != NULL; }

/* Whether a line sends to memory: then what, and whether to local memory. The comment behind the
 * instruction says it. */
static bool is_message(const char *line, unsigned *action, bool *is_local)
{
    char code[256], said[256];
    const char *comment = strstr(line, "//");
    if (!comment)
        return false;
    snprintf(code, sizeof code, "%.*s", (int)(comment - line), line);
    snprintf(said, sizeof said, "%.*s", (int)strcspn(comment, "\n"), comment);
    if (!has_word(code, "send") || has_word(said, "scratch"))
        return false;
    const bool has_cache = has_word(said, ".slm") || has_word(said, ".ugm");
    const bool loads = has_cache ? has_word(said, "load") : has_word(said, " read"),
               stores = has_cache ? has_word(said, "store") : has_word(said, " write");
    if (!loads && !stores && !has_word(said, "atomic"))
        return false;
    *action = has_word(said, "atomic") ? 2 : loads ? 0 : 1;
    const char *descriptor = strrchr(code, 'x'); /* of the last "0x..." */
    *is_local = has_cache
                    ? has_word(said, ".slm")
                    : descriptor && (strtoul(descriptor + 1, NULL, 16) & 0xFF) == LOCAL_SURFACE;
    return true;
}

void bl_intel_count(const char *assembly, struct bl_intel *intel)
{
    for (const char *line = assembly; *line;) {
        const size_t length = strcspn(line, "\n");
        char text[512];
        snprintf(text, sizeof text, "%.*s", (int)length, line);
        const char *at = text + strspn(text, " \t");
        const size_t word = strcspn(at, " \t");
        const bool is_label = word > 0 && at[word - 1] == ':';
        unsigned action;
        bool is_local;
        if (*at && strncmp(at, "//", 2) != 0 && !is_label && !has_word(at, "illegal")) {
            intel->instructions++;
            if (is_message(text, &action, &is_local))
                intel->messages[is_local][action]++;
        }
        line += length + (line[length] == '\n');
    }
}

/* A folder of its own for everything that ocloc reads and writes. */
struct shop {
    char folder[PATH_MAX];
    const char *device;
};

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

static void close_shop(const struct shop *shop)
{
    nftw(shop->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* The disassembler looks for its library under a name that packages do not give it. */
static enum bl_status link_library(const struct shop *shop, struct bl_error *error)
{
    void *library = dlopen("libiga64.so.1", RTLD_LAZY);
    struct link_map *map = NULL;
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/libiga64.so", shop->folder);
    const bool is_linked = library && dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map &&
                           symlink(map->l_name, path) == 0;
    if (library)
        dlclose(library);
    return is_linked ? BL_OK
                     : bl_fail(error, BL_NO_DEVICE,
                               "there is no libiga64.so.1, which disassembles what ocloc compiles; "
                               "install the package libigc1");
}

static enum bl_status open_shop(const char *device, struct shop *shop, struct bl_error *error)
{
    const char *base = getenv("TMPDIR");
    shop->device = device;
    snprintf(shop->folder, sizeof shop->folder, "%s/bankline-XXXXXX",
             base && *base ? base : "/tmp");
    if (!mkdtemp(shop->folder))
        return bl_fail(error, BL_FILE_FAILED, "cannot make a folder %s: %s", shop->folder,
                       strerror(errno));
    const enum bl_status status = link_library(shop, error);
    if (status != BL_OK)
        close_shop(shop);
    return status;
}

/* Runs a command where the user is, for sources may include files by relative paths; what it prints
 * goes to the file "log" there. */
static enum bl_status run(const struct shop *shop, const char *const words[],
                          struct bl_error *error)
{
    fflush(NULL);
    const pid_t process = fork();
    if (process < 0)
        return bl_fail(error, BL_FILE_FAILED, "cannot start a process: %s", strerror(errno));
    if (process == 0) {
        char path[PATH_MAX + 32];
        snprintf(path, sizeof path, "%s/log", shop->folder);
        const int log = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (log < 0 || dup2(log, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0)
            _exit(126);
        setenv("IGC_EnableZEBinary", "1", 1);
        setenv("LD_LIBRARY_PATH", shop->folder, 1);
        execvp(words[0], (char *const *)words);
        _exit(127);
    }
    int ended = 0;
    while (waitpid(process, &ended, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == 127)
        return bl_fail(error, BL_NO_DEVICE,
                       "there is no '%s', Intel's offline compiler; install the package "
                       "intel-opencl-icd",
                       words[0]);
    return WIFEXITED(ended) && WEXITSTATUS(ended) == 0
               ? BL_OK
               : bl_fail(error, BL_BUILD_FAILED, "'%s %s' failed", words[0], words[1]);
}

/* A file of the folder as text; NULL: it cannot be read. */
static char *read_text(const struct shop *shop, const char *name)
{
    char path[PATH_MAX + 600], *text = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/%s", shop->folder, name);
    FILE *file = fopen(path, "r"), *memory = file ? open_memstream(&text, &size) : NULL;
    char block[4096];
    size_t got;
    while (memory && (got = fread(block, 1, sizeof block, file)) > 0)
        fwrite(block, 1, got, memory);
    if (file)
        fclose(file);
    if (memory && fclose(memory) != 0) {
        free(text);
        text = NULL;
    }
    return text;
}

static enum bl_status write_text(const struct shop *shop, const char *name, const char *text,
                                 struct bl_error *error)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/%s", shop->folder, name);
    FILE *file = fopen(path, "w");
    const bool is_put = file && fputs(text, file) >= 0;
    if (file && fclose(file) == 0 && is_put)
        return BL_OK;
    return bl_fail(error, BL_FILE_FAILED, "cannot write %s: %s", path, strerror(errno));
}

/* The number behind a key in the kernel's part of .ze_info; scratch is summed up over its buffers.
 */
static void read_info(const char *info, const char *kernel, struct bl_intel *intel)
{
    char heading[300], name[256] = "";
    bool is_own = false, is_scratch = false;
    snprintf(heading, sizeof heading, "%.255s", kernel);
    for (const char *line = info; *line;) {
        unsigned number;
        char text[300], type[32];
        const size_t length = strcspn(line, "\n");
        snprintf(text, sizeof text, "%.*s", (int)length, line);
        if (sscanf(text, "  - name: %255s", name) == 1)
            is_own = strcmp(name, heading) == 0;
        else if (*text != ' ' && *text != '\0')
            is_own = false;
        if (is_own && sscanf(text, " simd_size: %u", &number) == 1)
            intel->simd = number;
        if (sscanf(text, " - type: %31s", type) == 1 || sscanf(text, " type: %31s", type) == 1)
            is_scratch = strcmp(type, "scratch") == 0;
        if (is_own && is_scratch && sscanf(text, " size: %u", &number) == 1)
            intel->scratch_bytes += number;
        line += length + (line[length] == '\n');
    }
}

static void read_kernels(const struct shop *shop, struct bl_trace *trace, unsigned program)
{
    char *info = read_text(shop, "dump/.ze_info");
    for (size_t k = 0; k < trace->kernel_count && info; k++) {
        struct bl_trace_kernel *kernel = &trace->kernels[k];
        char name[400];
        snprintf(name, sizeof name, "dump/.text.%.300s.asm", kernel->name);
        char *assembly = kernel->program == program ? read_text(shop, name) : NULL;
        if (!assembly)
            continue;
        kernel->intel = (struct bl_intel){0};
        read_info(info, kernel->name, &kernel->intel);
        bl_intel_count(assembly, &kernel->intel);
        free(assembly);
    }
    free(info);
}

/* ocloc adds the name of a core to that of the binary. */
static enum bl_status name_binary(const struct shop *shop, struct bl_error *error)
{
    char pattern[PATH_MAX + 32], name[PATH_MAX + 32], dump[PATH_MAX + 32];
    glob_t found = {0};
    snprintf(pattern, sizeof pattern, "%s/out/k_*.bin", shop->folder);
    snprintf(name, sizeof name, "%s/k.bin", shop->folder);
    snprintf(dump, sizeof dump, "%s/dump", shop->folder);
    const bool is_there = glob(pattern, 0, NULL, &found) == 0 &&
                          rename(found.gl_pathv[0], name) == 0 &&
                          (mkdir(dump, 0700) == 0 || errno == EEXIST);
    globfree(&found);
    return is_there ? BL_OK : bl_fail(error, BL_BUILD_FAILED, "ocloc wrote no binary");
}

static enum bl_status build(const struct shop *shop, const char *source, const char *options,
                            struct bl_error *error)
{
    char file[PATH_MAX + 32], folder[PATH_MAX + 32], all[4096];
    snprintf(file, sizeof file, "%s/k.cl", shop->folder);
    snprintf(folder, sizeof folder, "%s/out", shop->folder);
    snprintf(all, sizeof all, "%s -I .", options ? options : "");
    const char *const compiling[] = {"ocloc",      "compile", "-file", file,       "-device",
                                     shop->device, "-output", "k",     "-out_dir", folder,
                                     "-options",   all,       NULL};
    enum bl_status status = write_text(shop, "k.cl", source, error);
    if (status == BL_OK)
        status = run(shop, compiling, error);
    if (status == BL_BUILD_FAILED) {
        char *log = read_text(shop, "log");
        bl_error_context(
            error, "Intel's compiler, for %s ('ocloc ids' knows devices, as skl, dg2 and pvc)",
            shop->device);
        snprintf(error->log, sizeof error->log, "%.*s", (int)sizeof error->log - 1, log ? log : "");
        free(log);
    }
    return status;
}

enum bl_status bl_intel_check(const char *device, struct bl_error *error)
{
    struct shop shop;
    enum bl_status status = open_shop(device, &shop, error);
    if (status != BL_OK)
        return status;
    status = build(&shop, "kernel void empty(void) {}\n", NULL, error);
    close_shop(&shop);
    return status;
}

static enum bl_status compile(const struct shop *shop, struct bl_trace *trace, unsigned program,
                              struct bl_error *error)
{
    char binary[PATH_MAX + 32], dump[PATH_MAX + 32];
    snprintf(binary, sizeof binary, "%s/k.bin", shop->folder);
    snprintf(dump, sizeof dump, "%s/dump", shop->folder);
    const char *const reading[] = {"ocloc",      "disasm", "-file", binary, "-device",
                                   shop->device, "-dump",  dump,    NULL};
    enum bl_status status =
        build(shop, trace->sources[program], trace->build_options[program], error);
    if (status == BL_OK)
        status = name_binary(shop, error);
    if (status == BL_OK)
        status = run(shop, reading, error);
    if (status == BL_OK)
        read_kernels(shop, trace, program);
    return status;
}

enum bl_status bl_trace_compile_for_intel(struct bl_trace *trace, const char *device,
                                          struct bl_error *error)
{
    struct shop shop;
    enum bl_status status = open_shop(device, &shop, error);
    if (status != BL_OK)
        return status;
    for (unsigned program = 0; program < trace->source_count && status == BL_OK; program++)
        status = compile(&shop, trace, program, error);
    close_shop(&shop);
    return status;
}
