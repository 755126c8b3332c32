"""Figures that the program computes, and the output of scripts that take too long to run again."""
import os
import re
import subprocess
import sys
from statistics import median

from common import RESULTS, ROOT, Missing, cells_of, listed, paragraph, percent, rows_of
from reference import H200


def printed(_, name, part=""):
    """The content of a file in results/printed, which is the output of a script. If part is 'last', only the last
    line."""
    text = (RESULTS / "printed" / name).read_text(encoding="utf-8")
    return text.splitlines()[-1] + "\n" if part == "last" else text


def statistics(_):
    """The tables of check-statistics, and the run from whose rows they were made."""
    lines = (RESULTS / "printed" / "check-statistics.md").read_text(encoding="utf-8").splitlines(True)
    found = re.match(r"seed (\d+), rows of run (\S+)$", lines[0])
    if not found:
        raise Missing("results/printed/check-statistics.md: its first line does not name a seed and a run")
    of = "the reference run" if found[2] == rows_of(H200)[0]["run_id"] else f"an earlier reference run, {found[2]}"
    return paragraph(f"Seed {found[1]}, rows of {of}:") + "\n" + "".join(lines[1:]).lstrip("\n") + "\n" + missed(lines)


def alarm_rates(_):
    """The highest rates of false alarms in the first table of check-statistics."""
    most = {"normal": 0.0, "Student-3": 0.0}
    for cells in cells_of("check-statistics.md"):
        if cells[0].startswith("two runs"):
            kind = cells[0].rpartition(" ")[2]
            most[kind] = max(most[kind], *(float(cell.split()[0]) for cell in cells[1:]))
    return paragraph(f"In the [simulations](#how-often-it-is-wrong), at most {most['normal']:g} % of the comparisons of unchanged runs "
                     f"raise an alarm if the noise is normal, and at most {most['Student-3']:g} % if it has tails as heavy as Student's "
                     "with 3 degrees of freedom.")


def missed(lines):
    """What the first table of check-statistics says about missed changes and about the most false alarms."""
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines if line.startswith("| ")]
    at, texts = rows[0].index("0.3 %"), []
    for alarms, found in zip(rows, rows[1:]):
        if alarms[0].startswith("two runs"):
            most = max(float(cell.split()[0]) for cell in alarms[1:])
            texts.append(f"{alarms[0].removeprefix('two runs of ').replace(' rows, hidden spread', ' rows,')}: missed in "
                         f"{100 - float(found[at].split()[0]):.1f} %, false alarms at any of these spreads up to {most:g} %")
    return paragraph("So at a hidden spread of 0.3 %, a row that is 5 % slower is often missed (" + "; ".join(texts) + ").")


def cards(_):
    """How much the rows of suite level differ between the reference run's card and the card of between-runs."""
    key = lambda row: tuple(row[name] for name in ("case", "type", "shape", "working_set_bytes"))
    old = {key(row): row for row in rows_of(H200) if row["suite"] == "level" and row["measured"]}
    ratios, ids = {}, {row["device_id"] for row in old.values()}
    for path in sorted((RESULTS / "between-runs").glob("run-*.csv")):
        for row in rows_of(path.relative_to(RESULTS)):
            if row["measured"] and key(row) in old and row["kernels"] == old[key(row)]["kernels"]:
                ratios.setdefault(key(row), []).append(float(row["measured"]))
                ids.add(row["device_id"])
    if not ratios or len(ids) != 2:
        return paragraph("The reference run and the runs in `between-runs/` are not of two cards.")
    texts = []
    for level in ("L2", "memory"):
        differ = [(abs(median(ratios[one]) / float(old[one]["measured"]) - 1), old[one]) for one in ratios
                  if old[one]["level"] == level]
        largest, row = max(differ, key=lambda one: one[0])
        texts.append(f"by {percent(largest)} at most in {level} (`{row['case']}` in {row['shape']}, {len(differ)} rows)")
    return paragraph(f"Between the two NVIDIA H200s with committed runs (`{H200}` and `between-runs/`), ratios of suite "
                     f"`level` with the same kernels differ {listed(texts)}.")


def between_runs(bankline):
    """The report about the committed runs; if there are none, a sentence that says so."""
    folder = RESULTS / "between-runs"
    if not list(folder.glob("run-*.csv")):
        return paragraph("No such runs are committed: `scripts/between-runs measure` makes them, and `report` the tables.")
    if not os.access(bankline, os.X_OK):
        raise Missing(f"there is no program '{bankline}'")
    done = subprocess.run([sys.executable, str(ROOT / "scripts/between-runs"), "report", bankline, str(folder)],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise Missing(done.stderr.strip())
    return done.stdout


BLOCKS = {"printed": printed, "statistics": statistics, "alarm-rates": alarm_rates, "between-runs": between_runs, "cards": cards}
