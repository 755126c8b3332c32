#!/bin/sh
# Tests the summary that scripts/nightly prints for red nights (which exit with 1) with simulated causes, and for a
# night with a full disk: morning.sh BANKLINE SOURCE
set -u
real=$1 source_dir=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# shellcheck source=tests/checks.sh
. "$(dirname "$0")/checks.sh"
case $real in /*) ;; *) real=$PWD/$real ;; esac
if "$real" history list 2>&1 | grep -q 'built without sqlite3'; then
    echo 'skipped: built without sqlite3'
    exit 77
fi
here=$(cd "$(dirname "$0")" && pwd)
# To save time, only some suites of a real run are used. They are enough for all causes.
run=$folder/run.csv
awk -F, 'NR == 1 || $11 ~ /^(global|local|shape|latency|level|stride|private|atomic)$/' "$source_dir/results/reference/nvidia-h200.csv" >"$run"

# 'run' copies tonight.csv instead of measuring, and 'report' writes no page. If the file `full` exists, 'history add'
# fails. All other commands are the real program.
cat >"$folder/bankline" <<END
#!/bin/sh
case "\$* " in
*\ --help\ *) exec "$real" "\$@" ;;
run\ *) ;;
report\ *) exit 0 ;;
history\ add\ *) [ ! -e "$folder/full" ] || { echo "bankline: history.db: No space left on device" >&2; exit 4; }
    exec "$real" "\$@" ;;
*) exec "$real" "\$@" ;;
esac
while [ "\$#" -gt 0 ]; do
    case \$1 in
    --csv) cp "$folder/tonight.csv" "\$2" ;;
    --prometheus | --markdown | --json | --junit) echo "\$1" >"\$2" ;;
    esac
    shift
done
if [ -e "$folder/waits" ]; then
    case \$PWD in
    */again) part=again ;;
    *) part=first ;;
    esac
    if [ "\$(cat "$folder/waits")" = "\$part" ]; then
        echo "\$\$" >"$folder/pid"
        echo >"$folder/begun"
        exec tail -f /dev/null
    fi
fi
exit 0
END
# A fake package manager that lists the host's packages.
mkdir "$folder/bin"
cat >"$folder/bin/dpkg-query" <<END
#!/bin/sh
cat "$folder/packages"
END
chmod +x "$folder/bankline" "$folder/bin/dpkg-query"
printf 'coreutils 9.1\nintel-igc-cm 1.0.500\nlibigc1 1.0.17193\n' >"$folder/packages"
PATH=$folder/bin:$PATH
export BANKLINE="$folder/bankline" PATH
night() { "$source_dir/scripts/nightly"; }
make() { "$here/morning.py" "$run" "$1" "2026-03-$2" "${3:-card-a}" "${4:-0.88}"; } # CAUSES DAY [CARD [BY]]

# Adds twelve nights of one card to a history.
for day in 01 02 03 04 05 06 07 08 09 10 11 12; do
    make none "$day" >"$folder/$day.csv"
done
"$real" history add "$folder"/[01]?.csv --db "$folder/base.db" --quiet
begin() { # makes a new folder of nights, with the history and one good night with its list of packages
    rm -rf "$folder/nights"
    mkdir -p "$folder/nights/2026-03-12T020000Z"
    cp "$folder/base.db" "$folder/nights/history.db"
    cp "$folder/12.csv" "$folder/nights/2026-03-12T020000Z/run.csv"
    LC_ALL=C sort "$folder/packages" | grep igc >"$folder/nights/2026-03-12T020000Z/machine.txt"
    echo 0 >"$folder/nights/2026-03-12T020000Z/verdict"
}
export NIGHTLY_DIR="$folder/nights"
# red CAUSE WORDS NEXT: checks that the first five lines of the summary contain WORDS, and that the first eight contain
# the command NEXT.
red() {
    checks=$((checks + 1))
    night >"$folder/out" 2>"$folder/err"
    status=$?
    if [ "$status" -eq 0 ] || ! head -n 5 "$folder/out" | grep -qE -e "$2" ||
        ! head -n 8 "$folder/out" | grep -qE -e "^next +.*$3"; then
        failed=$((failed + 1))
        echo "FAILED: $1: status $status, expected '$2' and next '$3' in"
        head -n 12 "$folder/out"
        cat "$folder/err"
    fi
}
first() { begin && make "$1" 13 card-a "${2:-0.88}" >"$folder/tonight.csv"; } # CAUSES [BY]

