#!/bin/sh
# Tests `bankline compare` on the command line: compare.sh BANKLINE REFERENCE.csv
set -u
bankline=$1 reference=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# shellcheck source=tests/checks.sh
. "$(dirname "$0")/checks.sh"

compare() { "$bankline" compare "$@"; }
# Copies the reference run, changed by sed.
copy() { sed "$@" "$reference" >"$folder/new.csv"; }
rows=$(($(wc -l <"$reference") - 3)) # number of rows with a measured ratio

# A run that is compared with itself has no changes, and one sentence says so.
expect 0 'are the same run, run ' compare "$reference" "$reference" --csv "$folder/itself.csv" --all
holds 'only this sentence is printed' [ "$(wc -l <"$folder/out")" -eq 1 ]
holds 'documents list all rows as unchanged' [ "$(grep -c '^same,' "$folder/itself.csv")" -eq "$rows" ]
expect 0 'are the same run, run ' compare --quiet "$reference" "$reference"

copy '/,local\/5,.*,32x1,/s/,0\.5,0\.50[0-9]*,[0-9.]*,[0-9.]*,/,0.5,0.45,0.449,0.451,/'
expect 1 'slower  local/5' compare "$reference" "$folder/new.csv"
holds 'only the changed row is named' [ "$(grep -c local/ "$folder/out")" -eq 1 ]
if has_terminals; then
    script -qec "stty cols 80; '$bankline' compare '$reference' '$folder/new.csv'" /dev/null </dev/null >"$folder/narrow"
    holds 'on a narrow terminal, the numbers of a row take two lines' sh -c "grep -A 2 ' local/5  32x1' '$folder/narrow' | tail -n 1 | grep -q ' rows: '"
fi
expect 0 'faster  local/5' compare "$folder/new.csv" "$reference"
expect 1 '1 slower' compare --quiet "$reference" "$folder/new.csv"
holds '--quiet prints one line' [ "$(wc -l <"$folder/out")" -eq 1 ]
expect 0 "$rows rows: $rows same (and 2 without a number in either run)" compare --threshold 30% "$reference" "$folder/new.csv"

copy '/,local\/5,.*,32x1,/d'
expect 1 'missing  local/5' compare "$reference" "$folder/new.csv"
holds 'the output says how to compare only some cases' grep -q 'if it measured only some cases, ' "$folder/out"
expect 0 'new  local/5' compare "$folder/new.csv" "$reference"
copy '/,local\/5,.*,32x1,/s/,0\.5,0\.50[0-9]*,[0-9.]*,[0-9.]*,confirmed,ok,,/,0.5,,,,,error,a call failed,/'
expect 1 'broken  local/5  32x1     int                error: a call failed' \
    compare "$reference" "$folder/new.csv"

copy 's/,580\.[0-9.]*,/,581.1,/'
expect 0 'driver: 580' compare "$reference" "$folder/new.csv"
copy 's/H100/H900/'
expect 2 '--any-device' compare "$reference" "$folder/new.csv"
expect 0 'device: NVIDIA H100' compare --any-device "$reference" "$folder/new.csv"

head -c 5000 "$reference" >"$folder/cut.csv"
expect 4 'cut.csv: line ' compare "$reference" "$folder/cut.csv"
printf 'a,b\n1,2\n' >"$folder/foreign.csv"
expect 4 'foreign.csv: line 1: not the header' compare "$folder/foreign.csv" "$reference"
sed '1s/$/,later/' "$reference" >"$folder/later.csv"
expect 4 'later.csv: line 1' compare "$reference" "$folder/later.csv"
"$bankline" model global/1 --csv - 2>/dev/null | sed '1s/$/,next/' >"$folder/newer.csv"
expect 4 'newer.csv: line 1: more columns than schema 10 has' compare "$reference" "$folder/newer.csv"
sed '3s/^3,/2,/' "$reference" >"$folder/mixed.csv"
expect 4 'mixed.csv: line 3: schema 2, but the header is of schema 3' compare "$reference" "$folder/mixed.csv"
for number in nan inf -inf 1e999; do
    copy "/,local\\/5,.*,32x1,/s/,0\\.5,0\\.50[0-9]*,/,0.5,$number,/"
    expect 4 "column measured cannot be '$number'" compare "$reference" "$folder/new.csv"
