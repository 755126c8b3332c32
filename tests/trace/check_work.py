#!/usr/bin/env python3
"""Checks how many instructions of a device the plugin counts for a kernel's work: check_work.py PLUGIN RUN_KERNEL KERNELS

Runs the kernel `work` in many cases. Compares how many instructions two cases take and how long their chains of
dependent instructions are, and checks what the plugin reports about loops, loads and addresses. Also checks how it
reports the host's writes, and how much work it reports of each group."""

import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from check_trace import GROUP_END, INSTRUCTION, KERNEL, OPTIONS, RECORD, SOURCE, instruction_at, stream_of

WORK, HOST, RAN, ACCESS, ATOMIC, PRIVATE = 16, 19, 21, 7, 2, 0
READ, GLOBAL, LOCAL = 0, 1, 3
# What is tested, two cases of the kernel, and how many more instructions the second one takes.
PAIRS = [
    ("a product takes one instruction", 0, 1, 1),
    ("the counter of a short loop takes no instruction", 2, 3, 0),
    ("a condition that depends only on the counter of a short loop takes no instruction", 5, 4, 0),
    ("elements at constant distances share an address; the mask is combined with the distance", 5, 6, 3 - 1),
    ("elements at other distances do not share an address", 5, 7, 1 + 3 + 2 * 4),
    ("what does not change in a loop is computed once; exclusive ors and comparisons start at half the rate",
     8, 9, 2 * (64 * (4 + 1) + 1) - (20 + 64 * 2 + 5)),
    ("a called function takes no more than its body", 10, 11, 0),
    ("a loop with an unknown end has a beginning, and one instruction counts and branches", 8, 12, 20 + 64 * 2 + 1),
    ("a loop whose end cannot be computed has no beginning, and compares numbers of 64 bits",
     8, 15, 32 * (1 + 1 + 2 + 1) + 3 - (20 + 64 * 2)),
    ("a loop whose counter may wrap around has no beginning, even if its end is known",
     8, 19, 64 * (1 + 1 + 2 + 1) + 6 + 2 + 2 - (20 + 64 * 2)),
    ("rows and columns are different addresses", 20, 21, 1),
    ("a short loop may begin anywhere", 2, 22, 0),
    ("a loop whose step is not constant has no beginning", 8, 25, 64 * (1 + 3) + 4 - (20 + 64 * 2)),
    ("a loop has a beginning if its end is computed in each iteration, always with the same result",
     15, 26, 20 + 32 * 2 - 32 * 5 - 2),
    ("the iterations that are left over run before the others, with a beginning of their own", 8, 23, 3 * 2 + 20 + 2),
    ("a loop that counts down takes as many instructions as one that counts up", 23, 40, 0),
    ("a loop that includes its end takes as many instructions as one that does not", 23, 41, 0),
    ("a loop whose counter has a larger step takes one instruction more", 23, 42, 1),
    ("a loop that counts down and includes its end takes as many, too", 23, 43, 0),
    ("a loop with a larger step that includes its end takes two instructions more, besides its exclusive ors",
     23, 44, 67 + 2),
    ("lanes that diverge take the time of both paths", 8, 24, 4 + 3),
    ("eight conversions between integers and floats keep the special-function unit busy", 0, 27, 8 * 4 - 4),
    ("conversions to and from 16 bits keep the special-function unit busy twice as long", 0, 86, 2 * 8 - 4),
    ("rounding keeps the special-function unit busy as long as a conversion to 16 bits", 0, 87, 8 - 4),
    ("a count of bits keeps the special-function unit busy as long as rounding", 0, 88, 8 - 4),
    ("a product of doubles takes two instructions; the conversions to and from double take one each", 0, 28, 4 * 2 + 2),
    ("a multiply-add of doubles takes two instructions, too", 0, 29, 4 * 2 + 2),
    ("a division of integers by an unknown number takes 31 instructions", 8, 30, 64 * 31),
    ("a division of unsigned integers by an unknown number takes 28 instructions", 8, 39, 64 * 28),
    ("a division of integers by a number that does not change in the loop takes 20 instructions", 8, 89, 64 * (20 - 1)),
    ("a division of unsigned integers by a number that does not change in the loop takes 15 instructions",
     8, 90, 64 * (15 - 1)),
    ("a division of floats by a number that does not change in the loop takes 2 instructions", 8, 91, 64 * (2 - 1)),
    ("a division of floats by a constant takes 1 instruction", 8, 92, 0),
    ("an absolute value takes no instruction", 1, 93, 0),
    ("a selection that leaves a value or changes it takes no instruction, but its comparison and a product do",
     0, 94, 3),
    ("a selection that leaves a value or changes it by a constant takes none, but its comparison does", 0, 113, 2),
    ("four minima start at half the rate", 0, 95, 2 * 4 - 4),
    ("two of three bitwise operations take one instruction together", 0, 96, 2),
    ("a power takes fewer instructions if its base is constant", 81, 82, 35 - 93),
    ("a power takes fewer instructions if its base is 2", 82, 184, 22 - 35),
    ("a power takes fewer instructions if its base does not change in the loop; and if several iterations of this loop "
     "run at once, its counter takes one less", 186, 185, 64 * (42 - 93 - 1)),
    ("a power with the exponent 2 takes 4 instructions", 0, 97, 4),
    ("the length of a vector of four components takes 60 instructions in all", 0, 98, 60),
    ("the length of a vector of two components takes 33", 0, 226, 33),
    ("a division of unsigned integers of 64 bits takes 128 instructions; a product takes 6", 218, 219, 128 - 6),
    ("a division of integers of 64 bits takes 148", 219, 220, 148 - 128),
    ("a division of 64-bit integers that are probably below 2^32 takes 34", 221, 222, 34 - 2),
    ("a division of 64-bit integers by a constant takes 28", 223, 224, 28 - 6),
    ("the upper half of a product of 64-bit integers takes 20", 218, 225, 20 - 6),
    ("a dot product of doubles takes two instructions for each component; the conversions take one each", 0, 227, 4 * 2 + 2),
    ("four sines keep their unit busy", 13, 14, 4 * 8 - (2 + 6)),
]

