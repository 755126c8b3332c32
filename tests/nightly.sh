#!/bin/sh
# scripts/nightly with a stand-in that measures what a night's file says: nightly.sh BANKLINE
# REFERENCE.csv SOURCE
set -u
real=$1 reference=$2 source_dir=$3
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# shellcheck source=tests/checks.sh
. "$(dirname "$0")/checks.sh"
case $real in /*) ;; *) real=$PWD/$real ;; esac
if "$real" history list 2>&1 | grep -q 'built without sqlite3'; then
    echo 'skipped: built without sqlite3'
    exit 77
fi

cat >"$folder/bankline" <<END
#!/bin/sh
# 'run' copies tonight.csv in place of measuring, 'try' some of its rows; all else is the program's own.
case "\$1 \$2" in
run\ * | 'try --patterns') ;;
*) exec "$real" "\$@" ;;
esac
[ -e "$folder/fails" ] && { echo 'bankline: no device' >&2; exit 3; }
kind=\$1
while [ "\$#" -gt 0 ]; do
    case \$1 in
    --csv)
        case \$PWD in
        */again) [ ! -e "$folder/again.csv" ] || cp "$folder/again.csv" "$folder/tonight.csv" ;;
        esac
        cp "$folder/tonight.csv" "\$2"
        [ "\$kind" = run ] || sed -i -e '2,\$s/night-/patterns-/' -e '2,\${/,width\//!d}' "\$2"
        ;;
    --prometheus | --markdown | --json | --junit) echo "\$1" >"\$2" ;;
    esac
    shift
done
[ -e "$folder/waits" ] && sleep 5
exit 0
END
chmod +x "$folder/bankline"
export BANKLINE="$folder/bankline" NIGHTLY_DIR="$folder/nights" NIGHTLY_KEEP=3
nightly() { "$source_dir/scripts/nightly"; }
tonight() { # NUMBER [SED]
    sed "2,\$s/^\([0-9]*\),[^,]*,[^,]*,/\1,night-$1,2026-01-$1T02:00:00Z,/" "$reference" |
        sed "${2:-}" >"$folder/tonight.csv"
}
folders() { find "$folder/nights" -mindepth 1 -maxdepth 1 -type d | wc -l; }

tonight 01
expect_silence() {
    checks=$((checks + 1))
    if ! nightly >"$folder/out" 2>&1 || [ -s "$folder/out" ]; then
        failed=$((failed + 1))
        echo "FAILED: $1"
        cat "$folder/out"
    fi
}
expect_silence 'the first night is silent'
holds 'its reports are there' sh -c "ls '$folder'/nights/20*/run.csv '$folder'/nights/20*/run.md \
    '$folder'/nights/20*/run.prom"
sleep 1
tonight 02
expect_silence 'a night like the one before is silent'
sleep 1
tonight 03 '/,local\/5,.*,32x1,/s/,0\.5,0\.50[0-9]*,[0-9.]*,[0-9.]*,/,0.5,0.45,0.4497,0.4503,/'
expect 1 'slower   local/5                  32x1' nightly
holds 'it is named alone, and was so when it was measured again' [ "$(grep -c '^slower' "$folder/out")" -eq 2 ]
holds 'the first night of it is named' grep -q '0.4500 since 2026-01-03T02:00:00Z (-10' "$folder/out"
holds 'the changes are there to be plotted' sh -c "ls '$folder'/nights/20*/changes.md && grep -q \
    '^slower,local/5,int,32x1' '$folder'/nights/20*/run-changes.csv"
sleep 1
# What is slow once, and not when it is measured again, is no alarm.
cp "$folder/tonight.csv" "$folder/kept.csv"
tonight 02
mv "$folder/tonight.csv" "$folder/again.csv"
sed 's/night-03/night-04/; s/2026-01-03/2026-01-04/' "$folder/kept.csv" >"$folder/tonight.csv"
expect_silence 'a neighbour that is gone is no alarm'
holds 'what was seen is written down' grep -q 'measured again' -r "$folder/nights" --include=compare.txt
# A row that is missing is not excused by it.
sleep 1
sed '/,local\/7,.*,32x1,/d; s/night-04/night-05/; s/2026-01-04/2026-01-05/' "$folder/kept.csv" |
    sed 's/night-03/night-05/; s/2026-01-03/2026-01-05/' >"$folder/tonight.csv"
expect 1 'missing  local/7' nightly
rm "$folder/again.csv"
sleep 1
tonight 06
expect_silence 'the next good night is silent'
holds 'three nights are kept' [ "$(folders)" -eq 3 ]
holds 'and all in the history' [ "$("$real" history list --db "$folder/nights/history.db" | tail -1)" = '6 runs' ]
sleep 1
touch "$folder/patterns"
for number in 07 08; do
    tonight $number
    export NIGHTLY_PATTERNS=patterns NIGHTLY_DIR=nights BANKLINE=./bankline # of where one is
    cd "$folder" || exit 1
    expect_silence 'patterns of one'"'"'s own do not miss the rows of the run'
    sleep 1
done
unset NIGHTLY_PATTERNS
export BANKLINE="$folder/bankline" NIGHTLY_DIR="$folder/nights"
holds 'they have a history' [ "$("$real" history list --db "$folder/nights/patterns.db" | tail -1)" = '2 runs' ]
touch "$folder/fails"
expect 3 'no device' nightly
rm "$folder/fails"
sleep 1
touch "$folder/waits"
tonight 09
nightly >/dev/null 2>&1 &
sleep 1
expect 75 'another one is running' nightly
wait
expect 2 'NIGHTLY_KEEP' env NIGHTLY_KEEP=none "$source_dir/scripts/nightly"

finish
