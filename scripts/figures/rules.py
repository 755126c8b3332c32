"""Figures for results/rules/README.md, from the files beside it."""
import itertools
import random
import re
import runpy
import subprocess
import sys

from common import (RESULTS, ROOT, Missing, Run, bullets, cells_of, constant, count, distance, listed, machine_values, number,
                    paragraph, percent, rounded, rows_of, spread, table, version)
from reference import H200, verdicts, worst_of

SETS = ("stride", "offset", "shape", "lines", "pair", "random")
MASKS = tuple(int(mask, 16) for mask in re.search(
    r"^tag_masks = (.*)$", (ROOT / "host/model/machines/nvidia-hopper.machine").read_text(encoding="utf-8"), re.M)[1].split())
SHOWN_OF_TYPE = 4
SCHEMA_OF_OVERLAP = 4 # files of an older schema were measured before the rule of overlapping waits existed


def read(name):
    return Run(f"rules/{name}")


def expressions(one):
    """Returns the expressions of the patterns that the seed generates, by name; None if the file has no such
    patterns."""
    if "check-rules" in one["command"]:
        said = subprocess.run([sys.executable, str(ROOT / "scripts/random-patterns"), one["seed"], "100"],
                              capture_output=True, text=True, check=True).stdout
        return dict(line.split(" = ", 1) for line in said.splitlines() if " = " in line)
    if "check-levels" in one["command"]:
        levels_script = runpy.run_path(str(ROOT / "scripts/check-levels"))
        draw = random.Random(int(one["seed"]))
        return {f"{kind}-{i}": levels_script["expression"](draw, i % 6) for kind in levels_script["TYPES"]
                for i in range(levels_script["COUNT"])}
    return None


def check_seed(one):
    """Checks that the patterns in the file are those of the seed that the file states."""
    made = expressions(one)
    for row in rows_of(f"rules/{one['file']}") if made else []:
        name = row["case"].removeprefix("try/")
        if name in made and row["note"].partition(";")[0] != made[name]:
            raise Missing(f"{one['file']} is not of seed {one['seed']}: its pattern {name} differs")


def files(_):
    """The table of files.csv, with the device, date and version that each file states."""
    rows = []
    for one in rows_of("rules/files.csv"):
        check_seed(one)
        all_rows = rows_of(f"rules/{one['file']}") if one["file"].endswith(".csv") else [{}]
        first = all_rows[0]
        device = (", ".join(sorted({row["device"] for row in all_rows} - {""})) if "device" in first
                  else first.get("replay_device", "").partition(" (")[0])
        rows.append([f"`{one['file']}`", one["what"], f"`{one['command'].replace('SEED', one['seed'])}`" if one['command'] else "-", device, first.get("time_utc", "")[:10],
                     version(first) if first.get("tool_version") else ""])
    named = {row[0].strip("`") for row in rows}
    beside = {path.name for path in (RESULTS / "rules").iterdir()} - {"README.md", "files.csv"}
    if named != beside:
        raise Missing(f"only one of files.csv and the folder has {', '.join(sorted(named ^ beside))}")
    return table(["file", "what is in it", "command", "device", "when", "version"], rows)


def check_rules(_, *names):
    """The mean and the largest distance of each set of patterns."""
    text = ""
    for name in names:
        run = read(name)
        rows = []
        for memory in ("global", "local"):
            for lanes in ("16", "32"):
                cells = []
                for one in SETS:
                    try:
                        _, mean, largest, _ = spread([row for row in run.within(f"try/{one}")
                                                      if (row["memory"], row["lanes"]) == (memory, lanes)])
                        cells.append(f"{100 * mean:.1f}, {percent(largest)}")
                    except Missing:
                        cells.append("-")
                rows.append([memory, lanes, *cells])
        n, mean, largest, worst = spread(run.rows)
        text += table([f"{run.first['device']}", "lanes", "strides", "offsets", "shapes", "lines", "pairs", "random"], rows)
        text += "\n" + paragraph(
            f"Each cell has the mean and the largest |measured / predicted - 1| of a set in `{name}`, of predictions other "
            f"than 1 (-: there are none). Over all {n} rows with such a prediction, the mean is {percent(mean)} and the largest {percent(largest)} (`{worst['case'][len('try/'):]}`, "
            f"{worst['lanes']} lanes). The predictions are by the rules of {version(run.first)}"
            + (", which had no `overlap_percent` (below) yet." if run.schema < SCHEMA_OF_OVERLAP else ".")) + "\n"
    return text