done
copy '/,local\/5,.*,32x1,/s/,0\.5,0\.50[0-9]*,/,0.5,0.7,/'
expect 4 'measured 0.7 does not lie in its interval, 0.50' compare "$reference" "$folder/new.csv"
{ cat "$reference"; sed -n '$p' "$reference"; } >"$folder/twice.csv"
expect 4 'twice.csv: line 245: the same row of' compare "$reference" "$folder/twice.csv"
{ head -n 1 "$reference"; head -c 3000000 /dev/zero | tr '\0' x; } >"$folder/huge.csv"
expect 4 'huge.csv: line 2' compare "$reference" "$folder/huge.csv"
sed 's/$/\r/' "$reference" >"$folder/crlf.csv"
expect 0 'are the same run' compare "$reference" "$folder/crlf.csv"
{ printf '\357\273\277'; cat "$reference"; } >"$folder/bom.csv"
expect 0 'are the same run' compare "$reference" "$folder/bom.csv"
printf '%s\n4,"a\033[2J\nb' "$(head -n 1 "$reference")" >"$folder/escape.csv"
expect 4 'escape.csv: line' compare "$reference" "$folder/escape.csv"
sed '2s/,int,/,"in\x1b[31mt",/; 2s/,ok,/,"\x1b[2Jok",/' "$reference" >"$folder/colour.csv"
expect 4 "column status cannot be '?[2Jok'" compare "$reference" "$folder/colour.csv"
: >"$folder/empty.csv"
expect 4 'empty.csv: line 1' compare "$reference" "$folder/empty.csv"
expect 4 'empty.csv: line 1' compare "$folder/empty.csv" "$reference"

# The output names both runs, and lists slower rows before missing rows. Without --all, it counts unchanged, unclear and
# unmeasured rows, but does not list them.
copy '/,local\/5,.*,32x1,/s/,0\.5,0\.50[0-9]*,[0-9.]*,[0-9.]*,/,0.5,0.45,0.449,0.451,/; /,local\/7,.*,32x1,/d
    /,bank-update\/1,/d; s/,int,/,int,/'
expect 1 "before  $reference, run " compare "$reference" "$folder/new.csv"
holds 'the new run is named, too' grep -q "^after   $folder/new.csv, run " "$folder/out"
holds 'slower rows are listed before missing ones' sh -c "grep -oE '^(slower|missing)' '$folder/out' | uniq | tr '\\n' ' ' |
    grep -qx 'slower missing '"
holds 'unchanged rows are not listed' sh -c "! grep -qE '^(same|unclear|no-number) ' '$folder/out'"
expect 1 'same       local/6 ' compare "$reference" "$folder/new.csv" --all
holds '--all lists all rows' [ "$(grep -cE '^(slower|missing|same|unclear|no-number) ' "$folder/out")" -eq $((rows + 2)) ]

# Control characters in a name are never written to a terminal.
sed '2,$s/,NVIDIA H100 80GB HBM3,/,"NVIDIA H100 80GB \x1b[2J\xc2\x9b31mHBM3\x07",/
    2,$s/,580\.[0-9.]*,/,"5\x1b]0;title\x07",/; 3s/,[a-z]*\/[^,]*,/,"try\/\x1b[31m\nslower x",/' "$reference" >"$folder/escapes.csv"
expect 1 'driver: 580' compare --any-device "$reference" "$folder/escapes.csv" --all
holds 'the file contains escapes' grep -q "$(printf '\033')" "$folder/escapes.csv"
holds 'the table contains no escape' sh -c "! LC_ALL=C grep -qE \"\$(printf '[\\001-\\010\\013-\\037\\177]|\\302\\233')\" '$folder/out'"
holds 'a name with a line end is printed on one line' grep -q '^new  *try/?\[31m?slower x' "$folder/out"

grep -v ',lines/1,' "$reference" >"$folder/few.csv"
copy '/,local\/5,.*,32x1,/s/,0\.5,0\.50[0-9]*,[0-9.]*,[0-9.]*,/,0.5,0.45,0.449,0.451,/'
expect 0 '6 rows: 6 same' compare "$reference" "$folder/new.csv" local/7 --threshold 30%
expect 2 "neither run has a case 'none'" compare "$reference" "$reference" none
expect 2 "neither run has a case 'none' or one of the others" compare "$reference" "$reference" none nor/this
expect 1 '1 row: 1 missing' compare "$reference" "$folder/few.csv" lines/1
holds 'the output does not advise listing cases if a case was listed' sh -c "! grep -q 'list those cases' '$folder/out'"

