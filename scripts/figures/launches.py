"""Figures of results/rules/README.md: times of kernels, predicted and measured, and launches of small test kernels."""
import itertools
import math
import re
import runpy
import statistics

from common import (RESULTS, ROOT, Missing, bullets, code, constant, count, listed, machine_values, paragraph, percent,
                    rows_of, table)

SCRIPT = runpy.run_path(str(ROOT / "scripts/check-times"))
SWEEP = ("nvidia-h200-sweep-predicted.csv", "nvidia-h200-sweep.csv")
LAUNCHES_OF_A_PROCESS = 144 # six launches of each of 24 kernels
LINES = (250, 500, 1000, 2000, 4000, 8000)
INSTRUCTIONS_OF_A_LINE = 3
SIZE = re.compile("-(small|large)$") # of a program, in its name
IDLE_LONG_US = 200 # launches that usually take longer are not compared with those that find the device idle


def us(ns):
    return f"{ns / 1000:.1f}"


def launch_times(rows, is_first):
    return [int(row["ns"]) for row in rows if (row["launch"] == "0") == is_first]


def of_kernel(process, kernel):
    return [row for row in process if row["kernel"] == kernel]


def between_processes(processes):
    """Returns, for each pair of processes of the same mode and number of groups, and for the kernels `e` and `c`: the
    difference in ns between the medians of the kernel's later launches in the two processes."""
    medians = {}
    for process in processes:
        for kernel in {row["kernel"] for row in process if row["kernel"][0] in "ec"}:
            key = process[0]["mode"], process[0]["groups"], kernel
            medians.setdefault(key, []).append(statistics.median(launch_times(of_kernel(process, kernel), False)))
    return [abs(a - b) for of_one in medians.values() for a, b in itertools.combinations(of_one, 2)]


def code_ns(processes, kernel):
    """By how many ns the first launch of a kernel takes longer than its later launches; the median over the
    processes."""
    return statistics.median(launch_times(of, True)[0] - statistics.median(launch_times(of, False))
                             for of in (of_kernel(process, kernel) for process in processes))


def processes_of(name):
    rows = rows_of(f"rules/{name}")
    return [rows[i:i + LAUNCHES_OF_A_PROCESS] for i in range(0, len(rows), LAUNCHES_OF_A_PROCESS)]


def launches_described(_):
    processes = processes_of("nvidia-h200-launches.csv")
    kernels = {row["kernel"] for row in processes[0]}
    return paragraph(
        f"`nvidia-h200-launches.csv` has the times of {len(kernels)} kernels of one test program. Each kernel was launched "
        f"{count(len(processes[0]) // len(kernels), 'time')} in each of {count(len(processes), 'process', 'processes')} on an H200 "
        "(2026-11-25). The kernel `e` does nothing, `c` copies, `d` divides numbers 4 KiB apart, and `l` is straight-line code of "
        f"{LINES[0]} to {LINES[-1]} lines of {count(INSTRUCTIONS_OF_A_LINE, 'instruction')}. In mode `finish` the host waits after each launch; "
        "in mode `queue` it does not.")


def largest_groups(_):
    of = machine_values("nvidia-hopper")
    return paragraph(
        f"For every kernel that was queried, the driver reported that groups have at most {of['kernel_items_max']:g} work-items "
        f"(`kernel_items_max`); for the device, it reported {of['group_items_max']:g}.")


def launches(_):
    rows = rows_of("rules/nvidia-h200-launches.csv")
    processes = processes_of("nvidia-h200-launches.csv")
    waited = sorted(launch_times([row for row in rows if row["kernel"][0] == "e" and row["mode"] == "finish"], False))
    least, most, seldom = (waited[int(share * len(waited))] for share in (0.05, 0.95, 0.99))
    apart = between_processes(processes)
    code = [code_ns(processes, f"l{i}") for i in range(len(LINES))]
    each = (code[-1] - code[-3]) / (INSTRUCTIONS_OF_A_LINE * (LINES[-1] - LINES[-3]))
    return bullets(
        lambda: (f"Of {len(waited)} launches of `e` (first launches excluded, with a wait after each launch), 5 % took less than {us(least)} us, "
                 f"5 % more than {us(most)} us, and 1 % more than {us(seldom)} us. Predicted intervals cover the range "
                 "from the first to the second of these times (`launch_least_ns`, `launch_most_ns`)."),
        lambda: (f"The medians of five launches of the same kernel, `e` or `c`, differ between two processes by "
                 f"{us(statistics.median(apart))} us in the median, and by {us(max(apart))} us at most. If the times of two group "
                 "sizes differ by less, a single process for each size cannot tell them apart."),
        lambda: ("The first launch of straight-line code takes longer than its later launches: by "
                 + listed(f"{us(ns)} us with {lines} lines" for lines, ns in zip(LINES, code) if lines > 1000)
                 + f". Beyond {LINES[-3]} lines each further instruction adds {each:.1f} ns. Up to 1000 lines the difference "
                 f"is {us(max(map(abs, code[:3])))} us at most. The model does not include this difference, because a trace "
                 "does not contain the device's code."))


def runs_of(measured_files):
    """The measured times of files whose names are separated by commas."""
    return [SCRIPT["read_measured"](RESULTS / "rules" / name) for name in measured_files.split(",")]


