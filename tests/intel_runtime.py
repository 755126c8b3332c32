#!/usr/bin/env python3
"""Runs the program on Intel's own OpenCL runtime, which emulates devices: intel_runtime.py BANKLINE FAULT_LAYER SOURCE
[PRODUCT...]

The driver and the compiler are real, but no kernel is executed. The driver must build every kernel for sub-groups of 16
and accept its launches, and the compiler may spill registers only where intended. No row may have a measured number.
"""

import collections
import concurrent.futures
import csv
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# For each product: its machine; the arguments of `run`, or NONE if the runtime hangs or crashes when a kernel is
# launched; then, if the runtime needs them, the device's topology (slices x sub-slices x execution units) and PCI id.
# On dg2 the runtime also crashes if a group requests too much local memory, as the suite local-size does.
ALL, FEW, NONE = [], ["--quick"], None
PRODUCTS = {
    "skl": ("intel-gen9", ALL), "bdw": ("intel-gen9", NONE), "kbl": ("intel-gen9", NONE),
    "glk": ("intel-gen9", NONE), "icllp": ("intel-gen11", FEW), "ehl": ("intel-gen11", NONE),
    "tgllp": ("intel-xe-lp", FEW), "dg1": ("intel-xe-lp", FEW), "rkl": ("intel-xe-lp", NONE),
    "adls": ("intel-xe-lp", NONE), "adlp": ("intel-xe-lp", NONE),
    "dg2": ("intel-xe-hpg", [*FEW, "global", "local", "local-write", "column", "atomic"],
            "1x4x16", "56a0"), "mtl": ("intel-xe-hpg", NONE, "1x8x16", "7d55"),
    "pvc": ("intel-xe-hpc", NONE, "1x8x8", "0bd5"),
}
BANKS_ARE_UNKNOWN = "nobody has published the banks of this GPU"
failures = 0


def environment(product):
    """The environment in which Intel's runtime emulates the product, and is the only OpenCL driver."""
    icd = next(pathlib.Path("/etc/OpenCL/vendors").glob("intel*.icd"), None)
    if icd is None:
        print("skipped: there is no Intel runtime; scripts/install-packages intel-tools installs it")
        sys.exit(77)
    topology = dict(zip(("HardwareInfoOverride", "ForceDeviceId"), PRODUCTS[product][2:]))
    return {**os.environ, **topology, "OCL_ICD_VENDORS": str(icd), "NEOReadDebugKeys": "1",
            "SetCommandStreamReceiver": "1", "ProductFamilyOverride": product,
            "AUBDumpCaptureFileName": "/dev/null", "DisableDeepBind": "1"}


def emulates(product):
    """Whether the runtime can list its platforms. A runtime that was built without the emulator (Aubstream) crashes."""
    asking = ("import ctypes; n = ctypes.c_uint(); "
              "ctypes.CDLL('libOpenCL.so.1').clGetPlatformIDs(0, None, ctypes.byref(n)); print(n.value)")
    done = run([sys.executable, "-c", asking], product)
    return done.returncode >= 0 and done.stdout.strip() == "1"


def expect(condition, product, sentence):
    global failures
    if not condition:
        failures += 1
        print(f"FAILED {product}: {sentence}")


def run(argv, product, **more):
    return subprocess.run(argv, capture_output=True, text=True, errors="replace", timeout=900,
                          check=False, env={**environment(product), **more})


def check_devices(bankline, product, machine):
    done = run([bankline, "devices"], product)
    expect(done.returncode == 0 and "Intel(R)" in done.stdout, product, done.stdout + done.stderr)
    expect(f"machine   {machine}:" in done.stdout, product, f"its machine is not {machine}: {done.stdout}")
    is_known = machine == "intel-gen9"
    expect((BANKS_ARE_UNKNOWN in done.stdout) != is_known, product, "`devices` is wrong about whether its banks are known")
    done = run([bankline, "list", "--machine", machine, "local"], product)
    local_6 = next((line for line in done.stdout.splitlines() if line.startswith("local/6 ")), "")
    expect(done.returncode == 0 and ("1/16-1" in local_6) != is_known, product, f"list: {local_6}")


