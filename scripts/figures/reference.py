"""Figures about the reference runs and the samples, for README.md and results/README.md."""
import json
import re
import statistics

from common import (RESULTS, Missing, Run, bullets, capital, code, count, distance, is_one, listed, number, paragraph,
                    percent, rounded, rows_of, spread, table, unique, version)

H200, H100, CPU = "reference/nvidia-h200.csv", "reference/nvidia-h100.csv", "reference/pocl-cpu.csv"
SCHEMA_OF_CLAIMS = 8 # the first schema with the present kernels of latency and stage, and with the column claim_source
# The rows of the first table: a claim that does not hold, claims that hold, a private array, and a working set in
# memory.
ROWS = [
    ("global/2", "16x1"),
    ("local/6", "32x1"),
    ("local/7", "32x1"),
    ("private/nonuniform-32", "32x1"),
    ("level/contiguous-4G", "1024x1"),
]
# Claims that only follow from a document's rule. Files before schema 8 do not mark these claims.
DERIVED = re.compile(r"lines/([3-9]|1\d)$|constant/lines-|private/unique-")


def is_printed(row):
    if "claim_source" in row:
        return row["claim_source"] == "printed"
    return not DERIVED.match(row["case"])


def ratio(text):
    if not text:
        return "-"
    value = float(text)
    if value >= 1 and abs(value - round(value)) < 1e-9:
        return f"{value:.0f}"
    if value < 1 and abs(1 / value - round(1 / value)) < 1e-5:
        return f"1/{1 / value:.0f}"
    return f"{value:.4f}"


def line(row):
    measured = "{:.4f} [{:.4f}, {:.4f}]".format(
        float(row["measured"]), float(row["measured_lo"]), float(row["measured_hi"]))
    notes = ["noisy"] if row["status"] == "noisy" else []
    # Files before schema 8 compare a claim with a single figure, even if the document prints several figures.
    if row.get("claim_verdict") == "refuted" and is_printed(row) and \
            ("claim_source" in row or not row["case"].startswith("private/")):
        notes.append("the guide's claim does not hold here")
    note = "  " + "; ".join(notes) if notes else ""
    throughput = "{:.1f}".format(float(row["bytes_per_clock_cu"])) \
        if row["bytes_per_clock_cu"] else "-"
    text = "    {:<24}{:<8}{:<7}{:<11}{:<26}{:<11}{:>8}{}".format(
        row["case"], row["shape"], ratio(row["claim"] if is_printed(row) else ""), ratio(row["predicted"] or "")
        if row["predicted"] else row["direction"] or "-",
        measured, row["verdict"], throughput, note)
    return text.rstrip()


def first_table(_):
    run = Run(H200)
    heading = "    {:<24}{:<8}{:<7}{:<11}{:<26}{:<11}{:>8}".format(
        "case", "shape", "claim", "predicted", "measured [95 % interval]", "verdict", "B/clk/CU")
    return "\n".join([heading] + [line(run.row(*name)) for name in ROWS]) + "\n"


def off_the_line(_):
    """By how much misaligned reads (shifted by one element) lower throughput."""
    run = Run(H200)
    return paragraph(
        f"An {run.first['device']} looks up several lines per clock, so misalignment by one element lowers throughput by "
        f"{percent(1 - run.of('global/2', '16x1'), 0)} in groups of 16x1 and by {percent(1 - run.of('global/2', '32x1'), 0)} "
        "in groups of 32x1. The guide says that it halves throughput.")


def reference_files(_):
    rows = []
    for path in sorted((RESULTS / "reference").glob("*.csv")):
        run = Run(path.relative_to(RESULTS))
        first = run.first
        rows.append([f"`reference/{path.name}`", f"{first['device']}, driver {first['driver']}", first["time_utc"][:10],
                     version(first), run.schema, len(run.rows), f"{run.seconds():.0f} s"])
    return table(["file", "device", "when", "version", "schema", "rows", "time of its rows"], rows)


def named(row):
    return f"`{row['case']}` in {row['shape']}"