# What is tested, a case, a flag of the plugin (enum bl_wire_wait), and whether a wait for a load of local memory has it.
FIRM, ROLLED, UNROLLED, BEHIND, EARLY = 1, 2, 4, 8, 16
FLAGS = [
    ("a branch after the loop needs only the last value", 128, FIRM, False),
    ("a branch in the loop needs the value in each iteration", 129, FIRM, True),
    ("the next address of an outer loop needs the value of the inner loop", 130, FIRM, True),
    ("a copied structure may lead to an address", 125, FIRM, True),
    ("a short loop is unrolled completely", 6, UNROLLED, True),
    ("a long loop is not unrolled completely", 18, UNROLLED, False),
    ("a loop with an unknown end is not unrolled completely", 17, UNROLLED, False),
    ("a loop whose end can be computed is unrolled in part", 17, ROLLED, False),
    ("a loop whose counter may wrap around is not unrolled", 16, ROLLED, True),
    ("a loop of which the work-items run different numbers of iterations is unrolled in part", 64, ROLLED, False),
    ("an iteration that is left over runs by itself", 66, ROLLED, True),
    ("the same, if the loop is unrolled completely", 201, ROLLED, False),
    ("a loop is unrolled in part if its end depends on the work-item's id, even if each iteration computes it",
     202, ROLLED, False),
    ("a loop that reads its end again in each iteration is not unrolled", 65, ROLLED, True),
    ("a store behind a branch keeps the next load behind it", 167, ROLLED, True),
    ("so does a function that has branches", 228, ROLLED, True),
    ("a function without branches does not", 229, ROLLED, False),
    ("a store behind a branch to another array does not", 166, ROLLED, False),
    ("a loop is unrolled in part if its step is computed before it begins", 99, ROLLED, False),
    ("a loop whose step is computed in each iteration is not unrolled", 100, ROLLED, True),
    ("a loop with an unsigned counter, which may wrap around, is not unrolled", 101, ROLLED, True),
    ("a branch around few instructions is not executed", 51, BEHIND, False),
    ("a branch around many instructions is executed; loads behind it are waited for before its end", 52, BEHIND, True),
    ("the address of an element depends on the counter alone", 17, EARLY, True),
    ("the address of an element depends on the element before", 83, EARLY, False),
    ("a branch that is executed keeps loads of later iterations behind it", 189, EARLY, False),
    ("a branch that is not executed does not", 190, EARLY, True),
    ("a branch that skips little but the computation of an address is not executed", 195, EARLY, True),
    ("a branch outside loops does not keep loads from being in flight together", 53, BEHIND, False),
]

