#!/bin/sh
# Calls the scripts as a user does, both in the source folder and installed. Usage: scripts.sh BANKLINE SOURCE BUILD
set -u
case $1 in /*) bankline=$1 ;; *) bankline=$PWD/$1 ;; esac
source_dir=$2 build_dir=$3
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# shellcheck source=tests/checks.sh
. "$(dirname "$0")/checks.sh"

# Tests help and error messages. The scripts are called from another folder. The name of the clone's folder has a blank
# and begins with a dash.
mkdir "$folder/-a clone"
ln -s "$source_dir/scripts" "$folder/-a clone/scripts"
ln -s "$source_dir/tests" "$folder/-a clone/tests"
cd "$folder" || exit 1
export CDPATH=/
for script in adopt bench between-runs check-advice check-circles check-counters check-gate check-includes check-levels check-programs check-rules check-statistics check-systems check-times check-traces coverage day-one fuzz install-packages lint nightly random-patterns \
    readme-figures sanitize simulate-fleet slurm/card slurm/fleet.sbatch slurm/gather slurm/health-check slurm/nightly.sbatch \
    slurm/node test; do
    expect 0 'usage: ' "./-a clone/scripts/$script" --help
    holds "the help of $script has several lines" [ "$(wc -l <"$folder/out")" -gt 3 ]
    holds "help prints nothing to standard error" [ ! -s "$folder/err" ]
done
refuses() { # SENTENCE SCRIPT ARGUMENT...: checks that the script exits with 2 and SENTENCE, before it builds anything
    script=$2
    sentence=$1
    shift 2
    expect 2 "$sentence" env BUILD_DIR="$folder/build" "./-a clone/scripts/$script" "$@"
    holds "$script $* builds nothing" [ ! -e "$folder/build" ]
}
refuses "unknown option '--al'" test --al
refuses "unknown option '-v'" test model -v
refuses '--all takes no names' test --all model
refuses "unknown option '--al'" coverage --al
refuses "unknown option '--al'" sanitize --al
refuses "unknown target 'xml'; there are csv" fuzz xml
refuses "unexpected argument 'host'" lint host
refuses "unknown feature 'gpu'" install-packages gpu
refuses 'expected at least one FEATURE' install-packages

# Tests install-packages with a fake apt-get. Only the packages in AVAILABLE exist. The first LOCKED calls of `apt-get
# update` fail, as if another process held apt's lock.
mkdir "$folder/apt"
cat >"$folder/apt/apt-get" <<'EOF'
#!/bin/sh
here=$(dirname "$0") simulated=
case " $* " in
*' update '*)
    locked=$(cat "$here/locked")
    [ "$locked" -eq 0 ] && exit
    echo $((locked - 1)) >"$here/locked"
    echo 'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1 (apt)'
    exit 100
    ;;
*' -s '*) simulated=1 ;;
esac
for word in "$@"; do
    case $word in
    -* | *=* | install) ;;
    *) case " $AVAILABLE " in *" $word "*) ;; *) echo "E: Unable to locate package $word"; exit 100 ;; esac ;;
    esac
done
[ "$simulated" ] || echo "apt installs $*"
EOF
printf '#!/bin/sh\nexit 1\n' >"$folder/apt/pkg-config"
printf '#!/bin/sh\nexec "$@"\n' >"$folder/apt/sudo"
printf '#!/bin/sh\n' >"$folder/apt/sleep"
chmod +x "$folder"/apt/*
packages() { # STATUS SENTENCE AVAILABLE LOCKED FEATURE...: installs the packages of the features
    echo "$4" >"$folder/apt/locked"
    wanted=$1 sentence=$2 available=$3
    shift 4
    expect "$wanted" "$sentence" env PATH="$folder/apt:$PATH" AVAILABLE="$available" "$source_dir/scripts/install-packages" "$@"
}
opencl='ocl-icd-opencl-dev opencl-headers'
packages 0 'This distribution has no libjansson-dev, so this is left out: JSON' "$opencl libsqlite3-dev" 0 build
holds 'available packages are installed' grep -q 'apt installs .*libsqlite3-dev' "$folder/out"
holds 'missing packages are not requested' sh -c "! grep 'apt installs' '$folder/out' | grep -q jansson"
packages 1 'the distribution has no package ocl-icd-opencl-dev' 'libsqlite3-dev' 0 build
holds 'nothing is installed if a required package is missing' sh -c "! grep -q 'apt installs' '$folder/out'"
packages 0 'Waiting up to 600 s for another apt' "$opencl" 3 build
holds 'waiting is reported once' [ "$(grep -c Waiting "$folder/out")" -eq 1 ]
holds 'installing continues after waiting' grep -q 'apt installs' "$folder/out"
packages 1 'another apt has held its lock for 600 s' "$opencl" 1000 build
# If optional packages cannot be installed, the script continues. From here on, the fake apt-get cannot install the
# package BROKEN.
# shellcheck disable=SC2016 # the variables belong to the edited script
sed -i 's/^\[ "$simulated" \] ||/[ "$simulated" ] || case "$*" in *"$BROKEN"*) exit 100 ;; esac\n&/' "$folder/apt/apt-get"
export BROKEN=libsqlite3-dev
packages 0 'apt-get could not install all of these' "$opencl libsqlite3-dev" 0 build
holds 'required packages are installed' grep -q 'apt installs .*ocl-icd-opencl-dev' "$folder/out"
BROKEN="opencl-headers"
packages 1 'apt-get could not install them' "$opencl" 0 build
export BROKEN=no-package
mkdir "$folder/programs" # links to all programs except Oclgrind
ln -s /bin/* /usr/bin/* "$folder/programs" 2>/dev/null
rm -f "$folder"/programs/oclgrind*
echo 0 >"$folder/apt/locked"
expect 0 'also works: see scripts/README.md).' \
    env PATH="$folder/apt:$folder/programs" AVAILABLE=g++ "$source_dir/scripts/install-packages" trace
holds 'one sentence names the package' grep -q '^This distribution has no oclgrind, so this is left out: bankline trace ' "$folder/out"
holds 'nothing is installed for a feature that is left out' sh -c "! grep -q 'apt installs' '$folder/out'"
# scripts/bench chooses the cases to measure by the devices and drivers that it finds. Here it looks for them in a
# folder of the test, instead of the root folder, and runs a substitute for the program.
mkdir -p "$folder/bench/host" "$folder/no-build"
touch "$folder/bench/build.ninja"
# shellcheck disable=SC2016 # the script that is written here expands the variables
printf '#!/bin/sh\necho "measures: $RUSTICL_ENABLE" "$@"\n' >"$folder/bench/host/bankline"
printf '#!/bin/sh\n' >"$folder/no-build/ninja"
chmod +x "$folder/bench/host/bankline" "$folder/no-build/ninja"
bench() { # SENTENCE FILES ARGUMENT...: creates FILES, runs scripts/bench, and checks that it prints SENTENCE
    rm -rf "$folder/found"
    mkdir -p "$folder/found/etc/OpenCL/vendors"
    said=$1 files=$2
    shift 2
    for file in $files; do
        mkdir -p "$folder/found/${file%/*}"
        echo 0x8086 >"$folder/found/$file"
    done
    expect 0 "$said" env BANKLINE_TEST_ROOT="$folder/found" BUILD_DIR="$folder/bench" PATH="$folder/no-build:$PATH" \
        "$source_dir/scripts/bench" "$@"
}
bench '/runs --quick global/' ''
holds 'the output says how to measure everything' grep -Fq "ninja -C '$folder/bench' bench" "$folder/out"
said=$(sed -n 's/^No GPU.* run of \([0-9]*\) cases on the CPU follows.*/\1/p' "$folder/out")
sed -n 's/^measures: .*--quick //p' "$folder/out" | tr ' ' '\n' >"$folder/chosen"
holds 'some cases were chosen' [ -s "$folder/chosen" ]
listed=$(xargs "$bankline" list <"$folder/chosen" | grep -c '^[a-z-]*/')
holds "the announced number of cases is right: $listed" [ "$listed" = "$said" ]
bench '/runs local/1' '' local/1
holds 'a run of requested cases is not quick' sh -c "! grep -q quick '$folder/out'"
for node in nvidiactl kfd; do
    bench 'measures:  run --results' "dev/$node etc/OpenCL/vendors/vendor.icd"
    holds "on a GPU ($node), all cases are measured" sh -c "! grep -q quick '$folder/out'"
    bench '/runs --quick' "dev/$node etc/OpenCL/vendors/pocl.icd"
    holds "a GPU ($node) without a driver is reported" grep -q 'no OpenCL driver' "$folder/err"
