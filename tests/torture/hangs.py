#!/usr/bin/env python3
"""Kernels that never end, and runs that are ended: hangs.py BANKLINE SOURCE"""

import pathlib
import shutil
import signal
import subprocess
import sys
import time

import torture
from torture import require

COMMON = ["--device", torture.DEVICE, "--quick", "--shape", "16x1"]


def with_kernels(source, change):
    """A `prepare` that copies the kernels and changes local.cl."""
    def prepare(folder):
        shutil.copytree(source / "kernels", folder / "kernels")
        file = folder / "kernels" / "local.cl"
        before = file.read_text()
        file.write_text(before.replace(*change))
        require(file.read_text() != before, "local.cl has changed")
    return prepare


def given_up(outcome):
    require(outcome.status == 3, f"exit status {outcome.status}")
    rows = {row["case"]: row for row in outcome.rows()}
    require(len(rows) == 3, f"{len(rows)} rows of 3")
    # On a busy computer its clock may be refused.
    require(rows["global/1"]["status"] in ("ok", "noisy", "bad-clock"), rows["global/1"]["status"])
    require("does not finish" in rows["local/1"]["reason"], rows["local/1"]["reason"])
    require(rows["local/1"]["status"] == "error", rows["local/1"]["status"])
    require(rows["local/2"]["status"] == "skipped", rows["local/2"]["status"])
    require("local/1 16x1" in rows["local/2"]["reason"], rows["local/2"]["reason"])
    require("local/1 16x1 on " in outcome.err, "the message names neither case nor device")


def ended(bankline, number, after_s, old):
    """Starts a run, sends the signal after a while, and looks at what is left."""
    def prepare(folder):
        for _ in range(3): # a busy computer may be late once
            if end(folder) < 1:
                return
            for file in folder.iterdir():
                file.unlink()
        end(folder)

    def end(folder):
        """How long it took."""
        if old:
            (folder / "run.csv").write_text("old\n")
        process = subprocess.Popen([bankline, "run", *COMMON, "--seconds", "0.1", "--csv", "run.csv",
                                    "global/*", "local/*"], cwd=folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        time.sleep(after_s)
        process.send_signal(number)
        began = time.monotonic()
        _, err = process.communicate(timeout=torture.DEADLINE_S)
        took = time.monotonic() - began
        (folder / "took").write_text(str(took))
        (folder / "status").write_text(str(process.returncode))
        (folder / "err").write_bytes(err)
        return took

    def check(outcome):
        folder = outcome.folder
        status, took = int((folder / "status").read_text()), float((folder / "took").read_text())
        if status == 0: # it was faster than the signal
            require(len(outcome.rows()) == 13, "not all rows")
            return
        require(status == -number, f"status {status}, not that of signal {number}")
        require(took < 1, f"took {took:.2f} s to end")
        if old:
            require((folder / "run.csv").read_text() == "old\n", "the old file is gone")
        name = "run.csv.part" if old else "run.csv"
        if (folder / name).exists() and (folder / name).stat().st_size > 0:
            for row in outcome.rows(name):
                require(row["status"] in ("ok", "noisy", "bad-clock"), f"{row['case']}: {row['status']}")
        elif number != signal.SIGKILL and after_s > 1:
            raise torture.Wrong(f"no {name}")
    return torture.Run(f"signal {number} after {after_s:.2f} s{', an old file' if old else ''}",
                       ["true"], check, prepare=prepare)


def main():
    bankline, source = torture.absolute(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    generator = torture.seeded("hangs and signals")
    never = ("round < rounds; round++", "round < rounds || rounds; round++")
    argv = [bankline, "run", *COMMON, "--seconds", "0.05", "--deadline", "3", "--kernel-dir", "kernels",
            "--csv", "run.csv", "global/1", "local/1", "local/2"]
    runs = [torture.Run("a kernel that never ends", argv, given_up,
                        prepare=with_kernels(source, never))]
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
        for _ in range(30 if torture.ALL else 6):
            runs.append(ended(bankline, number, generator.uniform(0.02, 2), generator.random() < 0.5))
    return torture.conduct("hangs and signals", runs, 20)


if __name__ == "__main__":
    sys.exit(main())
