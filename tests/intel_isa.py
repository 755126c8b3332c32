#!/usr/bin/env python3
"""What Intel's compiler makes of the kernels: intel_isa.py KERNEL_SOURCES [DEVICE...]

Compiles every documented kernel offline for each generation and looks at its instructions: SIMD16, no
scratch memory where none is meant, and exactly as many load messages in the measured loop as the source
has loads, of global memory or of local. This shows that no compiler removed, merged or doubled what is
measured. ISA_ALL=1: every case; else one of each kind of kernel, and all of global, local and shape.
"""

import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

DEVICES = ["skl", "icllp", "tgllp", "dg2", "pvc"]
LOCAL_SURFACE = 0xFE  # of a message to local memory, up to Gen12's data cache
# Arrays that are meant to live in memory, or to be too large for registers.
MEANT_TO_SPILL = ("private/", "spill/", "constant/private-", "histogram/")
# Loads in loops of other work-items: those at the ends of the array look where they read.
OTHER_PATHS = {"convolution/global": 1}


def messages(assembly):
    """A count of (what, memory) of the messages inside of loops, and of messages in all."""
    labels, jumps, lines = {}, [], []
    for line in assembly.splitlines():
        line = line.strip()
        if not line or line.startswith("//"):
            continue
        label = re.match(r"([A-Za-z_.0-9]+):", line)
        if label:
            labels[label.group(1)] = len(lines)
            continue
        if re.search(r"\b(jmpi|while|goto)\b", line):
            target = [word for word in re.split(r"[ \t]+", line) if word in labels]
            if target:
                jumps.append((labels[target[0]], len(lines)))
        lines.append(line)
    looped = set()
    for first, last in jumps:
        looped.update(range(first, last + 1))
    return collections.Counter(kind_of(lines[i]) for i in sorted(looped) if kind_of(lines[i]))


def kind_of(line):
    """("load" or "store", "local" or "global"), or None for what moves no data of the kernel's."""
    words = line.split("//")
    if not re.search(r"\bsendc?s?c?(\.\w+)?\b", words[0]) or len(words) < 2:
        return None
    said = words[1]
    lsc = re.search(r"\b(load|store)(?:_block\w*|_quad|_cmask)?\.(slm|ugm|ugml)", said)
    if lsc:
        return lsc.group(1), "local" if lsc.group(2) == "slm" else "global"
    if "scratch" in said or not re.search(r"\b(read|write)\b", said):
        return None
    action = "load" if re.search(r"\bread\b", said) else "store"
    descriptor = re.findall(r"0x([0-9A-Fa-f]+)", words[0])[-1]
    return action, "local" if int(descriptor, 16) & 0xFF == LOCAL_SURFACE else "global"


