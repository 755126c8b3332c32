"""What the torture tests share: many runs of the program at a time, and a count of what they saw.

A test makes Runs, each an argv with an environment and a check of what came out of it; `conduct` runs
them all, several at a time, since most of them wait, and prints how many faults were injected and what went wrong.
"""

import concurrent.futures
import csv
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

SEED = int(os.environ.get("BANKLINE_TEST_SEED", "20261121"))
SHARE = float(os.environ.get("BANKLINE_TEST_SHARE", "1"))  # of the samples that tests ask for
DEVICE = os.environ.get("BANKLINE_TEST_DEVICE", "portable")
DEADLINE_S = 180


class Wrong(Exception):
    """What a check found, in a sentence."""


def require(condition, sentence):
    if not condition:
        raise Wrong(sentence)


class Unreached(Exception):
    """The run had fewer points than were counted; nothing was injected."""


class Outcome:
    """One run: its exit status (below 0: the signal), texts, and the folder it ran in."""

    def __init__(self, status, out, err, folder):
        self.status, self.out, self.err, self.folder = status, out, err, folder

    def rows(self, name="run.csv"):
        """The CSV's rows; every line must be whole."""
        path = self.folder / name
        require(path.exists(), f"there is no {name}")
        text = path.read_text()
        require(text.endswith("\n"), f"{name} ends in half a line")
        rows = list(csv.reader(text.splitlines(keepends=True)))
        require(all(len(row) == len(rows[0]) for row in rows), f"{name} has a row of other length")
        return [dict(zip(rows[0], row)) for row in rows[1:]]


def launch(argv, environment=None, deadline_s=DEADLINE_S, prepare=None, before=()):
    """Runs argv in a folder of its own. A hang, a crash or a sanitizer's finding is wrong whatever the
    check says. `prepare` is given the folder first; `before` goes before argv."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="bankline-torture-"))
    try:
        if prepare:
            prepare(folder)
        done = subprocess.run([*before, *argv], cwd=folder, capture_output=True, timeout=deadline_s,
                              env={**os.environ, **(environment or {})}, check=False)
    except subprocess.TimeoutExpired as late:
        shutil.rmtree(folder, ignore_errors=True)
        raise Wrong(f"hangs: {late}") from late
    out, err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    return Outcome(done.returncode, out, err, folder)


def known_time(clock, lie="honest", layers=(), **more):
    """The environment in which the layer CLOCK tells the time, below other layers."""
    return {"OPENCL_LAYERS": ":".join([*layers, clock]), "LD_PRELOAD": clock,
            "BANKLINE_TEST_CLOCK": lie, **more}


def small_machine(bankline):
    """A machine's file, for CPUs, whose levels are of a few MiB."""
    text = launch([bankline, "model", "--show-machine", "nvidia-hopper"]).out
    for key, value in {"name": "small", "formerly": "", "device_type": "cpu", "l2_working_set_mib": 1,
                       "memory_working_set_mib": 4}.items():
        text = re.sub(rf"(?m)^{key} = .*", f"{key} = {value}", text)
    return text


def sound(outcome):
    """Nothing crashed."""
    require(outcome.status >= 0, f"ended by signal {-outcome.status}")
    for sign in ("Sanitizer", "runtime error:", "Assertion"):
        require(sign not in outcome.err, f"{sign} in its messages")
    require(0 <= outcome.status <= 4, f"exit status {outcome.status}")


def built_nothing(outcome):
    """PoCL itself could not build a kernel and does not say why: seen once in some ten thousand builds,
    where several processes share its cache. Nothing was injected then."""
    return "failed to build the program" in outcome.err and " error" not in outcome.err


class Run:
    repeated = 0  # runs made once more because PoCL built nothing

    def __init__(self, name, argv, check, environment=None, **how):
        self.name, self.argv, self.check = name, argv, check
        self.environment, self.how = environment, how
        self.was_reached = True

    def go(self):
        """None, or what went wrong."""
        outcome = None
        try:
            outcome = launch(self.argv, self.environment, **self.how)
            if built_nothing(outcome):
                Run.repeated += 1
                shutil.rmtree(outcome.folder, ignore_errors=True)
                outcome = launch(self.argv, self.environment, **self.how)
            sound(outcome)
            self.check(outcome)
            return None
        except Unreached:
            self.was_reached = False
            return None
        except Wrong as wrong:
            said = "" if outcome is None else outcome.err[-1500:]
            return f"{self.name}: {wrong}\n    {' '.join(map(str, self.argv))}\n{said}"
        finally:
            if outcome is not None:
                shutil.rmtree(outcome.folder, ignore_errors=True)


def sample(points, count, generator):
    """The share of `count` points, sorted; all, where there are no more."""
    points = list(points)
    count = max(1, round(count * SHARE))
    return points if len(points) <= count else sorted(generator.sample(points, count))


def seeded(name):
    print(f"{name}: seed {SEED}, {SHARE:g} of the samples")
    return random.Random(SEED)


def conduct(name, runs, least):
    """Runs them all; the exit status of the test. `least`: how many the test is meant to make."""
    failures = []
    with concurrent.futures.ThreadPoolExecutor(max_workers=2 * (os.cpu_count() or 1)) as workers:
        for failure in workers.map(Run.go, runs):
            if failure:
                failures.append(failure)
    for failure in failures[:20]:
        print("FAILED", failure)
    injected = sum(run.was_reached for run in runs)
    if Run.repeated:
        print(f"torture: {name}: {Run.repeated} runs made again, for PoCL could not build")
    print(f"torture: {name}: {injected} injected, {len(failures)} went wrong")
    if injected < least:
        print(f"FAILED: {injected} are fewer than {least}")
    return 1 if failures or injected < least else 0


def absolute(path):
    return str(pathlib.Path(path).resolve())


if __name__ == "__main__":
    sys.exit("a module; run the tests beside it")
