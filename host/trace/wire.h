/* The format in which the plugin of Oclgrind writes a trace into a pipe for bankline: records of a
 * fixed size, some of which are followed by more data. Both ends run on one host, so numbers have
 * its byte order.
 *
 * The order of records: An INSTRUCTION comes before the first access that the instruction makes. A
 * SOURCE comes before the first KERNEL of its program. Each launch is KERNEL, GROUP..., KERNEL_END.
 * In a GROUP, an ITEM comes before accesses or work of another work-item, and a POSITION before
 * accesses in another position (lockstep.h). A group begins in position 0. In each position,
 * work-items make their k-th ACCESS of an instruction together. Groups that are not sampled send
 * only a RAN, and are counted in KERNEL_END. Several processes may write: each process locks the
 * pipe for a whole launch, and begins the launch with a PROCESS.
 *
 * This header is included by C and C++. */
#ifndef BANKLINE_TRACE_WIRE_H
#define BANKLINE_TRACE_WIRE_H

#include <stdint.h>

enum bl_wire_kind {
    BL_WIRE_HELLO = 1,   /* number: the process, which numbers its programs and instructions from 0;
                            value: BL_WIRE_VERSION */
    BL_WIRE_SOURCE,      /* number: the program; text: the program's source */
    BL_WIRE_KERNEL,      /* a launch. number: the program; value: enum bl_wire_layer_flags in the
                            lowest BL_WIRE_LAYER_BITS, and above them the bytes of the transfers
                            that the program enqueued just before the launch without waiting for
                            them; followed by struct bl_wire_kernel and the kernel's name */
    BL_WIRE_INSTRUCTION, /* number: the instruction; followed by struct bl_wire_instruction and
                            three texts with a 0 between them: the name of its file, the name of its
                            array, and the call sites through which it was inlined
                            ("LINE:COLUMN,...", innermost first) */
    BL_WIRE_GROUP,  /* a sampled group. number: its number of work-items; value: its index in the
                       grid, x fastest; bytes: size of its local memory */
    BL_WIRE_ITEM,   /* number: the work-item whose records follow (local index, x fastest) */
    BL_WIRE_ACCESS, /* number: the instruction; value: the address */
    BL_WIRE_COPY,   /* async_work_group_copy; value: bytes */
    /* value: number of the group's accesses that were left out. number: if any were, the number of
     * accesses of each work-item that count, as work-items may have reported more before the group
     * reached its limit. bytes: the arithmetic that was left out: sum of the larger of instructions
     * and chain (WORK) */
    BL_WIRE_GROUP_END,
    BL_WIRE_KERNEL_END, /* value: number of groups that ran; if Oclgrind skipped groups, the number
                           of all groups. number: an enum bl_wire_skipped */
    BL_WIRE_END,        /* the program ended normally */
    BL_WIRE_OPTIONS,    /* number: the program; text: the build options; comes after the program's
                           SOURCE */
    BL_WIRE_THREADS,    /* value: number of host threads that launch kernels or create contexts, if
                           more than one; may come anywhere */
    BL_WIRE_POSITION, /* value: the position of the accesses that follow; bytes: their position if a
                         device's compiler has changed the kernel's loops, or 0 if BL_WIRE_WORKS is
                         not set */
    BL_WIRE_IMAGES,   /* value: number of a group's accesses to images, which send no ACCESS. bytes:
                         1 if the group called printf */
    /* What the work-item did since its last record, without what an earlier lane of its sub-group
     * did in the same position; sent only if BL_WIRE_WORKS is set. value: the number of
     * instructions (lower half), and the length of the longest chain of dependent
     * instructions (upper half). bytes: the most that the work adds to a chain that began before
     * it. number: the instruction whose value is needed next, or BL_WIRE_NONE. reserved: an
     * enum bl_wire_wait */
    BL_WIRE_WORK,
    BL_WIRE_BARRIER, /* all work-items of the group have met: all earlier accesses are done */
    BL_WIRE_PROCESS, /* number: the process that writes the records up to the next PROCESS */
    BL_WIRE_HOST, /* the host wrote global memory between launches; value: the address; bytes: how
                     many. Sent only if BL_WIRE_WORKS is set */
    /* Comes before the KERNEL of a launch that the device begins only after the host has copied
     * data or computed, since the last launch or the last transfer for which the program did not
     * wait. value: the bytes that the program has transferred and waited for, those of the buffers
     * with initial data that it has created, and those of buffers with initial data of which this
     * launch is the first use: a driver copies initial data twice. bytes: for how many ns the
     * program computed. Sent only if BL_WIRE_WORKS is set */
    BL_WIRE_HOST_WORK,
    /* A group has run, whether it was sampled or not. value: its index; bytes: the number of
     * instructions that the busiest work-item of each of its sub-groups executed, summed over
     * sub-groups. Sent only if BL_WIRE_WORKS is set */
    BL_WIRE_RAN
};

