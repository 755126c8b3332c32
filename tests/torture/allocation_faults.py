#!/usr/bin/env python3
"""Makes every allocation fail once: allocation_faults.py BANKLINE ALLOCATION_PRELOAD CLOCK_LAYER REFERENCE.csv

A preloaded library makes the Nth allocation of the program's own code, of jansson or of SQLite fail. The program must
not crash, and must leak no more than without the failure. It must print a sentence and exit with 3 or 4, or its output
must be the same as without the failure. It must leave either the old file or the complete new file. If the program
measures, its output may differ, and a failed run may leave an incomplete CSV; but after a run that did not fail,
exactly the rows that are ok or noisy must have a number.
"""

import re
import shutil
import sys

import torture
from torture import require

OLD = "old\n"


class Scenario:
    def __init__(self, name, argv, points, is_measured=False):
        self.name, self.argv, self.points, self.is_measured = name, argv, points, is_measured

    def files(self, folder):
        """The texts of the files that the run wrote."""
        texts = {}
        for name in ("new", "new.csv"):
            if (folder / name).exists():
                texts[name] = (folder / name).read_text()
        return texts

    def check(self, plain, left):
        def check(outcome):
            if "preload: allocation" not in outcome.err:
                require("preload:" in outcome.err, "the preloaded library printed nothing")
                raise torture.Unreached
            told = re.search(r"preload: \d+ allocations, (\d+) never freed(.*)", outcome.err)
            require(told and not told.group(2), "the preloaded library reported no count, or an error")
            require(int(told.group(1)) <= left, f"{told.group(1)} blocks were never freed, {left} without a fault")
            if outcome.status == 0 and not self.is_measured:
                require(outcome.out == plain.out, "the output differs, and no failure was reported")
                require(self.files(outcome.folder) == plain.texts, "a file differs, and no failure was reported")
            elif outcome.status == 0:
                for row in outcome.rows("new.csv"):
                    require((row["measured"] != "") == (row["status"] in ("ok", "noisy")), row["case"])
            else:
                require(outcome.status in (3, 4), f"exit status {outcome.status}")
                require("bankline: " in outcome.err, "the program printed no sentence")
                for name, text in self.files(outcome.folder).items():
                    partly = self.is_measured and name == "new.csv"
                    require(partly or text in (OLD, plain.texts.get(name)), f"{name} is incomplete")
        return check

    def runs(self, preload, clock, prepare, generator):
        def with_old(folder):
            prepare(folder)
            (folder / "new").write_text(OLD)
        environment = {"LD_PRELOAD": preload, "BANKLINE_TEST_ALLOCATION": "0"}
        if self.is_measured: # simulated time, so that each run makes the same allocations
            environment = {**torture.known_time(clock), **environment, "LD_PRELOAD": f"{preload}:{clock}"}
        plain = torture.launch(self.argv, environment, prepare=with_old)
        torture.sound(plain)
        require(plain.status == 0, f"{self.name}: {plain.err}")
        plain.texts = self.files(plain.folder)
        shutil.rmtree(plain.folder)
        told = re.search(r"preload: (\d+) allocations, (\d+) never freed", plain.err)
        count, left = int(told.group(1)), int(told.group(2))
        for number in torture.sample(range(1, count + 1), self.points, generator):
            yield torture.Run(f"allocation {number} of {count} of {self.name}", self.argv,
                              self.check(plain, left),
                              {**environment, "BANKLINE_TEST_ALLOCATION": str(number)},
                              prepare=with_old)


def scenarios(bankline):
    run = [bankline, "run", "--device", torture.DEVICE, "--quick", "--seconds", "0.001", "local/1"]
    yield Scenario("list", [bankline, "list"], 20)
    yield Scenario("model", [bankline, "model", "--machine", "machine"], 60)
    for option in ("csv", "json", "junit", "prometheus", "markdown"):
        yield Scenario(f"compare --{option}", [bankline, "compare", "one.csv", "one.csv", f"--{option}",
                                               "new"], 30)
    for action in (["add", "one.csv"], ["list"], ["show", "*"], ["compare", "one.csv"], ["since", "*"],
                   ["unjudged", "one.csv"], ["export", "--csv", "new"]):
        yield Scenario(f"history {action[0]}", [bankline, "history", *action, "--db", "h.db"], 40)
    yield Scenario("try", [bankline, "try", "(get_global_id(0) ^ 5) * 3", "--patterns", "patterns",
                           "--model-only", "--quick"], 60)
    yield Scenario("try at levels", [bankline, "try", "get_global_id(0) * 3", "--device", torture.DEVICE, "--quick",
                                     "--seconds", "0.001", "--machine", "small.machine", "--csv", "new.csv"], 30, True)
    yield Scenario("run", [*run, "--csv", "new.csv"], 80, True)
    for option in ("json", "benchmark-json", "bencher", "junit", "prometheus", "markdown"):
        yield Scenario(f"run --{option}", [*run, "--csv", "new.csv", f"--{option}", "/dev/null"], 30, True)


def main():
    bankline, preload, clock, reference = map(torture.absolute, sys.argv[1:5])
    generator = torture.seeded("allocation faults")
    lines = open(reference, encoding="utf-8").read().splitlines(keepends=True)
    machine = torture.launch([bankline, "model", "--show-machine", "nvidia-hopper"]).out
    small_machine = torture.small_machine(bankline)
    first = torture.launch([bankline, "history", "add", reference, "--db", "h.db", "--quiet"])
    has_history = "built without" not in first.err
    database = (first.folder / "h.db").read_bytes() if has_history else b""

    def prepare(folder):
        (folder / "one.csv").write_text("".join(lines[:8]))
        (folder / "machine").write_text(machine)
        (folder / "small.machine").write_text(small_machine)
        (folder / "patterns").write_text("a = get_global_id(0)\nb = get_global_id(0) * 17\n")
        (folder / "h.db").write_bytes(database)

    runs = []
    for scenario in scenarios(bankline):
        if scenario.name.startswith("history") and not has_history:
            continue
        try:
            runs += scenario.runs(preload, clock, prepare, generator)
        except torture.Wrong as wrong:
            if "built without" not in str(wrong):
                raise
    return torture.conduct("allocation faults", runs, 100 * torture.SHARE)


if __name__ == "__main__":
    sys.exit(main())
