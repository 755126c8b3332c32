/* Compiles kernels with ocloc in a temporary folder, disassembles the binary, and counts
 * instructions in the disassembly. */
#include "trace/intel.h"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/temp_dir.h"

/* On GPUs up to Gen12, the lowest byte of a message's descriptor has this value if the message
 * accesses local memory. */
enum { LOCAL_SURFACE = 0xFE };

static bool has_word(const char *text, const char *word) { return strstr(text, word) != NULL; }

/* Whether a line of the disassembly is a message to memory, other than a register spill. If so,
 * sets *action (0 load, 1 store, 2 atomic) from the comment that the disassembler writes after the
 * instruction. Also sets *is_local: on GPUs up to Gen12 from the message's descriptor, on later
 * GPUs from the disassembler's comment. */
static bool is_message(const char *line, unsigned *action, bool *is_local)
{
    char code[256], said[256];
    const char *comment = strstr(line, "//");
    if (!comment)
        return false;
    snprintf(code, sizeof code, "%.*s", (int)(comment - line), line);
    snprintf(said, sizeof said, "%.*s", (int)strcspn(comment, "\n"), comment);
    /* The disassembler marks register spills with "t.a32.ss[" for Xe2, and with "scratch" for older
     * GPUs. */
    const bool is_spill = has_word(said, "scratch") || has_word(said, "t.a32.ss[");
    if (!has_word(code, "send") || is_spill)
        return false;
    const bool has_cache = has_word(said, ".slm") || has_word(said, ".ugm");
    const bool loads = has_cache ? has_word(said, "load") : has_word(said, " read"),
               stores = has_cache ? has_word(said, "store") : has_word(said, " write");
    if (!loads && !stores && !has_word(said, "atomic"))
        return false;
    *action = has_word(said, "atomic") ? 2 : loads ? 0 : 1;
    const char *descriptor = strrchr(code, 'x'); /* the last "0x..." */
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

/* Creates a symbolic link to the disassembler's library, because ocloc looks for a file name that
 * the packages do not install. */
static enum bl_status link_library(const struct bl_temp_dir *temp_dir, struct bl_error *error)
{
    static const char *const names[] = {"libiga64.so.2", "libiga64.so.1"};
    char path[BL_TEMP_DIR_PATH];
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = dlopen(names[i], RTLD_LAZY);
    if (!library)
        return bl_fail(error, BL_NO_DEVICE,
                       "cannot find libiga64.so, which disassembles ocloc's binaries; install "
                       "the package libigc2 or libigc1");
    struct link_map *map = NULL;
    dlinfo(library, RTLD_DI_LINKMAP, &map);
    const int status = symlink(
        map->l_name, bl_temp_dir_path(temp_dir, "libiga64.so",
                                      path)); /* if this fails, ocloc reports a missing library */
    (void)status;
    dlclose(library);
    return BL_OK;
}

static enum bl_status run(const struct bl_temp_dir *temp_dir, const char *const words[],
                          struct bl_error *error)
{
    const char *const environment[] = {"IGC_EnableZEBinary", "1", "LD_LIBRARY_PATH",
                                       temp_dir->folder, NULL};
    const int status = bl_temp_dir_run(temp_dir, words, environment);
    char end[80];
    if (status == BL_TOOL_NOT_STARTED)
        return bl_fail(error, BL_NO_DEVICE,
                       "cannot find '%s', Intel's offline compiler; install the package "
                       "intel-ocloc, or intel-opencl-icd on Debian 12; Debian 13 has neither",
                       words[0]);
    if (status == BL_TOOL_INTERRUPTED)
        return bl_fail(error, BL_INTERRUPTED, "interrupted");
    return status == 0 ? BL_OK
                       : bl_fail(error, BL_BUILD_FAILED, "'%s %s' %s", words[0], words[1],
                                 bl_tool_end_words(temp_dir, status, end));
}

/* Reads the SIMD width and the scratch size from the kernel's section of .ze_info. The scratch size
 * is the sum over the kernel's scratch buffers. */
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

static void read_kernels(const struct bl_temp_dir *temp_dir, struct bl_trace *trace,
                         unsigned program)
{
    char *info = bl_temp_dir_read(temp_dir, "dump/.ze_info");
    for (size_t k = 0; k < trace->kernel_count && info; k++) {
        struct bl_trace_kernel *kernel = &trace->kernels[k];
        char name[400];
        snprintf(name, sizeof name, "dump/.text.%.300s.asm", kernel->name);
        char *assembly = kernel->program == program ? bl_temp_dir_read(temp_dir, name) : NULL;
        if (!assembly)
            continue;
        kernel->intel = (struct bl_intel){0};
        read_info(info, kernel->name, &kernel->intel);
        bl_intel_count(assembly, &kernel->intel);
        free(assembly);
    }
    free(info);
}

/* Renames the binary to k.bin, because ocloc appends the name of a GPU core to the file name.
 * Creates the folder for the disassembly. */
static enum bl_status name_binary(const struct bl_temp_dir *temp_dir, struct bl_error *error)
{
    char pattern[BL_TEMP_DIR_PATH], name[BL_TEMP_DIR_PATH], dump[BL_TEMP_DIR_PATH];
    glob_t found = {0};
    bl_temp_dir_path(temp_dir, "out/k_*.bin", pattern);
    mkdir(bl_temp_dir_path(temp_dir, "dump", dump), 0700);
    const bool is_there = glob(pattern, 0, NULL, &found) == 0 &&
                          rename(found.gl_pathv[0], bl_temp_dir_path(temp_dir, "k.bin", name)) == 0;
    globfree(&found);
    return is_there ? BL_OK : bl_fail(error, BL_BUILD_FAILED, "ocloc wrote no binary");
}

static enum bl_status build(const struct bl_temp_dir *temp_dir, const char *device,
                            const char *source, const char *options, struct bl_error *error)
{
    char file[BL_TEMP_DIR_PATH], folder[BL_TEMP_DIR_PATH], all[4096];
    bl_temp_dir_path(temp_dir, "k.cl", file);
    bl_temp_dir_path(temp_dir, "out", folder);
    snprintf(all, sizeof all, "%s -I .", options ? options : "");
    const char *const compiling[] = {"ocloc",    "compile", "-file", file,       "-device",
                                     device,     "-output", "k",     "-out_dir", folder,
                                     "-options", all,       NULL};
    enum bl_status status = bl_temp_dir_write(temp_dir, "k.cl", source, error);
    if (status == BL_OK)
        status = run(temp_dir, compiling, error);
    if (status == BL_BUILD_FAILED) {
        char *log = bl_temp_dir_read(temp_dir, "log");
        bl_error_context(
            error,
            "Intel's compiler, for %s (devices are skl, dg2, pvc and others; see 'ocloc ids')",
            device);
        snprintf(error->log, sizeof error->log, "%.*s", (int)sizeof error->log - 1, log ? log : "");
        free(log);
    }
    return status;
}

enum bl_status bl_intel_check(const char *device, struct bl_error *error)
{
    struct bl_temp_dir temp_dir;
    enum bl_status status = bl_temp_dir_open(&temp_dir, error);
    if (status != BL_OK)
        return status;
    status = build(&temp_dir, device, "kernel void empty(void) {}\n", NULL, error);
    if (status == BL_OK)
        status = link_library(&temp_dir, error);
    bl_temp_dir_close(&temp_dir);
    return status;
}

static enum bl_status compile(const struct bl_temp_dir *temp_dir, const char *device,
                              struct bl_trace *trace, unsigned program, struct bl_error *error)
{
    char binary[BL_TEMP_DIR_PATH], dump[BL_TEMP_DIR_PATH];
    bl_temp_dir_path(temp_dir, "k.bin", binary);
    bl_temp_dir_path(temp_dir, "dump", dump);
    const char *const reading[] = {"ocloc", "disasm", "-file", binary, "-device",
                                   device,  "-dump",  dump,    NULL};
    enum bl_status status = build(temp_dir, device, trace->programs[program].source,
                                  trace->programs[program].options, error);
    if (status == BL_OK)
        status = name_binary(temp_dir, error);
    if (status == BL_OK)
        status = run(temp_dir, reading, error);
    if (status == BL_OK)
        read_kernels(temp_dir, trace, program);
    return status;
}

enum bl_status bl_trace_compile_for_intel(struct bl_trace *trace, const char *device,
                                          bool (*is_interrupted)(void *context),
                                          struct bl_error *error)
{
    struct bl_temp_dir temp_dir;
    enum bl_status status = bl_temp_dir_open(&temp_dir, error);
    if (status != BL_OK)
        return status;
    temp_dir.is_interrupted = is_interrupted;
    status = link_library(&temp_dir, error);
    for (unsigned program = 0; program < trace->program_count && status == BL_OK; program++)
        status = compile(&temp_dir, device, trace, program, error);
    bl_temp_dir_close(&temp_dir);
    return status;
}
