#!/usr/bin/env python3
"""Checks how many instructions of a device the plugin counts for a kernel's work: check_work.py PLUGIN RUN_KERNEL KERNELS

Runs the kernel `work` in two of its cases, and compares how many instructions they take."""

import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from check_trace import GROUP_END, INSTRUCTION, KERNEL, OPTIONS, RECORD, SOURCE, stream_of

WORK, ACCESS, ATOMIC, PRIVATE = 16, 7, 2, 0
INDEX = struct.Struct("16x I") # of struct bl_wire_instruction
# What is tested, two cases of the kernel, and how many more instructions the second one takes.
PAIRS = [
    ("a product takes an instruction", 0, 1, 1),
    ("the counter of a short loop takes none", 2, 3, 0),
    ("nor does a condition that depends only on the counter", 5, 4, 0),
    ("elements at constant distances share an address", 5, 6, 3),
    ("elements at other distances do not", 5, 7, 1 + 3 + 2 * 4),
    ("what does not change in a loop is computed once", 8, 9, 3 + 4 + 64 * 4 - 20),
    ("a called function takes no more than its body", 10, 11, 0),
    ("a loop with an unknown end has a beginning", 8, 12, 20 + 64 * 4 + 2),
    ("a loop whose end cannot be computed has none", 8, 15, 32 * 4 + 1 - 64 * 4 - 20),
    ("nor has it if the end itself is known", 8, 19, 2 - 20),
    ("rows and columns are different addresses", 20, 21, 2),
    ("a short loop may begin anywhere", 2, 22, 0),
    ("a loop whose step is not constant has no beginning", 8, 25, -20 + 2),
    ("a loop has a beginning if its end is computed in each iteration, always with the same result", 15, 26, 20),
    ("iterations left over run before the others, with a beginning of their own", 8, 23, 3 * 4 + 20 + 2),
    ("nor does it matter if the loop counts down", 23, 40, 0),
    ("nor if it runs up to the end itself", 23, 41, 0),
    ("nor if the counter's step is not one", 23, 42, 1),
    ("nor if it counts down to the end itself", 23, 43, 0),
    ("nor if a larger step ends at the end itself", 23, 44, 67 + 2),
    ("lanes that go separate ways take the time of both ways", 8, 24, 4 + 3),
    ("eight conversions between integers and floats keep the unit of sines busy", 0, 27, 8 * 4 - 4),
    ("a product of doubles takes two; the conversions to and from double take one each", 0, 28, 4 * 2 + 2),
    ("a multiply-add of doubles takes two, too", 0, 29, 4 * 2 + 2),
    ("a division of integers by an unknown number takes 31 instructions", 8, 30, 64 * 30 + 2),
    ("a division of unsigned integers takes 28", 8, 39, 64 * 27 + 2),
    ("four sines keep their unit busy", 13, 14, 4 * 8 - (2 + 6)),
]

# What is tested, a case, a flag of the plugin (enum bl_wire_wait), and whether a wait for a load has it.
ROLLED, UNROLLED = 2, 4
FLAGS = [
    ("a short loop is unrolled completely", 6, UNROLLED, True),
    ("a long loop is not", 18, UNROLLED, False),
    ("a loop with an unknown end is not", 17, UNROLLED, False),
    ("a loop whose end can be computed is unrolled in part", 17, ROLLED, False),
    ("a loop whose counter may wrap around is not unrolled", 16, ROLLED, True),
]


# What is tested, a case, and the least that the plugin knows of the addresses of atomics and of accesses to private
# memory (enum bl_wire_index).
CONSTANT, KNOWN, DYNAMIC = 0, 1, 3
INDICES = [
    ("the beginning of an array is constant", 31, CONSTANT),
    ("an element that depends on data is not", 32, DYNAMIC),
    ("nor is a choice of two", 33, DYNAMIC),
    ("nor is the argument of a function that several calls share", 34, DYNAMIC),
    ("the counter of a short loop is known when the loop is unrolled", 35, KNOWN),
    ("so is an element of a constant table", 36, KNOWN),
    ("an element of an array in local memory is not", 37, DYNAMIC),
    ("the minimum of known numbers is known", 38, KNOWN),
    ("a function may access its caller's array in private memory", 45, KNOWN),
    ("data may choose an element of an array in private memory", 46, DYNAMIC),
]


def index_of(stream):
    """The least that the plugin knows of the addresses of atomics and of accesses to private memory."""
    at, indices, found = 0, {}, []
    while at < len(stream):
        kind, memory, operation, number, size, _ = RECORD.unpack_from(stream, at)
        at += RECORD.size
        if kind == INSTRUCTION:
            indices[number] = INDEX.unpack_from(stream, at)[0]
        elif kind == ACCESS and (operation == ATOMIC or memory == PRIVATE):
            found.append(indices[number])
        at += size if kind in (SOURCE, KERNEL, INSTRUCTION, OPTIONS) else 0
    return max(found, default=None)


def work_of(stream):
    """The number of instructions of the first group, which is one sub-group, and the flags of its waits."""
    at, count, flags = 0, 0, 0
    while at < len(stream):
        reserved = stream[at + 3]
        kind, _, _, _, size, value = RECORD.unpack_from(stream, at)
        at += RECORD.size + (size if kind in (SOURCE, KERNEL, INSTRUCTION, OPTIONS) else 0)
        if kind == WORK:
            count += value & 0xFFFFFFFF
            flags |= reserved
        elif kind == GROUP_END:
            return count, flags
    raise SystemExit("the trace was cut short")


def main():
    plugin, run_kernel, kernels = sys.argv[1:]
    os.environ["BANKLINE_TRACE_WORKS"] = "32"
    bad = 0
    work = lambda case: work_of(stream_of(plugin, [run_kernel, kernels, "work", "64", "1", f"-DCASE={case}"]))
    for name, first, second, more in PAIRS:
        counts = [work(case)[0] for case in (first, second)]
        if counts[1] - counts[0] != more:
            bad += 1
            print(f"{name}: {counts[0]} and {counts[1]} instructions, expected {more} more")
    for name, case, index in INDICES:
        found = index_of(stream_of(plugin, [run_kernel, kernels, "work", "64", "1", f"-DCASE={case}"]))
        if found != index:
            bad += 1
            print(f"{name}: {found}, expected {index}")
    for name, case, flag, is_set in FLAGS:
        if bool(work(case)[1] & flag) != is_set:
            bad += 1
            print(f"{name}: the flag {flag} is {'not ' if is_set else ''}set")
    raise SystemExit(1 if bad else 0)


if __name__ == "__main__":
    main()
