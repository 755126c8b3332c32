# Throughput over the size of the working set: gnuplot -c working-sets.gp RUN.csv OUT.svg [NAME BYTES]...
# The cases level/contiguous-SIZE. NAME and BYTES: a cache and its size, marked by a vertical line.
set terminal svg name "working_sets" size 520,360 font "sans-serif,14" background rgb "white"
set output ARG2
set datafile separator ","
set datafile missing ""
set title "contiguous reads of a working set"
set xlabel "working set"
set ylabel "GB/s"
set logscale x 4
set grid linecolor rgb "#d0d0d0"
set yrange [0:*]
set offsets 0, 0, graph 0.12, 0
set key off
set xrange [1024:17179869184]
set xtics ("4 KiB" 4096, "128 KiB" 131072, "4 MiB" 4194304, "128 MiB" 134217728, "4 GiB" 4294967296)
do for [i = 1:(ARGC - 2) / 2] {
    set arrow i from real(ARGV[2 * i + 2]), graph 0 to real(ARGV[2 * i + 2]), graph 1 nohead dashtype 2 \
        linecolor rgb "#5c5648"
    set label i ARGV[2 * i + 1] at real(ARGV[2 * i + 2]), graph 0.04 offset 0.5, 0 textcolor rgb "#5c5648" noenhanced
}
is_own(c) = strstrt(c, "level/contiguous-") == 1
own(v) = is_own(stringcolumn("case")) ? v : NaN
rate(_) = own(column("gbytes_per_s"))
end_of(name) = rate(0) * column(name) / column("measured")
is_labelled(bytes) = bytes > 0 ? int(floor(log(bytes) / log(2) + 0.5)) % 4 == 0 : 0
name(bytes, v) = is_labelled(bytes) ? sprintf(v < 100 ? "%.1f" : "%.0f", v) : ""
plot ARG1 using (own(column("working_set_bytes"))):(rate(0)):(end_of("measured_lo")):(end_of("measured_hi")) \
         with yerrorbars pointtype 7 pointsize 0.6 linecolor rgb "#0b5c8a" title "95 % interval", \
     ARG1 using (own(column("working_set_bytes"))):(rate(0)) smooth unique with lines linecolor rgb "#0b5c8a" title "measured", \
     ARG1 using (own(column("working_set_bytes"))):(rate(0)):(name(column("working_set_bytes"), rate(0))) \
         with labels offset 0,0.8 font "sans-serif,12" title "GB/s"
