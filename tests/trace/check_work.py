#!/usr/bin/env python3
"""Checks how many instructions of a device the plugin counts for a kernel's work: check_work.py PLUGIN RUN_KERNEL KERNELS

Runs the kernel `work` in two of its cases, and compares how many instructions they take."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from check_trace import GROUP_END, INSTRUCTION, ITEM, KERNEL, OPTIONS, RECORD, SOURCE, stream_of

WORK = 16
ITEM_COUNTED = 5
# What is tested, two cases of the kernel, and how many more instructions the second one takes.
PAIRS = [
    ("a product takes an instruction", 0, 1, 1),
    ("the counter of a short loop takes none", 2, 3, 0),
    ("nor does a condition that depends only on the counter", 5, 4, 0),
    ("elements at constant distances share an address", 5, 6, 3),
    ("elements at other distances do not", 5, 7, 1 + 3 + 2 * 4),
    ("what does not change in a loop is computed once", 8, 9, 3 + 4 + 64 * 4 + 1 - 20),
    ("a called function takes no more than its body", 10, 11, 0),
    ("a loop with an unknown end has a beginning", 8, 12, 20 + 64 * 4 + 2),
    ("four sines keep their unit busy", 13, 14, 4 * 8 - (2 + 6)),
]


def instructions_of(stream):
    """The number of instructions of one work-item of the first group."""
    at, item, count = 0, None, 0
    while at < len(stream):
        kind, _, _, number, size, value = RECORD.unpack_from(stream, at)
        at += RECORD.size + (size if kind in (SOURCE, KERNEL, INSTRUCTION, OPTIONS) else 0)
        if kind == ITEM:
            item = number
        elif kind == WORK and item == ITEM_COUNTED:
            count += value & 0xFFFFFFFF
        elif kind == GROUP_END:
            return count
    raise SystemExit("the trace was cut short")


def main():
    plugin, run_kernel, kernels = sys.argv[1:]
    os.environ["BANKLINE_TRACE_WORKS"] = "1"
    bad = 0
    for name, first, second, more in PAIRS:
        counts = [instructions_of(stream_of(plugin, [run_kernel, kernels, "work", "64", "1", f"-DCASE={case}"]))
                  for case in (first, second)]
        if counts[1] - counts[0] != more:
            bad += 1
            print(f"{name}: {counts[0]} and {counts[1]} instructions, expected {more} more")
    raise SystemExit(1 if bad else 0)


if __name__ == "__main__":
    main()
