#!/bin/sh
# Tests scripts/readme-figures, which generates the numbers and tables in the READMEs from the committed data files:
# figures.sh BANKLINE SOURCE
set -u
case $1 in /*) bankline=$1 ;; *) bankline=$PWD/$1 ;; esac
source_dir=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# shellcheck source=tests/checks.sh
. "$(dirname "$0")/checks.sh"
cd "$folder" || exit 1

holds "the READMEs' figures match the data files" "$source_dir/scripts/readme-figures" --check "$bankline"
# The rest of the test does not generate these figures again, because they take the longest. They were compared above.
export FIGURES_KEPT="public between-runs"
for part in README.md bench kernels results scripts host tests/README.md tests/trace; do
    mkdir -p "copied/$(dirname "$part")"
    cp -R "$source_dir/$part" "copied/$part"
done
rm -rf copied/results/runs
figures() { # STATUS SENTENCE [ARGUMENT...]
    status=$1 sentence=$2
    shift 2
    expect "$status" "$sentence" copied/scripts/readme-figures "$@" "$bankline"
}
holds 'mean distances omit predictions of 1, as those of the program do' python3 - <<'END'
import sys
sys.path.insert(0, "copied/scripts/figures")
from common import spread
rows = [{"predicted": predicted, "measured": measured, "verdict": "confirmed"}
        for predicted, measured in (("1", "1.5"), ("0.5", "0.55"), ("0.25", "0.2"))]
assert [round(value, 6) for value in spread(rows)[:3]] == [2, 0.15, 0.2], spread(rows)
END
holds 'the first page is short' [ "$(wc -c <copied/README.md)" -le 7000 ]
holds "at most 75 lines of the root README precede its evidence" [ "$(sed '/^## Evidence for/,$d' copied/README.md | wc -l)" -le 75 ]
# Excerpts of the program's output are generated again. An excerpt is left unchanged if the program was built without
# the feature that prints it.
sed -i 's/ 2\.15 times / 2.16 times /; s/^\(    slower .*\)-10\./\1-11./' copied/README.md
sed -i 's/^| global | 16 | [0-9.]*,/| global | 16 | 7.7,/' copied/results/rules/README.md
cat >lacking <<END
#!/bin/sh
case \$1 in history | trace) echo "bankline: this bankline was built without it" >&2; exit 2 ;; esac
exec "$bankline" "\$@"
END
chmod +x lacking
expect 1 '2.16 times' copied/scripts/readme-figures --check "$PWD/lacking"
holds 'tables are compared, too' grep -q '7\.7,' err
holds '--check changes nothing' grep -q '^| global | 16 | 7.7,' copied/results/rules/README.md
for name in nightly trace; do
    holds "the $name excerpt stays" grep -q "readme-figures: $name-excerpt is left unchanged: .* built without" err
done
holds 'an excerpt that cannot be printed is not changed' sh -c '! grep -q -e "-11\." err out'
holds 'excerpts are generated' copied/scripts/readme-figures "$bankline"
holds 'the generated README equals the committed one' cmp copied/README.md "$source_dir/README.md"
holds 'the generated tables equal the committed ones' cmp copied/results/rules/README.md "$source_dir/results/rules/README.md"
holds 'no generated text has the name of a value in place of the value' sh -c '! grep -rnE "\{[a-z_]+\}" --include=README.md copied'
sed -i 's/^nvidia-h200.csv,\(.*\),20261125,/nvidia-h200.csv,\1,3,/' copied/results/rules/files.csv
figures 2 'nvidia-h200.csv is not of seed 3: its pattern random-' --check
sed -i 's/^nvidia-h200.csv,\(.*\),3,/nvidia-h200.csv,\1,20261125,/; s/20261124,/4243,/' copied/results/rules/files.csv
figures 2 'nvidia-h200-level-reads.csv is not of seed 4243' --check
sed -i 's/4243,/20261124,/' copied/results/rules/files.csv
# Constants of the model are taken from its source.
sed -i 's/OF_UPDATE_NS 0\.731/OF_UPDATE_NS 0.8/' copied/host/model/time_memory.c
figures 1 'L2 updates a word every 0.8 ns' --check
sed -i 's/OF_UPDATE_NS 0\.8/OF_UPDATE_NS 0.731/' copied/host/model/time_memory.c
# Replaces the reference run by another run, in which every row differs a little. All numbers must come from the new
# run.
python3 - copied/results/reference/nvidia-h200.csv <<'END'
import csv, sys
with open(sys.argv[1], newline="", encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
for i, row in enumerate(rows):
    for name in ("measured", "measured_lo", "measured_hi"):
        row[name] = row[name] and f"{float(row[name]) * (1.02 if i % 2 else 0.98):.7g}"
    row |= {"run_id": "another", "schema": "8", "claim_source": row["claim"] and "printed", "device_watts": "",
            "throttled": ""}
with open(sys.argv[1], "w", newline="", encoding="utf-8") as file:
    writer = csv.DictWriter(file, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
END
rm copied/results/rules/nvidia-h[12]00-sweep.csv
sed -i '/^nvidia-h[12]00-sweep.csv,/d' copied/results/rules/files.csv
figures 1 'an earlier reference run' --check
holds 'the figures of another run are generated' copied/scripts/readme-figures "$bankline"
holds 'the claims are counted' grep -q ' claims that a document prints, ' copied/results/README.md
holds 'the sentence about older versions is gone' sh -c '! grep -q "run is of an older version" copied/results/README.md'
# Removes the H100's run.
rm copied/results/reference/nvidia-h100.csv
# Predicted times are mentioned only if there are measured times. Adds measured times, of which all but one equal the
# predictions.
holds 'predicted times are not compared if there are no measured times' sh -c '! tr "\n" " " <copied/results/rules/README.md | grep -q "pairs of group sizes, the faster"'
python3 - copied/results/rules <<'END'
import csv, sys
with open(sys.argv[1] + "/nvidia-h200-sweep-predicted.csv", newline="", encoding="utf-8") as file:
    rows = [row for row in csv.DictReader(file) if row["ns"]]
with open(sys.argv[1] + "/nvidia-h200-sweep.csv", "w", newline="", encoding="utf-8") as file:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["program", "kernel", "launch", "measured_ns"])
    writer.writerows([row["program"], row["kernel"], "warm", float(row["ns"]) / (2 if i == 0 else 1)]
                     for i, row in enumerate(rows))
with open(sys.argv[1] + "/files.csv", newline="", encoding="utf-8") as file:
    columns = csv.DictReader(file).fieldnames
with open(sys.argv[1] + "/files.csv", "a", newline="", encoding="utf-8") as file:
    csv.DictWriter(file, columns, restval="", lineterminator="\n").writerow({"file": "nvidia-h200-sweep.csv", "what": "times"})
END
# The runs that scripts/between-runs measured are compared with each other.
rm -rf copied/results/between-runs
mkdir copied/results/between-runs
cp "$source_dir/results/reference/nvidia-h200.csv" copied/results/between-runs/run-1.csv
cp copied/results/reference/nvidia-h200.csv copied/results/between-runs/run-2.csv
export FIGURES_KEPT=public
holds 'figures are generated without the H100 and with two whole runs' copied/scripts/readme-figures "$bankline"
holds 'predicted times are compared with measured ones' grep -qE '^[0-9]+ predicted times of [0-9]+ kernels: mean absolute error 0\.6 %, worst 100\.0 %' \
    copied/results/rules/README.md
holds 'group sizes are compared, too' sh -c 'tr "\n" " " <copied/results/rules/README.md | grep -q "In [1-9][0-9]* of [0-9]* pairs of group sizes, the faster"'
holds 'the removed run is not mentioned' sh -c '! grep -q "^| .reference/nvidia-h100.csv" copied/results/README.md'
holds 'whole runs are compared with each other' grep -q '^2 whole runs, 1 comparisons*: ' copied/results/README.md
holds 'whole runs are compared suite by suite' grep -q '^| .prefetch. | 21 |' copied/results/README.md
holds 'rows with wide intervals are listed' grep -q '^| .prefetch/all-1. in 64x1 | [0-9.]* % | [0-9.]* % |' copied/results/README.md
# If a case no longer has a number, the README's sentence about it is omitted.
sed -i '/,bank-update\/1[6]*,/d' copied/results/reference/nvidia-h200.csv
holds 'figures are generated without the case' copied/scripts/readme-figures "$bankline"
holds 'the new figures match the files, too' copied/scripts/readme-figures --check "$bankline"
holds 'the missing row has no sentence' sh -c '! grep -q "bank-update/1. moves" copied/results/README.md'
sed -i 's/^<!-- end of figures -->$/<!-- the end -->/' copied/README.md
figures 2 "README.md: a figure's begin mark or end mark is missing" --check
sed -i 's/^<!-- the end -->$/<!-- end of figures -->/; s/first-table/first/' copied/README.md
figures 2 "unknown figures 'first'; there are " --check
sed -i '/figures: first/,/end of figures/d' copied/README.md
figures 2 'no README uses first-table' --check
expect 2 "unexpected argument '--al'" copied/scripts/readme-figures --al

finish