done
intel=sys/class/drm/renderD128/device/vendor
bench 'measures:  run --results' "$intel etc/OpenCL/vendors/intel.icd"
bench 'measures: iris run --results' "$intel etc/OpenCL/vendors/rusticl.icd"
bench '/runs --quick' "$intel"
holds 'an Intel GPU without a driver is reported' grep -q 'no OpenCL driver for it is available' "$folder/err"
# A build folder that was moved or copied with its clone contains the old path, and must be configured again.
mkdir "$folder/bench/meson-info"
configured_in() { # SOURCE
    printf '{"directories": {"source": "%s", "build": "%s"}}\n' "$1" "$(cd "$folder/bench" && pwd -P)" \
        >"$folder/bench/meson-info/meson-info.json"
}
printf '#!/bin/sh\necho "meson: $*"\n' >"$folder/no-build/meson"
chmod +x "$folder/no-build/meson"
configured_in /elsewhere
bench "meson: setup --reconfigure $folder/bench $source_dir" ''
configured_in "$(cd "$source_dir" && pwd -P)"
bench '/runs --quick' ''
holds 'a build folder that was not moved is not configured again' sh -c "! grep -q meson '$folder/out'"
expect 4 'standard output is closed' sh -c "exec '$source_dir/scripts/install-packages' build >&-"
holds 'the error is one sentence' [ "$(wc -l <"$folder/err")" -eq 1 ]
expect 2 "there is no Oclgrind in OCLGRIND_PREFIX, '/no/such'" env OCLGRIND_PREFIX=/no/such "$source_dir/scripts/test" keyfile
refuses 'invalid int value' random-patterns one
refuses 'a job for sbatch' slurm/nightly.sbatch
refuses 'usage: ' slurm/node
expect 2 "FUZZ_SECONDS is 'x'" env FUZZ_SECONDS=x ./-a\ clone/scripts/fuzz

