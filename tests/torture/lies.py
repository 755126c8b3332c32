#!/usr/bin/env python3
"""Clocks and results that lie: lies.py BANKLINE CLOCK_LAYER FLIP_LAYER SOURCE

The clock layer makes the time of a launch known, so a number can be held against the truth: every case
and its baseline do a round in the same time, and their ratio is that of their work.
"""

import pathlib
import sys

import torture
from torture import require

REFUSED = ["zero", "reverse", "fast", "slow", "fixed", "jump", "back"]
# Right numbers; how far off a tick or a wrap may leave them.
RIGHT = {"honest": 1e-6, "leap": 1e-6, "step:83": 2e-3, "step:1000": 2e-3, "wrap:40": 1e-6}
EITHER = {"wrap:20": 1e-3, "wrap:23": 1e-3, "wrap:26": 1e-3}
CASES = ["global/1", "global/5", "local/1", "local/5", "local/7"]
CASES = CASES[:max(1, round(len(CASES) * torture.SHARE))]


def arguments(bankline, case, *more):
    return [bankline, "run", "--device", torture.DEVICE, "--quick", "--shape", "16x1", "--seconds", "0.15",
            "--csv", "run.csv", *more, case]


def only_row(outcome):
    rows = outcome.rows()
    require(len(rows) == 1, f"{len(rows)} rows")
    return rows[0]


def has_none(row, status):
    require(row["status"] == status, f"{row['status']} where {status} is right: {row['reason']}")
    for column in ("measured", "measured_lo", "measured_hi", "bytes_per_clock_cu", "gbytes_per_s",
                   "ns_per_request"):
        require(row[column] == "", f"{column} is {row[column]}")
    require(row["reason"] != "", "no reason")


def refused(lie):
    def check(outcome):
        require(f"layer: clock {lie.split(':')[0]}" in outcome.err, "the layer did not speak")
        has_none(only_row(outcome), "bad-clock")
    return check


def right(lie, honest, slower, error, may_refuse):
    """honest: the row of an honest clock; slower: how many times longer a round takes now."""
    def check(outcome):
        require(f"layer: clock {lie.split(':')[0]}" in outcome.err, "the layer did not speak")
        row = only_row(outcome)
        if may_refuse and row["status"] == "bad-clock":
            has_none(row, "bad-clock")
            return
        require(row["status"] in ("ok", "noisy"), f"{row['status']}: {row['reason']}")
        for column, factor in (("measured", 1), ("gbytes_per_s", slower)):
            ratio = float(row[column]) * factor / float(honest[column])
            require(abs(ratio - 1) <= error, f"{column} is {ratio} of what is right")
        low, high = (float(row[column]) for column in ("measured_lo", "measured_hi"))
        truth = float(honest["measured"])
        require(low <= truth * (1 + error) and high >= truth * (1 - error),
                f"{low} to {high} without {truth}")
    return check


def clock_runs(bankline, layer):
    for case in CASES:
        argv = arguments(bankline, case)
        environment = {"OPENCL_LAYERS": layer, "BANKLINE_TEST_CLOCK": "honest"}
        outcome = torture.launch(argv, environment)
        torture.sound(outcome)
        honest = only_row(outcome)
        require(abs(float(honest["measured"]) - 1) < 1e-6, f"{case}: {honest['measured']}")
        for lie in REFUSED:
            yield torture.Run(f"clock {lie}, {case}", argv, refused(lie),
                              {**environment, "BANKLINE_TEST_CLOCK": lie})
        for lie, error in {**RIGHT, **EITHER}.items():
            yield torture.Run(f"clock {lie}, {case}", argv,
                              right(lie, honest, 1, error, lie in EITHER),
                              {**environment, "BANKLINE_TEST_CLOCK": lie})
        # Exactly the throughput that the clock implies.
        for slower in (1.5, 2):
            yield torture.Run(f"rounds {slower} times as long, {case}", argv,
                              right("honest", honest, slower, 1e-6, False),
                              {**environment, "BANKLINE_TEST_ROUND_NS": str(int(40000 * slower))})


def flipped(outcome):
    require("layer: flipped bit" in outcome.err, "the layer did not speak")
    has_none(only_row(outcome), "wrong-result")


def misled(outcome):
    """A flipped bit of the indices that `try` finds: an error that says so, or a wrong result."""
    require("layer: flipped bit" in outcome.err, "the layer did not speak")
    if (outcome.folder / "run.csv").exists():
        for row in outcome.rows():
            require(row["measured"] == "", f"measured {row['measured']}")
    require(outcome.status != 0 or "wrong-result" in outcome.out, "nothing was said")


def flip_runs(bankline, layer, generator):
    for case in CASES:
        for read in (1, 2, 3):
            yield torture.Run(f"read {read} of {case}", arguments(bankline, case), flipped,
                              {"OPENCL_LAYERS": layer,
                               "BANKLINE_TEST_FLIP": f"{read}:{generator.randrange(1 << 20)}"})
    for index in ("get_global_id(0) * 3", "get_local_id(0)"):
        for read in (1, 2):
            argv = [bankline, "try", index, "--device", torture.DEVICE, "--quick", "--machine", "nvidia",
                    "--groups", "2", "--csv", "run.csv"]
            yield torture.Run(f"read {read} of try {index}", argv, misled,
                              {"OPENCL_LAYERS": layer,
                               "BANKLINE_TEST_FLIP": f"{read}:{generator.randrange(1 << 12)}"})


def impossible(outcome):
    has_none(only_row(outcome), "impossible")


def impossible_runs(bankline, folder):
    """A machine whose banks deliver next to nothing: what any device reads is more."""
    shown = torture.launch([bankline, "model", "--show-machine", "intel-gen9"])
    torture.sound(shown)
    text = "\n".join("banks = 1" if line.startswith("banks ") else
                     "bank_bytes = 1" if line.startswith("bank_bytes ") else line
                     for line in shown.out.splitlines())
    machine = folder / "poor.machine"
    machine.write_text(text + "\n")
    for case in ("local/1", "local/7"):
        yield torture.Run(f"impossible, {case}",
                          arguments(bankline, case, "--machine", str(machine)), impossible)


def main():
    bankline, clock, flip = map(torture.absolute, sys.argv[1:4])
    generator = torture.seeded("lies")
    folder = pathlib.Path(sys.argv[4])
    runs = [*clock_runs(bankline, clock), *flip_runs(bankline, flip, generator),
            *impossible_runs(bankline, folder)]
    return torture.conduct("clock and result lies", runs, 40)


if __name__ == "__main__":
    sys.exit(main())
