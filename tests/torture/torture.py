"""Shared code of the torture tests, which run the program many times, each time with a different injected fault.

A test makes Runs, each with an argv, an environment and a check of the result. `conduct` executes them, several at a time
because most of them wait, and prints how many faults were injected and what went wrong.
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
SHARE = float(os.environ.get("BANKLINE_TEST_SHARE", "1"))  # the share of its samples that each test takes
DEVICE = os.environ.get("BANKLINE_TEST_DEVICE", "portable")
DEADLINE_S = 180


class Wrong(Exception):
    """A failed check, with a sentence."""


def require(condition, sentence):
    if not condition:
        raise Wrong(sentence)


class Unreached(Exception):
    """Raised if the run made fewer calls than were counted before, so that no fault was injected."""


class Outcome:
    """The result of a run: its exit status (negative for a signal), its output, and its folder."""

    def __init__(self, status, out, err, folder):
        self.status, self.out, self.err, self.folder = status, out, err, folder

    def rows(self, name="run.csv"):
        """Returns the rows of the CSV. Every line must be complete."""
        path = self.folder / name
        require(path.exists(), f"there is no {name}")
        text = path.read_text()
        require(text.endswith("\n"), f"the last line of {name} is incomplete")
        rows = list(csv.reader(text.splitlines(keepends=True)))
        require(all(len(row) == len(rows[0]) for row in rows), f"the rows of {name} have different numbers of fields")
        return [dict(zip(rows[0], row)) for row in rows[1:]]


def launch(argv, environment=None, deadline_s=DEADLINE_S, prepare=None, before=()):
    """Runs argv in a separate folder. A hang, a crash or a report of a sanitizer always counts as an error. `prepare`
    is called with the folder before the run. The words `before` are put in front of argv."""
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
    """The environment in which the layer `clock` simulates time. `layers`: other layers, above this layer."""
    return {"OPENCL_LAYERS": ":".join([*layers, clock]), "LD_PRELOAD": clock,
            "BANKLINE_TEST_CLOCK": lie, **more}


def small_machine(bankline):
    """The text of a machine file for CPUs, with working sets of 1 and 4 MiB for L2 and memory."""
    text = launch([bankline, "model", "--show-machine", "nvidia-hopper"]).out
    for key, value in {"name": "small", "formerly": "", "device_type": "cpu", "l2_working_set_mib": 1,
                       "memory_working_set_mib": 4}.items():
        text = re.sub(rf"(?m)^{key} = .*", f"{key} = {value}", text)
    return text


def sound(outcome):
    """Checks that the program did not crash."""
    require(outcome.status >= 0, f"ended by signal {-outcome.status}")
    for sign in ("Sanitizer", "runtime error:", "Assertion"):
        require(sign not in outcome.err, f"the program's messages contain {sign}")
    require(0 <= outcome.status <= 4, f"exit status {outcome.status}")


def built_nothing(outcome):
    """Whether PoCL failed to build a kernel and gave no reason, or could not parse a file of its cache, which it asserts
    that it can. This happened in about one in ten thousand builds, when several processes shared the cache. In such a
    run, no fault was injected."""
    unparsed = "pocl_llvm_build_program" in outcome.err and "Assertion `program->data[device_i]'" in outcome.err
    return unparsed or "failed to build the program" in outcome.err and " error" not in outcome.err


class Run:
    repeated = 0  # number of runs that were repeated because PoCL built nothing

    def __init__(self, name, argv, check, environment=None, **how):
        self.name, self.argv, self.check = name, argv, check
        self.environment, self.how = environment, how
        self.was_reached = True

    def go(self):
        """Returns None, or a sentence that says what went wrong."""
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
    """Returns a sorted random choice of SHARE * count points, but at least one; all points if there are fewer."""
    points = list(points)
    count = max(1, round(count * SHARE))
    return points if len(points) <= count else sorted(generator.sample(points, count))


def seeded(name):
    print(f"{name}: seed {SEED}, {SHARE:g} of the samples")
    return random.Random(SEED)


def conduct(name, runs, least):
    """Executes all runs and returns the test's exit status. `least`: the minimum number of injected faults."""
    failures = []
    with concurrent.futures.ThreadPoolExecutor(max_workers=2 * (os.cpu_count() or 1)) as workers:
        for failure in workers.map(Run.go, runs):
            if failure:
                failures.append(failure)
    for failure in failures[:20]:
        print("FAILED", failure)
    injected = sum(run.was_reached for run in runs)
    if Run.repeated:
        print(f"torture: {name}: {Run.repeated} runs repeated, because PoCL could not build")
    print(f"torture: {name}: {injected} injected, {len(failures)} went wrong")
    if injected < least:
        print(f"FAILED: only {injected} faults were injected, expected at least {least}")
    return 1 if failures or injected < least else 0


def absolute(path):
    return str(pathlib.Path(path).resolve())


if __name__ == "__main__":
    sys.exit("a module; run the tests beside it")
