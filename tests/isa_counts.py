"""Counts the memory messages in Intel's instructions, and computes the expected counts; used by intel_isa.py."""

import collections
import re

LOCAL_SURFACE = 0xFE  # surface number of messages to local memory, on Gen12 and older generations
# Numbers of additional loads, by case. They are in loops that check indices; only work-items at the ends of the
# array run these loops.
OTHER_PATHS = {"convolution/global": 2}
# Suites whose loops a compiler may unroll by any factor, by which the expected counts are then multiplied.
UNROLLED_AT_WILL = ("local-size",)


def kind_of(line):
    """Returns a pair for an instruction that accesses memory: "load", "store" or "atomic"; and "local" or "global".
    Returns None for other instructions, and for spills of registers to scratch memory."""
    words = line.split("//")
    if not re.search(r"\bsendc?s?c?(\.\w+)?\b", words[0]) or len(words) < 2:
        return None
    said = words[1]
    if "t.a32.ss[" in said:  # reads or writes a block of scratch memory: a spilled register
        return None
    lsc = re.search(r"\b(load|store|atomic)(?:_block\w*|_quad|_cmask|_\w+)?\.(slm|ugm|ugml)", said)
    if lsc:
        return lsc.group(1), "local" if lsc.group(2) == "slm" else "global"
    if "scratch" in said or not re.search(r"\b(read|write|atomic)\b", said):
        return None
    action = "atomic" if "atomic" in said else "load" if re.search(r"\bread\b", said) else "store"
    descriptor = re.findall(r"0x([0-9A-Fa-f]+)", words[0])[-1]
    return action, "local" if int(descriptor, 16) & 0xFF == LOCAL_SURFACE else "global"


def weight_of(line):
    """The fraction of a sub-group's lanes that one message serves. On older generations, a message for an atomic with
    64-bit addresses serves only 8 of 16 lanes."""
    return 0.5 if "a64 atomic" in line else 1


def messages(assembly):
    """Counts the memory messages inside loops, by the pairs of kind_of. A block that jumps out of a loop does not
    belong to the loop, even if the compiler placed it between the loop's instructions."""
    labels, jumps, lines, exits = {}, [], [], []
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
            elif re.match(r"\(W\)\s+jmpi\b", line): # an unconditional forward jump
                exits.append((len(lines), line.split()[-1]))
        lines.append(line)
    looped = set()
    for first, last in jumps:
        looped.update(range(first, last + 1))
        for end, target in exits:
            if first < end < last < labels.get(target, 0):
                looped -= set(range(max(at for at in labels.values() if at <= end), end + 1))
    counts = collections.Counter()
    for i in sorted(looped):
        if kind_of(lines[i]):
            counts[kind_of(lines[i])] += weight_of(lines[i])
    return counts


def longest_chain(assembly):
    """The max number of dependent instructions between a load and the next load whose address depends on it. Ignores
    pairs of loads with a jump between them."""
    # since: for each register that depends on the last load, the number of dependent instructions since the load
    found, since = 0, None
    for said in assembly.splitlines():
        line, what = said.split("//")[0].strip(), kind_of(said.strip())
        if re.match(r"[A-Za-z_.0-9]+:", line) or re.search(r"\b(jmpi|while|goto|join)\b", line):
            since = None
            continue
        registers = re.findall(r"\b(r\d+|acc\d+)\b", line)
        if not registers:
            continue
        target, sources = registers[0], registers[1:]
        depth = max((since[name] for name in sources if name in since), default=None) if since else None
        if what and what[0] == "load":
            found = max(found, depth or 0)
            since = {target: 0}
        elif since and depth is not None:
            since[target] = depth + 1
        elif since:
            since.pop(target, None)
    return found


