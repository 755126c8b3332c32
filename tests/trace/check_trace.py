#!/usr/bin/env python3
"""Compares what `bankline trace` counts for each source line (lines, sectors, tag passes, bank passes) with this
script's own counts: check_trace.py BANKLINE PLUGIN RUN_KERNEL KERNELS

`bankline trace` and this script have only their inputs in common: the plugin's output and the machine's file."""

import collections
import csv
import io
import math
import os
import struct
import subprocess
import sys
import threading

NAMES = ["transpose_naive", "transpose_tiled", "transpose_padded", "matrix_product", "stencil",
         "histogram", "reduction", "sparse_product", "scan", "n_body", "complex_transpose",
         "row_sums", "wave", "nested", "early_return", "break_and_continue", "choices", "short_circuit", "calls",
         "two_arrays", "inlined", "gather", "prints", "read_twice",
         "gather_local"]
# The arrays whose addresses depend on loaded values that differ between work-items.
GATHERED = {"sparse_product": {"columns", "values", "vector"}, "transpose_tiled": set(), "matrix_product": set(),
            "scan": set(), "n_body": set()}
MACHINES = ["nvidia-hopper", "intel-gen9", "nvidia-ampere", "amd"]
MEMORIES = {0: "private", 1: "global", 2: "constant", 3: "local"}
OPERATIONS = ["read", "write", "atomic"]
HELLO, SOURCE, KERNEL, INSTRUCTION, GROUP, ITEM, ACCESS, COPY, GROUP_END, KERNEL_END, END, OPTIONS, THREADS, POSITION = range(1, 15)
RECORD = struct.Struct("<BBBxIQQ")
DESCRIPTION = struct.Struct("<18I")
# The members of struct bl_wire_instruction.
Instruction = collections.namedtuple("Instruction", "line column components component_bytes index row_bytes aligned_bytes "
                                     "is_gathered at_once alignment exchange is_once may_change passes_stores is_volatile is_combined "
                                     "counts_lanes is_irregular")


def instruction_at(stream, at):
    return Instruction(*DESCRIPTION.unpack_from(stream, at))


def machine_of(bankline, name):
    text = subprocess.run([bankline, "model", "--show-machine", name], check=True, capture_output=True,
                          text=True).stdout
    return dict(line.split(" = ", 1) for line in text.splitlines() if " = " in line and line[0] != "#")


def stream_of(plugin, argv):
    """Runs the program under Oclgrind and returns what the plugin writes."""
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    about = os.fstat(writing)
    environment = {**os.environ, "BANKLINE_TRACE_FD": f"{writing}:{about.st_dev}:{about.st_ino}"}
    programs = os.environ.get("OCLGRIND_BIN", "")  # ends with a slash; if empty, PATH is searched
    if programs:
        environment["LD_LIBRARY_PATH"] = programs + "../lib"
    parts = []

    def read():
        while part := os.read(reading, 1 << 20):
            parts.append(part)

    reader = threading.Thread(target=read)
    reader.start()
    subprocess.run([programs + "oclgrind", "--plugins", plugin, *argv], check=True, env=environment, pass_fds=[writing],
                   stdout=subprocess.DEVNULL)
    os.close(writing)
    reader.join()
    os.close(reading)
    return b"".join(parts)


