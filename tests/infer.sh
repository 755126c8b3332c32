#!/bin/sh
# Tests `bankline infer` on the command line: infer.sh BANKLINE PRETEND_LAYER FAULT_LAYER CLOCK_LAYER
set -u
case $1 in /*) bankline=$1 ;; *) bankline=$PWD/$1 ;; esac
case $2 in /*) pretend=$2 ;; *) pretend=$PWD/$2 ;; esac
case $3 in /*) fault_layer=$3 ;; *) fault_layer=$PWD/$3 ;; esac
case $4 in /*) clock=$4 ;; *) clock=$PWD/$4 ;; esac
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# shellcheck source=tests/checks.sh
. "$(dirname "$0")/checks.sh"

infer() { "$bankline" infer --device portable --quick "$@"; }

# Impossible arguments are rejected before anything is measured.
expect 2 'are the same file' infer --csv "$folder/x" --json "$folder/x"
expect 4 'cannot' infer --save "$folder/no/such/folder.machine"
expect 2 "unknown option '--frobnicate'" infer --frobnicate
expect 2 'expected an integer' infer --seed 0
expect 3 'no device' "$bankline" infer --device 'no such device'

# With simulated clocks (layers/clock.c), the time of a launch depends only on the number of iterations of its loop, and
# not on its accesses. So the device follows no rule. Even if the device pretends to be a GPU for which the model has
# rules, `infer` must not report any of these rules.
known() { OPENCL_LAYERS="$1" LD_PRELOAD="$clock" BANKLINE_TEST_CLOCK=honest timeout 300 "$bankline" infer \
    --device portable --quick --seed 5 --save "$folder/own.machine" --csv "$folder/own.csv" --json "$folder/own.json" \
    >"$folder/out" 2>"$folder/err"; }
export BANKLINE_TEST_PRETEND='vendor=0x10de type=4 warp=32 capability=90'
holds 'the inference ends' known "$pretend:$clock"
holds 'the layer is loaded' grep -q 'layer: pretend' "$folder/err"
holds "the machine is chosen by the compute capability" grep -q 'nvidia-hopper  *mean' "$folder/out"
for key in lanes banks bank_bytes line_bytes tag_masks widest_bytes; do
    holds "$key is unknown, and not copied from the device's machine" grep -q ",value,$key,unknown," "$folder/own.csv"
done
holds 'the reason for unknown values is printed' grep -q 'not determined by the measurements' "$folder/out"
holds 'the output says that nothing can be predicted' grep -q '^No predictions can be made from these' "$folder/out"
holds 'the CSV has the measured points' grep -q ',point,' "$folder/own.csv"
holds 'JSON has the measured points, too' grep -q '"latencies": *\[' "$folder/own.json"
holds 'the machine file is complete' grep -q '^local_sub_groups_per_cu = ' "$folder/own.machine"
for key in queued_launch_ns enqueue_ns; do
    holds "$key is unknown if queued launches take no less time than others, and the host takes no time" \
        grep -q ",value,$key,unknown," "$folder/own.csv"
done
expect 0 'no predictions' "$bankline" model --machine "$folder/own.machine"
expect 0 ', inferred 20' "$bankline" model --show-machine "$folder/own.machine"

# The host takes longer to enqueue a launch than the device takes to run a short launch. So short launches can be queued
# only behind a long launch.
BANKLINE_TEST_QUEUE=500000:53000:30000 known "$pretend:$clock"
holds "the inference ends, with status $?" grep -q ',value,launch_ns,93[0-9]*,' "$folder/own.csv"
holds 'the time of a queued launch is found' grep -q '^queued_launch_ns = 70[0-9]*$' "$folder/own.machine"
holds "the host's time for a launch is found" grep -q '^enqueue_ns = 500000$' "$folder/own.machine"
holds 'the CSV has the points of queued launches' [ "$(grep -c ',point,.*,queue,' "$folder/own.csv")" -eq 2 ]
holds 'JSON has the points of queued launches' grep -q '"queue": *\[' "$folder/own.json"
expect 0 'queued_launch_ns = 70' "$bankline" model --show-machine "$folder/own.machine"

# If a call fails that every inference needs, nothing is inferred, the message names the call, and the earlier machine
# file is kept. After other failures, the inference continues.
echo 'name = before' >"$folder/own.machine"
for fault in clGetDeviceIDs@1:-6 clGetDeviceInfo@1:-6 clGetDeviceInfo@5:-6 clGetPlatformInfo@1:-6 clCreateContext@1:-6 \
    clCreateCommandQueue@1:-6 clCreateBuffer@1:-6 clCreateBuffer@2:-6 clEnqueueWriteBuffer@1:-6 clCreateBuffer@3:-6 \
    clBuildProgram@1:-6 clEnqueueNDRangeKernel@1:-4 clFlush@2500:-6 clEnqueueReadBuffer@300:-5 clWaitForEvents@4000:-36 \
    clGetEventProfilingInfo@5000:-5 clSetKernelArg@20000:-6 dead@3000:-36 dead@6000:-36 dead@9000:-36; do
    BANKLINE_TEST_FAULT="$fault" known "$fault_layer:$clock"
    status=$?
    case $fault in
    clCreateBuffer@3:* | clBuildProgram* | clEnqueueN* | clFlush* | clEnqueueR* | clWait* | clGetEvent* | clSet*)
        holds "after fault $fault the inference continues: $status" [ "$status" -eq 0 ]
        holds "fault $fault happened" grep -q '^layer: fault [0-9]* cl' "$folder/err"
        ;;
    *)
        holds "fault $fault: $status" [ "$status" -eq 3 ]
        holds "fault $fault is named: $(tail -n 2 "$folder/err")" grep -q '^bankline: .*cl[A-Z]' "$folder/err"
        holds "fault $fault leaves the old machine file" grep -q '^name = before$' "$folder/own.machine"
        ;;
    esac
    echo 'name = before' >"$folder/own.machine"
done

# If one output file cannot be written, the other output files are still written.
rm -f "$folder"/own.*
ln -s /dev/full "$folder/own.csv"
known "$clock"
holds "a full disk: $?" grep -q 'No space left' "$folder/err"
holds 'the machine file is written' grep -q '^lanes = ' "$folder/own.machine"
holds 'JSON is written' grep -q '"values"' "$folder/own.json"

# Tests output to standard output, a machine file with the name of a built-in machine, and output to a terminal.
expect 0 'name = inferred' env OPENCL_LAYERS="$clock" LD_PRELOAD="$clock" BANKLINE_TEST_CLOCK=honest \
    "$bankline" infer --device portable --quick --seed 6 --save -
expect 0 'schema,time_utc' env OPENCL_LAYERS="$clock" LD_PRELOAD="$clock" BANKLINE_TEST_CLOCK=honest \
    "$bankline" infer --device portable --quick --seed 6 --save "$folder/nvidia-hopper.x" --csv -
expect 0 'name = nvidia-hopper-inferred' cat "$folder/nvidia-hopper.x"
if has_terminals; then
    OPENCL_LAYERS="$clock" LD_PRELOAD="$clock" BANKLINE_TEST_CLOCK=honest script -qefc \
        "'$bankline' infer --device portable --quick --seed 6" /dev/null >"$folder/out" 2>&1
    holds 'progress is shown' grep -q 'levels of memory' "$folder/out"
fi

# An interrupted inference writes the findings so far, if there are any, to the CSV, and keeps an earlier machine file.
echo 'name = before' >"$folder/before.machine"
OPENCL_LAYERS="$clock" LD_PRELOAD="$clock" BANKLINE_TEST_CLOCK=honest \
    "$bankline" infer --device portable --seed 5 --csv "$folder/cut.csv" --save "$folder/before.machine" >"$folder/out" 2>"$folder/err" &
job=$!
sleep 1
kill -TERM "$job"
wait "$job" 2>/dev/null
ended=$?
holds "the exit status is 143 (SIGTERM), not $ended" [ "$ended" -eq 143 ]
holds 'the CSV begins with its header, or is missing' sh -c "[ ! -e '$folder/cut.csv' ] || grep -q '^schema,' '$folder/cut.csv'"
holds 'the old machine file stays' grep -q '^name = before$' "$folder/before.machine"
finish
