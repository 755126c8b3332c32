#!/bin/sh
# Tests scripts/slurm with four nodes of the distribution's Slurm on this host, and with a substitute for the program:
# slurm.sh BANKLINE REFERENCE.csv SOURCE
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

# Starts separate Slurm daemons, as the current user, on ports that are probably unused.
chmod 755 "$folder"
mkdir "$folder/state" "$folder/spool" "$folder/munge"
chmod 711 "$folder/munge"
dd if=/dev/urandom of="$folder/munge.key" bs=1024 count=1 2>/dev/null
chmod 600 "$folder/munge.key"
port=$((20000 + $$ % 20000))
if ! bash -c "exec 3<>/dev/udp/127.0.0.1/$port" 2>/dev/null; then
    echo 'skipped: there is no network, not even within this host'
    exit 77
fi
host=$(uname -n)
cat >"$folder/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
ReturnToService=2
MpiDefault=none
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=$(nproc) State=UNKNOWN
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=$(nproc) State=UNKNOWN
NodeName=n3 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 3)) CPUs=$(nproc) State=UNKNOWN
NodeName=n4 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 4)) CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF="$folder/slurm.conf"
for node in n1 n2 n3 n4; do mkdir -p "$folder/spool/$node"; done
# From 23.02 on, Slurm uses control groups unless they are disabled. Older versions do not know the setting.
case $(slurmd -V) in
*' 22.'* | *' 21.'* | *' 20.'*) ;;
*) echo 'CgroupPlugin=disabled' >"$folder/cgroup.conf" ;;
esac
munged --force --key-file="$folder/munge.key" --socket="$folder/munge/socket" \
    --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" --seed-file="$folder/munge.seed" \
    --num-threads=2 >"$folder/munged.out" 2>&1
