#!/bin/sh
# Tests the program on the command line: program.sh BANKLINE NO_DEVICES_LAYER CLOCK_LAYER PRETEND_LAYER
set -u
case $1 in /*) program=$1 ;; *) program=$PWD/$1 ;; esac
no_devices=$2 clock=$3 pretend=$4
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# shellcheck source=tests/checks.sh
. "$(dirname "$0")/checks.sh"
known_time "$program" "$clock"
bankline=$folder/known

rows() { tail -n +2 "$1" | wc -l; }

# This run uses the real clocks. On a busy host, the program may reject the measured times as bad-clock.
expect 0 '3 rows: ' "$program" run --device portable --quick \
    global/1 local/1 shape/square --csv "$folder/run.csv"
holds 'the CSV has one row per case' [ "$(rows "$folder/run.csv")" -eq 3 ]
holds 'every row has a number or a reason' \
    [ "$(tail -n +2 "$folder/run.csv" | grep -cE ',no-rule,(ok|noisy),,|,,,,bad-clock,')" -eq 3 ]
expect 0 '3 rows: 3 no-rule' "$bankline" run --device portable --quick global/1 local/1 shape/square
# Writes files in several formats. JSON and JUnit may be missing in this build.
"$bankline" run --device portable --quick --quiet global/1 --markdown "$folder/run.md" \
    --prometheus "$folder/run.prom" >/dev/null 2>&1
holds 'Markdown has one row per case' [ "$(grep -c '^| global/1 ' "$folder/run.md")" -eq 1 ]
"$bankline" run --device portable --quick --quiet global/1 --markdown /dev/stdout \
    >"$folder/both" 2>"$folder/table"
holds 'standard output contains only the document' sh -c \
    "grep -q '^| global/1 ' '$folder/both' && ! grep -q '1 row: ' '$folder/both'"
holds 'the table is written to standard error instead' grep -q '1 row: ' "$folder/table"
"$bankline" run --device portable --quick global/1 --csv - >"$folder/pipe.csv" 2>/dev/null
holds 'a CSV on standard output is a CSV' [ "$(head -c 14 "$folder/pipe.csv")" = schema,run_id, ]
holds 'the CSV on standard output has a header and a row' [ "$(wc -l <"$folder/pipe.csv")" -eq 2 ]
expect 2 'same file' "$bankline" run --csv "$folder/x" --json "$folder/x"
expect 2 'same file' "$bankline" try 1 --csv - --markdown /dev/stdout
holds 'every case has a metric' grep -q '^bankline_ratio{case="global/1"' "$folder/run.prom"
json() {
    "$bankline" run --device portable --quick --quiet global/1 --json "$folder/run.json" \
        --junit "$folder/run.xml" >/dev/null 2>"$folder/err" ||
        grep -q 'was built without' "$folder/err"
}
holds 'JSON and JUnit are written, or there is a reason' json
expect 4 'cannot write' "$bankline" run --device portable --quick global/1 --markdown /no/such/x
expect 0 'no-rule: a CPU has no requests' "$bankline" run --device portable --quick global/1
expect 0 '1 row: ' "$bankline" run --device portable --quick --quiet global/1
holds '--quiet prints no table' sh -c "! grep -q predicted '$folder/out'"
expect 0 'rows written to' "$bankline" run --device portable --quick --quiet global/1 \
    --results "$folder/results"
holds '--results sorts runs by device' \
    sh -c "ls '$folder'/results/*/2*Z-????????.csv | grep -q '/pthread-\|/cpu-'"
