#!/usr/bin/env python3
"""Makes every OpenCL call fail once: opencl_faults.py BANKLINE FAULT_LAYER CLOCK_LAYER PRETEND_LAYER

A layer of the ICD loader makes the Nth call fail, with each of three error codes. The program runs local/2 and the
first case of a suite, or tries an expression at three levels. It must not crash or hang, and must release every object.
The message must name the call, the code, the device and the case. The failed case must have no number, and every other
case must have one. If fewer placements could be allocated, the row must say so and give the reason. No buffer may be
released before its sub-buffers. A second layer gives launches a fixed time, so that all runs make the same calls.
"""

import re
import sys

import torture
from torture import require

CODES = {-5: "CL_OUT_OF_RESOURCES", -6: "CL_OUT_OF_HOST_MEMORY", -2: "CL_DEVICE_NOT_AVAILABLE"}
# Calls whose failure need not be reported: they release objects, or query properties that are only printed.
DISPENSABLE = re.compile("clRelease|clGetKernelWorkGroupInfo|clGetProgramBuildInfo|clGetDeviceInfo")


LEVELS = "try, at three levels"


def arguments(bankline, case):
    quickly = ["--device", torture.DEVICE, "--quick", "--seconds", "0.001", "--csv", "run.csv"]
    if case == LEVELS:
        return [bankline, "try", *quickly, "--machine", "small.machine", "get_global_id(0) * 3"]
    return [bankline, "run", *quickly, "local/2", case]


def check_rows(outcome, count, fault):
    """Checks that all cases have rows. fault: the call that failed, if it made the program fail. Unless the call failed
    while the device was warmed up, exactly one row must then have no number, and its reason must name the call."""
    rows = outcome.rows()
    require(len(rows) == count, f"{len(rows)} rows of {count}")
    failed = [row for row in rows if row["status"] == "error"]
    for row in rows:
        has_number = row["measured"] != ""
        require(has_number == (row["status"] in ("ok", "noisy")), f"{row['case']}: {row['status']}")
    in_a_row = fault and "bankline: warming up with" not in outcome.err
    require(len(failed) == (1 if in_a_row else 0), f"{len(failed)} rows failed")
    for row in failed:
        require(fault in row["reason"], f"{row['reason']} does not name {fault}")
        require(row["case"].removeprefix("try/") in outcome.err and row["device"] in outcome.err,
                "the message does not name the case and the device")


def goes_in_order(outcome):
    require("before its sub-buffers" not in outcome.err, "a buffer was released before its sub-buffers")


def checker(count, number, code):
    def check(outcome):
        spoken = re.search(rf"layer: fault {number} (\w+) {code}\n", outcome.err)
        require("layer: fault\n" in outcome.err, "the layer printed nothing")
        if not spoken:
            raise torture.Unreached
        goes_in_order(outcome)
        call = spoken.group(1)
        objects = re.search(r"layer: \d+ calls, (\d+) objects made, (\d+) released", outcome.err)
        require(objects, "the layer printed no counts")
        require(objects.group(1) == objects.group(2),
                f"{objects.group(1)} objects created, {objects.group(2)} released")
        if outcome.status == 0:
            told = any(call in row["note"] and CODES[code] in row["note"]
                       for row in outcome.rows())
            require(told or DISPENSABLE.match(call), f"{call} failed, and no error was reported")
            check_rows(outcome, count, None)
            return
        require(outcome.status == 3, f"exit status {outcome.status}")
        require(CODES[code] in outcome.err and call in outcome.err,
                "the message does not name the call and the code")
        if (outcome.folder / "run.csv").exists():
            check_rows(outcome, count, call)
        else: # the call failed before the CSV was created
            require(re.match("clGet|clCreateContext|clCreateCommandQueue", call), f"{call} failed, and there is no CSV")
    return check


def first_cases(bankline):
    """The first case of every suite."""
    outcome = torture.launch([bankline, "model", "--csv", "run.csv"])
    torture.sound(outcome)
    suites = {}
    for row in outcome.rows():
        suites.setdefault(row["suite"], row["case"])
    require(len(suites) >= 15, f"{len(suites)} suites")
    return list(suites.values())


def main():
    bankline, layer, clock, pretend = map(torture.absolute, sys.argv[1:5])
    long_rounds = {"BANKLINE_TEST_ROUND_NS": "1000000"}
    generator = torture.seeded("OpenCL faults")
    runs = []
    # One case has placements that are parts of one buffer.
    cases = [*torture.sample(first_cases(bankline), 40, generator), "level/contiguous-64M"]
    # Uses the device as it is. For the first case, also pretends that the device is a GPU, because GPUs are warmed up.
    as_itself = torture.known_time(clock, layers=[layer], **long_rounds)
    as_gpu = torture.known_time(clock, layers=[layer, pretend], **long_rounds,
                                BANKLINE_TEST_PRETEND="type=4")
    small_machine = torture.small_machine(bankline)

    def prepare(folder):
        (folder / "small.machine").write_text(small_machine)
    for position, (case, device) in enumerate([*((case, as_itself) for case in cases),
                                               (cases[0], as_gpu), (LEVELS, as_itself)]):
        argv = arguments(bankline, case)
        counted = torture.launch(argv, {**device, "BANKLINE_TEST_FAULT": "0:0"}, prepare=prepare)
        torture.sound(counted)
        goes_in_order(counted)
        calls = int(re.search(r"layer: (\d+) calls", counted.err).group(1))
        count = len(counted.rows())
        for code in CODES:
            points = 100 if position == 0 else 20 if case == LEVELS else 12
            for number in torture.sample(range(1, calls + 1), points, generator):
                runs.append(torture.Run(
                    f"call {number} of {calls} of {case}, {CODES[code]}", argv,
                    checker(count, number, code),
                    {**device, "BANKLINE_TEST_FAULT": f"{number}:{code}"}, prepare=prepare))
    return torture.conduct("OpenCL faults", runs, 15)


if __name__ == "__main__":
    sys.exit(main())
