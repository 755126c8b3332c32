#!/usr/bin/env python3
"""Checks the instructions that Intel's compiler generates for the kernels: intel_isa.py KERNEL_SOURCES [--every] [DEVICE...]

Compiles kernels offline for each generation of GPUs, with the options that a run with the generation's machine would
use. A kernel must have the machine's number of lanes, and must use scratch memory only where intended. Its measured
loops must have exactly as many loads, stores and atomics of global and of local memory as its source; otherwise the
compiler has removed, merged or duplicated measured accesses. Compiles one kernel of each case of the suites
global, local and shape, and one kernel of each kind of the other suites; with --every, all kernels of all suites.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from isa_counts import Kernel, longest_chain, messages

# The machine of each product, by ocloc's name of the product. Products that the installed ocloc does not know are left
# out: a newer ocloc lacks the first products of this list, and an older ocloc lacks the last ones.
DEVICES = {"skl": "intel-gen9", "icllp": "intel-gen11", "tgllp": "intel-xe-lp", "dg2": "intel-xe-hpg", "pvc": "intel-xe-hpc",
           "mtl": "intel-xe-hpg", "lnl": "intel-xe2", "bmg": "intel-xe2", "ptl": "intel-other"}
LEAST_DEVICES = 5


class Tools:
    """Runs ocloc. Links the disassembler's library to the name under which ocloc looks for it."""

    def __init__(self, folder):
        self.folder = folder / "lib"
        self.folder.mkdir()
        libraries = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True,
                                   check=True).stdout
        found = re.search(r"libiga64\.so\.[12] .*=> (\S+)", libraries)
        if found:
            (self.folder / "libiga64.so").symlink_to(found.group(1))
        self.works = bool(found) and shutil.which("ocloc") is not None

    def knows(self, device):
        """Whether this ocloc can compile for the device."""
        with tempfile.TemporaryDirectory(dir=self.folder.parent) as name:
            empty = pathlib.Path(name) / "empty.cl"
            empty.write_text("kernel void empty(void) {}\n")
            built = subprocess.run(["ocloc", "compile", "-q", "-file", empty.name, "-device", device],
                                   capture_output=True, check=False, cwd=name)
        return built.returncode == 0

    def look(self, source, options, device):
        """Compiles and disassembles a kernel. Returns its SIMD width, its bytes of scratch memory, its memory messages
        in loops (isa_counts.messages), and the max number of instructions between dependent loads (longest_chain)."""
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
        # Scratch memory holds spilled registers and private arrays. On dg2, private arrays have the type `global`.
        scratch = sum(int(size) for size in
                      re.findall(r"type:\s*(?:scratch|global)\s+usage:\s*\w+_space\s+size:\s*(\d+)", info))
        assembly = next(file for file in (folder / "dump").glob(".text.*.asm")
                        if "Intel" not in file.name).read_text()
        shutil.rmtree(folder)
        return simd, scratch, messages(assembly), longest_chain(assembly)


def faults(kernel, lanes, seen):
    """Yields a sentence for each fault in the instructions. seen: what Tools.look returned."""
    simd, scratch, counts, chain = seen
    if simd != lanes or lanes < 16: # on Xe-HPC and Xe2, all kernels run 16 lanes or more
        yield f"SIMD{simd}, and the machine has {lanes} lanes"
    if scratch and not kernel.scratch_is_meant():
        yield f"{scratch} bytes of scratch memory"
    yield from kernel.faults(scratch, counts, chain)


def kind(case, kernel, options):
    """A key under which one kernel is chosen. It is equal for kernels that differ only in their index or in macros such
    as N, except in the suites global, local and shape, where each case has its own key. With --every, each kernel has
    its own key."""
    if "--every" in sys.argv:
        return (case, kernel, options)
    if case.split("/")[0] in ("global", "local", "shape"):
        return case
    return (case.split("/")[0], kernel, re.sub(r"-D(INDEX|N|SPREAD|BLOCKS|REUSE)=\S+", "", options))


def kernels_of(program, folder, machine):
    """Returns one kernel of each kind (see kind) as a tuple: source file, case, shape, memory, expected loads and stores
    per round, lanes, and compiler options."""
    listed = subprocess.run([program, str(folder), machine], capture_output=True, text=True, check=True).stdout
    chosen, programs = {}, set()
    for line in listed.splitlines():
        number, case, shape, kernel, memory, expected, lanes, options = line.split("\t")
        if (kernel, options) in programs:
            continue
        programs.add((kernel, options))
        chosen.setdefault(kind(case, kernel, options), (folder / f"{number}.cl", case, shape, memory, float(expected),
                                                        int(lanes), options))
    return chosen.values()


def main():
    program = sys.argv[1]
    folder = pathlib.Path(tempfile.mkdtemp(prefix="bankline-isa-"))
    tools = Tools(folder)
    if not tools.works:
        print("skipped: there is no ocloc, or no libiga64; scripts/install-packages intel-tools")
        return 77
    named = [word for word in sys.argv[2:] if word != "--every"]
    devices = named or [device for device in DEVICES if tools.knows(device)]
    chosen = {}
    for machine in {DEVICES[device] for device in devices}:
        (folder / machine).mkdir()
        chosen[machine] = kernels_of(program, folder / machine, machine)
    work = [(device, *row) for device in devices for row in chosen[DEVICES[device]]]

    def check(item):
        device, source, case, shape, memory, expected, lanes, options = item
        try:
            seen = tools.look(str(source), options, device)
            kernel = Kernel(case, memory, expected, options)
            return [f"{device} {case} {shape}: {fault}" for fault in faults(kernel, lanes, seen)]
        except RuntimeError as error:
            return [f"{device} {case} {shape}: {error}"]

    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 2) as workers:
        results = list(workers.map(check, work))
    shutil.rmtree(folder)
    wrong = [sentence for sentences in results for sentence in sentences]
    for sentence in wrong:
        print("FAILED", sentence)
    too_few = not named and len(devices) < LEAST_DEVICES
    if too_few:
        print(f"FAILED: this ocloc knows only {', '.join(devices)}")
    print(f"isa: {len(work)} kernels for {', '.join(devices)}, messages counted in all, {len(wrong)} faults")
    return 1 if wrong or too_few or len(work) < 60 * len(devices) else 0


if __name__ == "__main__":
    sys.exit(main())
