#!/usr/bin/env python3
"""Makes the writing of files fail: file_faults.py BANKLINE REFERENCE.csv

strace makes the Nth write, fsync, rename, removal, truncation or opening fail. A limit on file sizes makes writes
short, as a full disk does. Unless the new file is complete, the program must print one sentence and exit with 4. The
old file must be unchanged, and a database must have all rows of the run or none. A new file must have only complete
lines. No temporary file may be left except the records that the sentence names.
"""

import os
import re
import resource
import shutil
import sqlite3
import subprocess
import sys

import torture
from torture import require

OLD = "old\n"
ERRORS = {"write": "ENOSPC", "pwrite64": "ENOSPC", "fsync": "EIO", "fdatasync": "EIO",
          "rename": "EACCES", "ftruncate": "EIO", "openat": "ENOSPC", "unlink": "EACCES"}


class Scenario:
    """A command (argv) and the file that it writes. `whole` returns whether a text is the complete new file.

    by_path: fail only calls that name the file, so that a driver's own files are unaffected.
    is_new: there is no old file, and the new file has its final name from the beginning.
    """

    def __init__(self, name, argv, file, calls, whole, by_path=False, is_new=False):
        self.name, self.argv, self.file, self.calls = name, argv, file, calls
        self.whole, self.by_path, self.is_new = whole, by_path, is_new

    def trace(self, call, *more):
        # Only calls with this path: otherwise, opening a library could fail before the program begins.
        paths = ["-P", self.file] if self.by_path or call == "openat" else []
        return ["strace", "-f", "-qq", "-o", "trace", *paths, "-e", f"trace={call}", *more]

    def prepare(self, folder):
        if not self.is_new:
            (folder / self.file).write_text(OLD)

    def count(self, call):
        outcome = torture.launch(self.argv, prepare=self.prepare, before=self.trace(call))
        torture.sound(outcome)
        lines = (outcome.folder / "trace").read_text().splitlines()
        shutil.rmtree(outcome.folder)
        return sum(re.search(rf"\b{call}\(", line) is not None for line in lines)

    def check(self, outcome):
        file = outcome.folder / self.file
        text = file.read_text() if file.exists() else None
        if outcome.status in (0, 1):
            require(text and self.whole(text), "the new file is incomplete, and no failure was reported")
        elif self.is_new:
            require(outcome.status == 4, f"exit status {outcome.status}")
            require(text is None or text.endswith("\n"), "the last line of the new file is incomplete")
            require("bankline: " in outcome.err, "the program printed no sentence")
        else:
            require(outcome.status == 4, f"exit status {outcome.status}")
            by_terminal = "standard output" in outcome.err and self.whole(text)
            require(text == OLD or by_terminal, "the old file was changed")
            require(outcome.err.count("\n") <= 4 and "bankline: " in outcome.err, "the program printed no sentence, or too many lines")
        for left in outcome.folder.iterdir():
            if left.name in (self.file, "trace"):
                continue
            require(f"so far are in {left}\n" in outcome.err, f"{left.name} is left, but not named")
            require(left.read_text().endswith("\n"), f"the last line of {left.name} is incomplete")

    def runs(self):
        for call in self.calls:
            for number in range(1, self.count(call) + 1):
                inject = f"inject={call}:error={ERRORS[call]}:when={number}"
                yield torture.Run(f"{self.name}: {call} {number}", self.argv, self.check,
                                  prepare=self.prepare, before=self.trace(call, "-e", inject))

    def short_runs(self, sizes):
        for size in sizes:
            yield torture.Run(f"{self.name}: at most {size} bytes a file", self.argv, self.check,
                              prepare=self.prepare, before=limit(size))


def limit(size):
    """Limits file sizes, so that writes beyond `size` fail and a write across it is short, as on a full disk."""
    return [sys.executable, "-c",
            "import os, resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
            f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size})); "
            "os.execvp(sys.argv[1], sys.argv[1:])"]


def lines(least):
    return lambda text: text.endswith("\n") and text.count("\n") >= least


