#!/bin/sh
# `bankline trace` of programs that behave unusually:
# trace_odd.sh BANKLINE PLUGIN RUN_KERNEL ODD_HOST SOURCE
set -u
case $1 in /*) bankline=$1 ;; *) bankline=$PWD/$1 ;; esac
case $3 in /*) run_kernel=$3 ;; *) run_kernel=$PWD/$3 ;; esac
case $4 in /*) odd_host=$4 ;; *) odd_host=$PWD/$4 ;; esac
kernels=$5/tests/trace/kernels
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# shellcheck source=tests/checks.sh
. "$(dirname "$0")/checks.sh"
cd "$folder" || exit 1
trace() { "$bankline" trace --machine nvidia-hopper "$@"; }
vendors=${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}
export OCL_ICD_VENDORS="$vendors"
without_pocl() { # COMMAND...
    OCL_ICD_VENDORS=$folder
    "$@"
    OCL_ICD_VENDORS=$vendors
}
whole='kernel scan: 1024 work-items in groups of 128; 8 of 8 groups traced'

# Even if a program closes or reuses all file descriptors, no byte of the trace may get into its files. The program may
# be started by a script.
head -c 20000 /dev/zero >data
cp data data.before
expect 0 'kernel fill: 64 work-items in groups of 32, 2 launches; 4 of 4 groups traced' trace -- "$odd_host" closes data
holds "the program's file is unchanged by a trace" cmp data data.before
expect 0 'fill                             2 ' trace --time -- "$odd_host" closes data
holds "the program's file is unchanged by --time" cmp data data.before
expect 0 "$whole" trace -- sh -c "'$run_kernel' '$kernels' scan >out1.txt"
holds "the program's output is not mixed with the trace" grep -q '^scan: [0-9a-f]*$' out1.txt
cat >driver.py <<END
import subprocess
with open("data1.out", "w") as out:
    subprocess.run(["$run_kernel", "$kernels", "scan"], stdout=out, check=True)
END
expect 0 "$whole" trace -- python3 driver.py
holds 'the output is complete, although python closes all but three descriptors' sh -c "[ \$(wc -l <data1.out) -eq 1 ] && grep -q '^scan: [0-9a-f]*\$' data1.out"
expect 0 'scan                             1 ' trace --time -- python3 driver.py
cat >closing.py <<END
import os
os.closerange(3, 4096)
os.execv("$run_kernel", ["$run_kernel", "$kernels", "scan"])
END
expect 0 "$whole" trace -- python3 closing.py

# If processes launch at the same time, they take turns, and all launches of each are traced.
expect 0 'kernel scan: 4096 work-items in groups of 128, 9 launches; 288 of 288 groups traced' trace --sample all -- sh -c \
    "for i in 1 2 3; do '$run_kernel' '$kernels' scan 4096 3 & '$run_kernel' '$kernels' stencil 32 4 & done; wait"
holds 'the other program has all of its launches, too' grep -q 'kernel stencil: 32x32 work-items in groups of 16x16, 12 launches; 48 of 48 groups traced' out

# If Oclgrind aborts a launch, the earlier launches are traced, and the program's exit status is reported.
expect 0 'Oclgrind aborted 1 of 1 launches' trace --json aborted.json -- "$odd_host" aborts
holds 'the earlier launch is traced' grep -q '^kernel fill: 64 work-items in groups of 32; 2 of 2 groups traced' out
holds "the program's exit status is reported" grep -q 'note: the program ended with status 7' err
holds 'JSON counts the aborted launch' grep -q '"aborted_launches": 1' aborted.json
trace --save aborted.trace -- "$odd_host" aborts >out 2>&1
expect 3 'Oclgrind aborted 1 of 1 launches of' trace --against aborted.trace -- sh -c "'$odd_host' aborts; true"

# With --quick, groups that are not traced run too, first those beside the traced ones, until the launch has used its
# share of the instructions allowed. So the traced groups of a later kernel find their input.
for way in '' --quick; do
    without_pocl expect 0 '4 of 512 groups traced' trace --sample first,last,2 --json "depends$way.json" $way -- "$odd_host" depends
    cat out err >"ran$way"
done
holds '--quick: what depends on earlier kernels is traced the same' python3 -c "
import json
found = [[(k['name'], k['traced_groups'], k['totals']) for k in json.load(open(name))['kernels']]
         for name in ('depends.json', 'depends--quick.json')]
assert found[0] == found[1] and len(found[0]) == 3, found"
holds 'without --quick, all groups run' grep -q "^128 of 128 groups of count ran" ran
holds '--quick: Oclgrind runs some more groups than the traced ones, not all' sh -c \
    "cat ran--quick | sed -n 's/^\\([0-9]*\\) of 128 groups of count ran.*/\\1/p' | grep -qx '[5-9]\\|[1-9][0-9]'"

