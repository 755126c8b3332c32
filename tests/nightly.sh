#!/bin/sh
# Tests scripts/nightly with a substitute for the program, which copies a file instead of measuring:
# nightly.sh BANKLINE REFERENCE.csv SOURCE
set -u
real=$1 reference=$2 source_dir=$3
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# shellcheck source=tests/checks.sh
. "$(dirname "$0")/checks.sh"
case $real in /*) ;; *) real=$PWD/$real ;; esac
if "$real" history list 2>&1 | grep -q 'built without sqlite3'; then
    echo 'skipped: built without sqlite3'
    exit 77
fi

# Limits all intervals to +-0.2 %, so that all rows can be judged.
awk -F, -v OFS=, 'NR > 1 && $21 > 0 {
    if ($22 < $21 * 0.998) $22 = $21 * 0.998
    if ($23 > $21 * 1.002) $23 = $21 * 1.002
} 1' "$reference" >"$folder/reference.csv"
reference=$folder/reference.csv

cat >"$folder/bankline" <<END
#!/bin/sh
# 'run' copies tonight.csv instead of measuring, and 'try' copies some of its rows. 'report' writes no page if the file
# no-page exists. All other commands are the real program.
case "\$* " in
*\ --help\ *) exec "$real" "\$@" ;;
run\ * | 'try --patterns'*) ;;
report\ *) [ ! -e "$folder/no-page" ] || exit 0; exec "$real" "\$@" ;;
*) exec "$real" "\$@" ;;
esac
[ -e "$folder/fails" ] && { echo 'bankline: no device' >&2; exit 3; }
kind=\$1
[ "\$kind" = run ] || echo "\$*" >"$folder/tried"
while [ "\$#" -gt 0 ]; do
    case \$1 in
    --csv)
        case \$PWD in
        */again) [ ! -e "$folder/again.csv" ] || cp "$folder/again.csv" "$folder/tonight.csv" ;;
        esac
        cp "$folder/tonight.csv" "\$2"
        [ "\$kind" = run ] || sed -i -e '2,\$s/night-/patterns-/' -e '2,\${/,width\//!d}' "\$2"
        ;;
    --prometheus | --markdown | --json | --junit) echo "\$1" >"\$2" ;;
    esac
    shift
done
case \$PWD in
*/again) [ ! -e "$folder/again-fails" ] || exit 3 ;;
esac
if [ -e "$folder/waits" ]; then
    cat "$folder/waits" # the test opens this FIFO before and after it starts the other night
    cat "$folder/waits"
fi
exit 0
END
chmod +x "$folder/bankline"
export BANKLINE="$folder/bankline" NIGHTLY_DIR="$folder/nights" NIGHTLY_KEEP=3
nightly() { "$source_dir/scripts/nightly"; }
tonight() { # NUMBER [SED]: makes the reference run, changed by SED, the run of night NUMBER
    sed "2,\$s/^\([0-9]*\),[^,]*,[^,]*,/\1,night-$1,2026-01-$1T02:00:00Z,/" "$reference" |
        sed "${2:-}" >"$folder/tonight.csv"
}
folders() { find "$folder/nights" -mindepth 1 -maxdepth 1 -type d | wc -l; }

tonight 01
expect_silence() {
    checks=$((checks + 1))
    if ! nightly >"$folder/out" 2>&1 || [ -s "$folder/out" ]; then
        failed=$((failed + 1))
        echo "FAILED: $1"
        cat "$folder/out"
    fi
}
expect_silence 'the first night prints nothing'
holds 'the night has its reports' sh -c "ls '$folder'/nights/20*/run.csv '$folder'/nights/20*/run.md \
    '$folder'/nights/20*/run.prom"
holds 'the night has a page' grep -q 'Over the last runs' -r "$folder/nights" --include=report.html
touch "$folder/no-page" # later nights write no page
tonight 02
expect_silence 'a night without changes prints nothing'
tonight 03 '/,local\/5,.*,32x1,/s/,0\.5,0\.50[0-9]*,[0-9.]*,[0-9.]*,/,0.5,0.45,0.4497,0.4503,/'
expect 1 'slower' nightly
holds 'the slower row is printed' grep -qE '^slower +local/5 +32x1 ' "$folder/out"
holds 'only this row is named, once for each measurement' [ "$(grep -c '^slower' "$folder/out")" -eq 2 ]
holds 'the output says since when the row is slower' grep -q '0.4500 since 2026-01-03T02:00:00Z (-10' "$folder/out"
holds 'the changes are written as documents' sh -c "ls '$folder'/nights/20*/run-changes.md && grep -q \
    '^slower,local/5,int,32x1' '$folder'/nights/20*/run-changes.csv"