# check-systems counts the rows of a run.
sed -n '/^count_rows() {/,/^}/p' "$source_dir/scripts/check-systems" >"$folder/count-rows"
printf 'case,reason,status\na,"x, y",ok\nb,,error\nc,,bad-clock\nd,,error\n' >"$folder/counted.csv"
holds 'rows, errors, wrong results and bad clocks are counted' sh -c ". '$folder/count-rows' && [ \"\$(count_rows '$folder/counted.csv')\" = \
    '4 rows, 2 \`error\`, 0 \`wrong-result\`, 1 \`bad-clock\`' ]"
holds 'a missing run has no rows' sh -c ". '$folder/count-rows' && [ \"\$(count_rows '$folder/nowhere.csv')\" = 'no rows' ]"

# Tests check-rules with a substitute for the program, whose results deviate from the predictions by 1 % and by -3 %.
cat >"$folder/-exact" <<END
#!/bin/sh
# 'try --patterns' writes two rows with these deviations, and one row without a number.
case "\$* " in *\\ --help\\ *) exec "$bankline" "\$@" ;; esac
while [ \$# -gt 0 ]; do
    case \$1 in --csv) file=\$2 ;; --memory) memory=\$2 ;; --fails) echo 'bankline: no device' >&2; exit 3 ;; esac
    shift
