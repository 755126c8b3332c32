#!/bin/sh
# Tests the program's help texts, man page, completion and lists of cases: help.sh BANKLINE
set -u
case $1 in /*) bankline=$1 ;; *) bankline=$PWD/$1 ;; esac
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# shellcheck source=tests/checks.sh
. "$(dirname "$0")/checks.sh"
PATH=$(dirname "$bankline"):$PATH
has_history=true
"$bankline" history list 2>&1 | grep -q 'built without sqlite3' && has_history=false

# Help.
fits() { [ -s "$1" ] && ! grep -qE "^.{$(($2 + 1)),}" "$1"; } # FILE COLUMNS
"$bankline" help >"$folder/help"
holds 'the overview fits 80 columns' fits "$folder/help" 80
# `commands` has the order of the overview. Every command must have a source file cmd_COMMAND.c.
commands=$(sed -nE "s/^  ([a-z]+) .*/\1/p" "$folder/help" | tr '\n' ' ')
files=$(cd "$(dirname "$0")/../host/cli" && for file in cmd_*.c; do echo "${file%.c}"; done | cut -c5- | sort)
holds 'the overview lists every command' [ "$(echo "$commands" | xargs -n 1 | sort)" = "$files" ]
actions='add list show compare since why unjudged outliers export'
about() { # COMMAND [ACTION]: checks the help of a command
    "$bankline" help "$@" >"$folder/one"
    holds "help $* begins with 'usage:'" grep -q "^usage: bankline $* " "$folder/one"
    holds "help $* fits 80 columns" fits "$folder/one" 80
    holds "help $* shows two examples" [ "$(grep -c "^  bankline $*" "$folder/one")" -eq 2 ]
    "$bankline" "$@" --help >"$folder/two"
    holds "$* --help prints the same as help $*" cmp "$folder/one" "$folder/two"
}
for command in $commands; do
    if [ "$command" != history ] || $has_history; then about "$command"; fi
done
for action in $actions; do ! $has_history || about history "$action"; done
expect 0 '--csv FILE' "$bankline" model --help
holds "help lists only the command's options" sh -c "! grep -q -e --strict '$folder/out'"
expect 2 "unknown command 'compar'; did you mean 'compare'?" "$bankline" help compar
expect 0 'bankline 0.' "$bankline" --version
expect 4 'No space left' sh -c "'$bankline' help >/dev/full"

# A command with many options lists them in groups, and no option is missing. A command with few options has one list.
"$bankline" help run >"$folder/grouped"
holds 'many options are listed in groups' [ "$(sed -n 's/^options, \(.*\):$/\1/p' "$folder/grouped" | tr '\n' ' ')" = \
    'general time output device and machine ' ]
holds 'an option is in the right group' sh -c "sed -n '/^options, time/,/^$/p' '$folder/grouped' | grep -q '^  --seconds S'"
"$bankline" completion words -- run -- | cut -f1 >"$folder/options"
holds 'run has options' [ "$(wc -l <"$folder/options")" -gt 10 ]
while read -r option; do
    holds "help run lists $option once" [ "$(grep -c -e "^  $option\( \|\$\)" "$folder/grouped")" -eq 1 ]
done <"$folder/options"
"$bankline" help devices >"$folder/grouped"
holds 'a few options are printed in one list' grep -qx 'options:' "$folder/grouped"

# `help words` explains the terms, and `help columns` the columns of the CSV.
for word in lane row level 'working set' ideal share lost no-rule placement; do
    "$bankline" help words >"$folder/words"
    holds "help words explains '$word'" grep -qE "^  (.*, )?$word(,.*)?(  |\$)" "$folder/words"
done
"$bankline" help columns >"$folder/columns"
holds 'help columns fits 80 columns' fits "$folder/columns" 80
"$bankline" model local/5 --machine nvidia-hopper --csv "$folder/model.csv" >/dev/null
sed 's/,/\n/g; q' "$folder/model.csv" >"$folder/names"
while read -r column; do
    holds "help columns explains $column" grep -qE "^  ([a-z_]+, )*$column(,|  |\$)" "$folder/columns"
