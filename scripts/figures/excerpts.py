"""Excerpts of the program's output, and the sources of the machines, for README.md."""
import csv
import os
import re
import subprocess
import tempfile
import textwrap

from common import RESULTS, ROOT, Missing, Run, code, listed, paragraph, percent, rows_of, spread, table, unique
from reference import H100, H200

SLOWER = ("local/7", "32x1", 0.9) # the row that is made slower in a simulated night, and the factor


class NotBuilt(Exception):
    """Raised if an excerpt needs a feature without which the program was built, or runs that are not committed. The
    README then keeps its text."""


def printed_by(bankline, *words):
    if not os.access(bankline, os.X_OK):
        raise Missing(f"there is no program '{bankline}'")
    done = subprocess.run([bankline, *words], capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode > 1 and ("built without" in done.stderr or "Oclgrind" in done.stderr):
        raise NotBuilt(done.stderr.strip())
    if done.returncode > 1:
        raise Missing(done.stderr.strip())
    return done.stdout.splitlines()


def excerpt(command, lines):
    return "\n".join(f"    {line}".rstrip() for line in ["$ " + command, *lines]) + "\n"


def matching(lines, *words):
    """For each word, the first line that begins with it."""
    return [next(line for line in lines if line.startswith(word)) for word in words]


def try_excerpt(bankline):
    """The output of 'try', without the legend and without the figures from which the advice follows."""
    index, options = "get_global_id(1) * 1024 + get_global_id(0)", ["--shape", "8x4", "--machine", "nvidia-hopper"]
    lines = printed_by(bankline, "try", index, *options, "--model-only")
    return excerpt(f"bankline try '{index}' {' '.join(options)}",
                   matching(lines, "  lane", "  line", "  bank", "  pass", "  limited by", "  would help", "  or, better"))


def trace_excerpt(bankline):
    """The costliest line of a trace, without the columns about cache lines; and the fix for this line."""
    words = ["trace", "--machine", "nvidia-hopper", "--sim", "tests/trace/transpose_tiled.sim"]
    lines = printed_by(bankline, *words)
    finding = textwrap.wrap(matching(lines, "1. ")[0], 114, subsequent_indent="   ")
    head, costliest = matching(lines, "line  ", "transpose_tiled.cl")
    left, right = head.index(" lanes") + len(" lanes"), head.index(" tags") + len(" tags")
    return excerpt("bankline " + " ".join(words),
                   [line[:left] + line[right:] for line in (head, costliest)] + finding)


def with_one_slower(rows):
    case, shape, factor = SLOWER
    rows = [dict(row) for row in rows]
    for row in rows:
        if (row["case"], row["shape"]) == (case, shape):
            for name in ("measured", "measured_lo", "measured_hi"):
                row[name] = f"{float(row[name]) * factor:.7g}"
            for name in ("case_ns", "case_ns_lo", "case_ns_hi"):
                row[name] = row.get(name) and f"{float(row[name]) / factor:.7g}"
    return rows


def nightly_excerpt(bankline):
    """The text that scripts/nightly would print about the committed runs if a row of the last run were slower."""
    runs = sorted((RESULTS / "between-runs").glob("run-*.csv"), key=lambda path: int(path.stem.partition("-")[2]))
    if len(runs) < 2:
        raise NotBuilt("there are no runs to make nights of")
    with tempfile.TemporaryDirectory() as folder:
        db, tonight = os.path.join(folder, "nights.db"), os.path.join(folder, "tonight.csv")
        rows = with_one_slower(rows_of(runs[-1].relative_to(RESULTS)))
        with open(tonight, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        printed_by(bankline, "history", "add", "--quiet", *map(str, runs[:-1]), "--db", db)
        printed_by(bankline, "history", "add", "--quiet", tonight, "--db", db)
        why = printed_by(bankline, "history", "why", tonight, "--db", db)
    return excerpt("scripts/nightly", [line.partition(" --db ")[0] for line in why])


def rests_on(bankline, machine):
    """The kind of source that a machine's rules rest on: measured, published, documents or hypotheses. None if the machine
    has no rule."""
    fields = dict(re.split(r" *= *", line, maxsplit=1) for line in printed_by(bankline, "model", "--show-machine", machine)
                  if "=" in line and not line.startswith("#"))
    if fields.get("has_rule") != "yes":
        return None
    said = fields.get("rests_on") or fields["title"].partition(": ")[2]
    if said in ("measured", "measured here"):
        return "measured"
    return next((kind for kind in ("published", "hypotheses") if kind in said), "documents")


def hardware(bankline):
    """The table of hardware and machines, by the kind of source that predictions rest on."""
    kinds = {}
    for machine in sorted((ROOT / "host" / "model" / "machines").glob("*.machine")):
        kinds.setdefault(rests_on(bankline, machine.stem), []).append(machine.stem)
    here = []
    for path in (H100, H200):
        if (RESULTS / path).exists():
            first = Run(path).first
            here.append(f"{first['device']} (driver {first['driver']})")
    theirs = unique(row["gpu"] for row in rows_of("public/figures.csv") if row["machine"] in kinds.get("published", []))
    said = [("measured here ([results](results/README.md))", listed(here), "measured"),
            ("figures that others published ([which](results/public/README.md))", listed(theirs), "published"),
            ("documents; compared with no hardware", "-", "documents"),
            ("hypotheses", "-", "hypotheses"),
            ("nothing: measured, not predicted", "CPUs, and all else", None)]
    return table(["a prediction rests on", "hardware", "machines"],
                 [(what, which, code(kinds[kind])) for what, which, kind in said if kind in kinds])


def own_machine(bankline):
    """How far the H100's rows of L2 and memory are from the predictions of its machine, which was made from these rows.
    Empty if the run is missing."""
    if not (RESULTS / H100).exists():
        return ""
    lines = printed_by(bankline, "model", "level", "--machine", "nvidia-h100", "--csv", "-")
    predicted = {(row["case"], row["shape"]): row["predicted"] for row in csv.DictReader(lines)}
    rows = [{**row, "predicted": predicted.get((row["case"], row["shape"]), "")} for row in Run(H100).rows
            if row["level"] in ("L2", "memory")]
    n, mean, largest, worst = spread(rows)
    held_out, = (spread([row])[1] for row in rows if (row["case"], row["shape"]) == ("level/memory-rows", "8x4"))
    return paragraph(f"Predictions of `nvidia-h100` for these {n} rows of L2 and memory are {percent(mean)} off on average and "
                     f"{percent(largest)} at most (`{worst['case']}`). Its cost of opening a block was fitted to two of these "
                     f"rows; the prediction for `level/memory-rows` in 8x4, which was not used, is {percent(held_out)} off.")


BLOCKS = {"own-machine": own_machine, "try-excerpt": try_excerpt, "trace-excerpt": trace_excerpt, "nightly-excerpt": nightly_excerpt,
          "hardware": hardware}