def check_rows(bankline, layer, product, folder, arguments):
    file = folder / f"{product}.csv"
    done = run([bankline, "run", "--seconds", "0.001", "--csv", str(file),
                *arguments], product, OPENCL_LAYERS=layer,
               BANKLINE_TEST_FAULT="0:0", BANKLINE_TEST_TRACE="1")
    expect(done.returncode == 0, product, f"exit status {done.returncode}: {done.stderr[-800:]}")
    with open(file, newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    statuses = collections.Counter(row["status"] for row in rows)
    expect(len(rows) >= (180 if not arguments else 40 if arguments == FEW else 30), product, f"{len(rows)} rows")
    for row in rows:
        name = f"{row['case']} {row['shape']}"
        expect(row["status"] in ("wrong-result", "bad-clock", "unsupported"), product,
               f"{name}: {row['status']}: {row['reason']}")
        expect(row["machine"] == PRODUCTS[product][0], product, f"{name}: compared with machine {row['machine']}")
        if row["case"] == "local/6" and row["shape"] == "16x1":
            is_known = row["machine"] == "intel-gen9"
            expect((row["predicted"] == "0.0625") == is_known, product, f"{name}: predicted {row['predicted']}")
            expect(("1 by 65 banks of 8 bytes" in row["note"]) != is_known, product, f"{name}: {row['note']}")
        expect(row["measured"] == "" and row["gbytes_per_s"] == "", product, f"{name}: the row has a measured number")
        if row["status"] == "unsupported":
            expect(re.search("needs|does not fit", row["reason"]), product, f"{name}: {row['reason']}")
        if "spills" in row["note"]:
            is_meant = row["suite"] in ("private", "spill", "constant") or row["memory"] == "private"
            expect(is_meant, product,
                   f"{name} {row['note']}")
    executed = len(rows) - statuses["unsupported"]
    calls = collections.Counter(re.findall(r"layer: call \d+ (\w+)", done.stderr))
    expect(calls["clEnqueueNDRangeKernel"] >= executed, product,
           f"{calls['clEnqueueNDRangeKernel']} launches of {executed} cases")
    expect(calls["clReleaseKernel"] == calls["clCreateKernel"] > 10, product, "too few kernels, or some were not released")
    print(f"{product}: {len(rows)} rows, {dict(statuses)}, {calls['clCreateKernel']} kernels built, "
          f"{calls['clEnqueueNDRangeKernel']} launches")


def check_width(bankline, source, product, folder):
    """Checks that the driver reports the SIMD width of a kernel, and that the row's note contains it. Removes the
    required sub-group size from the kernels; the compiler then chooses 32 lanes instead of 16."""
    kernels = folder / f"kernels-{product}"
    shutil.copytree(source / "kernels", kernels)
    header = kernels / "work_items.h"
    text, count = re.subn(r"__attribute__\(\(intel_reqd_sub_group_size.*", "", header.read_text())
    expect(count == 1, product, f"{header.name} asks for a width in {count} places")
    header.write_text(text)
    rows = folder / f"width-{product}.csv"
    done = run([bankline, "run", "--shape", "64x1", "--kernel-dir", str(kernels), "--csv", str(rows), "global/1"],
               product)
    expect(done.returncode == 0 and "in sub-groups of 32, but the machine has 16 lanes" in rows.read_text(),
           product, f"kernels of another width: {done.returncode} {done.stderr}")


def main():
    bankline, layer = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
    source = pathlib.Path(sys.argv[3])
    if not emulates("tgllp"):
        print("skipped: this Intel runtime emulates no device")
        return 77
    folder = pathlib.Path(tempfile.mkdtemp(prefix="bankline-intel-"))

    def check(product):
        machine, launched = PRODUCTS[product][:2]
        check_devices(bankline, product, machine)
        if launched is not NONE:
            check_rows(bankline, layer, product, folder, launched)
            check_width(bankline, source, product, folder)

    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 2) as workers:
        list(workers.map(check, sys.argv[4:] or PRODUCTS))
    shutil.rmtree(folder)
    print(f"intel runtime: {failures} faults")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
