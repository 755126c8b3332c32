#!/bin/sh
# `bankline try` end to end: try.sh BANKLINE CLOCK_LAYER
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
# Runs `try` without measuring.
model() { try --model-only --machine nvidia-hopper "$@"; }

expect 0 '1 row: 1 no-rule' try 'get_global_id(0) * 3 + 5' --csv "$folder/try.csv"
expect 0 'Machine cpu has no predictions' try 'get_global_id(0) * 3 + 5' --model-only
holds "the row's name is its expression" \
    grep -q ',try/get_global_id(0) \* 3 + 5,try,global,int,16x1,16,' "$folder/try.csv"
"$bankline" model --show-machine nvidia-hopper >"$folder/own.machine"
expect 0 '2 rows: 2 no-rule' try --machine nvidia-hopper 'get_global_id(0) + 1' 'get_global_id(0)'
expect 0 'Distance from the prediction' try --machine "$folder/own.machine" 'get_global_id(0) + 1' 'get_global_id(0)'

# The program prints the right clocks for patterns whose clocks are known.
expect 0 '4.00    4.00  1/4' \
    model 'get_global_id(1) * 1024 + get_global_id(0)' --shape 8x4
expect 0 'line A A A A A A A A B B B B B B B B C C C C C C C C D D D D D D D D' \
    model 'get_global_id(1) * 1024 + get_global_id(0)' --shape 8x4
expect 0 'pass 1 1 1 1 1 1 1 1 2 2 2 2 2 2 2 2 1 1 1 1 1 1 1 1 2 2 2 2 2 2 2 2' \
    model 'get_local_id(0) % 16 * 4' --memory local
expect 0 '2.00    2.00  1/2' model 'get_local_id(0) % 16 * 4' --memory local
expect 0 '-     -   4.00    4.00  1' \
    model 'get_local_id(0) * 33 % 1024' --memory local --type float4
expect 0 '1/32' model 'get_global_id(0) * 32' 'get_global_id(0)'
holds 'the table has both expressions' [ "$(grep -c '^get_global_id(0)' "$folder/out")" -eq 4 ]
expect 0 'writes of uchar4' model 'get_global_id(0)' --type uchar4 --write
expect 0 '1/16' model 'get_global_id(0) * 16' --machine intel-gen9

# Predictions without a device need only the name of a machine. To measure, a device is needed.
alone() { OCL_ICD_VENDORS=$folder/none "$bankline" try --model-only "$@"; }
expect 0 '1/32' alone 'get_global_id(0) * 32' --machine nvidia-hopper --csv "$folder/alone.csv"
holds 'a row predicted without a device has no device' grep -q ',,,,nvidia-hopper,try/get_global_id(0) \* 32,' "$folder/alone.csv"
model 'get_global_id(0) * 32' 'get_local_id(0) / 5' --csv "$folder/with.csv" | grep -v '^Predictions are' >"$folder/with"
alone 'get_global_id(0) * 32' 'get_local_id(0) / 5' --machine nvidia-hopper --csv "$folder/alone.csv" >"$folder/alone"
holds 'the output is the same as with a device' sh -c "sed '/./,\$!d' '$folder/with' | cmp -s - '$folder/alone'"
holds 'the predictions are the same as with a device' [ "$(cut -d, -f 9-32 "$folder/with.csv")" = "$(cut -d, -f 9-32 "$folder/alone.csv")" ]
expect 0 '1.00    1.00  1' alone 'get_local_id(0)' --memory local --machine intel-gen9
expect 2 'has index 16384, outside the array of' alone 'get_local_id(0) * 1024' --memory local --shape 17x1 \
    --machine nvidia-hopper
expect 2 'on any device: work-item (0,0) of group (0,0) has index -1' alone '0 - 1' '1' --machine nvidia-hopper
expect 3 'no OpenCL platform' alone 'get_local_id(0)'
expect 3 'no OpenCL platform' alone 'get_local_id(0)' --machine nvidia-hopper --device portable
expect 3 'no OpenCL platform' env OCL_ICD_VENDORS="$folder/none" "$bankline" try 1 --machine nvidia-hopper
holds 'the message says how to predict without a device' grep -q '; to predict without a device: --machine NAME --model-only$' "$folder/err"
expect 0 '+ get_global_id(0)  32x1     -  ' try 'get_global_id(1) * 1024 + get_global_id(0)' --machine nvidia-hopper