def verdicts(rows):
    """For each verdict, the number of rows with this verdict, as text."""
    counts = [(sum(row["verdict"] == verdict for row in rows), verdict) for verdict in ("confirmed", "unclear", "refuted")]
    return listed(f"{n} {'is' if n == 1 else 'are'} {verdict}" for n, verdict in counts if n)


def predictions(run):
    others = [row for row in run.rows if distance(row) is not None and not is_one(row)]
    n, mean, largest, worst = spread(others)
    sentence = f"Of {n} rows whose predicted ratio is not 1, " + verdicts(others)
    off = sorted((row for row in others if row["verdict"] != "confirmed"), key=lambda row: -abs(distance(row)))
    if off:
        several = len(unique(row["verdict"] for row in off)) > 1
        sentence += " (" + "; ".join(f"{named(row)}{', ' + row['verdict'] if several else ''}, "
                                     f"{percent(abs(distance(row)))} off" for row in off[:8])
        sentence += f" and {count(len(off) - 8, 'other')})" if len(off) > 8 else ")"
    return sentence + f"; the mean error is {percent(mean)}, the largest {percent(largest)} (`{worst['case']}`)."


def guides_words(run):
    """The verdicts of the rows that have a direction, but no prediction."""
    words = [row for row in run.rows if row["direction"] and not row["predicted"]
             and row["verdict"] in ("confirmed", "unclear", "refuted")]
    if not words:
        return ""
    sentence = f"Of {len(words)} rows whose claim is only `faster` or `slower`, "
    sentence += f"{sum(row['verdict'] == 'confirmed' for row in words)} are confirmed"
    rest = [row for row in words if row["verdict"] != "confirmed"]
    for verdict in ("unclear", "refuted"):
        cases = unique(row["case"] for row in rest if row["verdict"] == verdict)
        if cases:
            sentence += f"; {verdict}: {code(cases)}"
    return sentence + "."


def printed_claims(run):
    if run.schema < SCHEMA_OF_CLAIMS:
        return ""
    tested = [row for row in run.rows if row["claim_verdict"] in ("confirmed", "unclear", "refuted")]
    sentences = []
    for source, what in (("printed", "claims that a document prints"), ("derived", "derived claims")):
        rows = [row for row in tested if row["claim_source"] == source]
        if not rows:
            continue
        by = "case" if source == "printed" else "suite"
        not_so = code(unique(row[by] for row in rows if row["claim_verdict"] == "refuted"))
        n = sum(row["claim_verdict"] == "confirmed" for row in rows)
        sentences.append(f"of {len(rows)} {what}, {n} {'holds' if n == 1 else 'hold'}" + (f" (refuted: {not_so})" if not_so else ""))
    return capital("; ".join(sentences)) + "." if sentences else ""


def without(run):
    """Sentences about rows without a verdict, rows without a number, and noisy rows."""
    no_rule = [row for row in run.rows if row["verdict"] == "no-rule"]
    baselines = [row for row in run.rows if row["verdict"] == "baseline"]
    noisy = sum(row["status"] == "noisy" for row in run.rows)
    none = [row for row in run.rows if not row["measured"]]
    sentences = []
    if baselines:
        sentences.append(f"{capital(count(len(baselines), 'row'))} {'is its' if len(baselines) == 1 else 'are their'} "
                         "own baseline.")
    if no_rule:
        sentences.append(f"{capital(count(len(no_rule), 'row'))} {'has' if len(no_rule) == 1 else 'have'} no rule; each "
                         f"row states the reason. Their suites are {code(unique(row['suite'] for row in no_rule))}.")
    if none:
        sentences.append(f"{capital(count(len(none), 'row'))} {'has' if len(none) == 1 else 'have'} no number: "
                          + listed(f"`{row['case']}` ({row['status']})" for row in none) + ".")
    sentences.append(f"{capital(count(noisy, 'row'))} {'is' if noisy == 1 else 'are'} noisy.")
    return " ".join(sentences)