done <"$folder/names"
expect 0 'Empty: no number' "$bankline" help columns
holds 'the explanations contain no Markdown' sh -c "! grep -e '[\`*|]' '$folder/columns'"
expect 0 'bank, bank conflict' "$bankline" help words
expect 0 'usage: bankline help' "$bankline" help help
expect 2 "unknown command 'columns'" "$bankline" help columns words

# The man page.
"$bankline" help --man >"$folder/bankline.1"
if man --version >/dev/null 2>&1; then
    holds 'the man page has no warnings' sh -c "[ -z \"\$(LC_ALL=C.UTF-8 man --warnings -l -Tutf8 \
        '$folder/bankline.1' 2>&1 >/dev/null)\" ]"
    MANWIDTH=80 LC_ALL=C man -l "$folder/bankline.1" >"$folder/page" 2>/dev/null
    for part in NAME SYNOPSIS 'EXIT STATUS' ENVIRONMENT FILES; do
        holds "the man page has the section $part" grep -q "^$part\$" "$folder/page"
    done
    holds 'the man page has options and examples' sh -c "grep -q -e '--tolerance PCT' '$folder/page' &&
        grep -q \"bankline run 'shape/\\*' --device 0:0 --quick\" '$folder/page'"
else
    echo 'skipped: the man page as man shows it (no man)'
fi

# `completion words` prints the words that can complete the last WORD of a command line. ':files' and ':folders' mean
# that the shell completes names of files and of folders.
words() { "$bankline" completion words -- "$@" | cut -f1 | tr '\n' ' '; }
becomes() { # EXPECTED WORD...: checks which words complete the last WORD
    expected=$1
    shift
    holds "'$*' becomes '$expected', not '$(words "$@")'" [ "$(words "$@")" = "$expected" ]
}
becomes "$commands" ''
becomes 'run report ' r
becomes '--help --version ' -
becomes '--device --deadline ' run --de
becomes 'local-vs-cache local-vs-cache/1 local-vs-cache/2 local-vs-cache/memory ' run local/1 local-v
becomes '' devices x
becomes ':files ' run --csv ''
becomes '--machine=nvidia-hopper :files ' run --machine=nvidia-ho
becomes ':folders ' run --csv x --kernel-dir ''
becomes 'local ' try --memory lo
becomes 'nvidia-hopper :files ' try --machines nvidia-ho
becomes 'intel-gen9,nvidia-hopper :files ' try --machines intel-gen9,nvidia-ho
becomes '--machines=intel-gen9,nvidia-hopper :files ' try --machines=intel-gen9,nvidia-ho
becomes '8x4,16x1 8x4,16x2 8x4,16x16 ' try --shapes 8x4,16
becomes '16x1 16x2 16x16 ' run --shape 16
becomes 'memory ' try --level m
becomes 'cache ' try --level c
becomes 'random: :files ' try --table r
becomes 'float float2 float3 float4 float8 float16 ' try --type flo
becomes 'bash zsh fish ' completion ''
becomes ':files ' compare a ''
becomes 'local/5 ' compare a b local/5
becomes '' nonsense ''
becomes 'all first,last ' trace --sample ''
becomes '--optimization=z ' trace --optimization=z
becomes 'local/5 ' run --quick --seconds=1 local/5
becomes 'local/5 ' run -- local/5
becomes '' run -- --qu
becomes '' run --quick=y
becomes "${commands}columns words " help ''
becomes 'columns ' help col
becomes '' help run ''
becomes 'nvidia-hopper :files ' model --machine nvidia-ho
becomes '' devices --help ''
$has_history && becomes 'add list show compare since why unjudged outliers export ' help history ''
$has_history && becomes '' help history add ''
$has_history && becomes ':files ' history add ''
$has_history && becomes 'add list show compare since why unjudged outliers export ' history ''
$has_history && becomes '--db --quiet --help ' history add -
$has_history && becomes 'local/5 ' history show --db x.db local/5
holds 'completion without words prints nothing' "$bankline" completion words