# Fewer than four rows do not show how much runs differ by chance, and the output says so.
for few in 3 4; do
    for run in old new; do
        awk -F, 'NR == 1 || /,local\/[4-7],.*,32x1,/' "$([ $run = old ] && echo "$reference" || echo "$folder/new.csv")" |
            head -n $((few + 1)) >"$folder/$run-$few.csv"
    done
    compare "$folder/old-$few.csv" "$folder/new-$few.csv" >"$folder/out"
    holds "$few rows: one is slower" grep -q "^slower  local/5" "$folder/out"
    holds "$few rows: the output says whether they are too few" [ "$(grep -c '^too few rows to learn' "$folder/out")" -eq $((few < 4)) ]
done

# If the new run is older than schema 9 and has no row of a suite, `compare` assumes that the suite was not requested.
# With --require-all, the suite's rows count as missing.
sed '2,${/,lines,/d}' "$reference" >"$folder/few.csv"
absent=$(sed 1d "$reference" | grep -c ',lines,')
expect 0 "$absent rows of suite lines: not asked for in $folder/few.csv" compare "$reference" "$folder/few.csv" --threshold 30%
holds 'rows that were not requested are not counted' grep -q "^$((rows - absent)) rows: $((rows - absent)) same" "$folder/out"
holds 'rows that were not requested are not named' sh -c "! grep -q 'missing\|lines/' '$folder/out'"
expect 1 "$absent missing" compare "$reference" "$folder/few.csv" --threshold 30% --require-all
expect 1 "$absent missing" compare "$reference" "$folder/few.csv" --threshold 30% lines
holds 'the advice to list cases is omitted if the suite was listed' grep -q '^missing: the new run lacks the row' "$folder/out"
compare "$reference" "$folder/few.csv" --csv "$folder/few-changes.csv" >/dev/null
holds 'documents list rows that were not requested' [ "$(grep -c '^not-asked,lines/' "$folder/few-changes.csv")" -eq "$absent" ]
# Since schema 9, a run records which cases were requested.
whole=$(dirname "$0")/../results/reference/nvidia-h200.csv
asked() { # CASES: writes the rows of local/1 and local/2, as if CASES had been requested from the run
    sed "1s/\$/,asked_for/; 2,\$s/^8,/9,/; 2,\$s|\$|,$1|" "$whole" | grep -e '^schema,' -e ',local/[12],' >"$folder/asked.csv"
}
asked 'local/1 local/2'
expect 0 "380 rows of 23 suites: not asked for in $folder/asked.csv" compare "$whole" "$folder/asked.csv"
holds 'the other cases of the suite do not count as missing' grep -qx '12 rows: 12 same' "$folder/out"
expect 0 "30 rows of suite local: not asked for" compare "$whole" "$folder/asked.csv" local
expect 1 '380 missing' compare "$whole" "$folder/asked.csv" --require-all
asked local
expect 1 '42 rows: 30 missing, 12 same' compare "$whole" "$folder/asked.csv"
holds 'requested cases without rows count as missing' grep -qx 'missing: the new run lacks the row' "$folder/out"

expect 0 'same' compare --absolute "$reference" "$folder/new.csv" --threshold 30%
# A case and its baseline got slower by the same factor: the ratio is unchanged, but a request takes more clocks.
awk -F, -v OFS=, '$9 != "" && /,local\/5,.*,32x1,/ {for (i = 27; i <= 29; i++) if ($i != "") $i *= i == 29 ? 1.25 : 0.8} 1' \
    "$reference" >"$folder/new.csv"
expect 0 ' same' compare "$reference" "$folder/new.csv"
expect 1 'the change is of its own speed, not of this ratio' compare --absolute "$reference" "$folder/new.csv"
# The output names changes of the device's clock (which schema 4 and later record), of the machine, and of the host.
new_reference=$(dirname "$0")/golden/nvidia-h100-schema-4.csv
clocks() { awk -F, -v OFS=, -v mhz="$1" 'NR > 1 {$NF = mhz + (NR % 2 ? '"$2"' : 0)} 1' "$new_reference"; }
clocks 1000 0 >"$folder/steady.csv"
clocks 1000 300 >"$folder/moved.csv"
clocks 1500 0 >"$folder/higher.csv"
expect 0 "the device's clock moved during $folder/moved.csv: 1000 to 1300 MHz" \
    compare "$folder/steady.csv" "$folder/moved.csv"