def compared_times(predicted_file, measured_file, programs=""):
    """Compares the predicted with the measured times of some programs (names separated by commas, without -SIZE; or a
    size, as in -small; empty for all). Returns the predicted rows, the measured times, and a list with (row, launch, measured ns, signed error,
    whether the interval contains the measured time) for each time that was predicted and measured."""
    measured = SCRIPT["medians_of"](runs_of(measured_file))
    rows = [row for row in rows_of(f"rules/{predicted_file}")
            if not programs or row["program"].endswith(programs) or row["program"].partition("-")[0] in programs.split(",")]
    rows = SCRIPT["merged"](rows)
    found = []
    for row in rows:
        for launch, measured_ns in measured.get((row["program"], row["kernel"]), {}).items():
            compared = SCRIPT["held_against"](row, launch, measured_ns)
            if compared:
                found.append((row, launch, measured_ns, *compared))
    if not found:
        raise Missing(f"{predicted_file} and {measured_file} have no kernel in common")
    return rows, measured, found


def times(_, predicted_file, measured_file, programs=""):
    """Predicted times of kernels compared with measured times, as scripts/check-times compares them. Empty if there are
    no measured times."""
    if not all((RESULTS / "rules" / name).exists() for name in measured_file.split(",")):
        return ""
    rows, measured, compared = compared_times(predicted_file, measured_file, programs)
    found = [(abs(off), holds, f"`{row['kernel']}` of `{row['program']}`, {launch} launch")
             for row, launch, _, off, holds in compared]
    worst, _, name = max(found)
    kernels = {(row["program"], row["kernel"]) for row in rows} & set(measured)
    sized = {program for program, _ in kernels if SIZE.search(program)}
    programs = f" ({count(len({SIZE.sub('', program) for program, _ in kernels}), 'program')} in up to two sizes)" if sized else ""
    said = [f"{len(found)} predicted times of {len(kernels)} kernels{programs}: "
            f"mean absolute error {percent(sum(one[0] for one in found) / len(found))}, worst {percent(worst)} ({name}); "
            f"{sum(one[1] for one in found)} of {len(found)} intervals contain the measured time."]
    if all(re.fullmatch(r"\S+ \d+ x \d+", row["program"]) for row in rows): # a sweep's launch: NAME GROUPS x SIZE
        runs = runs_of(measured_file)
        pairs = SCRIPT["differing"](rows, runs)
        said.append(f"In {sum(map(SCRIPT['is_right'], pairs))} of {len(pairs)} pairs of group sizes"
                    + (f" of which the same size was faster in all {len(runs)} runs" if len(runs) > 1 else "")
                    + ", the faster size was predicted.")
    return paragraph(*said)


def range_of(values, form, unit):
    low, high = (form(value) for value in (min(values), max(values)))
    return f"{low} {unit}" if low == high else f"{low} to {high} {unit}"


def time_errors(_, *files):
    """The predictions that are wrong by a factor of 1.5 or more. files: pairs of a file with predictions and a file with
    measured times."""
    shown = []
    for predicted_file, measured_file in zip(files[::2], files[1::2]):
        for row, launch, ns, off, holds in compared_times(predicted_file, measured_file)[2]:
            if off >= 0.5 or off <= -1 / 3:
                shown.append([f"`{row['program']}`", f"`{row['kernel']}`", launch, us(ns), us(ns * (1 + off)),
                              f"{100 * off:+.0f} %", "yes" if holds else "no"])
    return table(["program", "kernel", "launch", "measured, us", "predicted, us", "off", "in the interval"], shown)


# Which of the model's limits the profiler's stall reasons stand for.
STALLS = {"long_scoreboard": {"latency", "L2", "memory"}, "lg_throttle": {"tags", "banks", "stores"}}


def stalls(_, stall_file, predicted_file, measured_file):
    """What limits kernels, as predicted, against the vendor's profiler. A launch or its tail stalls nothing, so such a
    limit agrees if at least half of the measured time is not in the profiler's time of the kernel."""
    predicted = {(row["program"], row["kernel"]): row for row in rows_of("rules/" + predicted_file)}
    measured, rows, agreeing = runs_of(measured_file)[0], [], 0
    for row in rows_of("rules/" + stall_file):
        key = row["program"], row["kernel"]
        limit, times = predicted[key]["limited_by"], measured[key]
        ns = times["mean"] if "mean" in times else times["first"]
        agrees = (ns - float(row["ncu_ns"]) >= ns / 2 if limit in ("launch", "tail")
                  else limit in STALLS[row["top_stall"]])
        agreeing += agrees
        rows.append([f"`{key[0]}`", f"`{key[1]}`", us(float(row["ncu_ns"])), us(ns), row["top_stall"], limit,
                     "yes" if agrees else "no"])
    return (table(["program", "kernel", "ncu, us", "measured, us", "most frequent stall", "limited by", "agree"], rows) +
            "\n" + paragraph(f"{agreeing} of {len(rows)} ({100 * agreeing / len(rows):.0f} %) agree."))


def null_local(_):
    """Which sizes NVIDIA's driver chose for groups, held against the rule of `trace`."""
    rows = [{name: value if name == "kernel" else int(value) for name, value in row.items()}
            for row in rows_of("rules/nvidia-h100-null-local.csv")]

    def divisor(row, most):
        return max(n for n in range(1, min(most, row["x"]) + 1) if row["x"] % n == 0)

    def is_as_chosen(row, size):
        return (row["local_x"], row["local_y"], row["local_z"]) == (size, 1, 1)

    few = [row for row in rows if divisor(row, 256) < 32 and row["x"] > 256]
    many = [row for row in rows if not (divisor(row, 256) < 32 and row["x"] > 256)]
    counts = [sum(is_as_chosen(row, divisor(row, 256)) for row in many)]
    counts += [sum(is_as_chosen(row, divisor(row, most)) for row in few if (row["kernel"] == "registers") == (most == 512))
               for most in (1024, 512)]
    of_registers = sum(row["kernel"] == "registers" for row in few)
    return paragraph(f"Where x had a divisor from 32 to 256, or was at most 256, the group had as many work-items along x as "
                     f"the largest such divisor, and one along y and z, for {counts[0]} of {len(many)} global sizes. "
                     f"Otherwise it had as many as the largest divisor up to 1024 for {counts[1]} of "
                     f"{len(few) - of_registers} sizes, or up to 512 for {counts[2]} of {of_registers} if the kernel needed "
                     f"many registers. Neither the sizes along y and z nor the kernel's local memory mattered.")