# What is tested, a case, and the largest `aligned_bytes` and `at_once` of the loads of local memory.
LOADS = [
    ("four neighbours", 47, (16, 4)),
    ("an odd distance", 48, (4, 4)),
    ("two neighbours", 49, (8, 4)),
    ("a mask leaves multiples; constants do not matter", 50, (16, 4)),
    ("iterations that a compiler runs at once", 17, (16, 16)),
    ("a loop that is not unrolled", 16, (4, 1)),
    ("a loop of which two iterations are run at once", 54, (8, 2)),
    ("a loop whose iterations call a long function is not unrolled", 120, (4, 1)),
    ("a loop whose iterations call a long function of the program", 123, (4, 1)),
    ("a loop whose iterations call a long function of vectors is unrolled less", 124, (8, 2)),
    ("a loop whose iterations call a short function", 121, (16, 16)),
    ("a loop whose iterations divide floats", 230, (16, 4)),
    ("a loop whose iterations divide integers", 233, (16, 4)),
    ("a short loop with an unsigned counter in a sum", 234, (4, 4)),
    ("a short loop with an unsigned counter that is only extended", 235, (16, 16)),
    ("a short loop with a counter of 64 bits", 236, (16, 4)),
    ("loads behind a branch, even if it is not executed", 51, (0, 16)),
    ("members of a structure", 55, (8, 0)),
    ("a pointer to bytes", 56, (16, 4)),
    ("a loop of many iterations that is unrolled completely", 57, (16, 64)),
    ("a loop whose counter has a larger step", 60, (16, 16)),
    ("a sum written as a bitwise or", 61, (16, 4)),
    ("rows, of which each work-item begins with a different one", 62, (0, 64)),
    ("rows, of which all work-items begin with the same one", 63, (16, 64)),
    ("a short loop in a short loop", 203, (4, 12)),
    ("a short loop in one with an unknown end", 204, (4, 12)),
    ("a loop with an unknown end in another one", 205, (4, 16)),
    ("beside a loop that data end, which keeps the loop around it from being unrolled", 206, (4, 1)),
    ("a loop whose end 96 operations compute from the work-item's id in each iteration", 207, (4, 1)),
]