# `run --compare` measures, and compares the new run with an earlier one.
expect 0 '3 rows: 3 no-rule' "$bankline" run --device portable --quick global/1 local/1 latency/local-16K --csv "$folder/then.csv"
holds 'the table ends with the speed of each level' grep -qE '^local memory +[0-9.]+ +[0-9.]+ +[0-9.]+$' "$folder/out"
expect 0 "before  $folder/then.csv, run " "$bankline" run --device portable --quick global/1 --compare "$folder/then.csv"
holds 'only the row of the requested case is compared' grep -qE '^1 row: 1 (same|unclear)$' "$folder/out"
holds 'the other rows are counted as not requested' grep -qx '2 rows of suites latency, local: not asked for in this run' "$folder/out"
# shellcheck disable=SC2046 # a list of cases
"$bankline" model $(yes local/1 | head -n 200) --shape 8x2 --csv - 2>/dev/null >"$folder/long.csv"
holds 'a long list of requested cases is cut off' grep -qE ',--shape=8x2 local/1 .* local/1 \.\.\.,$' "$folder/long.csv"
holds 'the CSV records which cases were requested' sh -c "sed '1s/,asked_for,placement_ratios\$//; 2,\$s|,--quick global/1 local/1 latency/local-16K,[^,]*\$||' '$folder/then.csv' | awk -F, 'NF != 56 {exit 1}'"
# shellcheck disable=SC2016 # an awk program
holds 'the CSV records a ratio for each placement' awk -F, 'NR > 1 && $21 && split($NF, ratios, " ") != $42 {exit 1} END {exit NR < 3}' "$folder/then.csv"
expect 0 '2 rows: ' "$bankline" run --device portable --quick --quiet global/1 local/1 --shape 8x2 --compare "$folder/then.csv"
holds 'a row of another shape is new, and no row is missing' grep -qx '2 rows: 2 new' "$folder/out"
sed 's/^\([0-9]*\),[^,]*,/\1,earlier,/; /latency/{p; s/,16x1,/,999x1,/}' "$folder/then.csv" >"$folder/more.csv"
expect 1 '1 missing' "$bankline" run --device portable latency/local-16K --compare "$folder/more.csv"
"$bankline" run --device portable --quick global/1 --csv - --compare "$folder/then.csv" >"$folder/pipe.csv" 2>"$folder/err"
holds 'a CSV on standard output does not contain the comparison' [ "$(wc -l <"$folder/pipe.csv")" -eq 2 ]
holds 'the comparison goes to standard error' grep -q '^1 row: 1 ' "$folder/err"
sed '2,$s/,pthread[^,]*,/,another,/; 2,$s/,cpu-[^,]*,/,another,/' "$folder/then.csv" >"$folder/another.csv"
expect 2 "run was measured on 'another'" "$bankline" run --device portable --quick global/1 --compare "$folder/another.csv"
holds 'the other device is noticed before anything is measured' [ ! -s "$folder/out" ]
expect 4 'none.csv' "$bankline" run --device portable --quick global/1 --compare "$folder/none.csv"
expect 2 'same file' "$bankline" run --device portable --quick global/1 --compare "$folder/then.csv" --csv "$folder/then.csv"
expect 0 '1/16' "$bankline" list
expect 0 'get_global_id(0) * 17' "$bankline" model
expect 0 '8.00  1/8' "$bankline" model --machine nvidia-hopper local/6
expect 0 'no predictions' "$bankline" model --machine cpu
holds 'the reason is on a separate line' grep -q '^no predictions: a CPU' "$folder/out"

# `model` and `list` open no device, so their predictions may differ a little from those of a run. The output says by
# how much.
"$bankline" run --device portable --machine nvidia-hopper --quick --quiet global/2 local/5 --csv "$folder/2.csv" >/dev/null
"$bankline" model --machine nvidia-hopper global/2 local/5 --csv "$folder/model-2.csv" >"$folder/model-2"
"$bankline" run --device portable --machine nvidia-hopper --quick --quiet local/1 --csv "$folder/1.csv" >/dev/null
holds "a baseline's note says that the machine describes another device" grep -q 'baseline,.*the machine describes another device' "$folder/1.csv"
"$bankline" report "$folder/1.csv" -o "$folder/1.html"
holds "with another device's machine, the page shows no limit of a level" sh -c "grep -q '<ul class=.levels' '$folder/1.html' && ! grep -q 'of 128 B/clk' '$folder/1.html'"
predicted() { awk -F, 'NR > 1 {print $10, $14, $20}' "$1" | sort; } # FILE.csv: case, shape, prediction
nearly() {
    predicted "$folder/2.csv" >"$folder/2.run"
    predicted "$folder/model-2.csv" | join -j 1 - "$folder/2.run" |
        awk '$2 == $4 {n++; if ($3 - $5 > 0.003 * $5 || $5 - $3 > 0.003 * $5) bad = 1} END {exit n < 4 || bad}'
}
holds 'predictions differ by less than the output says' nearly
holds 'the possible difference is printed' grep -q 'its prediction differs by up to 0.3 %' "$folder/model-2"
expect 0 'its prediction differs by up to 0.3 %' "$bankline" list --machine nvidia-hopper global/2
holds 'no difference is mentioned if predictions are equal' sh -c "! '$bankline' list --machine intel-gen9 | grep -q 'may differ'"