# A forked child is traced, too.
expect 0 'kernel fill: 64 work-items in groups of 32, 3 launches; 6 of 6 groups traced' trace -- "$odd_host" forks

# The program releases its objects after Oclgrind has freed its own. Oclgrind must not write into the program's memory
# then.
expect 0 'kernel fill: 64 work-items in groups of 32; 2 of 2 groups traced' trace --save late.trace -- "$odd_host" late
holds 'the trace is complete, and the exit status is unchanged' sh -c "[ -s late.trace ] && grep -q 'note: the program ended with status 7' err"

# A kernel is launched with several sizes, uses more local memory than Oclgrind has by default, and is built with an
# option that Oclgrind's compiler rejects.
expect 0 'kernel large: 2 launches of several sizes, the last of 64 work-items in groups of 16; 6 of 6 groups traced' trace -- "$odd_host" sizes

# Two of five launches are queued behind a large write; before each of the others, the program waits for the device.
expect 0 'kernel fill: 64 work-items in groups of 32, 5 launches' trace --predict --machine nvidia-hopper --json queues.json -- "$odd_host" queues
holds 'launches behind a write are queued, and no others' grep -q '"queued_launches": 2' queues.json
for what in late fills copies; do
    trace --predict --json "$what.json" -- "$odd_host" "$what" >/dev/null 2>&1
done
holds 'a device that has just filled or copied a buffer is awake' python3 -c "
import json
late, *awake = (json.load(open(name + '.json'))['kernels'][0]['predicted']['first_ns']
                for name in ('late', 'fills', 'copies'))
assert all(first < late - 10000 for first in awake), (late, awake)"

# The program's first launch, and launches after the host has computed, find an idle device.
expect 0 'limited by' trace --predict --machine nvidia-hopper --json computes.json -- "$odd_host" computes
holds 'a launch takes longer after the host has computed, the more the longer' python3 -c "
import json
more = [kernel['predicted']['first_ns'] - kernel['predicted']['ns']
        for kernel in json.load(open('computes.json'))['kernels']]
assert len(more) == 3 and more[0] > 10e3 and more[1] > 18e3 and 5e3 < more[2] < 14e3, more"

# A device falls asleep while the host copies initial data, which a driver does before the first launch that uses them,
# while the host waits for a transfer, and, for some 2 ms, while it builds a program.
expect 0 'limited by' trace --predict --machine nvidia-hopper --json sleeps.json -- "$odd_host" sleeps
holds 'a launch after copies or a build of the host takes longer' python3 -c "
import json
us = {kernel['name']: round(kernel['predicted']['first_ns'] / 1000) for kernel in json.load(open('sleeps.json'))['kernels']}
assert all(us[name] > us['again'] + 10 for name in ('first', 'initial', 'written', 'read')), us
assert us['again'] + 4 < us['built'] < us['again'] + 8, us
assert abs(us['later'] - us['again']) < 2, us"

# Four host threads run simultaneously, each with its own context. Oclgrind is not thread-safe and crashes in some runs,
# even more often without the trace. So after a crash, the test is repeated.
for attempt in 1 2 3 4 5 6; do
    trace --csv threads.csv -- "$odd_host" threads >out 2>err
    grep -q 'Oclgrind is not thread-safe' err || break
    echo "attempt $attempt: Oclgrind crashed"