done
printf 'case,memory,shape,lanes,distance\n' >"\$file"
printf 'try/random-1,%s,16x1,16,0.01\ntry/random-2,%s,16x1,16,-0.03\ntry/pair-1,%s,16x1,16,\n' \
    \$memory \$memory \$memory >>"\$file"
END
chmod +x "$folder/-exact"
rules() { "./-a clone/scripts/check-rules" "$@"; }
expect 0 'global 16 lanes  random' rules ./-exact rows.csv
holds 'the seed is printed' grep -q '^check-rules: seed 1$' err
holds 'the distances are right' grep -q '^all: 44 rows, mean 2.00 %$' out
holds 'rows without a distance are counted' grep -q '^22 of 66 rows have no number or no prediction$' out
holds 'all rows are kept' [ "$(wc -l <rows.csv)" -eq 67 ]
expect 0 'seed 7' rules ./-exact rows.csv 7 --device portable
expect 0 'seed 1' rules ./-exact -rows.csv --device portable
holds 'a file name may begin with a dash' [ -s ./-rows.csv ]
expect 2 "'seven' is not a seed" rules ./-exact rows.csv seven
expect 2 'expected BANKLINE and FILE.csv' rules ./-exact
expect 2 "no program './none'" rules ./none rows.csv
expect 2 '--bogus' rules ./-exact rows.csv --bogus
expect 4 "cannot write '$folder/no/rows.csv'" rules ./-exact no/rows.csv
expect 4 "cannot write '$folder'" rules ./-exact "$folder"
sed -i 's/--fails/--deadline/' ./-exact
expect 3 'bankline: no device' rules ./-exact rows.csv --deadline 1

# Tests between-runs and check-levels with a substitute for the program, which measures nothing.
cat >substitute <<END
#!/bin/sh
[ "\$1" = model ] && exec '$bankline' "\$@"
for word; do [ "\$last" = --csv ] && file=\$word; [ "\$last" = --type ] && type=\$word; last=\$word; done
[ "\$1" = run ] && echo "\$*" >>ran && exec cp '$source_dir/tests/golden/nvidia-h100-schema-3.csv' "\$file"
[ "\$1" = try ] && [ "\$type" = int ] && printf 'case,distance,verdict\\ntry/a,0.1,refuted\\n' >"\$file"
exit 0
END
chmod +x substitute
between() { "./-a clone/scripts/between-runs" "$@"; }
holds 'runs are measured' between measure ./substitute runs 2 --quick
holds 'two whole runs and two runs of a suite were made' [ "$(wc -l <ran)" -eq 4 ]
holds 'all runs have the given options' [ "$(grep -c -- '--quick' ran)" -eq 4 ]
rm ran
holds 'runs are measured without options' between measure ./substitute runs 2
holds 'runs without options measure everything' [ "$(grep -c -- '--quick' ran)" -eq 0 ]
expect 2 "there is no program './none'" between measure ./none runs
expect 2 'ended with 0 and 0 rows' between simulate /bin/true
expect 2 'usage: ' between simulate ./substitute seven
expect 2 'has 0 whole runs' between report ./substitute .
mkdir nothing
awk -F, -v OFS=, 'NR > 1 {for (i = 1; i <= NF; i++) if (name[i] == "measured") $i = ""} {if (NR == 1) for (i = 1; i <= NF; i++) name[i] = $i; print}' \
    "$source_dir/results/between-runs/run-1.csv" >nothing/run-1.csv