# `model --requests` computes the cost of requests whose addresses are given.
requests() { printf '%b' "$1" | "$bankline" model --machine "${2:-nvidia-hopper}" --requests -; } # TEXT [MACHINE]
costs() { [ "$(requests "$1" | sed -n 2p | tr -s ' ')" = "$2" ]; }                               # TEXT LINE
holds 'reading three words of one bank takes 3 passes' costs 'bank = local read 4 0 128 0x100\n' 'bank 0 0 0 3 3'
holds 'a number that begins with 0 is decimal' costs 'bank = local read 04 0 0128 0X100\n' 'bank 0 0 0 3 3'
holds 'reading four lines of one tag bank takes 4 tag passes' costs 'tag = global read 4 0 644 1288 1932\n' 'tag 4 4 4 1 4'
holds 'an atomic of three lanes on one word takes 3 passes' costs 'same = local atomic 4 8 8 8\n' 'same 0 0 0 3 3'
holds 'writing two sectors of a line takes 2 clocks' costs 'wide = global write 16 0 16 32\n' 'wide 1 2 1 1 2'
expect 4 "1: x: 'private' is not global, local or constant" requests 'x = private read 4 0\n'
expect 4 "2: x: 'load' is not read, write or atomic" requests '#\nx = local load 4 0\n'
expect 4 "x: '17' is not a size from 1 to 16 bytes" requests 'x = local read 17 0\n'
expect 4 "x: '' is not a size from 1 to 16 bytes" requests 'x = local read\n'
expect 4 "x: '-1' is not an address" requests 'x = local read 4 8 -1\n'
expect 4 "x: '99999999999999999999' is not an address" requests 'x = local read 4 99999999999999999999\n'
expect 4 "x: '' is not read" requests 'x = local\n'
expect 4 "x: 'four' is not a size from 1 to 16 bytes" requests 'x = local read four 0\n'
expect 4 "x: '0' is not a size from 1 to 16 bytes" requests 'x = local read 0 0\n'
expect 4 "x: '8x' is not an address" requests 'x = constant atomic 4 8x\n'
expect 4 "x: '18446744073709551610' is not an address" requests 'x = global write 4 18446744073709551610\n'
expect 4 'x: more than 32 lanes, the maximum of a request on machine nvidia-hopper' \
    requests "x = local read 4$(printf ' 8%.0s' $(seq 33))\n"
holds 'the maximum number of lanes is accepted' requests "x = local read 4$(printf ' 8%.0s' $(seq 32))\n"
expect 4 'x: more than 16 lanes' requests "x = local read 4$(printf ' 8%.0s' $(seq 17))\n" intel-gen9
expect 4 'address 2 is misaligned: an access of 4 bytes must begin at a multiple of 4' \
    requests 'x = local read 4 0 2\n'
