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
case "\$* " in
*\ --help\ *) exec "$real" "\$@" ;;
run\ * | 'try --patterns'*) ;;
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
if [ -e "$folder/waits" ]; then
    cat "$folder/waits" # until the other one has come
    cat "$folder/waits"
fi
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
tonight 02
expect_silence 'a night like the one before is silent'
tonight 03 '/,local\/5,.*,32x1,/s/,0\.5,0\.50[0-9]*,[0-9.]*,[0-9.]*,/,0.5,0.45,0.4497,0.4503,/'
expect 1 'slower' nightly
holds 'it says what' grep -qE '^slower +local/5 +32x1 ' "$folder/out"
holds 'it is named alone, and was so when it was measured again' [ "$(grep -c '^slower' "$folder/out")" -eq 2 ]
holds 'the first night of it is named' grep -q '0.4500 since 2026-01-03T02:00:00Z (-10' "$folder/out"
holds 'the changes are there to be plotted' sh -c "ls '$folder'/nights/20*/run-changes.md && grep -q \
    '^slower,local/5,int,32x1' '$folder'/nights/20*/run-changes.csv"
# What is slow once, and not when it is measured again, is no alarm.
cp "$folder/tonight.csv" "$folder/kept.csv"
tonight 02
mv "$folder/tonight.csv" "$folder/again.csv"
sed 's/night-03/night-04/; s/2026-01-03/2026-01-04/' "$folder/kept.csv" >"$folder/tonight.csv"
expect_silence 'a neighbour that is gone is no alarm'
holds 'what was seen is written down' grep -q 'measured again' -r "$folder/nights" --include=compare.txt
# A row that is missing is not excused by it.
sed '/,local\/7,.*,32x1,/d; s/night-04/night-05/; s/2026-01-04/2026-01-05/' "$folder/kept.csv" |
    sed 's/night-03/night-05/; s/2026-01-03/2026-01-05/' >"$folder/tonight.csv"
expect 1 'missing' nightly
holds 'it says what is missing' grep -qE '^missing +local/7 +32x1 ' "$folder/out"
rm "$folder/again.csv"
tonight 06
expect_silence 'the next good night is silent'
holds 'three nights are kept' [ "$(folders)" -eq 3 ]
holds 'and all in the history' [ "$("$real" history list --db "$folder/nights/history.db" | tail -1)" = '6 runs' ]
touch "$folder/patterns"
for number in 07 08; do
    tonight $number
    export NIGHTLY_PATTERNS=patterns NIGHTLY_DIR=nights BANKLINE=./bankline # of where one is
    cd "$folder" || exit 1
    expect_silence 'patterns of one'"'"'s own do not miss the rows of the run'
done
unset NIGHTLY_PATTERNS
export BANKLINE="$folder/bankline" NIGHTLY_DIR="$folder/nights"
holds 'they have a history' [ "$("$real" history list --db "$folder/nights/patterns.db" | tail -1)" = '2 runs' ]

# A night that failed does not count among those that are kept, and not many are.
touch "$folder/fails"
for number in 1 2 3 4; do expect 3 'no device' nightly; done
holds 'nothing but the message' [ "$(wc -l <"$folder/err")" -eq 2 ]
holds 'three good nights are there, and three that failed' [ "$(folders)" -eq 6 ]
holds 'the good ones have rows' [ "$(find "$folder/nights" -name run.csv | wc -l)" -eq 3 ]
rm "$folder/fails"

# Two at a time.
mkfifo "$folder/waits"
tonight 09
nightly >/dev/null 2>&1 &
: >"$folder/waits" # it is measuring
expect 75 'another one is running' nightly
: >"$folder/waits"
wait
rm "$folder/waits"

# What is wrong is found before anything is made.
empty() { # STATUS PART VARIABLE=VALUE... [-- ARGUMENT...]
    status=$1 part=$2
    shift 2
    expect "$status" "$part" env NIGHTLY_DIR="$folder/none" "$@"
    holds "$* makes nothing" [ ! -e "$folder/none" ]
}
script=$source_dir/scripts/nightly
empty 0 'usage: nightly' "$script" --help
empty 2 '--bogus' "$script" --bogus
empty 2 '--precision' "$script" --precision none local/1
empty 2 "NIGHTLY_THRESHOLD is 'none'" NIGHTLY_THRESHOLD=none "$script"
for keep in none 0 00 -1 1.5 12345 '1 2'; do
    empty 2 "NIGHTLY_KEEP is '$keep'; expected an integer from 1 to 9999" NIGHTLY_KEEP="$keep" "$script"
done
empty 2 "no program '$folder/nowhere'" BANKLINE="$folder/nowhere" "$script"
empty 4 "cannot read NIGHTLY_PATTERNS, '$folder/nowhere'" NIGHTLY_PATTERNS=nowhere "$script"
expect 2 'set NIGHTLY_DIR' env -u HOME -u XDG_STATE_HOME -u NIGHTLY_DIR "$script"
tonight 10
before=$(folders)
expect 2 'no/such' env BANKLINE="$real" "$script" no/such
holds 'a case that there is not leaves no folder' [ "$(folders)" -eq "$before" ]

# Nine is nine, also when it begins with a zero; names with spaces, and with a dash before them; no HOME
# or TMPDIR is needed, and the home folder is the default.
cd "$folder" || exit 1
run_night() { env "$@" NIGHTLY_KEEP=09 "$script" >"$folder/out" 2>&1 && [ ! -s "$folder/out" ]; }
holds 'NIGHTLY_KEEP=09' run_night -u HOME -u TMPDIR NIGHTLY_DIR=-the\ nights CDPATH=/
holds 'is kept there' sh -c "ls '$folder/-the nights'/20*/run.csv"
holds 'the home folder' run_night -u NIGHTLY_DIR -u XDG_STATE_HOME HOME="$folder/my home"
holds 'has a place for it' sh -c "ls '$folder/my home/.local/state/bankline'/20*/run.csv"

# Installed, it finds the program beside it.
mkdir "$folder/my bin"
cp "$script" "$folder/my bin/bankline-nightly"
cp "$folder/bankline" "$folder/my bin/bankline"
ln -s "$folder/my bin/bankline-nightly" "$folder/link"
holds 'an installed one' env -u BANKLINE NIGHTLY_DIR="$folder/installed" "$folder/link"
holds 'has measured' sh -c "ls '$folder'/installed/20*/run.csv"

finish