class Kernel:
    """A kernel as the program builds it. In each iteration of its unrolled loop, a work-item makes `expected` accesses
    to `memory`; 0 if the number is not known."""

    def __init__(self, case, memory, expected, options):
        self.case, self.memory, self.expected = case, memory, expected
        self.suite = case.split("/")[0]
        self.defined = dict((name, value) for name, value in
                            re.findall(r"-D(\w+)(?:=(\S+))?", options))

    def has(self, name):
        return name in self.defined

    def number(self, name):
        return int(self.defined[name])

    def is_private(self):
        return self.memory == "private"

    def scratch_is_meant(self):
        """Whether the kernel is meant to use scratch memory: its array is too large for registers, or the index is
        known only at run time."""
        if self.suite == "histogram":
            return self.has("IN_REGISTERS") or self.has("IN_PRIVATE")
        if self.has("STATIC"):
            return self.number("N") > 32
        return self.has("UNIFORM") or self.has("NONUNIFORM") or self.has("UNIQUE")

    def wanted(self, scratch, counts):
        """The expected numbers of messages in loops, by the pairs of kind_of; None if only `expected` is known."""
        loads_from, stores_to = lambda m, n: {("load", m): n}, lambda m, n: {("store", m): n}
        if self.suite == "prefetch":
            uses = min(self.number("REUSE"), 32) # the kernel unrolls at most 32 uses of an element
            if self.has("DIRECT"):
                return loads_from("global", uses)
            copies = 16 if self.has("BY_ONE") else 1
            return {**loads_from("global", copies), **stores_to("local", copies), **loads_from("local", uses)}
        if self.suite == "stage":
            row = self.number("ROW")
            if self.has("DIRECT"):
                return stores_to("global", row)
            copied = {**loads_from("local", 1), **stores_to("global", 1)}
            return {**copied, **stores_to("local", row)}
        if self.suite == "barrier":
            return {**loads_from("local", self.number("STEPS")), **stores_to("local", self.number("STEPS"))}
        if self.has("STAGED") and self.suite == "convolution": # 3 copies: the element, and the halo in two loops
            return {**loads_from("local", 257), **loads_from("global", 257 + 3), **stores_to("local", 3)}
        if self.has("STAGED_BY_ALL"):
            return {**loads_from("local", 257), **loads_from("global", 257 + 2), **stores_to("local", 2)}
        if self.suite == "local-write":
            return stores_to("local", self.expected)
        if self.suite == "local-size":
            return {**loads_from("local", 1), **stores_to("local", 1)}
        if self.suite == "private" and self.has("IN_LOCAL"): # the global load is that of the iteration's index
            elements = self.number("N")
            return {**loads_from("local", elements), **stores_to("local", elements),
                    **loads_from("global", 1)}
        if self.has("UNIFORM") or self.has("NONUNIFORM") or self.has("UNIQUE"): # the whole array is in registers or in memory
            # A uint3 takes the space of 4 components. Some compilers read and write its 3 used components one by one.
            by_components = self.defined.get("T") == "uint3" and counts["store", "global"] > self.number("N")
            messages_each = 3 if by_components else 1
            elements = self.number("N") * messages_each if scratch else 0
            return {**loads_from("global", 1 + elements), **({("store", "global"): elements} if elements else {})}
        return {} if self.is_private() else None

    def faults(self, scratch, counts, chain):
        """Yields a sentence for each fault in the instructions."""
        # Between two loads, the loaded value is masked and xor-ed into the address.
        if self.suite == "latency" and not 0 < chain <= 2:
            yield f"{chain} instructions between a read and the next read's address; expected 1 or 2"
        if self.suite == "histogram":
            yield from self.histogram_faults(counts)
            return
        if self.suite == "atomic":
            yield from self.atomic_faults(counts)
            return
        if "-write-" in self.case and self.suite == "level":
            yield from self.tile_write_faults(counts)
            return
        wanted = self.wanted(scratch, counts)
        if wanted is None:
            yield from self.pattern_faults(counts)
            return
        multiple = 1
        if self.suite in UNROLLED_AT_WILL:
            multiple = max(1, counts["load", "local" if self.suite == "local-size" else "global"])
        for key in sorted({*wanted, *counts}):
            if counts[key] != wanted.get(key, 0) * multiple:
                yield (f"{counts[key]:g} {key[0]} messages of {key[1]} memory; "
                       f"expected {wanted.get(key, 0) * multiple:g}")

    def histogram_faults(self, counts):
        """Checks a histogram kernel: if work-items share bins, there is one atomic per sample. Setting the bins to zero
        and merging them are separate loops."""
        loads, samples = counts["load", "global"], 8 if self.number("BINS") <= 256 else 4
        where = "global" if self.has("IN_GLOBAL") else "local" if self.has("IN_LOCAL") else None
        if loads <= 0:
            yield "the kernel has no loads of global memory"
        elif self.has("IN_OWN"): # Two more atomics per bin merge the bins. Their loop may be unrolled completely.
            merging = counts["atomic", "global"] - samples * loads
            if not 0 < merging <= 2 * (self.number("BINS") // self.number("GROUP") + 1) or merging % 2:
                yield f"{counts['atomic', 'global']:g} atomics of global memory and {loads:g} loads, expected {samples} each"
        elif where and counts["atomic", where] != samples * loads:
            yield f"{counts['atomic', where]:g} atomics of {where} memory and {loads:g} loads, expected {samples} each"

    def atomic_faults(self, counts):
        """Checks a kernel of atomics: there is one atomic per addition, however far the compiler unrolls the loop, and
        at most one store, in a loop that sets local memory to zero."""
        where, additions = "local" if self.has("IN_LOCAL") else "global", self.number("UNROLL")
        atomics = counts["atomic", where]
        if atomics <= 0 or atomics % additions != 0:
            yield f"{atomics:g} atomics of {where} memory, expected {additions} per round"
        for key in sorted(set(counts) - {("atomic", where)}):
            if counts[key] > (key == ("store", "local") and where == "local"):
                yield f"{counts[key]:g} {key[0]} messages of {key[1]} memory"

    def tile_write_faults(self, counts):
        """Checks a kernel that only writes: there are the expected stores, and at most one loop that reads the data
        back."""
        if counts["store", "global"] != self.expected:
            yield f"{counts['store', 'global']:g} stores of global memory, expected {self.expected:g}"
        for key in sorted(set(counts) - {("store", "global")}):
            if key != ("load", "global") or counts[key] > self.expected:
                yield f"{counts[key]:g} {key[0]} messages of {key[1]} memory"

    def pattern_faults(self, counts):
        """Checks a kernel that accesses memory by an index expression: it has the expected loads in its loops."""
        if self.expected <= 0:
            yield "no counts are known for this case"
            return
        here = "local" if self.memory == "local" else "global"
        other = "global" if here == "local" else "local"
        loads, stores = counts["load", here], counts["store", here]
        wanted = self.expected + OTHER_PATHS.get(self.case, 0)
        if self.suite == "bank-update": # each step reads once and writes once
            if (loads, stores) != (wanted / 2, wanted / 2 + 1): # and one more write, in the loop that sets memory to zero
                yield f"{loads} loads and {stores} stores of {here} memory, expected {wanted / 2:g}, and one more store"
        elif loads != wanted:
            yield f"{loads} loads of {here} memory, expected {wanted:g}"
        # A separate loop fills local memory from global memory. There are no other accesses.
        filled = {("load", "global"), ("store", "local")} if here == "local" else set()
        counted = {("load", here)} | ({("store", here)} if self.suite == "bank-update" else set())
        for key in sorted(set(counts) - counted):
            if counts[key] > (key in filled):
                yield f"{counts[key]:g} {key[0]} messages of {key[1]} memory"