expect 4 'address 8 is misaligned' requests 'x = global write 16 0 8\n'
holds 'an access of three ints needs the alignment of one' requests 'x = global read 12 0 12 24\n'
expect 4 '2: y: no address' requests 'x = local read 4 0\ny = local read 4\n'
holds 'if a line of the file is wrong, no results are printed' [ ! -s "$folder/out" ]
expect 4 'x: no address' requests 'x = local read 4\n'
expect 4 'x: more than 32 lanes' requests "x = local read 4 $(seq -s ' ' 129)\\n"
expect 4 'has no request; a line is' requests '\n'
expect 2 'machine cpu has no rule for this request' requests 'x = local read 4 0\n' cpu
expect 4 "'18446744073709551614' is not an address" requests 'a = global read 4 18446744073709551614\n'
expect 2 'so cases and files of rows cannot be given' "$bankline" model local --requests /dev/null
expect 2 'so cases and files of rows cannot be given' "$bankline" model --csv /dev/null --requests /dev/null
expect 0 'machine   cpu' "$bankline" devices
holds 'devices --json prints JSON, or there is a reason' sh -c \
    "'$bankline' devices --json 2>&1 | grep -qE '\"machine\": \"cpu\"|built without jansson'"
holds 'completion offers devices' sh -c "'$bankline' completion words -- run --device '' | grep -q '^0:0.'"
expect 0 'Exit status' "$bankline" --help
expect 0 'bankline 0.' "$bankline" --version
expect 0 '' env LC_ALL=de_DE.UTF-8 "$bankline" model --csv "$folder/german.csv"
expect 0 '' env LC_ALL=C "$bankline" model --csv "$folder/plain.csv"
holds 'a locale does not change the CSV' sh -c \
    "cut -d, -f9- '$folder/german.csv' >'$folder/a'; cut -d, -f9- '$folder/plain.csv' |
     cmp '$folder/a' -"

# A machine from a file is used for any device. If a built-in machine is not the device's, its predictions are not
# compared with measurements.
"$bankline" model --show-machine nvidia-hopper >"$folder/own.machine"
expect 0 "no-rule         5.0  the machine describes another device" "$bankline" run --device portable --quick --shape 16x1 \
    --machine nvidia-hopper global/6

# On a terminal, the output has a progress line, and colour unless NO_COLOR is set. In a file, it has neither.
if has_terminals; then
    terminal() { env "$1" script -qec "$2" /dev/null; }
    measured="'$bankline' run --device portable --quick --shape 16x1 --machine $folder/own.machine global/1 global/5"
    expect 0 '[1/2] 0:00 elapsed: global/1 16x1' terminal A=b "$measured"
    holds 'verdicts have colours' grep -q "$(printf '\033\[3[123]m')" "$folder/out"
    expect 0 '2 rows' terminal NO_COLOR=1 "$measured"
    holds 'NO_COLOR prints no colours' sh -c "! grep -q \"\$(printf '\\033\\[3[123]m')\" '$folder/out'"
    expect 0 '2 rows' terminal TERM=dumb "$measured"
    holds 'a dumb terminal gets no escape sequences' sh -c "! grep -q \"\$(printf '\\033')\" '$folder/out'"
fi
expect 0 '2 rows' "$bankline" run --device portable --quick --shape 16x1 --machine nvidia-hopper global/1 global/5
holds 'a file has no colours' sh -c "! grep -q \"\$(printf '\\033')\" '$folder/out' '$folder/err'"

# If the process may use only some of the processors, PoCL's threads must not be pinned, and the run must succeed.
if command -v taskset >/dev/null && [ "$(nproc)" -gt 1 ]; then
    expect 0 '1 row' taskset -c "$(taskset -pc $$ | sed 's/.*[ ,-]//')" "$bankline" run --device portable \
        --quick --shape 16x1 global/1
fi
expect 1 'refuted' "$bankline" run --device portable --quick --strict --shape 16x1 --machine "$folder/own.machine" \
    global/1 global/6