# A row that is slow only in the first measurement raises no alarm.
cp "$folder/tonight.csv" "$folder/kept.csv"
tonight 02
mv "$folder/tonight.csv" "$folder/again.csv"
sed 's/night-03/night-04/; s/2026-01-03/2026-01-04/' "$folder/kept.csv" >"$folder/tonight.csv"
expect_silence 'a row that is slower only once raises no alarm'
holds 'the first measurement is written to compare.txt' grep -q 'measured again' -r "$folder/nights" --include=compare.txt
# A row that is missing in the first run is an alarm, even if the second run has it.
sed '/,local\/7,.*,32x1,/d; s/night-04/night-05/; s/2026-01-04/2026-01-05/' "$folder/kept.csv" |
    sed 's/night-03/night-05/; s/2026-01-03/2026-01-05/' >"$folder/tonight.csv"
expect 1 'missing' nightly
holds 'the missing row is printed' grep -qE '^missing +local/7 +32x1 ' "$folder/out"
# A row that is slower in the first measurement raises an alarm if the second measurement lacks it. If the second
# measurement fails, so does the night.
again() { # HOUR SED: makes a separate history, and a slow night whose second measurement is changed by SED
    rm -rf "$folder/other"
    mkdir "$folder/other"
    for night in 01 02; do
        tonight $night
        "$real" history add "$folder/tonight.csv" --db "$folder/other/history.db" --quiet
    done
    sed "s/night-03/night-05-$1/; s/2026-01-03T02/2026-01-05T$1/" "$folder/kept.csv" >"$folder/tonight.csv"
    sed "$2" "$folder/tonight.csv" >"$folder/again.csv"
}
export NIGHTLY_DIR="$folder/other"
again 03 '/,local\/5,.*,32x1,/d'
expect 1 'slower' nightly
again 04 's/,0\.45,0\.4497,0\.4503,/,0.5,0.4997,0.5003,/'
touch "$folder/again-fails"
expect 3 '' nightly
rm "$folder/again-fails"
again 05 's/,0\.45,0\.4497,0\.4503,/,0.5,0.4997,0.5003,/
    /,local\/5,.*,int,4x4,/s/,1,1,[0-9.]*,[0-9.]*,[0-9.]*,/,1,1,0.9,0.899,0.901,/'
holds 'another row is slower the second time' grep -q ',1,1,0.9,0.899,0.901,' "$folder/again.csv"
expect_silence 'two rows of a case, each slower once, raise no alarm'
again 07 ''
sed -i '2,${/,lines,/d}' "$folder/tonight.csv"
expect 1 'missing' nightly
holds 'the rows of a missing suite are missing' grep -qE '^missing +lines/' "$folder/out"
again 06 ''
expect 1 '' sh -c "'$source_dir/scripts/nightly' >&-"
export NIGHTLY_DIR="$folder/nights"
rm "$folder/again.csv"
tonight 06
expect_silence 'the next good night prints nothing'
holds 'three nights are kept' [ "$(folders)" -eq 3 ]
holds 'the history has all nights' [ "$("$real" history list --db "$folder/nights/history.db" | tail -1)" = '6 runs' ]
touch "$folder/patterns"
for number in 07 08; do
    tonight $number
    export NIGHTLY_PATTERNS=patterns NIGHTLY_DIR=nights BANKLINE=./bankline # relative to the current folder
    cd "$folder" || exit 1
    expect_silence 'rows of the cases are not expected in the history of patterns'
done
# `try` measures the patterns on the device of the run. Relative file names refer to the folder from which nightly was
# called.
NIGHTLY_DIR=$folder/other tonight 09
"$real" model --show-machine nvidia-hopper >own.machine
NIGHTLY_DIR=$folder/other "$source_dir/scripts/nightly" --quick --machine own.machine --device=portable local/5 \
    --seconds 1 >"$folder/out" 2>&1