done
for number in 0 1 2 3; do
    holds "all launches of thread $number are traced" grep -q "^kernel of_thread_$number: 64 work-items in groups of 32, 20 launches; 40 of 40 groups traced" out
done
expect 3 'the program may not have made all its launches' trace --json crashed.json -- sh -c "'$run_kernel' '$kernels' scan; kill -SEGV \$\$"
holds 'after a crash, the JSON does not say that the trace is whole' grep -q '"is_whole": false' crashed.json
expect 3 'The likely cause: its 4 host threads use OpenCL simultaneously' trace -- sh -c "'$odd_host' threads; kill -SEGV \$\$"

# Several kernels have the same name. In every format, the launches, lines and times of each are separate.
expect 0 'kernel scale (source 2): 64 work-items in groups of 32, 2 launches' trace --time --csv names.csv --json names.json --markdown names.md -- "$odd_host" names
holds 'the third kernel has its own launches' grep -q '^kernel scale (source 3): 64 work-items in groups of 32, 3 launches' out
for number in 1 2 3; do
    holds "source $number is timed alone" grep -qE "^scale \(source $number\) +$number +[0-9.]+ [num]s" out
    holds "source $number is in the CSV" [ "$(grep -c "^scale (source $number),source $number," names.csv)" -eq 2 ]
    holds "source $number is in Markdown" grep -qF "| scale (source $number) |" names.md
    holds "source $number is in JSON" grep -qF "\"label\": \"scale (source $number)\"" names.json
done
expect 0 '1 launch has no time, because several programs have kernels' trace --time -- \
    sh -c "if test \$BANKLINE_TIMES_FD; then printf '\t\nscale\t5\t1\t1\tGPU\n' >/proc/self/fd/\${BANKLINE_TIMES_FD%%:*}; else '$odd_host' names; fi"
TMPDIR=/no/such "$bankline" report "$5/results/reference/nvidia-h200.csv" --trace names.json -o names.html 2>err
holds 'the page has the labelled kernel' grep -qF '<h3>kernel scale (source 2)</h3>' names.html
mkdir named
cp "$kernels/scan.cl" named
expect 0 'kernel scan (scan.cl, -DA=1): 1024 work-items' trace -- sh -c "'$run_kernel' named scan 1024 1 -DA=1; '$run_kernel' named scan"
holds 'the kernel without options has its own label' grep -q '^kernel scan (scan.cl, no options): 1024 work-items' out

rm -r named

# A source contains a byte that is not UTF-8.
mkdir latin
{
    printf '// caf\351\n'
    cat "$kernels/scan.cl"
} >latin/scan.cl
expect 0 'scan,latin/scan.cl,11,' trace --csv - --json latin.json -- "$run_kernel" latin scan
holds 'JSON says that the program was traced to its end' grep -q '"is_whole": true' latin.json
holds 'JSON has the source' grep -qF '"// caf?\n// Prefix' latin.json
expect 0 'global' trace --annotate -- "$run_kernel" latin scan

# After an interruption, what was traced is written, even if writing takes long: here the pipe is full, and is read only
# 1.5 seconds after the signal. A program that ignores SIGTERM is killed.
cat >stays.sh <<END
'$run_kernel' '$kernels' scan
echo started >started
trap '' TERM INT
while :; do sleep 1; done
END
for signal in TERM INT; do
    rm -f started signalled ended
    {
        head -c 65536 /dev/zero
        # SIGINT must not be ignored; a shell without job control would start the process with SIGINT ignored.
        python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$bankline" trace --machine nvidia-hopper --csv "$signal.csv" --json "$signal.json" -- sh stays.sh 2>err &
        job=$!
        while [ ! -e started ]; do sleep 0.1; done
        kill -"$signal" "$job"
        echo signalled >signalled
        wait "$job"
        echo $? >ended
    } | {
        while [ ! -e signalled ]; do sleep 0.1; done
        sleep 1.5
        cat
    } >"$signal.out"
    holds "SIG$signal: the exit status is that of an interruption" grep -qE '^(143|130)$' ended
    holds "SIG$signal: the table is complete" sh -c "tr -d '\\000' <$signal.out | grep -q '^Lines: means over requests of 32 lanes'"
    holds "SIG$signal: the JSON says that the program may have made more launches" grep -q '"is_whole": false' "$signal.json"
    holds "SIG$signal: the CSV is complete" [ "$(grep -c '^scan,' "$signal.csv")" -eq 7 ]