# A sweep prints one row per value, and no pictures of requests. Shapes and machines may be lists. One picture shows all
# points.
expect 0 '1/16' alone 'get_local_id(0) * {15..17}' --machine nvidia-hopper
holds 'every value of a sweep has a row' [ "$(grep -c '^get_local_id(0) \* 1[567] ' "$folder/out")" -eq 3 ]
holds 'a sweep prints no pictures of requests' sh -c "! grep -q '^  lane' '$folder/out'"
expect 2 "'{1..': '}' is missing" alone 'get_local_id(0) * {1..' --machine nvidia-hopper
expect 2 "'get_local_id(0) * 2' is given twice" alone 'get_local_id(0) * {1..3}' 'get_local_id(0) * 2' --machine nvidia-hopper
expect 0 'intel-gen9' alone 'get_local_id(0) * {1,2}' --machines nvidia-hopper,intel-gen9 --shapes 32x1,16x2,8x4 \
    --csv "$folder/lists.csv" -o "$folder/lists.svg" --html "$folder/lists.html"
holds 'every combination of machine, shape and value has a line' [ "$(grep -cE '^(nvidia-hopper|intel-gen9) +(32x1|16x2|8x4) ' "$folder/out")" -eq 12 ]
holds 'every combination of machine, shape and value has a row' [ "$(wc -l <"$folder/lists.csv")" -eq 13 ]
holds 'every machine, shape and value has a point' [ "$(grep -c '<circle' "$folder/lists.svg")" -eq 12 ]
holds 'the points form six lines' [ "$(grep -c '<polyline' "$folder/lists.svg")" -eq 6 ]
holds 'the page has the points and the table' sh -c "[ \$(grep -c '<circle' '$folder/lists.html') -eq 12 ] && [ \$(grep -c '^<tr><th scope=.row.' '$folder/lists.html') -eq 12 ]"
if command -v xmllint >/dev/null; then holds 'the picture is XML' xmllint --noout "$folder/lists.svg"; fi
expect 0 '8x4' alone 'get_global_id(1) * 64 + get_global_id(0) < 7' --shapes 32x1,8x4 --machine nvidia-hopper -o "$folder/shapes.svg"
holds 'shapes are on the axis' grep -q 'text-anchor="middle">8x4<' "$folder/shapes.svg"
holds 'expressions are escaped' grep -q '&lt; 7, 32x1' "$folder/shapes.svg"
expect 2 "--shapes '8x4,,': expected a list" alone 1 --shapes 8x4,, --machine nvidia-hopper
expect 2 'WIDTHxHEIGHT' alone 1 --shapes 8x4,9 --machine nvidia-hopper
expect 2 "'none'" alone 1 --machines nvidia-hopper,none
"$bankline" model --show-machine nvidia-hopper | sed 's/^banks = 32/banks = 16/' >"$folder/twin.machine"
expect 2 "twin.machine' are both named 'nvidia-hopper'; in a machine file, change 'name = nvidia-hopper'" \
    alone 1 --machines "nvidia-hopper,$folder/twin.machine"
sed 's/^name = .*/name = twin/' "$folder/twin.machine" >"$folder/other.machine"
expect 0 'twin ' alone 1 --machines "nvidia-hopper,$folder/other.machine" --shapes 32x1,8x4
alone 'get_local_id(0) * {1,2} + {1..17}' --machine nvidia-hopper -o "$folder/many_lines.svg" >/dev/null
holds 'lines of the same colour differ by their dashes' \
    [ "$(grep -oE '<polyline class="c[0-7]( d)?"' "$folder/many_lines.svg" | sort | uniq -d | wc -l)" -le 1 ]
expect 0 '1/2' alone 'get_global_id(0) * 2 + 0000000000000000000000000000000000000000000000' \
    'get_global_id(0)' --machine nvidia-hopper --shapes 32x1,8x4 -o "$folder/cut.svg"