first none
holds 'a night without changes prints nothing' sh -c "[ -z \"\$('$source_dir/scripts/nightly' 2>&1)\" ]"
first driver
red driver '^(cause|or) +the driver: 580.159.04 -> 581.57.08' "history since"
holds 'the summary says what, by how much, since when, how sure and what changed' sh -c "
    grep -qE '^what +[0-9]+ rows slower: .* by 12\.[0-9] % ' '$folder/out' &&
    grep -qE '^since +this run, 2026-03-13T02:00:00Z; the run before: 2026-03-12T02:00:00Z' '$folder/out' &&
    grep -qE '^sure +the change is [0-9.]+ times the limit that 95 % of unchanged rows stay below; confirmed by a second measurement' '$folder/out' &&
    grep -qE '^changed +driver 580' '$folder/out'"
make second-day 14 >"$folder/tonight.csv"
red 'the driver, the day after' '^(cause|or) +the driver: 580.159.04 -> 581.57.08' "history since"
holds 'the summary says since when' grep -qE '^since +2026-03-13T02:00:00Z, for 2 runs' "$folder/out"
first clock
red clock "^(cause|or) +the device's clock: 1980 -> 1410 MHz" 'history show'
first kernel
red 'one kernel' '^cause +the kernel of local/5 alone' 'history since local/5'
holds 'nothing else changed' grep -qE '^changed +nothing' "$folder/out"
first baseline
red 'one baseline' '^cause +one baseline, local/1' 'history since local/1'
first busy
red 'other load' '^cause +other load' 'run '
holds "the summary says what the next command's result means" grep -qE '^ +rows that are faster in the new run were slowed down by other load$' "$folder/out"
first missing
red 'missing rows' '^cause +[0-9]+ rows are missing, of suite latency' 'run latency/global-128M$'
make missing 14 >"$folder/tonight.csv"
red 'missing rows, the day after' '^since +2026-03-13T02:00:00Z, for 2 runs; the run before: 2026-03-12' 'run latency/'
first wrong-device-clock
red "the device's clock" "^cause +the clock of the device's events is wrong" 'run local/'
first compiler
sed -i 's/libigc1 .*/libigc1 2.1.14/' "$folder/packages"
red 'a new compiler' '^cause +libigc1: 1.0.17193 -> 2.1.14' 'history since'
sed -i 's/libigc1 .*/libigc1 1.0.17193/' "$folder/packages"
# Two causes at once, and causes with small effects.
both() { # CAUSES WORDS OTHER-WORDS NEXT [BY]
    first "$1" "${5:-0.88}"
    red "$1" "$2" "$4"
    holds "$1: the second cause is printed, too" sh -c "head -n 5 '$folder/out' | grep -qE '^or +$3'"
}
both clock+kernel "^cause +the device's clock: 1980 -> 1410 MHz" \
    'the kernel of local/5: no other case of suite local is slower' 'history show'
both clock+kernel "^cause +the device's clock: 1980 -> 1410 MHz" \
    'the kernel of local/5: no other case of suite local is slower' 'history show' 0.97
both driver+clock '^cause +the driver: 580' "the device.s clock: 1980 -> 1410 MHz" 'history since'
both driver+missing '^cause +7 rows are missing, of suite latency' 'the driver: 580' 'run latency/global-128M$'
both driver+busy '^cause +the driver: 580' 'other load' 'history since'
both baseline+kernel '^cause +one baseline, local/1' 'the kernel of local/5: no other case of suite local is slower, apart' \
    'history since local/1'
both missing+kernel '^cause +7 rows are missing' 'the kernel of local/5 alone' 'run latency/'
both missing+kernel+compiler '^cause +7 rows are missing' 'not known: rows of several cases' 'run latency/'
both missing+wrong-device-clock "^cause +the clock of the device's events is wrong" '7 rows are missing' 'run local/'
first kernel+compiler
red 'rows of several suites, and no recorded change' '^cause +not known: rows of several cases' 'history since'
first driver 0.97
red 'a mild driver' '^cause +the driver: 580' 'history since'
first kernel 0.97
red 'a mild kernel' '^cause +the kernel of local/5 alone' 'history since local/5'
# Several cards of one model in one history; one card is slow.
begin
for card in b c d e f; do
    make none 13 "card-$card" >"$folder/card-$card.csv"
done
"$real" history add "$folder"/card-?.csv --db "$folder/nights/history.db" --quiet
make card 13 >"$folder/tonight.csv"
red 'one card' '^cause +this card alone: the other 5 of its model' 'history outliers'
# Of ten cards of one model, one has no numbers in rows in which the others have some, and is not slower.
begin
for card in b c d e f g h i j; do
    make none 13 "card-$card" >"$folder/card-$card.csv"
