# Latency of dependent reads: gnuplot -c latency.gp RUN.csv OUT.svg
# The cases latency/global-SIZE: ns per request.
set terminal svg name "latency" size 520,360 font "sans-serif,14" background rgb "white"
set output ARG2
set datafile separator ","
set datafile missing ""
set title "latency of a read in a chain"
set xlabel "working set"
set ylabel "ns"
set logscale x 4
set grid linecolor rgb "#d0d0d0"
set yrange [0:*]
set offsets 0, 0, 30, 0
set key off
set xrange [2048:8589934592]
set xtics ("4 KiB" 4096, "128 KiB" 131072, "4 MiB" 4194304, "128 MiB" 134217728, "4 GiB" 4294967296)
is_own(c) = strstrt(c, "latency/global-") == 1
own(v) = is_own(stringcolumn("case")) ? v : NaN
plot ARG1 using (own(column("working_set_bytes"))):(own(column("ns_per_request"))) \
         smooth unique with linespoints pointtype 7 pointsize 0.7 linecolor rgb "#0b5c8a" title "measured", \
     ARG1 using (own(column("working_set_bytes"))):(own(column("ns_per_request"))):(sprintf("%.0f", own(column("ns_per_request")))) \
         with labels offset 0,1 font "sans-serif,12" title "ns"
