# Deviations of measured ratios from predicted ones: gnuplot -c predicted.gp RUN.csv OUT.svg
# The band is 5 % to either side. The first row of each case outside the band is named; rows beyond 25 % are drawn at
# the edge. Rows with the verdict no-rule are omitted, because their prediction does not apply. Rows that are their own
# baseline are omitted, too.
set terminal svg name "measured_against_predicted" size 520,360 font "sans-serif,14" background rgb "white"
set output ARG2
set datafile separator ","
set datafile missing ""
set title "how far measured ratios are from predicted ones"
set xlabel "predicted ratio"
set ylabel "measured / predicted - 1 (%)"
set logscale x
set format x "%g"
set xtics nomirror
set xrange [*<0.02:1.3]
set yrange [*<-9:9<*]
set grid linecolor rgb "#d0d0d0"
set key off
set offsets 0, 0, graph 0.12, graph 0.08
band = 5
edge = 25
set object 1 rectangle from graph 0, first -band to graph 1, first band behind fillcolor rgb "#dbe9f4" fillstyle solid noborder
set arrow 1 from graph 0, first 0 to graph 1, first 0 nohead linewidth 1 linecolor rgb "#5c5648" back
# held: the prediction of a row if it is compared with the measurement. off: the measurement's deviation, in %.
held(p) = stringcolumn("verdict") ne "no-rule" && stringcolumn("verdict") ne "baseline" ? p : NaN
off(p, m) = 100 * (m / p - 1)
drawn(v) = v > edge ? edge : v < -edge ? -edge : v
inside(v) = abs(v) > band ? NaN : v
outside(v) = abs(v) > band ? drawn(v) : NaN
deviation(_) = off(held(column("predicted")), column("measured"))
label(case, v) = case eq named ? "" : (named = case, sprintf("%s %+.1f %%", case, v))
named = ""
name(p, v, is_left) = abs(v) > band && (p < 0.2) == is_left ? label(stringcolumn("case"), v) : ""
plot ARG1 using (held(column("predicted"))):(inside(deviation(0))) with points \
         pointtype 6 pointsize 0.6 linecolor rgb "#0b5c8a" title "within 5 %", \
     ARG1 using (held(column("predicted"))):(outside(deviation(0))) with points \
         pointtype 2 pointsize 0.9 linecolor rgb "#a8320a" title "farther", \
     ARG1 using (held(column("predicted"))):(outside(deviation(0))):(name(column("predicted"), deviation(0), 1)) \
         with labels offset character 0.6,0.5 left font "sans-serif,12" textcolor rgb "#a8320a" noenhanced title "their cases, on the left", \
     ARG1 using (held(column("predicted"))):(outside(deviation(0))):(name(column("predicted"), deviation(0), 0)) \
         with labels offset character -0.6,0.5 right font "sans-serif,12" textcolor rgb "#a8320a" noenhanced title "their cases, on the right"
