#!/bin/sh
# Tests `bankline history outliers` with generated fleets of cards: fleet.sh BANKLINE SOURCE
set -u
case $1 in /*) bankline=$1 ;; *) bankline=$PWD/$1 ;; esac
source=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# shellcheck source=tests/checks.sh
. "$(dirname "$0")/checks.sh"
cd "$folder" || exit 1
if "$bankline" history list 2>&1 | grep -q 'built without sqlite3'; then
    echo 'skipped: built without sqlite3'
    exit 77
fi
run=$source/results/reference/nvidia-h200.csv
outliers() { "$bankline" history outliers "$@" --db fleet.db; }

expect 4 'no history yet' outliers
holds 'a fleet of 40 cards and three nights is generated' "$source/scripts/simulate-fleet" "$bankline" "$run" made 40 3 5
ln -s made/fleet.db fleet.db
expect 1 '2 of 40 cards differ from the others' outliers
holds 'the deviating ratio is printed' grep -q '^ *local/6 16x1: its ratio is 0.12.*, the median of 40 cards 0.12' out
holds 'the card and its host are printed' grep -q '^00000000-0000-4000-8000-000000000000, NVIDIA H200 on node0000, run' out
holds 'the slow card is reported as a whole, not row by row' sh -c "grep -A1 '^00000027-' out | grep -q 'its rows are [23][0-9.]* % slower'"
holds 'the report says since when' grep -q 'since 2026-10-29' out
holds 'the typical values are printed' grep -qE '^global/1 +16x1 +int +40 +[01]\.[0-9]+ +0\.[0-9]+ %' out
expect 1 '2 of 40 cards differ' outliers local/6
expect 1 '1 of 40 cards differs' outliers local/5
expect 0 '0 of 40 cards differ' outliers global --threshold 20% --speed 40%
expect 1 '2 of 40 cards differ' outliers --absolute
holds "rows of the slow card are not listed one by one" [ "$(awk '/^0000/ {on = /^00000027-/} on' out | grep -c 'its own time is')" -eq 0 ]
expect 1 '1 of 40 cards differs' outliers 'local/*' --threshold 5%
expect 1 '2026-11-01' outliers --since 2026-11-01
expect 1 '2026-10-30' outliers --since 2026-10-30T02:00:00Z
expect 2 'no run in the period to compare' outliers --since 2030-01-01
expect 2 'expected a date' outliers --since yesterday
expect 2 'expected a date' outliers --since 2026-1-1
expect 2 'expected a date' outliers --since 2026-02-31
expect 2 'expected a date' outliers --since 2026-13-01T00:00:00Z
expect 2 "has a case 'none'" outliers none
expect 2 'are the same file' outliers --csv fleet.db
holds '--quiet prints nothing for a healthy fleet' [ -z "$(outliers global --threshold 20% --speed 40% --quiet)" ]
holds '--quiet prints only the cards' sh -c "'$bankline' history outliers --quiet --db fleet.db | grep -vq '^global/1'"

# The output in every format names both cards that differ.
"$bankline" history outliers --db fleet.db --csv odd.csv --json odd.json --junit odd.xml --markdown odd.md \
    --prometheus odd.prom >/dev/null 2>&1
holds 'documents contain the outliers' python3 - <<'END'
import csv, json, re, xml.etree.ElementTree as tree
rows = list(csv.DictReader(open("odd.csv")))
odd = [row for row in rows if row["record"] != "row"]
assert len(rows) == 90 and sorted(row["record"] for row in odd) == ["ratio", "speed"], odd
ratio = next(row for row in odd if row["record"] == "ratio")
assert ratio["case"] == "local/6" and -0.04 < float(ratio["by"]) < -0.02 and ratio["host"] == "node0000"
assert float(ratio["spreads"]) > float(ratio["limit"]) > 3
whole = json.load(open("odd.json"))
assert whole["cards"] == 40 and len(whole["rows"]) == 88 and len(whole["outliers"]) == 2
assert whole["outliers"][0]["run"]["device_id"].startswith("0000002"), whole["outliers"][0]
suite = tree.parse("odd.xml").getroot()[0]
assert suite.get("tests") == "40" and suite.get("failures") == "2"
assert open("odd.md").read().count("local/6") > 5
text = open("odd.prom").read()
assert len(re.findall(r"^bankline_fleet_speed\{", text, re.M)) == 40
assert len(re.findall(r"^bankline_fleet_outlier\{", text, re.M)) == 2
END

# Half of the cards run under another OS kernel, and a fifth of their rows differ by 3 %. The output reports two groups
# of cards.
python3 - made/night/000[01]*.csv <<'END'
import csv, os, sys
os.mkdir("halves")
for number, name in enumerate(sys.argv[1:]):
    rows = list(csv.DictReader(open(name)))
    for at, row in enumerate(rows):
        if number % 2:
            row["os"] = "Linux 9.9"
        if number % 2 and at % 5 == 0 and row["measured"] and float(row["measured"]) != 1:
            for column in ("measured", "measured_lo", "measured_hi"):
                row[column] = f"{float(row[column]) * 0.97:.7g}"
    with open(f"halves/{number}.csv", "w", newline="") as out:
        writer = csv.DictWriter(out, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
END
holds 'the runs of both halves are added' "$bankline" history add halves/*.csv --db halves.db --quiet
"$bankline" history outliers --db halves.db --json halves.json --markdown halves.md >out 2>&1
holds 'the two groups are reported' grep -q 'two groups of cards of NVIDIA H200, 10 and 10 cards, differ in' out
holds 'documents report the two groups' python3 - <<'END'
import json
(groups,) = json.load(open("halves.json"))["groups"]
assert groups["cards"] == [10, 10] and abs(groups["by"]) > 0.025 and "Linux 9.9" in groups["differ_in"], groups
assert groups["sentence"].startswith("two groups of cards") and "two groups of cards" in open("halves.md").read()
END

# If the driver reports no id, cards are distinguished by host. Cards with another driver form a separate fleet.
for card in 1 2 3 4 5; do
    sed "2,\$s/^\([0-9]*\),[^,]*,\([^,]*\),\([^,]*\),[^,]*,/\1,run-$card,\2,\3,host$card,/; 2,\$s/,7f4e0b3e-[^,]*,/,,/" "$run" >"host$card.csv"
done
sed -i 's/,580\.159\.04,/,590.1,/' host5.csv
holds 'five hosts are added' "$bankline" history add host?.csv --db hosts.db --quiet
expect 0 'driver 580.159.04: 4 cards' "$bankline" history outliers --db hosts.db
expect 0 'too few cards to find outliers' "$bankline" history outliers --db hosts.db
holds 'the number of cards is printed' grep -q '4 of 5 cards\|5 runs have no device_id' out
holds 'cards that could not be compared are counted' grep -q '; 1 could not be compared' out
holds 'the card with the other driver forms a separate fleet' grep -q 'driver 590.1: 1 card' out
# A card whose rows have no numbers is reported. A run whose time is in the future is left out, and hides no other run.
python3 - made/night/00005.csv dead.csv future.csv <<'END'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
for path, edit in ((sys.argv[2], lambda row: {**row, "measured": "", "measured_lo": "", "measured_hi": "", "verdict": "", "status": "error",
                                              "case_ns": "", "baseline_ns": "", "run_id": "dead", "device_id": "dead-card"}),
                   (sys.argv[3], lambda row: {**row, "run_id": "late", "time_utc": "2026-01-01T00:00:00Z"})):
    with open(path, "w", newline="") as out:
        writer = csv.DictWriter(out, rows[0].keys())
        writer.writeheader()
        writer.writerows(map(edit, rows))
END
cp made/fleet.db more.db
holds 'two more runs are added' "$bankline" history add dead.csv future.csv --db more.db --quiet
python3 -c 'import sqlite3
with sqlite3.connect("more.db") as history: # earlier versions accepted such a time
    history.execute("UPDATE run SET time_utc = \"2126-01-01T00:00:00Z\" WHERE run_id = \"late\"")'
expect 1 'it has no number in 88 of the 88 rows that the other cards have' "$bankline" history outliers --db more.db --quiet
holds 'the other outliers do not change' grep -q '3 of 41 cards differ' out
holds 'a run with a future time is left out' grep -q '1 run is dated in the future' out
# One card has no run in the last night. Another card was measured with other kernels than the rest.
holds "one card's run is removed" python3 - made/fleet.db <<'END'
import shutil, sqlite3, sys
shutil.copy(sys.argv[1], "gone.db")
with sqlite3.connect("gone.db") as history:
    last = history.execute("SELECT max(time_utc) FROM run WHERE time_utc < '2100'").fetchone()[0][:10]
    history.execute("DELETE FROM measured WHERE run IN (SELECT id FROM run WHERE device_id LIKE '00000007-%' AND time_utc >= ?)", (last,))
    history.execute("DELETE FROM run WHERE device_id LIKE '00000007-%' AND time_utc >= ?", (last,))
    history.execute("UPDATE measured SET kernels = 'other' WHERE run IN (SELECT id FROM run WHERE device_id LIKE '00000009-%')")
END
expect 1 '3 of 40 cards differ from the others' "$bankline" history outliers --db gone.db --junit gone.xml --json gone.json \
    --markdown gone.md
holds 'the missing card is named' grep -q 'it has no run now, but had runs in [0-9]* nights of the week before' out
holds 'the card that was not compared is counted' grep -q '; 1 could not be compared' out
holds 'the card that was not compared is named, with the reason' sh -c "grep -A1 '^00000009-' out | \
    grep -q 'could not be compared: fewer than four cards have its rows with the same kernels'"
holds 'the card that was not compared is skipped in JUnit' sh -c "grep -A1 'name=\"[^\"]* 00000009-' gone.xml | \
    grep -q '<skipped message=\"could not be compared: '"
holds 'Markdown names the card that was not compared' grep -q '^- 00000009-.* could not be compared: ' gone.md
holds 'JSON has the card that was not compared' python3 - <<'END'
import json
(card,) = json.load(open("gone.json"))["not_compared"]
assert card["run"]["device_id"].startswith("00000009-") and "kernels" in card["why"], card
END
# A run of only some cases does not hide the whole run of the last night, and other cases do not count as missing.
# some.py CARD CASES TIME FILE [PART [FASTER]] makes such a run from a card's whole run. It keeps every PART-th row
# of the cases, and divides their times by FASTER.
cat >some.py <<'END'
import csv, fnmatch, os, sys
number, asked, time, out = sys.argv[1:5]
part, faster = int((sys.argv + ["1"])[5]), float((sys.argv + ["1", "1"])[6])
words = [word for word in asked.split() if not word.startswith("--")]
rows = [row for row in csv.DictReader(open(f"made/night/{int(number):05}.csv"))
        if any(fnmatch.fnmatch(row["case"], word) for word in words)][::part]
with open(out, "w", newline="") as file:
    writer = csv.DictWriter(file, [*rows[0].keys(), *(["asked_for"] if "asked_for" not in rows[0] else [])])
    writer.writeheader()
    for row in rows:
        writer.writerow({**row, "schema": "9", "asked_for": asked, "time_utc": time, "run_id": f"some-{number}-{time}",
                         **{name: float(row[name]) / faster for name in ("case_ns", "case_ns_lo", "case_ns_hi") if row[name]}})
END
without() { # DATABASE CARD...: copies the fleet's history, without these cards' runs of the last night
    python3 - "$@" <<'END'
import shutil, sqlite3, sys
shutil.copy("made/fleet.db", sys.argv[1])
with sqlite3.connect(sys.argv[1]) as history:
    last = history.execute("SELECT max(time_utc) FROM run").fetchone()[0][:10]
    for card in map(int, sys.argv[2:]):
        runs = f"SELECT id FROM run WHERE device_id LIKE '{card:08x}-%' AND time_utc >= '{last}'"
        history.execute(f"DELETE FROM measured WHERE run IN ({runs})")
        history.execute(f"DELETE FROM run WHERE id IN ({runs})")
END
}
some() { "$bankline" history "$@" --db some.db --quiet; }
without some.db 5
python3 some.py 5 'local/*' 2026-11-01T02:00:00Z some.csv
holds 'the run is added' some add some.csv
expect 1 '2 of 40 cards differ from the others' some outliers
holds 'rows that were not requested do not count as missing' sh -c "! grep -q 'has no number\|not be compared' out"
without some.db 5
python3 some.py 5 'local/*' 2026-11-01T02:00:00Z some.csv 2
holds 'the run is added' some add some.csv
expect 1 'it has no number in 21 of the 42 rows that the other cards have and that it was asked for' some outliers
holds 'the other outliers do not change' grep -q '3 of 40 cards differ' out
# A later run of some cases of one card hides neither the other cards nor the other rows of this card.
cp made/fleet.db some.db
python3 some.py 0 'local/*' 2026-11-01T23:00:00Z some.csv
holds 'the run is added' some add some.csv
expect 1 '2 of 40 cards differ from the others (2026-11-01T02:00:00Z to 2026-11-01T23:00:00Z)' some outliers
holds "the card's whole run is named" grep -q '^00000000-.*, run 20261101T020000Z-00000000' out
# A run of a few rows does not change the time since which a card is reported as slow.
python3 some.py 39 local/5 2026-10-31T12:00:00Z some.csv 1 1.4
holds 'the run is added' some add some.csv
python3 some.py 39 local/5 2026-11-01T12:00:00Z some.csv
holds 'the run is added' some add some.csv
expect 1 '2 of 40 cards differ from the others' some outliers
holds 'the card counts as slow since its first whole run' sh -c "grep -A1 '^00000027-' out | grep -q 'in all of its comparable runs since 2026-10-29'"
# Of each card, the newest run with enough rows is judged. If the card is slow, the output says since which run.
cp made/fleet.db some.db
for hour in 10 11 12 13; do
    python3 some.py 12 '--quick *' 2026-11-01T$hour:00:00Z some.csv 1 0.6
    holds 'the run is added' some add some.csv
done
python3 some.py 12 local/5 2026-11-01T14:00:00Z some.csv
holds 'the run is added' some add some.csv
expect 1 '3 of 40 cards differ from the others' some outliers
holds 'the newest run with most of the rows is named, and not the later run of one case' grep -q '^0000000c-.*, run some-12-2026-11-01T13:00:00Z' out
holds 'the first slow run is named' sh -c "grep -A1 '^0000000c-' out | grep -q 'rows are [34][0-9.]* % slower.*, since 2026-11-01T10:00:00Z'"
expect 1 '3 of 40 cards differ from the others' some outliers --since 2026-10-31
holds 'the first slow run is named with --since, too' sh -c "grep -A1 '^0000000c-' out | grep -q 'rows are [34][0-9.]* % slower.*, since 2026-11-01T10:00:00Z'"
python3 some.py 12 '--quick *' 2026-11-01T15:00:00Z some.csv
holds 'the run is added' some add some.csv
expect 1 '2 of 40 cards differ from the others' some outliers
# Runs of some cases count as a night if they are of at least half of the cards (20 of 40), but not if they are of
# fewer.
cp made/fleet.db some.db
for card in $(seq 0 19); do python3 some.py "$card" '--quick *' 2026-11-02T02:00:00Z "quick$card.csv"; done
rm quick0.csv
holds '19 runs are added' some add quick*.csv
expect 1 '(2026-11-01T02:00:00Z to 2026-11-02T02:00:00Z)' some outliers
python3 some.py 0 '--quick *' 2026-11-02T02:00:00Z quick0.csv
holds 'another run is added' some add quick0.csv
expect 1 '21 of 40 cards differ from the others (2026-11-02T02:00:00Z to 2026-11-02T02:00:00Z)' some outliers
holds 'the other half of the cards is reported as absent' [ "$(grep -c 'it has no run now' out)" -eq 20 ]
# The same cases were requested from two cards, in a different order. One card lacks rows.
without some.db 5 6
ask() { # CARD CASES TIME [PART]: adds a run of some cases of the card
    python3 some.py "$1" "--quick $2" "2026-11-01T$3:00Z" some.csv "${4:-1}"
    holds 'the run is added' some add some.csv
}
ask 5 'local/*' 02:00
ask 5 'shape/*' 03:00
ask 6 'shape/*' 02:00
ask 6 'local/*' 03:00 2
expect 1 'it has no number in 21 of the' some outliers
# If all runs of a fleet are of some cases, a card without such a run in the last night is reported as absent.
python3 - <<'END'
import shutil, sqlite3
shutil.copy("made/fleet.db", "some.db")
with sqlite3.connect("some.db") as history:
    history.execute("UPDATE run SET asked_for = '--quick *'")
    last = history.execute("SELECT max(time_utc) FROM run").fetchone()[0]
    runs = f"SELECT id FROM run WHERE device_id LIKE '00000007-%' AND time_utc = '{last}'"
    history.execute(f"DELETE FROM measured WHERE run IN ({runs})")
    history.execute(f"DELETE FROM run WHERE id IN ({runs})")
END
expect 1 'it has no run now, but had runs in' some outliers
holds 'only runs of the last night are compared' grep -q '3 of 40 cards differ from the others (2026-11-01T02:00:00Z to' out
# In every third run, the predictions are those of another machine. The measured rows are the same, so the output must
# not change.
holds 'every third run gets another machine' python3 - made/fleet.db <<'END'
import shutil, sqlite3, sys
shutil.copy(sys.argv[1], "machines.db")
with sqlite3.connect("machines.db") as history:
    columns = "[case], type, shape, lanes, working_set_bytes"
    history.execute(f"INSERT INTO case_key (id, machine, {columns}) SELECT id + 1000, 'nvidia-h100', {columns} FROM case_key")
    history.execute("UPDATE measured SET key = key + 1000 WHERE run % 3 = 0")
END
for words in 'outliers --absolute' 'show local/*' 'since local/6 --device 00000003' 'show local/6 --device 00000003'; do
    # shellcheck disable=SC2086
    "$bankline" history $words --db fleet.db >one-machine 2>&1
    # shellcheck disable=SC2086
    "$bankline" history $words --db machines.db >out 2>&1
    holds "the output of $words does not depend on the machine" cmp one-machine out
done
# For many cards, `show` prints a line for each night. For a single card, it prints a line for each run.
expect 0 'local/6 16x1 int, 16 lanes, on NVIDIA H200' "$bankline" history show local/6 --db fleet.db
holds 'show prints one line per night' [ "$(grep -c '^  20.*40 cards  0.12.*, spread 0\.[0-9]* %, from 0\.12.* (00000000-.*) to 0.12' out)" -ge 3 ]
expect 2 'more than 16 cards: choose one with --device' "$bankline" history since local/6 --db fleet.db
expect 0 'runs since 2026-10-29' "$bankline" history since local/6 --device 00000003 --db fleet.db
expect 2 "'0000' is ambiguous: more than one card's device_id starts with it" \
    "$bankline" history since local/6 --device 0000 --db fleet.db
expect 2 "has no case 'none'" "$bankline" history show none --db fleet.db
# With --device, only the runs of this card are shown and compared.
expect 0 'on NVIDIA H200, 00000003-' "$bankline" history show local/6 --device 00000003-0000-4000-8000-000000000003 --db fleet.db
holds 'show prints the nights of this card' [ "$(grep -c ' 2026-1[01]-' out)" -eq 24 ]
holds 'a card is compared with its own runs' sh -c "'$bankline' history compare made/night/00003.csv --db fleet.db | grep -q 'last 3 runs of NVIDIA H200'"
finish
