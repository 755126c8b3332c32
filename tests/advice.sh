#!/bin/sh
# Tests scripts/check-advice, which compares the layout that `bankline trace` advises for a tile of local memory with
# all alternative layouts: advice.sh BANKLINE RUN_KERNEL SOURCE. One tile is timed; all other costs are the model's.
set -u
case $1 in /*) bankline=$1 ;; *) bankline=$PWD/$1 ;; esac
case $2 in /*) run_kernel=$2 ;; *) run_kernel=$PWD/$2 ;; esac
check=$3/scripts/check-advice
seed=${BANKLINE_TEST_SEED:-7}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# shellcheck source=tests/checks.sh
. "$(dirname "$0")/checks.sh"
cd "$folder" || exit 1
echo "seed $seed"

expect 0 'best alternative for 3 of 3 tiles, and slower than no advice for 0.' \
    "$check" "$bankline" "$run_kernel" --tiles 3 --seed "$seed" --machine nvidia-hopper --model-only --csv costs.csv
holds 'the cost of each alternative is written to the CSV' \
    [ "$(grep -c '^[123],.*,1,.*' costs.csv)" -ge 3 ]
holds "the CSV has the advised layout's cost" grep -q '^3,.*,0,rows of .*,i + i / ' costs.csv
expect 0 'best alternative for 2 of 2 tiles, and slower than no advice for 0.' \
    "$check" "$bankline" "$run_kernel" --tiles 2 --seed "$seed" --machine intel-gen9 --model-only

# The check must fail if the program gives no advice, or bad advice. This substitute for the program replaces the
# advised index by $ADVICE.
cat >substitute <<END
#!/bin/sh
'$bankline' "\$@" || exit
while [ "\$1" != --json ]; do shift; done
sed -i 's:"expression"\: "[^"]*":"expression"\: "'"\$ADVICE"'":; s:"swaps_ids"\: true:"swaps_ids"\: false:' "\$2"
END
chmod +x substitute
expect 1 'for 0 of 1 tiles' \
    env ADVICE=i "$check" ./substitute "$run_kernel" --tiles 1 --seed 1 --machine nvidia-hopper --model-only
expect 1 'slower than no advice for 1.' \
    env ADVICE='i * 8' "$check" ./substitute "$run_kernel" --tiles 1 --seed 10 --machine nvidia-hopper --model-only
expect 3 'the alternatives compute different sums' \
    env ADVICE='i % 32' "$check" ./substitute "$run_kernel" --tiles 1 --seed 1 --machine nvidia-hopper --model-only
expect 3 "unexpected index 'import os'" \
    env ADVICE='import os' "$check" ./substitute "$run_kernel" --tiles 1 --seed 1 --machine nvidia-hopper --model-only

# A tile is timed on the device that the tests use. Any layout may be the fastest there.
holds 'a tile is timed on the device' sh -c "'$check' '$bankline' '$run_kernel' --tiles 1 --seed 1 --machine nvidia-hopper --any-device |
    grep -q 'best alternative for [01] of 1 tiles'"
expect 3 'the alternatives compute different sums' \
    env ADVICE='i % 32' "$check" ./substitute "$run_kernel" --tiles 1 --seed 1 --machine nvidia-hopper --any-device
expect 2 'not allowed with argument' "$check" "$bankline" "$run_kernel" --model-only --any-device

expect 2 'expected an integer from 1' "$check" "$bankline" "$run_kernel" --tiles 0
expect 2 'required: run_kernel' "$check" "$bankline"
finish