done

# `timeout` sends its signal to the process and then to the process's group, so the signal arrives twice. The same signal
# later ends even a trace that cannot write its table, because the pipe is full.
cat >twice.py <<END
import os, signal, subprocess, sys, time
pause_s, out = float(sys.argv[1]), sys.argv[2]
traced = subprocess.Popen(sys.argv[3:], stdout=open(out, "w") if out != "-" else None, stderr=subprocess.DEVNULL)
while not os.path.exists("started"):
    time.sleep(0.1)
traced.send_signal(signal.SIGTERM)
time.sleep(pause_s)
traced.send_signal(signal.SIGTERM)
sys.exit(traced.wait() != -signal.SIGTERM)
END
rm -f started
holds 'SIGTERM twice: the exit status is that of an interruption' \
    python3 twice.py 0.02 twice.out "$bankline" trace --machine nvidia-hopper --csv twice.csv -- sh stays.sh
holds 'SIGTERM twice: the table is complete' grep -q '^Lines: means over requests of 32 lanes' twice.out
holds 'SIGTERM twice: the CSV is complete' grep -q '^scan,' twice.csv
rm -f started later
{
    head -c 65536 /dev/zero
    python3 twice.py 3 - "$bankline" trace --machine nvidia-hopper -- sh stays.sh
    echo $? >later
} | while [ ! -e later ]; do sleep 0.1; done
holds 'SIGTERM again after three seconds: the trace ends' grep -qx 0 later

cat >starts.py <<END
import os, subprocess
started = [subprocess.Popen(["sh", "-c", trap + "while :; do sleep 1; done"]) for trap in ("", "trap '' TERM;")]
with open("pids", "w") as file:
    file.write(" ".join(str(one.pid) for one in started))
os.rename("pids", "started.pids")
for one in started:
    one.wait()
END
"$bankline" trace --machine nvidia-hopper -- python3 starts.py >out 2>err &
job=$!
while [ ! -e started.pids ]; do sleep 0.1; done
kill -TERM "$job"
wait "$job"
read -r heeds ignores <started.pids
# A second signal comes while the trace waits for a program that ignores the first one. The trace kills the program
# before it ends.
cat >ignores.py <<END
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
with open("ignores.new", "w") as file:
    file.write(str(os.getpid()))
os.rename("ignores.new", "started")
time.sleep(60)
END
rm -f started
holds 'SIGTERM again after a second: the trace ends' \
    python3 twice.py 1 again.out "$bankline" trace --machine nvidia-hopper -- sh -c 'python3 ignores.py; :'
read -r survivor <started
# A program that has closed its pipe, and so ended the trace, is stopped too.
rm -f started
holds 'SIGTERM after the trace: the trace ends' \
    python3 twice.py 1 closed.out "$bankline" trace --machine nvidia-hopper -- python3 -c "
import os
os.closerange(3, 65536)
exec(open('ignores.py').read())"
read -r closed <started

# Processes in sessions of their own, whose parents have ended, are stopped too, but not the older children of the shell
# that becomes bankline.
cat >daemons.sh <<END
'$run_kernel' '$kernels' scan
(setsid sh -c 'echo \$\$ >heeding; exec sleep 1000' &)
(setsid sh -c 'trap "" TERM; echo \$\$ >ignoring; while :; do sleep 1; done' &)
while [ ! -s heeding ] || [ ! -s ignoring ]; do sleep 0.1; done
test "\$1" = ends || exec sleep 1000
END
apart=
for how in stays ends; do
    rm -f heeding ignoring
    expect 0 'note: the budget of 5 s was used up, so the program was ended' \
        sh -c "sleep 1000 & echo \$! >older; exec '$bankline' trace --machine nvidia-hopper --budget 5 -- sh daemons.sh $how"
    apart="$apart $(cat heeding ignoring)"
    holds 'a process that does not belong to the program goes on' sh -c "grep -q '^State:[^Z]*[RSD] ' /proc/\$(cat older)/status"
    kill "$(cat older)"
