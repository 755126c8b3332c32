#!/bin/sh
# `bankline trace`, end to end: trace.sh BANKLINE PLUGIN RUN_KERNEL SOURCE PRETEND_LAYER FAULT_LAYER
set -u
case $1 in /*) bankline=$1 ;; *) bankline=$PWD/$1 ;; esac
case $2 in /*) plugin=$2 ;; *) plugin=$PWD/$2 ;; esac
case $3 in /*) run_kernel=$3 ;; *) run_kernel=$PWD/$3 ;; esac
case $5 in /*) pretend=$5 ;; *) pretend=$PWD/$5 ;; esac
case $6 in /*) fault=$6 ;; *) fault=$PWD/$6 ;; esac
source=$4/tests/trace
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# shellcheck source=tests/checks.sh
. "$(dirname "$0")/checks.sh"
cd "$folder" || exit 1
trace() { "$bankline" trace --machine nvidia-hopper "$@"; }
kernels=$source/kernels

# Invalid arguments are reported.
expect 2 'usage: bankline trace -- PROGRAM' "$bankline" trace
expect 2 'so no program can be given' trace --sim x.sim -- true
expect 2 "invalid --sample 'x'" trace --sample x -- true
expect 2 "invalid --sample 'first,last,+3'" trace --sample first,last,+3 -- true
expect 2 "invalid --sample 'first,last,3x'" trace --sample first,last,3x -- true
expect 2 "invalid --optimization '9'" trace --optimization 9 -- true
expect 2 'are the same file' trace --csv x --json x -- true
expect 2 'expected an integer' trace --limit 0 -- true
expect 2 '--predict is missing' trace --registers 32 -- true
expect 4 "cannot run '/no/such': no such program" trace -- /no/such
expect 4 "cannot run 'no-such-program': no such program" trace -- no-such-program
expect 4 'cannot read' trace --sim "$folder/none.sim"
expect 4 'no/such/folder' trace --csv no/such/folder/x.csv -- true
if [ -z "${OCLGRIND_BIN:-}" ]; then # if OCLGRIND_BIN is set, Oclgrind is always found
    expect 3 "cannot find 'oclgrind'" env PATH="$folder" "$bankline" trace -- /bin/true
    expect 3 "cannot find 'oclgrind-kernel'" env PATH="$folder" "$bankline" trace --sim "$source/transpose_tiled.sim"
fi
expect 3 'ran no kernel' trace -- true
expect 3 'ended with status 3' trace -- sh -c 'exit 3'
expect 3 'ended by signal 9' trace -- sh -c 'kill -9 $$'
echo 'no kernel' >none.sim
expect 3 'no kernel ran' trace --sim none.sim

# The tiled transpose, without padding and with padding.
run() { trace "$@" -- "$run_kernel" "$kernels" transpose_tiled; }
expect 0 'transpose_tiled.cl:16' run
expect 0 'pad each row of 32 elements by 1' run --csv run.csv --json run.json --markdown run.md
expect 0 'as predicted for machine nvidia-hopper' run --sample all
holds 'the row that loses most clocks is first' sh -c "sed -n 2p run.csv | grep -q 'transpose_tiled.cl,16,local,read,128,32,,,,32,32,1,'"
holds 'JSON has the source' grep -q 'barrier(CLK_LOCAL_MEM_FENCE)' run.json
holds 'Markdown has a table' grep -q '^| --- |' run.md
expect 0 '  with advice 1: ' run --predict --json advice.json --markdown advice.md
holds 'JSON has the time with the advice' grep -qE '"predicted_ns": [0-9]' advice.json
holds 'Markdown has the time with the advice' grep -q 'With this advice a launch takes ' advice.md
trace -- "$run_kernel" "$kernels" transpose_padded >out 2>err
holds 'the padded kernel has nothing to fix' sh -c "! grep -q '^1\.' out"
holds "the program's own output goes to standard error" grep -q '^transpose_padded: ' err
expect 0 '|   16         out[(column + y)' run --annotate
expect 0 'kernel,file,line,memory,op,requests,lanes,lines,sectors,tag_passes,bank_passes,clocks,ideal_clocks,share,' run --csv -
expect 0 '2 of 4 groups traced' run --sample first,last
expect 0 '3 of 4 groups traced' run --sample first,last,1
# Names and sources with escape sequences, and lines that end with CR LF.
odd=$(printf 'a\033[31m.cl')
sed "s|out\[.*|& // $(printf '\033[2J\302\233\342\200\256')\r|" "$kernels/transpose_tiled.cl" >"$odd"
sed "s|^tests/.*|$odd|" "$source/transpose_tiled.sim" >odd.sim
expect 0 '[x][y]; // ?[2J??' "$bankline" trace --machine nvidia-hopper --annotate --sim odd.sim
holds 'a name cannot control the terminal' sh -c "! grep -q \"\$(printf '\033')\" out err"
holds 'no line ends in a question mark' sh -c "! grep -q '???$' out"
printf '__kernel void nothing(int x) { }\n' >nothing.cl
printf 'nothing.cl\nnothing\n16 1 1\n4 1 1\n<size=4 int>\n1\n' >nothing.sim
expect 0 'the kernel accesses no memory' "$bankline" trace --machine nvidia-hopper --sample all --sim nothing.sim
holds 'if there are no requests, no sentence mentions requests' sh -c "! grep -q 'means over requests' out"
expect 0 'accesses beyond the limit' run --limit 512
cat >rounds.cl <<'EOF'
__kernel void rounds(__global int *out, int n)
{
    __local int t[64];
    int id = get_local_id(0);
    for (int k = 0; k < n; k++) {
        t[id] = k;
        if (id < 32)
            for (int j = 0; j < 2; j++)
                atomic_inc(&t[id]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[id] = t[id];
}
EOF
printf 'rounds.cl\nrounds\n64 1 1\n64 1 1\n<size=256 fill=0>\n<size=4 int>\n100\n' >rounds.sim
expect 0 'accesses beyond the limit' "$bankline" trace --machine nvidia-hopper --limit 2000 --csv rounds.csv --sim rounds.sim
cat >check.py <<'EOF'
import csv
accesses = {row["line"]: float(row["accesses"]) for row in csv.DictReader(open("rounds.csv"))}
assert 0 <= accesses["6"] / 64 - accesses["9"] / 32 / 2 <= 1, accesses
EOF
holds 'if some work-items reach the limit, the others stop in the same round' python3 check.py
# One work-item of 64 may make half of the accesses of the limit. Beyond it, each has its share.
cat >alone.cl <<'EOF'
__kernel void alone(__global int *out, int n)
{
    if (get_local_id(0) == 5)
        for (int k = 0; k < n; k++)
            out[k * 3] = k;
}
EOF
for n in 1000 1001; do
    printf 'alone.cl\nalone\n64 1 1\n64 1 1\n<size=16384 fill=0>\n<size=4 int>\n%s\n' "$n" >alone.sim
    expect 0 'kernel alone' "$bankline" trace --machine nvidia-hopper --limit 2000 --csv "alone-$n.csv" --sim alone.sim
done
holds 'a work-item may exceed its share' grep -q ',write,1000,' alone-1000.csv
holds 'beyond half of the limit, only its share counts' grep -q ',write,32,' alone-1001.csv
expect 0 'on machine intel-gen9' "$bankline" trace --machine intel-gen9 --markdown - -- "$run_kernel" "$kernels" transpose_tiled
expect 0 'No costs: machine cpu has no rule' "$bankline" trace --machine cpu -- "$run_kernel" "$kernels" transpose_tiled
expect 0 'compiled with -O0' run --optimization 0

# The command in the README prints what the README shows.
(cd "$4" && trace --sim tests/trace/transpose_tiled.sim) >out 2>err
sed -n '/^    \$ bankline trace/,/^$/p' "$4/README.md" | sed '1d; /^$/d' | sed 's/^  *1\./1./; s/^       *//' | tr '\n' ' ' >shown
holds 'the README shows the line' sh -c "grep -qF 'transpose_tiled.cl:16:43  tile      local     read          128     32' shown out"
holds 'the README shows the fix' sh -c "grep -qF \"\$(sed 's/.*\(1\. transpose_tiled.*times as fast\.\).*/\1/' shown)\" out"
(cd "$4" && trace --sim tests/trace/transpose_padded.sim) >out 2>err
holds 'the padded kernel loses no clock' sh -c "! grep -v ' 0.0 %\$' out | grep -q 'transpose_padded.cl:'"

