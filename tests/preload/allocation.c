/* A library to preload. It makes one allocation fail: BANKLINE_TEST_ALLOCATION is the number of the
 * allocation; 0 if none fails. Only allocations by the program itself, jansson and SQLite count,
 * not those of a driver. At exit the library prints the number of allocations, and how many were
 * never freed. */
#include <dlfcn.h>
#include <link.h>
#include <locale.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void __libc_free(void *block);

enum { MAX_RANGES = 16, SLOTS = 1 << 20 };

static struct {
    uintptr_t from, to;
} ranges[MAX_RANGES];
static int range_count;
static bool ready;
static long wanted;
static atomic_long count;
/* Counted blocks that are not freed yet. (void *)1: the slot's block was freed. */
static _Atomic(void *) live[SLOTS];
static atomic_long lost; /* number of blocks for which the table had no space */

static int note_range(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    /* The program is first in the list and has no name. */
    static const char *const libraries[] = {"libjansson", "libsqlite3"};
    bool is_ours = info->dlpi_name[0] == '\0' && range_count == 0;
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++)
        is_ours |= strstr(info->dlpi_name, libraries[i]) != NULL;
    for (int i = 0; i < info->dlpi_phnum && is_ours && range_count < MAX_RANGES; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
            continue;
        ranges[range_count].from = info->dlpi_addr + part->p_vaddr;
        ranges[range_count++].to = info->dlpi_addr + part->p_vaddr + part->p_memsz;
    }
    return 0;
}

static void tell(void)
{
    long left = 0;
    ready = false;
    for (size_t i = 0; i < SLOTS; i++)
        left += atomic_load(&live[i]) != NULL && atomic_load(&live[i]) != (void *)1;
    fprintf(stderr, "preload: %ld allocations, %ld never freed%s\n", atomic_load(&count), left,
            atomic_load(&lost) ? " (and more: the table was full)" : "");
}

__attribute__((constructor)) static void begin(void)
{
    unsetenv("LD_PRELOAD"); /* a driver may start a linker, which leaks memory */
    const char *number = getenv("BANKLINE_TEST_ALLOCATION");
    if (!number)
        return;
    wanted = strtol(number, NULL, 10);
    dl_iterate_phdr(note_range, NULL);
    ready = true;
}

static bool is_ours(const void *caller)
{
    for (int i = 0; i < range_count && ready; i++)
        if ((uintptr_t)caller >= ranges[i].from && (uintptr_t)caller < ranges[i].to)
            return true;
    return false;
}

static bool fails(void)
{
    /* The handler is registered here and not earlier, so that it runs before the exit handlers of
     * coverage and of libraries, which may free memory after main. */
    static atomic_flag told = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&told))
        atexit(tell);
    if (atomic_fetch_add(&count, 1) + 1 != wanted)
        return false;
    fprintf(stderr, "preload: allocation %ld fails\n", wanted);
    return true;
}

static size_t slot_of(const void *block) { return ((uintptr_t)block >> 4) * 2654435761u % SLOTS; }

static void *keep(void *block)
{
    for (size_t i = 0, slot = slot_of(block); block && i < 64; i++, slot = (slot + 1) % SLOTS) {
        void *empty = atomic_load(&live[slot]);
        if (empty <= (void *)1 && atomic_compare_exchange_strong(&live[slot], &empty, block))
            return block;
    }
    atomic_fetch_add(&lost, block != NULL);
    return block;
}

static void forget(void *block)
{
    for (size_t i = 0, slot = slot_of(block); block && i < 64; i++, slot = (slot + 1) % SLOTS)
        if (atomic_load(&live[slot]) == block) {
            atomic_store(&live[slot], (void *)1);
            return;
        }
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t size)
{
    if (!is_ours(CALLER))
        return __libc_malloc(size);
    return fails() ? NULL : keep(__libc_malloc(size));
}

void *calloc(size_t number, size_t size)
{
    if (!is_ours(CALLER))
        return __libc_calloc(number, size);
    return fails() ? NULL : keep(__libc_calloc(number, size));
}

void *realloc(void *block, size_t size)
{
    if (!is_ours(CALLER)) {
        forget(block);
        return __libc_realloc(block, size);
    }
    if (fails())
        return NULL;
    forget(block);
    return keep(__libc_realloc(block, size));
}

void free(void *block)
{
    forget(block);
    __libc_free(block);
}

/* Functions of the C library that allocate for their caller. */
char *strdup(const char *text)
{
    if (is_ours(CALLER) && fails())
        return NULL;
    const size_t size = strlen(text) + 1;
    char *copy = __libc_malloc(size);
    if (copy)
        memcpy(copy, text, size);
    return is_ours(CALLER) ? keep(copy) : copy;
}

char *strndup(const char *text, size_t max)
{
    if (is_ours(CALLER) && fails())
        return NULL;
    const size_t length = strnlen(text, max);
    char *copy = __libc_malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return is_ours(CALLER) ? keep(copy) : copy;
}

int asprintf(char **text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const bool ours = is_ours(CALLER);
    const int length = ours && fails() ? -1 : vasprintf(text, format, arguments);
    va_end(arguments);
    if (ours && length >= 0)
        keep(*text);
    return length;
}

/* the form of asprintf that _FORTIFY_SOURCE uses */
int __asprintf_chk(char **text, int flag, const char *format, ...);
int __asprintf_chk(char **text, int flag, const char *format, ...)
{
    (void)flag;
    va_list arguments;
    va_start(arguments, format);
    const bool ours = is_ours(CALLER);
    const int length = ours && fails() ? -1 : vasprintf(text, format, arguments);
    va_end(arguments);
    if (ours && length >= 0)
        keep(*text);
    return length;
}

#define NEXT(name) ((__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name))

FILE *fopen(const char *path, const char *mode)
{
    return is_ours(CALLER) && fails() ? NULL : NEXT(fopen)(path, mode);
}

FILE *open_memstream(char **text, size_t *size)
{
    return is_ours(CALLER) && fails() ? NULL : NEXT(open_memstream)(text, size);
}

locale_t newlocale(int mask, const char *name, locale_t base)
{
    return is_ours(CALLER) && fails() ? (locale_t)0 : NEXT(newlocale)(mask, name, base);
}