def lines_of(name):
    """Returns (passes, addresses) of each set of lines."""
    sets = []
    for text in (RESULTS / "rules" / name).read_text(encoding="utf-8").splitlines():
        words = text.split()
        if words and not words[0].startswith("#"):
            sets.append((int(words[0]), [int(word, 16) for word in words[1:]]))
    return sets


def passes(addresses, bits=64):
    """The number of lines in the busiest tag bank."""
    banks = [0] * 4
    for address in set(addresses):
        number_of_line = (address & ((1 << bits) - 1)) >> 7
        banks[sum((bin(number_of_line & mask).count("1") & 1) << i for i, mask in enumerate(MASKS))] += 1
    return max(banks)


def tag_masks(_):
    """The hash of the tag banks."""
    return paragraph(
        "Before a read of global memory gets data, the tags of its 128-byte lines are looked up. An H100 has **four tag "
        "banks, each of which looks up one line per clock**. A linear hash of the line's index (address / 128) selects the "
        f"bank: bit 0 of the bank's number is the parity of (index & {MASKS[0]:#x}), and bit 1 is the parity of (index & "
        f"{MASKS[1]:#x}). A request takes as many clocks as its busiest tag bank has lines to look up, or as many as "
        "its busiest data bank has words to deliver, whichever is more.")


def tag_evidence(_):
    """What was measured to find the hash."""
    shared = [n for n in range(1, 64) if passes([0, n << 7]) == 2]
    closed = [f"{shared[0]} ^ {other} = {shared[0] ^ other}" for other in (shared[1], shared[3])]
    if not all(a ^ b in shared for a, b in itertools.combinations(shared, 2)):
        raise Missing("the lines that share a bank are not closed under exclusive or")
    far = lines_of("nvidia-h200-hash.txt")
    single = sum(len(lines) == 2 and bin(lines[0] ^ lines[1]).count("1") == 1 for _, lines in far)
    return bullets(
        f"Any two lines took either one pass or two, never a value in between. By the masks, line 0 takes two passes with "
        f"lines {listed(map(str, shared))} of the first 64, and one pass with all others. These line numbers are closed under "
        f"exclusive or ({', '.join(closed)}, ...).",
        "Two lines share a bank if, and only if, the exclusive or of their indices has an even number of ones under each "
        "mask. So over GF(2), the exclusive ors of all pairs that took two passes span all but two dimensions, and "
        "elimination yields the two masks.",
        f"`nvidia-h200-lines.txt` has {len(lines_of('nvidia-h200-lines.txt'))} of the pairs and larger sets, from a CUDA "
        "kernel in which eight sub-groups read the lines of a set 4096 times; a test compares the model with them.",
        "The driver reserves 2^46 bytes of virtual addresses on request, and 2 MiB of memory can be mapped anywhere in this "
        f"range. Pairs of lines there gave the upper bits of the masks. `nvidia-h200-hash.txt` holds such pairs, {single} of "
        "which differ in a single bit, and sets of lines anywhere in these 64 TiB (`scripts/check-hash.cu`).",
        "Sets of random lines, of consecutive lines, and of lines assigned to the lanes in other orders took as many passes as "
        "their busiest bank has lines, no matter which lane asks for which line.")


def tag_hash(_):
    """For how many sets of lines, in both files, the masks predict the right number of passes."""
    sentences = []
    for name in ("nvidia-h200-lines.txt", "nvidia-h200-hash.txt"):
        sets = lines_of(name)
        sentences.append(f"of {sum(passes(lines) == n for n, lines in sets)} of the {len(sets)} pairs and sets (of up to "
                         f"{max(len(lines) for _, lines in sets)} lines) in `{name}`")
    short = sum(passes(lines, 38) == n for n, lines in sets)
    return paragraph(f"The masks predict the passes {listed(sentences)}. If the bits above bit 37 of the address are ignored, "
                     f"the masks predict the passes of {short} of the {len(sets)} in the second file.")