class Tools:
    """ocloc, and the disassembler's library under the name by which it looks for it."""

    def __init__(self, folder):
        self.folder = folder / "lib"
        self.folder.mkdir()
        libraries = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True,
                                   check=True).stdout
        found = re.search(r"libiga64\.so\.1 .*=> (\S+)", libraries)
        if found:
            (self.folder / "libiga64.so").symlink_to(found.group(1))
        self.works = bool(found) and shutil.which("ocloc") is not None

    def look(self, source, options, device):
        """SIMD width, bytes of scratch memory, and messages in loops."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder.parent))
        run = lambda argv, **more: subprocess.run(argv, capture_output=True, text=True, check=False,
                                                  env={**os.environ, **more}, cwd=folder)
        built = run(["ocloc", "compile", "-q", "-file", source, "-device", device, "-options", options,
                     "-output", "k", "-out_dir", "out"], IGC_EnableZEBinary="1")
        binaries = list((folder / "out").glob("k_*.bin")) if (folder / "out").exists() else []
        if not binaries:
            raise RuntimeError(f"does not build: {(built.stdout + built.stderr)[-600:]}")
        (folder / "dump").mkdir()
        run(["ocloc", "disasm", "-file", str(binaries[0]), "-device", device, "-dump", "dump"],
            LD_LIBRARY_PATH=str(self.folder))
        info = (folder / "dump" / ".ze_info").read_text()
        simd = int(re.search(r"simd_size:\s*(\d+)", info).group(1))
        scratch = sum(int(size) for size in
                      re.findall(r"type:\s*scratch\s+usage:\s*\S+\s+size:\s*(\d+)", info))
        assembly = next(file for file in (folder / "dump").glob(".text.*.asm")
                        if "Intel" not in file.name).read_text()
        shutil.rmtree(folder)
        return simd, scratch, messages(assembly)


def is_counted(memory, expected):
    return expected > 0 and memory != "private"


def faults(case, memory, expected, seen):
    """What is wrong with what was seen, in sentences."""
    simd, scratch, counts = seen
    if simd != 16:
        yield f"SIMD{simd}"
    if scratch and not case.startswith(MEANT_TO_SPILL):
        yield f"{scratch} bytes of scratch memory"
    if not is_counted(memory, expected):
        return
    here = "local" if memory == "local" else "global"
    loads, stores = counts["load", here], counts["store", here]
    wanted = expected + OTHER_PATHS.get(case, 0)
    if case.startswith("bank-update/"): # each step reads and writes
        if (loads, stores) != (wanted / 2, wanted / 2):
            yield f"{loads} loads and {stores} stores of {here} memory, {wanted:g} are right"
    elif loads != wanted:
        yield f"{loads} loads of {here} memory, {wanted:g} are right"
    other = "global" if here == "local" else "local"
    # Local memory is filled in a loop of its own, from global memory.
    if counts["load", other] > (1 if here == "local" else 0):
        yield f"{counts['load', other]} loads of {other} memory"


def kind(case, kernel, options):
    """What kernels have in common that differ in their index alone."""
    if case.split("/")[0] in ("global", "local", "shape"):
        return case
    return (case.split("/")[0], kernel, re.sub(r"-D(INDEX|N|SPREAD|BLOCKS|REUSE)=\S+", "", options))


def main():
    program, devices = sys.argv[1], sys.argv[2:] or DEVICES
    folder = pathlib.Path(tempfile.mkdtemp(prefix="bankline-isa-"))
    tools = Tools(folder)
    if not tools.works:
        print("skipped: there is no ocloc, or no libiga64; scripts/install-packages intel")
        return 77
    listed = subprocess.run([program, str(folder)], capture_output=True, text=True, check=True).stdout
    chosen, programs = {}, set()
    for line in listed.splitlines():
        number, case, shape, kernel, memory, expected, options = line.split("\t")
        key = case + shape if os.environ.get("ISA_ALL") == "1" else kind(case, kernel, options)
        if (kernel, options) in programs:
            continue
        programs.add((kernel, options))
        chosen.setdefault(key, (number, case, shape, memory, float(expected), options))
    work = [(device, *row) for device in devices for row in chosen.values()]

    def check(item):
        device, number, case, shape, memory, expected, options = item
        try:
            seen = tools.look(str(folder / f"{number}.cl"), options, device)
            return [f"{device} {case} {shape}: {fault}"
                    for fault in faults(case, memory, expected, seen)], is_counted(memory, expected)
        except RuntimeError as error:
            return [f"{device} {case} {shape}: {error}"], False

    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 2) as workers:
        results = list(workers.map(check, work))
    shutil.rmtree(folder)
    wrong = [sentence for sentences, _ in results for sentence in sentences]
    for sentence in wrong:
        print("FAILED", sentence)
    counted = sum(was_counted for _, was_counted in results)
    print(f"isa: {len(work)} kernels of {len(devices)} generations, loads counted in {counted}, "
          f"{len(wrong)} faults")
    return 1 if wrong or counted < 20 * len(devices) else 0


if __name__ == "__main__":
    sys.exit(main())
