# Throughput over the size of the working set: gnuplot -c working-sets.gp RUN.csv OUT.svg [NAME BYTES]...
# The cases level/contiguous-SIZE. NAME and BYTES: a cache and its size, marked by an upright line.
set terminal svg size 900,420 font "sans-serif,13" background rgb "white"
set output ARG2
set datafile separator ","
set datafile missing ""
set title "contiguous reads of a working set, of its rate in the first cache"
set xlabel "working set"
set ylabel "measured"
set logscale x 4
set grid linecolor rgb "#d0d0d0"
set yrange [0:1.15]
set key off
set xrange [2048:8589934592]
set xtics ("4 KiB" 4096, "64 KiB" 65536, "1 MiB" 1048576, "16 MiB" 16777216, "256 MiB" 268435456, "4 GiB" 4294967296)
do for [i = 1:(ARGC - 2) / 2] {
    set arrow i from real(ARGV[2 * i + 2]), graph 0 to real(ARGV[2 * i + 2]), graph 1 nohead dashtype 2 \
        linecolor rgb "#5c5648"
    set label i ARGV[2 * i + 1] at real(ARGV[2 * i + 2]), graph 0.96 offset 0.5, 0 textcolor rgb "#5c5648" noenhanced
}
is_own(c) = strstrt(c, "level/contiguous-") == 1
own(v) = is_own(stringcolumn("case")) ? v : NaN
plot ARG1 using (own(column("working_set_bytes"))):(own(column("measured"))):(own(column("measured_lo"))):(own(column("measured_hi"))) \
         with yerrorbars pointtype 7 pointsize 0.6 linecolor rgb "#0b5c8a", \
     ARG1 using (own(column("working_set_bytes"))):(own(column("measured"))) \
         smooth unique with lines linecolor rgb "#0b5c8a"