enum { BL_WIRE_VERSION = 27 };

#define BL_WIRE_NONE UINT32_MAX

/* Environment variables, in this order: the pipe (bl_pipe_describe); how many groups to sample
 * between the first and the last, "all" or a number; the maximum number of accesses to send per
 * group; the time budget (bl_budget_describe), unset if there is none. */
#define BL_WIRE_DESCRIPTOR "BANKLINE_TRACE_FD"
#define BL_WIRE_BETWEEN "BANKLINE_TRACE_BETWEEN"
#define BL_WIRE_LIMIT "BANKLINE_TRACE_LIMIT"
#define BL_WIRE_BUDGET "BANKLINE_TRACE_BUDGET"

/* The number of lanes of a sub-group. If it is not 0, the plugin also sends records of work and of
 * writes by the host. */
#define BL_WIRE_WORKS "BANKLINE_TRACE_WORKS"

/* Oclgrind's own variable. If 1, Oclgrind runs only the first and the last group of each launch,
 * unless the plugin chooses others. */
#define BL_WIRE_QUICK "OCLGRIND_QUICK"

/* For local_size_layer.c, "ITEMS:DIMENSIONS:LEAST:MOST": the maximum number of work-items in a
 * group whose size the program leaves to OpenCL, and the number of dimensions in which the layer
 * may choose it. If no divisor of the size along x up to ITEMS is at least LEAST, the layer may
 * choose a divisor up to MOST. */
#define BL_WIRE_LOCAL_SIZE "BANKLINE_TRACE_LOCAL_SIZE"

/* The function of local_size_layer.c that the plugin calls when Oclgrind begins a launch: uint64_t
 * (const char *kernel, struct bl_wire_host_work *work). It returns the value of BL_WIRE_KERNEL. */
#define BL_LAUNCH_BEGINS "bl_launch_begins"

/* What the program has done since its last launch, or since its last transfer for which it did not
 * wait. */
struct bl_wire_host_work {
    uint64_t copied;      /* bytes that it transferred and waited for, or gave as initial data */
    uint64_t computed_ns; /* how long it computed, roughly; 0 if less than 0.1 ms */
};

enum { BL_WIRE_LAYER_BITS = 8 };

enum bl_wire_layer_flags {
    BL_WIRE_LOCAL_CHOSEN = 1,  /* the layer chose the kernel's group size */
    BL_WIRE_UNITS_MISSING = 2, /* the program has queried the number of compute units, which the
                                  machine file does not state */
    /* The program has not waited for the device since it enqueued the previous launch. */
    BL_WIRE_QUEUED = 4,
    /* This is the first launch of its context, or the host has built a program since the last
     * launch. */
    BL_WIRE_IDLE = 8,
    /* Since then, the device has filled, copied or transferred, so it is awake. */
    BL_WIRE_WORKED = 16
};

/* For local_size_layer.c: the answers of the machine's driver to programs, as
 * "UNITS:GROUP:KERNEL:LANES": the device's compute units, its largest group, a kernel's largest
 * group, and a kernel's preferred multiple of the group size. If a field is 0, the program gets
 * Oclgrind's own answer. */
#define BL_WIRE_ANSWERS "BANKLINE_TRACE_ANSWERS"

/* The pipe of the layer that reports times (times_layer.c). */
#define BL_TIMES_DESCRIPTOR "BANKLINE_TIMES_FD"

/* The FNV-1a hash of a program's source or options, by which timed launches are matched with traced
 * kernels. Skips white space, because OpenCL implementations add spaces to options. */
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
    uint8_t memory;    /* of an access; an enum bl_wire_memory */
    uint8_t operation; /* of an access; an enum bl_wire_operation */
    uint8_t reserved;
    uint32_t number;
    uint64_t bytes; /* size of an access, or of the data that follows this record; for some kinds,
                       see above */
    uint64_t value;
};

enum bl_wire_memory { /* as LLVM numbers OpenCL's address spaces */
                      BL_WIRE_PRIVATE = 0,
                      BL_WIRE_GLOBAL = 1,
                      BL_WIRE_CONSTANT = 2,
                      BL_WIRE_LOCAL = 3,
                      /* constant memory of arrays that the program itself declares; not a number
                         of LLVM's */
                      BL_WIRE_DECLARED
};