cp nothing/run-1.csv nothing/run-2.csv
expect 2 'no row that was measured against another' between report "$bankline" nothing
levels() { "./-a clone/scripts/check-levels" "$@"; }
expect 2 'ended with 0' levels ./substitute levels.csv L2 7
holds 'if a run of one type has no rows, no file is written' [ ! -e levels.csv ]
expect 2 'is not a seed' levels ./substitute levels.csv L2 seven
expect 4 'cannot write' levels ./substitute no/levels.csv L2
expect 4 'cannot write' "./-a clone/scripts/check-counters" "$bankline" no/counters.csv
expect 2 'there is no ./none' "./-a clone/scripts/check-counters" ./none counters.csv

# check-includes must report a file that includes a file of a forbidden folder.
mkdir -p tree/host/model tree/host/cl tree/bench
printf '#include "cl/a.h"\n' >tree/host/model/a.c
printf '#include <CL/cl.h>\n#include "model/b.h"\n' >tree/host/cl/a.h
printf '#include "model/c.h"\n#include <CL/cl.h>\n' >tree/host/model/b.h
printf '#include "model/b.h"\n' >tree/host/model/c.h
expect 1 'host/model/a.c: includes cl/a.h; model may not' ./-a\ clone/scripts/check-includes tree
holds 'an include of OpenCL outside host/cl is reported' grep -q 'host/model/b.h: includes CL/cl.h; only host/cl may' out
holds 'files that include each other are reported' grep -q 'host/model/b.h and host/model/c.h include each other' out
holds 'nothing else is reported' [ "$(wc -l <out)" -eq 3 ]

# check-circles must find a cycle between files: a uses b, b uses c, and c uses a. Names in comments and of types do not
# count.
mkdir -p circle/host/model circle/bench
printf 'int bl_a(void)\n{\n    return bl_b();\n}\n' >circle/host/model/a.c
printf '/* bl_a */\nstruct bl_a bl_b(void)\n{\n    return bl_c[0];\n}\n' >circle/host/model/b.c
printf 'const int bl_c[] = {1}; /* bl_a */\n' >circle/host/model/c.c
expect 0 '3 files, 0 cycles' ./-a\ clone/scripts/check-circles circle
printf 'const struct bl_t bl_c[] = {{bl_a}};\n' >circle/host/model/c.c
expect 1 'host/model/b.c uses host/model/c.c: bl_c' ./-a\ clone/scripts/check-circles circle
holds 'every file of the cycle is reported' grep -q 'host/model/a.c uses host/model/b.c: bl_b' out

# In C++, a file uses what it includes. A header is one with its source.
mkdir -p plus/host/trace
printf '#include "trace/b.hpp"\n' >plus/host/trace/a.cc
printf '#include "trace/b.hpp"\n' >plus/host/trace/b.cc
printf '// #include "trace/a.hpp"\nint b();\n' >plus/host/trace/b.hpp
printf 'int bl_a;\n' >plus/host/trace/a.hpp
printf 'int bl_c = 1;\n' >plus/host/trace/c.c
expect 0 '3 files, 0 cycles' ./-a\ clone/scripts/check-circles plus
printf '#include "trace/a.hpp"\nint b();\n' >plus/host/trace/b.hpp
expect 1 'host/trace/a.cc uses host/trace/b.cc: trace/b.hpp' ./-a\ clone/scripts/check-circles plus
holds 'a cycle through a header of C++ is reported' grep -q 'host/trace/b.cc uses host/trace/a.cc: trace/a.hpp' out

# lint reads the length of lines, the length of files and the format of C++, too.
grep -E '^(files|long_lines|long_files|formatted)\(\)' "$source_dir/scripts/lint" >lint-functions
mkdir -p columns/host/trace
git -C columns init -q
printf '// %098d\n' 1 >columns/host/trace/a.cc
expect 1 '1:// 0' sh -c 'cd columns && . ../lint-functions && long_lines'
printf 'int*b;\n%600s' '' | tr ' ' '\n' >columns/host/trace/a.cc
expect 1 'host/trace/a.cc: 601 lines' sh -c 'cd columns && . ../lint-functions && long_files'
if command -v clang-format >/dev/null; then
    expect 123 'host/trace/a.cc:1:' sh -c 'cd columns && . ../lint-functions && formatted'
