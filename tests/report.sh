#!/bin/sh
# Tests `bankline report` on the command line, and its pages in browsers: report.sh BANKLINE SOURCE
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

expect 2 '-o FILE is missing' "$bankline" report "$run"
expect 2 "needs a value: -o FILE" "$bankline" report "$run" -o
expect 2 "unknown option '-o'" "$bankline" list -o x
expect 2 'are the same file' "$bankline" report here.csv -o here.csv
expect 4 'none.csv' "$bankline" report none.csv -o page.html
holds 'wrong arguments write no page' [ ! -e page.html ]
expect 4 'no/such' "$bankline" report "$run" -o no/such/page.html
ln -s /dev/full full.html
expect 4 'No space left' "$bankline" report "$run" -o full.html
holds 'a page that compares a run with itself is written' "$bankline" report "$run" "$run" -o same.html
holds 'the page says twice that both are the same run: in its findings, and instead of the changes' \
    [ "$(grep -cE '(</b> |<p>).*nvidia-h200.csv are the same run, run [^ ]+ of 2[^ ]+: nothing to compare\.' same.html)" -eq 2 ]
holds 'a page is written' "$bankline" report "$run" -o page.html
holds 'the page has at most 1 MB' [ "$(wc -c <page.html)" -le 1000000 ]
holds 'a page can go to standard output' sh -c "'$bankline' report '$run' -o - | grep -q '</html>'"
holds 'the page names the device' grep -q '<h1>NVIDIA H200</h1>' page.html
holds 'each claim names its document' grep -q 'memory guide, case 5' page.html
holds 'the page says whether a claim is printed or derived' grep -q '>claim is<' page.html
holds 'the mean distance excludes predictions of 1' \
    grep -q 'Predictions other than 1: 137 of 246; 137 confirmed. Distance from the prediction: mean 1.0 %, largest 8.4 % (level/memory-rows)' page.html
holds 'the page contains its command' grep -q 'bankline report .*nvidia-h200.csv -o page.html' page.html
holds 'the page refers to no other file' sh -c "! grep -Eq '(src|href)=\"[^#]' page.html"
# The page begins with the result in one sentence, and the speed of each level of memory.
tr '\n' ' ' <page.html >line.html
holds 'the verdict is a sentence' grep -q 'class="verdict look"><strong>As predicted, except 5 rows of 303.</strong> Of 392 rows, 303 could be tested: 298 confirmed, 5 refuted, 0 unclear; not tested: 38 without a rule, 46 their own baseline, 5 without a number.' page.html
holds 'the rate of local memory is shown with its limit' grep -q '<b>local memory</b><strong>33314 GB/s</strong><span>127.5 of 128 B/clk/CU, 99.6 %</span>' page.html
holds 'the latency of L1 is shown' grep -q '<b>L1</b>.*<span>latency 18.8 ns</span>' page.html
holds 'the write rate of L2 is shown' grep -q '<b>L2</b><strong>9862 GB/s</strong><span>37.7 B/clk/CU</span><span>latency 151 ns</span><span>writes 4707 GB/s</span>' page.html
holds 'the rates and the latency of memory are shown' grep -q '<b>memory</b><strong>4682 GB/s</strong>.*<span>latency 347 ns</span><span>writes 4172 GB/s</span>' page.html
holds 'a finding has advice' grep -q '<li class="look"><b>look</b> 5 claims in words (&#39;faster&#39;, &#39;slower&#39;) do not hold here, .*<em>The document&#39;s recommendation does not pay off' page.html
for section in findings curves shapes requests all how; do
    holds "the contents link to the section $section" grep -q "<nav.*<a href=\"#$section\">.*</nav>.*<h2 id=\"$section\">" line.html