options="--quick --machine $folder/own.machine --device=portable --seconds 1"
holds 'patterns have the options of the run' \
    grep -qxF "try --patterns $folder/patterns $options --quiet --csv patterns.csv" "$folder/tried"
unset NIGHTLY_PATTERNS
export BANKLINE="$folder/bankline" NIGHTLY_DIR="$folder/nights"
holds 'patterns have a separate history' [ "$("$real" history list --db "$folder/nights/patterns.db" | tail -1)" = '2 runs' ]

# The newest NIGHTLY_KEEP nights with rows are kept, and in addition the newest NIGHTLY_KEEP failed nights without rows.
touch "$folder/fails"
for number in 1 2 3 4; do expect 3 'no device' nightly; done
holds 'only the error message is printed' [ "$(wc -l <"$folder/err")" -eq 2 ]
holds 'three good and three failed nights are kept' [ "$(folders)" -eq 6 ]
holds 'the good nights have rows' [ "$(find "$folder/nights" -name run.csv | wc -l)" -eq 3 ]
rm "$folder/fails"

# A night is refused while another night is running.
mkfifo "$folder/waits"
tonight 09
nightly >/dev/null 2>&1 &
: >"$folder/waits" # the first night is measuring now
expect 75 'another night is running' nightly
: >"$folder/waits"
wait
rm "$folder/waits"

# Errors are found before anything is created.
empty() { # STATUS PART [VARIABLE=VALUE...] COMMAND...: like expect, and checks that no folder is created
    status=$1 part=$2
    shift 2
    expect "$status" "$part" env NIGHTLY_DIR="$folder/none" "$@"
    holds "$* creates nothing" [ ! -e "$folder/none" ]
}
script=$source_dir/scripts/nightly
empty 0 'usage: nightly' "$script" --help
empty 2 '--bogus' "$script" --bogus
empty 2 '--precision' "$script" --precision none local/1
empty 2 "NIGHTLY_THRESHOLD is 'none'" NIGHTLY_THRESHOLD=none "$script"
for keep in none 0 00 -1 1.5 12345 '1 2'; do
    empty 2 "NIGHTLY_KEEP is '$keep'; expected an integer from 1 to 9999" NIGHTLY_KEEP="$keep" "$script"
done
empty 2 "no program '$folder/nowhere'" BANKLINE="$folder/nowhere" "$script"
mkdir -p "$folder/lone/scripts"
cp "$script" "$folder/lone/scripts"
empty 2 "no program '$folder/lone/build/host/bankline' nor '$folder/lone/scripts/bankline'" BANKLINE= \
    "$folder/lone/scripts/nightly"
empty 4 "cannot read NIGHTLY_PATTERNS, '$folder/nowhere'" NIGHTLY_PATTERNS=nowhere "$script"
expect 2 'set NIGHTLY_DIR' env -u HOME -u XDG_STATE_HOME -u NIGHTLY_DIR "$script"
tonight 10
before=$(folders)
expect 2 'no/such' env BANKLINE="$real" "$script" no/such
holds 'an unknown case leaves no folder' [ "$(folders)" -eq "$before" ]

# NIGHTLY_KEEP=09 is nine, not an octal number. Names may have spaces and a leading dash. With NIGHTLY_DIR, neither
# HOME nor TMPDIR is required. Without it, nights are below the home folder.
cd "$folder" || exit 1
run_night() { env "$@" NIGHTLY_KEEP=09 "$script" >"$folder/out" 2>&1 && [ ! -s "$folder/out" ]; }
holds 'NIGHTLY_KEEP=09' run_night -u HOME -u TMPDIR NIGHTLY_DIR=-the\ nights CDPATH=/
holds 'the night is in NIGHTLY_DIR' sh -c "ls '$folder/-the nights'/20*/run.csv"
holds 'a night runs with only a home folder' run_night -u NIGHTLY_DIR -u XDG_STATE_HOME HOME="$folder/my home"
holds 'the night is below the home folder' sh -c "ls '$folder/my home/.local/state/bankline'/20*/run.csv"

# In an installation, the script finds the program beside it.
mkdir "$folder/my bin"
cp "$script" "$folder/my bin/bankline-nightly"
cp "$folder/bankline" "$folder/my bin/bankline"
ln -s "$folder/my bin/bankline-nightly" "$folder/link"
holds 'an installed script runs' env -u BANKLINE NIGHTLY_DIR="$folder/installed" "$folder/link"
holds 'the installed script has measured' sh -c "ls '$folder'/installed/20*/run.csv"

