"""Figures of results/rules/README.md: times of kernels, predicted and measured, and launches of small test kernels."""
import itertools
import re
import runpy
import statistics

from common import RESULTS, ROOT, Missing, bullets, code, listed, paragraph, percent, rows_of, table

SCRIPT = runpy.run_path(str(ROOT / "scripts/check-times"))
SWEEP = ("nvidia-h200-sweep-predicted.csv", "nvidia-h200-sweep.csv")
LAUNCHES_OF_A_PROCESS = 144 # six launches of each of 24 kernels
LINES = (250, 500, 1000, 2000, 4000, 8000)
INSTRUCTIONS_OF_A_LINE = 3


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


def launches(_):
    rows = rows_of("rules/nvidia-h200-launches.csv")
    processes = [rows[i:i + LAUNCHES_OF_A_PROCESS] for i in range(0, len(rows), LAUNCHES_OF_A_PROCESS)]
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
    """Compares the predicted with the measured times of some programs (names separated by commas, without -SIZE; empty
    for all). Returns the predicted rows, the measured times, and a list with (row, launch, measured ns, signed error,
    whether the interval contains the measured time) for each time that was predicted and measured."""
    measured = SCRIPT["medians_of"](runs_of(measured_file))
    rows = [row for row in rows_of(f"rules/{predicted_file}")
            if not programs or row["program"].partition("-")[0] in programs.split(",")]
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
    said = [f"{len(found)} predicted times of {len({(row['program'], row['kernel']) for row in rows} & set(measured))} kernels: "
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
    rows = [{name: int(value) for name, value in row.items()} for row in rows_of("rules/nvidia-h100-null-local.csv")]
    divisors = [max(n for n in range(1, 257) if row["x"] % n == 0) for row in rows]
    same = sum((row["local_x"], row["local_y"], row["local_z"]) == (n, 1, 1) for row, n in zip(rows, divisors))
    whole = sum(n == 1 and 1 < row["local_x"] == row["x"] for row, n in zip(rows, divisors))
    return paragraph(f"For {same} of {len(rows)} global sizes, the group had as many work-items along x as the largest "
                     f"divisor of x up to 256, and one along y and z. For {whole}, that divisor was 1 and the group had "
                     f"all of x, which was at most {max(row['local_x'] for row in rows)}.")


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


BLOCKS = {"l2-edge": l2_edge, "launches": launches, "loaded-latency": loaded_latency, "times": times,
          "null-local": null_local, "private-memory": private_memory, "stalls": stalls, "time-errors": time_errors, "wrong-pairs": wrong_pairs}