done

# A process that has ended may still exist as a zombie, and a killed process exists until it is scheduled again.
ended() { # PROCESS
    for _ in $(seq 100); do
        grep -q '^State:[^Z]*[RSD] ' "/proc/$1/status" 2>/dev/null || return 0
        sleep 0.1
    done
    return 1
}
for process in "$heeds" "$ignores"; do
    holds 'processes that a script started have ended' ended "$process"
done
holds 'four processes had sessions of their own' [ "$(echo "$apart" | wc -w)" -eq 4 ]
for process in $apart; do
    holds 'processes in sessions of their own have ended' ended "$process"
done
holds 'a program that ignored the first of two signals has ended' ended "$survivor"
holds 'a program that closed its pipe and ignored two signals has ended' ended "$closed"

# Intel's compiler hangs. An interruption does not wait for it, and the table is still written.
if ldconfig -p 2>/dev/null | grep -q libiga64 || /sbin/ldconfig -p | grep -q libiga64; then
    mkdir hung
    printf '#!/bin/sh\ntouch compiling\nexec sleep 1000\n' >hung/ocloc
    chmod +x hung/ocloc
    PATH="$folder/hung:$PATH" "$bankline" trace --machine intel-gen9 -- "$run_kernel" "$kernels" scan >out 2>err &
    job=$!
    while [ ! -e compiling ]; do sleep 0.1; done
    kill -TERM "$job"
    wait "$job"
    holds 'the exit status is that of an interruption' [ $? -eq 143 ]
    holds 'the table is printed' grep -q "^$whole" out
else
    skip "$0: a hung compiler of Intel's (no libiga64)"
fi

# On a terminal, progress is shown after the program has ended.
if has_terminals; then
    script -qec "'$bankline' trace --machine nvidia-hopper -- '$run_kernel' '$kernels' scan" /dev/null >out 2>&1
    holds 'progress is shown' grep -q 'looking for what would make the worst lines faster' out
    holds 'a single group is printed in the singular' sh -c "grep -q 'kernel scan: 1 group traced' out && ! grep -q ' 1 groups' out"
    holds "the program's output begins on a new line" sh -c "! grep -q 'traced *scan: ' out && grep -q '[[]Kscan: ' out"
    script -qec "'$bankline' trace --machine nvidia-hopper --sim none.sim" /dev/null >out 2>&1
    holds 'without a trace no advice is searched for' sh -c "! grep -q 'looking for' out && grep -q 'cannot read' out"
    cat >prints.sh <<END
yes | head -n 100000
exec '$run_kernel' '$kernels' scan
END
    script -qec "'$bankline' trace --machine nvidia-hopper -- sh prints.sh" /dev/null >out 2>&1
    holds 'all output of the program is passed on' [ "$(tr -d '\r' <out | grep -c '^y$')" -ge 99999 ]
fi