# What is tested, a case, and the largest enum bl_wire_index of the addresses of atomics and of accesses to private
# memory.
CONSTANT, KNOWN, DYNAMIC, UNIFORM = 0, 1, 3, 4
INDICES = [
    ("the beginning of an array is constant", 31, CONSTANT),
    ("an element that depends on data is known only when the kernel runs", 32, DYNAMIC),
    ("a choice of two elements is known only when the kernel runs", 33, DYNAMIC),
    ("the argument of a function that several calls share is known only when the kernel runs", 34, DYNAMIC),
    ("the counter of a short loop is known when the loop is unrolled", 35, KNOWN),
    ("an element of a constant table is known, too", 36, KNOWN),
    ("an element of an array in local memory is not known, but the same for all lanes", 37, UNIFORM),
    ("the minimum of known numbers is known", 38, KNOWN),
    ("a function may access its caller's array in private memory", 45, KNOWN),
    ("data may choose an element of an array in private memory", 46, DYNAMIC),
    ("a loop in a function ends at a constant if the callers pass constants", 67, KNOWN),
    ("the end of a loop in a function is not known if one of the callers passes another number", 68, DYNAMIC),
    ("a long loop in a function is not unrolled", 69, DYNAMIC),
    ("a loop of few instructions in all of its iterations is unrolled", 119, KNOWN),
    ("two loops, one in the other, are unrolled only if all instructions together are few", 122, DYNAMIC),
    ("a number that a short loop changes by constants is known", 102, KNOWN),
    ("the counter of a loop up to such a number is known, too", 103, KNOWN),
    ("the counter of a loop up to an unknown number is not known, but the same for all lanes", 104, UNIFORM),
    ("an argument is the same for all lanes, behind a branch, too", 105, UNIFORM),
    ("an element at an index that is the same for all lanes is the same for all lanes, too", 106, UNIFORM),
    ("a number that only some lanes change is not the same for all lanes", 107, DYNAMIC),
    ("a counter after its loop is not the same for all lanes if they left the loop at different times", 108, DYNAMIC),
    ("a counter after its loop is not known, even if the loop has a known end", 109, DYNAMIC),
    ("the counter of a loop that the program unrolls is known", 114, KNOWN),
    ("a number that is 0 first and then 1 is not known if the loop's end depends on data", 117, DYNAMIC),
    ("a number whose changes depend on data is not known, even if it is compared with a constant", 110, DYNAMIC),
    ("a number whose changes depend on data is not known, even if it is compared with a known number", 111, DYNAMIC),
    ("the counter of a loop whose end depends on data is not known, even if it is compared in the loop", 112, DYNAMIC),
]

# What is tested, two cases, and how much longer the chain of dependent instructions is in the second one, in additions
# of floats. A difference of a few is due to the first or the last iteration; 26 and 27 are those of a loop's entry.
CHAINS = [
    ("a division takes as long as 12 additions", 0, 70, 12),
    ("a root takes as long as 9 additions", 0, 71, 9),
    ("a function of the special-function unit takes as long as 5 additions", 0, 72, 5),
    ("a comparison takes as long as 3 additions, the selection of a factor and the product as 1 each",
     0, 73, 3 + 1 + 1),
    ("a branch around ten instructions is executed; the loop is not unrolled twice", 8, 74, 64 * (3 + 6) - 27),
    ("the ten instructions begin behind the branch", 74, 75, 64 * 10),
    ("lanes that compare with different numbers diverge", 75, 80, 64 * 5 + 5),
    ("a branch around eight instructions is not executed, but they wait for the comparison; the loop is not unrolled "
     "twice", 76, 77, 64 * 3 - 27),
    ("a branch around four instructions and a branch is not executed", 8, 115, 64 * 2 + 1),
    ("a branch around six instructions and a branch is executed; the loop is not unrolled twice",
     115, 116, 64 * (3 + 6) - 27 - 1),
    ("a branch around a loop is executed, and the loop entered", 8, 118, 64 * (3 + 6 + 26) - 26 - 27 + 2),
    ("a loop with a second end waits for its condition in each iteration, but not when it is entered",
     8, 78, 64 * (3 + 4) - 26 - 27 + 1),
    ("a loop that is not unrolled counts, compares and branches before the next iteration", 8, 84, 64 * (2 + 4 + 2 - 1) - 26 - 27 + 1),
    ("a loop whose step is not constant is not unrolled, either", 8, 25, 64 * (1 + 4 + 2 - 1) - 26 - 27 + 8),
    ("what is compared depends on the iteration before", 8, 85, 64 * (1 + 5 + 3 + 4 - 1) - 26 - 27 + 5),
    ("a loop with two iterations is entered", 0, 196, 1 + 26 + 2),
    ("a loop with four iterations is unrolled twice", 0, 197, 1 + 26 + 27 + 4),
    ("a loop that is in another one is entered in each of its iterations", 0, 198, 3 + 3 * (26 + 2)),
    ("a branch waits for arithmetic on which it does not depend", 199, 200, 6 + 1),
    ("a sine has branches, so a second one begins behind it", 139, 140, 24 + 2),
    ("a second logarithm begins beside the first one, after an addition", 141, 142, 1 + 1),
    ("conversions to and from double take as long as 5 additions each, a product of doubles as 2", 0, 79, 5 + 2 + 5),
]


