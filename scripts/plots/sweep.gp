# The measurements from which a value was inferred: gnuplot -c sweep.gp INFERRED.csv OUT.svg SWEEP
# INFERRED.csv is what `bankline infer --csv` writes.
set terminal svg name "sweep" size 520,360 font "sans-serif,14" background rgb "white"
set output ARG2
set datafile separator ","
set datafile missing ""
set title ARG3 noenhanced
set grid linecolor rgb "#d0d0d0"
set key outside bottom center horizontal
set offsets graph 0.02, graph 0.02, graph 0.05, graph 0.05
own(v) = stringcolumn("sweep") eq ARG3 ? v : NaN
stats ARG1 using (own(column("x"))):(own(column("measured"))) nooutput
set xrange [STATS_min_x:STATS_max_x]
if (STATS_min_y >= 0) set yrange [0<*:]
if (STATS_min_x == STATS_max_x) set xrange [STATS_min_x - 1:STATS_max_x + 1]
if (STATS_min_x > 0 && STATS_max_x > 64 * STATS_min_x) set logscale x 2
if (STATS_min_x > 0 && STATS_max_x > 64 * STATS_min_x) set format x "%.0b %B"
if (STATS_min_y > 0 && STATS_max_y > 32 * STATS_min_y) set logscale y 2
# Error bars that are too small to see are not drawn.
is_seen(error) = error > 0.01 * (STATS_max_y - STATS_min_y)
low(y, error) = is_seen(error) ? y - error : NaN
plot ARG1 using (own(column("x"))):(low(column("measured"), column("error"))):(0):(2 * column("error")) with vectors nohead \
         linewidth 1.5 linecolor rgb "#0b5c8a" notitle, \
     ARG1 using (own(column("x"))):(column("measured")) with points pointtype 7 pointsize 0.5 \
         linecolor rgb "#0b5c8a" title "measured", \
     ARG1 using (own(column("x"))):(column("expected")) with points pointtype 4 pointsize 1 \
         linecolor rgb "#a8320a" title "inferred"