done
holds 'the table of shapes has a sentence' grep -q 'Throughput relative to the baseline, by group shape; a deeper colour means a larger loss' page.html
holds 'rows that need attention are first' grep -q 'id="rows">.*</thead><tbody> <tr data-verdict="refuted">' line.html
holds 'no title mentions gnuplot' sh -c "! grep -Eqi 'gnuplot_|<title>gnuplot|using \(' page.html"
holds 'a page of two runs is written' "$bankline" report "$source/tests/golden/nvidia-h100-schema-4.csv" "$run" --output=two.html
holds 'the page has a section on changes' grep -q 'What changed' two.html
holds 'rows with other kernels are not compared' grep -q 'class="verdict look"><strong>As predicted, except 5 rows of 303.' two.html
holds 'rows with other kernels are counted' grep -q ': 0 same, 243 kernel-changed, 164 new.' two.html
python3 - "$run" <<'END' # another device, on which one row is slower
import csv, sys
with open(sys.argv[1], newline="", encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
for row in rows:
    row |= {"run_id": "another", "device": "NVIDIA H300", "device_id": ""}
    if (row["case"], row["shape"]) == ("local/6", "32x1"):
        row |= {name: f"{float(row[name]) / 2:.7g}" for name in ("measured", "measured_lo", "measured_hi")}
with open("other.csv", "w", newline="", encoding="utf-8") as file:
    writer = csv.DictWriter(file, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
END
holds 'a page of runs of two devices is written' "$bankline" report "$run" other.csv --output=other.html
sed 's/,NVIDIA H300,/,NVIDIA H200,/' other.csv | awk -F, -v OFS=, 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == "device_id") id = i}
    {gsub(/"[^"]*"/, "text")} NR > 1 {$id = "another-card"} {print}' >card.csv
holds 'a page with a run of another card is written' "$bankline" report "$run" card.csv --output=card.html
holds 'the page calls the other card worse, and not slower than before' grep -q 'class="verdict look"><strong>Worse than the other card: 1 row' card.html
holds 'the page names both cards' grep -q 'The runs are of two cards, [0-9a-f-]* and another-card,' card.html
grep -e '^schema,' -e ',local/5,' "$run" | sed 's/,2026[0-9TZ]*-[0-9a-f]*,/,partial,/' >partial.csv
holds 'a page with a run of one case is written' "$bankline" report "$run" partial.csv --output=partial.html
holds 'the page says that the missing rows may not have been requested' grep -q 'class="verdict look"><strong>36 rows are missing, or not asked for.' partial.html
sed '1s/$/,asked_for/; 2,$s/^8,/9,/; 2,$s|$|,local/5|' partial.csv >asked.csv
holds 'a page with a run that records its requested case is written' "$bankline" report "$run" asked.csv --output=asked.html
holds 'rows that were not requested are not called missing' sh -c "! grep -q 'missing' asked.html && grep -q ', 386 not-asked' asked.html"
holds 'a difference between devices is not called a regression' grep -q 'class="verdict look"><strong>Worse than the other device: 1 row' other.html
holds 'both runs are shown side by side' grep -q 'NVIDIA H100 80GB HBM3, driver' two.html
holds 'a page of a run on a CPU is written' "$bankline" report "$reference/pocl-cpu.csv" -o cpu.html
holds 'each working set is shown with its size' grep -q '<b>working set of 4 KiB</b><strong>41.7 GB/s</strong>' cpu.html
holds 'no row of a CPU was tested' grep -q '</strong> 191 rows: 185 without a rule, 6 without a number.' cpu.html
holds 'the page shows no requests if the machine has no rule' sh -c "! grep -q 'One request of each' cpu.html"

# With a history, the page shows which rows changed, and in which night. If there is only noise, it shows no change.
nights() { # OUT.csv SEED CASE FACTOR: writes 60 nights; from the 41st on, CASE has FACTOR times its ratio
    python3 - "$run" "$@" <<'END'
import csv, datetime, random, sys
source, out, seed, case, factor = sys.argv[1:6]
print("seed", seed)
rows = [row for row in csv.DictReader(open(source)) if row["case"].startswith(("global/", "local/"))]
draw = random.Random(int(seed))
with open(out, "w", newline="") as file:
    writer = csv.DictWriter(file, rows[0].keys())
    writer.writeheader()
    for night in range(60):
        when = datetime.datetime(2026, 9, 1) + datetime.timedelta(days=night)
        for row in rows:
            by = draw.gauss(1, 0.004) * (float(factor) if row["case"] == case and night >= 40 else 1)
            own = {name: f"{float(row[name]) * by:.7g}" for name in ("measured", "measured_lo", "measured_hi")}
            writer.writerow({**row, **own, "time_utc": when.strftime("%Y-%m-%dT%H:%M:%SZ"), "run_id": f"night-{night:08x}"})
END
    { head -n 1 "$1"; grep night-0000003b "$1"; } >last.csv
}
nights nights.csv 7 local/6 0.93
holds 'nights are added' "$bankline" history add nights.csv --db nights.db --quiet
holds 'a page with a history is written' "$bankline" report last.csv --db nights.db -o history.html
holds 'the page counts the rows that changed' grep -q '6 of 78 rows have a change point' history.html
holds 'the change is found in the right night' sh -c "grep 'id=.night-0.' history.html | grep -q 'at the run of 2026-10-11T00:00:00Z'"
holds 'the change is also a finding' grep -q 'last runs of the history. The typical ratio of local/6 .* changed most: -[67]\.' history.html
nights quiet.csv 8 none 1
holds 'quiet nights are added' "$bankline" history add quiet.csv --db quiet.db --quiet
holds 'a page without changes is written' "$bankline" report last.csv --db quiet.db -o quiet.html
holds 'the page counts no changed row' grep -q '0 of 78 rows have a change point' quiet.html
holds 'a page with an empty history is written' env XDG_DATA_HOME="$folder/none" "$bankline" report "$run" --history -o none.html
holds 'the page says that the history has no earlier run' grep -q 'has no earlier run of this card' none.html
expect 4 'no/such.db' "$bankline" report "$run" --db no/such.db -o none2.html
expect 2 'are the same file' "$bankline" report "$run" --db nights.db -o nights.db
touch nights.db-wal
expect 2 'are the same file' "$bankline" report "$run" --db nights.db -o nights.db-wal
rm -f nights.db-wal
expect 2 'are the same file' "$bankline" report "$run" --trace here.json -o here.json

# A trace and the results of an inference become sections of the page. Their texts are escaped.
python3 - "$source/results/machines/nvidia-h200-1.csv" <<'END'
import csv, json, sys
evil = "</code></td></table><script>alert(1)</script>&"
row = {"file": evil, "line": 2, "source_line": 2, "requests": 8, "clocks": 32.0, "ideal_clocks": 1.0, "share": 0.9}
first = {**row, "line": 1, "source_line": 1, "requests": 8, "clocks": 4.0}
odd = [{"source_line": 99}, {"source_line": "x", "requests": -1}, 7, {"source_line": 1.5, "requests": 1e300, "clocks": None}]
trace = {"schema": 1, "time_utc": "now", "machine": evil, "suggestions": [{"sentence": "pad it " + evil}, 5],
         "kernels": [{"name": evil, "source": 0, "launches": 1, "groups": 4, "traced_groups": 4, "rows": [first, row, *odd]},
                     {"name": "without", "source": 7, "rows": []}, {"source": 1, "rows": [{**row, "source_line": 700}]}, 3],
         "sources": ["int a; // " + evil + "\nint b;\n", "x\n" * 1000]}
json.dump(trace, open("trace.json", "w"))
points = {}
for line in csv.DictReader(open(sys.argv[1])):
    if line["record"] == "point":
        number = lambda name: float(line[name]) if line[name] else None
        points.setdefault(line["sweep"], []).append({"point": line["point"] + evil, "x": number("x"), "measured": number("measured"),
                                                     "expected": number("expected"), "error": number("error"), "unit": line["unit"]})
values = [{"key": "lanes", "value": 32, "unit": "", "confidence": 0.99, "meaning": "work-items", "basis": "a fit"},
          {"key": "latency", "value": 30.5, "lo": 30, "hi": 31, "unit": "ns"}, {"key": "flag", "value": True}, {"key": "cache_bytes", "value": 262144}, {"key": "l2_bytes", "value": 3.2e7},
          {"key": "masks", "value": ["0x80", evil, 4]}, {"key": "ways", "value": None, "why_unknown": "nobody knows " + evil}]
json.dump({"schema": 1, "device": evil, "driver": "1", "seed": 3, "values": values,
           "evidence": {**{name: points[name] for name in ("latencies", "local-reads")}, evil: [{"x": 1, "measured": 2}], "none": []}},
          open("infer.json", "w"))
json.dump({"schema": 1, "device": "all of it", "values": values,
           "evidence": {name: [{**point, "point": point["point"].replace(evil, "")} for point in points[name]] for name in points}}, open("every.json", "w"))
json.dump({"schema": 1}, open("other.json", "w"))
halves = [{"name": name, "source": 0, "launches": 1, "groups": 1, "traced_groups": 1,
           "rows": [{"source_line": line, "requests": 1, "clocks": clocks, "ideal_clocks": 1}]} for name, line, clocks in (("one", 1, 3), ("two", 2, 1))]
sampled = [{"source_line": line, "requests": 16, "clocks": clocks, "ideal_clocks": 4, "share": share, "lost": lost}
           for line, clocks, share, lost in ((1, 16, 0.48, 0.195), (2, 4, 0.52, 0))]
json.dump({"schema": 1, "machine": "m", "kernels": [{"name": "k", "source": 0, "rows": sampled, "totals": {"clocks": 1000}}],
           "sources": ["int first;\nint second;\n"]}, open("sampled.json", "w"))
json.dump({"schema": 1, "machine": "m", "kernels": [halves[0], {"name": "lost", "rows": []}, halves[1]], "sources": ["int first;\nint second;\n"]}, open("shared.json", "w"))
END
holds 'a page with a trace and an inferred machine is written' "$bankline" report "$run" --trace trace.json --infer infer.json -o both.html
holds 'texts of the trace and the machine are escaped' sh -c "! grep -q 'alert(1)</script>' both.html"
holds 'the costly line is marked' grep -q -- '--share:88.9%' both.html
holds 'the lost share is printed' grep -q '>86.1 %<' both.html
holds 'a long source is shown in part' [ "$(grep -c '<td class="number">[0-9]*</td><td><code>x' both.html)" -eq 11 ]
[ -z "$(command -v gnuplot)" ] || holds 'inferred caches are marked' grep -q '>L2</text>' both.html
holds 'values have intervals' grep -q '<td>30 to 31</td><td>ns</td>' both.html
holds 'unknown values have reasons' grep -q 'nobody knows' both.html
holds 'the points of a sweep are shown' grep -q 'local-reads.*' both.html
holds 'a page with every sweep is written' "$bankline" report "$run" --infer every.json -o every.html
holds 'the page with every sweep has at most 1 MB' [ "$(wc -c <every.html)" -le 1000000 ]
holds 'the page has no duplicate id' [ -z "$(grep -Eo " id=[\"'][^\"']*" every.html | sort | uniq -d)" ]
[ -z "$(command -v gnuplot)" ] || holds 'every sweep is drawn' sh -c "! grep -q 'missing: gnuplot' every.html && [ \$(grep -c '<figure class=\"curve\"' every.html) -ge 24 ]"
holds 'a page with a sampled trace is written' "$bankline" report "$run" --trace sampled.json -o sampled.html
holds 'the shares and the lost share refer to all groups, not only to the traced ones' sh -c "grep -q -- '--share:48.0%' sampled.html && grep -q '>19.5 %<' sampled.html"
holds 'a page with two kernels of one source is written' "$bankline" report "$run" --trace shared.json -o shared.html
holds 'the source is shown once' [ "$(grep -c 'int first;' shared.html)" -eq 1 ]
holds "each kernel's share of the cost is marked" sh -c "grep -q -- '--share:75.0%' shared.html && grep -q -- '--share:25.0%' shared.html"
holds 'each kernel has a heading' [ "$(grep -c '<h3>kernel ' shared.html)" -eq 3 ]
expect 4 "is not the output of 'bankline trace --json'" "$bankline" report "$run" --trace other.json -o odd.html
expect 4 "is not the output of 'bankline infer --json'" "$bankline" report "$run" --infer trace.json -o odd.html
expect 4 'run.csv, line' sh -c "cp '$run' run.csv; '$bankline' report run.csv --trace run.csv -o odd.html"
expect 4 'cannot read none.json' "$bankline" report "$run" --infer none.json -o odd.html

# Markup in the names of a run is escaped, in tables and in curves.
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
holds 'a run with markup in its names is read' "$bankline" report evil.csv -o evil.html
holds 'markup in names is escaped' sh -c "! grep -q 'alert(1)</script>' evil.html"
holds 'the page has only its own script' [ "$(grep -c '<script' evil.html)" -eq 1 ]

# The picture of strides has a curve with the model's prediction for every stride. A substitute for gnuplot keeps the
# file of the curve. The committed copy of this file must be up to date.
mkdir keeping
cat >keeping/gnuplot <<'END'
#!/bin/sh
case $3 in *strides.gp) cp "$6" "$KEPT" ;; esac
exit 1
END
chmod +x keeping/gnuplot
holds "a page is written while gnuplot's input is kept" env KEPT="$folder/model.csv" PATH="$folder/keeping:$PATH" "$bankline" report "$run" -o keeping.html
holds 'the curve of strides equals results/pictures' cmp model.csv "$source/results/pictures/strides.csv"

mkdir broken
printf '#!/bin/sh\nexit 1\n' >broken/gnuplot
chmod +x broken/gnuplot
holds 'a page is written if gnuplot fails' env PATH="$folder/broken:$PATH" "$bankline" report "$run" -o broken.html
holds 'the page says that gnuplot failed' grep -q 'pictures are missing: gnuplot could not' broken.html
holds 'only the curves are missing' sh -c "! grep -q 'figure class=\"curve\"' broken.html"
mkdir strict
cat >strict/gnuplot <<'END'
#!/bin/sh
case $3 in *strides.gp) exit 1 ;; esac
echo '<svg xmlns="http://www.w3.org/2000/svg"><title>drawn</title></svg>' >"$5"
END
chmod +x strict/gnuplot
holds 'a page is written if gnuplot fails for one picture' env PATH="$folder/strict:$PATH" "$bankline" report "$run" -o strict.html
holds 'the page says that one picture is missing' grep -q '1 picture is missing: gnuplot could not draw it\.' strict.html
sed 's/,nvidia-hopper,/,no-such-machine,/' "$run" >other.csv
holds 'a page of a run with an unknown machine is written' "$bankline" report other.csv -o other.html
sed '2,$s/,0\.\([0-9]*\),0\.\([0-9]*\),0\.\([0-9]*\),confirmed,ok/,0.01\1,0.01\2,0.01\3,confirmed,ok/' "$run" >slower.csv
holds 'a page with slower rows is written' "$bankline" report "$run" slower.csv -o slower.html
holds 'slower rows are first' sh -c "grep -A1 'class=\"findings\"' slower.html | grep -q 'slower than in .*nvidia-h200.csv'"

