#!/usr/bin/env python3
"""Generates a night's run that is slow for a given cause: morning.py RUN.csv CAUSE NIGHT CARD >NIGHT.csv

RUN.csv is a real run. NIGHT is the night's date and CARD the device_id; both together seed 0.05 % of noise. Intervals are
as narrow as on a quiet host, unless the cause is other load.
"""
import csv
import random
import sys

path, cause, night, card = sys.argv[1:5]
with open(path, newline="", encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
IS_SLOW = {"driver": lambda row: row["suite"] in ("local", "bank"),
           "clock": lambda row: row["level"] == "memory",
           "kernel": lambda row: row["case"] == "local/5",
           "card": lambda row: row["suite"] == "global",
           "compiler": lambda row: row["suite"] in ("shape", "vector", "global"),
           "second-day": lambda row: row["suite"] in ("local", "bank")}
BY = 0.88


def scale(row, names, by):
    for name in names:
        if row[name]:
            row[name] = repr(float(row[name]) * by)


def swap_ends(row, name):
    """The interval of the inverse of a time."""
    row[name + "_lo"], row[name + "_hi"] = sorted((row[name + "_lo"], row[name + "_hi"]), key=float)


RATIO = ["measured", "measured_lo", "measured_hi"]
CASE = ["case_ns", "case_ns_lo", "case_ns_hi"]
BASELINE = ["baseline_ns", "baseline_ns_lo", "baseline_ns_hi"]
noise = random.Random(f"{night} {card}")
kept = []
for row in rows:
    row.update(run_id=f"night-{night}-{card}", time_utc=f"{night}T02:00:00Z", device_id=card)
    if cause in ("driver", "second-day"):
        row["driver"] = "581.57.08"
    if not row["measured"]:
        kept.append(row)
        continue
    scale(row, RATIO, noise.gauss(1, 0.0005))
    scale(row, CASE, noise.gauss(1, 0.0005))
    width = 0.03 if cause == "busy" else 0.002
    for name in (RATIO, CASE, BASELINE):
        if row[name[0]]:
            middle = float(row[name[0]])
            row[name[1]], row[name[2]] = repr(middle * (1 - width)), repr(middle * (1 + width))
    if cause in IS_SLOW and IS_SLOW[cause](row) and row["verdict"] != "baseline":
        scale(row, RATIO, BY)
        scale(row, CASE, 1 / BY)
    if cause == "busy" and row["suite"] in ("local", "global", "shape"):
        scale(row, RATIO, 0.6)
        scale(row, CASE, 1 / 0.6)
    if cause == "baseline" and row["suite"] == "local":
        if row["case"] == "local/1":
            scale(row, CASE + BASELINE, 1.5)
        else:
            scale(row, BASELINE, 1.5)
            scale(row, RATIO, 1.5)
    if cause == "clock":
        row["device_mhz"] = "1410"
        scale(row, CASE + BASELINE, 1980 / 1410)
    if cause == "wrong-device-clock" and row["suite"] == "local":
        for name in RATIO + CASE + BASELINE + ["bytes_per_clock_cu", "gbytes_per_s", "ns_per_request", "distance"]:
            row[name] = ""
        row.update(status="bad-clock", verdict="", claim_verdict="", reason="an event ends before it starts")
    if cause == "missing" and row["suite"] == "latency":
        continue
    kept.append(row)
writer = csv.DictWriter(sys.stdout, rows[0], lineterminator="\n")
writer.writeheader()
writer.writerows(kept)
