#!/bin/sh
# `bankline history` end to end: history.sh BANKLINE REFERENCE.csv
set -u
bankline=$1 reference=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# shellcheck source=tests/checks.sh
. "$(dirname "$0")/checks.sh"

case $bankline in /*) ;; *) bankline=$PWD/$bankline ;; esac
history() { "$bankline" history "$@" --db "$folder/history.db"; }
if history list 2>&1 | grep -q 'built without sqlite3'; then
    echo 'skipped: built without sqlite3'
    exit 77
fi

# Nights 01 to 12: from 09 on another driver, with local/5 in groups of 32x1 6 % slower.
night() { # NUMBER FILE
    sed "s/^\([0-9]*\),[^,]*,[^,]*,/\1,night-$1,2026-01-$1T02:00:00Z,/" "$reference" >"$2.all"
    head -n 1 "$reference" >"$2"
    tail -n +2 "$2.all" >>"$2"
}
slow() {
    sed -i 's/,580\.[0-9.]*,/,581.1,/; /,local\/5,.*,32x1,/s/,0\.5,0\.50[0-9]*,[0-9.]*,[0-9.]*,/,0.5,0.472,0.4717,0.4723,/' "$1"
}
for number in 01 02 03 04 05 06 07 08 09 10 11 12; do
    night $number "$folder/$number.csv"
done
for number in 09 10 11 12; do slow "$folder/$number.csv"; done

expect 4 'no history yet' history list
# Sixteen writers at once lose nothing, and what comes twice is there once.
for number in 01 02 03 04 05 06 07 08 09 10 11 12 01 02 03 04; do
    history add "$folder/$number.csv" >>"$folder/added" 2>&1 &
done
wait
holds 'twelve were added' [ "$(grep -c ': added' "$folder/added")" -eq 12 ]
holds 'four were there' [ "$(grep -c 'there already' "$folder/added")" -eq 4 ]
expect 0 '12 runs' history list
holds 'every row is there' [ "$(history export | wc -l)" -eq $((12 * ($(wc -l <"$reference") - 1) + 1)) ]
expect 0 'was there already' history add "$folder/05.csv"

# And so where the database is only just being made.
for number in 01 02 03 04 05 06 07 08 09 10 11 12; do
    head -n 9 "$folder/$number.csv" >"$folder/$number-few.csv"
done
for round in 1 2 3 4 5 6 7 8 9 10; do
    for number in 01 02 03 04 05 06 07 08 09 10 11 12; do
        "$bankline" history add "$folder/$number-few.csv" --db "$folder/new-$round.db" --quiet &
    done
    wait
    holds "round $round of twelve writers" sh -c \
        "'$bankline' history list --db '$folder/new-$round.db' | grep -q '^12 runs'"
done

expect 0 '2026-01-08T02:00:00Z  0.50' history show local/5
expect 0 '2026-01-09T02:00:00Z  0.4720 [0.4717, 0.4723]  driver 581.1' history show local/5
expect 0 'local/7 32x1' history show 'local/*'
expect 0 '0.4720 since 2026-01-09T02:00:00Z (-6.' history since local/5
expect 0 'run night-09, driver 581.1' history since local/5
expect 0 'unchanged in 12 runs since 2026-01-01' history since local/6

# Nights without a number, the last two, and the only one.
"$bankline" history add "$folder/01.csv" "$folder/02.csv" --db "$folder/gaps.db" --quiet
for number in 03 04; do
    awk -F, -v OFS=, '$10 ~ /local\/5/ {$21 = $22 = $23 = ""; $24 = ""; $25 = "bad-clock"} 1' \
        "$folder/$number.csv" >"$folder/gap-$number.csv"
    "$bankline" history add "$folder/gap-$number.csv" --db "$folder/gaps.db" --quiet
done
expect 0 '2026-01-03T02:00:00Z  no number ' "$bankline" history show local/5 --db "$folder/gaps.db"
expect 0 'unchanged in 4 runs since 2026-01-01' "$bankline" history since local/5 --db "$folder/gaps.db"
"$bankline" history add "$folder/gap-03.csv" --db "$folder/never.db" --quiet
expect 0 'never had a number' "$bankline" history since local/5 --db "$folder/never.db"
expect 0 'unchanged in 1 run since' "$bankline" history since local/6 --db "$folder/never.db"
if command -v script >/dev/null; then
    expect 0 ' 0.50' script -qec "'$bankline' history show local/5 --db '$folder/gaps.db'" /dev/null
    holds 'two bars and two blanks' grep -q '^  ██    0\.50' "$folder/out"
    expect 0 'no number' script -qec "'$bankline' history show local/5 --db '$folder/never.db'" /dev/null
    holds 'and none where there never was one' sh -c "! grep -q '█\|inf\|nan' '$folder/out'"
fi

if command -v script >/dev/null; then
    expect 0 '0.4720 to 0.50' script -qec "'$bankline' history show local/5 --db '$folder/history.db'" /dev/null
    holds 'a sparkline on a terminal' grep -q '█.*▁' "$folder/out"
fi
holds 'and none in a file' sh -c "! '$bankline' history show local/5 --db '$folder/history.db' | grep -q '█'"

night 13 "$folder/13.csv"
slow "$folder/13.csv"
expect 0 'against the median of the last 4 runs' history compare "$folder/13.csv" --runs 4
expect 1 'slower   local/5                  32x1' history compare "$folder/13.csv" --runs 12
holds 'it is named alone' [ "$(grep -c '^slower' "$folder/out")" -eq 1 ]
sed 's/NVIDIA H100/another/g' "$folder/13.csv" >"$folder/other.csv"
expect 0 'nothing to compare with' history compare "$folder/other.csv"
holds 'an export goes to a file' history export --csv "$folder/export.csv"
holds 'the export begins with its header' sh -c "head -n 1 '$folder/export.csv' | grep -q '^run_id,time_utc,'"

# What is wrong leaves the history as it is.
head -c 9000 "$folder/13.csv" >"$folder/cut.csv"
expect 4 'cut.csv: line ' history add "$folder/cut.csv"
sed '2,$s/^\([0-9]*\),night-13,/\1,,/' "$folder/13.csv" >"$folder/nameless.csv"
expect 4 'no run_id' history add "$folder/nameless.csv"
expect 4 'No such file' history add "$folder/none.csv"
expect 0 '12 runs' history list
expect 4 'not a database' "$bankline" history list --db "$reference"
expect 4 'unable to open' "$bankline" history add "$folder/13.csv" --db "$folder/no/history.db"
# A full disk, which a limit on the size of files stands in for; a file that nobody may write.
before=$(history list | tail -1)
full() { (trap '' XFSZ; ulimit -f "$1"; shift; exec "$bankline" "$@"); }
expect 4 "$folder/history.db: " full 64 history add "$folder/13.csv" --db "$folder/history.db"
expect 0 "$before" history list
expect 4 "$folder/few.db: " full 8 history add "$folder/13.csv" --db "$folder/few.db"
echo old >"$folder/export-old.csv"
expect 4 'export-old.csv: File too large' full 128 history export --csv "$folder/export-old.csv" \
    --db "$folder/history.db"
holds 'the old export is as it was' [ "$(cat "$folder/export-old.csv")" = old ]
as_nobody() {
    if [ "$(id -u)" -eq 0 ]; then setpriv --reuid 65534 --clear-groups "$@"; else "$@"; fi
}
mkdir "$folder/locked"
cp "$bankline" "$folder/locked/bankline"
"$bankline" history add "$folder/01.csv" --db "$folder/locked/history.db" --quiet
cp "$folder/02.csv" "$folder/locked"
chmod 444 "$folder/locked/history.db" "$folder/locked/02.csv"
chmod 555 "$folder/locked" "$folder/locked/bankline"
chmod 755 "$folder"
expect 4 "$folder/locked/history.db: " as_nobody "$folder/locked/bankline" history add \
    "$folder/locked/02.csv" --db "$folder/locked/history.db"
chmod 755 "$folder/locked"
expect 0 '1 run' "$bankline" history list --db "$folder/locked/history.db"
mkdir "$folder/vanishes"
expect 4 "$folder/vanishes/h.db: " sh -c "cd '$folder/vanishes' && rmdir ../vanishes && \
    '$bankline' history add '$folder/13.csv' --db '$folder/vanishes/h.db'"

expect 2 "no case 'no/such'" history compare "$folder/13.csv" no/such
expect 0 '6 rows:' history compare "$folder/13.csv" 'local/6' --markdown "$folder/changes.md"
holds 'a comparison goes into a document' grep -q '6 rows' "$folder/changes.md"
sed '2,$s/,581\.[0-9.]*,/,582.0,/' "$folder/13.csv" >"$folder/driver.csv"
expect 0 'driver: 581.1 -> 582.0' history compare "$folder/driver.csv" --threshold 20% --runs 3
expect 0 'local/5 32x1' history show local/5 --device 'NVIDIA H100 80GB HBM3'
expect 2 'of device voodoo' history show local/5 --device voodoo
expect 2 'are right' history
expect 2 'wants' history show local/5 local/6
expect 0 '243 rows' history compare "$folder/13.csv" --quiet --threshold 30%
expect 2 'writes no such document' history list --json "$folder/no.json"
expect 2 'takes no --csv' history show local/5 --csv "$folder/no.csv"
expect 2 "no case 'no/such'" history show no/such
expect 2 'are right' history forget
expect 2 "wants a CASE" history show
expect 2 "wants RUN.csv" history add
expect 0 '1 run' env XDG_DATA_HOME="$folder/data" sh -c \
    "'$bankline' history add '$folder/01.csv' --quiet && '$bankline' history list"
holds 'the default place is under XDG_DATA_HOME' [ -e "$folder/data/bankline/history.db" ]
expect 4 'no home folder' env -u XDG_DATA_HOME -u HOME "$bankline" history add "$folder/01.csv"

finish