def wide(_):
    run = read("nvidia-h200-wide.csv")
    n, mean, largest, _ = spread(run.rows)
    return paragraph(f"The {n} patterns of `nvidia-h200-wide.csv` with a prediction other than 1 (`int2` and `int4`; a test lists the expressions) differ from the "
                     f"column `predicted`, which the rules of {version(run.first)} computed, by {percent(mean)} on average and by "
                     f"{percent(largest)} at most.")


def constant_memory(_):
    run = Run(H200)
    return paragraph("In the reference run, predictions other than 1 for `constant/lines-*` and `width/constant-*` are "
                     + worst_of(run, "constant/lines", "width/constant") + ".")


def declared_constants(_):
    """Reads of constant arrays that a program declares: the unit's time per address, and a single sub-group's per read."""
    rows = rows_of("rules/nvidia-constants.csv")
    ns = {(row["type"], int(row["stride"]), int(row["distinct"]), int(row["sub_groups"]), int(row["rounds"])): int(row["ns"]) for row in rows}
    rounds = sorted({key[4] for key in ns})
    per_read = {key[:4]: (ns[(*key[:4], rounds[1])] - ns[(*key[:4], rounds[0])]) / (rounds[1] - rounds[0]) for key in ns}
    busiest = max(key[3] for key in per_read)
    of_machine = machine_values("nvidia-hopper")
    shown = []
    for distinct in sorted({key[2] for key in per_read}):
        of = [key for key in per_read if key[2] == distinct]
        alone = [per_read[key] for key in of if key[3] == 1]
        each = [per_read[key] / busiest / distinct for key in of if key[3] == busiest]
        shown.append([str(distinct), f"{min(alone):.1f} to {max(alone):.1f}", f"{min(each):.2f} to {max(each):.2f}"])
    types = listed(f"`{name}`" for name in dict.fromkeys(row["type"] for row in rows))
    return table(["addresses of a request", "ns per read, 1 sub-group per unit", f"ns per address, {busiest} sub-groups per unit"],
                 shown) + "\n" + paragraph(
        f"The ranges are over arrays of {types} and over strides of "
        + listed(str(stride) for stride in sorted({key[1] for key in per_read})) + " elements. By the machine, a compute unit takes "
        f"{of_machine['constant_address_clocks']:g} clocks for each address (`constant_address_clocks`). A read of one address "
        f"takes {of_machine['constant_latency_ns']:g} ns (`constant_latency_ns`), without the additions and logical operations of "
        f"the chain, and each further address {of_machine['constant_further_ns']:g} ns (`constant_further_ns`).")


def global_additions(_):
    """Atomic additions to few and many words of global memory, in ns per request."""
    rows = [row for row in rows_of("rules/nvidia-atomics.csv") if row["uses"] == "0"]
    launch_ns = machine_values("nvidia-h100")["launch_ns"]
    each = {}
    for row in rows:
        requests = int(row["work_items"]) / 32 * int(row["rounds"])
        each[int(row["words"]), int(row["spread"])] = (int(row["ns"]) - launch_ns) / requests
    shown = [[str(words)] + [f"{each[words, spread]:.2f}" for spread in (0, 2, 1)] for words in sorted({key[0] for key in each})]
    return table(["words", "ns per request, a random word per lane", "per 8 lanes", "per sub-group"], shown) + "\n" + paragraph(
        f"Lanes that add to the same word take {constant('host/model/time_memory.c', 'OF_UPDATE_NS'):g} ns each: {each[1, 1]:.1f} ns for "
        "32 lanes. Different words of a sector are updated together, so a request takes as long as its busiest word; sectors that are "
        "in one slice of L2 are updated one after another. The words of 256 bytes are in one slice, those of 512 bytes in two, and those "
        f"of 2 KiB in four ({each[512, 1]:.1f} ns). It does not matter whether the kernel uses the old values, unless the words are "
        "so many that the compute units limit the rate.")