holds 'a text that is cut ends in an ellipsis' grep -q '>get_global_id(0) \* 2 + 00&#8230;<' "$folder/cut.svg"
expect 0 'has no predictions' alone 'get_global_id(0) * {1,2}' --machine cpu -o "$folder/nothing.svg"
holds 'a picture without predictions says so' grep -q '>nothing is predicted or measured<' "$folder/nothing.svg"
holds 'a picture without predictions has no axes' sh -c "! grep -q 'class=\"grid\"' '$folder/nothing.svg'"
expect 2 'same file' alone 1 --machine nvidia-hopper -o "$folder/x.html" --html "$folder/x.html"

expect 0 'machine cpu: no predictions: a CPU has no requests of many lanes' alone 'get_local_id(0) * {1,2}' \
    --machines nvidia-hopper,cpu --shapes 32x1,8x4
holds 'the reason is printed once' [ "$(grep -c 'no predictions' "$folder/out")" -eq 1 ]
holds 'rows without a prediction are left out' [ "$(grep -c '^cpu ' "$folder/out")" -eq 0 ]
holds "the other machine's rows are shown" [ "$(grep -c '^nvidia-hopper ' "$folder/out")" -eq 4 ]
expect 0 'get_global_id(0)/32: no prediction: there is no rule for writes of all' alone 'get_global_id(0)/32' --write \
    --machine nvidia-hopper
expect 0 'machine nvidia-hopper: no predictions: there is no rule for writes of all' alone 'get_global_id(0)/32' --write --machines nvidia-hopper
expect 0 'A group of 64x32 can only be predicted: the devices that machine intel-gen9 describes run groups of at most 256' \
    alone 'get_local_id(0) * {1,2}' --machines intel-gen9,amd-cdna3 --shapes 64x32,8x8
holds 'the limit is printed once per machine' [ "$(grep -c 'groups of at most' "$folder/out")" -eq 2 ]
expect 2 '--shape and --shapes: use one of them' alone 1 --shape 8x4 --shapes 8x4,9x1 --machine nvidia-hopper
expect 2 '--machine and --machines: use one of them' alone 1 --machine cpu --machines nvidia-hopper

if has_terminals; then
    for width in 60 80; do
        for lists in '--machine nvidia-hopper' '--machines nvidia-hopper,intel-gen9 --shapes 32x1,8x8'; do
            script -qec "stty cols $width; OCL_ICD_VENDORS=$folder/none '$bankline' try --model-only \
                'get_global_id(0)*{3,4}' --type float4 $lists" /dev/null | tr -d '\r' >"$folder/table"
            holds "the table of $lists fits $width columns" sh -c "grep -q 'get_global_id(0)\*3  ' '$folder/table' &&
                ! grep -E '.{$((width + 1))}' '$folder/table'"
        done
    done
fi

# A file name must have the ending of the option's format. If a picture goes to standard output, nothing else is written
# there.
expect 2 "--output 'x.pdf': expected a file *.svg or *.html, or -" alone 1 --machine nvidia-hopper -o x.pdf
expect 2 "--html 'x.svg': expected a file *.html or *.htm, or -" alone 1 --machine nvidia-hopper --html x.svg
expect 2 "--requests 'r.png': expected a file *.svg, or -" alone 1 --machine nvidia-hopper --requests r.png
for option in -o --requests; do
    alone 'get_local_id(0) * {1,2}' --machine nvidia-hopper $option - >"$folder/only.svg" 2>"$folder/err"
    holds "'$option -' writes only the picture to standard output" \
        sh -c "head -n 1 '$folder/only.svg' | grep -q '^<svg' && ! grep -q 'means over' '$folder/only.svg'"
    holds 'the table goes to standard error' grep -q '^means over' "$folder/err"
done
try 'get_local_id(0) * {1,2}' --level cache -o - >"$folder/only.svg" 2>"$folder/err"
holds 'standard output has only the picture, even if the expressions are measured' sh -c "[ \$(grep -c '<rect' '$folder/only.svg') -eq 2 ] &&
    ! grep -q 'no-rule' '$folder/only.svg' && grep -q '2 rows: 2 no-rule' '$folder/err'"