# What is tested, a case, and for how many loads of local memory the sub-group waits.
WAITS = [
    ("a member of a structure is waited for where it is used", 125, 1),
    ("a member of a copy is waited for where it is used", 126, 1),
    ("a structure is not waited for where a member is only set", 127, 0),
    ("a member that is passed with its structure's address is waited for", 131, 1),
]


# What is tested, a case, and how many loads of local memory a lane makes before it waits for one.
AHEAD = [
    ("values that are put into an array in registers", 193, 4),
    ("values that are put into an array in memory", 194, 1),
]


# What is tested, a case, and whether a compiler moves a load of local memory out of its loop.
ONCE = [
    ("each iteration reads the same element", 132, True),
    ("each iteration reads another element", 17, False),
    ("iterations write to the same memory", 133, False),
    ("iterations write to another memory", 134, True),
    ("the load is behind a branch", 135, False),
    ("other work-items may write before a barrier", 136, False),
    ("data may end the loop", 137, True),
    ("iterations change the same memory with atomics", 138, False),
]


# What is tested, a case, and whether a load or store of global memory is volatile.
VOLATILE = [
    ("a volatile load", 149, True),
    ("a volatile store", 150, True),
    ("other accesses", 143, False),
]


# What is tested, a case, and whether one lane can do an atomic for all.
COMBINED = [
    ("a maximum", 151, True),
    ("a maximum, the old value of which is used", 152, False),
    ("an addition, the old value of which is used", 153, True),
    ("an exchange", 154, False),
]


# What is tested, a case, and the enum bl_wire_exchange of its atomic.
EXCHANGES = [
    ("compare and exchange until it succeeds", 146, 2),
    ("compare and exchange once", 147, 1),
    ("an addition in a loop", 148, 0),
]

# What is tested, a case, and whether an instruction for counting can do an atomic of local memory.
COUNTING = [
    ("an increment", 208, True),
    ("an addition of 1", 209, True),
    ("an addition of 2", 210, False),
    ("an increment whose old value is used", 211, False),
]

# What is tested, a case, and whether the address of a load changes irregularly from iteration to iteration.
IRREGULAR = [
    ("a counter", 17, False),
    ("some bits of a counter", 212, True),
    ("a loaded value", 213, True),
    ("a counter, and bits of the counter of a loop that is unrolled completely", 214, False),
    ("a counter whose step is not constant", 215, False),
    ("a counter that is halved", 216, True),
    ("a counter that is divided", 217, True),
    ("a list, in a loop that is unrolled completely", 231, True),
    ("a counter from which each iteration subtracts", 232, False),
    ("some bits of a counter, in a loop that is unrolled completely", 6, False),
]

# What is tested, a case, and whether a load of global or local memory may read another value in the next iteration,
# because of a store that is behind a branch.
CHANGING = [
    ("a store behind a branch", 161, True),
    ("a store behind a branch to another memory", 162, False),
    ("a store in every iteration", 163, False),
    ("a store behind a branch to the same address", 164, False),
    ("an atomic behind a branch", 165, True),
    ("a store behind a branch to another array", 166, False),
    ("a store behind a branch to the same array", 167, True),
    ("a store behind a branch, but the load is `restrict`", 168, False),
    ("a store behind a branch through the same pointer, which is `restrict`", 172, True),
    ("a store behind a branch after the loop", 169, False),
]

# What is tested, a case, and whether a compiler moves loads of the next iterations above the loop's stores. The first
# four are of global memory.
PASSING = [
    ("a load and a store of one element", 173, True),
    ("a load of another array", 163, False),
    ("a load through a `restrict` pointer", 174, True),
    ("a load through a `restrict` pointer that is also written", 175, False),
    ("elements of local memory at a constant distance", 176, True),
    ("elements at a distance that the compiler does not know", 177, False),
    ("elements at a distance that changes with the counter", 178, False),
    ("the same element, at a distance that an argument decides from one iteration to the next", 179, False),
    ("two arrays in local memory", 180, False),
    ("a barrier", 181, False),
    ("an element that data choose", 182, False),
    ("a pointer that moves by constants", 183, True),
    ("an index to which a bitwise or may add nothing", 191, False),
    ("an index whose lowest bit a bitwise or sets", 192, True),
    ("a loop without stores", 17, False),
]