def private_memory(_):
    """By how much the first launch takes longer if it needs more private memory."""
    rows = [{**row, "bytes": int(row["private_bytes"]), "us": (int(row["first_ns"]) - int(row["median_ns"])) / 1e3}
            for row in rows_of("rules/nvidia-h100-private.csv")]

    def over(process, least, most):
        found = [row["us"] for row in rows if row["process"] == process and least <= row["bytes"] <= most]
        return f"{min(found):.0f} to {max(found):.0f} us"

    return bullets(
        f"In a process of its own: up to 1024 bytes, {over('alone', 0, 1024)} longer; 1100 bytes to 16 KiB, "
        f"{over('alone', 1100, 16384)}; 32 and 64 KiB, {over('alone', 32768, 65536)}.",
        f"In one process with increasing sizes: 1100 to 3072 bytes, {over('increasing', 1100, 3072)}; 4 to 64 KiB, "
        f"{over('increasing', 4096, 65536)}.")


def wrong_pairs(_):
    """Pairs of group sizes for which the wrong size is predicted to be faster. Empty if there are no measured times, or
    no such pairs."""
    if not (RESULTS / "rules" / SWEEP[1]).exists():
        return ""
    rows, _, found = compared_times(*SWEEP)
    pairs = SCRIPT["differing"](rows, runs_of(SWEEP[1]))
    wrong = [pair for pair in pairs if not SCRIPT["is_right"](pair)]
    if not wrong:
        return ""
    names = [pair[0] for pair in wrong]
    most = sorted(sorted(set(names)), key=names.count, reverse=True)[:2]
    of_most = [pair for pair in wrong if pair[0] in most]
    far = [pair for pair in pairs if abs(pair[1][1] - pair[2][1]) > 1000]
    small = {name: [off for row, _, _, off, _ in found if row["program"].startswith(name)]
             for name in ("n_body", "stencil_tile")}
    of_wrong = f"{len(wrong)} pairs that were predicted wrongly"
    which = f"All {of_wrong} are" if len(of_most) == len(wrong) else f"Of the {of_wrong}, {len(of_most)} are"
    return paragraph(
        f"{which} of {code(most)}, in launches of "
        f"{range_of([one[1] for pair in of_most for one in pair[1:]], us, 'us')}. In {sum(pair not in far for pair in wrong)} of the "
        f"{len(wrong)} pairs, the two times differ by at most 1 us. Medians of one kernel can differ as much between processes. "
        f"Of the {len(far)} pairs whose times differ by more, {sum(map(SCRIPT['is_right'], far))} were predicted correctly. One more error remains: "
        f"{sum(one[3] < 0 for one in found)} of {len(found)} times are longer than predicted, by up to "
        + listed(f"{percent(1 / (1 + min(offs)) - 1, 0)} in `{name}`" for name, offs in small.items()) + ".")


def l2_edge(_):
    """Times of launches that access the same arrays again and again."""
    rows = rows_of("rules/nvidia-l2-edge.csv")
    ns = {(row["device"], row["kernel"], int(row["mib"])): int(row["ns"]) for row in rows}
    devices = sorted({row["device"] for row in rows})
    kernels = ("read_again", "update", "copy_vectors")
    return table(["MiB", *(f"{device}, `{kernel}`, us" for device in devices for kernel in kernels)],
                 [[str(mib), *(us(ns[device, kernel, mib]) for device in devices for kernel in kernels)]
                  for mib in (32, 36, 38, 40, 42, 44, 46, 48, 50, 52, 60)])


IDLE_US = (50, 100, 200, 400, 800, 1600, 3200, 6400, 12800, 1000000)
FIRST_MIB = (0, 1, 8, 1024)


def idle_rows():
    """For each device, the launches of nvidia-idle.csv that usually take less than IDLE_LONG_US: us for which the device was
    idle (None: a program's first launch), bytes copied, and how many us longer than usual the launch took."""
    rows = {}
    for row in rows_of("rules/nvidia-idle.csv"):
        if int(row["usual_ns"]) < 1000 * IDLE_LONG_US:
            rows.setdefault(row["device"], []).append((float(row["idle_us"]) if row["idle_us"] else None,
                                                       int(row["copied_bytes"]),
                                                       (int(row["ns"]) - int(row["usual_ns"])) / 1000))
    return rows


def waking_us(idle_ns):
    """The model's rule."""
    of = machine_values("nvidia-hopper")
    part = (idle_ns - of["awake_ns"]) / (of["asleep_ns"] - of["awake_ns"])
    return of["first_launch_ns"] / 1000 * min(1, max(0, part)) ** 0.6


def median_longer(rows):
    return [f"{len(rows)}", f"{statistics.median(row[2] for row in rows):.1f}" if rows else "-"]