def older(run):
    if run.schema >= SCHEMA_OF_CLAIMS:
        return ""
    return ("The run is of an older version. In it, rows that are their own baseline count as confirmed; claims about banks were "
            "tested even if 16 lanes met 32 banks; `latency/local-*` did not read local memory, and all kernels of `latency` "
            "computed addresses between two reads; `stage/direct` wrote more words than its baseline; and the convolution had the claim "
            "`faster`, which the guide does not print.")


def reference_run(_):
    run = Run(H200)
    begin = f"The rows of the {run.first['device']} took {run.seconds():.0f} s."
    return paragraph(begin, lambda: predictions(run), guides_words(run), printed_claims(run), without(run), older(run))


def there(*paths):
    return [path for path in paths if (RESULTS / path).exists()]


def other_cards_run(_, path=H100):
    """How far predictions are off in another card's run, also separately for L1 and local memory, and for L2 and
    memory."""
    if not there(path):
        return paragraph("No such run is committed.")
    run = Run(path)
    off = []
    for levels, name in ((("L1", "local"), "L1 and local memory"), (("L2", "memory"), "L2 and memory")):
        n, mean, largest, _ = spread([row for row in run.rows if row["level"] in levels])
        off.append(f"by {percent(mean)} on average and {percent(largest)} at most for the {n} rows of {name}")
    return paragraph(f"The rows of the {run.first['device']} took {run.seconds():.0f} s.", lambda: predictions(run),
                     f"Predictions are off {', and '.join(off)}.")


def older_runs(_):
    """The runs of older schemas, and the suites that are missing in them."""
    newest = Run(H200)
    text = ""
    for path in there(H100, CPU):
        run = Run(path)
        if run.schema == newest.schema:
            continue
        suites = unique(row["suite"] for row in run.rows)
        lacks = [suite for suite in unique(row["suite"] for row in newest.rows) if suite not in suites]
        text += paragraph(
            f"`{path}` is of an older version (schema {run.schema}), with other kernels and samples. It can be "
            "read, but not compared with newer runs." + (f" It lacks the suites {code(lacks)}." if lacks else ""),
            bullet="- ")
    return text


def level_of(run, path):
    return f"{run.of('level/contiguous-4G', name='gbytes_per_s'):,.0f} GB/s on the {Run(path).first['device']}"


def bandwidth():
    return ("Contiguous reads of 4 GiB moved "
            + listed(level_of(Run(path), path) for path in there(H100, H200)) + ".")


def latency(run):
    if run.schema < SCHEMA_OF_CLAIMS:
        return ("The latency of local memory is not measured yet: `latency/local-*` of this run compares global memory with "
                "itself, and all kernels of `latency` compute addresses between two reads.")
    ns = [rounded(run.of(f"latency/{case}", name="case_ns")) for case in ("local-16K", "global-16K", "global-16M", "global-1G")]
    return (f"A read that depends on the previous one takes {ns[0]} ns in local memory, {ns[1]} in a working set of 16 KiB, "
            f"{ns[2]} in one of 16 MiB, {ns[3]} in one of 1 GiB.")


def local_writes(_):
    """By how much writes that banks limit are faster than predicted. Empty if some of these writes are not faster."""
    rows = [row for row in Run(H200).within("local-write/") if float(row["predicted"]) < 1]
    off = [distance(row) for row in rows]
    if min(off) <= 0:
        return ""
    return paragraph(f"The rows of `local-write` that banks limit ({code(unique(row['case'].partition('/')[2] for row in rows))}) are "
                     f"{100 * min(off):.1f} to {percent(max(off))} faster than predicted: relative to contiguous writes, these "
                     "writes cost a little less than their number of passes. The reason is unknown.")


def prefetching(run):
    """The ratios of prefetching, and the number of uses of an element from which prefetching by all work-items certainly
    pays."""
    uses = [int(row["case"].rsplit("-", 1)[1]) for row in run.within("prefetch/all-")]
    pays = [n for n in uses if all(number(run.row(f"prefetch/all-{m}"), "measured_lo") > 1 for m in uses if m >= n)]
    ratios = listed(f"{rounded(run.of(f'prefetch/all-{n}'), 2)} at {n}" for n in uses)
    best = max(run.of(f"prefetch/one-{n}") for n in uses)
    return (f"If all work-items prefetch, the ratio depends on the number of uses of an element: {ratios}"
            + (f"; so prefetching pays from {pays[0]} uses on" if pays else "")
            + f". If one work-item prefetches, the ratio is {rounded(best, 2)} at best.")