def additions(_):
    """Throughput of atomic additions to local and to global memory."""
    run = Run(H200)
    costs = [1 - run.of("atomic/local-banks-returned"),
             1 - run.of("atomic/local-word-returned") / run.of("atomic/local-word"),
             1 - run.of("atomic/global-words-returned")]
    slower = [1 / run.of(f"atomic/global-{case}") for case in ("word", "lines")]
    return paragraph(
        f"In the reference run, predictions other than 1 for `atomic/local-*` are {worst_of(run, 'atomic/local')}. If the "
        f"kernel uses the value that an addition returns, throughput falls by {percent(costs[0])} with a separate bank for each "
        f"lane, by {percent(costs[1])} with one word for all lanes, and by {percent(costs[2], 0)} for additions to global "
        "memory.") + "\n" + paragraph(
        "There is no rule for additions to global memory. If no two groups add to the same words, a request whose lanes all add to "
        f"one word takes {rounded(slower[0])} times as long as a request for 32 words of one line; a request for words of 32 "
        f"lines takes {rounded(slower[1])} times as long.")


def barriers(_):
    run = Run(H200)
    one, two = (run.of(f"barrier/{n}", name="case_ns") for n in (32, 64))
    return paragraph(
        f"A barrier, with a write to local memory before it and a read after it, takes {rounded(one)} ns in a group of one "
        f"sub-group on an {run.first['device']}, and {percent(two / one - 1)} ({rounded(two - one, 2)} ns) more in a group "
        f"of two sub-groups. The rule adds the same time for each further sub-group; it is {worst_of(run, 'barrier/')}.")


def counters(_):
    rows = rows_of("rules/nvidia-h200-counters.csv")
    shown = []
    for op in dict.fromkeys(row["op"] for row in rows):
        for width in sorted({int(row["bytes"]) for row in rows}):
            some = [row for row in rows if row["op"] == op and int(row["bytes"]) == width]
            off = [abs(int(row["model"]) - int(row["counted"])) for row in some]
            shown.append([op, width, len(some), off.count(0), max(int(row["counted"]) for row in some), max(off)])
    agree = sum(row["model"] == row["counted"] for row in rows)
    return paragraph(f"{agree} of {len(rows)} requests take as many passes as the model predicts:") + "\n" + table(
        ["kind of request", "bytes per lane", "requests", "agree", "most passes", "largest difference"], shown)


def level_rows(name):
    """The rows of a file, by the level at which their data lay."""
    return {where: [row for row in read(name).rows if place(row) == where] for where in ("L2", "memory")}


def place(row):
    """The level at which the pattern's data lay, even if the row has no prediction."""
    return row.get("level") or ("memory" if float(row["working_set_bytes"]) > 1 << 28 else "L2")


def levels(_):
    shown = []
    for name, what in (("nvidia-h200-level-reads.csv", "reads"), ("nvidia-h200-level-writes.csv", "writes"),
                       ("nvidia-h200-level-writes-b.csv", "writes (b)"), ("nvidia-h200-level-writes-c.csv", "writes (c)"),
                       *((f"nvidia-h100-level-{level}-{what}.csv", f"H100: {what}")
                         for what in ("reads", "writes") for level in ("l2", "memory"))):
        for where, rows in level_rows(name).items():
            if not rows:
                continue
            _, mean, largest, worst = spread(rows)
            n = sum(distance(row) is not None for row in rows)
            shown.append([f"{what}, {where}", n, len(rows) - n, percent(mean), f"{percent(largest)} (`{worst['case'][4:]}`)"])
    return table(["", "patterns with a prediction", "without", "mean distance", "largest"], shown) + "\n" + paragraph(
        "The predictions were computed by the versions that measured the rows (first table of this page). The mean and the "
        "largest distance are those of predictions other than 1.")


def hopper():
    """The values of the machine to which these rules belong."""
    return machine_values("nvidia-hopper")


