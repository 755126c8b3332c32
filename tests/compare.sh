#!/bin/sh
# `bankline compare` end to end: compare.sh BANKLINE REFERENCE.csv
set -u
bankline=$1 reference=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# shellcheck source=tests/checks.sh
. "$(dirname "$0")/checks.sh"

compare() { "$bankline" compare "$@"; }
# A copy of the reference run, changed by sed.
copy() { sed "$@" "$reference" >"$folder/new.csv"; }
rows=$(($(wc -l <"$reference") - 1))

expect 0 "$rows rows:" compare "$reference" "$reference"
holds 'of a run with itself nothing is told but the count' [ "$(wc -l <"$folder/out")" -eq 1 ]

copy '/,local\/5,.*,32x1,/s/,0\.5,0\.50[0-9]*,[0-9.]*,[0-9.]*,/,0.5,0.45,0.449,0.451,/'
expect 1 'slower   local/5' compare "$reference" "$folder/new.csv"
holds 'it is named alone' [ "$(wc -l <"$folder/out")" -eq 2 ]
expect 0 'faster   local/5' compare "$folder/new.csv" "$reference"
expect 1 '1 slower' compare --quiet "$reference" "$folder/new.csv"
holds 'quiet is one line' [ "$(wc -l <"$folder/out")" -eq 1 ]
expect 0 "$rows same" compare --threshold 30% "$reference" "$folder/new.csv"

copy '/,local\/5,.*,32x1,/d'
expect 1 'missing  local/5' compare "$reference" "$folder/new.csv"
expect 0 'new      local/5' compare "$folder/new.csv" "$reference"
copy '/,local\/5,.*,32x1,/s/,0\.5,0\.50[0-9]*,[0-9.]*,[0-9.]*,confirmed,ok,,/,0.5,,,,,error,a call failed,/'
expect 1 'broken   local/5                  32x1    int      error: a call failed' \
    compare "$reference" "$folder/new.csv"

copy 's/,580\.[0-9.]*,/,581.1,/'
expect 0 'driver: 580' compare "$reference" "$folder/new.csv"
copy 's/H100/H900/'
expect 2 '--any-device' compare "$reference" "$folder/new.csv"
expect 0 'device: NVIDIA H100' compare --any-device "$reference" "$folder/new.csv"

head -c 5000 "$reference" >"$folder/cut.csv"
expect 4 'cut.csv: line ' compare "$reference" "$folder/cut.csv"
printf 'a,b\n1,2\n' >"$folder/foreign.csv"
expect 4 'foreign.csv: line 1: not the header' compare "$folder/foreign.csv" "$reference"
sed '1s/$/,later/' "$reference" >"$folder/later.csv"
expect 4 'later.csv: line 1' compare "$reference" "$folder/later.csv"
expect 4 'No such file' compare "$reference" "$folder/none.csv"
expect 4 '' compare "$reference" "$bankline"
expect 2 'wants two files' compare "$reference"
expect 2 '--threshold x' compare --threshold x "$reference" "$reference"

finish
