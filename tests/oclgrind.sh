#!/bin/sh
# Runs kernels of all kinds under Oclgrind, which detects races, out-of-bounds accesses and uninitialized reads:
# oclgrind.sh LAUNCH_ONCE. Oclgrind's exit status does not show errors, so the test checks that Oclgrind's log is empty.
set -u
launch_once=$1
if ! command -v "${OCLGRIND_BIN:-}oclgrind" >/dev/null; then
    echo 'skipped: there is no oclgrind; scripts/install-packages trace installs it where there is a package (not in Debian 13 and later)'
    exit 77
fi
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
"${OCLGRIND_BIN:-}oclgrind" --data-races --uninitialized --check-api --max-errors 20 --log "$folder/log" \
    "$launch_once" >"$folder/out" 2>"$folder/err"
status=$?
tail -n 3 "$folder/out"
if [ "$status" -ne 0 ] || [ -s "$folder/log" ] || [ ! -e "$folder/log" ]; then
    echo "FAILED: exit status $status, and Oclgrind says:"
    head -n 40 "$folder/log"
    cat "$folder/err"
    exit 1
fi
grep -q ' kernels launched on Oclgrind' "$folder/out"
