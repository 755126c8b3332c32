#!/usr/bin/env python3
"""Tests kernels that never end, and runs that are ended by signals: hangs.py BANKLINE CLOCK_LAYER SOURCE

A signal is sent a random time after a certain number of rows was written. A run ends promptly if it uses little processor
time and writes few rows after the signal. The host's other load affects neither.
"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import torture
from torture import require

COMMON = ["--device", torture.DEVICE, "--quick", "--shape", "16x1", "--csv", "run.csv"]
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
NEVER_ENDS = ("round < rounds; round++", "round < rounds; round += (uint)zero")
CASES, ROWS = ("global/*", "local/*"), 13
OLD = "old\n"
# A driver cannot be interrupted while it compiles a kernel, but every kernel compiles in less time than this.
PROMPT_S = 2


def with_kernels(source, change):
    """A `prepare` that copies the kernels and changes local.cl."""
    def prepare(folder):
        shutil.copytree(source / "kernels", folder / "kernels")
        file = folder / "kernels" / "local.cl"
        before = file.read_text()
        file.write_text(before.replace(*change))
        require(file.read_text() != before, "local.cl is unchanged")
    return prepare


def given_up(outcome):
    require(outcome.status == 3, f"exit status {outcome.status}")
    rows = {row["case"]: row for row in outcome.rows()}
    require(len(rows) == 3, f"{len(rows)} rows of 3")
    require(rows["global/1"]["status"] == "ok", rows["global/1"]["status"])
    require("did not finish" in rows["local/1"]["reason"], rows["local/1"]["reason"])
    require(rows["local/1"]["status"] == "error", rows["local/1"]["status"])
    require(rows["local/2"]["status"] == "skipped", rows["local/2"]["status"])
    require("local/1 16x1" in rows["local/2"]["reason"], rows["local/2"]["reason"])
    require("local/1 16x1 on " in outcome.err, "the message names neither case nor device")


def written(folder):
    """The CSV to which the run writes: run.csv; or, if run.csv is from an earlier run, the new file beside it."""
    return next(folder.glob("run.csv?*"), folder / "run.csv")


def count_rows(folder):
    try:
        return max(0, written(folder).read_text().count("\n") - 1)
    except FileNotFoundError: # the file does not exist yet, or was renamed at this moment
        return 0


def take_signals():
    """Restores signals that nohup ignores, because child processes inherit ignored signals."""
    for number in SIGNALS:
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)


def processor_time_s(pid):
    """The processor time that the process has used, with its threads."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Ending:
    """A run that gets a signal `later_s` seconds after it has written `rows` rows."""

    def __init__(self, argv, environment, number, rows, later_s, old=False, kernels=None):
        self.argv, self.environment, self.number = argv, environment, number
        self.rows, self.later_s, self.old, self.kernels = rows, later_s, old, kernels
        self.status = self.spent_s = self.further = None

    def prepare(self, folder):
        if self.old:
            (folder / "run.csv").write_text(OLD)
        if self.kernels:
            self.kernels(folder)
        process = subprocess.Popen(self.argv, cwd=folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, preexec_fn=take_signals,
                                   env={**os.environ, **self.environment})
        look = os.WEXITED | os.WNOHANG | os.WNOWAIT # without removing the process from the table, so that it can be inspected
        while not os.waitid(os.P_PID, process.pid, look) and count_rows(folder) < self.rows:
            time.sleep(0.002)
        time.sleep(self.later_s)
        os.kill(process.pid, self.number)
        before_s, before = processor_time_s(process.pid), count_rows(folder)
        _, code, used = os.wait4(process.pid, 0)
        self.status = process.returncode = os.waitstatus_to_exitcode(code)
        self.spent_s = used.ru_utime + used.ru_stime - before_s
        self.further = count_rows(folder) - before

    def check(self, outcome):
        folder = outcome.folder
        if self.status == 0: # the run ended before the signal
            require(len(outcome.rows()) == ROWS, "rows are missing")
            return
        require(self.status == -self.number, f"status {self.status}, not that of the signal")
        require(self.further <= 1, f"{self.further} more rows after the signal")
        require(self.spent_s < PROMPT_S, f"{self.spent_s:.2f} s of processor time after the signal")
        if self.old and count_rows(folder) < ROWS:
            require((folder / "run.csv").read_text() == OLD, "the old file is gone")
        require(count_rows(folder) >= self.rows, "rows are lost")
        if count_rows(folder):
            for row in outcome.rows(written(folder).name):
                require(row["status"] in ("ok", "noisy"), f"{row['case']}: {row['status']}")


def main():
    bankline, clock = map(torture.absolute, sys.argv[1:3])
    source = pathlib.Path(sys.argv[3]).resolve()
    generator = torture.seeded("hangs and signals")
    known = torture.known_time(clock)
    run = [bankline, "run", *COMMON]
    hang = [*run, "--kernel-dir", "kernels", "global/1", "local/1", "local/2"]
    runs = [torture.Run("a kernel that never ends", [*hang, "--deadline", "4"], given_up, known,
                        prepare=with_kernels(source, NEVER_ENDS))]
    for number in SIGNALS:
        endings = [Ending([*hang, "--deadline", "600"], known, number, 1, 0.5,
                          kernels=with_kernels(source, NEVER_ENDS))]
        for _ in range(max(1, round(6 * torture.SHARE))):
            endings.append(Ending([*run, *CASES], known, number, generator.randrange(ROWS),
                                  generator.uniform(0, 0.2), generator.random() < 0.5))
        for ending in endings:
            runs.append(torture.Run(f"{number.name} after {ending.rows} rows of {ending.argv}", ["true"],
                                    ending.check, prepare=ending.prepare))
    return torture.conduct("hangs and signals", runs, 9)


if __name__ == "__main__":
    sys.exit(main())