# The shells' completion scripts are loaded without a terminal, and print the words that they offer.
cd "$folder" || exit 1
mkdir results
: >run.csv
expect 2 "unknown shell 'tcsh'; expected bash, zsh or fish" "$bankline" completion tcsh
expect 2 "unexpected argument 'x'" "$bankline" completion bash x
for shell in bash zsh fish; do "$bankline" completion $shell >"script.$shell"; done
cat >try.bash <<'END'
. ./script.bash
program=${PROGRAM:-bankline}
COMP_WORDS=("$program" "$@") COMP_CWORD=$# COMPREPLY=()
_bankline "$program"
printf '%s\n' "${COMPREPLY[@]}"
END
cat >try.zsh <<'END'
compdef() { :; }
compset() { :; }
_files() { local file; for file in run*; do [[ $file != ${words[CURRENT]}* ]] || print -- $file; done; }
_describe() { print -l -- "${(@)found%%:*}"; }
source ./script.zsh
words=("${PROGRAM:-bankline}" "$@") CURRENT=$#words
_bankline
END
cat >try.fish <<'END'
source script.fish
set -q PROGRAM; or set PROGRAM bankline
complete -C "$PROGRAM $argv" | cut -f1
END
completes() { # SHELL EXPECTED WORD...: checks which words the shell offers
    shell=$1 expected=$2
    shift 2
    case $shell in
    bash) bash --norc ./try.bash "$@" ;;
    zsh) zsh -f ./try.zsh "$@" ;;
    fish) fish -N ./try.fish "$*" ;;
    esac >got 2>&1
    got=$(sort got | tr '\n' ' ')
    holds "$shell: '$*' becomes '$expected', not '$got'" [ "$got" = "$expected" ]
}
for shell in bash zsh fish; do
    if ! command -v $shell >/dev/null; then
        echo "skipped: completion by $shell (no $shell)"
        continue
    fi
    holds "$shell can parse the completion script" $shell -n "script.$shell"
    completes "$shell" 'run ' ru
    completes "$shell" '--deadline --device ' run --de
    completes "$shell" 'float2 ' try --type float2
    completes "$shell" '8x4,32x1 8x4,32x8 ' try --shapes 8x4,32
    completes "$shell" 'intel-gen9,nvidia-hopper ' try --machines intel-gen9,nvidia-ho
    completes "$shell" 'local/5 ' run --quick local/5
    completes "$shell" 'run.csv ' run --csv run.csv
    # bankline-nightly accepts the arguments of 'run', so the same words complete its command line.
    export PROGRAM=bankline-nightly
    completes "$shell" '--deadline --device ' --quick --de
    completes "$shell" 'local/5 ' local/5
    unset PROGRAM
done

# Lists fit the terminal, and can also be printed as JSON.
"$bankline" list >all
cases() { sed -n 's/^\([a-z-]*\/[^ ]*\)  .*/\1/p' "$1"; }
if command -v script >/dev/null; then
    for width in 60 80 200; do
        script -qec "stty cols $width; '$bankline' list" /dev/null | tr -d '\r' >list
        holds "list fits $width columns" fits list $width
        holds "list prints every case at $width columns" [ "$(cases list)" = "$(cases all)" ]
        holds "titles are complete at $width columns" grep -q 'conflict$' list
    done
fi
if "$bankline" list --json >list.json 2>/dev/null; then
    python3 - <<'END' && listed=true || listed=false
import json
cases = json.load(open("list.json"))["cases"]
row = next(case for case in cases if case["case"] == "local/5")
assert row["claim"] == row["predicted"] == 0.5 and row["baseline"] == "local/1", row
assert row["claim_source"] == "printed", row
assert len(cases) == sum("/" in line.split(" ")[0] for line in open("all"))
END
    holds 'list --json has every case' "$listed"
else
    expect 2 'built without jansson' "$bankline" list --json
fi
"$bankline" list local >one
"$bankline" list 'local/*' >two
holds 'a suite selects all of its cases' cmp one two
expect 2 "no case matches 'locl'" "$bankline" list locl
holds 'the nearest name is suggested' grep -q "did you mean 'local'?" err
expect 2 "did you mean 'local/5'?" "$bankline" model global/1 locl/5
finish
