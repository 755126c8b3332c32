#!/usr/bin/env python3
"""Every OpenCL call fails once: opencl_faults.py BANKLINE FAULT_LAYER CLOCK_LAYER PRETEND_LAYER

A layer of the ICD loader fails the Nth call of a run of two cases, one of them of every suite in turn, with
three codes. Whatever fails: no crash, no hang, no object that is never released; the message names the
call and the code, the device and the case; the case that failed has no number, the others have theirs. A
second layer makes launches last as long each time, so that all runs make the same calls.
"""

import re
import sys

import torture
from torture import require

CODES = {-5: "CL_OUT_OF_RESOURCES", -6: "CL_OUT_OF_HOST_MEMORY", -2: "CL_DEVICE_NOT_AVAILABLE"}
# What the program can do without: releasing what it needs no more, and facts that it only tells.
DISPENSABLE = re.compile("clRelease|clGetKernelWorkGroupInfo|clGetProgramBuildInfo|clGetDeviceInfo")


def arguments(bankline, case):
    return [bankline, "run", "--device", torture.DEVICE, "--quick", "--seconds", "0.001", "--shape",
            "16x1", "--csv", "run.csv", "local/2", case]


def check_rows(outcome, count, fault):
    """Rows of all cases; one without a number if `fault`, the name of a call, is what it failed of."""
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
        require(row["case"] in outcome.err and row["device"] in outcome.err,
                "the message does not name the case and the device")


def checker(count, number, code):
    def check(outcome):
        spoken = re.search(rf"layer: fault {number} (\w+) {code}\n", outcome.err)
        require("layer: fault\n" in outcome.err, "the layer did not speak")
        if not spoken:
            raise torture.Unreached
        call = spoken.group(1)
        objects = re.search(r"layer: \d+ calls, (\d+) objects made, (\d+) released", outcome.err)
        require(objects, "the layer did not count")
        require(objects.group(1) == objects.group(2),
                f"{objects.group(1)} objects made, {objects.group(2)} released")
        if outcome.status == 0:
            require(DISPENSABLE.match(call), f"{call} failed and nothing was said")
            check_rows(outcome, count, None)
            return
        require(outcome.status == 3, f"exit status {outcome.status}")
        require(CODES[code] in outcome.err and call in outcome.err,
                "the message does not name the call and the code")
        if (outcome.folder / "run.csv").exists():
            check_rows(outcome, count, call)
        else: # before there was a device to measure
            require(re.match("clGet|clCreateContext|clCreateCommandQueue", call), f"no CSV for {call}")
    return check


def cases_of(bankline, environment):
    """The first case of every suite that this device can run."""
    outcome = torture.launch([bankline, "run", "--device", torture.DEVICE, "--quick", "--seconds",
                              "0.001", "--csv", "run.csv"], environment)
    torture.sound(outcome)
    suites = {}
    for row in outcome.rows():
        if row["status"] in ("ok", "noisy"):
            suites.setdefault(row["suite"], row["case"])
    require(len(suites) >= 15, f"{len(suites)} suites have a case here")
    return list(suites.values())


def main():
    bankline, layer, clock, pretend = map(torture.absolute, sys.argv[1:5])
    steady = {"BANKLINE_TEST_CLOCK": "honest", "BANKLINE_TEST_ROUND_NS": "1000000"}
    generator = torture.seeded("OpenCL faults")
    runs = []
    cases = cases_of(bankline, {**steady, "OPENCL_LAYERS": clock})
    # As itself, and the first case as a GPU too, which is warmed up.
    devices = [{**steady, "OPENCL_LAYERS": f"{layer}:{clock}"}] * len(cases)
    devices.append({**steady, "OPENCL_LAYERS": f"{layer}:{clock}:{pretend}",
                    "BANKLINE_TEST_PRETEND": "type=4"})
    for position, (case, device) in enumerate(zip([*cases, cases[0]], devices)):
        argv = arguments(bankline, case)
        argv = [word for word in argv if word not in ("--shape", "16x1")]
        counted = torture.launch(argv, {**device, "BANKLINE_TEST_FAULT": "0:0"})
        torture.sound(counted)
        calls = int(re.search(r"layer: (\d+) calls", counted.err).group(1))
        count = len(counted.rows())
        for code in CODES:
            for number in torture.sample(range(1, calls + 1), 100 if position == 0 else 12, generator):
                runs.append(torture.Run(
                    f"call {number} of {calls} of {case}, {CODES[code]}", argv,
                    checker(count, number, code),
                    {**device, "BANKLINE_TEST_FAULT": f"{number}:{code}"}))
    return torture.conduct("OpenCL faults", runs, 800)


if __name__ == "__main__":
    sys.exit(main())