def limit(name):
    """A limit of the rules, taken from the model's source."""
    return constant("host/model/granules.c", name)


def read_rules(_):
    """What a read request costs in L2 and in memory, by the values of the machine."""
    of = {key.partition("memory_")[2]: value for key, value in hopper().items()}
    line, least = (hopper()[f"l2_least_of_{what}_percent"] for what in ("line", "request"))
    opened = [max(granules, of["open_percent"] + of["line_percent"] * lines + of["granule_percent"] * granules)
              for lines, granules in ((1, 1), (1, 2), (2, 2), (2, 4))]
    return bullets(
        f"**L2** charges the number of {hopper()['l2_granule_bytes']:g}-byte sectors that a request reads, or {line:g} for each of "
        f"its lines, whichever is more, but at least {least:g}.",
        f"**Memory** charges granules of {of['granule_bytes']:g} bytes. Each block of {of['block_bytes']:g} bytes costs the number "
        f"of its granules that a request reads, but at least {of['open_percent']:g} + {of['line_percent']:g} for each line + "
        f"{of['granule_percent']:g} for each granule. So a single granule costs {opened[0]:.3g}, both granules of a line "
        f"{opened[1]:.3g}, one granule of each of the two lines {opened[2]:.3g}, and all four {opened[3]:.3g}.")


def shared_rules(_):
    """What requests that share granules in memory cost, by the values of the machine and the limits of the model."""
    of = {key.partition("memory_")[2]: value for key, value in hopper().items()}
    alone = of["open_percent"] + of["line_percent"] + of["granule_percent"]
    filled = 2 * of["write_block_bytes"] / hopper()["sector_bytes"]
    shared = of["write_shared_percent"]
    return bullets(
        f"**Scattered reads** ({limit('SCATTERED'):g} or more granules per request): C(1) - ({of['near_percent']:g} + "
        f"{of['alike_percent']:g} *a*) x (C(1) - C(4)) - {of['far_percent']:g} x (C(1) - C(8)). *a* is the share of a request's "
        f"granules that the most similar request also fetches; above {limit('MOST_ALIKE'):g} there is no rule.",
        f"**Repeated reads** (a request has {limit('MIN_REPEATED'):g} or more granules and a neighbour fetches all of them too, "
        "such as in a transposition whose columns are whole lines apart): each further fetch of a granule costs "
        f"{percent(1 - of['repeated_percent'], 0)} of the first.",
        "**Reads that share ends** (no other request fetches more than a third of a request's granules; an example is reads at an "
        "offset): each request pays for all its granules. But a granule that is the request's only one in a block costs 1 instead "
        f"of {alone:.3g} if another request fetches the whole block, because the block is opened anyway.",
        f"**Scattered writes** ({limit('SCATTERED'):g} or more sectors per request, all of them partial): {shared:g} times the cost "
        f"without sharing if a sector is written by up to {limit('MOST_SCATTERED_WRITES'):g} requests on average. If *w* requests write a sector, with *w* from "
        f"{limit('MOST_SCATTERED_WRITES'):g} to {limit('MOST_REPEATED_WRITES'):g}, {shared:g} - {of['write_repeated_percent']:g} x "
        "(*w* - 1) times, presumably because some sectors are then still in L2; in this case the requests must write different "
        f"bytes, and complete at most {percent(limit('MOST_COMPLETED'), 0)} of the sectors together.",
        f"**Dense writes** (partial sectors only; each request costs more than {filled:g} whole sectors): {shared:g} times the cost without "
        "sharing if requests share lines at their ends, and the cost without sharing if they share only blocks.",
        f"**Short writes** (requests side by side that together write all sectors of their blocks, such as `uchar` at an offset "
        f"or with a stride of 2 or 3, up to {limit('MOST_SHORT'):g} sectors per request): {shared:g} - "
        f"{of['write_adjacent_percent']:g} x (*n* - 1) times the cost without sharing. *n* is the number of requests per block. "
        "Presumably, the more requests write to a block, the more of them find it still in L2.",
        "**Runs of bytes that begin and end within a sector**, such as `int` misaligned to sectors, with "
        f"{limit('MIN_WHOLE'):g} or more whole sectors per request: {of['write_run_whole_percent']:g} for each whole sector, and "
        f"{of['write_run_part_percent']:g} for each of the two partial sectors at the ends.",
        "**Blocks with whole sectors, partial sectors and gaps** (each sector written by one request): the request's cost is "
        "first computed as if sectors of each kind cost what they cost alone. If such blocks make up at least "
        f"{percent(limit('MANY_MIXED'), 0)} of that cost, it is multiplied by {of['write_mixed_percent']:g}; if they make up at most "
        f"{percent(limit('FEW_MIXED'), 0)}, by {of['write_shared_percent']:g} + {of['write_few_mixed_percent']:g} x their share.",
        f"**Whole sectors only**, {limit('MIN_WHOLE_ALONE'):g} or more per request. No block is read first, but a block that two "
        "requests fill is opened twice. A request that is one run of bytes (an offset of whole sectors) costs "
        f"{of['write_split_percent']:g} more than its sectors. Other requests of up to {limit('MOST_LINES_OF_RUNS'):g} lines (a "
        f"transposition of few, long columns) cost C(1) - {of['write_gathered_percent']:g} x (C(1) - C(8)).")