def idle_device(_):
    """How much longer launches take that find the device idle: measured, and by the model's rule."""
    of_device = idle_rows()
    shown = []
    for low, high in zip(IDLE_US, IDLE_US[1:]):
        found = [[row for row in rows if row[0] is not None and low <= row[0] < high] for rows in of_device.values()]
        typical = statistics.median(row[0] for row in sum(found, []))
        shown.append([f"{low} to {high}" if high < IDLE_US[-1] else f"{low} and more",
                      *sum(map(median_longer, found), []), f"{waking_us(1000 * typical):.1f}"])
    starting, rate = constant("host/trace/predicted.c", "starting_ns"), constant("host/trace/predicted.c", "copied_bytes_per_ns")
    for low, high in zip(FIRST_MIB, FIRST_MIB[1:]):
        found = [[row for row in rows if row[0] is None and low <= row[1] / 2**20 < high] for rows in of_device.values()]
        typical = statistics.median(row[1] for row in sum(found, []))
        shown.append([f"first launch, {low} to {high} MiB", *sum(map(median_longer, found), []),
                      f"{waking_us(starting + typical / rate):.1f}"])
    return table(["idle, us", *sum(([f"{device}, launches", "median, us longer"] for device in of_device), []),
                  "by the rule, us longer"], shown)


def idle_described(_):
    rates = {device: [1000 * row[0] / row[1] for row in rows if row[0] and row[1] >= 2**22] for device, rows in idle_rows().items()}
    quartiles = {device: statistics.quantiles(of, n=4) for device, of in rates.items()}
    described = listed(f"{of[0]:.2f} to {of[2]:.2f} ns per byte on the {device}" for device, of in quartiles.items())
    return paragraph(
        f"If the program had copied at least 4 MiB since the last launch, the device was idle for {described} (quartiles). The model "
        f"assumes {1 / constant('host/trace/predicted.c', 'copied_bytes_per_ns'):.2f} ns per byte.")


def latency_at(points, rate):
    """The latency at this rate, interpolated between the points (rate, latency) with the next lower and higher rate. The
    two points may have different numbers of groups."""
    below = max(point for point in points if point[0] <= rate)
    above = min(point for point in points if point[0] >= rate)
    part = (rate - below[0]) / (above[0] - below[0]) if above[0] > below[0] else 0
    return below[1] + part * (above[1] - below[1])


def loaded_latency(_):
    """Latency of reads while other work-items read or copy, at several fractions of their highest rate."""
    points = {}
    for row in rows_of("rules/nvidia-loaded-latency.csv"):
        points.setdefault((row["device"], row["level"], row["others"]), []).append(
            (float(row["bytes_per_ns"]), float(row["latency_ns"])))
    shown = []
    for key, of in sorted(points.items()):
        most = max(of)[0]
        shown.append([*key, f"{most:.0f}", f"{min(of)[1]:.0f}",
                      *(f"{latency_at(of, part * most):.0f}" for part in (0.25, 0.5, 0.75, 0.9))])
    return table(["device", "level", "others", "highest rate, B/ns", "latency at the lowest rate, ns", "at 25 %", "at 50 %",
                  "at 75 %", "at 90 %"], shown)


def loads_in_flight():
    """How many loads of one instruction, and of all, a compiler leaves in flight; and how many of one at the lower end of
    intervals, and in a loop whose number of iterations is known."""
    source = "host/trace/launch_time.c"
    both = re.search(r"\[USUAL\] = \{(\d+), (\d+),", (ROOT / source).read_text(encoding="utf-8"))
    most = re.search(r"\[MOST\] = \{(\d+),", (ROOT / source).read_text(encoding="utf-8"))
    if not both or not most:
        raise Missing(f"{source} has no limits of loads in flight")
    return (*map(int, both.groups()), int(most[1]), int(constant("host/trace/stream_compile.c", "MOST")))


def loads_assumed():
    """A bullet about loads."""
    one, everything, _, of_loop = loads_in_flight()
    return (
        f"*Loads.* At most {one} loads of one instruction, and {everything} loads of global memory in all, are in flight, even in "
        f"`s3d`'s kernels, which load many values in straight-line code. Up to {of_loop} loads of one instruction are in flight in a loop whose number of iterations is "
        f"known when the kernel is compiled, or whose iterations have at most {constant('host/trace/oclgrind_loops.cc', 'mostUnrolledTwice'):g} instructions, no division by an unknown number, and a counter of 32 bits that is signed or only extended to 64 bits. A load of global memory cannot depend on a store to "
        "local memory, so compilers load several elements of a tile before they store the first (`lud_perimeter`). In "
        "`a[b[i]]`, the compiler loads elements of `b` for several iterations before it loads from `a`, if the addresses in `b` "
        "depend only on counters and on what was computed before the loop, and no branch of the loop is executed.",)


def loop_entries(costs):
    """Sentences about the time that loops take in addition to their iterations."""
    ns = {(row["loop"], int(row["additions"]), int(row["iterations"]), int(row["rounds"])): int(row["ns"])
          for row in rows_of("rules/nvidia-h100-loop-entries.csv")
          if row["loads"] == "0" and row["groups"] == "1" and row["group_items"] == "32"}
    of = machine_values("nvidia-hopper")
    clock_ns = 1000 / of["clock_mhz"]
    rounds = sorted({key[3] for key in ns if key[0] == "argument"})
    few, twice, once = [], [], []
    for loop, additions, iterations, count_of in ns:
        if loop == "argument" and count_of == rounds[0]:
            key = loop, additions, iterations
            each = (ns[(*key, rounds[1])] - ns[(*key, rounds[0])]) / (rounds[1] - rounds[0]) / clock_ns
            into = few if iterations < 4 else twice if additions <= constant("host/trace/oclgrind_loops.cc", "mostUnrolledTwice") else once
            into.append(each - (additions * iterations + 1) * of["float_ns"] / clock_ns)
    rolled = {key[1]: [ns[("rolled", key[1], iterations, 1)] for iterations in (300, 1200)] for key in ns if key[0] == "rolled"}
    each = {additions: (last - first) / 900 / clock_ns for additions, (first, last) in rolled.items()}
    longest = max(each)
    more = each[longest] - longest * of["float_ns"] / clock_ns
    entry, fourth = (constant(costs, name) for name in ("chainOfEntry", "chainOfFourth"))
    return (f"If the number of iterations is an argument, this took {min(few + once):.0f} to {max(few + once):.0f} clocks on an H100, "
            f"and {min(twice):.0f} to {max(twice):.0f} if a short loop had four or more iterations, because such a loop is unrolled twice "
            f"(`nvidia-h100-loop-entries.csv`; in the model {entry:g} dependent additions, and {fourth:g} more). If the loop loads, a part of "
            f"this passes while the loads are in flight. An iteration of a loop that is not unrolled took {min(each.values()):.0f} clocks, or {more:.0f} "
            "more than its additions if these took longer.")


