#!/bin/sh
# Tests what the program does if its standard output is closed, full, or no longer read: streams.sh BANKLINE
set -u
case $1 in /*) bankline=$1 ;; *) bankline=$PWD/$1 ;; esac
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# shellcheck source=tests/checks.sh
. "$(dirname "$0")/checks.sh"

expect 4 'cannot write to standard output: No space left' sh -c "'$bankline' list >/dev/full"
expect 4 'cannot write to standard output: Bad file descriptor' sh -c "'$bankline' list >&-"
holds 'the exit status is 4 if both streams are closed' sh -c "'$bankline' list >&- 2>&-; [ \$? -eq 4 ]"
expect 4 'cannot write to standard output' \
    sh -c "'$bankline' model --csv '$folder/closed.csv' >&-"
"$bankline" model --csv "$folder/open.csv" >/dev/null
lines() { wc -l <"$1"; }
holds 'the CSV contains no line of the table' \
    [ "$(lines "$folder/closed.csv")" -eq "$(lines "$folder/open.csv")" ]

# unread COMMAND...: runs the command with a pipe as standard output, whose reader has already ended.
mkfifo "$folder/pipe"
unread() {
    : <"$folder/pipe" &
    exec 3>"$folder/pipe"
    wait $!
    "$@" >&3 2>"$folder/err"
    status=$?
    exec 3>&-
    return $status
}
unread "$bankline" list
holds 'the exit status is 4 if the reader has ended' [ $? -eq 4 ]
holds 'a reader that has ended causes no message' [ ! -s "$folder/err" ]
unread "$bankline" model --csv "$folder/unread.csv"
holds 'the exit status is the same with a CSV' [ $? -eq 4 ]
holds 'the CSV is complete' [ "$(lines "$folder/unread.csv")" -eq "$(lines "$folder/open.csv")" ]

# If a file reaches a size limit, an error is reported, as for a full disk.
limited() {
    (ulimit -f 0 && "$bankline" model --csv "$folder/limited.csv" 2>&1 || echo "status $?") | cat
}
holds 'a limit on file sizes is reported' sh -c "echo '$(limited)' | grep -q 'limited.csv.*File too large'"
holds 'a limit on file sizes gives exit status 4' sh -c "echo '$(limited)' | grep -qx 'status 4'"
finish