expect 0 'accesses have no rule' trace -- "$run_kernel" "$kernels" histogram
expect 0 'kernel stencil' trace -- sh -c "'$run_kernel' '$kernels' stencil; '$run_kernel' '$kernels' scan"
expect 0 'kernel n_body' "$bankline" trace -- "$run_kernel" "$kernels" n_body
# Functions that LLVM's optimizer inserts give the right results: the kernel counts wrong ones.
expect 0 'intrinsics: 00000000' trace --sample all -- "$run_kernel" "$kernels" intrinsics
expect 0 'intrinsics: 00000000' trace --optimization 0 -- "$run_kernel" "$kernels" intrinsics

# A request is what the lanes of a sub-group access together, in lockstep. The counts below were found by hand from
# kernels/divergence.cl:
# lockstep KERNEL OPTIMIZATION LINE,MEMORY,OP,REQUESTS,LANES,CLOCKS...
lockstep() {
    traced=$1
    optimized=$2
    shift 2
    trace --sample all --optimization "$optimized" --csv lockstep.csv -- "$run_kernel" "$kernels" "$traced" >out 2>err
    cut -d, -f3-7,12 lockstep.csv >rows
    for row in "$@"; do holds "$traced with -O$optimized has $row" grep -qx "$row" rows; done
}
for level in z 0; do
    lockstep wave $level 16,local,write,64,16.5,16.5 17,local,read,64,16.5,16.5 25,local,read,62,16,16 29,local,read,2,32,2
    lockstep nested $level 39,global,read,32,20,1
    lockstep early_return $level 50,global,read,16,28.5,1 54,global,read,2,25,1
    lockstep break_and_continue $level 64,global,read,16,14.5,1 68,global,read,16,13.5,1 71,global,read,2,32,1
    lockstep choices $level 81,global,read,8,8,1 85,global,read,16,8,1 89,global,read,8,8,1 95,global,read,2,32,1
    lockstep short_circuit $level 103,global,read,6,16,1 105,global,read,6,8,1 107,global,read,12,8,1
done
lockstep calls 0 117,global,read,24,21.33333,1
lockstep calls z 117,global,read,20,25.6,1 # the compiler has merged the two calls in the branch