def atomics(run):
    return ("Atomic additions of 32 lanes to one word of local memory have "
            f"{ratio_of(run, 'atomic/local-word')} of the throughput of additions to separate banks; additions to 32 words of one "
            f"bank have {ratio_of(run, 'atomic/local-stride-32')}. So additions to the same word are not combined.")


def ratio_of(run, case, shape=None, digits=3):
    return rounded(run.of(case, shape), digits)


def times_slower(run, case):
    return rounded(1 / run.of(case))


def worst_of(run, *beginnings):
    _, mean, largest, row = spread(run.within(*beginnings))
    return f"off by {percent(mean)} on average and by {percent(largest)} at most ({named(row)})"


def claims(_):
    run = Run(H200)
    return bullets(
        lambda: ("Local memory has 32 banks instead of the guide's 16. With 32 banks, predictions other than 1 for `local`, "
                 "`local-banks`, `local-write`, `column` and `stride/local-*` are "
                 + worst_of(run, "local/", "local-banks/", "local-write/", "column/", "stride/local") + "."),
        lambda: ("The cost of lines in L1 follows from a hash over four tag banks ([rules](rules/README.md)): predictions "
                 "other than 1 for `global`, `shape`, `lines` and `stride/global-*` are "
                 + worst_of(run, "global/", "shape/", "lines/", "stride/global") + "."),
        (lambda: (f"Contiguous reads of local memory have {ratio_of(run, 'local-vs-cache/1', '32x1')} times the bandwidth of L1 hits."),
         lambda: latency(run),
         lambda: ("The convolution copies its block to local memory and reads its taps from memory, as in the guide. Its "
                  f"throughput is {ratio_of(run, 'convolution/local')} of the baseline's if two work-items copy the halo, and "
                  f"{ratio_of(run, 'convolution/local-by-all')} if all work-items copy the halo.")),
        (lambda: atomics(run),
         lambda: ("Additions to global memory, with separate words for all lanes of all groups, have "
                  f"{ratio_of(run, 'atomic/global-beside-local')} of the throughput of additions to local memory with a "
                  "separate bank for each lane.")),
        lambda: prefetching(run),
        (lambda: (f"Overlapping output has {ratio_of(run, 'stage/overlapping')} of the throughput of output to separate areas, "
                  "with the same work in both."),
         lambda: (f"Output written straight to global memory has {ratio_of(run, 'stage/direct')} of the throughput of output "
                  "that is first gathered in local memory, counted in words written.") if run.schema >= SCHEMA_OF_CLAIMS else ""),
        lambda: ("A private array of 32 elements gets slower with the number of distinct indices among 32 work-items. Relative to a "
                 "uniform index, its throughput is "
                 + listed(f"{ratio_of(run, f'private/unique-{n}')} with {n}" for n in (2, 4, 8, 16, 32)) + "."),
        lambda: ("Private memory gets slower with the number of cache lines that a request touches. Relative to one line, its "
                 "throughput is "
                 + listed(f"{ratio_of(run, f'private/lines-{n}')} with {n}" for n in (2, 4, 8, 16)) + "."),
        (lambda: (f"1024 private bins of a histogram, which spill, are {times_slower(run, 'histogram/private-1024')} times "
                  "slower than bins in local memory; bins in global memory that all groups share are "
                  f"{ratio_of(run, 'histogram/local-1024')} times slower."),
         lambda: ("Bins in global memory that each group has for itself are "
                  f"{times_slower(run, 'histogram/global-own-1024')} times slower.")),
        lambda: (f"`bank-update/1` moves {rounded(run.of('bank-update/1', name='bytes_per_clock_cu'), 2)} of the 128 bytes per "
                 "clock and compute unit that the banks can deliver. `bank-update/16` has "
                 f"{ratio_of(run, 'bank-update/16')} of the throughput of `bank-update/1`. "
                 "With one word per work-item, as in the guide, the kernel also waits for its own writes. There is no "
                 "verdict because banks do not limit this baseline."),
        lambda: (f"An `int3` has {ratio_of(run, 'width/global-int3')} of the throughput of `int` in global memory, and "
                 f"{ratio_of(run, 'width/local-int3')} in local memory. According to the compiler's PTX, it is read from global "
                 "memory by two loads, of 8 and of 4 bytes, and from local memory by one."),
        (lambda: (f"Indices that are not uniform make private arrays of 32 elements {times_slower(run, 'private/nonuniform-32')} "
                  f"times slower; in local memory the same array is {ratio_of(run, 'private/local-32')} times as fast as in "
                  "private memory with uniform indices."),
         lambda: ("Relative to static indices, the throughput of uniform indices depends on the number of operations per access: "
                  + listed(f"{ratio_of(run, f'private/math-{n}-uniform', digits=2)} at {n}" for n in (1, 2, 4, 8, 16)) + ".")),
        bandwidth)


