#!/bin/sh
# Tests `bankline history` on the command line: history.sh BANKLINE REFERENCE.csv
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

# A file that cannot be added leaves no empty database.
echo x >"$folder/invalid.csv"
expect 4 'invalid.csv: line 1: not the header' "$bankline" history add "$folder/invalid.csv" --db "$folder/fresh.db"
expect 4 '2 of 2 files were not added' "$bankline" history add "$folder/none.csv" - --db "$folder/fresh.db" </dev/null
holds 'a failure creates no database' sh -c "! ls '$folder'/fresh.db*"
expect 4 '1 of 3 files were not added' "$bankline" history add "$folder/invalid.csv" "$reference" "$reference" \
    --db "$folder/fresh.db"
holds 'the other files are added' grep -q 'was already in the history' "$folder/out"
rm "$folder/fresh.db"

# Generates runs of the nights 01 to 12. From night 09 on, the driver is different, and local/5 in groups of 32x1 is 6 %
# slower.
night() { # NUMBER FILE: writes the reference run, as if it were of night NUMBER
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
# Sixteen processes write simultaneously. No run is lost, and a run that is added twice is stored once.
for number in 01 02 03 04 05 06 07 08 09 10 11 12 01 02 03 04; do
    history add "$folder/$number.csv" >>"$folder/added" 2>&1 &
done
wait
holds 'twelve runs were added' [ "$(grep -c ': added' "$folder/added")" -eq 12 ]
holds 'four runs were there already' [ "$(grep -c 'already in the history' "$folder/added")" -eq 4 ]
expect 0 '12 runs' history list
holds 'the history has every row' [ "$(history export | wc -l)" -eq $((12 * ($(wc -l <"$reference") - 1) + 1)) ]
expect 0 'was already in the history' history add "$folder/05.csv"

# Twelve processes write at the same time while the database is being created, in each of ten rounds.
for number in 01 02 03 04 05 06 07 08 09 10 11 12; do
    head -n 9 "$folder/$number.csv" >"$folder/$number-few.csv"
done
for round in 1 2 3 4 5 6 7 8 9 10; do
    for number in 01 02 03 04 05 06 07 08 09 10 11 12; do
        "$bankline" history add "$folder/$number-few.csv" --db "$folder/new-$round.db" --quiet &
    done
    wait
    holds "round $round: all twelve runs are added" sh -c \
        "'$bankline' history list --db '$folder/new-$round.db' | grep -q '^12 runs'"
done

expect 0 '2026-01-08T02:00:00Z  0.50' history show local/5
expect 0 '2026-01-09T02:00:00Z  0.4720 [0.4717, 0.4723]  driver 581.1' history show local/5
expect 0 'local/7 32x1' history show 'local/*'
expect 0 '0.4720 since 2026-01-09T02:00:00Z (-6.' history since local/5
expect 0 'run night-09, driver 581.1' history since local/5
expect 0 'unchanged in 12 runs since 2026-01-01' history since local/6

# A later version of bankline chooses another machine for the device. The measured rows are the same, so the history
# continues each of them.
machines() { action=$1; shift; "$bankline" history "$action" "$@" --db "$folder/machines.db"; }
later_machine() { sed 's/,nvidia,/,nvidia-h100,/' "$1"; }
for number in 07 08 09 10 11 12; do later_machine "$folder/$number.csv" >"$folder/machine-$number.csv"; done
machines add "$folder"/0[1-6].csv "$folder"/machine-*.csv --quiet
expect 0 '2026-01-12T02:00:00Z  0.4720' machines show local/5
holds 'all nights of a row are listed together' [ "$(grep -c '^local/5 32x1 int' "$folder/out")" -eq 1 ]
expect 0 '0.4720 since 2026-01-09T02:00:00Z (-6.' machines since local/5
expect 0 'unchanged in 12 runs since 2026-01-01' machines since local/6
holds 'a row is not split in two where its machine changes' sh -c "! grep -q 'in 6 runs\|without a number' '$folder/out'"
later_machine "$folder/12.csv" | sed 's/,night-12,2026-01-12/,night-13,2026-01-13/' >"$folder/machine-13.csv"
expect 1 'slower  local/5  32x1' machines compare "$folder/machine-13.csv" --runs 12
expect 1 '2026-01-09T02:00:00Z, for 4 runs; the run before: 2026-01-08T02:00:00Z' machines why "$folder/machine-13.csv" --runs 12
later_machine "$folder/01.csv" >"$folder/machine-01.csv"
expect 4 'run night-01 is already in the history with other values' machines add "$folder/machine-01.csv"
{ cat "$folder/01.csv"; later_machine "$folder/01.csv" | tail -n +2; } >"$folder/twice.csv"
expect 4 'twice.csv: line 245: the same row twice: global/1' machines add "$folder/twice.csv"
expect 4 'twice.csv: line 434: the same row of bank-update/1 as in line 191' machines compare "$folder/twice.csv"

# In one history, local/5 has no measured ratio in the last two of four nights. In another history, it has none in the
# only night.
"$bankline" history add "$folder/01.csv" "$folder/02.csv" --db "$folder/gaps.db" --quiet
for number in 03 04; do
    awk -F, -v OFS=, '$10 ~ /local\/5/ {$21 = $22 = $23 = ""; $24 = ""; $25 = "bad-clock"} 1' \
        "$folder/$number.csv" >"$folder/gap-$number.csv"
    "$bankline" history add "$folder/gap-$number.csv" --db "$folder/gaps.db" --quiet
done
expect 0 '2026-01-03T02:00:00Z  no number ' "$bankline" history show local/5 --db "$folder/gaps.db"
expect 0 'unchanged in 2 runs since 2026-01-01' "$bankline" history since local/5 --db "$folder/gaps.db"
holds 'the output says since when the number is missing' grep -q '^  without a number in 2 later runs of this card, since 2026-01-03' "$folder/out"
# The last night lacks the rows of local/6. The argument `local` selects the whole suite.
grep -v ',local/6,' "$folder/05.csv" >"$folder/without.csv"
"$bankline" history add "$folder/01.csv" "$folder/02.csv" "$folder/without.csv" --db "$folder/lacks.db" --quiet
expect 0 '  without a number in 1 later run of this card, since 2026-01-05' "$bankline" history since local/6 --db "$folder/lacks.db"
expect 0 'local/7 32x1' "$bankline" history since local --db "$folder/lacks.db"
holds 'rows that the last night has are not reported as missing' sh -c "'$bankline' history since local/7 --db '$folder/lacks.db' >'$folder/out' && ! grep -q 'without a number' '$folder/out'"
# A night lacks the rows of local/6; in the next night they have no number.
awk -F, -v OFS=, '$10 ~ /local\/6/ {$21 = $22 = $23 = ""; $24 = ""; $25 = "bad-clock"} 1' "$folder/06.csv" >"$folder/gap-06.csv"
"$bankline" history add "$folder/gap-06.csv" --db "$folder/lacks.db" --quiet
expect 0 '  without a number in 2 later runs of this card, since 2026-01-05' "$bankline" history since local/6 --db "$folder/lacks.db"
"$bankline" history add "$folder/gap-03.csv" --db "$folder/never.db" --quiet
expect 0 'never had a number' "$bankline" history since local/5 --db "$folder/never.db"
expect 0 ', measured once, on 2026-01-03' "$bankline" history since local/6 --db "$folder/never.db"
if has_terminals; then
    expect 0 ' 0.50' script -qec "'$bankline' history show local/5 --db '$folder/gaps.db'" /dev/null
    holds 'the sparkline has two bars and two blanks' grep -q '^  ██    0\.50' "$folder/out"
    expect 0 'no number' script -qec "'$bankline' history show local/5 --db '$folder/never.db'" /dev/null
    holds 'there is no sparkline if no run has a number' sh -c "! grep -q '█\|inf\|nan' '$folder/out'"
    "$bankline" history add "$folder/01.csv" --db "$folder/single.db" --quiet
    expect 0 ' 0.50' script -qec "'$bankline' history show local/5 --db '$folder/single.db'" /dev/null
    holds 'there is no sparkline for a single run' sh -c "! grep -q '█' '$folder/out'"
    expect 0 '0.4720 to 0.50' script -qec "'$bankline' history show local/5 --db '$folder/history.db'" /dev/null
    holds 'a terminal shows a sparkline' grep -q '█.*▁' "$folder/out"
fi
narrow() { script -qec "stty cols $1; '$bankline' history $2 --db '$folder/history.db'" /dev/null; }
if command -v script >/dev/null; then
    for columns in 70 80 100; do
        for words in list "show local/5" "since 'local/*'"; do
            narrow $columns "$words" | tr -d '\r' >"$folder/narrow"
            holds "$words fits $columns columns" sh -c "[ -s '$folder/narrow' ] && \
                ! LC_ALL=C.UTF-8 grep -qE '^.{$((columns + 1)),}' '$folder/narrow'"
        done
    done
    narrow 80 list | tr -d '\r' >"$folder/narrow"
    holds 'columns that do not fit go to the next line' grep -q '^    NVIDIA H100' "$folder/narrow"
    sed '2,$s/,NVIDIA H100[^,]*,/,pthread-skylake-avx512-Intel(R) Xeon(R) Processor at 2.00GHz,/' "$folder/01.csv" >"$folder/wide.csv"
    "$bankline" history add "$folder/wide.csv" --db "$folder/wide.db" --quiet
    script -qec "stty cols 80; '$bankline' history list --db '$folder/wide.db'" /dev/null | tr -d '\r' >"$folder/narrow"
    holds 'columns that still do not fit go to a third line' sh -c "grep -q '^    pthread' '$folder/narrow' && ! grep -E '.{81}' '$folder/narrow'"
fi
holds 'there is no sparkline in a file' sh -c "! '$bankline' history show local/5 --db '$folder/history.db' | grep -q '█'"

night 13 "$folder/13.csv"
slow "$folder/13.csv"
expect 0 'compared with the median of the last 4 runs' history compare "$folder/13.csv" --runs 4
expect 1 'slower  local/5  32x1' history compare "$folder/13.csv" --runs 12
holds 'only the slower row is named' [ "$(grep -c '^slower' "$folder/out")" -eq 1 ]
sed 's/NVIDIA H100/another/g' "$folder/13.csv" >"$folder/other.csv"
expect 0 'nothing to compare with' history compare "$folder/other.csv"

# If there is nothing to compare with, the output files say so, and replace the files of the previous night.
echo stale | tee "$folder/stale.md" >"$folder/stale.csv"
expect 0 'nothing to compare with' history compare "$folder/other.csv" --csv "$folder/stale.csv" \
    --markdown "$folder/stale.md"
holds 'every row with a number counts as new' [ "$(grep -c '^new,' "$folder/stale.csv")" -eq 241 ]
holds 'the Markdown counts the rows as new' sh -c "grep -q '241 new, 2 no-number' '$folder/stale.md' &&
    ! grep -q stale '$folder/stale.md'"
expect 0 '6 rows: 6 new' history compare "$folder/other.csv" local/6 --quiet
history compare "$folder/13.csv" --csv - >"$folder/out" 2>"$folder/err"
holds 'standard output contains only the document' [ "$(head -c 12 "$folder/out")" = change,case, ]

# An export has the values of the added runs, in the same order, and can be added again.
holds 'an export is written to a file' history export --csv "$folder/export.csv"
holds 'without --csv, the export is written to standard output' sh -c "'$bankline' history export --db '$folder/history.db' |
    cmp - '$folder/export.csv'"
expect 0 'export.csv: added 12 runs' "$bankline" history add "$folder/export.csv" \
    --db "$folder/again.db"
"$bankline" history export --db "$folder/again.db" --csv "$folder/export-again.csv"
holds 'exporting an added export gives the same file' cmp "$folder/export.csv" "$folder/export-again.csv"
expect 0 'was already in the history' history add "$folder/export.csv"
(head -n 1 "$folder/01.csv"; for number in 01 02 03 04 05 06 07 08 09 10 11 12; do
    tail -n +2 "$folder/$number.csv"
done) >"$folder/all.csv"
columns=$(head -n 1 "$reference" | tr , '\n' | wc -l)
plain() { "$(command -v python3)" -c 'import csv, sys
for row in csv.reader(open(sys.argv[1])): print(row[1:int(sys.argv[2])])' "$1" "$columns"; }
plain "$folder/all.csv" | sed "s/'nvidia'/'nvidia-hopper'/" >"$folder/all.txt" # the machine's present name
plain "$folder/export.csv" >"$folder/export.txt"
holds 'the export has the values of the added runs' cmp "$folder/all.txt" "$folder/export.txt"
sort -t, -k2,2r "$folder/all.csv" >"$folder/shuffled.csv" # the header stays the first line
shuffled() { "$bankline" history "$@" --db "$folder/shuffled.db"; }
expect 0 'added 12 runs' shuffled add "$folder/shuffled.csv"
expect 0 'unchanged in 12 runs since 2026-01-01' shuffled since local/6

# If parts of a run are added, in any order, they become one run.
head -n 100 "$folder/01.csv" >"$folder/begin.csv"
(head -n 1 "$folder/01.csv"; tail -n 50 "$folder/01.csv") >"$folder/end.csv"
part() { "$bankline" history add "$@" --db "$folder/parts.db"; }
expect 0 'end.csv: added' part "$folder/end.csv"
expect 0 'begin.csv: completed' part "$folder/begin.csv"
expect 0 '01.csv: completed' part "$folder/01.csv"
expect 0 '01.csv: was already in the history' part "$folder/01.csv"
expect 0 'begin.csv: was already in the history' part "$folder/begin.csv"
"$bankline" history export --db "$folder/parts.db" >"$folder/parts.csv"
head -n 244 "$folder/export.csv" >"$folder/export-01.csv"
holds 'the added parts are equal to the whole run' cmp "$folder/parts.csv" "$folder/export-01.csv"

# An old version of bankline did not store all values of a run. Adding the run again stores the missing values. Several
# processes convert the old database at the same time.
golden=$(dirname "$reference")/history-schema-1.db
cp "$golden" "$folder/old.db"
(head -n 1 "$reference"
    grep -E ',(local/[56]|histogram/registers-256|local-size/one-more),' "$reference" |
    sed 's/^3,[^,]*,[^,]*,/3,night-1,2026-01-01T02:00:00Z,/') >"$folder/night-1.csv"
for number in 01 02 03 04 05 06 07 08; do
    "$bankline" history add "$folder/$number-few.csv" "$folder/night-1.csv" --db "$folder/old.db" \
        --quiet &
done
wait
expect 0 '11 runs' "$bankline" history list --db "$folder/old.db"
"$bankline" history add "$folder/night-1.csv" --db "$folder/night-1.db" --quiet
"$bankline" history export --db "$folder/night-1.db" >"$folder/night-1.all"
"$bankline" history export --db "$folder/old.db" | grep -E '^schema|,night-1,' \
    >"$folder/night-1.old"
holds 'a run in a database of schema 1 gets its missing values' cmp "$folder/night-1.all" "$folder/night-1.old"

# A file may contain several runs. They are added under their ids, either all or none.
(cat "$folder/01.csv"; tail -n +2 "$folder/02.csv") >"$folder/two.csv"
expect 0 '-: added 2 runs' "$bankline" history add - --db "$folder/two.db" <"$folder/two.csv"
expect 0 'night-02    243  ' "$bankline" history list --db "$folder/two.db"
sed "2,\$s/,night-02,/,night-02-of-a-converter-with-long-names-$(printf '\033')[2J,/" "$folder/02.csv" >"$folder/long.csv"
cp "$folder/two.db" "$folder/long.db"
"$bankline" history add "$folder/long.csv" --db "$folder/long.db" --quiet
expect 0 '3 runs' "$bankline" history list --db "$folder/long.db"
holds 'columns are as wide as the longest id' [ "$(grep -oE '^.* 243 ' "$folder/out" | awk '{print length}' | sort -u | wc -l)" -eq 1 ]
holds 'escapes in an id are not written to the terminal' grep -q 'night-02-of-a-converter-with-long-names-?\[2J ' "$folder/out"
sed '300s/,2026-01-02T/,2027-01-02T/' "$folder/two.csv" >"$folder/torn.csv"
expect 4 "line 300: time_utc '2027-01-02T02:00:00Z' differs from the run's '2026-01-02T02:00:00Z'" \
    "$bankline" history add "$folder/torn.csv" --db "$folder/torn.db"
holds 'nothing is stored' [ ! -e "$folder/torn.db" ]
# A run is rejected if its time is not a valid date and time.
for time in '' garbage 2026-13-01T02:00:00Z 2026-02-30T25:61:00Z 2026-02-30T02:00:00Z 2026-06-01 \
    '2026-06-01 02:00:00' 2026-06-01T02:00:60Z; do
    sed "2,\$s/,2026-01-01T02:00:00Z,/,$time,/" "$folder/01.csv" >"$folder/time.csv"
    expect 4 "time.csv: line 2: time_utc '$time': expected a time such as" "$bankline" history add \
        "$folder/time.csv" --db "$folder/torn.db"
done
later=$(($(date +%Y) + 1))-06-01T02:00:00Z
sed "2,\$s/,2026-01-01T02:00:00Z,/,$later,/" "$folder/01.csv" >"$folder/time.csv"
expect 4 "time.csv: line 2: time_utc '$later' lies in the future" "$bankline" history add \
    "$folder/time.csv" --db "$folder/torn.db"
for time in 0000-01-01T00:00:00Z 0001-01-01T00:00:00Z 1969-12-31T23:59:59Z 1970-01-01T00:00:00Z 2008-12-31T23:59:59Z; do
    sed "2,\$s/,2026-01-01T02:00:00Z,/,$time,/" "$folder/01.csv" >"$folder/time.csv"
    expect 4 "time.csv: line 2: time_utc '$time' is older than OpenCL" "$bankline" history add \
        "$folder/time.csv" --db "$folder/torn.db"
done
holds 'nothing is stored' [ ! -e "$folder/torn.db" ]
(cat "$folder/01.csv"; sed -n 7p "$folder/01.csv") >"$folder/twice.csv"
expect 4 'twice.csv: line 245: the same row twice: global/6' part "$folder/twice.csv"
slow "$folder/02.csv"
expect 4 '02.csv: line 2: driver' history add "$folder/02.csv"
night 02 "$folder/02.csv"
sed '/,local\/5,.*,32x1,/s/,0\.5,0\.50[0-9]*,/,0.5,0.502,/' "$folder/02.csv" >"$folder/changed.csv"
expect 4 'run night-02 is already in the history with other values' history add "$folder/changed.csv"
head -n 1 "$folder/01.csv" >"$folder/header.csv"
expect 4 'there are no rows after the header' part "$folder/header.csv"

# One bad file does not prevent other files from being added.
expect 4 '3 of 5 files were not added' part "$folder/02.csv" "$folder/torn.csv" "$folder/none.csv" \
    "$folder/03.csv" "$folder/twice.csv"
holds 'each failed file is reported' [ "$(grep -cE 'torn.csv: line|none.csv: No such|twice.csv: line' \
    "$folder/err")" -eq 3 ]
expect 0 '3 runs' "$bankline" history list --db "$folder/parts.db"

# The names of these databases have special meanings for SQLite, but must be taken as file names. Files that are named
# as input and as output, or as two outputs, are refused.
for name in :memory: 'file:h.db?mode=memory' '100%.db'; do
    expect 0 'added' sh -c "cd '$folder' && '$bankline' history add 01.csv --db '$name'"
    holds "$name is a file" [ -s "$folder/$name" ]
done
ln -s history.db "$folder/link.db"
expect 0 '12 runs' "$bankline" history list --db "$folder/link.db"
: >"$folder/empty.db"
expect 4 'empty.db: empty, no history yet' "$bankline" history list --db "$folder/empty.db"
cp "$folder/history.db" "$folder/c.db"
expect 2 'c.db' "$bankline" history export --db "$folder/c.db" --csv "$folder/c.db"
expect 2 'c.db' "$bankline" history compare "$folder/13.csv" --db "$folder/c.db" \
    --csv "$folder/c.db"
expect 2 '13.csv' history compare "$folder/13.csv" --csv "$folder/13.csv"
expect 2 'same.md' history compare "$folder/13.csv" --markdown "$folder/same.md" \
    --prometheus "$folder/same.md"
holds 'the database is unchanged' cmp "$folder/history.db" "$folder/c.db"

# Errors leave the history unchanged.
head -c 9000 "$folder/13.csv" >"$folder/cut.csv"
expect 4 'cut.csv: line ' history add "$folder/cut.csv"
sed '2,$s/^\([0-9]*\),night-13,/\1,,/' "$folder/13.csv" >"$folder/nameless.csv"
expect 4 'no run_id' history add "$folder/nameless.csv"
expect 4 'No such file' history add "$folder/none.csv"
expect 0 '12 runs' history list
expect 4 'not a database' "$bankline" history list --db "$reference"
expect 4 'unable to open' "$bankline" history add "$folder/13.csv" --db "$folder/no/history.db"
# Simulates a full disk by a limit on file sizes. Then tests a database without write permission.
before=$(history list | tail -1)
full() { (trap '' XFSZ; ulimit -f "$1"; shift; exec "$bankline" "$@"); }
expect 4 "$folder/history.db: " full 64 history add "$folder/13.csv" --db "$folder/history.db"
expect 4 "$folder/13.csv: $folder/history.db: " full 64 history add "$folder/none.csv" "$folder/13.csv" \
    "$folder/other.csv" "$folder/13.csv" --db "$folder/history.db"
holds 'a failure that all files share is reported once' [ "$(grep -cF "$folder/history.db: " "$folder/err")" -eq 1 ]
holds 'the number of other files with this failure is reported' grep -qxF 'bankline: 2 more files: the same failure' "$folder/err"
holds "another file's error is reported, too" grep -qF "cannot read $folder/none.csv" "$folder/err"
expect 0 "$before" history list
expect 4 "$folder/few.db: " full 8 history add "$folder/13.csv" --db "$folder/few.db"
echo old >"$folder/export-old.csv"
expect 4 'export-old.csv: File too large' full 128 history export --csv "$folder/export-old.csv" \
    --db "$folder/history.db"
holds 'the old export is unchanged' [ "$(cat "$folder/export-old.csv")" = old ]
as_nobody() {
    if [ "$(id -u)" -eq 0 ]; then setpriv --reuid 65534 --clear-groups "$@"; else "$@"; fi
}
# Runs a command as the owner of the files. Root first gives up its privilege to ignore file modes, or, if it cannot,
# becomes another user.
as_owner() {
    if [ "$(id -u)" -eq 0 ] && setpriv --bounding-set -dac_override,-dac_read_search true 2>/dev/null; then
        setpriv --bounding-set -dac_override,-dac_read_search "$@"
    else
        as_nobody "$@"
    fi
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
# A read-only history can be read, even if it has schema 1. No files are created beside it.
chmod 755 "$folder/locked"
cp "$golden" "$folder/locked/old.db"
cp "$folder/locked/history.db" "$folder/locked/100%?#.db"
chmod 444 "$folder/locked/"*.db
cp -r "$folder/locked" "$folder/unlocked"
for who in as_owner as_nobody; do
    if [ $who = as_owner ]; then chmod 555 "$folder/locked"; else chmod 777 "$folder/locked"; fi
    for database in history.db old.db '100%?#.db'; do
        read_only() {
            $who "$folder/locked/bankline" history "$@" --db "$folder/locked/$database"
        }
        expect 0 ' run' read_only list
        expect 0 'local/5 16x1 int, 16 lanes' read_only show 'local/*'
        expect 0 'local/6 16x1 int' read_only since local/6
        expect 0 '241 rows:' read_only compare "$folder/locked/02.csv" --quiet --threshold 90%
        expect 0 ',local/5,' read_only export
        holds 'the read-only database is unchanged' cmp "$folder/unlocked/$database" "$folder/locked/$database"
    done
    holds 'no file was created beside the read-only databases' [ "$(find "$folder/locked" -type f | wc -l)" -eq 5 ]
done
chmod 755 "$folder/locked"
expect 0 '1 run' "$bankline" history list --db "$folder/locked/history.db"
mkdir "$folder/vanishes"
expect 4 "$folder/vanishes/h.db: " sh -c "cd '$folder/vanishes' && rmdir ../vanishes && \
    '$bankline' history add '$folder/13.csv' --db '$folder/vanishes/h.db'"

expect 2 "neither run has a case 'no/such'" history compare "$folder/13.csv" no/such
expect 0 '6 rows:' history compare "$folder/13.csv" 'local/6' --markdown "$folder/changes.md"
holds 'a comparison is written as Markdown' grep -q '6 rows' "$folder/changes.md"
sed '2,$s/,581\.[0-9.]*,/,582.0,/' "$folder/13.csv" >"$folder/driver.csv"
expect 0 'driver: 581.1 -> 582.0' history compare "$folder/driver.csv" --threshold 20% --runs 3
expect 0 'local/5 32x1' history show local/5 --device 'NVIDIA H100 80GB HBM3'
expect 0 'local/5 32x1' history show local/5 --device h100
expect 0 'local/5 32x1' history show 'local/[5]' --device 'nvidia cuda'
expect 2 'of device voodoo' history show local/5 --device voodoo
expect 2 'usage: bankline history ACTION' history
expect 2 'usage: bankline history show CASE' history show local/5 local/6
expect 0 '241 rows' history compare "$folder/13.csv" --quiet --threshold 30%
expect 2 "'history list' has no option '--json'" history list --json "$folder/no.json"
expect 2 "'history show' has no option '--csv'" history show local/5 --csv "$folder/no.csv"
expect 2 "no case 'no/such'" history show no/such
expect 2 "unknown action 'forget'" history forget
expect 2 'usage: bankline history show CASE' history show
expect 2 'usage: bankline history add RUN.csv...' history add
expect 0 '1 run' env XDG_DATA_HOME="$folder/data" sh -c \
    "'$bankline' history add '$folder/01.csv' --quiet && '$bankline' history list"
holds 'the default place is under XDG_DATA_HOME' [ -e "$folder/data/bankline/history.db" ]
expect 4 'no history yet' env XDG_DATA_HOME="$folder/no-data" "$bankline" history list
holds 'reading creates no folder' [ ! -e "$folder/no-data" ]
expect 4 'no home folder' env -u XDG_DATA_HOME -u HOME "$bankline" history add "$folder/01.csv"

# If the history has only a few runs, the output says how much all rows vary between runs, and whether this was learnt
# from the rows or is assumed.
few() { "$bankline" history "$@" --db "$folder/few-runs.db"; }
few add "$folder/01.csv" --quiet
expect 0 'spread of all rows between runs: 0.00 %' \
    few compare "$folder/02.csv"
holds 'the spread is also learnt from this run' grep -q 'learnt from 241 differences between one run and the next' \
    "$folder/out"
head -n 4 "$folder/01.csv" >"$folder/three-01.csv"
three() { "$bankline" history "$@" --db "$folder/three.db"; }
three add "$folder/three-01.csv" --quiet
head -n 4 "$folder/02.csv" >"$folder/three-02.csv"
expect 0 'between runs: 0.50 %, assumed, because there are too few rows to learn it from' three compare "$folder/three-02.csv"
few add "$folder/02.csv" "$folder/03.csv" --quiet
expect 0 'learnt from 723 differences' few compare "$folder/04.csv"
expect 1 'learnt from ' history compare "$folder/13.csv" --runs 9
expect 1 'last 12 runs' history compare "$folder/13.csv" --runs 12
holds 'with twelve runs, the output does not mention that there are fewer than ten' sh -c "! grep -q 'fewer than' '$folder/out'"

# `history unjudged` lists rows that could not be judged in several consecutive runs. A row whose interval is too wide
# is never judged.
wide() { # NUMBER FILE: writes a night in which the interval of local/6 in groups of 32x1 is too wide
    night "$1" "$2"
    awk -F, -v OFS=, '$10 == "local/6" && $14 == "32x1" {$22 = $21 * 0.9; $23 = $21 * 1.1} 1' \
        "$2" >"$2.wide"
    mv "$2.wide" "$2"
}
few add "$folder/04.csv" --quiet
expect 0 'none of 243 rows was unclear in 9 consecutive runs' few unjudged "$folder/04.csv" --nights 9
for number in 05 06 07 08; do
    wide $number "$folder/wide-$number.csv"
    few unjudged "$folder/wide-$number.csv" --new >"$folder/new-$number"
    few add "$folder/wide-$number.csv" --quiet
done
named() { grep -lE '^ +local/6 32x1' "$folder/new-0"?; }
holds 'with --new, a row is named only in the third night' [ "$(named)" = "$folder/new-07" ]
holds 'the row is named with advice' grep -q 'More time per case' "$folder/new-07"
expect 0 'local/6 32x1 int, 32 lanes: 0.06' few unjudged "$folder/wide-08.csv"
expect 0 'unclear in 3 or more consecutive runs' few unjudged "$folder/wide-08.csv"
expect 0 'local/6 32x1' few unjudged "$folder/wide-08.csv" --nights 4 --new
for number in 02 03 04; do # each night, the ratios are half a percent higher than in the previous night
    head -n 4 "$folder/$number.csv" | awk -F, -v OFS=, -v night="$number" \
        'NR > 1 {by = 1 + 0.005 * night; $21 *= by; $22 *= by; $23 *= by} 1' >"$folder/three-$number.csv"
    three add "$folder/three-$number.csv" --quiet
done
expect 0 'An unshared device and fixed clocks' three unjudged "$folder/three-04.csv" --new
expect 2 'usage: bankline history unjudged RUN.csv' few unjudged
expect 4 'No such file' few unjudged "$folder/none.csv"
expect 0 'none of 243' "$bankline" history unjudged "$folder/05.csv" --db "$folder/none.db"
holds 'reading creates no history' [ ! -e "$folder/none.db" ]

# If there is no history at all, the output files say that nothing was compared.
echo stale >"$folder/stale.md"
expect 0 'nothing to compare with' "$bankline" history compare "$folder/13.csv" --db "$folder/none.db" \
    --markdown "$folder/stale.md"
holds 'a stale document is replaced' sh -c "! grep -q stale '$folder/stale.md'"
holds 'comparing creates no history' [ ! -e "$folder/none.db" ]
# Neither the database nor a file that SQLite keeps beside it can be named as output.
for suffix in '' -wal -shm -journal; do
    expect 2 'same file' "$bankline" history export --db "$folder/beside.db" --csv "$folder/beside.db$suffix"
done
# A run of an older schema is exported unchanged, except for the schema and the machine's present name.
reference_run=$(dirname "$0")/golden/nvidia-h100-schema-4.csv
expect 0 '' "$bankline" history add "$reference_run" --db "$folder/whole.db"
expect 0 'was already in the history' "$bankline" history add "$reference_run" --db "$folder/whole.db"
"$bankline" history export --db "$folder/whole.db" --csv "$folder/whole.csv"
cut -d, -f2-39 "$folder/whole.csv" >"$folder/whole.cut"
holds 'an export equals the file that was added' sh -c \
    "cut -d, -f2-39 '$reference_run' | sed 's/,nvidia,/,nvidia-hopper,/' | cmp - '$folder/whole.cut'"

# A run of some cases, which records the requested cases, is compared with a history of whole runs.
reference_run=$(dirname "$0")/../results/reference/nvidia-h200.csv
sed '1s/$/,asked_for/; 2,$s/^8,[^,]*,/9,some,/; 2,$s|$|,local/1|' "$reference_run" | grep -e '^schema,' -e ',local/1,' >"$folder/some.csv"
some() { action=$1; shift; "$bankline" history "$action" "$@" --db "$folder/some.db"; }
some add "$reference_run" --quiet
expect 0 "386 rows of 23 suites: not asked for in $folder/some.csv" some compare "$folder/some.csv"
expect 0 'no row is slower, missing or broken; 0 of 6 are unclear; 386 rows were not asked for' some why "$folder/some.csv"
expect 1 '386 rows missing' some why "$folder/some.csv" --require-all
expect 0 'added' some add "$folder/some.csv"
some export --csv "$folder/some-export.csv"
holds 'the history stores which cases were requested' sh -c "cut -d, -f2,57 '$folder/some-export.csv' | grep -c '^some,local/1\$' | grep -qx 6"

# Only rows that were requested from a run can be missing. If the run does not record which cases were requested, all
# rows of its suites count as requested.
asked() { # DAY REQUESTED PATTERN: writes a run with the rows that match PATTERN, as if REQUESTED had been requested
    sed "1s/\$/,asked_for/; 2,\$s/^8,[^,]*,[^,]*,/9,day-$1,2026-01-$1T02:00:00Z,/; 2,\$s|\$|,$2|" "$reference_run" |
        grep -e '^schema,' -e "$3" >"$folder/asked-$1.csv"
}
asked_history() { action=$1; shift; "$bankline" history "$action" "$@" --db "$folder/asked.db"; }
asked 01 '*' ,
asked 02 local/1 ,local/1,
asked 03 '--quick *' ,local/1,
asked 04 '' ,global/1,
asked_history add "$folder"/asked-0?.csv --quiet
holds 'a row that was not requested is not reported as missing' sh -c "'$bankline' history since local/2 --db '$folder/asked.db' >'$folder/out' &&
    grep -q 'measured once' '$folder/out' && ! grep -q 'without a number' '$folder/out'"
asked 05 'global/1 local/*' ,local/1,
asked 06 '' ,local/1,
asked_history add "$folder"/asked-0[56].csv --quiet
expect 0 '  without a number in 2 later runs of this card, since 2026-01-05' asked_history since local/2
expect 0 '  without a number in 1 later run of this card, since 2026-01-05' asked_history since global/1
asked 07 'local/1 local/2' ,local/1,
expect 1 '6 rows are missing, of suite local: the run was asked for them; did it end early?' asked_history why "$folder/asked-07.csv"
expect 1 '386 rows are missing, of several suites: the run was asked for 6 of them; did it end early?' asked_history why "$folder/asked-07.csv" --require-all
expect 1 "386 rows are missing, of several suites: the run was asked only for 'local/1'" asked_history why "$folder/asked-02.csv" --require-all
expect 1 '36 rows are missing, of suite local: did the run end early, or were fewer cases selected?' asked_history why "$folder/asked-06.csv"

# If most rows of a run are slower, the program must not take this for the usual variation between runs. The change is
# found even if the history has only one run.
sed '2,$s/^\([0-9]*\),[^,]*,/\1,night-1,/' "$reference" >"$folder/one.csv"
expect 0 '' "$bankline" history add "$folder/one.csv" --db "$folder/one.db"
awk -F, -v OFS=, 'NR > 1 {$2 = "night-2"} NR > 1 && $21 > 0 {
    $22 = $21 * 0.998
    $23 = $21 * 1.002
    if (NR % 3) for (i = 21; i <= 23; i++) $i *= 0.9
} 1' "$reference" >"$folder/slowed.csv"
expect 1 'slower' "$bankline" history compare "$folder/slowed.csv" --db "$folder/one.db"
holds 'most rows are slower' [ "$(grep -c '^slower' "$folder/out")" -gt 20 ]

# The database is named through a symbolic link. The files that SQLite keeps beside the link's target cannot be named as
# output, either.
ln -s one.db "$folder/to-one.db"
expect 2 "one.db-wal" "$bankline" history export --db "$folder/to-one.db" --csv "$folder/one.db-wal"
: >"$folder/empty.db"
expect 0 'no earlier run' "$bankline" history compare "$folder/slowed.csv" --db "$folder/empty.db"

# A row that gets slower by a little each night must not be reported as unchanged.
for number in 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do
    awk -F, -v OFS=, -v number=$number 'NR == 1 || /,local\/6,.*,32x1,/ {
        if (NR > 1) {
            $2 = "slide-" number
            $3 = "2026-03-" number "T02:00:00Z"
            $21 = 0.0625 * (1 - 0.0015 * number)
            $22 = $21 * 0.9965
            $23 = $21 * 1.0035
        }
        print
    }' "$reference" >"$folder/slide.csv"
    "$bankline" history add "$folder/slide.csv" --db "$folder/slide.db" --quiet
done
expect 0 'the ratio has drifted since 2026-03-01' "$bankline" history since local/6 --db "$folder/slide.db"
holds 'the newest ratio is printed' grep -q "0.0602" "$folder/out"
expect 1 'drifting since 2026-03-01' "$bankline" history compare "$folder/slide.csv" --db "$folder/slide.db"
holds 'the row is slower than before the drift' grep -q '^slower .* -3\.[0-9]* %' "$folder/out"
for half in 1 2; do
    expect 0 'last 10 runs' "$bankline" history compare "$folder/slide.csv" --half $half --db "$folder/slide.db" --threshold 20%
done
expect 2 "'3'" "$bankline" history compare "$folder/slide.csv" --half 3 --db "$folder/slide.db"

# Real runs: a baseline whose own row has a wide interval got 10 % slower, and all times are 2 % longer.
runs=$(dirname "$0")/../results/between-runs
python3 - "$runs/run-10.csv" "$folder/baseline.csv" <<'END'
import csv, sys
with open(sys.argv[1], newline="") as old, open(sys.argv[2], "w", newline="") as new:
    rows = csv.DictReader(old)
    writer = csv.DictWriter(new, rows.fieldnames, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        slower = ()
        if row["case"].startswith("private/lines-") and row["lanes"] == "16":
            slower = ("baseline_ns", "case_ns" if row["verdict"] == "baseline" else "measured")
        for name in row:
            by = (1.02 if name.startswith(("case_ns", "baseline_ns")) else 1) * (1.1 if name.startswith(slower) else 1)
            if by != 1 and row[name]:
                row[name] = float(row[name]) * by
        if "measured" in slower:
            row["placement_ratios"] = " ".join(str(1.1 * float(ratio)) for ratio in row["placement_ratios"].split())
        writer.writerow(row)
END
real() { "$bankline" history "$@" --db "$folder/real.db"; }
real add "$runs"/run-[1-9].csv --quiet
expect 0 ' rows: ' real compare "$runs/run-10.csv"
expect 1 ': 1 slower, ' real compare "$folder/baseline.csv"
holds 'only the baseline is slower' grep -q '^slower  *private/lines-1 ' "$folder/out"

finish