# A row is one access: its line and column, its array, and the place of the call if it was inlined from a function.
accesses() {
    traced=$1
    optimized=$2
    shift 2
    trace --sample all --optimization "$optimized" --csv accesses.csv -- "$run_kernel" "$kernels" "$traced" >out 2>err
    cut -d, -f3-7,12,35-37 accesses.csv >rows
    for row in "$@"; do holds "$traced with -O$optimized has $row" grep -qxF -- "$row" rows; done
}
accesses two_arrays z 6,global,read,2,32,1,14,good, 6,global,read,2,32,32,24,bad, 6,global,write,2,32,4,12,out,
accesses two_arrays 0 6,global,read,2,32,1,14,good, 6,global,read,2,32,32,24,bad, 6,global,write,2,32,4,12,out,
# An access to one of several arrays names them all; without optimization, it names the variable that holds the pointer.
accesses exchanged z '121,local,write,128,32,1,15,first or second,' '121,local,read,128,32,1,17,first or second,'
accesses exchanged 0 121,local,read,128,32,1,17,from,
accesses inlined z 9,global,read,2,32,1,55,in,15:15 9,global,read,2,32,32,55,in,17:29 17,local,read,2,32,1,48,tile,
accesses inlined 0 9,global,read,4,32,16.5,55,in, # a parameter of a function counts as the array that the caller passes
# The parts of a vector count as one access; reads of printf's format string are not counted; images have no rule.
accesses gather z 25,global,read,2,32,7,20,in,
accesses gather 0 24,global,read,2,32,7,19,in,
accesses gather_local z 68,local,read,2,32,4,35,tile,
accesses n_body z 18,global,write,8,32,16,29,pulls,
accesses prints z 33,global,read,2,32,1,18,in, 32,global,read,1,1,1,34,in,
holds "printf's format string has no row" sh -c '! grep -q constant rows'
# NVIDIA's device reads the elements of a constant array that the program declares one after another, also of one that a
# function declares; of a constant buffer, which other devices' declared arrays are like, all at once.
cat >declared.cl <<END
kernel void lookup(global const uint *in, constant uint *buffer, global uint *out)
{
    const uint table[16] = {3, 7, 11, 2, 5, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
    size_t i = get_global_id(0);
    out[i] = table[in[i] & 15] + buffer[in[i] & 15];
}
constant uint weights[3] = {3, 5, 7};
kernel void filter(global const uint *in, constant uint *buffer, global uint *out)
{
    uint sum = 0;
    for (int i = 0; i < 3; i++)
        sum += weights[i] * in[get_global_id(0) + i];
    out[get_global_id(0)] = sum + buffer[0];
}
END
printf '%s\n' declared.cl lookup '64 1 1' '32 1 1' '<size=256 range=0:1:63 uint>' '<size=64 fill=1 uint>' \
    '<size=256 fill=0 uint>' >declared.sim
for machine in nvidia-h100 nvidia-hopper; do
    trace --machine "$machine" --json constants.json -- "$run_kernel" "$kernels" constant_table >out 2>&1
    holds "8 addresses take 16 clocks on $machine" python3 -c "
import json
row = json.load(open('constants.json'))['kernels'][0]['rows'][0]
assert (row['array'], row['memory'], row['clocks'], row['ideal_clocks'], row['lines']) == ('table', 'constant', 16, 2, None), row"
    holds 'advice says why' grep -q 'a constant array that the program declares' out
done
expect 0 'lookup' trace --machine nvidia-h100 --json constants.json --sim declared.sim
holds "a function's constant array takes turns, a constant buffer does not" python3 -c "
import json
rows = {row['array'].split('.')[-1]: row for row in json.load(open('constants.json'))['kernels'][0]['rows']}
assert rows['table']['clocks'] == 32 and rows['buffer']['clocks'] == 1, rows"
holds 'bounds have a stage of their own for constants' python3 -c "
import json
bound = json.load(open('constants.json'))['kernels'][0]['bound']
assert bound['constants_clocks'] == 64 and 0 < bound['banks_clocks'] < 64, bound"
sed 's/lookup/filter/; s/size=256 range=0:1:63/size=512 range=0:1:127/' declared.sim >filter.sim
expect 0 'filter' trace --machine nvidia-h100 --json constants.json --sim filter.sim
holds 'elements at indices that the compiler knows cost nothing' python3 -c "
import json
rows = json.load(open('constants.json'))['kernels'][0]['rows']
costs = [row['clocks'] for row in rows if row['array'] == 'weights']
assert not any(costs) and any(row['clocks'] for row in rows), rows"
# The same reads, as they were measured: neither kept in registers nor overlapped.
for group in 4224/32/256:1 270336/1024/256:64; do
    trace --predict --quick --machine nvidia-h100 --json predicted.json -- "$run_kernel" "$kernels" constant_table "${group%:*}" 2 \
        '-DT=uint -DSTRIDE=1 -DDISTINCT=8 -DROUNDS=1000' >out 2>&1
    holds "a chain of reads is predicted as it was measured, $group" python3 -c "
import csv, json
[measured] = [int(row['ns']) for row in csv.DictReader(open('$4/results/rules/nvidia-constants.csv'))
              if [row[name] for name in ('type', 'stride', 'distinct', 'rounds', 'sub_groups')]
              == ['uint', '1', '8', '1000', '${group#*:}']]
predicted = json.load(open('predicted.json'))['kernels'][0]['predicted']['ns']
assert abs(predicted / measured - 1) < 0.15, (predicted, measured)"
done
# Atomics on words that lie in one slice of L2, in several, or in all, as they were measured.
for words in 8 64 512 131072; do
    trace --predict --quick --machine nvidia-h100 --json predicted.json -- "$run_kernel" "$kernels" atomic_words 135168/256 2 \
        "-DWORDS=$words -DSPREAD=0 -DROUNDS=32" >out 2>&1
    holds "additions to $words words are predicted as they were measured" python3 -c "
import csv, json
[measured] = [int(row['ns']) for row in csv.DictReader(open('$4/results/rules/nvidia-atomics.csv'))
              if [row[name] for name in ('words', 'spread', 'uses')] == ['$words', '0', '0']]
predicted = json.load(open('predicted.json'))['kernels'][0]['predicted']['ns']
assert abs(predicted / measured - 1) < 0.2, (predicted, measured)"
done
expect 0 'lookup' trace --machine intel-gen9 --json constants.json --sim declared.sim
holds 'on another machine, both are alike' python3 -c "
import json
rows = {row['array'].split('.')[-1]: row for row in json.load(open('constants.json'))['kernels'][0]['rows']}
assert rows['table']['clocks'] == rows['buffer']['clocks'] and rows['table']['lines'] > 0, rows"
expect 0 'left out: 64 accesses to images, which have no rule' trace --json image.json -- "$run_kernel" "$kernels" image
holds 'JSON counts accesses to images' grep -q '"image_accesses": 64' image.json
# If the compiler merged several accesses, the merged access has the line of the code that computes its address or
# value.
for kernel in stencil sparse_product; do
    expect 0 "kernel $kernel" trace --sample all --csv lines.csv -- "$run_kernel" "$kernels" "$kernel"
    holds "each access of $kernel has a line" sh -c '! cut -d, -f3 lines.csv | grep -qx 0 && ! cut -d, -f3 lines.csv | grep -qx ""'
done

holds 'a write that was merged from two branches has the line of the first value' sh -c "'$bankline' trace --machine nvidia-hopper -- '$run_kernel' '$kernels' stencil 2>&1 | grep -q '^stencil.cl:11:41  *out'"

# Components of a vector that are written together are one write, from the first to the last component.
cat >components.cl <<'END'
__kernel void two(__global float4 *p)
{
    int i = get_global_id(0);
    p[i].x += 1.0f;
    p[i].y += 2.0f;
}
__kernel void three(__global float4 *p)
{
    int i = get_global_id(0);
    p[i].y += 1.0f;
    p[i].z += 2.0f;
    p[i].w += 3.0f;
}
END
for components in two:6144 three:7168; do # 256 vectors are read whole; 8 and 12 bytes of each are written
    printf 'components.cl\n%s\n256 1 1\n64 1 1\n<size=4096 float fill=1>\n' "${components%:*}" >components.sim
    expect 0 "\"needed_bytes\": ${components#*:}" trace --json - --sim components.sim
done
mkdir sites
{ printf '// moved by a line\n'; cat "$kernels/arrays.cl"; } >sites/arrays.cl
cp "$kernels/arrays.cl" sites/alone.cl
expect 0 'alone.cl:9:55 @15:15' trace --csv moved.csv -- "$run_kernel" sites inlined
holds "call sites have the file's line numbers" grep -q ',in,15:15,' moved.csv

# Each array gets one piece of advice, which covers all accesses to the array.
advises() {
    traced=$1
    shift
    expect 0 "$1" trace --sample all --json advice.json -- "$run_kernel" "$kernels" "$traced"
}
advises tiled_product 'pad each row of 16 elements by 2, second[y * 18 + x] for second[y * 16 + x], also in line 13'
holds 'JSON has the index' grep -q '"index": "y \* 18 + x"' advice.json
advises swapped_ids 'swap get_global_id(0) and get_global_id(1)'
advises update_member 'one array for each member of the records of 16 bytes, points[x * ROWS + y]'
advises accumulate 'keep it in a register, and write it once'
advises scattered 'its addresses are scattered and form no rows'
advises between_barriers 'pad each row of 4 elements by 1'
advises histogram 'its addresses are scattered and form no rows'

# If the advice for a tile is applied, accesses stay within the array, and take the promised clocks.
advises wave 'pad each row of 33 elements by 1, tile[y * 34 + x] for tile[y * 33 + x]'
expression=$(sed -n 's/.*"expression": "\([^"]*\)".*/\1/p' advice.json | head -n 1)
mkdir applied
last='import sys; i = 33 * 33 - 1; print(eval(sys.argv[1].replace("/", "//")))'
last=$(python3 -c "$last" "$expression")
sed "s|__local int tile\[33\]\[33\]|__local int tile[$((1 + last))]|; s|tile\[\([^]]*\)\]\[\([^]]*\)\]|tile[AT((\1) * 33 + (\2))]|g" \
    "$kernels/divergence.cl" >applied/lines
{ echo "#define AT(i) ($expression)"; cat applied/lines; } >applied/divergence.cl
expect 0 'wave                             1        2 ' trace --sample all -- "$run_kernel" applied wave
holds 'Oclgrind finds nothing wrong' sh -c "! grep -qi invalid out err"
holds 'there is no bank conflict' grep -q '^wave .* 394 ' out

# The table of kernels, and the choice of kernels whose lines are shown.
cat >three.sh <<END
for kernel in scan transpose_naive transpose_tiled; do '$run_kernel' '$kernels' \$kernel; done
END
trace --top 1 --json totals.json --markdown totals.md -- sh three.sh >out 2>err
holds 'the worst kernel is first' sh -c "sed -n 2p out | grep -q '^transpose_tiled .* 4864 .* banks'"
holds "only the worst kernel's lines are shown" sh -c "grep '^kernel [a-z_]*:' out | grep -c transpose_tiled | grep -qx 1 && ! grep -q '^kernel scan:' out"
holds 'the omitted kernels are counted' grep -q 'lines of 2 other kernels are not shown' out
holds "only the worst kernel's advice is shown" sh -c "grep -q '^1\. source' out && ! grep -q '^2\. ' out"
holds 'JSON has all kernels' grep -q '"needed_bytes": 8192' totals.json
holds 'Markdown has all kernels' grep -q '^| scan | 1 | 8 |' totals.md
trace --kernel '*naive' -- sh three.sh >out 2>err
holds 'a kernel is chosen by its name' sh -c "grep -q '^kernel transpose_naive' out && ! grep -q '^kernel transpose_tiled' out"
expect 2 "no kernel is called 'none'" trace --kernel none -- "$run_kernel" "$kernels" scan

# If the program leaves the group size to OpenCL, groups get the size that a GPU's driver would choose.
expect 0 'kernel histogram: 4096 work-items in groups of 256;' trace -- "$run_kernel" "$kernels" histogram 4096 1 '' null
expect 0 'the program leaves the size of its groups to OpenCL' trace -- "$run_kernel" "$kernels" histogram 4096 1 '' null
holds 'a driver chose the size' grep -q 'that a GPU driver would choose (--local-size sets another)' out
expect 0 'in groups of 96;' trace --local-size 100 --json null.json -- "$run_kernel" "$kernels" nested 96 1 '' null
holds '--local-size chose the size' sh -c "grep -q ': this is the size that --local-size 100 chose' out && ! grep -q 'GPU driver' out"
holds 'JSON has the chosen group size' grep -q '"local_size_is_chosen": true' null.json
expect 0 'in groups of 64x4;' "$bankline" trace --machine intel-gen9 -- "$run_kernel" "$kernels" transpose_naive 64 1 '' null
expect 0 'in groups of 64;' trace -- "$run_kernel" "$kernels" transpose_naive 64 1 '' null # NVIDIA's driver uses x alone
# NVIDIA's driver takes a larger group if a divisor up to 256 would leave lanes of a sub-group idle.
expect 0 'in groups of 514;' trace -- "$run_kernel" "$kernels" nested 1028/257 1 '' null
expect 0 'in groups of 4;' trace --local-size 256 -- "$run_kernel" "$kernels" nested 1028/257 1 '' null
expect 0 'in groups of 4;' "$bankline" trace --machine intel-gen9 -- "$run_kernel" "$kernels" nested 1028/257 1 '' null
expect 0 'in groups of 4;' trace -- "$run_kernel" "$kernels" nested 5036/1259 1 '' null # the next divisor is 1259
"$bankline" model --show-machine nvidia-hopper | sed 's/^group_items_max.*/group_items_max = 0/' >unknown.machine
expect 0 'in groups of 4;' "$bankline" trace --machine unknown.machine -- "$run_kernel" "$kernels" nested 1028/257 1 '' null
expect 0 'in groups of 32;' trace --json null.json -- "$run_kernel" "$kernels" wave 64 1 '' null # as the kernel's attribute requires
expect 0 'in groups of 32;' trace --json null.json -- "$run_kernel" "$kernels" nested
holds 'JSON says whether the program chose the group size' grep -q '"local_size_is_chosen": false' null.json

# A program that queries the device learns that the device is a GPU, and gets the values that the machine's driver
# reports.
expect 0 'kernel histogram: 4096 work-items in groups of 256;' trace -- "$run_kernel" "$kernels" histogram 4096 1 '' ask
expect 0 'kernel histogram: 4096 work-items in groups of 256;' "$bankline" trace --machine intel-gen9 -- "$run_kernel" "$kernels" histogram 4096 1 '' ask
holds 'the output says that the machine does not state the compute units' grep -q '(compute_units)' "$folder/out"
expect 0 'kernel histogram' trace -- "$run_kernel" "$kernels" histogram 4096 1 '' ask
holds 'the output does not mention compute units that the machine states' sh -c "! grep -q '(compute_units)' '$folder/out'"
expect 0 'kernel histogram: 4096 work-items in groups of 1024;' "$bankline" trace --machine nvidia-volta -- "$run_kernel" "$kernels" histogram 4096 1 '' ask
holds 'the output says that Oclgrind answered' grep -q 'so the answer was' out
expect 0 'limit     share' trace -- "$run_kernel" "$kernels" histogram 4096 1 '' ask
holds 'the query was answered with the value of the machine' sh -c "! grep -q 'so the answer was' out"

# If one file cannot be written, the other files are still written.
ln -s /dev/full full
expect 4 'cannot write to standard output: No space left' sh -c "'$bankline' trace --machine nvidia-hopper -- '$run_kernel' '$kernels' scan >/dev/full"
expect 4 'No space left' run --csv full --json kept.json --markdown kept.md
holds 'the other files are written' [ -s kept.json -a -s kept.md ]
expect 4 'No space left' run --csv full --markdown /dev/full
ln -s /dev/full full.json
expect 4 'full' run --json full.json --csv kept.csv
holds 'the CSV is there' [ -s kept.csv ]
if has_terminals; then
    script -qec "'$bankline' trace --sample all --annotate -- '$run_kernel' '$kernels' matrix_product 64" /dev/null >out 2>&1
    holds 'progress is shown' grep -q 'groups traced' out
fi
# If no machine is named, the machine of an existing GPU is used.
cat >gpu <<END
#!/bin/sh
exec env OPENCL_LAYERS='$pretend' BANKLINE_TEST_PRETEND='vendor=0x10de type=4 warp=32 capability=80' '$bankline' "\$@"
END
chmod +x gpu
expect 0 'machine nvidia-ampere' ./gpu trace -- "$run_kernel" "$kernels" scan
# Programs whose source file no longer exists, or that were built from the text of two files.
cat >gone.sh <<END
mkdir gone
cp '$kernels/scan.cl' gone/scan.cl
echo '// and more' >>gone/scan.cl
'$run_kernel' gone scan
rm -r gone
END
expect 0 'source 1:' trace --annotate -- sh gone.sh
{ cat "$kernels/stencil.cl"; cat "$kernels/scan.cl"; } >both
mkdir own
cp "$kernels/scan.cl" own/part.cl
cp both own/scan.cl
expect 0 'part.cl:' trace -- "$run_kernel" own scan

# A host program has two contexts and releases nothing. Its trace is complete, and its two OpenCL programs count as one.
expect 0 'kernel scan: 1024 work-items in groups of 128, 2 launches; 16 of 16 groups traced' trace --csv leaked.csv -- "$run_kernel" "$kernels" scan 1024 1 '' leak
holds 'the trace ends normally' [ -s leaked.csv ]
expect 0 'scan                             4 ' trace --time -- "$run_kernel" "$kernels" scan 1024 2 '' leak

# If a program fails after its kernel, the kernel is shown. If a program is killed within its kernel, the trace is
# marked as incomplete.
expect 0 'kernel scan' trace -- sh -c "'$run_kernel' '$kernels' scan; exit 5"
expect 0 'note: the program ended with status 5' trace -- sh -c "'$run_kernel' '$kernels' scan; exit 5"
cat >killed.sh <<END
'$run_kernel' '$kernels' matrix_product 128 &
sleep 0.5
kill -9 \$!
END
trace --sample all --csv cut.csv -- sh killed.sh >out 2>err
status=$?
holds "the trace was cut short, or ended before the signal: $status" [ "$status" -eq 3 -o "$status" -eq 0 ]
[ "$status" -eq 0 ] || holds 'the incomplete trace is reported' grep -qE 'cut short|ran no kernel' err

# After an interruption, what was traced is printed.
"$bankline" trace --machine nvidia-hopper --sample all --csv end.csv -- "$run_kernel" "$kernels" matrix_product 256 >out 2>err &
job=$!
sleep 1
kill -TERM "$job"
wait "$job" 2>/dev/null
ended=$?
holds "the exit status is that of SIGTERM: $ended" [ "$ended" -eq 143 ]
holds 'the limit is computed from the traced part' grep -qE '^matrix_product .* (tags|banks|writes) ' out

# The device is the CPU here. The worst lines are replayed on it, and the kernels are timed.
expect 0 'which is machine cpu; predictions by machine nvidia-hopper' run --replay --csv replayed.csv
holds 'the worst line is predicted at 1/32, and not judged' sh -c "sed -n 2p replayed.csv | grep -q \",0,0.03125,[0-9.e-]*,[0-9.e-]*,[0-9.e-]*,no-rule,local,.*the machine describes another device[,;]\""
holds 'JSON has the prediction of the worst line' sh -c "'$bankline' trace --machine nvidia-hopper --replay --json - -- '$run_kernel' '$kernels' transpose_tiled 2>/dev/null | grep -q '\"predicted\": 0.03125'"
expect 3 "no device matches 'nothing'" run --replay --device nothing
expect 0 'transpose_tiled                  1 ' run --time
expect 0 'nvidia-hopper does not describe it' run --time
"$bankline" model --show-machine nvidia-hopper >own.machine # a machine from a file describes any device
expect 0 'bounds by machine nvidia-hopper' "$bankline" trace --machine own.machine --time --json timed.json --markdown timed.md -- "$run_kernel" "$kernels" transpose_tiled
holds 'Markdown has the times' grep -q 'Times on' timed.md
holds 'the time is in the JSON' grep -q '"compute_units": [1-9]' timed.json
holds 'JSON says that a machine from a file describes the device' grep -q '"is_described_by_machine": true' timed.json
holds 'Markdown names no other device' sh -c '! grep -q "another device" timed.md'
# The CPU's times are not those of the machine that was predicted.
expect 0 'another device than this machine describes' run --predict --time --json timed.json --markdown timed.md
holds 'JSON says that another device was timed' grep -q '"is_described_by_machine": false' timed.json
holds 'Markdown says that another device was timed' grep -q '^Times on .*, another device than machine nvidia-hopper describes\.$' timed.md
expect 2 'replay is missing' run --device 0:0
expect 2 'so --sample all cannot be given' run --quick --sample all
expect 0 'estimated from 5 of 256 groups' trace --quick --sample first,last,3 -- "$run_kernel" "$kernels" stencil 256
expect 0 'estimated from 4 of 256 groups' trace --quick --predict -- "$run_kernel" "$kernels" stencil 256
expect 0 'estimated from 6 of 256 groups' trace --quick --predict --sample first,last,4 --json only.json -- "$run_kernel" "$kernels" stencil 256
expect 0 'estimated from 6 of 256 groups' trace --predict --sample first,last,4 --json all.json -- "$run_kernel" "$kernels" stencil 256
holds '--quick runs the same groups as are otherwise traced' python3 -c "
import json
one, other = (json.load(open(name))['kernels'][0] for name in ('only.json', 'all.json'))
assert one['totals'] == other['totals'] and one['totals']['accesses'] > 0"
expect 2 '--time needs a program' trace --time --sim x.sim
# Times are predicted without a device. Every format contains them; in JSON, the shares of the limits add up to 1.
expect 2 'needs optimized kernels' run --predict --optimization 0
expect 0 'of the warm time: launch' run --predict --csv times.csv --json times.json --markdown times.md
holds 'the CSV has the predicted times' sh -c "sed -n 1p times.csv | grep -q ',predicted_first_ns,predicted_ns,predicted_lo_ns,predicted_hi_ns,predicted_limited_by$'"
holds 'Markdown has the predicted times' grep -q '^| transpose\\_tiled | .* | launch |$' times.md
cat >predicted.py <<'END'
import json, sys
for kernel in json.load(open(sys.argv[1]))["kernels"]:
    it = kernel["predicted"]
    assert abs(sum(it["shares"].values()) - 1) < 1e-6, it
    assert it["lo_ns"] <= it["ns"] <= it["hi_ns"] and it["lo_ns"] <= it["first_ns"] <= it["hi_ns"], it
    assert it["shares"][it["limited_by"]] == max(it["shares"].values()), it
    assert 5300 < it["ns"] < 100000, it
END
holds 'JSON has an interval and shares' python3 predicted.py times.json
# If the end of a loop is a constant, a compiler unrolls the loop. Divisors in the loop are then constants.
for end in 256 '(4*get_global_size(0))'; do
    trace --predict --json end.json -- "$run_kernel" "$kernels" divided 64 1 "-DEND=$end" >out 2>err
    python3 -c 'import json; print(json.load(open("end.json"))["kernels"][0]["predicted"]["ns"])'
done >both-ends
holds 'constant divisors take less time' sh -c "tr '\n' ' ' <both-ends | awk '{ exit !(\$1 > 0 && \$1 < 0.7 * \$2) }'"
# A function counts as many instructions as a GPU's compiler generates for it.
for how in 'F(x,i)=((x)*(i)+1.0f)' 'F(x,i)=fmax((x),(i))' 'F(x,i)=log((x)+(i))' 'F(x,i)=exp((x)*-0.1f)' 'F(x,i)=exp((x)*-0.1f) -cl-fast-relaxed-math'; do
    trace --predict --json end.json -- "$run_kernel" "$kernels" computes 64 1 "-D$how" >out 2>err
    python3 -c 'import json; print(json.load(open("end.json"))["kernels"][0]["predicted"]["ns"])'
done >functions
holds 'each function takes the time of its instructions' sh -c "tr '\n' ' ' <functions | awk '{ exit !(\$1 > 0 && \$2 < 1.1 * \$1 && \$3 > 2.5 * \$1 && \$4 > 1.5 * \$1 && \$5 < 0.95 * \$4) }'"
# Rounds overlap only if the number of rounds is known before the first round, also if it depends on the work-item. Short
# loops overlap as many rounds if the number is known only when the kernel runs.
for how in '-DEND=2048' '-DEND=(1024*(int)get_num_groups(0))' '-DEND=2048 -DSTEP=get_num_groups(0)' \
    '-DEND=(2048+(int)get_local_id(0)/64)'; do
    trace --predict --json end.json -- "$run_kernel" "$kernels" rounds 64 1 "$how" >out 2>err
    python3 -c 'import json; it = json.load(open("end.json"))["kernels"][0]["predicted"]; print(it["ns"], it["first_ns"])'
done >loops
holds 'only loops with a known number of rounds are unrolled' sh -c "cut -d' ' -f1 loops | tr '\n' ' ' | awk '{ exit !(\$1 > 0.9 * \$2 && \$1 < 1.1 * \$2 && \$3 > 2 * \$2 && \$4 < 1.5 * \$2) }'"
holds 'the first launch finds the data of the host in L2' sh -c "awk '{ bad += \$2 - \$1 > 16500 + 190 } END { exit bad > 0 }' loops"
expect 0 'limited by' trace --predict -- "$run_kernel" "$kernels" histogram
expect 0 'no prediction: it calls printf, which has no rule' trace --predict -- "$run_kernel" "$kernels" prints
expect 0 'no prediction: the machine has no rule for global memory' "$bankline" trace --predict --machine nvidia-volta -- "$run_kernel" "$kernels" scan
for name in stencil matrix_product reduction row_sums sparse_product n_body scan; do
    expect 0 'limited by' trace --predict --json each.json -- "$run_kernel" "$kernels" "$name"
    holds "$name is predicted" python3 predicted.py each.json
done
expect 3 'created no command queue' trace --time -- sh -c "test \$BANKLINE_TIMES_FD || '$run_kernel' '$kernels' scan"
expect 3 'no kernel to its end' trace --time -- sh -c "if test \$BANKLINE_TIMES_FD; then '$run_kernel' '$kernels' scan 0 0; else '$run_kernel' '$kernels' scan; fi"
expect 0 'on the real device the program ended with status 7' trace --time -- sh -c "'$run_kernel' '$kernels' scan; test ! \$BANKLINE_TIMES_FD || exit 7"
expect 0 '2 of 4 groups traced' run --quick
# If a program rounds the global size up, the last group is partial; in two dimensions, all groups at two edges are.
partial() { # KERNEL GLOBAL LOCAL N OPTION...
    printf '%s\n' "$kernels/partial.cl" "$1" "$2" "$3" '<size=131072 float fill=1>' '<size=131072 float fill=0>' \
        '<size=4 int>' "$4" >partial.sim
    shift 4
    "$bankline" trace --machine nvidia-hopper --sim partial.sim "$@" >out 2>err
}
cat >totals.py <<'END'
import json
def figures(name):
    kernel, = json.load(open(name + ".json"))["kernels"]
    saved, = json.load(open(name + ".bencher")).values()
    return {**kernel["totals"], **kernel["bound"], **{"saved " + key: saved[key]["value"] for key in saved}}
one, other = figures("all"), figures("quick")
for key in "accesses", "needed_bytes", "moved_bytes", "clocks", "read_bytes", "written_bytes", "saved clocks", "saved sectors":
    assert one[key] > 0 and abs(other[key] / one[key] - 1) < 0.01, (key, one[key], other[key])
END
for case in 'copy_line:25600 1 1:256 1 1:25345' 'copy_square:112 112 1:16 16 1:104'; do
    kernel=${case%%:*} global=${case#*:} local=${case#*:*:}
    partial "$kernel" "${global%%:*}" "${local%:*}" "${case##*:}" --sample all --json all.json --bencher all.bencher
    partial "$kernel" "${global%%:*}" "${local%:*}" "${case##*:}" --quick --json quick.json --bencher quick.bencher --markdown quick.md
    holds "--quick counts a partial last group of $kernel once" python3 totals.py
    holds 'the estimate is explained' grep -q 'Groups that were not traced count like' out
    holds 'what is not estimated is explained' grep -q '^Requests and means are of the traced groups only; share' out
    holds 'no launch was left out' sh -c "! grep -q 'Launches that the budget left out' out"
    holds 'Markdown explains what is not estimated, too' grep -q 'Requests and means are of the traced groups only; share is' quick.md
done
expect 0 'lines whose requests differ between -Oz and -O0' run --optimization both
expect 0 'stencil.cl:6' trace --optimization both -- "$run_kernel" "$kernels" stencil
# A launch is reported once, even if the library is loaded both as a layer and as a preloaded library.
expect 0 'scan                             2 ' trace --time -- "$run_kernel" "$kernels" scan 1024 2
expect 0 'measured: the first of 2 launches ' "$bankline" trace --machine nvidia-hopper --predict --time -- "$run_kernel" "$kernels" scan 1024 2
cat >preloaded.sh <<END
BANKLINE_TIMES_FD=3:\$(stat -L -c %d:%i /dev/fd/3)
export BANKLINE_TIMES_FD
LD_PRELOAD='${plugin%/*}/bankline-times.so' '$run_kernel' '$kernels' scan 1024 3 3>&3
END
preloaded=$(sh preloaded.sh 3>&1 >/dev/null | grep -c "^scan")
holds 'the preloaded library alone reports each launch once' [ "$preloaded" -eq 3 ]

if command -v ocloc >/dev/null; then
    expect 0 'instructions that Intel' "$bankline" trace --machine intel-gen9 -- "$run_kernel" "$kernels" scan
    expect 3 "'ocloc compile' failed" trace --ocloc foo -- "$run_kernel" "$kernels" scan
fi
expect 0 'cannot make a folder in /no/such' env TMPDIR=/no/such "$bankline" trace --ocloc skl -- "$run_kernel" "$kernels" scan
holds 'the trace is still shown' grep -q '^scan  ' out
mkdir idle broken
printf '#!/bin/sh\nexit 0\n' >idle/ocloc
# shellcheck disable=SC2016 # $3 is an argument of the written script
printf '#!/bin/sh\necho no such thing\ngrep -q empty "$3" || exit 1\n' >broken/ocloc
chmod +x idle/ocloc broken/ocloc
if ldconfig -p 2>/dev/null | grep -q libiga64 || /sbin/ldconfig -p | grep -q libiga64; then
    expect 3 'ocloc wrote no binary' env PATH="$folder/idle:$PATH" "$bankline" trace --machine nvidia-hopper --ocloc skl -- "$run_kernel" "$kernels" scan
    expect 3 'no such thing' env PATH="$folder/broken:$PATH" "$bankline" trace --machine nvidia-hopper --ocloc skl -- "$run_kernel" "$kernels" scan
    expect 0 "note: Intel's compiler" env PATH="$folder/broken:$PATH" "$bankline" trace --machine intel-gen9 -- "$run_kernel" "$kernels" scan
fi
# If a device fails or disappears while a line is replayed, only the result of that line is lost.
cat >faulty <<END
#!/bin/sh
exec env OPENCL_LAYERS='$fault' BANKLINE_TEST_FAULT="\$1" '$bankline' trace --machine nvidia-hopper --replay --csv faulty.csv -- '$run_kernel' '$kernels' transpose_tiled
END
chmod +x faulty
for wrong in 1:-5 25:-5 60:-5 100:-5 150:-5 dead@40:-36 dead@120:-36; do
    ./faulty "$wrong" >out 2>err
    status=$?
    holds "with the fault $wrong, a replay exits with 0 or 3, not $status" [ "$status" -eq 0 -o "$status" -eq 3 ]
    [ "$status" -ne 0 ] || holds 'the traced rows are shown' grep -q 'transpose_tiled.cl:16:43  tile      local' out
    holds 'a device that fails confirms nothing' sh -c "test ${wrong%%@*} != dead || ! sed -n '/^replayed/,\$p' out | grep -Eq -- '- +- +confirmed'"
done
expect 0 'nothing to replay' "$bankline" trace --machine cpu --replay --time -- "$run_kernel" "$kernels" histogram
expect 0 'atomics are not replayed' trace --replay -- "$run_kernel" "$kernels" histogram
expect 0 'ended by signal' trace --time -- sh -c "'$run_kernel' '$kernels' scan; test ! \$BANKLINE_TIMES_FD || kill -9 \$\$"
expect 0 'scan' env LD_PRELOAD=libm.so.6 "$bankline" trace --machine nvidia-hopper --time -- "$run_kernel" "$kernels" scan
expect 4 'it is not executable' trace -- "$kernels/scan.cl"
expect 4 "cannot run '/tmp': it is not executable" trace -- /tmp
mkdir -p folders/some-program
expect 4 "cannot run 'some-program': no such program" env PATH="$folder/folders:$PATH" "$bankline" trace -- some-program
mkdir few
for needed in "${OCLGRIND_BIN:-}oclgrind" "${OCLGRIND_BIN:-}oclgrind-kernel" sh env; do ln -s "$(command -v "$needed")" few/; done
expect 3 "cannot find 'ocloc'" env PATH="$folder/few" "$bankline" trace --ocloc skl -- "$run_kernel" "$kernels" scan

# For every source line, `bankline trace` and a script that shares no code with it count the same.
agree=yes
python3 "$source/check_trace.py" "$bankline" "$plugin" "$run_kernel" "$kernels" || agree=no
holds 'the counts equal those of the script' [ "$agree" = yes ]
agree=yes
python3 "$source/check_work.py" "$plugin" "$run_kernel" "$kernels" || agree=no
holds 'instructions are counted as a compiler makes them' [ "$agree" = yes ]
finish
