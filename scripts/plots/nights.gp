# A case over time: gnuplot -c nights.gp RUNS.csv OUT.svg CASE SHAPE [TIME...]
# RUNS.csv has the rows of many runs of one card, from `bankline history export`. TIME: the time of a change point.
# Before, between and after change points, a band shows the range of 95 of 100 nights, estimated from quartiles.
set terminal svg name "nights" size 520,360 font "sans-serif,14" background rgb "white"
set output ARG2
set datafile separator ","
set datafile missing ""
set xdata time
set rmargin 6
set ylabel "of the baseline's throughput"
set grid linecolor rgb "#d0d0d0"
set key outside bottom center horizontal
set offsets graph 0.02, graph 0.02, graph 0.05, graph 0.05
time_format = "%Y-%m-%dT%H:%M:%SZ"
shape = ARG4
when(text) = strptime(time_format, text)
is_own(c, s) = c eq ARG3 && s eq shape
own(v) = is_own(stringcolumn("case"), stringcolumn("shape")) ? v : NaN
set title ARG3 . " " . ARG4 noenhanced
levels = ARGC > 4 ? ARGC - 3 : 1
array from[levels]
array to[levels]
array middle[levels]
array half[levels]
start(i) = i == 1 ? 0 : when(ARGV[i + 3])
end(i) = i == levels ? 1e11 : when(ARGV[i + 4])
within(i) = own(when(stringcolumn("time_utc"))) >= start(i) && own(when(stringcolumn("time_utc"))) < end(i)
set xdata
do for [i = 1:levels] {
    stats ARG1 using (within(i) ? when(stringcolumn("time_utc")) : NaN):(within(i) ? column("measured") : NaN) nooutput
    from[i] = STATS_min_x
    to[i] = STATS_max_x
    middle[i] = STATS_median_y
    half[i] = 1.96 * (STATS_up_quartile_y - STATS_lo_quartile_y) / 1.349
    set object i rectangle from from[i], middle[i] - half[i] to to[i], middle[i] + half[i] \
        fillcolor rgb "#0b5c8a" fillstyle transparent solid 0.15 noborder behind
    set arrow i from from[i], middle[i] to to[i], middle[i] nohead linewidth 1.5 linecolor rgb "#1b1f24"
    if (i > 1) {
        set arrow levels + i from from[i], graph 0 to from[i], graph 1 nohead dashtype 2 linecolor rgb "#a8320a"
        set label i sprintf("%+.1f %%", 100 * (middle[i] / middle[i - 1] - 1)) at from[i], graph 0.96 \
            offset 0.5, 0 textcolor rgb "#a8320a"
    }
}
set xdata time
# About four ticks: days, or hours if all nights are within a few days.
span = to[levels] - from[1]
if (span > 4 * 86400) set format x "%Y-%m-%d"; else set format x "%m-%d\n%H:%M"
if (span > 0) set xtics from[1], span / 3
x(_) = own(when(stringcolumn("time_utc")))
plot ARG1 using (x(0)):(own(column("measured_lo"))):(0):(column("measured_hi") - column("measured_lo")) with vectors nohead \
         linewidth 1 linecolor rgb "#0b5c8a" notitle, \
     ARG1 using (x(0)):(own(column("measured"))) with points pointtype 7 pointsize 0.5 linecolor rgb "#0b5c8a" \
         title "measured, 95 % interval"