def passes():
    """A sentence about requests with bank conflicts of one sub-group and of several."""
    ns = {}
    for row in rows_of("rules/nvidia-h100-passes.csv"):
        if row["access"] == "local load" and row["words_between_lanes"] == "32":
            ns[int(row["group_items"]), int(row["rounds"])] = int(row["ns"])
    clock_ns = 1000 / machine_values("nvidia-hopper")["clock_mhz"]
    alone, together = ((ns[items, 400] - ns[items, 100]) / 300 / 8 / 32 / (items / 32) / clock_ns for items in (32, 512))
    return (f"A sub-group's reads of local memory with bank conflicts follow one another: on an H100, each pass took {alone:.1f} clocks if one "
            f"sub-group made all reads, but {together:.1f} if several did (`nvidia-h100-passes.csv`).")


def loops_assumed():
    """Bullets about loops and branches."""
    loops, costs, blocks = (f"host/trace/oclgrind_{name}" for name in ("loops.cc", "costs.hpp", "blocks.cc"))
    most, in_part, unknown = (constant(loops, name) for name in ("most", "mostInPart", "mostIfUnknown"))
    few = constant("host/trace/oclgrind_constants.hpp", "fewIterations")
    of_array = constant("host/trace/oclgrind_constants.cc", "mostInstructions")
    compare, branch, leaving, apart = (count(int(constant(costs, f"chainOf{name}")))
                                       for name in ("Compare", "Branch", "Exit", "Separation"))
    return (
        "*Unrolled loops.* A compiler unrolls a loop completely if start, step and end of its counter are constants, and all "
        f"iterations together have few instructions, by the model up to {most:g}. In an unrolled loop, the counter and the "
        "conditions take no instruction, divisors that depend on the counter are constants, and elements stay in registers from "
        "one iteration to the next.",
        "*Partly unrolled loops.* Of any other loop whose number of iterations can be computed when the loop begins, the "
        f"compiler runs 2, 4, ... iterations at once, as long as these have at most some {in_part:g} instructions together (and "
        f"at most {count(int(unknown), 'iteration')}, if their number is not known when the kernel is compiled; four times as many of short ones). Functions count with the "
        "instructions that they take, so a loop with a call of `pow` runs one iteration at a time (`fast_variance_kernel`). "
        "Values that overlapping iterations read again stay in registers, if their addresses are computed from counters by additions "
        "and multiplications alone. Loads of later iterations move up before stores of "
        "earlier ones if all of the loop's stores to this kind of memory are to the same array, at distances that the compiler "
        "knows (`x[k] = x[k] * c`, but not `x[k * n] = x[k * n] * c`, or a copy from one array to another). A value that the "
        "iteration before stored then stays in a register (`s[i] += s[i - 1]`). Loads of global memory also move up if their "
        "pointer is declared with `restrict` and the kernel writes nothing through it. "
        "If a store or an atomic behind a branch may change what the loop loads, iterations do not overlap, and each loads everything again (`branched_aggregate`). Before the first iteration, such a loop takes some "
        f"{constant(costs, 'ofLoopEntry'):g} instructions. {loop_entries(costs)}",
        "*Private arrays.* If a compiler knows every index of an array, or can know it by unrolling loops, the array is in "
        f"registers and costs nothing: a loaded value that is put into it is waited for where it is used. By the model it unrolls a loop for this purpose if the loop has up to {few:g} iterations, or "
        f"up to {of_array:g} instructions in all iterations. If few indices are unknown, the array stays in registers, too, and each "
        "of these indices is compared with the index of every word (`lotus5`). Any other array is in memory, where the same "
        "element of all lanes is in one line. A request takes as many passes as its lines need, and the first cache holds what "
        "was written. If the arrays of all resident work-items together are larger than L2, blocks that are used again come "
        f"from memory and are written to it. A load from such an array waits for the values that are stored to one before it. {passes()}",
        f"*Branches.* By the model, a compiler makes up to {count(int(constant(blocks, 'fewInstructions')), 'instruction')} conditional instead of "
        "branching around them; if the instructions contain another branch, as in `if (a || b && c)`, up to "
        f"{count(int(constant(blocks, 'fewWithBranches')))}. Computations of addresses do not count. In the model, a comparison before a branch takes as long as {compare} "
        f"dependent additions, the branch as {branch} ({leaving} if it leaves a loop), and {apart} more if lanes go separate ways. "
        "The end of a loop takes none of this time if it depends only on counters and on what was computed before the loop. A load behind a branch within a loop arrives before "
        "the branch ends, so such loads of several iterations do not overlap. Lanes meet again at the end of each iteration, even if "
        "several branches of the loop may leave it.")