# If the folder for temporary files is missing, or gnuplot prints without end, the page lacks only the pictures.
holds 'a page is written if TMPDIR is missing' env TMPDIR=/no/such "$bankline" report "$run" -o nowhere.html
holds 'the page names the missing folder' grep -q 'Pictures are missing: cannot make a folder in /no/such' nowhere.html
holds 'the page has tables but no curves' sh -c 'grep -q "<table" nowhere.html && ! grep -q "<svg[^>]*gnuplot" nowhere.html'
mkdir talkative
printf '#!/bin/sh\nexec yes\n' >talkative/gnuplot
chmod +x talkative/gnuplot
holds 'a page is written if gnuplot prints without end' env PATH="$folder/talkative:$PATH" "$bankline" report "$run" -o talkative.html
holds 'endless output of gnuplot is reported' grep -q 'pictures are missing: gnuplot could not' talkative.html

# Without gnuplot, the page has no curves, and says so.
mkdir few
ln -s "$(command -v env)" few/env
holds 'a page is written without gnuplot' env PATH="$folder/few" "$bankline" report "$run" -o plain.html
holds "the page names gnuplot's package" grep -q 'install the package gnuplot-nox' plain.html
holds 'the page without gnuplot has no curves' sh -c "! grep -q 'figure class=\"curve\"' plain.html"
if command -v gnuplot >/dev/null; then
    holds 'the page has its curves' [ "$(grep -c '<figure class="curve"' page.html)" -ge 4 ]
    holds 'the picture of claims has the cases of local memory' grep -q '>local/6</text>' page.html
    alone() { # SCRIPT FILE ARGUMENT...: runs one of gnuplot's scripts without the program; the picture is alone.svg
        script=$source/scripts/plots/$1.gp
        file=$2
        shift 2
        rm -f alone.svg
        holds "$script runs alone" sh -c 'gnuplot -c "$@" 2>/dev/null && [ -s alone.svg ]' - "$script" "$file" alone.svg "$@"
        holds "$script describes its picture in words" sh -c "! grep -Eqi '<title>([^<]*using \(|gnuplot)' alone.svg"
    }
    for script in predicted documented working-sets latency; do alone "$script" "$run"; done
    alone working-sets "$run" L1 131072
    alone strides "$run"
    holds 'without a curve of the model, points are not joined by lines' sh -c "! grep -q 'd=.M[^M]*L[^M]*L[^M]*L[^M]*L[^M]*L' alone.svg"
    # The README's pictures are drawn again. With the same release of gnuplot, coordinates may differ by 1. Other
    # releases draw frames and dashes differently, but texts and points must be the same.
    for picture in predicted strides; do
        if [ $picture = strides ]; then alone strides "$run" "$source/results/pictures/strides.csv"; else alone $picture "$run"; fi
        holds "the picture $picture equals the present script's output" python3 - alone.svg "$source/results/pictures/$picture.svg" <<'END'