def requests_of(stream, lanes):
    """Yields (line, memory, operation, bytes of a component, components, alignment, counts_lanes, addresses) for each
    request."""
    at, lines, widths = 0, {}, {}
    steps, counts, item, position = None, None, None, 0
    while at < len(stream):
        kind, memory, operation, number, size, value = RECORD.unpack_from(stream, at)
        at += RECORD.size
        if kind in (SOURCE, KERNEL, INSTRUCTION, OPTIONS):
            if kind == INSTRUCTION:
                told = instruction_at(stream, at)
                _, array, sites = stream[at + DESCRIPTION.size:at + size].decode().split("\0")
                lines[number] = told.line, told.column, array, sites
                widths[number] = told.components, told.component_bytes, told.alignment, told.counts_lanes
            at += size
        elif kind == GROUP:
            steps, counts, position = collections.defaultdict(list), collections.Counter(), 0
        elif kind == ITEM:
            item = number
        elif kind == POSITION:
            position = value
        elif kind == ACCESS:
            occurrence = position, counts[item, number, position]
            counts[item, number, position] += 1
            steps[item // lanes, number, occurrence, memory, operation, size].append((item, value))
        elif kind == GROUP_END:
            for (_, number, _, memory, operation, size), accesses in steps.items():
                components, one, alignment, adds_one = widths[number]
                assert components * one == size, "the width of an access is not that of its type"
                yield (lines[number], MEMORIES[memory], OPERATIONS[operation], one, components, alignment, adds_one,
                       [address for _, address in sorted(accesses)])
        elif kind == END:
            return
    raise SystemExit("the trace was cut short")


def gathered_of(stream):
    """The names of the arrays that `is_gathered` marks."""
    at, arrays = 0, set()
    while at < len(stream):
        kind, _, _, _, size, _ = RECORD.unpack_from(stream, at)
        at += RECORD.size
        if kind == INSTRUCTION and instruction_at(stream, at).is_gathered:
            arrays.add(stream[at + DESCRIPTION.size:at + size].decode().split("\0")[1])
        at += size if kind in (SOURCE, KERNEL, INSTRUCTION, OPTIONS) else 0
    return arrays


def yes(machine, key):
    return machine[key] == "yes"


def parts_of(machine, memory, operation, one, components, alignment):
    """The offsets and widths of the requests into which an access to a vector is split."""
    as_four = memory in ("local", "constant") and yes(machine, f"{memory}_reads_three_as_four")
    if components == 3 and operation != "write" and as_four:
        components = 4
    most = max(1, min(int(machine["widest_bytes"]) // one, int(machine["widest_components"])))
    if components == 3 and yes(machine, "three_is_two_and_one"):
        most = min(most, 2)
    if alignment and memory == "global" and yes(machine, "splits_unaligned"):
        return [(offset, alignment) for offset in range(0, components * one, alignment)]
    return [(first * one, min(most, components - first) * one) for first in range(0, components, most)]


def blocks(addresses, width, size):
    return {block for address in addresses for block in range(address // size, (address + width - 1) // size + 1)}


def busiest(numbers, banks):
    return max(collections.Counter(number % banks for number in numbers).values())


def bank_passes(machine, memory, operation, width, addresses):
    banks, word = int(machine["banks"]), int(machine["bank_bytes"])
    if operation == "atomic":
        return busiest([address // word for address in addresses], banks)
    at_once = len(addresses)
    if yes(machine, "wide_in_parts") and width > word:
        at_once = max(1, banks * word // width)
    shares = (yes(machine, "pairs_share_wide") and memory == "local" and operation == "read" and
              at_once < len(addresses))
    passes, lane = 0, 0
    while lane < len(addresses):
        both = addresses[lane:lane + 2 * at_once]
        pairs = shares and lane % 4 == 0 and len(both) % 4 == 0 and any(
            all(both[i] == both[i ^ apart] for i in range(len(both))) for apart in (1, 2))
        now = both if pairs else addresses[lane:lane + at_once]
        passes += busiest(blocks(now, width, word), banks)
        lane += len(now)
    return passes


def tag_passes(machine, lines):
    masks = [] if machine["tag_masks"] == "none" else [int(mask, 16) for mask in machine["tag_masks"].split()]
    banks = collections.Counter(tuple(bin(line & mask).count("1") % 2 for mask in masks) for line in lines)
    return math.ceil(max(banks.values()) / int(machine["lines_per_clock"]))


def has_rule(machine, memory, operation, width):
    """Whether there is a rule for accesses of `width` bytes. Ignores fields that no machine in MACHINES uses."""
    most = int(machine["local_max_bytes" if memory == "local" else "global_max_bytes"])
    if most and width > most:
        return False
    if memory == "global" and (machine["why_no_global_rule"] or operation == "write" and yes(machine, "global_reads_alone")):
        return False
    if operation == "atomic":
        return memory == "local" and yes(machine, "atomics_by_lane")
    return memory in ("global", "local") or memory == "constant" and yes(machine, "constant_is_global")


def counted(machine, stream):
    """Returns for each line, memory and operation the sums of requests, lanes, parts, lines, sectors, tag passes and
    bank passes."""
    rows = collections.defaultdict(lambda: [0] * 7)
    without_rule = set()  # keys with at least one request that has no rule
    for line, memory, operation, one, components, alignment, adds_one, addresses in requests_of(stream, int(machine["lanes"])):
        row = rows[line, memory, operation]
        row[0] += 1
        row[1] += len(addresses)
        if memory == "local" and adds_one and yes(machine, "combines_atomics"):
            addresses = sorted(set(addresses))
        for offset, width in parts_of(machine, memory, operation, one, components, alignment):
            if not has_rule(machine, memory, operation, width):
                without_rule.add((line, memory, operation))
                break
            moved = [address + offset for address in addresses]
            row[2] += 1
            if memory != "local":
                lines = blocks(moved, width, int(machine["line_bytes"]))
                row[3] += len(lines)
                if int(machine["sector_bytes"]):
                    row[4] += len(blocks(moved, width, int(machine["sector_bytes"])))
                row[5] += tag_passes(machine, lines)
            if memory == "local" or yes(machine, "banks_serve_global"):
                row[6] += bank_passes(machine, memory, operation, width, moved)
    for key in without_rule:
        rows[key][2:] = [0] * 5
    return rows


def close(told, own):
    return abs(told - own) <= 1e-6 * own


def check(bankline, plugin, argv, machine_name):
    """Returns the number of rows if all of them agree; otherwise raises AssertionError."""
    machine = machine_of(bankline, machine_name)
    own = counted(machine, stream_of(plugin, argv))
    done = subprocess.run([bankline, "trace", "--machine", machine_name, "--sample", "all", "--csv", "-", "--",
                           *argv], check=True, capture_output=True, text=True)
    told = list(csv.DictReader(io.StringIO(done.stdout)))
    assert len(told) == len(own), f"{len(told)} rows, expected {len(own)}"
    for row in told:
        requests, lanes, parts, lines, sectors, tags, banks = own[
            (int(row["line"]), int(row["column"] or 0), row["array"], row["call_sites"]), row["memory"], row["op"]]
        where = f"{argv[-1]}:{row['line']} {row['memory']} {row['op']} on {machine_name}"
        assert int(row["requests"]) == requests, f"{where}: {row['requests']} requests, not {requests}"
        assert close(float(row["lanes"]), lanes / requests), f"{where}: lanes"
        for name, total in zip(("lines", "sectors", "tag_passes", "bank_passes"), (lines, sectors, tags, banks)):
            text = row[name]
            right = text == "" if total == 0 else text != "" and close(float(text), total / requests)
            assert right, f"{where}: {name} are {text}, not {total / requests}"
    return len(told)


def main():
    bankline, plugin, run_kernel, kernels = map(os.path.abspath, sys.argv[1:5])
    failed = rows = 0
    for name in NAMES:
        for machine in MACHINES:
            try:
                rows += check(bankline, plugin, [run_kernel, kernels, name], machine)
            except (AssertionError, subprocess.CalledProcessError) as wrong:
                failed += 1
                print(f"FAILED: {name}, {machine}: {wrong}\n{getattr(wrong, 'stderr', '') or ''}")
    for name, arrays in GATHERED.items():
        found = gathered_of(stream_of(plugin, [run_kernel, kernels, name]))
        failed += found != arrays
        if found != arrays:
            print(f"FAILED: {name}: the gathered arrays are {sorted(found)}, expected {sorted(arrays)}")
    print(f"trace: {rows} rows of {len(NAMES)} kernels on {len(MACHINES)} machines agree, {failed} runs failed")
    return 1 if failed or rows < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
