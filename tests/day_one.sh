#!/bin/sh
# Tests the archive that scripts/day-one makes on a new GPU, and the files that scripts/adopt writes from the archive,
# on simulated devices and on the CPU: day_one.sh BANKLINE SIMULATED PRETEND_LAYER CLOCK_LAYER SOURCE
set -u
absolute() { case $1 in /*) echo "$1" ;; *) echo "$PWD/$1" ;; esac; }
bankline=$(absolute "$1") simulated=$(absolute "$2") pretend=$(absolute "$3") clock=$(absolute "$4") source_dir=$5
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# shellcheck source=tests/checks.sh
. "$(dirname "$0")/checks.sh"
export BANKLINE="$bankline" HOME="$folder/home"
mkdir "$HOME"
cd "$folder" || exit 1
adopt=$source_dir/scripts/adopt

# day-one is copied to a folder outside the repository, as in an installation.
mkdir bin
cp "$source_dir/scripts/day-one" bin/bankline-day-one
day_one() { bin/bankline-day-one "$@"; }

# Runs a command that calls the program. The OpenCL device pretends to be a GPU and has simulated clocks, and `infer`
# measures a simulated device.
as_gpu() { # PRETEND 'BANKS NOISE SEED' COMMAND...
    pretended=$1 made=$2
    shift 2
    env BANKLINE_TEST_SIMULATED="$made" BANKLINE_TEST_PRETEND="$pretended" \
        OPENCL_LAYERS="$pretend:$clock" LD_PRELOAD="$clock" BANKLINE_TEST_CLOCK=honest BANKLINE="$simulated" "$@"
}
as_intel() { as_gpu 'vendor=0x8086 type=4 ip=0x30dc000 sub_group=16' "$@"; }

# Wrong arguments are rejected before anything is measured.
expect 2 "unknown option '--frobnicate'" day_one --frobnicate
expect 2 "unexpected argument 'x'" day_one x
expect 2 "option '--device' needs a value" day_one --device
expect 2 'expected one that ends in .tar.gz' day_one --output x.zip
expect 4 'there is no folder' day_one --output no/such/x.tar.gz
expect 2 "there is no program '/none'" env BANKLINE=/none bin/bankline-day-one
expect 2 "--machine 'nonexistent' is not a machine" day_one --machine nonexistent
holds 'nothing was measured' sh -c '! grep -q "\.\.\.$" out'
expect 3 'there is no OpenCL device' env OCL_ICD_VENDORS="$folder/home/" bin/bankline-day-one
expect 2 'usage: scripts/adopt' "$adopt"
expect 2 "unknown option '--frobnicate'" "$adopt" --frobnicate x
expect 4 'No such file' "$adopt" none.tar.gz
holds 'wrong arguments write no file' [ "$(find . -type f | wc -l)" -le 3 ]

# Tests the files that are written for an Intel GPU with 65 banks and 5 % noise.
expect 0 'Nothing was sent' as_intel '65x8 5 7' bin/bankline-day-one --output gpu.tar.gz
cp out said
for file in manifest.txt devices.txt infer.csv inferred.machine infer.txt cases.csv log.txt page.html; do
    holds "$file is listed" grep -q "^  $file  *[0-9]* bytes" said
done
tar -tzf gpu.tar.gz | sed 's|.*/||' | grep . | sort >packed
sed -n 's/^  \([a-z.]*\)  *[0-9]* bytes.*/\1/p' said | sort >listed
holds 'the archive contains the files that were listed' cmp -s packed listed
holds 'the script says that there is no address yet' grep -q 'no address yet' said
holds 'the archive is small' [ "$(wc -c <gpu.tar.gz)" -lt 2000000 ]
seconds=$(sed -n 's/^Written in \([0-9]*\) s.*/\1/p' said)
holds "the page is beside the archive, after $seconds s" test -s gpu.html
mkdir unpacked
tar -C unpacked -xzf gpu.tar.gz
inside=unpacked/bankline-day-one
name=$(uname -n)
holds "the archive does not contain the host's name" sh -c "! cut -d , -f 5 $inside/cases.csv | grep -qF '$name'"
holds "every row has the same hash instead of the host's name" [ "$(sed 1d "$inside/cases.csv" | cut -d , -f 5 | sort -u)" = \
    "$(sed -n 's/^host = //p' "$inside/manifest.txt")" ]
holds 'the archive does not contain the home folder' sh -c "! grep -rqF '$HOME' $inside"
holds 'the archive contains the hypotheses' grep -q ',hypothesis,intel-xe-hpg,65x8,' "$inside/infer.csv"
holds 'few points were enough to decide between the hypotheses' grep -q 'points were enough' "$inside/infer.txt"
if real=$(command -v ocloc); then
    # The layer must not be loaded into the compiler: under AddressSanitizer the compiler would fail, because it opens
    # libraries with RTLD_DEEPBIND.
    mkdir compiler
    printf '#!/bin/sh\nexec env -u LD_PRELOAD %s "$@"\n' "$real" >compiler/ocloc
    chmod +x compiler/ocloc
    PATH=$PWD/compiler:$PATH
    expect 0 'Nothing was sent' as_intel '32x4 5 8' "$source_dir/scripts/day-one" --output messages.tar.gz
    holds "the archive contains the instructions that the compiler generated" sh -c 'tar -xOzf messages.tar.gz bankline-day-one/messages.txt | grep -q send'
else
    skip "$0: the compiler's instructions in the archive (no ocloc)"
fi

mkdir -p tree/results/machines tree/host/model/machines
cp "$source_dir/results/machines/README.md" tree/results/machines/
cp "$source_dir"/host/model/machines/*.machine tree/host/model/machines/
expect 2 "cannot run '/none'" env BANKLINE=/none "$adopt" --into tree gpu.tar.gz
expect 0 '65x8 is the hypothesis that the measurements support' "$adopt" --check --into tree gpu.tar.gz
holds '--check writes nothing' [ "$(find tree/results -type f | wc -l)" -eq 1 ]
before=$(find tree -type f -exec sha256sum {} + | sort)
mkdir tree/results/machines/README.md.part # this folder prevents adopt from writing the last but one of its files
expect 4 'README.md.part' "$adopt" --into tree gpu.tar.gz
rmdir tree/results/machines/README.md.part
holds 'a failure leaves nothing behind' [ "$before" = "$(find tree -type f -exec sha256sum {} + | sort)" ]
expect 0 'These files were written; review them' "$adopt" --into tree gpu.tar.gz
holds 'each hypothesis is printed' [ "$(grep -c ' of [48] bytes .* %' out)" -eq 6 ]
csv=$(find tree/results/machines -name '*.csv' ! -name '*-cases.csv')
holds 'the measurements are adopted' cmp -s "$csv" "$inside/infer.csv"
holds 'the cases are adopted' cmp -s "${csv%.csv}-cases.csv" "$inside/cases.csv"
holds 'the machine is adopted, and the program reads it' "$bankline" model --machine "${csv%.csv}.machine" local/1
holds 'the README lists the adopted files' grep -qF "\`${csv##*/}\`" tree/results/machines/README.md
generation=tree/host/model/machines/intel-xe-hpg.machine
holds "the generation's machine has the measured banks" sh -c "grep -q '^banks = 65' $generation && grep -q '^bank_bytes = 8' $generation"
holds "the generation's machine has no hypotheses any more" sh -c "! grep -q 'alternatives\|not published\|hypotheses' $generation"
holds "the program reads the generation's machine" "$bankline" model --machine "$generation" local/1
holds 'the machine gives a single prediction' sh -c "! '$bankline' model --machine $generation local/5 | grep -q infer"
expect 0 'These files were written; review them' "$adopt" --into tree gpu.tar.gz
holds 'existing files are not replaced' [ "$(find tree/results/machines -name '*.csv' | wc -l)" -eq 4 ]

# The hypotheses of an Intel machine are tested on a GPU of another vendor. `adopt` then leaves the Intel machine
# unchanged.
expect 0 'Nothing was sent' as_gpu 'vendor=0x10de type=4 warp=32 capability=90' '32x4 5 9' \
    bin/bankline-day-one --machine intel-xe-hpc --output other.tar.gz
expect 0 "The device's machine is nvidia-hopper, so intel-xe-hpc is left unchanged" "$adopt" --into tree other.tar.gz
holds 'adopt names the hypothesis that the measurements support' grep -q '^32x4 is the hypothesis' out
holds 'the other machine keeps its alternatives' cmp -s tree/host/model/machines/intel-xe-hpc.machine \
    "$source_dir/host/model/machines/intel-xe-hpc.machine"

# Every fault of an archive is reported in a sentence.
expect 0 ' 0 not refused properly' "$source_dir/tests/tampered_archives.py" "$adopt" gpu.tar.gz "$folder"
sed -n '/tampered with/p' out

# On a CPU, day-one makes an archive, and reports that it contains nothing about a GPU.
expect 0 'This device is a CPU. The model has no rules for CPUs' env OPENCL_LAYERS="$clock" LD_PRELOAD="$clock" \
    BANKLINE_TEST_CLOCK=honest bin/bankline-day-one --device portable --output cpu.tar.gz
expect 1 'a CPU has no requests of many lanes and no banks' "$adopt" --into tree cpu.tar.gz

# With --machine, `infer` tests the machine's hypotheses on any device. On a CPU, none is right.
expect 0 'none of these' env OPENCL_LAYERS="$clock" LD_PRELOAD="$clock" BANKLINE_TEST_CLOCK=honest \
    "$bankline" infer --quick --device portable --machine intel-xe-hpg --seed 5
holds 'no hypothesis is likely' grep -q '^none of these  *9[0-9.]* %' out
finish