def later_than_predicted():
    """Of kernels that hardly do more than an empty one, timed on H100s after blind predictions: how many us the launches
    after the first took longer than predicted (a list)."""
    later = []
    for letter in "de":
        files = (f"nvidia-h100-applications-{letter}-predicted.csv", f"nvidia-h100-applications-{letter}.csv")
        measured = {}
        for row, launch, ns, _, _ in compared_times(*files)[2]:
            if row["limited_by"] == "launch" and int(row["launches"]) > 1:
                measured.setdefault((row["program"], row["kernel"]), {"row": row})[launch] = ns
        for times_of in measured.values():
            row, launches = times_of["row"], int(times_of["row"]["launches"])
            if "first" in times_of and "mean" in times_of:
                mean_later = (times_of["mean"] * launches - times_of["first"]) / (launches - 1)
                later.append((mean_later - float(row["ns"])) / 1000)
    return later


def code_waits():
    """How long sub-groups of short kernels wait for code and constants, by NVIDIA's profiler."""
    most = 200
    clocks = [float(row["instructions"]) * (float(row["no_instruction"]) + float(row["imc_miss"]))
              for row in rows_of("rules/nvidia-h100-waits.csv") if float(row["instructions"]) < most]
    low, median, high = (round(value, -1) for value in statistics.quantiles(clocks, n=4))
    return (f"A part of this is explained by waiting for instructions and constants: {median:g} clocks for each sub-group, by NVIDIA's profiler "
            f"(`nvidia-h100-waits.csv`; quartiles {low:g} and {high:g}; {len(clocks)} kernels of programs in which a sub-group executes fewer than "
            f"{most} instructions, their PTX launched through CUDA). The rest is unexplained.")


def times_assumed():
    """Bullets about L2, stores, groups and launches, by the values of the machine and the constants of the model."""
    of = machine_values("nvidia-hopper")
    h100 = machine_values("nvidia-h100")
    later = later_than_predicted()
    memory, predicted = "host/model/time_memory.c", "host/trace/predicted.c"
    much = constant(predicted, "much")
    return (
        f"*Atomics on global memory.* L2 updates a word every {constant(memory, 'OF_UPDATE_NS'):g} ns, or "
        f"{constant('host/model/time_memory.h', 'BL_TIME_SLICES'):g} words in that time if they are far apart (see 'Atomic additions' above). Lanes of a sub-group "
        "that update the same word do so one after another, unless the compiler sees that all lanes update this word: then one lane updates it for all. On an H100, "
        "the compiler did so for addresses that came from arguments, counters of loops, group ids and elements at such indices, "
        "also behind a branch and if the old value was used. If a loop repeats a compare-and-exchange until it succeeds, lanes with "
        "the same word try one after another; if all sub-groups exchange the same word, each success takes "
        f"{constant(memory, 'EXCHANGE_NS'):g} ns, and {constant(memory, 'EXCHANGE_LANE_NS'):g} ns more for each lane that tries. Words in one sector are updated together. If it is not known "
        "where the other compute units' words are, they are assumed to be in the same slices of L2 as those of the simulated unit.",
        "*Atomics on local memory.* Where the compiler knows that all lanes update the same word, one lane does an addition for "
        "all, and, if the old value is not used, a minimum, a maximum or a bitwise operation (`combines_atomics`). If the old value is not used, "
        "lanes that add 1 to the same word are counted at once. Lanes that update different words of a bank, or do another operation, follow one another; each "
        f"takes {count(int(constant('host/trace/stream_requests.c', 'LOCAL_EXCHANGE_PASSES')), 'pass', 'passes')} for a compare-and-exchange. A sub-group waits for an atomic "
        "only where it uses the old value.",
        f"*L2.* L2 replaces the least recently used of {constant('host/model/time_cache.c', 'WAYS'):g} blocks that a hash puts into one set. What a launch "
        f"reads or writes replaces other data. A copy from the host takes only the part of L2 that launches have left free, at most {percent(constant('host/model/time_cache.c', 'room'), 0)} of L2, and replaces only what the host "
        "wrote before. On an H100, a kernel read 16 MiB as slowly as from memory if the host had copied 32 MiB more after them, but from L2 if it had copied nothing "
        "more. Groups that run at the same time replace old data together, in the order in which each group accesses its own. "
        f"Of what gathers read, L2 keeps as much as {percent(constant('host/trace/launch_blocks.c', 'of_gathers'), 0)} of it can hold: an H100's L2 has two halves, and what units of both halves read seems to be in both.",
        f"*Stores.* Parts of sectors that a sub-group stores one after another are joined if not more than {constant('host/model/time_unit.h', 'BL_TIME_OPEN_LINES'):g} "
        f"lines are written in between. Stores of elements of less than 4 bytes are not; this was measured with single bytes. The unit's sub-groups share these lines, but each of its "
        f"{count(int(machine_values('nvidia-hopper')['instructions_per_clock']), 'scheduler')} starts all such stores of one sub-group before it starts another's "
        "(`nvidia-h100-joined-stores.csv`). "
        f"Storing a full sector takes {percent(constant('host/model/time_stores.c', 'more_again'), 0)} longer if the launch has written to its "
        f"block before. {lone_stores()} If all groups store parts of one sector, such as the flag of a search, L2 takes "
        f"{constant(memory, 'OF_WRITE_NS'):g} ns for each store after a load by the same sub-group; a store without a load in between is joined with the one before. If a store is issued before a load from its line has arrived, the line holds up "
        f"the unit's load-store path: for {constant('host/model/time_cache.c', 'l2_latencies'):g} times L2's latency if the load reads from L2, and for "
        f"{constant('host/model/time_cache.c', 'memory_latencies'):g} times memory's if it reads from memory. If a unit runs more than {constant('host/model/time_cache.c', 'sub_groups_per_pair'):g} "
        f"sub-groups, up to {constant('host/model/time_cache.c', 'most_pairs'):g} such pairs of a load from memory and a store are under way together (measured with "
        "1 to 64 sub-groups on an H100). If groups store single sectors all over an array that L2 cannot hold, memory takes as long for each as for a block of "
        "which only this sector is written.",
        f"*Groups.* Groups start every {of['group_start_ns']:g} ns. `--quick --predict` traces four groups of each launch: the first, the last "
        "and two between them. `--quick` runs others too, and counts their instructions. A group that does over "
        f"{percent(constant('host/trace/launch_groups.c', 'clearly') - 1, 0)} more or less than the nearest traced one is represented by the traced group "
        "with the most similar number of instructions, whose requests it repeats or leaves out in part. A group that did not run "
        "counts like one that did near the same traced group. If groups differ, the model simulates the compute unit with the "
        "longest group if all groups run at once, else an average unit; but the launch takes at least as long as its longest "
        "group. If it simulates only a part of a group, all sub-groups of the group end at "
        "the same barrier, unless the part would then not have about the wanted length. If the traced groups' accesses do not follow from the groups' "
        "positions, but each group's are spread over most of the range of all, as in a gather from an array, other groups access random places of "
        "this range.",
        f"*Launches.* A launch whose accesses are {percent(math.exp(much) - 1, 0)} more or {percent(1 - math.exp(-much), 0)} fewer than those of each "
        "simulated one is simulated, too. A launch that is not simulated is represented by the simulated one with the most "
        f"similar number of accesses, but leaves its own data in L2 if its groups were traced (up to {constant('host/trace/predicted.c', 'most_touches') / 1e6:g} million touches of blocks). A launch that is enqueued while the device is busy takes {us(of['launch_ns'] - of['queued_launch_ns'])} us less. "
        f"The host is busy for some {of['first_enqueue_ns'] / 1000:g} us with a program's first launch, and for {of['enqueue_ns'] / 1000:g} us with each later "
        "one, so a launch behind a short one finds the device idle. So does a kernel's first launch, unless the device is busy for "
        f"{of['first_enqueue_ns'] / 1000:g} us.",
        f"*Short kernels.* In two blind tests on H100s (`nvidia-h100-applications-d.csv` and `-e.csv`), the launches after the first of {len(later)} kernels "
        f"limited by their launch took {statistics.median(later):.1f} us longer than predicted (median). "
        f"{code_waits()} Test kernels with much code or many buffers did not take longer, if each was launched after the previous one "
        f"had ended. For the H100, the model now adds `kernel_more_ns`, {us(h100['kernel_more_ns'])} us.",
        f"*An idle device.* A launch takes longer if the device has been idle for more than {us(of['awake_ns'])} us (`awake_ns`), at most "
        f"`first_launch_ns`, {us(of['first_launch_ns'])} us, if it has been idle for {of['asleep_ns'] / 1e6:g} ms (`asleep_ns`); see 'An idle "
        "device' below. It is idle while the program computes or waits for a transfer, and while the driver copies a buffer's initial "
        "data, which it does when the buffer is created and before the first launch that uses it. A program's first launch finds a "
        f"device as if it had been idle for {constant(predicted, 'starting_ns') / 1e6:g} ms and the time of the copies and computations. "
        f"How long the program computes is measured while it is traced. If it has built a program, the model assumes {constant(predicted, 'building_ns') / 1e6:g} ms, "
        "as if the driver had compiled the program before and found it in its cache. Fills and copies on the "
        "device, and transfers for which the program does not wait, wake it up.",
        f"*Intervals.* The margins are {percent(constant(predicted, 'beyond'), 0)} at both ends, {count(int(constant(predicted, 'CODE_FETCHES')), 'memory latency', 'memory latencies')} "
        f"for cold code at the upper end, {1 - constant(predicted, 'less_arithmetic'):g} to {1 + constant(predicted, 'more_arithmetic'):g} times the predicted "
        f"arithmetic, and up to `first_launch_most_ns`, {us(of['first_launch_most_ns'])} us, for a first launch.")


