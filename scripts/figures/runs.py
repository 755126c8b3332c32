"""Figures that the program computes, and the output of scripts that take too long to run again."""
import os
import re
import subprocess
import sys

from common import RESULTS, ROOT, Missing, paragraph, rows_of
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
    return paragraph(f"Seed {found[1]}, rows of {of}:") + "\n" + "".join(lines[1:]).lstrip("\n")


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


BLOCKS = {"printed": printed, "statistics": statistics, "between-runs": between_runs}