import re, sys
new, old = (open(path, encoding="utf-8").read() for path in sys.argv[1:])
release = re.compile(r"<desc>Produced by GNUPLOT (\S+).*?</desc>", re.S)
if release.search(new).group(1) == release.search(old).group(1):
    new, old = release.sub("", new), release.sub("", old)
    number = re.compile(r"-?\d+\.?\d*")
    values = [[float(text) for text in number.findall(svg)] for svg in (new, old)]
    same_text = number.sub("#", new) == number.sub("#", old)
    sys.exit(0 if same_text and all(abs(a - b) <= 1 for a, b in zip(*values)) else 1)
texts = [sorted(re.findall(r"<tspan[^>]*>([^<]+)</tspan>", svg)) for svg in (new, old)]
points = [[(kind, float(x), float(y)) for kind, x, y in
           re.findall(r"<use xlink:href='#(\w+)' transform='translate\(([\d.]+),([\d.]+)\)", svg)] for svg in (new, old)]
is_there = lambda point: any(point[0] == other[0] and abs(point[1] - other[1]) <= 1 and abs(point[2] - other[2]) <= 1
                             for other in points[0])
sys.exit(0 if texts[0] == texts[1] and len(points[1]) > 50 and all(map(is_there, points[1])) else 1)
END
    done
    alone nights nights.csv local/6 32x1 2026-10-11T00:00:00Z
    alone sweep "$source/results/machines/nvidia-h200-1.csv" latencies
    holds 'the page has a curve of the row that changed' sh -c "grep -q 'local/6 32x1</h3>' history.html"
fi

# Opens pages in two browsers, narrow and wide.
for browser in chromium firefox-esr; do
    if ! command -v $browser >/dev/null; then
        echo "skipped: the pages in $browser (not installed)"
        continue
    fi
    for page in page two evil plain history both every; do
        views=some
        [ $page != page ] || views=all
        if ! python3 "$(dirname "$0")/look_at_page.py" "$browser" "$folder/$page.html" $views >seen 2>&1; then
            failed=$((failed + 1))
            sed "s/^/    $page: /" seen
        fi
        checks=$((checks + 1))
    done
done
finish
