#!/bin/sh
# Functions that check something, for the shell tests. A script that sources this file must first set $folder to an
# empty folder.
# shellcheck disable=SC2154
failed=0 checks=0

# expect STATUS PART COMMAND...: checks that the command exits with this status, and prints text that contains PART to
# standard output or standard error. The output stays in $folder/out and $folder/err.
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

# holds WORDS COMMAND...: checks that the command succeeds. WORDS describe the check in the message of a failure.
holds() {
    words=$1
    shift
    checks=$((checks + 1))
    "$@" >/dev/null 2>&1 && return
    failed=$((failed + 1))
    echo "FAILED: $words"
}

# skip SENTENCE: reports that a part of the test cannot run on this host. scripts/test repeats the sentence.
skip() { echo "skipped: $*"; }

# Succeeds if `script` can open pseudo-terminals. Otherwise reports that tests of terminal output are skipped.
has_terminals() {
    export TERM=xterm
    command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1 && return
    skip "$0: what is shown on a terminal (no 'script', or no pseudo-terminals)"
    return 1
}

# known_time PROGRAM CLOCK_LAYER: creates the script $folder/known, which runs the program with simulated clocks
# (layers/clock.c), so that measurements do not depend on other load of the host.
known_time() {
    cat >"$folder/known" <<END
#!/bin/sh
exec env OPENCL_LAYERS="\${OPENCL_LAYERS:+\$OPENCL_LAYERS:}$2" LD_PRELOAD='$2' \\
    BANKLINE_TEST_CLOCK="\${BANKLINE_TEST_CLOCK:-honest}" '$1' "\$@"
END
    chmod +x "$folder/known"
}

# Prints how many checks there were, and how many failed. Its exit status, with which the test ends, is 0 if there were
# checks and none failed.
finish() {
    echo "$checks checks, $failed failed"
    [ "$failed" -eq 0 ] && [ "$checks" -gt 0 ]
}
