# Documented cases: claim, prediction and measurement with its interval: gnuplot -c documented.gp RUN.csv OUT.svg
# The cases global/1 to 6 and local/1 to 7, in the shape for which the document prints a claim.
set terminal svg name "documented_cases" size 520,360 font "sans-serif,14" background rgb "white"
set output ARG2
set datafile separator ","
set datafile missing ""
set title "documented cases"
set logscale y 2
set format y "%g"
set grid ytics linecolor rgb "#d0d0d0"
set key outside bottom center horizontal
set xtics rotate by -40 noenhanced
is_own(c, v) = (strstrt(c, "global/") == 1 || strstrt(c, "local/") == 1) && v > 0
own(v) = is_own(stringcolumn("case"), column("claim")) ? v : NaN
i = 0
j = 0
k = 0
# Rows that are not plotted get no height, and the previous tick is drawn for them again, because a tick at an undefined
# position would replace the first tick.
step_i(v) = (v == v ? (i = i + 1, i) : i)
step_j(v) = (v == v ? (j = j + 1, j) : NaN)
step_k(v) = (v == v ? (k = k + 1, k) : NaN)
last = ""
name(v) = v == v ? (last = stringcolumn("case"), last) : last
set yrange [*:1.5]
set autoscale yfixmin
set offsets 0, 0.7, 0, graph 0.03
set xrange [0.3:*]
plot ARG1 using (step_i(own(1))):(own(column("measured"))):(own(column("measured_lo"))):(own(column("measured_hi"))):xtic(name(own(1))) \
         with yerrorbars pointtype 7 pointsize 0.7 linecolor rgb "#0b5c8a" title "measured", \
     ARG1 using (step_j(own(1))):(own(column("predicted"))) with points pointtype 4 pointsize 1.3 \
         linecolor rgb "#1b1f24" title "predicted", \
     ARG1 using (step_k(own(1))):(own(column("claim"))) with points pointtype 1 pointsize 1.3 \
         linecolor rgb "#a8320a" title "claimed"
