# Throughput over the stride: gnuplot -c strides.gp RUN.csv OUT.svg [MODEL.csv]
# The cases stride/*. MODEL.csv, with columns memory, stride and predicted, has one line per memory; without
# it the predictions of the rows are.
set terminal svg size 900,520 font "sans-serif,13" background rgb "white"
set output ARG2
set datafile separator ","
set datafile missing ""
set title "reads with a stride: throughput, of contiguous ones"
set xlabel "stride, in elements"
set ylabel "throughput"
set logscale y 2
set format y "%g"
set xrange [0:65]
set xtics 4
set yrange [*:1.3]
set autoscale yfixmin
set offsets 0, 0, 0, graph 0.03
set grid linecolor rgb "#d0d0d0"
set key outside bottom center horizontal
model = ARGC > 2 ? ARG3 : ARG1
is_model = ARGC > 2
# "stride/global-17" is of memory "global" and stride 17.
is_case(memory, c) = strstrt(c, "stride/" . memory . "-") == 1
stride_of(memory, c) = real(substr(c, strlen(memory) + 9, strlen(c)))
x(memory) = is_model ? (stringcolumn("memory") eq memory ? column("stride") : NaN) \
                     : (is_case(memory, stringcolumn("case")) ? stride_of(memory, stringcolumn("case")) : NaN)
own_x(memory) = is_case(memory, stringcolumn("case")) ? stride_of(memory, stringcolumn("case")) : NaN
# A row that is none may not stretch the axis.
y(memory, v) = is_case(memory, stringcolumn("case")) ? v : NaN
plot model using (x("global")):(x("global") > 0 ? column("predicted") : NaN) with lines linewidth 1.5 dashtype 2 linecolor rgb "#0b5c8a" \
         title "global, by the model", \
     model using (x("local")):(x("local") > 0 ? column("predicted") : NaN) with lines linewidth 1.5 linecolor rgb "#a8320a" \
         title "local, by the model", \
     ARG1 using (own_x("global")):(y("global", column("measured"))):(y("global", column("measured_lo"))):(y("global", column("measured_hi"))) \
         with yerrorbars pointtype 7 pointsize 0.6 linecolor rgb "#0b5c8a" title "global, measured", \
     ARG1 using (own_x("local")):(y("local", column("measured"))):(y("local", column("measured_lo"))):(y("local", column("measured_hi"))) \
         with yerrorbars pointtype 4 pointsize 0.6 linecolor rgb "#a8320a" title "local, measured"