# A sweep with indices outside the array.
expect 2 '9474 more expressions of get_global_id(0)*{1..10000}: the same failure; the last that fits is get_global_id(0)*525' \
    alone 'get_global_id(0)*{1..10000}' --memory local --machine nvidia-hopper
holds 'only the first error is printed' [ "$(wc -l <"$folder/err")" -eq 3 ]
expect 2 '1 more expression of {-2,-1}: the same failure; none fits' alone '{-2,-1}' 1 --machine nvidia-hopper
expect 2 '2 more expressions of 7/{0..2}*0+7/0: the same failure' alone '7/{0..2}*0+7/0' 1 --machine nvidia-hopper

# Draws the requests of two expressions side by side, clock by clock.
expect 0 '1/32' alone 'get_global_id(0) * 32' 'get_global_id(0) * 33' --memory local --array-elements 4096 \
    --machine nvidia-hopper --shape 32x1 --requests "$folder/two.svg"
holds 'both requests are drawn' [ "$(grep -o '<g transform="translate(' "$folder/two.svg" | wc -l)" -eq 2 ]
holds 'one request takes 32 clocks' [ "$(grep -o '>clock 32<' "$folder/two.svg" | wc -l)" -eq 1 ]
holds 'each request is labelled with its expression' grep -qF '>get_global_id(0) * 33<' "$folder/two.svg"
expect 2 'draws at most 16' alone 'get_global_id(0) * {1..17}' --machine nvidia-hopper --requests "$folder/many.svg"
holds 'nothing is written' [ ! -e "$folder/many.svg" ]
expect 2 '--table: no expression reads table[...]' alone 'get_global_id(0)' --table random:64 --machine nvidia-hopper
expect 2 'has no rule' alone 'get_global_id(0)' --machine cpu --requests "$folder/cpu.svg"
expect 2 'of one shape on one machine' alone 1 --machines nvidia-hopper --requests "$folder/x.svg"
expect 2 'same file' alone 1 --machine nvidia-hopper -o "$folder/x.svg" --requests "$folder/x.svg"
expect 2 'same file' alone 1 --machine nvidia-hopper -o "$folder/x.svg" --csv "$folder/x.svg"
echo old >"$folder/old.svg"
expect 2 'outside the array' alone '0 - 1' --machine nvidia-hopper -o "$folder/old.svg"
holds 'a failure leaves the old picture' [ "$(cat "$folder/old.svg")" = old ]
expect 2 'the messages above say why; no picture was written' alone '0 - 1' --machine nvidia-hopper -o "$folder/old.svg" \
    --csv "$folder/x.csv"
expect 2 'some expressions failed' alone '0 - 1' 'get_global_id(0)' --machine nvidia-hopper -o "$folder/old.svg" \
    --html "$folder/part.html" --requests "$folder/part.svg"
holds 'the expressions that did not fail are drawn' sh -c "grep -c '<circle' '$folder/old.svg' '$folder/part.html' |
    grep -c ':1' | grep -q 2 && grep -q '<svg' '$folder/part.svg'"
expect 2 'some expressions failed' alone '0 - 1' 'get_global_id(0)' --machines nvidia-hopper -o "$folder/listed.svg"
holds 'the expressions that did not fail are drawn for a list of machines, too' grep -q '<circle' "$folder/listed.svg"
expect 2 'some cases failed' try '1 / get_local_id(0)' 'get_global_id(0)' --level cache -o "$folder/measured.svg"
holds 'the expressions that did not fail are drawn, even if they are measured' [ "$(grep -c '<rect' "$folder/measured.svg")" -eq 1 ]
expect 0 '3 rows: 3 no-rule' try 'get_global_id(0) * {1..3}' --machine nvidia-hopper --level cache -o "$folder/measured.svg"
holds 'measurements are in the picture' [ "$(grep -c '<rect' "$folder/measured.svg")" -eq 3 ]
expect 0 '3 rows: 3 no-rule' try 'get_global_id(0) * {1..3}' --level cache -o "$folder/unpredicted.svg"
holds 'measurements are drawn without predictions' [ "$(grep -c '<rect' "$folder/unpredicted.svg")" -eq 3 ]
holds 'without predictions no line is drawn' sh -c "! grep -qE '<polyline|<circle|nan' '$folder/unpredicted.svg'"

# Expressions that read their indices from a table.
expect 2 "as table[...], and give the table with --table FILE, --table random:N" \
    alone 'neighbours[get_global_id(0)]' --machine nvidia-hopper
printf '# eight lines\n0, 32 64\n96,128\n160 192 224\n' >"$folder/eight.table"
expect 0 'table: 8 entries of ' alone 'table[get_global_id(0) % 8]' --table "$folder/eight.table" --machine nvidia-hopper
holds "the cache lines are counted with the table's data" grep -qE '^table\[get_global_id\(0\) % 8\] +8\.00 ' "$folder/out"
expect 2 'work-item (8,0) of group (0,0) reads table[8], and the table has 8 entries' \
    alone 'table[get_global_id(0)]' --table "$folder/eight.table" --machine nvidia-hopper
expect 0 'table: random below 4096, seed 3' alone 'table[get_global_id(0)]' --table random:4096:3 --machine nvidia-hopper
cp "$folder/out" "$folder/random"
expect 0 'seed 3' alone 'table[get_global_id(0)]' --table random:4096:3 --machine nvidia-hopper
holds 'a seed gives the same table again' cmp "$folder/out" "$folder/random"
expect 0 '1/16' alone 'table[get_local_id(0)] * 32' --table permutation:32 --memory local --machine nvidia-hopper --shape 16x1
expect 0 '1 row: 1 no-rule' try 'table[get_global_id(0)]' --table permutation:256 --machine nvidia-hopper --level cache \
    --csv "$folder/table.csv"
holds 'the row names its table' grep -q 'table: a permutation of 256, seed 1' "$folder/table.csv"
printf '1\nx\n' >"$folder/wrong.table"
expect 4 'wrong.table:2: '"'x'"' is not a 32-bit integer' alone 'table[0]' --table "$folder/wrong.table" --machine nvidia-hopper
expect 4 'for a generated table, give random:N or permutation:N' alone 'table[0]' --table "$folder/none.table" --machine nvidia-hopper
printf '%040d 7\n' 5 >"$folder/wrong.table" # 40 digits, of which 39 are leading zeros
expect 4 "wrong.table:1: '000000000000000000000000000000' is not a 32-bit integer" \
    alone 'table[0]' --table "$folder/wrong.table" --machine nvidia-hopper
expect 4 '/dev/zero:1: a zero byte' timeout 10 env OCL_ICD_VENDORS="$folder/none" "$bankline" try --model-only 'table[0]' \
    --table /dev/zero --machine nvidia-hopper
expect 4 'contains no integers' alone 'table[0]' --table /dev/null --machine nvidia-hopper
expect 2 'expected random:N or permutation:N' alone 'table[0]' --table random:x --machine nvidia-hopper

# With --quiet and no file for the rows, only the last lines of the output are printed.
printf 'far = get_global_id(0) * 32\nnear = get_global_id(0)\n' >"$folder/two.patterns"
expect 0 '1/32' alone --patterns "$folder/two.patterns" --machine nvidia-hopper --quiet
holds '--quiet prints one line per pattern and no picture' [ "$(grep -cE '^(far|near|contiguous) ' "$folder/out")" -eq 3 ]
holds '--quiet prints little else' [ "$(wc -l <"$folder/out")" -le 6 ]
alone --patterns "$folder/two.patterns" --machine nvidia-hopper --quiet --csv "$folder/quiet.csv" >"$folder/out" 2>&1
holds '--quiet with a file for the rows prints nothing' [ ! -s "$folder/out" ]
expect 0 'run groups of at most 1024 work-items' alone 'get_local_id(0)' --shape 64x64 --machine nvidia-hopper
expect 0 'machine intel-gen9 describes run groups of at most 256 work-items' alone 'get_local_id(0)' --shape 257x1 --machine intel-gen9
alone 'get_local_id(0)' --shape 64x64 --machine intel-gen11 >"$folder/out"
holds 'no sentence mentions an unknown maximum' sh -c "! grep -q 'at most' '$folder/out'"
alone 'get_local_id(0)' --shape 32x32 --machine nvidia-hopper >"$folder/out"
holds 'no sentence mentions the maximum if the group fits' sh -c "! grep -q 'at most 1024' '$folder/out'"

# Sentences explain what limits a pattern, and which change would help.
expect 0 'limited by  32 of 32 lanes want different words of bank 0' model 'get_local_id(0) * 32' --memory local
expect 0 'would help  pad each row of 32 elements by 1: 32 times as fast' \
    model 'get_local_id(0) * 32' --memory local
expect 0 'limited by  nothing: no bank conflict' model 'get_local_id(0)' --memory local
expect 0 'lanes with the same letter share a cache line' model 'get_local_id(0)'
expect 0 'Predictions are for machine nvidia-hopper; this device, ' model 'get_local_id(0)'
expect 0 ', is machine cpu.' model 'get_local_id(0)'
expect 0 'use for example --machine nvidia-hopper' try 'get_local_id(0)' --model-only

# A machine from a file.
"$bankline" model --show-machine nvidia-hopper | sed 's/^banks = 32/banks = 16/' >"$folder/half.machine"
expect 0 '2.00    2.00  1' model 'get_local_id(0)' --memory local --machine "$folder/half.machine"
expect 0 'banks = 16' "$bankline" model --show-machine "$folder/half.machine"
expect 0 '1/16' "$bankline" model --machine "$folder/half.machine" 'local/6'
printf 'lanes = 32\nbonks = 3\n' >"$folder/bad.machine"
expect 4 "bad.machine:2: unknown key 'bonks'; did you mean 'banks'?" model 1 --machine "$folder/bad.machine"
expect 4 'bad.machine:2' "$bankline" run --machine "$folder/bad.machine"
expect 2 "unknown machine 'gen10'" model 1 --machine gen10
expect 2 "did you mean 'nvidia-hopper'?" model 1 --machine nvidia-hoper

# Files of patterns.
printf '# ours\n\nodd = get_local_id(0) * 3 # banks\r\neven=get_local_id(0) * 2\n' >"$folder/ours"
expect 0 'try/even' try --patterns "$folder/ours" --memory local --csv "$folder/ours.csv"
holds 'every pattern has a row with its name and its expression' \
    [ "$(grep -cE ',try/(odd|even),try,local,.*,get_local_id\(0\) \* [23],,Linux' "$folder/ours.csv")" -eq 2 ]
"$bankline" model --csv "$folder/model.csv" local/1 >/dev/null
holds 'the CSV has the same columns as that of model' \
    [ "$(head -n 1 "$folder/ours.csv")" = "$(head -n 1 "$folder/model.csv")" ]
pattern_file() { printf "%b" "$1" >"$folder/bad"; try --patterns "$folder/bad"; } # TEXT
expect 4 'bad has no pattern' pattern_file ''
expect 4 'bad has no pattern' pattern_file '# nothing\n\n'
expect 4 "bad:3: the name 'a' is already used in line 1" pattern_file 'a = 1\n\na = 2\n'
expect 4 'bad:2: b: an operand is missing at the end' pattern_file 'a = 1\nb = 1 +\n'
expect 4 "bad:1: invalid name 'a b'" pattern_file 'a b = 1\n'
expect 4 "has no '='" pattern_file 'get_global_id(0)\n'
expect 4 'a zero byte' try --patterns "$program"
expect 4 'No such file' try --patterns "$folder/none"

# Expressions that are invalid, are not integers, or would access memory outside the array.
expect 2 'usage: bankline try EXPR...' try
expect 2 "';' has no place" try '0; while (1)'
expect 2 '   ^' try '0; while (1)'
expect 2 'never opened' try '0) ; (0'
expect 2 "'get_global_id' takes 1 argument, not 2" try 'get_global_id(0, 1)'
expect 2 '  get_global_id(0, 1)' try 'get_global_id(0, 1)'
expect 2 "did you mean 'get_global_id'?" try 'get_globl_id(0)'
expect 2 "'1e30f' is floating-point, but an index must be an integer" try 'convert_int(1e30f)' --groups 65536
expect 2 "'FLT_MAX' is floating-point" try '(int)FLT_MAX'
expect 2 "'2.0' is floating-point" try 'get_global_id(0) / 2.0'
expect 2 "'2.0f' is floating-point" try 'get_global_id(0) / 2.0f'
expect 2 "'sqrt' is floating-point" try '(int)sqrt(get_global_id(0))'
expect 2 "'int2' is a vector" try '(int2)(1, 2)'
expect 0 'try/get_global_id(0) / 2' try 'get_global_id(0) / 2'
expect 2 "'min' needs operands of the same type" try 'min(get_global_id(0),3)'
expect 0 'try/min(get_global_id(0),3ul)' try 'min(get_global_id(0),3ul)'
expect 2 'work-item (0,0) of group (0,0) divides by zero' try '7 / get_local_id(0)'
expect 2 'has index -1' try 'get_global_id(0) - 1'
expect 2 'outside the array of 100 elements' try 'get_global_id(0)' --array-elements 100
expect 2 'work-item (4,0) of group (6,0) has index 100' try 'get_global_id(0)' --array-elements 100
expect 2 'outside the array' try 'get_local_id(0) * 100000000' --memory local
expect 2 'ids may range over' try 1 --groups 16777216x16777216
expect 2 'does not fit: the device takes at most' try 1 --shape 65536x65536
expect 2 'does not fit' try 1 --shape 65536x1
expect 2 'cannot be written' try 1 --memory constant --write
expect 2 "unknown type 'itn4'; did you mean 'int4'?" try 1 --type itn4
expect 2 'does not fit: the model takes at most 65536 work-items' "$bankline" model --shape 65536x65536
expect 2 'does not fit: the model takes at most 65536 work-items' "$bankline" model --shape 65536x1024
expect 0 '1/16' "$bankline" model --shape 65536x1 'local/6'
expect 0 'try/get_local_id(0)' try 'get_local_id(0)' --type long16
expect 2 'global, local or constant' try 1 --memory private
expect 2 'expected an integer from 1' try 1 --array-elements 0
expect 2 "--groups '0': expected N or WIDTHxHEIGHT" try 1 --groups 0
expect 2 "'run' has no option '--write'" "$bankline" run --write

# If one expression fails, the other expressions are still tried.
expect 2 '2 rows: 1 no-rule' try '1 / get_local_id(0)' 'get_local_id(0)' --csv "$folder/two.csv"
holds 'the failed row has a reason' grep -q ',error,"\?work-item (0,0) of group (0,0) divides' "$folder/two.csv"
expect 2 'some expressions failed' model 'get_local_id(0) - 1' 'get_local_id(0)'
expect 2 '1 row: 1 error' try 'get_local_id(0) - 1' --csv "$folder/one.csv"

# The message names the expression that failed. If all expressions fail, a message says so.
expect 2 '0 - 1 on ' "$bankline" try --device portable --quick --shape 16x1 --machine nvidia-hopper 'get_global_id(0)' \
    '0 - 1'
expect 2 'nothing left' "$bankline" try --device portable --quick --shape 16x1 '0 - 1' '0 - 2'
expect 2 '' "$bankline" try --device portable --quick --model-only --shape 16x1 '0 - 1' '0 - 2' \
    --csv "$folder/none.csv"
# The README shows what the program prints.
sed -n '/^    \$ bankline try/,/^$/p' "$(dirname "$0")/../README.md" | sed 's/^    //; /^$/d' >"$folder/shown"
# shellcheck disable=SC2046 # the words of a command
eval "expect 0 'limited by' $(sed -n '1s/^\$ bankline try/model/p' "$folder/shown")"
sed 1d "$folder/shown" | while read -r line; do
    grep -qF -- "$line" "$folder/out" || echo "$line"
done >"$folder/missing"
holds 'the README shows what is printed' [ ! -s "$folder/missing" ]

finish