def write_rules(_):
    """What writes cost, by the values of the machine."""
    of = hopper()
    l2 = [of["l2_write_alone_percent"] + of["l2_write_whole_percent"] * sectors for sectors in (1, 2)]
    memory = {key.partition("memory_write_")[2]: value for key, value in of.items()}
    block = memory["block_bytes"] / of["sector_bytes"]
    return bullets(
        "**L2**: a line costs as many units as the request writes sectors of it, and one more if any of them is only partially "
        f"written. A line with only fully written sectors costs at least {of['l2_write_alone_percent']:g} + "
        f"{of['l2_write_whole_percent']:g} for each of them: {l2[0]:.3g} for one, {l2[1]:.3g} for two. Writes to the line by other "
        "requests make no difference.",
        f"**Memory**: if any sector of a {memory['block_bytes']:g}-byte block is only partially written, the whole block is read "
        "first. NVIDIA's counters confirm this: at strides of 2 to 8 `int`, as many bytes are read as written. If all sectors are "
        f"fully written, nothing is read. Such a block costs {memory['open_percent']:g} + {memory['line_percent']:g} for each of its "
        f"lines, or {memory['fill_percent']:g} + {memory['part_percent']:g} for each partial sector, whichever is more, but at most "
        f"{2 * block:g}, the cost of reading and writing all of it. A block with only fully written sectors costs at least "
        f"{memory['alone_percent']:g} + {memory['whole_percent']:g} for each pair of sectors, and at most {block:g}, the cost of "
        "writing all of it. Blocks with sectors of both kinds cost more, by the rules of the previous section. These rules predict "
        "nothing if other requests' writes to the same blocks would change a request's charge by over 10 %; the rules of the "
        "previous section then apply instead.")


def useful(row):
    """Returns a row's useful GB/s as texts: measured, and by the rule; '-' if missing."""
    if not row["measured"]:
        return "-", "-"
    speed = number(row, "gbytes_per_s")
    off = distance(row)
    return f"{speed:.0f}", "-" if off is None else f"{speed / (1 + off):.0f}"


def sharing_limits(_):
    """How many requests may share a granule if no rule says how much that saves."""
    l2, memory = (constant("host/run/level.c", name) for name in ("MOST_SHARED", "MOST_SHARED_OF_BLOCKS"))
    return paragraph(
        "But sometimes requests do share granules: misaligned `int2` costs less than the rule says. The more granules "
        f"requests have in common, the more is saved. So in L2 nothing is predicted if, on average, more than {l2:g} requests "
        "of a group read the same granule, unless each request is charged like a contiguous one. In memory the limit is "
        f"{memory:g} requests; beyond this limit, only the rules of the next section predict anything. A contiguous access "
        "that is limited by its own instructions (`uchar`) is charged its measured time.")


