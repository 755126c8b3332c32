# Predicted against measured ratios: gnuplot -c predicted.gp RUN.csv OUT.svg
# Both axes are logarithmic; the band is 5 % to either side; what lies outside is named. Rows whose verdict is
# no-rule are left out, for their prediction does not hold there, and those that are their own baseline.
set terminal svg size 900,560 font "sans-serif,13" background rgb "white"
set output ARG2
set datafile separator ","
set datafile missing ""
set title "predicted and measured throughput, of the baseline's"
set xlabel "predicted"
set ylabel "measured"
set logscale xy
set format xy "%g"
set xrange [*<0.02:2]
set yrange [*<0.02:2]
set grid linecolor rgb "#d0d0d0"
set key left top
off(p, m) = abs(m / p - 1) > 0.05
held(p) = stringcolumn("verdict") ne "no-rule" && stringcolumn("verdict") ne "baseline" ? p : NaN
named(p, m) = off(p, m) ? stringcolumn("case") : ""
inside(p, m) = off(p, m) ? NaN : m
outside(p, m) = off(p, m) ? m : NaN
plot ARG1 using (held(column("predicted"))):(column("predicted") * 1.05) smooth unique with lines \
         linewidth 1 dashtype 2 linecolor rgb "#666666" title "5 % to either side", \
     ARG1 using (held(column("predicted"))):(column("predicted") * 0.95) smooth unique with lines \
         linewidth 1 dashtype 2 linecolor rgb "#666666" notitle, \
     ARG1 using (held(column("predicted"))):(inside(column("predicted"), column("measured"))) with points \
         pointtype 6 pointsize 0.6 linecolor rgb "#0b5c8a" title "within", \
     ARG1 using (held(column("predicted"))):(outside(column("predicted"), column("measured"))) with points \
         pointtype 2 pointsize 0.9 linecolor rgb "#a8320a" title "outside", \
     ARG1 using (held(column("predicted"))):(column("measured")):(named(column("predicted"), column("measured"))) \
         with labels offset character 0.6,0.6 left font "sans-serif,9" textcolor rgb "#a8320a" noenhanced notitle
