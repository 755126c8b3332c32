/* Makes synthetic traces, byte by byte, in the format that the Oclgrind plugin writes. */
#ifndef BANKLINE_TESTS_TRACE_STREAM_H
#define BANKLINE_TESTS_TRACE_STREAM_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/reader.h"

/* The address of the first buffer. The nth buffer is at n times this address. */
static const uint64_t buffer = (uint64_t)1 << BL_BUFFER_BITS;

static uint8_t stream[1 << 22];
static size_t stream_bytes;
static struct bl_trace trace;
static struct bl_error error;

static inline void put_bytes(const void *bytes, size_t count)
{
    cr_assert_leq(stream_bytes + count, sizeof stream);
    memcpy(stream + stream_bytes, bytes, count);
    stream_bytes += count;
}

static inline void put(uint8_t kind, uint32_t number, uint64_t bytes, uint64_t value)
{
    const struct bl_wire_record record = {
        .kind = kind, .number = number, .bytes = bytes, .value = value};
    put_bytes(&record, sizeof record);
}

static inline void put_hello(void) { put(BL_WIRE_HELLO, 0, 0, BL_WIRE_VERSION); }

static inline void put_source(uint32_t number, const char *text)
{
    put(BL_WIRE_SOURCE, number, strlen(text), 0);
    put_bytes(text, strlen(text));
}

static uint32_t index_of_stream; /* enum bl_wire_index of the instructions that follow */

/* Of the instructions that follow. */
static enum bl_wire_exchange exchange_of_stream;
static bool is_volatile_of_stream, is_combined_of_stream, counts_lanes_of_stream,
    may_change_of_stream, is_irregular_of_stream;
static uint32_t aligned_bytes_of_stream, alignment_of_stream;

static inline void put_instruction(uint32_t number, uint32_t line, uint32_t components,
                                   const char *file)
{
    const struct bl_wire_instruction told = {.line = line,
                                             .components = components,
                                             .component_bytes = 4,
                                             .index = index_of_stream,
                                             .aligned_bytes = aligned_bytes_of_stream,
                                             .alignment = alignment_of_stream,
                                             .exchange = exchange_of_stream,
                                             .may_change = may_change_of_stream,
                                             .is_volatile = is_volatile_of_stream,
                                             .is_combined = is_combined_of_stream,
                                             .counts_lanes = counts_lanes_of_stream,
                                             .is_irregular = is_irregular_of_stream};
    put(BL_WIRE_INSTRUCTION, number, sizeof told + strlen(file), 0);
    put_bytes(&told, sizeof told);
    put_bytes(file, strlen(file));
}

/* Records the beginning of a launch with a single group of width x height work-items. */
static inline void put_kernel(uint32_t program, const char *name, uint64_t width, uint64_t height)
{
    const struct bl_wire_kernel told = {{width, height, 1}, {width, height, 1}, {1, 1, 1}};
    put(BL_WIRE_KERNEL, program, sizeof told + strlen(name), 0);
    put_bytes(&told, sizeof told);
    put_bytes(name, strlen(name));
}

static inline void put_group(uint32_t items) { put(BL_WIRE_GROUP, items, 0, 0); }

static uint32_t item_of_stream; /* the work-item whose records follow */

static inline void put_item(uint32_t item)
{
    item_of_stream = item;
    put(BL_WIRE_ITEM, item, 0, 0);
}

static inline void put_access(uint32_t instruction, uint8_t memory, uint8_t operation,
                              uint64_t bytes, uint64_t address)
{
    const struct bl_wire_record record = {.kind = BL_WIRE_ACCESS,
                                          .memory = memory,
                                          .operation = operation,
                                          .number = instruction,
                                          .bytes = bytes,
                                          .value = address};
    put_bytes(&record, sizeof record);
}

/* Records the work of a work-item since its previous record: the number of instructions (issued),
 * and the longest chain of dependent ones. Then the work-item waits for the value of instruction
 * `load`. is_firm: an address or a branch depends on this value. */
static inline void put_own_work(uint32_t load, uint32_t issued, uint32_t chain, bool is_firm)
{
    const struct bl_wire_record record = {.kind = BL_WIRE_WORK,
                                          .reserved = is_firm,
                                          .number = load,
                                          .value = (uint64_t)chain << 32 | issued};
    put_bytes(&record, sizeof record);
}

/* The same, for work that all lanes of a sub-group execute together: it counts for the first lane.
 */
static inline void put_work(uint32_t load, uint32_t issued, uint32_t chain, bool is_firm)
{
    const bool is_first = item_of_stream % 32 == 0;
    put_own_work(load, is_first ? issued : 0, is_first ? chain : 0, is_firm);
}

static inline void put_end(void)
{
    put(BL_WIRE_GROUP_END, 0, 0, 0);
    put(BL_WIRE_KERNEL_END, 0, 0, 1);
    put(BL_WIRE_END, 0, 0, 0);
}

/* Reads the first `bytes` bytes of the stream for a machine. */
static inline enum bl_status read_some(const char *machine, size_t bytes)
{
    FILE *file = tmpfile();
    cr_assert(file && fwrite(stream, 1, bytes, file) == bytes && fflush(file) == 0);
    cr_assert_eq(lseek(fileno(file), 0, SEEK_SET), 0);
    trace = (struct bl_trace){0};
    error = (struct bl_error){0};
    cr_assert_eq(bl_machine_find(machine, &trace.machine, &error), BL_OK);
    const struct bl_trace_progress progress = {0};
    const enum bl_status status = bl_trace_read(fileno(file), &progress, &trace, &error);
    fclose(file);
    return status;
}

static inline enum bl_status read_all(const char *machine)
{
    return read_some(machine, stream_bytes);
}

/* Begins a trace of one program and a launch of its kernel. Instruction 0 is in line 1, instruction
 * 1 in line 2, and so on. */
static inline void begin(unsigned instructions, unsigned components, uint64_t width,
                         uint64_t height)
{
    stream_bytes = 0;
    put_hello();
    put_source(0, "one\ntwo\nthree\nfour\n");
    for (unsigned i = 0; i < instructions; i++)
        put_instruction(i, i + 1, components, "input.cl");
    put_kernel(0, "kernel", width, height);
    put_group((uint32_t)(width * height));
}

/* Ends a trace of one group, and reads it. */
static inline void read_trace(const char *machine)
{
    put_end();
    cr_assert_eq(read_all(machine), BL_OK, "%s", error.sentence);
}

/* Traces `rounds` reads of line 1 by 32 lanes. Neighbouring lanes are `apart` bytes apart, and a
 * lane's reads in consecutive rounds are `step` bytes apart. */
static inline void trace_reads(uint8_t memory, unsigned rounds, uint64_t apart, uint64_t step)
{
    begin(1, 1, 32, 1);
    for (unsigned item = 0; item < 32; item++) {
        put_item(item);
        for (unsigned k = 0; k < rounds; k++)
            put_access(0, memory, BL_WIRE_READ, 4, buffer + apart * item + step * k);
    }
    read_trace("nvidia-hopper");
}

#endif
