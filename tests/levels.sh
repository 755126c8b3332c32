#!/bin/sh
# Tests `bankline try --level`, which measures at the levels of memory (L1, L2, memory): levels.sh BANKLINE CLOCK_LAYER
set -u
case $1 in /*) program=$1 ;; *) program=$PWD/$1 ;; esac
clock=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# shellcheck source=tests/checks.sh
. "$(dirname "$0")/checks.sh"
known_time "$program" "$clock"
bankline=$folder/known

try() { "$bankline" try --device portable --quick "$@"; }

# Checks that the kernels compute the right sums for several types and shapes, and that every level has a row. The
# machine is for the CPU, and its working sets are small.
model_file=$folder/small.machine
"$bankline" model --show-machine nvidia-hopper | sed 's/^name = .*/name = small/; s/^formerly = .*/formerly =/; s/^device_type = .*/device_type = cpu/;
    s/^l2_working_set_mib = .*/l2_working_set_mib = 1/; s/^memory_working_set_mib = .*/memory_working_set_mib = 4/' \
    >"$model_file"
levels() { try --machine "$model_file" --seconds 0.01 "$@"; }
right() { # SENTENCE [OPTION or EXPR...]: checks that `try` prints SENTENCE, and that no row has a wrong result
    sentence=$1
    shift
    expect 0 "$sentence" levels "$@"
    holds "right sums: $*" [ "$(grep -c wrong-result "$folder/out")" -eq 0 ]
}
right '3 rows: ' 'get_global_id(0) * 3' --csv "$folder/levels.csv"
holds 'every level has a row' [ "$(cut -d, -f 45 "$folder/levels.csv" | tr '\n' ' ')" = 'level L1 L2 memory ' ]
right '2 rows: ' 'get_global_id(0) + 5' '(get_global_id(0) * 37) % 1000' --type uchar --level L2
right '1 row: ' 'get_global_id(1) * 40 + get_global_id(0)' --shape 4x4 --type int4 --level Memory
right '1 row: ' 'get_global_id(0) * 7 + 3' --shape 24x1 --groups 3 --level l2
right '1 row: ' 'get_global_id(0)' --shape 512x1 --level L2
right '1 row: ' 'get_global_id(0) * 32' --groups 16 --level L2 # a single block of tiles
right '1 row: ' 'get_local_id(0)' --memory local --level cache
expect 0 '1 row: ' try --machine nvidia-hopper --seconds 0.01 'get_global_id(0)'
# The working set is 1 GiB of cache lines, of which each element uses one. Elements that are 800,000 bytes apart would
# then span more than 1 TiB, and no test host has so much memory.
sed 's/^memory_working_set_mib = .*/memory_working_set_mib = 1024/' "$model_file" >"$folder/large.machine"
expect 0 'memory cannot hold enough copies of them' try --machine "$folder/large.machine" --seconds 0.01 \
    'get_global_id(0) * 200000' --level memory
expect 0 'more bytes than the working set of this level has' levels 'get_global_id(0) * 32' --groups 2048 --level L2
expect 0 'range over more than' levels 'get_global_id(0)' --groups 100000 --level L2
expect 2 'divides by zero' levels 'get_global_id(0) / 0' 'get_global_id(0)' --level L2 --csv "$folder/failed.csv"
holds 'a failed expression has a row' [ "$(wc -l <"$folder/failed.csv")" -eq 3 ]
expect 2 '--level L7: machine small has the levels L1, L2, memory' levels 'get_global_id(0)' --level L7
right '3 rows: ' 'get_global_id(0) * 2' --write --csv "$folder/writes.csv"
holds 'the rows of writes beyond L1 have predictions' [ "$(cut -d, -f 20 "$folder/writes.csv" | grep -c .)" -eq 3 ]
holds 'the row of writes to L1 says that it has no rule' grep -q 'the next levels have rules for writes' "$folder/writes.csv"
grep -v '_write_' "$model_file" >"$folder/unwritten.machine"
expect 0 '2 no-rule' try --machine "$folder/unwritten.machine" --seconds 0.01 'get_global_id(0) * 3' --write
holds 'the rows say that there is no rule' grep -q 'there is no rule for writes at this level' "$folder/out"
right '2 rows: ' 'get_global_id(0) + 5' 'get_global_id(0) / 3 * 7' --type uchar4 --write --level L2
right '1 row: ' 'get_global_id(1) * 40 + get_global_id(0)' --shape 4x4 --type short --write --level memory
right '1 row: ' 'get_global_id(0) * 32' --groups 16 --write --level L2 # a single block of tiles
expect 2 '--level L2: only global memory has this level' levels 'get_local_id(0)' --memory local --level L2
expect 2 '--level L2: its cost is measured' levels 'get_global_id(0)' --model-only --level L2

finish
