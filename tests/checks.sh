#!/bin/sh
# Checks of the program, to be sourced where $folder is an empty folder of one's own.
# shellcheck disable=SC2154
failed=0 checks=0

# expect STATUS PART COMMAND...: the exit status, and PART on standard output or error.
expect() {
    status=$1 part=$2
    shift 2
    checks=$((checks + 1))
    "$@" >"$folder/out" 2>"$folder/err"
    got=$?
    if [ "$got" -ne "$status" ] || ! cat "$folder/out" "$folder/err" | grep -qF -e "$part"; then
        failed=$((failed + 1))
        echo "FAILED: $* -> $got, expected $status and '$part'"
        sed 's/^/    /' "$folder/out" "$folder/err" | head -20
    fi
}

# holds WORDS COMMAND...: the command succeeds.
holds() {
    words=$1
    shift
    checks=$((checks + 1))
    "$@" >/dev/null 2>&1 && return
    failed=$((failed + 1))
    echo "FAILED: $words"
}

finish() {
    echo "$checks checks, $failed failed"
    [ "$failed" -eq 0 ] && [ "$checks" -gt 0 ]
}