# Wrong arguments.
expect 2 "'measure'" "$bankline" measure
expect 2 "'locale/9'" "$bankline" run locale/9
expect 2 "'gen12'; there are amd, amd-cdna2, amd-cdna3" "$bankline" list --machine gen12
expect 2 "'locale/9'" "$bankline" list locale/9
expect 2 "'locale/9'" "$bankline" model locale/9
expect 0 '1/16' "$bankline" list --machine nvidia-hopper 'local/*'
expect 2 "'gen12'; there are amd, amd-cdna2, amd-cdna3" "$bankline" run --machine gen12
expect 2 'such as 8x2' "$bankline" run --shape 8by2
expect 2 'at most' "$bankline" run --device portable --shape 65536x65536
expect 3 "no device matches '5'" "$bankline" run --device 5 local/1
expect 3 "no device matches 'voodoo'" "$bankline" run --device voodoo
expect 4 'No such file' "$bankline" run --csv "$folder/none/x.csv"
expect 4 'none' "$bankline" run --kernel-dir "$folder/none"
mkdir "$folder/readonly"
: >"$folder/file"
expect 4 'cannot make the folder' "$bankline" run --results "$folder/file/sub"
long=$(printf '%4200s' '' | tr ' ' x)
expect 4 'too long' "$bankline" run --device portable --quick global/1 --results "$long"
expect 4 'too long' "$bankline" run --device portable --quick global/1 --csv "$long"
expect 4 '' "$bankline" run --device portable --quick global/1 --kernel-dir "$long"
expect 0 '1 row' sh -c "cd '$folder' && '$bankline' run --device portable --quick global/1 --markdown here.md"
holds 'a document can be written to the current folder' [ -s "$folder/here.md" ]

# There is no driver; or there is a driver, but no device.
expect 3 'no OpenCL platform' env OCL_ICD_VENDORS="$folder/readonly" "$bankline" run
expect 3 'but no device' env OPENCL_LAYERS="$no_devices" "$bankline" run
holds 'the layer is loaded' grep -q 'layer: no devices' "$folder/err"

# Pretends that the device has the properties that the drivers of other devices report.
device() { # DESCRIPTION ARGUMENTS...: runs the program on such a device
    described=$1
    shift
    env OPENCL_LAYERS="$pretend" BANKLINE_TEST_PRETEND="$described" "$bankline" "$@"
}
nvidia='vendor=0x10de type=4' any_intel='vendor=0x8086 type=4'
intel="$any_intel ip=0x02400009" # generation 9, which the guides describe
expect 0 'machine   nvidia-other' device "$nvidia warp=32" devices
expect 0 'machine   nvidia-hopper' device "$nvidia warp=32 capability=90" devices
expect 0 'machine   nvidia-ampere' device "$nvidia warp=32 capability=80" devices
expect 0 'machine   nvidia-ga10x' device "$nvidia warp=32 capability=86" devices
holds 'the layer is loaded' grep -q 'layer: pretend' "$folder/err"
holds 'a GPU is listed as a GPU' grep -q 'device    GPU' "$folder/out"
holds "no warning is printed if the driver reports the machine's lanes" sh -c "! grep -q 'the driver reports' '$folder/out'"
expect 0 'the machine has 32 lanes, but the driver reports 64' device "$nvidia warp=64" devices
expect 0 'predictions by machine nvidia-other' device "$nvidia warp=32" run --quick --shape 16x1 local/1 local/6
expect 0 'machine   intel-gen9' device "$intel slices=3 sub_group=16" devices
holds 'the output does not say that the banks are not published' sh -c "! grep -q 'nobody has published' '$folder/out'"
expect 0 'machine   intel-gen9' device "$intel slices=0" devices
expect 0 'Machine amd has no rule for such accesses of global memory: nobody has published' \
    "$bankline" try 'get_global_id(0)' --machine amd --model-only
expect 0 'Machine amd-cdna3 has no rule for such accesses of local memory.' \
    "$bankline" try 'get_local_id(0)' --memory local --type int4 --machine amd-cdna3 --model-only