# A red night (one that exits with 1) prints commands to look further. They can be typed as they are, because nightly
# and `bankline history` use the same history. The name of the folder $where needs quoting.
where="$folder/it's a home"
mkdir -p "$where"
red() { tonight "$1" '/,local\/5,.*,32x1,/s/,0\.5,0\.50[0-9]*,[0-9.]*,[0-9.]*,/,0.5,0.45,0.4497,0.4503,/'; }
commands() { sed -n '/^to look further:$/,$s/^  //p' "$folder/out" >"$folder/commands"; }
commands_work() { # ENVIRONMENT...: runs each of the printed commands, from another folder
    [ "$(wc -l <"$folder/commands")" -ge 4 ] || return
    (cd / && while read -r line; do
        env "$@" sh -c "$line" >"$folder/said" 2>&1 </dev/null || [ $? -eq 1 ] || exit
        case $line in
        *' history show local/5'*) grep -q '0.4500' "$folder/said" ;;
        *' history since local/5'*) grep -q 'since 2026-01-12' "$folder/said" ;;
        *' history compare '*) grep -qE '^slower +local/5 ' "$folder/said" ;;
        *) grep -q 'run.csv' "$folder/said" ;;
        esac || exit
    done <"$folder/commands")
}
two_nights() { # ENVIRONMENT...: runs a good night and a red night
    tonight 11
    env "$@" "$script" >/dev/null 2>&1
    red 12
    expect 1 'slower' env "$@" "$script"
    commands
}
at_home="env -u NIGHTLY_DIR -u XDG_STATE_HOME -u XDG_DATA_HOME"
# shellcheck disable=SC2086 # words
two_nights $at_home HOME="$where"
# shellcheck disable=SC2086
holds 'nightly and history use the same history' [ "$($at_home HOME="$where" "$real" history list | tail -1)" = '2 runs' ]
holds 'no other history is created' [ "$(find "$where" -name '*.db' | wc -l)" -eq 1 ]
# shellcheck disable=SC2086
holds 'the printed commands can be typed' commands_work $at_home HOME="$where"
holds 'the printed commands name no database' sh -c "! grep -q -e --db '$folder/commands'"
holds "the commands are also in the night's folder" grep -q '^to look further' -r "$where" --include=compare.txt
two_nights NIGHTLY_DIR="$where/nights"
holds 'the history is beside the nights' [ -s "$where/nights/history.db" ]
holds 'the printed commands can be typed with another history' commands_work HOME=/none
holds 'the printed commands name the history' [ "$(grep -c -e --db "$folder/commands")" -eq 3 ]
two_nights NIGHTLY_DIR="$where/more nights" NIGHTLY_DB="it's a home/lab.db"
holds 'the history is the requested file' [ -s "$where/lab.db" ] 
holds 'no other history is created in that folder' [ ! -e "$where/more nights/history.db" ]
holds 'the printed commands can be typed in any folder' commands_work HOME=/none
expect 2 'set NIGHTLY_DB to its file' env -u HOME -u NIGHTLY_DIR -u XDG_DATA_HOME \
    XDG_STATE_HOME="$folder/none" "$script"
holds 'nothing is created' [ ! -e "$folder/none" ]
empty 4 "no folder for NIGHTLY_DB, '$folder/nowhere/h.db'" NIGHTLY_DB=nowhere/h.db "$script"

# A row that cannot be judged in three nights is named in the third night. It is named again only after a night in which
# it could be judged.
export NIGHTLY_DIR="$folder/unclear" NIGHTLY_KEEP=30
unclear() { # NUMBER [CASE]: the intervals of the CASE in groups of 32x1, or of all rows, are too wide to be judged
    tonight "$1"
    awk -F, -v OFS=, -v only="${2:-}" \
        'NR > 1 && $21 > 0 && (only == "" || $10 == only && $14 == "32x1") {$22 = $21 * 0.8; $23 = $21 * 1.2} 1' \
        "$folder/tonight.csv" >"$folder/unclear.csv"
    mv "$folder/unclear.csv" "$folder/tonight.csv"
}
named() { [ "$(grep -c 'local/6' "$folder/out")" -eq 1 ] && grep -q 'More time per case' "$folder/out"; }
tonight 01
expect_silence 'a night without earlier nights raises no alarm'
for number in 02 03 04 05; do
    tonight $number
    "$real" history add "$folder/tonight.csv" --db "$NIGHTLY_DIR/history.db" --quiet