def lone_stores():
    """A sentence about stores of few units."""
    of = {}
    for row in rows_of("rules/nvidia-h100-stores.csv"):
        of.setdefault((row["bytes_of_lane"], row["bytes_between_lanes"]), {})[int(row["groups"])] = float(row["ns"])
    parts = [times[1] / times[max(times)] for times in of.values()]
    return (f"If one unit of an H100 stores, its stores take {min(parts):.2f} to {max(parts):.2f} of the time that they take if all units "
            f"store, whatever they store (`nvidia-h100-stores.csv`); in the model {constant('host/model/time.c', 'alone'):g}, and in between the "
            "time grows with the number of units.")


def operations_assumed():
    """A bullet about slow instructions."""
    costs = "host/trace/oclgrind_costs.hpp"
    of = {name: constant(costs, name) for name in ("ofSlowUnit", "ofSigned", "ofUnsigned", "ofSignedByKnown",
                                                   "ofUnsignedByKnown", "powerOfTwo", "powerOfConstant", "powerOfKnown",
                                                   "ofSignedLong", "ofUnsignedLong", "ofShortLong", "ofLongConstant")}
    return (
        f"*Slow instructions.* Square roots, sines, logarithms, roundings and bit counts take {count(int(of['ofSlowUnit']), 'time')} as long in "
        "their unit as other instructions, so they limit a kernel with many of them. A conversion between an integer and a "
        "float occupies this unit half as long as a square root does, and as long as a square root if it is to or from 16 or 64 "
        "bits. Comparisons, selections, minima, right shifts and bitwise operations start at half the rate of other "
        "instructions. A selection that leaves a value or changes it (`if (c) x += y`) takes no instruction, and two bitwise "
        f"operations take one. Operations on doubles take {count(int(constant(costs, 'ofDoubles')), 'instruction')} for one on floats. A division of "
        f"integers by an unknown number takes as long as {of['ofSigned']:g} dependent additions if signed, and {of['ofUnsigned']:g} if not; by a "
        f"number that is known before the loop, {of['ofSignedByKnown']:g} and {of['ofUnsignedByKnown']:g} instructions. A division of 64-bit integers takes {of['ofSignedLong']:g} instructions, or {of['ofUnsignedLong']:g} if "
        f"unsigned; {of['ofLongConstant']:g} by a constant, and {of['ofShortLong']:g} if both numbers are probably below 2^32, because they are computed from ids, sizes, arguments and "
        f"narrower integers. A power of 2 takes "
        f"{of['powerOfTwo']:g}, one of another constant {of['powerOfConstant']:g}, and one of a number that is known before the loop "
        f"{of['powerOfKnown']:g}. These numbers are from the instructions that NVIDIA's compiler generates, and from operations and functions "
        "that were timed in a chain and with all schedulers busy. Some functions have branches, such as `pow`, `sin`, `length` and `normalize`; "
        "no load of a later iteration moves up before them.",)


