#!/bin/sh
# `bankline infer`, end to end: infer.sh BANKLINE PRETEND_LAYER FAULT_LAYER
set -u
case $1 in /*) bankline=$1 ;; *) bankline=$PWD/$1 ;; esac
case $2 in /*) pretend=$2 ;; *) pretend=$PWD/$2 ;; esac
case $3 in /*) fault=$3 ;; *) fault=$PWD/$3 ;; esac
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# shellcheck source=tests/checks.sh
. "$(dirname "$0")/checks.sh"

infer() { "$bankline" infer --device portable --quick "$@"; }

# What cannot be is refused before anything is measured.
expect 2 'are the same file' infer --csv "$folder/x" --json "$folder/x"
expect 4 'cannot' infer --save "$folder/no/such/folder.machine"
expect 2 "unknown option '--frobnicate'" infer --frobnicate
expect 2 'expected an integer' infer --seed 0
expect 3 'no device' "$bankline" infer --device 'no such device'

# What a driver says of the device decides nothing: under another name, as a GPU of another vendor, a
# CPU stays what its times tell, and that is next to nothing. On one that is too busy it is said what
# to do. Either way the files are whole.
OPENCL_LAYERS="$pretend" BANKLINE_TEST_PRETEND='vendor=0x10de type=4 warp=32 capability=90' \
    timeout 300 "$bankline" infer --device portable --quick --seed 5 --save "$folder/cpu.machine" \
    --csv "$folder/cpu.csv" --json "$folder/cpu.json" >"$folder/out" 2>"$folder/err"
status=$?
holds 'the layer spoke' grep -q 'layer: pretend' "$folder/err"
if [ "$status" -eq 0 ]; then
    holds 'the description is that of the name' grep -q nvidia-hopper "$folder/out"
    for key in lanes banks bank_bytes line_bytes tag_masks widest_bytes; do
        holds "$key is not taken from the driver" grep -q ",value,$key,unknown," "$folder/cpu.csv"
    done
    holds 'it says why' grep -q 'not determined by the measurements' "$folder/out"
    holds 'points are there' grep -q ',point,' "$folder/cpu.csv"
    holds 'JSON has them too' grep -q '"latencies": *\[' "$folder/cpu.json"
    holds 'the machine is a whole file' grep -q '^local_sub_groups_per_cu = ' "$folder/cpu.machine"
    expect 0 'no predictions' "$bankline" model --machine "$folder/cpu.machine"
    expect 0 'inferred from measurements' "$bankline" model --show-machine "$folder/cpu.machine"
else
    holds "a failure is one of the device ($status)" [ "$status" -eq 3 ]
    holds 'half a machine is none' [ ! -e "$folder/cpu.machine" ]
    holds 'and what to do' grep -qE 'try again|cannot be trusted|clock' "$folder/err"
fi

# Whatever call fails while it begins: the call is named, or done without, and half a machine is none. A
# computer that is busy may end it for its clock first.
for call in 22 24 26 28 29 30 34 40 50 60 70 90 110 140 170 200 250; do
    echo 'name = before' >"$folder/half.machine"
    OPENCL_LAYERS="$fault" BANKLINE_TEST_FAULT="$call:-6" timeout 4 "$bankline" infer --device portable --quick \
        --seed 5 --save "$folder/half.machine" --json "$folder/half.json" >"$folder/out" 2>"$folder/err"
    status=$?
    holds "call $call: $status" [ "$status" -eq 3 -o "$status" -eq 124 -o "$status" -eq 0 ]
    [ "$status" -ne 3 ] || holds "call $call is named: $(tail -n 1 "$folder/err")" \
        grep -qE '^bankline: .*(cl[A-Z]|kernel|memory|lock its clocks)' "$folder/err"
    [ "$status" -eq 0 ] || holds "call $call leaves the machine of before" grep -q '^name = before$' "$folder/half.machine"
    rm -f "$folder"/half.*
done

# An interruption keeps what was found, and a machine that was there before.
echo 'name = before' >"$folder/before.machine"
"$bankline" infer --device portable --seed 5 --csv "$folder/cut.csv" --save "$folder/before.machine" >"$folder/out" 2>"$folder/err" &
job=$!
sleep 1
kill -TERM "$job"
wait "$job"
ended=$?
holds "it ends as interrupted: $ended" [ "$ended" -eq 143 ]
holds 'the file is whole, or none' sh -c "[ ! -e '$folder/cut.csv' ] || grep -q '^schema,' '$folder/cut.csv'"
holds 'the machine of before stays' grep -q '^name = before$' "$folder/before.machine"
finish