expect 0 'machine   intel-xe-lp' device "$any_intel ip=0x03000000" devices
holds 'the output says that the banks are not published' grep -q 'nobody has published the banks of this GPU' "$folder/out"
expect 0 'machine   intel-xe-lp' device "$any_intel ip=0x000c0000" devices # the version that older drivers report
expect 0 'machine   intel-xe-hpg' device "$any_intel ip=0x000c0701" devices
expect 0 'machine   intel-xe-hpg' device "$any_intel id=0x56a0" devices
expect 0 'machine   intel-xe2' device "$any_intel ip=0x05004000 id=0x56a0" devices # the version is used before the id
expect 0 'machine   intel-other' device "$any_intel ip=0x07800004" devices
holds 'the output says why there are no predictions' grep -q 'no predictions: nobody has published the lines' "$folder/out"
expect 0 'machine   intel-other' device "$any_intel" devices
expect 0 'machine   amd: AMD GPUs' device 'vendor=0x1002 type=4' devices
expect 0 'machine   amd-rdna2' device 'vendor=0x1002 type=4 gfx=0x0a03' devices
expect 0 'machine   unknown' device 'vendor=0x5143 type=4' devices
expect 0 'device    other' device 'type=8' devices
expect 0 '0:63' device 'devices=1000' devices

# `bankline machines` lists the machines, and the evidence on which they are based.
expect 0 'NVIDIA GPUs of compute capability 9.0 ' "$bankline" machines
expect 0 'AMD GPUs named gfx90a, aldebaran, MI210, ...  ' "$bankline" machines
expect 0 'Intel GPUs of version 8.0, 9.0-9.9; else by PCI id; else by name ' "$bankline" machines
holds 'titles are aligned in one column' [ "$(awk 'NR == 1 { at = index($0, "title") } /^(amd|intel)-/ && substr($0, at - 2, 2) != "  "' "$folder/out" | wc -l)" -eq 0 ]
holds 'every machine has a line' [ "$(grep -c '^[a-z]*[a-z0-9-]*  *\(measured here\|published\|documents\|hypotheses\)' "$folder/out")" -ge 20 ]
holds "a generation's line says how it is chosen" grep -q 'intel-xe2 .*Intel GPUs of version 20.1-20.4; else by PCI id; else by name' "$folder/out"
holds "the line of a vendor's other GPUs says that it is for any other generation" grep -q 'intel-other .*Intel GPUs of any other generation' "$folder/out"
if "$bankline" machines --json >"$folder/machines.json" 2>"$folder/err"; then
    holds 'JSON has all machines' python3 - "$folder/machines.json" <<'END'
import json, sys
machines = {machine["name"]: machine for machine in json.load(open(sys.argv[1]))["machines"]}
hpg = machines["intel-xe-hpg"]
assert hpg["vendors"] == ["0x8086"] and "12.55-12.57" in hpg["ip_versions"] and "(DG2" in hpg["names"]
assert "65x8" in hpg["banks_alternatives"] and hpg["rests_on"] == ["documents", "hypotheses"]
assert machines["nvidia-hopper"]["capability_min"] == 90 and machines["nvidia-hopper"]["rests_on"] == ["measured here"]
assert machines["intel-gen9"]["banks_alternatives"] == [] and not machines["intel-other"]["has_rule"]
END
else
    holds 'if JSON is not available, the message says why' grep -q 'built without jansson' "$folder/err"
fi

# The program requests sub-groups of the machine's number of lanes, but a driver may use sub-groups of another size. The
# size that the driver uses determines the row's prediction.
in_sub_groups() { # DESCRIPTION LANES,CLAIM,LINES,BANK_PASSES,PREDICTED: checks the columns of a row
    expect 0 'predictions by' device "$intel $1" run --quick --shape 16x1 local/6 --csv "$folder/lanes.csv"
    holds "with $1 the row is $2" sh -c "cut -d, -f15,17-20 '$folder/lanes.csv' | tail -n 1 | grep -qxF '$2'"
}
in_sub_groups 'sub_group=16' 16,0.0625,,16,0.0625
in_sub_groups 'sub_group=16 runs=16' 16,0.0625,,16,0.0625
in_sub_groups 'sub_group=16 runs=32' 16,0.0625,,16,0.0625 # an instruction of 32 lanes is two requests of 16
in_sub_groups 'sub_group=16 runs=8' 8,,,8,0.125
holds 'the note gives the sub-group size' grep -q 'the driver runs it in sub-groups of 8, but the machine has 16 lanes' "$folder/lanes.csv"
in_sub_groups 'runs=8' 8,,,8,0.125
expect 0 'predictions by' device "$intel runs=24" run --quick --shape 48x1 local/6 --csv "$folder/lanes.csv"
holds 'a row without a rule has a reason' grep -q ',no-rule,.*sub-groups of 24.*no rule for such sub-groups' "$folder/lanes.csv"
expect 0 'predictions by' device 'runs=8 sub_group=16' run --quick --shape 16x1 local/6 --csv "$folder/lanes.csv"
holds 'sub-groups are not queried on a CPU' sh -c "! grep -q 'sub-groups' '$folder/lanes.csv'"
expect 0 'sub-groups of 8' device "$intel runs=8" try 'get_local_id(0) * 4' --memory local --csv "$folder/lanes.csv"
holds 'the prediction for an expression is adapted, too' sh -c "cut -d, -f15,17-20 '$folder/lanes.csv' | tail -n 1 | grep -qxF '8,,,2,0.5'"
expect 0 'sub-groups of 24' device "$intel runs=24" try 'get_global_id(0)' --level cache --shape 48x1 --csv "$folder/lanes.csv"
holds 'an expression without a rule has a reason' grep -q ',no-rule,.*no rule for such sub-groups' "$folder/lanes.csv"