# As a budget runs out, fewer groups are traced; then only the first and the last group of a launch run; then fewer
# launches are traced; then the program is ended. The script sets a budget that began when the host was booted. It
# chooses the length of the budget so that the given number of its eighths is over now, however long the host has run.
cat >budget.py <<END
import os, sys, time
now = time.monotonic_ns()
os.environ["BANKLINE_TRACE_BUDGET"] = "0:%d" % (now * 8 // int(sys.argv[1]))
os.execv("$run_kernel", ["$run_kernel", "$kernels", "scan", "4096", "3"])
END
budget() { trace --budget 1000s --sample "$2" -- python3 budget.py "$1"; } # EIGHTHS-THAT-ARE-OVER SAMPLE
expect 0 'in groups of 128, 3 launches; 96 of 96 groups traced' budget 1 all
expect 0 'in groups of 128, 3 launches; 48 of 96 groups traced' budget 3 all
expect 0 'in groups of 128, 3 launches; 12 of 96 groups traced' budget 3 first,last,8
expect 0 'in groups of 128, 3 launches; 6 of 96 groups traced' budget 5 all
expect 0 'in groups of 128, 3 launches; 2 of 96 groups traced' budget 7 all
holds 'the launches that were left out are counted' grep -q '^left out: 2 of 3 launches, to end within the budget (--budget)' out
holds 'the output explains how launches that were left out count' sh -c "tr '\\n' ' ' <out | grep -q 'Launches that the budget left out count like the kernel.s other launches'"
holds 'groups that did not run are reported' grep -q '^only the first and the last group of 3 launches ran' out
expect 0 '; 6 of 96 groups traced' trace --quick --budget 1000s -- "$run_kernel" "$kernels" scan 4096 3
budget_host() { trace --quick --budget 1000s --sample first,last,2 -- python3 budget_host.py 3; }
sed "s|^os.execv.*|os.execv('$odd_host', ['$odd_host', 'depends'])|" budget.py >budget_host.py
without_pocl expect 0 '2 of 512 groups traced' budget_host
holds 'as a budget runs out, --quick runs the traced groups alone' grep -q '^[23] of 128 groups of count ran' out err
holds 'a reduction that the user asked for is not reported' sh -c "! grep -q '^only the first' out"

# Groups that Oclgrind leaves out run on PoCL, if it is installed, so that later kernels find all of their input: with
# arguments of all kinds, after a launch that crashes PoCL, and after one that has an image, which PoCL does not get.
whole() { # WHAT
    sed "s|^os.execv.*|os.execv('$odd_host', ['$odd_host', 'whole', '$1'])|" budget.py >budget_whole.py
    trace --quick --sample first,last --budget 1000s --json whole.json -- python3 budget_whole.py 3
}
if "$bankline" devices 2>&1 | grep -q 'Portable Computing Language'; then
    for what in '' resets crashes images; do
        expect 0 'kernel count: 4096 work-items in groups of 32; 2 of 128 groups traced' whole "$what"
        holds "the groups that are left out run on PoCL $what" grep -q '^4096 of 4096 numbers are right' out err
        if [ "$what" = resets ]; then
            holds 'what the whole launch leaves as it was is so' grep -q '^0 is left' out err
        elif [ "$what" ]; then
            holds "a launch that PoCL did not run is counted: $what" sh -c \
                "grep -q '^In 1 of 4 launches, some groups did not run' out && grep -q 'partial_launches.: 1' whole.json"
        fi
    done
    expect 0 'kernel count: 4096 work-items in groups of 32; 2 of 128 groups traced' whole closes
    holds 'descriptors of PoCL are not taken for standard output' grep -q '^4096 of 4096 numbers are right' whole.out
else
    skip "$0: groups that run on PoCL (not installed)"
fi
without_pocl expect 0 '; 2 of 128 groups traced' whole ''
holds 'without PoCL they do not run, which is reported' sh -c \
    "cat out err | grep -q '^64 of 4096 numbers are right' && grep -q '^In 2 of 2 launches, some groups did not run' out"
expect 0 'in groups of 128, 3 launches; 2 of 96 groups traced' budget 16 first,last,8
expect 3 'no kernel ran within the budget of 1 s, so the program was ended' trace --budget 1s -- sh -c 'exec sleep 1000'
expect 0 'note: the budget of 10 s was used up, so the program was ended' trace --budget 10 -- sh -c "'$run_kernel' '$kernels' scan; exec sleep 1000"
holds 'the traced part is shown' grep -q "^$whole" out
expect 2 "--budget '0': expected seconds" trace --budget 0 -- true
expect 2 "--budget '2h': expected seconds" trace --budget 2h -- true
expect 0 '; 6 of 96 groups traced' trace --quick --budget 20m -- "$run_kernel" "$kernels" scan 4096 3
expect 0 '; 6 of 96 groups traced' trace --quick --budget 1h -- "$run_kernel" "$kernels" scan 4096 3
finish