# What is tested, a case, and the alignments, other than a value's own, of the accesses to global memory.
UNALIGNED = [
    ("vload2", 143, [4]),
    ("an element of an array of vectors", 144, []),
    ("vload_half2, whose components are converted", 145, []),
    ("a member of a packed structure", 159, [1]),
    ("a store to a member of a packed structure that is aligned to 2 bytes", 160, [2]),
]


def records(stream):
    """For each record: its place in the stream, its kind, its memory, its operation, the byte `reserved`, its number, its
    bytes and its value."""
    at = 0
    while at < len(stream):
        kind, memory, operation, number, size, value = RECORD.unpack_from(stream, at)
        yield at, kind, memory, operation, stream[at + 3], number, size, value
        at += RECORD.size + (size if kind in (SOURCE, KERNEL, INSTRUCTION, OPTIONS) else 0)


def instructions_of(stream):
    """For each access: its memory, its operation, and what the plugin knows of its instruction."""
    known, found = {}, []
    for at, kind, memory, operation, _, number, _, _ in records(stream):
        if kind == INSTRUCTION:
            known[number] = instruction_at(stream, at + RECORD.size)
        elif kind == ACCESS:
            found.append((memory, operation, known[number]))
    return found


def index_of(stream):
    """The largest enum bl_wire_index of the addresses of atomics and of accesses to private memory."""
    return max((told.index for memory, operation, told in instructions_of(stream)
                if operation == ATOMIC or memory == PRIVATE), default=None)


def load_of(stream):
    """The largest `aligned_bytes` and `at_once` of the loads of local memory."""
    known = [told for memory, operation, told in instructions_of(stream) if (memory, operation) == (LOCAL, READ)]
    return max(told.aligned_bytes for told in known), max(told.at_once for told in known)


def has(flag, memory, operation=None):
    """Returns a function that returns whether an access of a stream to this memory has the flag."""
    return lambda stream: any(getattr(told, flag) for space, kind, told in instructions_of(stream)
                              if space == memory and operation in (None, kind))


def exchange_of(stream):
    """The enum bl_wire_exchange of the atomics on global memory."""
    return max(told.exchange for memory, kind, told in instructions_of(stream) if (memory, kind) == (GLOBAL, ATOMIC))


def alignments_of(stream):
    return sorted({told.alignment for memory, _, told in instructions_of(stream) if memory == GLOBAL and told.alignment})


def work_of(stream):
    """The number of instructions of the first group, which is one sub-group, the flags of its waits for loads of local
    memory, the length of its chains of dependent instructions, and the number of loads of local memory for which it
    waits."""
    count, flags, chain, local, awaited = 0, 0, 0, set(), set()
    for _, kind, memory, _, reserved, number, _, value in records(stream):
        if kind == ACCESS and memory == LOCAL:
            local.add(number)
        elif kind == WORK:
            count += value & 0xFFFFFFFF
            chain += value >> 32
            flags |= reserved if number in local else 0
            awaited |= {number} & local
        elif kind == GROUP_END:
            return count, flags, chain, len(awaited)
    raise SystemExit("the trace was cut short")


def ahead_of(stream):
    """The number of loads of local memory that the first lane makes before it waits for one of them."""
    local, count = set(), 0
    for _, kind, memory, operation, _, number, _, _ in records(stream):
        if kind == ACCESS and (memory, operation) == (LOCAL, READ):
            local.add(number)
            count += 1
        elif kind == WORK and number in local:
            return count
    return None


def writes_of(stream):
    """For each reported write of the host: its number of bytes."""
    return [size for _, kind, _, _, _, _, size, _ in records(stream) if kind == HOST]


