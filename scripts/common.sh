#!/bin/sh
# Functions that several scripts of a clone share. A script loads them with: . "$(dirname -- "$0")/common.sh"
# Sets source_dir. If the script was called with --help, prints the comment at the top of that script, and exits.
# shellcheck disable=SC2034 # for the scripts
source_dir=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || exit 2
script=$(basename -- "$0")

fail() { # STATUS SENTENCE
    echo "$script: $2" >&2
    exit "$1"
}

# If standard output were closed, the shell would report an error for each printed line, and Meson would print a
# traceback.
{ true 3>&1; } 2>/dev/null || fail 4 'standard output is closed; redirect it to /dev/null to discard it'

usage_error() { fail 2 "$1; 'scripts/$script --help' shows how to call it"; } # SENTENCE

# absolute PATH: prints PATH as an absolute path, which is valid in any folder and is never mistaken for an option.
absolute() { case $1 in /*) echo "$1" ;; *) echo "$PWD/$1" ;; esac; }

build_dir_or() { absolute "${BUILD_DIR:-$source_dir/$1}"; } # DEFAULT

# set_up BUILD_DIR OPTION...: configures the build folder, if that was not done before. The folder contains absolute
# paths. If the clone was moved or copied, Meson would fail with a traceback or build the original clone, so the folder
# is then configured again.
set_up() {
    configured=$1
    shift
    known=$configured/meson-info/meson-info.json
    if [ ! -e "$configured/build.ninja" ]; then
        meson setup "$configured" "$source_dir" "$@"
    elif [ -e "$known" ] && ! grep -qF "\"source\": \"$(cd "$source_dir" && pwd -P)\", \"build\": \"$(cd "$configured" && pwd -P)\"" "$known"; then
        echo "The clone or its build folder was moved or copied: $configured is configured again."
        meson setup --reconfigure "$configured" "$source_dir" "$@"
    fi
}

root=${BANKLINE_TEST_ROOT:-} # prepended to /dev, /sys and /etc; tests set it

has_intel_gpu() {
    for vendor in "$root"/sys/class/drm/renderD*/device/vendor; do
        [ -r "$vendor" ] && [ "$(cat "$vendor")" = 0x8086 ] && return 0
    done
    return 1
}

# Whether there is an NVIDIA or AMD GPU, and a registered driver that is neither PoCL's nor Intel's.
has_other_gpu() {
    [ -e "$root/dev/nvidiactl" ] || [ -e "$root/dev/kfd" ] || return 1
    for icd in "$root"/etc/OpenCL/vendors/*.icd; do
        case $icd in
        */pocl*.icd | */intel*.icd | *'*'*) ;;
        *) return 0 ;;
        esac
    done
    echo "There is a GPU, but no OpenCL driver for it in /etc/OpenCL/vendors. For NVIDIA, the" >&2
    echo "package nvidia-opencl-icd (Debian) adds it." >&2
    return 1
}

# build_for_devices BUILD_DIR [FEATURE...]: installs the packages that the build and the device need, and builds. Sets
# `driver` to intel or pocl, or to nothing if the driver of another GPU is installed.
build_for_devices() {
    build_at=$1
    shift
    if has_intel_gpu; then
        driver=intel
    elif has_other_gpu; then
        driver=
    else
        driver=pocl
    fi
    # shellcheck disable=SC2086 # one name or none
    "$source_dir/scripts/install-packages" build $driver "$@"
    if [ "$driver" = intel ] && ! ls "$root"/etc/OpenCL/vendors/intel*.icd >/dev/null 2>&1; then
        # Without Intel's runtime, Mesa's driver supports Intel's GPUs if RUSTICL_ENABLE names the driver iris.
        if ls "$root"/etc/OpenCL/vendors/rusticl*.icd >/dev/null 2>&1; then
            export RUSTICL_ENABLE="${RUSTICL_ENABLE:-iris}"
        else
            echo "There is an Intel GPU, but no OpenCL driver for it is available." >&2
            driver=pocl
            "$source_dir/scripts/install-packages" pocl
        fi
    fi
    set_up "$build_at" --buildtype=release
    ninja -C "$build_at"
}

# Tests run on PoCL. Other drivers must not be found first, and some drivers cannot run under a sanitizer.
use_pocl() {
    [ -n "${OCL_ICD_VENDORS:-}" ] || OCL_ICD_VENDORS=$(find /etc/OpenCL/vendors -name 'pocl*.icd' | head -n 1)
    export OCL_ICD_VENDORS
}

# check NAME LOG COMMAND...: runs a command, and prints a line with NAME and the result. If the command fails, also
# prints the end of its output. `finish` prints the counts.
passed=0 failed=0
check() {
    checked=$1 log=$2
    shift 2
    if "$@" >"$log" 2>&1; then
        passed=$((passed + 1))
        echo "ok      $checked"
    else
        failed=$((failed + 1))
        echo "FAILED  $checked"
        tail -n 200 "$log"
    fi
}

finish() { # NAME
    echo "$1: $passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}

case ${1:-} in
-h | --help)
    sed -n '2,${/^#/!q;s/^# \{0,1\}//p}' "$0"
    exit 0
    ;;
esac