# Each vendor's driver reports a card's id in its own way. If cards in different hosts may have the same id, bankline
# appends the host's name.
card() { # DESCRIPTION CARD DEVICE_ID: checks the printed card, and the row's device_id
    expect 0 "card      $2" device "$1" devices
    expect 0 'predictions by' device "$1" run --quick --shape 16x1 local/1 --csv "$folder/card.csv" --results "$folder/cards"
    holds "device_id is $3" sh -c "cut -d, -f44 '$folder/card.csv' | tail -n 1 | grep -qxF '$3'"
}
card "$nvidia uuid=0xAB02030405060708" ab020304-0506-0708-0000-000000000000 ab020304-0506-0708-0000-000000000000
holds 'each card has a separate folder' sh -c "ls '$folder'/cards/*-ab020304-0506-0708-0000-000000000000/*.csv"
expect 0 'predictions by' device "$nvidia uuid=0xAB02030405060708 devices=1" run --device AB020304 --quick --shape 16x1 local/1
here=$(uname -n | cut -c 1-23)
card "$intel uuid=0x8680020304050607" 86800203-0405-0607-0000-000000000000 "86800203-0405-0607-0000-000000000000@$here"
card "$intel pci=0x00018402" 0001:84:00.2 "0001:84:00.2@$here"
card "$nvidia nv_pci=0x00021712" 0002:17:01.2 "0002:17:01.2@$here"
card 'vendor=0x1002 type=4 amd_pci=0x8311' 0000:83:01.1 "0000:83:01.1@$here"
expect 0 'card      0001:84:00.2' device "$intel uuid=0 pci=0x00018402" devices
holds 'without an id from the driver no card is printed' sh -c "! device '$nvidia' devices | grep -q card"
expect 2 "'portable' matches 2 devices" device 'devices=2' run --device portable local/1

# If the device's clock is wrong, the row has no number. tests/torture/lies.py tests more kinds of wrong clocks.
lie() { # STATUS REASON CLOCK: checks the row that is measured with this wrong clock
    expect 0 "$1: $2" env BANKLINE_TEST_CLOCK="$3" BANKLINE_TEST_ROUND_NS=1000000 "$bankline" run \
        --device portable --quick --machine nvidia-hopper local/1 --shape 16x1 --csv "$folder/lie.csv"
holds 'the layer is loaded' grep -q 'layer: clock' "$folder/err"
    holds "a $1 row has no number" grep -q ",,,,$1,.*,,,,[0-9]*,[0-9.]*,,,[0-9.]*,Linux" "$folder/lie.csv"
}
lie bad-clock 'an event starts and ends at the same time' zero
lie bad-clock 'an event ends' reverse
lie bad-clock 'an event took' slow
lie bad-clock '' fast

expect 4 'No space left' "$bankline" run --device portable --quick global/1 --csv /dev/full
expect 4 'No space left' sh -c "'$bankline' list >/dev/full"

