#!/usr/bin/env python3
"""Tests that wrong clocks and wrong results are noticed: lies.py BANKLINE CLOCK_LAYER FLIP_LAYER

The clock layer makes every case and its baseline take the same time per round, so their true ratio is 1, and the measured
numbers can be compared with the true ones.
"""

import re
import sys

import torture
from torture import require

# Clocks with which no row may have a number.
REFUSED = ["zero", "reverse", "fast", "slow", "fixed", "jump", "back"]
# Clocks with which numbers must be right, and the relative error that a tick or a wrap of the counter may cause.
RIGHT = {"honest": 1e-6, "leap": 1e-6, "step:83": 2e-3, "step:1000": 2e-3, "wrap:40": 1e-6}
# Clocks with which a row must have the right number or none.
EITHER = {"wrap:20": 1e-3, "wrap:23": 1e-3, "wrap:26": 1e-3}
CASES = ["global/1", "global/5", "local/1", "local/5", "local/7"]


def arguments(bankline, case, *more):
    return [bankline, "run", "--device", torture.DEVICE, "--quick", "--shape", "16x1", "--seconds", "0.15",
            "--csv", "run.csv", *more, case]


def only_row(outcome):
    rows = outcome.rows()
    require(len(rows) == 1, f"{len(rows)} rows")
    return rows[0]


def has_none(row, status):
    require(row["status"] == status, f"the status is '{row['status']}', expected '{status}': {row['reason']}")
    for column in ("measured", "measured_lo", "measured_hi", "bytes_per_clock_cu", "gbytes_per_s",
                   "ns_per_request"):
        require(row[column] == "", f"{column} is {row[column]}")
    require(row["reason"] != "", "the row has no reason")


def refused(lie):
    def check(outcome):
        require(f"layer: clock {lie.split(':')[0]}" in outcome.err, "the layer printed nothing")
        has_none(only_row(outcome), "bad-clock")
    return check


def right(lie, honest, slower, error, may_refuse):
    """honest: the row that an honest clock gives. slower: how many times as long a round takes now."""
    def check(outcome):
        require(f"layer: clock {lie.split(':')[0]}" in outcome.err, "the layer printed nothing")
        row = only_row(outcome)
        if may_refuse and row["status"] == "bad-clock":
            has_none(row, "bad-clock")
            return
        require(row["status"] in ("ok", "noisy"), f"{row['status']}: {row['reason']}")
        for column, factor in (("measured", 1), ("gbytes_per_s", slower)):
            ratio = float(row[column]) * factor / float(honest[column])
            require(abs(ratio - 1) <= error, f"{column} is {ratio} times the right value")
        low, high = (float(row[column]) for column in ("measured_lo", "measured_hi"))
        truth = float(honest["measured"])
        require(low <= truth * (1 + error) and high >= truth * (1 - error),
                f"the interval {low} to {high} does not contain {truth}")
    return check


def clock_runs(bankline, layer, cases):
    for case in cases:
        argv = arguments(bankline, case)
        outcome = torture.launch(argv, torture.known_time(layer))
        torture.sound(outcome)
        honest = only_row(outcome)
        require(abs(float(honest["measured"]) - 1) < 1e-6, f"{case}: {honest['measured']}")
        for lie in REFUSED: # Rounds are long, because with a clock that stands still the program requests many rounds.
            yield torture.Run(f"clock {lie}, {case}", argv, refused(lie),
                              torture.known_time(layer, lie, BANKLINE_TEST_ROUND_NS="1000000"))
        for lie, error in {**RIGHT, **EITHER}.items():
            yield torture.Run(f"clock {lie}, {case}", argv,
                              right(lie, honest, 1, error, lie in EITHER), torture.known_time(layer, lie))
        # The throughput must be exactly what follows from the clock.
        for slower in (1.5, 2):
            yield torture.Run(f"rounds {slower} times as long, {case}", argv,
                              right("honest", honest, slower, 1e-6, False),
                              torture.known_time(layer, BANKLINE_TEST_ROUND_NS=str(int(40000 * slower))))


def flipped(outcome):
    require("layer: flipped bit" in outcome.err, "the layer printed nothing")
    has_none(only_row(outcome), "wrong-result")


def misled(outcome):
    """A flipped bit in the sums that `try` checks must be reported as an error or a wrong result."""
    require("layer: flipped bit" in outcome.err, "the layer printed nothing")
    if (outcome.folder / "run.csv").exists():
        for row in outcome.rows():
            require(row["measured"] == "", f"measured {row['measured']}")
    require(outcome.status != 0 or "wrong-result" in outcome.out, "no error was reported")


def flip_runs(bankline, clock, layer, cases, generator):
    for case in cases:
        for read in (1, 2, 3):
            yield torture.Run(f"read {read} of {case}", arguments(bankline, case), flipped,
                              torture.known_time(clock, layers=[layer],
                                                 BANKLINE_TEST_FLIP=f"{read}:{generator.randrange(1 << 20)}"))
    for index in ("get_global_id(0) * 3", "get_local_id(0)"):
        for read in (1, 2):
            argv = [bankline, "try", index, "--device", torture.DEVICE, "--quick", "--machine", "nvidia-hopper",
                    "--groups", "2", "--csv", "run.csv"]
            yield torture.Run(f"read {read} of try {index}", argv, misled,
                              torture.known_time(clock, layers=[layer],
                                                 BANKLINE_TEST_FLIP=f"{read}:{generator.randrange(1 << 12)}"))


def impossible(outcome):
    has_none(only_row(outcome), "impossible")


def impossible_runs(bankline, clock):
    """Uses a machine with one bank of one byte, so that every measured throughput is impossible."""
    shown = torture.launch([bankline, "model", "--show-machine", "intel-gen9"])
    torture.sound(shown)
    poor = re.sub(r"(?m)^(banks|bank_bytes) .*", r"\1 = 1", shown.out)
    for case in ("local/1", "local/7"):
        yield torture.Run(f"impossible, {case}", arguments(bankline, case, "--machine", "poor.machine"),
                          impossible, torture.known_time(clock, BANKLINE_TEST_ROUND_NS="500"),
                          prepare=lambda folder: (folder / "poor.machine").write_text(poor))


def main():
    bankline, clock, flip = map(torture.absolute, sys.argv[1:4])
    generator = torture.seeded("lies")
    cases = torture.sample(CASES, len(CASES), generator)
    runs = [*clock_runs(bankline, clock, cases), *flip_runs(bankline, clock, flip, cases, generator),
            *impossible_runs(bankline, clock)]
    return torture.conduct("clock and result lies", runs, 20 * len(cases))


if __name__ == "__main__":
    sys.exit(main())
