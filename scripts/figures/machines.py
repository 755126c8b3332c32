"""Figures for results/machines/README.md, from the files beside it."""
import re
import statistics

from common import RESULTS, Missing, Run, listed, percent, paragraph, rows_of, spread, table, version
from reference import H200

AMOUNTS = (("a read that hits L1 (ns)", "cache_latency_ns"), ("a read that hits L2 (ns)", "l2_latency_ns"),
           ("a read from memory (ns)", "memory_latency_ns"), ("L1 (bytes)", "cache_bytes"),
           ("L2, as one compute unit finds it (bytes)", "l2_bytes"),
           ("L1 (bytes per clock and compute unit)", "cache_bytes_per_clock"), ("L2 (bytes per clock and compute unit)", "l2_bytes_per_clock"),
           ("memory (bytes per clock and compute unit)", "memory_bytes_per_clock"), ("share of L1 that lines of one tag bank fill", "tag_bank_share"),
           ("bytes beyond which pages cost time", "page_reach_bytes"),
           ("overlap of tag and bank waits (%)", "overlap_percent"))


def inferences():
    paths = sorted((RESULTS / "machines").glob("nvidia-h200-[0-9].csv"))
    if not paths:
        raise Missing("results/machines has no run")
    return [{row["key"]: row["value"] for row in rows_of(path.relative_to(RESULTS)) if row["record"] == "value"}
            for path in paths]


def amounts(_):
    runs = inferences()
    shown = []
    for what, key in AMOUNTS:
        values = [run[key] for run in runs if run.get(key, "unknown") != "unknown"]
        shown.append([what, min(values, key=float), max(values, key=float)])
    return table(["value", "lowest", "highest"], shown)


def masks(_):
    found = sorted({run["tag_masks"] for run in inferences()})
    if len(found) == 1:
        return paragraph(f"The masks of the tag banks are the same in all {len(inferences())} runs: {found[0].replace(' ', ' and ')}.")
    return paragraph(f"The masks of the tag banks: {'; '.join(found)}.")


def inferred(_):
    run = Run("rules/nvidia-h200-inferred.csv")
    n, mean, largest, worst = spread(run.rows)
    return paragraph(f"The inferred machine's predictions other than 1, for {n} patterns of `../rules/nvidia-h200-inferred.csv` "
                     f"({version(run.first)}), are off by {percent(mean)} on average and by {percent(largest)} at most "
                     f"(`{worst['case'][4:]}`, {worst['lanes']} lanes).")


def hypotheses(_):
    rows = [row for row in rows_of("machines/nvidia-h200-as-intel.csv") if row["record"] == "hypothesis"]
    shown = [["none of these" if row["value"] == "none" else "{} of {} bytes".format(*row["value"].split("x")),
              f"{100 * float(row['confidence']):.1f} %", percent(float(row["error"])) if row["error"] else "-"] for row in rows]
    points = re.fullmatch(r"(\d+) of (\d+) points", rows[0]["basis"])
    if not points:
        raise Missing(f"nvidia-h200-as-intel.csv: '{rows[0]['basis']}' is not a number of points")
    return table([f"hypotheses of `{rows[0]['key']}`", "probability", "rms misfit"], shown) + "\n" + paragraph(
        f"The H200 has 32 banks of 4 bytes. To identify them, {points[1]} of {points[2]} points were enough.")


def latencies(_):
    """Compares the latencies of the reference run with the latencies that `infer` finds."""
    run, off = Run(H200), []
    for case, level, key in (("16K", "L1", "cache"), ("16M", "L2", "l2"), ("1G", "memory", "memory")):
        found = statistics.median(float(one[f"{key}_latency_ns"]) for one in inferences())
        by = run.of(f"latency/global-{case}", name="case_ns") / found - 1
        off.append(f"`latency/global-{case}` by {100 * by:+.1f} % ({level})")
    return paragraph(f"The latencies of the reference run differ from those that `infer` finds ([machines](machines/README.md)): "
                     f"{listed(off)}.")


BLOCKS = {"latencies": latencies, "hypotheses": hypotheses, "amounts": amounts, "masks": masks, "inferred": inferred}