def unpredicted(_):
    return paragraph(
        "In most patterns that still have no prediction, requests share granules. The patterns that were not measured reach "
        "beyond the largest possible array (8 GiB, or 2^31 elements). A working set counts as lying at one level if a set half "
        f"as large is accessed as fast, within {percent(constant('host/run/level.c', 'KNEE'), 0)}.")


def written(_):
    """The throughput of the first patterns of each type, in L2 and in memory."""
    places = level_rows("nvidia-h200-level-writes.csv")
    in_memory = {row["case"]: row for row in places["memory"]}
    shown = []
    for kind in sorted({row["type"] for row in places["L2"]}):
        some = [row for row in places["L2"] if row["type"] == kind and row["case"] in in_memory]
        for row in some[:SHOWN_OF_TYPE]:
            index = row["note"].partition(";")[0].replace("get_global_id(0)", "id")
            shown.append([f"`{kind}`", f"`{index}`", *useful(row), *useful(in_memory[row["case"]])])
    return table(["type", "index", "L2", "rule", "memory", "rule"], shown)


def traces(_):
    rows = [row for row in rows_of("rules/nvidia-h200-traces.csv") if row["replay_verdict"]]
    off = [(abs(float(row["replay_measured"]) / float(row["replay_predicted"]) - 1), row) for row in rows
           if row["replay_predicted"] and row["replay_measured"]]
    largest, worst = max(off, key=lambda one: one[0])
    found = verdicts([{"verdict": row["replay_verdict"]} for _, row in off])
    return paragraph(
        f"Of {len(off)} replayed lines, {found}; the mean error is {percent(sum(one for one, _ in off) / len(off))}. The "
        f"largest error, {percent(largest)}, is that of a {worst['memory']}-memory {worst['op']} in `{worst['kernel']}`.")


def public(bankline):
    """A table of the errors that scripts/check-public prints for each machine."""
    done = subprocess.run([sys.executable, str(ROOT / "scripts/check-public"), bankline], capture_output=True, text=True,
                          check=False)
    if done.returncode > 1:
        raise Missing(done.stderr.strip())
    gpus, shown = {}, []
    for line in done.stdout.splitlines():
        kind = re.match(r"(\S+) +(\S.*?) +(global|local) +\S+ +([1-9]\d*) compared", line)
        machine = re.match(r"(\S+): (\d+) figures, mean ([\d.]+) %, worst ([\d.]+) %", line)
        if kind:
            gpus.setdefault(kind[1], {}).setdefault(kind[2], set()).add(kind[3])
        elif machine:
            names = [gpu + (", local memory" if memories == {"local"} else "") for gpu, memories in gpus[machine[1]].items()]
            shown.append([f"`{machine[1]}`", "; ".join(names), machine[2],
                          *(percent(float(text) / 100) for text in machine.groups()[2:])])
    return table(["machine", "GPU", "figures compared", "mean", "worst"], shown)


def programs(_):
    """The programs of other people's suites, and how long it takes to trace them."""
    rows = rows_of("rules/programs.csv")
    whole = [row for row in rows if row["is_whole"] == "1"]
    def ratio(rows):
        return sum(float(row["trace_cpu_s"]) for row in rows) / sum(float(row["oclgrind_cpu_s"]) for row in rows)
    longest = max(whole, key=lambda row: float(row["trace_s"]))
    body = [[row["suite"], row["program"], f"`{row['command']}`", row["kernels"], row["launches"], row["accesses"],
             row["oclgrind_cpu_s"], row["trace_cpu_s"], row["trace_s"]] for row in rows]
    said = table(["suite", "program", "command", "kernels", "launches", "accesses", "Oclgrind, CPU s", "traced, CPU s",
                  "traced, wall-clock s"], body)
    return paragraph(f"`scripts/check-programs` traces {len(rows)} programs of {count(len({row['suite'] for row in rows}), 'suite')}.") + "\n" + said + "\n" + paragraph(
                f"{len(whole)} of {len(rows)} traces are complete; the longest took {float(longest['trace_s']):.0f} s. Together "
                f"they take {ratio(whole):.2f} times as much CPU time as Oclgrind alone, and "
                f"{ratio([row for row in whole if row is not longest]):.2f} times without the longest.")