# A compiler's messages about a kernel begin on a new line, and are not mixed with the progress line.
if has_terminals; then
    mkdir "$folder/warns"
    cp "$(dirname "$0")"/../kernels/*.cl "$(dirname "$0")"/../kernels/*.h "$folder/warns"
    echo '#warning seen' >>"$folder/warns/patterns.h"
    script -qec "'$bankline' run --device portable --quick --kernel-dir '$folder/warns' local/1" /dev/null >"$folder/warned"
    if grep -q generated "$folder/warned"; then
        holds 'progress is removed before a warning' sh -c "! tr '\\r' '\\n' <'$folder/warned' | grep -q 'elapsed.*generated'"
        holds 'progress is shown again after a warning' sh -c "tr '\\r' '\\n' <'$folder/warned' | grep -A5 generated | grep -q elapsed"
    fi
fi

# If a kernel cannot be built, its log is printed, the other rows are measured, and the CSV is complete.
mkdir "$folder/kernels"
cp "$(dirname "$0")"/../kernels/*.cl "$(dirname "$0")"/../kernels/*.h "$folder/kernels"
sed -i 's/sum += .*/sum += no_such_name;/' "$folder/kernels/local.cl"
expect 3 'no_such_name' "$bankline" run --device portable --quick --kernel-dir "$folder/kernels" \
    global/1 local/1 shape/row --csv "$folder/broken.csv"
holds 'the log names file and line' grep -q 'local.cl:[0-9]*:' "$folder/err"
holds 'the failed row says why' grep -q ',error,.*does not build' "$folder/broken.csv"
holds 'the other rows are kept' [ "$(rows "$folder/broken.csv")" -eq 3 ]

# If a kernel computes wrong values, its row has no number, and the run fails under --strict.
cp "$(dirname "$0")"/../kernels/local.cl "$folder/kernels"
sed -i 's/uint sum = 0;/uint sum = 1;/' "$folder/kernels/local.cl"
expect 0 'wrong-result: output 0' "$bankline" run --device portable --quick \
    --kernel-dir "$folder/kernels" local/1 --csv "$folder/wrong.csv"
holds 'a wrong row has no number' grep -q ',,,,,wrong-result,.*,,,,,[0-9.e-]*,,,[0-9.]*,Linux' "$folder/wrong.csv"
expect 1 'wrong-result' "$bankline" run --device portable --quick --strict \
    --kernel-dir "$folder/kernels" local/1

# If a driver refuses a launch, the reason names the kernel, the request and what to try.
cp "$(dirname "$0")"/../kernels/local.cl "$folder/kernels"
sed -i 's/^__kernel/__attribute__((reqd_work_group_size(8, 1, 1))) __kernel/' \
    "$folder/kernels/local.cl"
expect 3 'CL_INVALID_WORK_GROUP_SIZE' "$bankline" run --device portable --quick \
    --kernel-dir "$folder/kernels" local/1
holds 'the reason names the kernel, the request and what to try' \
    grep -q 'local.cl, read_pattern .* groups of 16x1 (try fewer' "$folder/err"
expect 0 'needs 49156 bytes of local memory, and a group has at most 49152; the driver says: ' \
    device 'local=49152' run --device portable --quick local-size/one-more local-size/512-an-item-128
holds 'the reason quotes the driver' grep -q 'failed: CL_OUT_OF_RESOURCES' "$folder/out"
holds 'a group that is too large is refused, too' grep -q 'needs 65536 bytes of local memory' "$folder/out"
expect 0 '2 rows: 2 no-rule' device 'local=49152' run --device portable --quick \
    local-size/whole local-size/512-an-item-64

# If a row measures local memory, its kernel must use local memory. The kernels of other rows must use none.
expect 3 'error: it measures local memory, but the driver says that kernel read_pattern uses none' \
    device 'kernel_local=0' run --device portable --quick local/1
expect 3 'kernel read_pattern uses 64 bytes of local memory' \
    device 'kernel_local=64' run --device portable --quick global/1

finish