def time_rules(_):
    return bullets(*loads_assumed(), *loops_assumed(), *operations_assumed(), *times_assumed())


def not_measured(_):
    """The parameters of the model that were not measured with kernels made for this purpose."""
    one, everything, at_most, _ = loads_in_flight()
    wait = constant("host/model/time.c", "AFTER_WAIT")
    queued = constant("host/model/time_stores.c", "QUEUED")
    return paragraph("The model's parameters were measured with kernels made for this purpose, with these exceptions:") + "\n" + bullets(
        "One parameter was derived from these times themselves: the number of instructions between a load's delivery and the "
        f"next request ({count(int(wait))}).",
        f"Four parameters were not measured: the number of loads that a compiler leaves in flight ({one} of one instruction, and "
        f"{everything} in all; for the interval's lower end, {at_most} of one instruction), the time over which memory's utilization is "
        f"averaged ({constant('host/model/time_memory.c', 'RECENT_NS') / 1000:g} us), and the store queue of {queued:g} requests. The PTX that "
        f"the driver generates for these kernels agrees with {one} loads in flight: loops without a constant end are unrolled by "
        "four, and `gemm` stores its sum in each iteration and does not load it again. The number "
        f"{everything} was chosen with one half of SHOC's programs (below).",
        "One parameter was chosen with one kernel, `hist` of `histeq-large` (below): by how much L2 may lag behind with atomics and with "
        f"stores to words that all units share ({constant('host/model/time_unit.c', 'most_lag_ns') / 1000:g} us).",
        "The interval's margins were chosen after these kernels had been seen. The margins for the arithmetic and for a "
        "program's first launch were chosen later, with the kernels of DeepCL and Parboil (below).")


def short_launches(_):
    """Possible reasons of errors in the predictions for Rodinia and SHOC."""
    of = machine_values("nvidia-hopper")
    return paragraph(
        "Possible reasons, which were not tested on a device: groups that were not traced do other work (`pathfinder-large`, "
        "`md`, `lavaMD`); a program that checks its results stops early with `--quick`, so its first launch has too much weight "
        "in the mean (`reduction-small`); and short launches take longer than predicted if the previous command has already "
        "ended (`scan-small`, `bfs`, `csr_vector`, `Triad`). By the machine, a launch that is queued behind a longer launch "
        f"takes {us(of['queued_launch_ns'])} us, but {us(of['launch_ns'])} us on an idle device (`CopyRect`). In `spmv_ellpackr_kernel`, "
        "two waits for memory may follow each other in each iteration. The other reasons are unknown. The [present "
        "figures](#all-of-rodinia-and-shoc-on-an-h100) for these programs are below.")


def launches_apart(_):
    """By how much a launch behind another is shorter."""
    of = machine_values("nvidia-hopper")
    return paragraph(
        "So a predicted time can confirm an alarm but not refute it: `trace --predict --against` reports the time, but still "
        "exits with 1. With `--time`, `scripts/check-gate` now counts the alarms that a predicted time confirms separately from "
        f"the others. At first it ran each version in a process of its own. A launch takes {us(of['launch_ns'] - of['queued_launch_ns'])} us less if "
        "the GPU is still busy when the host enqueues it, which may be so for one version only; then that version appears to be "
        "faster. Now one process launches both versions alternately, with a wait after each launch, and a kernel counts as "
        "slower if it is so with a confidence of 99 %. On an NVIDIA H100 (2026-11-27, commit 47d8fdc8):")


def edge_of_l2(_):
    """Up to which size L2 holds what the previous launch accessed."""
    edges = {name: machine_values(name)["l2_kib"] / 1024 for name in ("nvidia-h100", "nvidia-hopper")}
    return paragraph(
        "So up to a certain size (L2's edge), the data of the previous launch are still in L2. The machines' `l2_kib` is "
        f"{edges['nvidia-h100']:g} MiB on an H100 and {edges['nvidia-hopper']:g} MiB on an H200. Updates and copies already get slower somewhat "
        "below the edge, as the table shows; the model does not include this. Beyond the edge, each block that a launch writes "
        "also goes back to memory.")


BLOCKS = {"launches-described": launches_described, "largest-groups": largest_groups, "not-measured": not_measured, "short-launches": short_launches, "time-rules": time_rules, "launches-apart": launches_apart, "edge-of-l2": edge_of_l2, "idle-device": idle_device, "idle-described": idle_described, "l2-edge": l2_edge, "launches": launches, "loaded-latency": loaded_latency, "times": times,
          "null-local": null_local, "private-memory": private_memory, "stalls": stalls, "time-errors": time_errors, "wrong-pairs": wrong_pairs}