def ran_of(stream):
    """The groups that ran, and the work of each, in the order of the groups."""
    found = sorted((value, size) for _, kind, _, _, _, _, size, value in records(stream) if kind == RAN)
    return [index for index, _ in found], [work for _, work in found]


def main():
    plugin, run_kernel, kernels = sys.argv[1:]
    os.environ["BANKLINE_TRACE_WORKS"] = "32"
    bad = 0
    work = lambda case: work_of(stream_of(plugin, [run_kernel, kernels, "work", "64", "1", f"-DCASE={case}"]))
    with tempfile.NamedTemporaryFile() as lock: # copies two buffers, and fills one before the first launch
        written = writes_of(stream_of(plugin, [run_kernel, "--time", lock.name, kernels, "work", "64", "1", "-DCASE=0"]))
    if written != [16, 1536, 1536, 1536]:
        bad += 1
        print(f"expected one write for each buffer that the host copies or fills: {written}")
    for name, first, second, more in PAIRS:
        counts = [work(case)[0] for case in (first, second)]
        if counts[1] - counts[0] != more:
            bad += 1
            print(f"{name}: {counts[0]} and {counts[1]} instructions, expected {more} more")
    for name, first, second, more in CHAINS:
        chains = [work(case)[2] for case in (first, second)]
        if chains[1] - chains[0] != more:
            bad += 1
            print(f"{name}: {chains[0]} and {chains[1]} additions, expected {more} more")
    for cases, of in ((INDICES, index_of), (LOADS, load_of), (UNALIGNED, alignments_of),
                      (EXCHANGES, exchange_of), (COUNTING, has("counts_lanes", LOCAL, ATOMIC)),
                      (IRREGULAR, has("is_irregular", LOCAL, READ)), (ONCE, has("is_once", LOCAL, READ)),
                      (COMBINED, has("is_combined", GLOBAL, ATOMIC)),
                      (AHEAD, ahead_of), (CHANGING, lambda stream: any(told.may_change for _, _, told in instructions_of(stream))),
                      (PASSING, lambda stream: any(told.passes_stores for _, _, told in instructions_of(stream))),
                      (VOLATILE, has("is_volatile", GLOBAL))):
        for name, case, expected in cases:
            found = of(stream_of(plugin, [run_kernel, kernels, "work", "64", "1", f"-DCASE={case}"]))
            if found != expected:
                bad += 1
                print(f"{name}: {found}, expected {expected}")
    for name, case, flag, is_set in FLAGS:
        if bool(work(case)[1] & flag) != is_set:
            bad += 1
            print(f"{name}: the flag {flag} is {'not ' if is_set else ''}set")
    for name, case, expected in WAITS:
        waits = work(case)[3]
        if waits != expected:
            bad += 1
            print(f"{name}: {waits} waits, expected {expected}")
    # If both paths through a loop may leave it, lanes meet again at its end all the same.
    same, other = (work(case)[0] for case in (157, 158))
    if not same < other < 2 * same:
        bad += 1
        print(f"lanes that take different paths through a loop execute {other} instructions, on the same path {same}")
    # So they do in a loop of which LLVM makes nested ones.
    same, other = (work(case)[0] for case in (187, 188))
    if not same < other < 2 * same:
        bad += 1
        print(f"lanes that take different paths through a merge execute {other} instructions, on the same path {same}")
    # Only two of eight groups are traced, but all run, and each does more than the one before. In the second case, only
    # one lane of each group does.
    os.environ.update(OCLGRIND_QUICK="1", BANKLINE_TRACE_BETWEEN="0")
    more = []
    for case in (155, 156):
        indices, ran = ran_of(stream_of(plugin, [run_kernel, kernels, "work", "256", "1", f"-DCASE={case}"]))
        steps = [second - first for first, second in zip(ran[1:], ran[2:])]
        more.append(steps[0] if steps else 0)
        if indices != list(range(8)) or more[-1] <= 0 or steps != [more[-1]] * 6 or more[-1] != more[0]:
            bad += 1
            print(f"case {case}: groups {indices} ran, and did {ran} instructions")
    raise SystemExit(1 if bad else 0)


if __name__ == "__main__":
    main()