done
for number in 06 07; do
    unclear $number local/6
    expect_silence "an unclear row is not named in night $number"
done
unclear 08 local/6
expect 0 'unclear in 3 consecutive runs' nightly
holds 'the row is named with advice' named
unclear 09 local/6
expect_silence 'the row is not named again in the next night'
tonight 10
expect_silence 'a night in which the row can be judged prints nothing'
for number in 11 12; do
    unclear $number local/6
    expect_silence "the row, which is unclear again, is not named in night $number"
done
unclear 13 local/6
expect 0 'unclear in 3 consecutive runs' nightly
holds 'the row is named again' named

# A night in which nothing could be judged must not exit with 0.
unclear 14
expect 1 'nothing was judged' nightly
holds 'the output has advice' grep -q -e '--seconds' "$folder/out"
holds 'the output has a command to run next' grep -q '^  .* history compare .*/run.csv' "$folder/out"
unclear 15
awk -F, -v OFS=, 'NR > 1 && $10 == "local/7" {$22 = $21 * 0.999; $23 = $21 * 1.001} 1' \
    "$folder/tonight.csv" >"$folder/some.csv"
mv "$folder/some.csv" "$folder/tonight.csv"
expect_silence 'a night with some judged rows raises no alarm'

# A row whose kernel changed cannot be compared. A row's ratio may change because its baseline changed. Both kinds of
# rows are reported, but raise no alarm.
export NIGHTLY_DIR="$folder/kernels"
"$real" history add "$reference" --db "$folder/newest.db" --quiet
"$real" history export --db "$folder/newest.db" | grep -v '"' >"$folder/newest.csv" # the export has the present schema
reference=$folder/newest.csv
set_columns() { # CASE 'NAME=VALUE...': sets columns in the rows of CASE
    awk -F, -v OFS=, -v only="$1" -v set="$2" 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i} NR > 1 {
        count = split(set, parts, " ")
        for (i = 1; i <= count && $10 == only; i++) {
            split(parts[i], pair, "=")
            $(at[pair[1]]) = pair[2]
        }
    } 1' "$folder/tonight.csv" >"$folder/set.csv"
    mv "$folder/set.csv" "$folder/tonight.csv"
}
moves() { # NUMBER BASELINE_NS RATIO: a night in which local/7 takes 2 ns, and its baseline BASELINE_NS
    tonight "$1"
    set_columns local/7 "case_ns=2 baseline_ns=$2 measured=$3 measured_lo=$3 measured_hi=$3"
}
compared() { find "$NIGHTLY_DIR" -name compare.txt | sort | tail -n 1 | xargs cat; }
moves 01 2 1
set_columns local/6 'kernels=0123456789ab'
expect_silence 'the first night with these kernels prints nothing'
moves 02 2 1
set_columns local/6 'kernels=ab0123456789 measured=0.03 measured_lo=0.0299 measured_hi=0.0301'
expect_silence 'new kernels raise no alarm'
compared >"$folder/compared"
holds 'rows with new kernels are counted' grep -qE '^[0-9]+ rows: .*6 kernel-changed' "$folder/compared"
holds 'rows with new kernels are named' [ "$(grep -cE '^kernel-changed +local/6 ' "$folder/compared")" -eq 6 ]
holds 'rows with new kernels are not measured again' sh -c "! ls '$NIGHTLY_DIR'/20*/again"
moves 03 1.8 0.9
set_columns local/6 'kernels=ab0123456789 measured=0.03 measured_lo=0.0299 measured_hi=0.0301'
expect_silence 'a changed baseline raises no alarm'
compared >"$folder/compared"
holds 'rows whose baseline changed are counted' grep -qE '^[0-9]+ rows: .*6 baseline-moved' "$folder/compared"
holds 'rows whose baseline changed are named' grep -qE '^baseline-moved +local/7 ' "$folder/compared"

