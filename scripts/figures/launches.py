"""Figures of results/rules/nvidia-h200-launches.csv: launches of made-up kernels."""
import itertools
import statistics

from common import bullets, listed, rows_of

LAUNCHES_OF_A_PROCESS = 144 # of 24 kernels, six each
LINES = (250, 500, 1000, 2000, 4000, 8000)
INSTRUCTIONS_OF_A_LINE = 3


def us(ns):
    return f"{ns / 1000:.1f}"


def times(rows, is_first):
    return [int(row["ns"]) for row in rows if (row["launch"] == "0") == is_first]


def of_kernel(process, kernel):
    return [row for row in process if row["kernel"] == kernel]


def between_processes(processes):
    """The distances between the medians of a kernel's later launches in two processes that launched alike, for all
    pairs of such processes."""
    medians = {}
    for process in processes:
        for kernel in {row["kernel"] for row in process if row["kernel"][0] in "ec"}:
            key = process[0]["mode"], process[0]["groups"], kernel
            medians.setdefault(key, []).append(statistics.median(times(of_kernel(process, kernel), False)))
    return [abs(a - b) for of_one in medians.values() for a, b in itertools.combinations(of_one, 2)]


def code_ns(processes, kernel):
    """How much longer a kernel's first launch takes than its later ones, as the median over the processes."""
    return statistics.median(times(of, True)[0] - statistics.median(times(of, False))
                             for of in (of_kernel(process, kernel) for process in processes))


def launches(_):
    rows = rows_of("rules/nvidia-h200-launches.csv")
    processes = [rows[i:i + LAUNCHES_OF_A_PROCESS] for i in range(0, len(rows), LAUNCHES_OF_A_PROCESS)]
    waited = sorted(times([row for row in rows if row["kernel"][0] == "e" and row["mode"] == "finish"], False))
    least, most, seldom = (waited[int(share * len(waited))] for share in (0.05, 0.95, 0.99))
    apart = between_processes(processes)
    code = [code_ns(processes, f"l{i}") for i in range(len(LINES))]
    each = (code[-1] - code[-3]) / (INSTRUCTIONS_OF_A_LINE * (LINES[-1] - LINES[-3]))
    return bullets(
        lambda: (f"Of {len(waited)} launches of `e` after the first, with a wait after each, 5 % took less than {us(least)} us, "
                 f"5 % more than {us(most)} us, and 1 % more than {us(seldom)} us. Predicted intervals cover the range "
                 "between the first two times (`launch_least_ns`, `launch_most_ns`)."),
        lambda: (f"The medians of five launches of the same kernel, `e` or `c`, differ between two processes by "
                 f"{us(statistics.median(apart))} us in the median, and by {us(max(apart))} us at most. If the times of two group "
                 "sizes differ by less, a single process for each size cannot tell them apart."),
        lambda: ("The first launch of straight-line code takes longer than its later launches: by "
                 + listed(f"{us(ns)} us with {lines} lines" for lines, ns in zip(LINES, code) if lines > 1000)
                 + f". From {LINES[-3]} lines on that is {each:.1f} ns for each instruction. Up to 1000 lines the difference "
                 f"is {us(max(map(abs, code[:3])))} us at most. The model does not include it, because a trace does not "
                 "contain the device's code."))


BLOCKS = {"launches": launches}