/* Flags of a load whose value is needed. */
enum bl_wire_wait {
    BL_WIRE_FIRM = 1,     /* an address or a branch depends on the value */
    BL_WIRE_ROLLED = 2,   /* the load is in a loop that a compiler does not unroll, or its value
                             is needed in an iteration of a loop's remainder, which runs alone; or
                             may_change is 1, so the load cannot begin before the last iteration's
                             branch */
    BL_WIRE_UNROLLED = 4, /* the load is in a loop that a compiler unrolls completely */
    BL_WIRE_BEHIND = 8,   /* within its loop, the load is behind a branch that a device executes */
    BL_WIRE_EARLY = 16    /* the load's address depends only on counters of its loop, on functions
                             that return the same for all work-items, and on what was computed
                             before the loop; and a device executes no branch of the loop */
};

/* Why groups that Oclgrind skipped did not run elsewhere. */
enum bl_wire_skipped {
    BL_WIRE_RAN_ALL,       /* all ran, by Oclgrind or by the server of cl/native.h */
    BL_WIRE_SHORTENED,     /* because of the time budget */
    BL_WIRE_QUICK_LEFT_OUT /* because of --quick */
};

enum bl_wire_operation { BL_WIRE_READ, BL_WIRE_WRITE, BL_WIRE_ATOMIC };

struct bl_wire_kernel {
    uint64_t global[3], local[3], groups[3];
};

/* What a compiler knows of an access's index. A compiler keeps a private array in registers only if
 * it knows every index, or all but a few (is_in_memory in streams.c). */
enum bl_wire_index {
    BL_WIRE_INDEX_CONSTANT,
    BL_WIRE_INDEX_KNOWN,   /* constant in each iteration of short loops, which a compiler unrolls */
    BL_WIRE_INDEX_UNSURE,  /* a pointer that moves in a loop */
    BL_WIRE_INDEX_DYNAMIC, /* known only when the kernel runs */
    BL_WIRE_INDEX_UNIFORM  /* like DYNAMIC, but the same for all work-items of a sub-group that make
                              the access together; only for atomics */
};

enum bl_wire_exchange {
    BL_WIRE_NO_EXCHANGE,
    BL_WIRE_EXCHANGE_ONCE,   /* a compare-and-exchange */
    BL_WIRE_EXCHANGE_RETRIED /* one that a loop repeats until it succeeds */
};

struct bl_wire_instruction {
    uint32_t line, column; /* counted from 1; 0 if not known */
    uint32_t components;   /* of the value that the instruction reads or writes; 0 if not known */
    uint32_t component_bytes; /* 0 if not known */
    uint32_t index;           /* enum bl_wire_index */
    uint32_t row_bytes; /* size of an innermost row, if the compiled code shows that the array has
                           several dimensions; else 0 */
    /* For a load from an array that the kernel declares in local memory: the largest power of two,
     * up to BL_WIRE_MOST_ALIGNED, that divides the address without its constant part, as far as a
     * compiler knows. 0 for other accesses, and if a compiler does not join this load with loads of
     * neighbouring elements. */
    uint32_t aligned_bytes;
    uint32_t is_gathered; /* the address depends on a value that work-items load from memory, each
                             its own */
    /* How many copies of the access a compiler runs at once: iterations of its innermost loop, four
     * times as many if it is unrolled twice; and, if it is unrolled completely, iterations of the
     * loops around it. At most 255; 0 if the access is in no loop. */
    uint32_t at_once;
    /* The alignment in bytes that the compiler knows, if it is less than the value's own: that of a
     * component for vloadn and vstoren, 1 for members of packed structures. 0 for others. */
    uint32_t alignment;
    uint32_t exchange; /* enum bl_wire_exchange */
    /* 1 if a compiler moves the load or store out of its innermost loop: its address is the same in
     * all iterations, and no other access of the loop may interfere. */
    uint32_t is_once;
    /* 1 for a load of which a register does not keep the value for the next iteration of its
     * innermost loop, because a store or an atomic behind a branch may have changed it. */
    uint32_t may_change;
    /* 1 for a load that a compiler moves above the stores of its innermost loop's earlier
     * iterations, if it runs several iterations at once. */
    uint32_t passes_stores;
    uint32_t is_volatile; /* 1 for a load or store that a register cannot replace */
    /* 1 for an atomic that one lane can do for all lanes that update the same word: additions, and,
     * if the old value is not used, minima, maxima and bitwise operations. */
    uint32_t is_combined;
    /* 1 for an atomic that adds 1 to 32 bits and whose old value is not used: NVIDIA's devices have
     * an instruction for it that updates each distinct word of local memory once. */
    uint32_t counts_lanes;
    /* 1 for a load or store of which a compiler cannot tell whether two iterations access the same
     * memory: in its innermost loop that is not unrolled completely, the address depends on
     * anything but counters, and values computed before the loop, that are added and multiplied. */
    uint32_t is_irregular;
};

#define BL_WIRE_OR \
    " or " /* between the names of arrays, to one of which an access's pointer leads */

enum { BL_WIRE_MOST_ALIGNED = 16 }; /* bytes of the widest load of a work-item */

#endif