# If a baseline got slower, its own row raises an alarm, after both measurements found it slower.
export NIGHTLY_DIR="$folder/baselines"
baseline() { # NUMBER BASELINE_NS: a night in which the baseline local/1 takes BASELINE_NS
    moves "$1" "$2" "$(awk -v ns="$2" 'BEGIN {print ns / 2}')"
    set_columns local/1 "case_ns=$2 baseline_ns=$2 measured=1 measured_lo=1 measured_hi=1"
    for number in 2 3 4 5 6; do
        set_columns "lines/$number" 'case_ns=2 baseline_ns=1 measured=0.5 measured_lo=0.5 measured_hi=0.5'
    done
}
for number in 01 02 03; do
    baseline "$number" 1
    expect_silence 'a night with an unchanged baseline prints nothing'
done
baseline 04 1.5
expect 1 'slower          local/1' nightly
holds 'the slower baseline was measured again' grep -q 'measured again:' "$NIGHTLY_DIR/latest/compare.txt"
rm -rf "$NIGHTLY_DIR"
for option in --csv=a --json --prometheus=b --results; do
    expect 2 "nightly sets $option itself" "$script" "$option" x
done
holds 'no folder was created' [ ! -e "$NIGHTLY_DIR" ]

# Each night replaces the link `latest` and, if it has rows, bankline.prom, which Prometheus reads. This holds for any
# umask, and even if another night is dated in the future.
export NIGHTLY_DIR="$folder/stays" NIGHTLY_KEEP=1
reference=$folder/reference.csv
newest() { find "$NIGHTLY_DIR" -mindepth 1 -maxdepth 1 -name '20*' -newer "$folder/before" | head -n 1; }
is_latest() { [ "$(readlink "$NIGHTLY_DIR/latest")" = "$(basename "$(newest)")" ] && [ -s "$NIGHTLY_DIR/latest/run.csv" ]; }
touch "$folder/before"
tonight 01
holds 'a night runs under a strict umask' sh -c "umask 077; '$script'"
holds 'everybody can read the metrics' [ "$(stat -c %a "$NIGHTLY_DIR/bankline.prom")" = 644 ]
holds 'bankline.prom has the metrics of the newest night' cmp "$NIGHTLY_DIR/bankline.prom" "$NIGHTLY_DIR/latest/run.prom"
holds 'latest is a link to the newest night' is_latest
mkdir "$NIGHTLY_DIR/2099-01-01T000000Z" # created while the clock was wrong
cp "$folder/tonight.csv" "$NIGHTLY_DIR/2099-01-01T000000Z/run.csv"
first=$(stat -c %i "$NIGHTLY_DIR/bankline.prom")
touch "$folder/before" "$NIGHTLY_DIR/2099-01-01T000000Z" -d '1 second ago'
sleep 1.1
touch "$folder/before"
tonight 02
expect_silence 'another night prints nothing'
holds 'latest is a link to the new night' is_latest
holds 'the metrics file was replaced' [ "$(stat -c %i "$NIGHTLY_DIR/bankline.prom")" != "$first" ]
touch "$folder/fails"
expect 3 'no device' nightly
holds 'a failed night leaves the old metrics' [ -s "$NIGHTLY_DIR/bankline.prom" ]
holds 'latest is a link to the failed night' [ -e "$NIGHTLY_DIR/latest/errors" ]
rm "$folder/fails"
expect 2 'no/such' env BANKLINE="$real" "$script" no/such
holds 'after a night that made no folder, latest still links to a folder' [ -d "$NIGHTLY_DIR/latest/" ]
holds 'no temporary file is left' [ -z "$(find "$NIGHTLY_DIR" -name '.*.new')" ]

# If the device's clock fell while more than a few rows were measured, the output says so.
falls_in() { # EVERY: adds the note about a fallen clock to every EVERY-th row
    awk -F, -v OFS=, -v every="$1" 'NR > 1 && NR % every == 0 {
        $33 = "the clock fell during 2 of 8 samples"
    } 1' "$folder/tonight.csv" >"$folder/fallen.csv" && mv "$folder/fallen.csv" "$folder/tonight.csv"
}
tonight 03
falls_in 100
expect_silence 'a clock that fell during a few rows is not reported'
tonight 04
falls_in 5
expect 0 'clock fell while 48 rows were measured' nightly
holds "the night's folder has the warning" grep -q 'clock fell' "$NIGHTLY_DIR/latest/clock.txt"

finish
