#!/usr/bin/env python3
"""Generates a night's run with effects of given causes: morning.py RUN.csv CAUSE[+CAUSE...] NIGHT CARD [BY] >NIGHT.csv

RUN.csv is a real run. NIGHT is the date and CARD is the device_id of the generated run. The noise has a standard
deviation of 0.05 %; its seed is made of NIGHT and CARD. The ratio of a slow row is BY times that of RUN.csv
(default 0.88), except with the causes `busy` and `baseline`. Intervals are as narrow as on a quiet host, except with
the cause `busy`.
"""
import csv
import random
import sys

path, causes, night, card = sys.argv[1:5]
causes = causes.split("+")
with open(path, newline="", encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
IS_SLOW = {"driver": lambda row: row["suite"] in ("local", "bank"),
           "clock": lambda row: row["level"] == "memory",
           "kernel": lambda row: row["case"] == "local/5",
           "card": lambda row: row["suite"] == "global",
           "compiler": lambda row: row["suite"] in ("shape", "vector", "global"),
           "second-day": lambda row: row["suite"] in ("local", "bank")}
BY = float(sys.argv[5]) if len(sys.argv) > 5 else 0.88


def scale(row, names, by):
    for name in names:
        if row[name]:
            row[name] = repr(float(row[name]) * by)


RATIO = ["measured", "measured_lo", "measured_hi"]
CASE = ["case_ns", "case_ns_lo", "case_ns_hi"]
BASELINE = ["baseline_ns", "baseline_ns_lo", "baseline_ns_hi"]
noise = random.Random(f"{night} {card}")
kept = []
for row in rows:
    row.update(run_id=f"night-{night}-{card}", time_utc=f"{night}T02:00:00Z", device_id=card)
    if "driver" in causes or "second-day" in causes:
        row["driver"] = "581.57.08"
    if "new-kernels" in causes and row["suite"] == "latency":
        row["kernels"] = "0123abcd"
    if not row["measured"]:
        kept.append(row)
        continue
    scale(row, RATIO, noise.gauss(1, 0.0005))
    scale(row, CASE, noise.gauss(1, 0.0005))
    width = 0.03 if "busy" in causes else 0.002
    for name in (RATIO, CASE, BASELINE):
        if row[name[0]]:
            middle = float(row[name[0]])
            row[name[1]], row[name[2]] = repr(middle * (1 - width)), repr(middle * (1 + width))
    if any(IS_SLOW[cause](row) for cause in causes if cause in IS_SLOW) and row["verdict"] != "baseline":
        scale(row, RATIO, BY)
        scale(row, CASE, 1 / BY)
    if "busy" in causes and row["suite"] in ("local", "global", "shape"):
        scale(row, RATIO, 0.6)
        scale(row, CASE, 1 / 0.6)
    if "baseline" in causes and row["suite"] == "local":
        if row["case"] == "local/1":
            scale(row, CASE + BASELINE, 1.5)
        else:
            scale(row, BASELINE, 1.5)
            scale(row, RATIO, 1.5)
    if "clock" in causes:
        row["device_mhz"] = "1410"
        scale(row, CASE + BASELINE, 1980 / 1410)
    if "wrong-device-clock" in causes and row["suite"] == "local":
        for name in RATIO + CASE + BASELINE + ["bytes_per_clock_cu", "gbytes_per_s", "ns_per_request", "distance"]:
            row[name] = ""
        row.update(status="bad-clock", verdict="", claim_verdict="", reason="an event ends before it starts")
    if "missing" in causes and row["suite"] == "latency":
        continue
    kept.append(row)
writer = csv.DictWriter(sys.stdout, rows[0], lineterminator="\n")
writer.writeheader()
writer.writerows(kept)
