#!/bin/sh
# scripts/slurm on a Slurm of one node, made for this test from the distribution's packages, with a
# stand-in for the program: slurm.sh BANKLINE REFERENCE.csv SOURCE
set -u
real=$1 reference=$2 source_dir=$3
PATH=$PATH:/usr/sbin:/sbin
for program in slurmctld slurmd munged sbatch; do
    if ! command -v $program >/dev/null; then
        echo "skipped: there is no $program; scripts/install-packages slurm installs it"
        exit 77
    fi
done
if "$real" history list 2>&1 | grep -q 'built without sqlite3'; then
    echo 'skipped: built without sqlite3'
    exit 77
fi
folder=$(mktemp -d) || exit 1
stop() {
    for pid in "$folder"/*.pid; do
        [ ! -e "$pid" ] || kill "$(cat "$pid")" 2>/dev/null
    done
    sleep 1
    rm -rf "$folder"
}
trap stop EXIT
# shellcheck source=tests/checks.sh
. "$(dirname "$0")/checks.sh"
case $real in /*) ;; *) real=$PWD/$real ;; esac

# Daemons of our own, as the user who runs this, on ports that nobody else has.
chmod 755 "$folder"
mkdir "$folder/state" "$folder/spool" "$folder/munge"
chmod 711 "$folder/munge"
dd if=/dev/urandom of="$folder/munge.key" bs=1024 count=1 2>/dev/null
chmod 600 "$folder/munge.key"
port=$((20000 + $$ % 20000))
if ! bash -c "exec 3<>/dev/udp/127.0.0.1/$port" 2>/dev/null; then
    echo 'skipped: there is no network, not even of this computer alone'
    exit 77
fi
host=$(uname -n)
cat >"$folder/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
ReturnToService=2
MpiDefault=none
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF="$folder/slurm.conf"
munged --force --key-file="$folder/munge.key" --socket="$folder/munge/socket" \
    --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" --seed-file="$folder/munge.seed" \
    --num-threads=2 >"$folder/munged.out" 2>&1
slurmctld >"$folder/slurmctld.out" 2>&1
slurmd -N "$host" >"$folder/slurmd.out" 2>&1
waited=0
until sinfo -h -o %t 2>/dev/null | grep -q idle; do
    waited=$((waited + 1))
    if [ $waited -gt 60 ]; then
        echo 'FAILED: the Slurm of one node does not come up'
        tail -n 5 "$folder"/*.out "$folder"/*.log
        exit 1
    fi
    sleep 0.5
done

# Two GPUs and a CPU; each tells who uses it, so that two at a time are found out.
cat >"$folder/bankline" <<END
#!/bin/sh
case "\$1 \$2" in
devices\ *)
    [ -e "$folder/fails" ] && { echo 'bankline: no OpenCL device' >&2; exit 3; }
    for i in 0:0 0:1 1:0; do
        kind=GPU
        [ \$i != 1:0 ] || kind=CPU
        printf '%s  a device of type GPU, by its name\n     platform  one\n     device    %s, 2 compute units\n' \$i \$kind
    done
    exit 0
    ;;
run\ *)
    case "\$* " in *\ --help\ *) exec "$real" "\$@" ;; esac
    ;;
*) exec "$real" "\$@" ;;
esac
echo "\$@" >>"$folder/calls"
mkdir "$folder/busy" || echo overlap >>"$folder/overlaps"
while [ "\$#" -gt 0 ]; do
    case \$1 in
    --csv) cp "$folder/tonight.csv" "\$2" ;;
    --prometheus | --markdown | --json | --junit) : >"\$2" ;;
    esac
    shift
done
sleep 0.3
rmdir "$folder/busy"
END
chmod +x "$folder/bankline"
tonight() { # NUMBER [SED]
    sed "2,\$s/^\([0-9]*\),[^,]*,[^,]*,/\1,night-$1,2026-01-$1T02:00:00Z,/" "$reference" |
        sed "${2:-}" >"$folder/tonight.csv"
}
export BANKLINE="$folder/bankline" BANKLINE_HOME="$source_dir" NIGHTLY_DIR="$folder/nights" \
    GATHER_DIR="$folder/gathered" NIGHTLY_DB="$folder/shared.db"
# shellcheck disable=SC2120 # its arguments come through expect
submit() {
    (cd "$folder" && exec sbatch --wait --parsable --nodelist="$host" --output="$folder/job.txt" \
        "$source_dir/scripts/slurm/nightly.sbatch" "$@")
}

tonight 01
expect 0 '' submit --quick 'local/*'
job=$(cat "$folder/out")
holds 'it says where the runs are' grep -q "2 runs are in $folder/gathered/$job" "$folder/job.txt"
holds 'the runs are there, whole' sh -c "cmp '$folder/tonight.csv' '$folder/gathered/$job/$host.0-0.csv' && \
    cmp '$folder/tonight.csv' '$folder/gathered/$job/$host.0-1.csv'"
holds 'GPUs alone, each once, with what was asked for' sh -c "
    [ \$(wc -l <'$folder/calls') -eq 2 ] && grep -q -e '--device 0:0 --quick local/\*' '$folder/calls' &&
    grep -q -e '--device 0:1 --quick local/\*' '$folder/calls'"
holds 'each GPU has a history of its own' sh -c "[ ! -e '$folder/shared.db' ] && \
    [ -s '$folder/nights/0-0/history.db' ] && [ -s '$folder/nights/0-1/history.db' ]"
tonight 02 '/,local\/5,.*,32x1,/s/,0\.5,0\.50[0-9]*,[0-9.]*,[0-9.]*,/,0.5,0.45,0.4497,0.4503,/'
expect 1 '' submit
holds 'what is slower is told, with the node' sh -c "grep -q '^$host: verdict 1' '$folder/job.txt' &&
    grep -qE '^ *slower +local/5 ' '$folder/job.txt'"
tonight 03
submit >/dev/null 2>&1 &
submit >/dev/null 2>&1
wait
holds 'two jobs share no node' [ ! -e "$folder/overlaps" ]
expect 2 '' submit --bogus
holds 'no run is gathered twice' [ -z "$(find "$folder/gathered/$(cat "$folder/out")" -name '*.csv')" ]
touch "$folder/fails"
expect 3 '' submit
holds 'a node that fails is named' grep -q "^$host: verdict 3" "$folder/job.txt"
BANKLINE_HOME=$folder expect 2 '' submit
holds 'a wrong folder is told' grep -q 'no clone of bankline' "$folder/job.txt"

finish