expect 0 "the device's clock: 1000 -> 1500 MHz" compare "$folder/steady.csv" "$folder/higher.csv"
sed 's/,nvidia,/,nvidia-h100,/; s/20261121T044418Z-ffab951b/later/' "$reference" >"$folder/machine.csv"
expect 0 "$rows rows: $rows same" compare "$reference" "$folder/machine.csv" --threshold 30%
holds 'the machines are named' grep -qx 'machine: nvidia-hopper -> nvidia-h100' "$folder/out"
expect 0 'cpu: unknown -> Intel' compare "$reference" "$new_reference" 'global/*' 'local/*'

# If an output file cannot be written, the old file stays, and the slower rows are still printed.
copy '/,local\/5,.*,32x1,/s/,0\.5,0\.50[0-9]*,[0-9.]*,[0-9.]*,/,0.5,0.45,0.449,0.451,/'
for format in csv prometheus markdown; do
    expect 1 '1 slower' compare --quiet "$reference" "$folder/new.csv" --$format "$folder/changes.$format"
done
holds 'the CSV has the slower row' grep -q '^slower,local/5,int,32x1,32,4096,nvidia-hopper,-0.10' "$folder/changes.csv"
holds 'the metrics count the slower rows' grep -q '^bankline_change_rows{change="slower",device="NVIDIA H100' "$folder/changes.prometheus"
holds 'Markdown has the slower row' grep -q '^| slower | local/5 | 32x1 | int | -10' "$folder/changes.markdown"
echo old >"$folder/old.csv"
full() { (trap '' XFSZ; ulimit -f 8; exec "$bankline" compare "$@"); }
expect 4 'old.csv: File too large' full "$reference" "$folder/new.csv" --csv "$folder/old.csv"
holds 'the old document stays' [ "$(cat "$folder/old.csv")" = old ]
holds 'no temporary file is left' sh -c "! ls '$folder'/old.csv?*"
expect 4 'no/changes.csv: No such file' compare "$reference" "$folder/new.csv" --csv "$folder/no/changes.csv"
holds 'the slower row is still printed' grep -q '^slower  local/5' "$folder/out"
expect 2 "has no option '--benchmark-json'" compare "$reference" "$reference" --benchmark-json x
expect 4 'No such file' compare "$reference" "$folder/none.csv"
expect 4 '' compare "$reference" "$bankline"
expect 2 'usage: bankline compare OLD.csv NEW.csv' compare "$reference"
expect 2 "--threshold 'x': expected a percentage" compare --threshold x "$reference" "$reference"

# An input file is not overwritten, not even through a symbolic link.
ln -s "$folder/new.csv" "$folder/link.csv"
expect 2 'same file' compare "$reference" "$folder/new.csv" --csv "$folder/new.csv"
expect 2 'same file' compare "$reference" "$folder/new.csv" --markdown "$folder/link.csv"

# All cases and baselines of a device got slower by the same factor. Ratios do not show this, so a separate line reports
# it.
python3 - "$(dirname "$0")/../results/reference/nvidia-h200.csv" "$folder/whole.csv" <<'END'
import csv, sys
with open(sys.argv[1], newline="") as old, open(sys.argv[2], "w", newline="") as new:
    rows = csv.DictReader(old)
    writer = csv.DictWriter(new, rows.fieldnames, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        slower = {name: float(row[name]) * 1.1 for name in row if name.startswith(("case_ns", "baseline_ns")) and row[name]}
        writer.writerow(row | slower | {"run_id": "later"})
END
expect 0 'own times changed by +10.0 % (median)' "$bankline" compare \
    "$(dirname "$0")/../results/reference/nvidia-h200.csv" "$folder/whole.csv"

# Old versions of bankline did not record with which kernels a row was measured. Rows of such a run cannot be compared
# with rows whose kernels are recorded.
expect 0 'schema-4.csv does not record them, so its rows cannot be compared' "$bankline" compare --any-device \
    "$(dirname "$0")/golden/nvidia-h100-schema-4.csv" "$(dirname "$0")/../results/reference/nvidia-h200.csv"

finish