fi

# Building the program does not require the tests.
holds 'tests are built only on request' sh -c "meson introspect '$source_dir/meson.build' --buildoptions |
    python3 -c 'import json, sys; print({o[\"name\"]: o[\"value\"] for o in json.load(sys.stdin)}[\"tests\"])' | grep -qx disabled"

# In an installation, systemd's timer starts a service, which starts the script, which finds the program in its own
# folder.
expect 0 'bankline-nightly' meson install -C "$build_dir" --no-rebuild --destdir "$folder/my root"
prefix=$(find "$folder/my root" -path '*/bin/bankline-nightly' -exec dirname {} \;)
holds 'the program is beside the script' [ -x "$prefix/bankline" ]
holds 'the installed script runs' "$prefix/bankline-nightly" --help
plugin=$(find "$folder/my root" -name bankline-oclgrind.so)
if [ "$plugin" ]; then
    expect 4 "cannot run './none'" "$prefix/bankline" trace -- ./none
    rm "$plugin"
fi
expect 2 "the plugin for Oclgrind is neither $prefix/../" "$prefix/bankline" trace -- ./none
service=$(find "$folder/my root" -path '*/systemd/user/bankline-nightly.service')
started=$(sed -n 's/^ExecStart="\(.*\)"$/\1/p' "$service")
holds 'the service starts the installed script' [ "$folder/my root$started" = "$prefix/bankline-nightly" ]
holds 'the service does not use a clone' sh -c "! grep -q '%h/bankline' '$service'"
holds 'a timer starts the service' [ -e "${service%.service}.timer" ]
checked=$(sed -n 's/^ExecStartPre="\(.*\)" devices$/\1/p' "$service")
holds 'the service first checks for a device' [ "$folder/my root$checked" = "$prefix/bankline" ]
for written in .local/state/bankline .local/share/bankline; do # the night's folders, and the history
    holds "the service creates $written" grep -q "^ExecStartPre=+/bin/mkdir -p .*%h/$written\\( \\|\$\\)" "$service"
    holds "the service may write to $written" grep -q "^ReadWritePaths=.*-%h/$written\\( \\|\$\\)" "$service"
done
holds 'the service may access GPUs' sh -c "! grep -q '^PrivateDevices=' '$service' &&
    grep -q '^DeviceAllow=char-drm rw' '$service' && grep -q '^DeviceAllow=char-nvidia\* rw' '$service'"
holds 'the service allows what drivers need' sh -c "! grep -qE '^(ProcSubset=pid|MemoryDenyWriteExecute=yes)' '$service'"
alert=${service%.service}-alert.service
if command -v systemd-analyze >/dev/null; then
    sed "s|\"$checked\"|\"$prefix/bankline\"|; s|$started|$prefix/bankline-nightly|
        s|^# \[Unit\]||; s|^# OnFailure=|OnFailure=|" "$service" >bankline-nightly.service
    cp "${service%.service}.timer" "$alert" .
    holds 'a failed night starts the alert unit' grep -q '^OnFailure=bankline-nightly-alert.service$' \
        bankline-nightly.service
    holds 'systemd finds no fault in the units' [ -z "$(XDG_RUNTIME_DIR=$folder systemd-analyze verify --user \
        --man=no ./bankline-nightly.service ./bankline-nightly.timer ./bankline-nightly-alert.service 2>&1)" ]
    if systemd-analyze --help | grep -q -e --offline; then
        holds 'the service is sandboxed' systemd-analyze security --offline=true --threshold=15 \
            ./bankline-nightly.service
    fi
fi

finish