def scenarios(bankline, reference):
    built = subprocess.run([bankline, "compare", reference, reference, "--json", "/dev/null"],
                           capture_output=True, check=False).returncode == 0
    plain = ("write", "fsync", "rename", "openat")
    yield Scenario("model --csv", [bankline, "model", "--csv", "new.csv"], "new.csv", plain,
                   lines(100))
    run = [bankline, "run", "--device", torture.DEVICE, "--quick", "--seconds", "0.001", "--csv",
           "new.csv", "global/1", "local/1"]
    yield Scenario("run --csv", run, "new.csv", plain, lines(3), by_path=True)
    yield Scenario("run --csv, new", run, "new.csv", plain, lines(3), by_path=True, is_new=True)
    for option in ("csv", "markdown", "prometheus") + (("json", "junit") if built else ()):
        whole = {"json": lambda text: text.rstrip().endswith("}"),
                 "junit": lambda text: text.rstrip().endswith("</testsuites>")}
        yield Scenario(f"compare --{option}",
                       [bankline, "compare", reference, reference, f"--{option}", "new"], "new",
                       ("write", "fsync", "rename"), whole.get(option, lines(1)))


def history_runs(bankline, reference, generator):
    """Adds a run to a database that already has one run."""
    def prepare(folder):
        text = open(reference, encoding="utf-8").read()
        (folder / "one.csv").write_text(re.sub(r"(?m)^(\d+),[^,]+,", r"\1,one,", text))
        (folder / "two.csv").write_text(re.sub(r"(?m)^(\d+),[^,]+,", r"\1,two,", text))
        for name in ("one", "two"):
            file = folder / f"{name}.csv"
            file.write_text(text.splitlines()[0] + "\n" + file.read_text().split("\n", 1)[1])
        subprocess.run([bankline, "history", "add", "one.csv", "--db", "h.db", "--quiet"], cwd=folder,
                       check=True)

    def check(outcome):
        torture.sound(outcome)
        require(outcome.status in (0, 4), f"exit status {outcome.status}")
        with sqlite3.connect(outcome.folder / "h.db") as database:
            runs = [row[0] for row in database.execute("SELECT run_id FROM run ORDER BY id")]
            counts = [row[0] for row in
                      database.execute("SELECT count(*) FROM measured GROUP BY run")]
            fine = database.execute("PRAGMA integrity_check").fetchone()[0]
        require(fine == "ok", fine)
        require(len(set(counts)) == 1, f"the runs have {counts} rows")
        if outcome.status == 0:
            require(runs == ["one", "two"], f"the runs are {runs}, and no failure was reported")
        else:
            require(runs in (["one"], ["one", "two"]), f"{runs}")
            require("h.db" in outcome.err, "the sentence does not name the database")

    argv = [bankline, "history", "add", "two.csv", "--db", "h.db", "--quiet"]
    for call in ("pwrite64", "fdatasync", "fsync", "ftruncate", "unlink"):
        before = ["strace", "-f", "-qq", "-o", "trace", "-e", f"trace={call}"]
        counted = torture.launch(argv, prepare=prepare, before=before)
        torture.sound(counted)
        count = sum(call in line for line in (counted.folder / "trace").read_text().splitlines())
        shutil.rmtree(counted.folder)
        for number in torture.sample(range(1, count + 1), 40, generator):
            yield torture.Run(f"history add: {call} {number}", argv, check, prepare=prepare,
                              before=[*before, "-e",
                                      f"inject={call}:error={ERRORS[call]}:when={number}"])
    for size in (100, 5000, 40000, 70000):
        yield torture.Run(f"history add: at most {size} bytes a file", argv, check, prepare=prepare,
                          before=limit(size))


def main():
    bankline, reference = map(torture.absolute, sys.argv[1:3])
    generator = torture.seeded("file faults")
    if resource.getrlimit(resource.RLIMIT_FSIZE)[0] != resource.RLIM_INFINITY:
        print("skipped: the size of files is limited already")
        return 77
    works = shutil.which("strace") and subprocess.run(
        ["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True, check=False).returncode == 0
    if not works:
        print("skipped: strace is missing, or may not trace here; scripts/install-packages torture")
        return 77
    # A program that was built for coverage also writes files with its counts.
    is_coverage = os.environ.get("BANKLINE_TEST_COVERAGE") == "1"
    runs = []
    for scenario in scenarios(bankline, reference):
        if is_coverage and not scenario.by_path:
            scenario.calls = ("fsync", "rename")
        runs += scenario.runs()
        if not scenario.by_path and not is_coverage: # the driver writes files, too
            runs += scenario.short_runs((10, 700, 1500, 5000, 20000))
    if not is_coverage:
        runs += history_runs(bankline, reference, generator)
    return torture.conduct("file faults", runs, 10 if is_coverage else 60)


if __name__ == "__main__":
    sys.exit(main())
