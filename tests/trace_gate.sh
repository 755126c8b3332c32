#!/bin/sh
# Compares a program before and after a change, with `bankline trace --save` and `--against`:
# trace_gate.sh BANKLINE PLUGIN RUN_KERNEL SOURCE
set -u
case $1 in /*) bankline=$1 ;; *) bankline=$PWD/$1 ;; esac
case $3 in /*) run_kernel=$3 ;; *) run_kernel=$PWD/$3 ;; esac
source=$4
kernels=$source/tests/trace/kernels
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# shellcheck source=tests/checks.sh
. "$(dirname "$0")/checks.sh"
cd "$folder" || exit 1
trace() { "$bankline" trace "$@"; }
padded() { trace --machine nvidia-hopper "$@" -- "$run_kernel" "$kernels" transpose_padded; }

# Invalid arguments are reported before the program runs.
expect 2 '--junit needs --against' trace --junit x.xml -- true
expect 2 '--against is missing' trace --threshold 5% -- true
expect 2 'chooses the traced groups by time' trace --save x.trace --budget 5 -- true
expect 2 'prints only what changed, so --replay' trace --against x.trace --time -- true
expect 4 'cannot read no-such.trace' trace --against no-such.trace -- true
expect 4 'is empty' trace --against /dev/null -- true
echo 'lanes = 32' >some.machine
expect 4 "not a trace that 'trace --save' wrote" trace --against some.machine -- true

# If the same program is traced from another folder, the saved trace is identical, byte by byte.
expect 0 'transpose_padded' padded --save one.trace --bencher one.json
holds 'the Bencher file has the clocks of the kernel' sh -c "tr -d ' \n' <one.json | grep -q '{\"transpose_padded\":{\"clocks\":{\"value\":896.0}'"
mkdir elsewhere
(cd elsewhere && cp -r "$kernels" . && trace --machine nvidia-hopper --save ../two.trace -- "$run_kernel" kernels transpose_padded) >out 2>&1
holds 'two saves are identical' cmp one.trace two.trace
expect 0 '1 kernel: 1 same; threshold 2 %' padded --against one.trace
expect 2 'are the same file' padded --against one.trace --save one.trace
holds 'nothing is reported about a program that did not run' [ "$(wc -l <err)" -eq 1 ]

# If the folder's name has a blank, the layer that chooses group sizes cannot be preloaded.
mkdir -p 'with blank/trace'
cp "$bankline" 'with blank/'
cp "$(dirname "$bankline")"/trace/*.so 'with blank/trace/'
own=$bankline bankline="$folder/with blank/bankline"
expect 2 'local-size=0' padded --against one.trace
bankline=$own
holds 'the missing group sizes are reported' grep -q "gets Oclgrind's group sizes, not the machine's" err

# Without padding, the kernel takes more clocks. The comparison finds this even if the kernel has another name. It uses
# the machine of the saved trace.
expect 1 'tile transpose_tiled.cl:16:43 local read' trace --against one.trace --csv c.csv --json c.json --junit c.xml --markdown c.md \
    --bencher c.bmf --save new.trace -- "$run_kernel" "$kernels" transpose_tiled
expect 1 'bank passes 1 -> 32' trace --against one.trace -- "$run_kernel" "$kernels" transpose_tiled
expect 1 'was transpose_padded' trace --against one.trace -- "$run_kernel" "$kernels" transpose_tiled
expect 1 'bankline: 1 dearer, 0 missing' trace --against one.trace -- "$run_kernel" "$kernels" transpose_tiled
holds 'all documents are written' [ -s c.csv -a -s c.json -a -s c.xml -a -s c.md -a -s c.bmf -a -s new.trace ]
holds 'the CSV has the worst access first' sh -c "sed -n 3p c.csv | grep -q ',tile,local,read,12,tile,dearer,31,'"
holds 'JUnit has a failure' grep -q 'failures="1"' c.xml
expect 0 '1 cheaper' padded --against new.trace
expect 0 'threshold 99 %' trace --against new.trace --threshold 99% -- "$run_kernel" "$kernels" transpose_tiled
mkdir renamed
sed 's/transpose_padded/moved/' "$kernels/transpose_padded.cl" >renamed/transpose_padded.cl
expect 0 'was transpose_padded' trace --against one.trace -- "$run_kernel" renamed transpose_padded=moved

# If the banks are unknown, a tile without padding has no known cost. The lack of a cost must not count as cheaper.
expect 0 'transpose_padded' trace --machine intel-xe-hpg --save xe.trace -- "$run_kernel" "$kernels" transpose_padded
expect 1 'some accesses have lost their rule' trace --against xe.trace --junit xe.xml -- "$run_kernel" "$kernels" transpose_tiled
holds 'the table shows the access that lost its rule' grep -q 'tile transpose_tiled.cl:16:43 local read .* no-rule .*no rule for it now' out
holds 'JUnit has a failure' grep -q 'local read: the machine has no rule for it now' xe.xml

# Kernels that are new, and kernels that disappeared.
both() { trace "$@" -- sh -c "'$run_kernel' '$kernels' transpose_padded && '$run_kernel' '$kernels' scan"; }
expect 0 '1 new' both --machine nvidia-hopper --against one.trace --save both.trace
expect 1 '1 missing' padded --against both.trace

# If a program failed, it may not have run all of its kernels, even if its trace is complete.
expect 3 'the program ended with status 5, and with 0 in the saved trace; kernels that did not run cannot' trace --against one.trace --csv failed.csv -- \
    sh -c "'$run_kernel' '$kernels' transpose_padded; exit 5"
holds 'no result is written' [ ! -e failed.csv ]
failing() { trace "$@" -- sh -c "'$run_kernel' '$kernels' transpose_padded; exit 5"; }
failing --machine nvidia-hopper --save failing.trace >out 2>err
expect 0 '1 same' failing --machine nvidia-hopper --against failing.trace # status 5 in both runs
expect 0 'transpose_padded' trace --machine nvidia-hopper -- sh -c "'$run_kernel' '$kernels' transpose_padded; exit 5"

# Traces with other settings, and incomplete traces, are not compared.
expect 2 "for machine 'nvidia-hopper', but the new trace is for 'intel-gen9'" trace --machine intel-gen9 --against one.trace -- touch started
holds 'with another machine, the program is not started' [ ! -e started ]
expect 2 "'sample=all;optimization=z;limit=1000000;local-size=256'" padded --sample all --against one.trace
"$bankline" model --show-machine nvidia-hopper >own.machine
expect 0 '1 same' trace --machine own.machine --against one.trace -- "$run_kernel" "$kernels" transpose_padded
sed 's/nvidia-hopper/mine/; s/^line_bytes = .*/line_bytes = 64/' own.machine >mine.machine
sed 's/nvidia-hopper/mine/' own.machine >other.machine
expect 0 'mine' trace --machine mine.machine --save mine.trace -- "$run_kernel" "$kernels" transpose_padded
expect 2 "another description of machine 'mine': save it again" trace --machine other.machine --against mine.trace -- touch started
holds 'with another description, the program is not started' [ ! -e started ]
expect 2 'which was read from a file' trace --against mine.trace -- "$run_kernel" "$kernels" transpose_padded
expect 2 'no rule for any' sh -c "'$bankline' trace --machine cpu --save cpu.trace -- '$run_kernel' '$kernels' scan && '$bankline' trace --against cpu.trace -- '$run_kernel' '$kernels' scan"
cp one.trace kept.trace
expect 3 'neither saved nor compared' trace --machine nvidia-hopper --save kept.trace -- sh -c "'$run_kernel' '$kernels' scan; kill -9 \$\$"
holds 'the old file is unchanged' cmp one.trace kept.trace
sed 's/ 128 / 127 /' one.trace >damaged.trace
expect 4 'the file was changed or damaged' padded --against damaged.trace
ln -s /dev/full full
expect 4 'No space left' padded --save full

# Some of the edits that scripts/check-gate tests.
seed=${BANKLINE_TEST_SEED:-$(date +%s)}
echo "seed $seed"
expect 0 '| all | 6 | 6 |' "$source/scripts/check-gate" "$bankline" "$run_kernel" --regressions 6 --neutral 24 --seed "$seed" --jobs 2
holds 'no neutral edit raises an alarm' grep -q '^| all | 24 | 0 |$' out
cat out

finish