done
"$real" history add "$folder"/card-?.csv --db "$folder/nights/history.db" --quiet
make wrong-device-clock 13 >"$folder/tonight.csv"
red 'no numbers on one card' '^or +this card: at least 9 of 10 cards of its model have numbers in these rows' 'run local/'
holds 'the summary does not say that only this card is slower' sh -c "! grep -q 'not slower' '$folder/out'"
# The host's clock was set back by years, so there is nothing to compare with.
begin
"$here/morning.py" "$run" none 2019-01-01 card-a >"$folder/tonight.csv"
red 'a wrong clock' "^cause +the host's clock is or was wrong.* 2026-03-12T02:00:00Z" 'date -u'
# A full disk.
first none
touch "$folder/full"
red 'a full disk' '^cause +the disk is or was full: .* left of ' 'df -h '
rm "$folder/full"

# A signal to the nightly script also ends the process that measures, and releases the lock. This is tested during the
# first and during the repeated measurement.
for part in first again; do
    first kernel
    rm -f "$folder/begun" "$folder/pid"
    mkfifo "$folder/begun"
    echo $part >"$folder/waits"
    "$source_dir/scripts/nightly" >"$folder/out" 2>"$folder/err" &
    nightly=$!
    read -r _ <"$folder/begun"
    measuring=$(cat "$folder/pid")
    kill -TERM "$nightly"
    wait "$nightly" 2>/dev/null
    status=$?
    holds "the $part measurement: the exit status is 143 (SIGTERM), not $status" [ "$status" -eq 143 ]
    holds "the $part measurement: the measuring process has ended" sh -c "! kill -0 $measuring"
    holds "the $part measurement: the lock is free" flock -n "$folder/nights/lock" true
    holds "the $part measurement: the signal is reported" grep -q 'nightly: ended by SIGTERM; .* is in /' "$folder/err"
    holds "the $part measurement: nothing else is printed" [ "$(wc -l <"$folder/err")" -eq 1 ]
    holds "the $part measurement: the night's files do not mention the signal" sh -c "! grep -rq 'ended by SIG' '$folder/nights'"
    rm "$folder/waits"
done

# Tests the command `history why` itself.
begin
why() { "$real" history why "$@" --db "$folder/nights/history.db"; }
make kernel 13 >"$folder/tonight.csv"
expect 1 'what    ' why "$folder/tonight.csv"
holds 'the summary answers each question' [ "$(grep -cE '^(what|cause|since|sure|changed|next) ' "$folder/out")" -eq 6 ]
make kernel+new-kernels 13 >"$folder/tonight.csv"
expect 1 'changed the kernels of 7 rows' why "$folder/tonight.csv"
holds 'with changed kernels, the output does not say that nothing else changed' sh -c "! grep -q 'nothing else changed' '$folder/out'"
make new-kernels 13 >"$folder/good.csv"
expect 0 'cannot be compared, because their kernels changed' why "$folder/good.csv"
make none 13 >"$folder/good.csv"
expect 0 'no row is slower, missing or broken' why "$folder/good.csv"
holds 'for a good night, only what and next are printed' [ "$(cut -d ' ' -f 1 "$folder/out" | tr '\n' ' ')" = 'what next ' ]
expect 0 'no row is slower' why "$folder/tonight.csv" --again "$folder/good.csv"
grep -v ',local/' "$folder/good.csv" >"$folder/other.csv" # a run that was not asked for the slower row
make kernel 13 >"$folder/slower.csv"
expect 1 'what    ' why "$folder/slower.csv" --again "$folder/other.csv"
sed '2,$s/NVIDIA H/another H/' "$folder/tonight.csv" >"$folder/other.csv"
expect 0 'what    the history has no earlier run of another H' why "$folder/other.csv"
echo 'libigc1: 1 -> 2' >"$folder/changed"
expect 1 'cause   libigc1: 1 -> 2' why "$folder/tonight.csv" --changed "$folder/changed"
expect 4 "cannot read $folder/none" why "$folder/tonight.csv" --changed "$folder/none"
expect 4 '/dev/zero: a zero byte' timeout 10 "$real" history why "$folder/tonight.csv" --changed /dev/zero \
    --db "$folder/nights/history.db"
expect 4 'none.csv' why "$folder/none.csv"
expect 2 'usage: bankline history why RUN.csv' why

finish