def cpu_run(_):
    run = Run(CPU)
    measured = [row for row in run.rows if row["measured"]]
    wrong = sum(row["status"] == "wrong-result" for row in run.rows)
    return paragraph(
        f"The rows of the CPU took {run.seconds():.0f} s. {capital(count(wrong, 'row'))} had wrong output. Because other programs used the same "
        f"cores, the ratios are noise; {sum(row['verdict'] == 'no-rule' for row in measured)} of {len(measured)} verdicts "
        "are `no-rule`.")


def samples(_):
    rows = []
    for path in sorted((RESULTS / "samples").glob("*.json")):
        cases = json.loads(path.read_text(encoding="utf-8"))["rows"]
        halves = []
        for case in cases:
            middle = statistics.median(case["sample_ratios"])
            halves.append(statistics.median(abs(value / middle - 1) for value in case["sample_ratios"]))
        first = cases[0]
        rows.append([f"`samples/{path.name}`", f"{first['device']}, driver {first['driver']}", version(first), len(cases),
                     sum(len(case["sample_ratios"]) for case in cases), percent(statistics.median(halves), 2)])
    return table(["file", "device", "version", "rows", "samples", "half of a row's samples lie within"], rows)


def tails(_):
    """How far the worst of a run's rows is off in one run of 100, under Student's distribution with 3 degrees of freedom.

    The two tails of the distribution together are 4 sqrt(3) / (pi t^3) for large t; its standard deviation is sqrt(3).
    """
    rows = sum(bool(row["measured"]) for row in rows_of(H200))
    deviations = (4 * 3 ** 0.5 / 3.141592653589793 * rows / 0.01) ** (1 / 3) / 3 ** 0.5
    return paragraph(
        "If the noise has Student's distribution with 3 degrees of freedom, then in one of 100 runs at least one of the run's "
        f"{rows} rows is off by {deviations:.0f} standard deviations. With a standard deviation of 0.3 % that is "
        f"{deviations * 0.3:.1f} %, so a method that seldom raises false alarms cannot often find smaller changes. In each group "
        "of three lines, the third shows this: its limit is computed from the known noise, and 1 of 100 unchanged comparisons exceeds it. Two "
        "runs of a few hundred rows show the tails of their noise only roughly, and fewer rows hardly at all. A limit that alarms "
        "in 1 of 100 comparisons even if tails are heavy would be too wide if tails are not heavy, so `compare` chooses a limit "
        "in between. A history knows each row's spread, so its limits are narrower. A single `history compare` raises false alarms as "
        "often as the table's column 'red at first' says, which is often if the noise has heavy tails. `scripts/nightly` then "
        "measures the slower rows a second time.")


BLOCKS = {"first-table": first_table, "off-the-line": off_the_line, "reference-files": reference_files,
          "reference-run": reference_run, "other-cards-run": other_cards_run,
          "older-runs": older_runs, "claims": claims, "cpu-run": cpu_run, "samples": samples,
          "local-writes": local_writes, "tails": tails}
