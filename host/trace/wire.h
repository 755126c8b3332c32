/* The format in which the plugin of Oclgrind writes a trace into a pipe for bankline: records of a
 * fixed size, some of which are followed by text. Both ends run on one computer, so numbers have
 * its byte order.
 *
 * The order of records: an INSTRUCTION before the first access that it makes, a SOURCE before the
 * first KERNEL of its program; KERNEL, GROUP..., KERNEL_END for each launch; in a GROUP an ITEM
 * before accesses of another work-item, and a POSITION before accesses in another position
 * (lockstep.h); a group begins in position 0. Work-items make their k-th ACCESS of an instruction
 * in one position together. Groups that are not sampled are only counted, in KERNEL_END. Several
 * processes may write at the same time: each locks the pipe for a whole launch, which begins with a
 * PROCESS.
 *
 * This header is included by C and C++.
 */
#ifndef BANKLINE_TRACE_WIRE_H
#define BANKLINE_TRACE_WIRE_H

#include <stdint.h>

enum bl_wire_kind {
    BL_WIRE_HELLO = 1, /* number: the process, which numbers its programs and instructions from 0;
                          value: BL_WIRE_VERSION */
    BL_WIRE_SOURCE,    /* number: of the program; text: its source */
    BL_WIRE_KERNEL, /* number: of the program; value: whether local_size_layer.c chose the groups'
                       size; struct bl_wire_kernel, then the name */
    BL_WIRE_INSTRUCTION, /* number: its own; struct bl_wire_instruction, then its file's name, the
                            name of the array and the call sites ("LINE:COLUMN,...", innermost
                            first) that it was inlined through, with a 0 between them */
    BL_WIRE_GROUP,       /* number: work-items of it; value: its index, x fastest */
    BL_WIRE_ITEM,        /* number: local index of the work-item whose accesses follow, x fastest */
    BL_WIRE_ACCESS,      /* number: of the instruction; value: the address */
    BL_WIRE_COPY,        /* async_work_group_copy; value: bytes */
    BL_WIRE_GROUP_END,   /* value: accesses of it that were left out */
    BL_WIRE_KERNEL_END,  /* value: groups that ran, or would have, if number is not 0: the budget
                            had only the first and the last one run */
    BL_WIRE_END,         /* the program ended in order */
    BL_WIRE_OPTIONS,  /* number: of the program, after its SOURCE; text: it was built with them */
    BL_WIRE_THREADS,  /* anywhere; value: host threads, more than one, that launch or make contexts
                       */
    BL_WIRE_POSITION, /* value: the position of the accesses that follow */
    BL_WIRE_IMAGES,   /* value: a group's accesses to images, which have no ACCESS */
    /* Only if BL_WIRE_WORKS is set. value: what the work-item did since its last record: in the
     * lower half the number of instructions, in the upper half the length of the longest chain of
     * dependent ones. bytes: how much this chain adds to the one that began before. number: the
     * instruction whose value is needed next, or BL_WIRE_NONE. reserved: whether an address or a
     * branch depends on that value */
    BL_WIRE_WORK,
    BL_WIRE_BARRIER, /* the whole group has met: all earlier accesses are done */
    BL_WIRE_PROCESS  /* number: the process that the records up to the next PROCESS are from */
};

enum { BL_WIRE_VERSION = 5 };

#define BL_WIRE_NONE UINT32_MAX

/* Environment variables: the pipe (bl_pipe_describe); how many groups to sample between the first
 * and the last one, "all" or a number; how many accesses of a group to send; the budget of time
 * (bl_budget_describe), or unset. */
#define BL_WIRE_DESCRIPTOR "BANKLINE_TRACE_FD"
#define BL_WIRE_BETWEEN "BANKLINE_TRACE_BETWEEN"
#define BL_WIRE_LIMIT "BANKLINE_TRACE_LIMIT"
#define BL_WIRE_BUDGET "BANKLINE_TRACE_BUDGET"

/* 1: send records of work and barriers. */
#define BL_WIRE_WORKS "BANKLINE_TRACE_WORKS"

/* Oclgrind's own variable; 1: run only the first and the last group of each launch. */
#define BL_WIRE_QUICK "OCLGRIND_QUICK"

/* For local_size_layer.c: the maximum number of work-items of a group whose size the program leaves
 * to OpenCL; and the layer's function that says whether it chose a kernel's size: int (const char
 * *name).
 */
#define BL_WIRE_LOCAL_SIZE "BANKLINE_TRACE_LOCAL_SIZE"
#define BL_LOCAL_SIZE_CHOSEN "bl_local_size_chosen"

/* For local_size_layer.c: "UNITS:GROUP:KERNEL:LANES", what the machine's driver answers programs
 * that ask for the device's compute units and largest group, for a kernel's largest group, and for
 * the multiple that it prefers; 0: Oclgrind's own answer. */
#define BL_WIRE_ANSWERS "BANKLINE_TRACE_ANSWERS"

/* The pipe of the layer that reports times (times_layer.c). */
#define BL_TIMES_DESCRIPTOR "BANKLINE_TIMES_FD"

/* FNV-1a hash of a program's text, which identifies it. Spaces are skipped, because OpenCL
 * implementations add some to options. */
static inline uint64_t bl_wire_hash(const char *text)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (; text && *text; text++)
        if (*text > ' ' || *text < 0)
            hash = (hash ^ (unsigned char)*text) * 0x100000001B3u;
    return hash;
}

struct bl_wire_record {
    uint8_t kind;
    uint8_t memory;    /* of an access: enum bl_wire_memory */
    uint8_t operation; /* ... enum bl_wire_operation */
    uint8_t reserved;
    uint32_t number;
    uint64_t bytes; /* of an access, or of what follows this record */
    uint64_t value;
};

enum bl_wire_memory { /* as LLVM numbers OpenCL's address spaces */
                      BL_WIRE_PRIVATE = 0,
                      BL_WIRE_GLOBAL = 1,
                      BL_WIRE_CONSTANT = 2,
                      BL_WIRE_LOCAL = 3
};

enum bl_wire_operation { BL_WIRE_READ, BL_WIRE_WRITE, BL_WIRE_ATOMIC };

struct bl_wire_kernel {
    uint64_t global[3], local[3], groups[3];
};

struct bl_wire_instruction {
    uint32_t line, column;    /* from 1; 0: not known */
    uint32_t components;      /* of the value that it reads or writes; 0: not known */
    uint32_t component_bytes; /* 0: not known */
    uint32_t is_indexed;      /* the address has an index that is not constant */
    uint32_t row_bytes;       /* of the innermost rows of an array that is declared with several
                                 dimensions; 0: it is not, or not known */
};

#endif