slurmctld >"$folder/slurmctld.out" 2>&1
for node in n1 n2 n3 n4; do slurmd -N $node >"$folder/slurmd-$node.out" 2>&1; done
waited=0
until [ "$(sinfo -h -N -o %t 2>/dev/null | grep -c idle)" -eq 4 ]; do
    waited=$((waited + 1))
    if [ $waited -gt 60 ]; then
        echo 'FAILED: the Slurm of four nodes does not come up'
        tail -n 5 "$folder"/*.out "$folder"/*.log
        exit 1
    fi
    sleep 0.5
done

# The substitute for the program lists two GPUs and a CPU. It records whether two of its runs overlap.
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
tonight() { # NUMBER [SED]: makes the reference run, changed by SED, the run of night NUMBER
    sed "2,\$s/^\([0-9]*\),[^,]*,[^,]*,/\1,night-$1,2026-01-$1T02:00:00Z,/" "$reference" |
        sed "${2:-}" >"$folder/tonight.csv"
}
export BANKLINE="$folder/bankline" BANKLINE_HOME="$source_dir" NIGHTLY_DIR="$folder/nights" \
    GATHER_DIR="$folder/gathered" NIGHTLY_DB="$folder/shared.db"
# shellcheck disable=SC2120 # its arguments come through expect
submit() {
    (cd "$folder" && exec sbatch --wait --parsable --nodelist=n1 --output="$folder/job.txt" \
        "$source_dir/scripts/slurm/nightly.sbatch" "$@")
}

tonight 01
expect 0 '' submit --quick 'local/*'
job=$(cat "$folder/out")
holds "the job prints the runs' folder" grep -q "2 runs are in $folder/gathered/$job" "$folder/job.txt"
holds 'the runs of both GPUs are gathered completely' sh -c "cmp '$folder/tonight.csv' '$folder/gathered/$job/n1.0-0.csv' && \
    cmp '$folder/tonight.csv' '$folder/gathered/$job/n1.0-1.csv'"
holds 'only GPUs are measured, each once, with the given options' sh -c "
    [ \$(wc -l <'$folder/calls') -eq 2 ] && grep -q -e '--device 0:0 --quick local/\*' '$folder/calls' &&
    grep -q -e '--device 0:1 --quick local/\*' '$folder/calls'"
holds 'each GPU has a separate history' sh -c "[ ! -e '$folder/shared.db' ] && \
    [ -s '$folder/nights/0-0/history.db' ] && [ -s '$folder/nights/0-1/history.db' ]"
tonight 02 '/,local\/5,.*,32x1,/s/,0\.5,0\.50[0-9]*,[0-9.]*,[0-9.]*,/,0.5,0.45,0.4497,0.4503,/'
expect 1 '' submit
holds 'a slower row and its node are printed' sh -c "grep -q '^n1: verdict 1' '$folder/job.txt' &&
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
holds 'a failing node is reported' grep -q "^n1: verdict 3" "$folder/job.txt"
BANKLINE_HOME=$folder expect 2 '' submit
holds 'a wrong folder is reported' grep -q 'is not a clone of bankline' "$folder/job.txt"

# Measures a fleet of four nodes with two GPUs each. There is one task per GPU, and all tasks run at the same time. The
# substitute makes one ratio of one card smaller.
cat >"$folder/bankline" <<END
#!/bin/sh
case "\$1 \$2" in
devices\ *)
    [ "\$SLURMD_NODENAME" = n4 ] && [ -e "$folder/fails" ] && { echo 'bankline: no OpenCL device' >&2; exit 3; }
    for i in 0:0 0:1; do
        printf '%s  a GPU\n     device    GPU, 2 compute units\n' \$i
    done
    exit 0
    ;;
run\ *) ;;
*) exec "$real" "\$@" ;;
esac
echo "\$SLURMD_NODENAME \$*" >>"$folder/fleet-calls"
mkdir -p "$folder/together" && : >"$folder/together/\$SLURMD_NODENAME-\$SLURM_LOCALID"
waited=0
until [ "\$(ls "$folder/together" | wc -l)" -ge 8 ] || [ \$waited -ge 100 ]; do sleep 0.1; waited=\$((waited + 1)); done
[ \$waited -lt 100 ] || echo alone >>"$folder/alone"
while [ "\$#" -gt 0 ]; do
    case \$1 in
    --device) card=\$2 ;;
    --csv) file=\$2 ;;
    esac
    shift
done
by=1
[ "\$SLURMD_NODENAME \$card" != 'n3 0:1' ] || by=0.5
awk -F, -v OFS=, -v by=\$by -v id="\$SLURMD_NODENAME-\$(echo \$card | tr : -)" 'NR == 1 {
        for (i = 1; i <= NF; i++) at[\$i] = i; print; next}
    {\$at["device_id"] = id; \$at["run_id"] = "fleet-" id; \$at["host"] = substr(id, 1, 2)
     if (\$at["case"] == "local/5" && \$at["shape"] == "32x1")
         for (i = 0; i < 3; i++) \$(at["measured"] + i) *= by
     print}' "$folder/fleet.csv" >"\$file"
END
chmod +x "$folder/bankline"
python3 - "$source_dir/results/reference/nvidia-h200.csv" "$folder/fleet.csv" <<'END'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
with open(sys.argv[2], "w", newline="") as out:
    writer = csv.DictWriter(out, rows[0].keys(), lineterminator="\n")
    writer.writeheader()
    writer.writerows({**row, "reason": "", "note": ""} for row in rows)
END
fleet() {
    (cd "$folder" && exec sbatch --wait --parsable --nodelist='n[1-4]' --ntasks-per-node=2 --output="$folder/job.txt" \
        "$source_dir/scripts/slurm/fleet.sbatch" "$@")
}
rm -f "$folder/fails"
FLEET_DB=$folder/fleet.db ODD_CSV=$folder/odd.csv
export FLEET_DB ODD_CSV
expect 1 '' fleet --quick
job=$(cat "$folder/out")
holds 'every GPU of every node has a whole run' [ "$(find "$folder/gathered/$job" -name 'n[1-4].[01].csv' | wc -l)" -eq 8 ]
holds 'no incomplete file and no log is left' [ -z "$(find "$folder/gathered/$job" -name '*.begun' -o -name '*.log')" ]
holds 'all GPUs are measured at the same time' [ ! -e "$folder/alone" ]
holds 'each GPU is measured with the given options' [ "$(grep -c -- '--device 0:[01] --quiet --csv .* --quick' "$folder/fleet-calls")" -eq 8 ]
holds 'the history has all runs' sh -c "'$real' history list --db '$folder/fleet.db' | grep -q '^8 runs'"
holds 'the card that differs is named' sh -c "grep -q '^n3-0-1, .* on n3, run' '$folder/job.txt' && \
    grep -q 'local/5 32x1: its ratio is' '$folder/job.txt'"
holds 'gathering twice gives the same result' sh -c "'$source_dir/scripts/slurm/gather' '$folder/fleet.db' '$folder/gathered/$job'; [ \$? -eq 1 ]"
holds 'the health check reports the card on its node' sh -c "SLURMD_NODENAME=n3 '$source_dir/scripts/slurm/health-check' | grep -q 'n3: card n3-0-1 differs from the others of its model: local/5, -50.0 %'"
holds 'the health check reports nothing on another node' [ -z "$(SLURMD_NODENAME=n2 "$source_dir/scripts/slurm/health-check")" ]
touch -d '3 days ago' "$folder/odd.csv"
holds 'the health check ignores an old list of outliers' [ -z "$(SLURMD_NODENAME=n3 "$source_dir/scripts/slurm/health-check")" ]
touch "$folder/fails"
rm -rf "$folder/together" "$folder/alone"
: >"$folder/alone"
expect 3 '' fleet
holds 'a node without a device is reported' grep -q 'no OpenCL device' "$folder/job.txt"
job=$(cat "$folder/out")
holds 'the runs of the other nodes are gathered' [ "$(find "$folder/gathered/$job" -name 'n[1-3].[01].csv' | wc -l)" -eq 6 ]
rm -f "$folder/fails"
expect 3 'task 5 has no GPU: the node has 2' env SLURM_LOCALID=5 "$source_dir/scripts/slurm/card" "$folder/gathered"
# On a node without a GPU, the CPU is not measured instead.
cat >"$folder/cpu" <<END
#!/bin/sh
[ "\$1" = run ] || { printf '0:0  a CPU\n     device    CPU, 2 compute units\n'; exit 0; }
while [ "\$1" != --csv ]; do shift; done
: >"\$2"
END
chmod +x "$folder/cpu"
expect 3 'n5: the node has no GPU' env BANKLINE="$folder/cpu" SLURMD_NODENAME=n5 "$source_dir/scripts/slurm/node" "$folder/gathered"
holds 'the CPU is not measured instead of a lost GPU' [ ! -e "$folder/gathered/n5.verdicts" ]
card() { env BANKLINE="$folder/cpu" SLURMD_NODENAME=n5 "$@" "$source_dir/scripts/slurm/card" "$folder/gathered"; }
expect 3 'n5: task 0 has no GPU: the node has 0' card SLURM_LOCALID=0
expect 3 'n5: task 1 has no GPU: the node has 0' card SLURM_LOCALID=1 SLURM_GPUS_PER_TASK=1
holds 'nothing is measured' [ ! -e "$folder/gathered/n5.0.csv" ]
holds 'a task measures any device if ANY_DEVICE is set' card SLURM_LOCALID=0 ANY_DEVICE=1
holds 'its run is gathered' [ -e "$folder/gathered/n5.0.csv" ]
unset FLEET_DB
rm -rf "$folder/together"
expect 0 '' fleet
holds 'without a history the command to add runs is printed' grep -q 'scripts/slurm/gather FLEET.db' "$folder/job.txt"
holds 'gathering fails without runs' sh -c "mkdir '$folder/none'; '$source_dir/scripts/slurm/gather' '$folder/none.db' '$folder/none'; [ \$? -eq 4 ]"

finish