def tile(row):
    kernel, element, size = row[:3]
    return f"`{kernel}` of {size} `{element}`"


def advice_cost(_):
    """The rule of the model that keeps a layout from being advised because of its instructions."""
    usual, short = (constant("host/model/transform.c", name) for name in ("INSTRUCTIONS", "OF_SHORT_INDEX"))
    return bullets(
        "A layout with fewer passes is not advised if, with it, the instructions of the accesses would take about as long as the "
        f"passes take now, or longer. An access is assumed to take {usual:g} instructions. If work-items walk along rows, the "
        f"compiler computes the beginning of a row only once; so {short:g} instructions are assumed there, if the layout pads or "
        "transposes the array's own rows.")


def stencils(_, name):
    """How many of the tiles for which the advice is over 3 % slower than the best alternative are stencils."""
    off = [row for row in cells_of(name)[2:] if float(row[4]) > 1.03 * float(row[3])]
    some = [row for row in off if row[0] == "stencil_tile"]
    turned = sum(row[6].startswith("turned") for row in some)
    return paragraph(f"Of the {count(len(off), 'tile')} in `{name}` that are over 3 % slower than the best alternative, "
                     f"{count(len(some), 'is a stencil', 'are stencils')}; {count(turned)} of these stencils would be fastest "
                     "if transposed.")


def gains(_, name):
    """How many of the predicted gains by padding are within 10 %."""
    off = [abs(float(row[7].rstrip(" %"))) for row in cells_of(name)[2:]]
    return paragraph(f"{count(sum(one <= 10 for one in off)).capitalize()} of the {count(len(off))} predicted gains are within "
                     "10 % of the measured ones.")


def advice(_, name):
    """Sentences about the tiles in a table of check-advice that became slower, or for which the best alternative is over
    3 % faster than the advice."""
    rows = cells_of(name)[2:]
    gains = [(row, float(row[3]), float(row[4])) for row in rows]
    said = [f"With the advice, {tile(row)} takes {1 / now:.2f} times as long as without." for row, now, _ in gains if now < 1 / 1.03]
    off = sorted(((best / now - 1, row) for row, now, best in gains if best > 1.03 * now), key=lambda one: -one[0])
    if off:
        least, most = percent(off[-1][0], 0), percent(off[1][0], 0)
        said.append(f"Of the tiles that take over 3 % longer than with the best alternative, {tile(off[0][1])} takes "
                    f"{percent(off[0][0], 0)} longer; the others take {least} to {most} longer.")
    return paragraph(*said)


def alarms(_, name):
    """How many edited kernels with an alarm were measured to be slower."""
    rows = [row for row in rows_of(f"rules/{name}") if row["time_ratio"]]
    def said(result, of):
        edited = [row for row in rows if row["result"] == result]
        slower = [float(row["time_ratio"]) for row in edited if float(row["least_ratio"]) > 1]
        return f"Of {len(edited)} {of}, {len(slower)} take longer than before the edit, up to {max(slower):.1f} times as long."
    return paragraph(f"All {len(rows)} edited kernels raised an alarm." if all(row["result"] in ("found", "hidden") for row in rows) else "",
                     said("found", "kernels that are predicted to take longer"),
                     said("hidden", "kernels that are predicted to take as long as before"))


BLOCKS = {"advice": advice, "stencils": stencils, "advice-cost": advice_cost, "gains": gains, "tag-masks": tag_masks, "tag-evidence": tag_evidence,
          "sharing-limits": sharing_limits, "unpredicted": unpredicted, "alarms": alarms, "rules-files": files, "check-rules": check_rules, "tag-hash": tag_hash, "wide": wide, "constant": constant_memory, "declared-constants": declared_constants, "global-additions": global_additions,
          "additions": additions, "barriers": barriers, "counters": counters, "levels": levels, "written": written,
          "read-rules": read_rules, "shared-rules": shared_rules, "write-rules": write_rules,
          "traces": traces, "programs": programs, "public": public}
