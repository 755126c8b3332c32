#!/bin/sh
# `bankline report`, end to end, and the page in a browser: report.sh BANKLINE SOURCE
set -u
case $1 in /*) bankline=$1 ;; *) bankline=$PWD/$1 ;; esac
source=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# shellcheck source=tests/checks.sh
. "$(dirname "$0")/checks.sh"
cd "$folder" || exit 1
reference=$source/results/reference
run=$reference/nvidia-h200.csv

expect 2 'which file?' "$bankline" report "$run"
expect 2 "needs a value: -o FILE" "$bankline" report "$run" -o
expect 2 "unknown option '-o'" "$bankline" list -o x
expect 2 'are the same file' "$bankline" report here.csv -o here.csv
expect 4 'none.csv' "$bankline" report none.csv -o page.html
holds 'nothing was written' [ ! -e page.html ]
expect 4 'no/such' "$bankline" report "$run" -o no/such/page.html
ln -s /dev/full full.html
expect 4 'No space left' "$bankline" report "$run" -o full.html
holds 'a page' "$bankline" report "$run" -o page.html
holds 'of at most 1 MB' [ "$(wc -c <page.html)" -le 1000000 ]
holds 'and standard output' sh -c "'$bankline' report '$run' -o - | grep -q '</html>'"
holds 'it names the device' grep -q '<h1>NVIDIA H200</h1>' page.html
holds 'each claim names its document' grep -q 'memory guide, case 5' page.html
holds 'it has the command' grep -q 'bankline report .*nvidia-h200.csv -o page.html' page.html
holds 'nothing is fetched' sh -c "! grep -Eq '(src|href)=\"[^#]' page.html"
holds 'two runs' "$bankline" report "$reference/nvidia-h100.csv" "$run" --output=two.html
holds 'it says what changed' grep -q 'What changed' two.html
holds 'both runs stand side by side' grep -q 'NVIDIA H100 80GB HBM3, driver' two.html
holds 'a CPU' "$bankline" report "$reference/pocl-cpu.csv" -o cpu.html
holds 'a machine without a rule has no requests' sh -c "! grep -q 'One request of each' cpu.html"

# What stands in a file is text, in the tables and in the curves.
evil='</script><script>alert(1)</script><b>&"x'
python3 - "$run" "$evil" <<'END'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
rows[20]["case"] = "evil/" + sys.argv[2]
rows[20]["measured"] = rows[20]["measured_lo"] = rows[20]["measured_hi"] = "0.07"
for row in rows:
    row["device"] = "GPU " + sys.argv[2] + "\x07" + "long " * 15
with open("evil.csv", "w", newline="") as out:
    writer = csv.DictWriter(out, rows[0].keys())
    writer.writeheader()
    writer.writerows(rows)
END
holds 'odd names are read' "$bankline" report evil.csv -o evil.html
holds 'and stay text' sh -c "! grep -q 'alert(1)</script>' evil.html"
holds 'there is one script' [ "$(grep -c '<script' evil.html)" -eq 1 ]

expect 4 'cannot make a folder' env TMPDIR=/no/such "$bankline" report "$run" -o none.html
mkdir broken
printf '#!/bin/sh\nexit 1\n' >broken/gnuplot
chmod +x broken/gnuplot
holds 'a gnuplot that fails' env PATH="$folder/broken:$PATH" "$bankline" report "$run" -o broken.html
holds 'costs the curves alone' sh -c "! grep -q 'figure class=\"curve\"' broken.html"
sed 's/,nvidia-hopper,/,no-such-machine,/' "$run" >other.csv
holds 'a machine that nobody knows' "$bankline" report other.csv -o other.html
sed '2,$s/,0\.\([0-9]*\),0\.\([0-9]*\),0\.\([0-9]*\),confirmed,ok/,0.01\1,0.01\2,0.01\3,confirmed,ok/' "$run" >slower.csv
holds 'rows that are slower' "$bankline" report "$run" slower.csv -o slower.html
holds 'come first' sh -c "grep -A1 'class=\"findings\"' slower.html | grep -q 'slower than in the first run'"

# Without gnuplot the page says so, and has no curves.
mkdir few
ln -s "$(command -v env)" few/env
holds 'without gnuplot' env PATH="$folder/few" "$bankline" report "$run" -o plain.html
holds 'it names the package' grep -q 'install the package gnuplot-nox' plain.html
holds 'and goes without curves' sh -c "! grep -q 'figure class=\"curve\"' plain.html"
if command -v gnuplot >/dev/null; then
    holds 'four curves' [ "$(grep -c '<figure class="curve"' page.html)" -eq 4 ]
    for script in "$source"/scripts/plots/*.gp; do
        holds "$script runs alone" sh -c "gnuplot -c '$script' '$run' alone.svg 2>/dev/null && [ -s alone.svg ]"
    done
fi

# In a browser, narrow and wide.
browser=$(command -v chromium || true)
if [ -n "$browser" ]; then
    for page in page two evil plain; do
        if ! python3 "$(dirname "$0")/look_at_page.py" "$browser" "$folder/$page.html" >seen 2>&1; then
            failed=$((failed + 1))
            sed "s/^/    $page: /" seen
        fi
        checks=$((checks + 1))
    done
else
    echo 'no chromium: the page was not opened'
fi
finish
