# Throughput over the stride: gnuplot -c strides.gp RUN.csv OUT.svg [MODEL.csv]
# The cases stride/*, and two curves from MODEL.csv (columns memory, stride and predicted): the model's ratio for every
# stride in global and in local memory. Without MODEL.csv the rows' own predictions are drawn as points.
set terminal svg name "strides" size 520,360 font "sans-serif,14" background rgb "white"
set output ARG2
set datafile separator ","
set datafile missing ""
set title "reads with a stride of 1 to 64 elements"
set ylabel "of contiguous throughput"
set logscale y 2
set format y "%g"
set xrange [0:65]
set xtics 8
set yrange [*:1.3]
set autoscale yfixmin
set offsets 0, 0, 0, graph 0.03
set grid linecolor rgb "#d0d0d0"
set key outside bottom center horizontal
model = ARGC > 2 ? ARG3 : ARG1
is_model = ARGC > 2
# "stride/global-17" has memory "global" and stride 17. Other rows must not extend the axis.
is_case(memory, c) = strstrt(c, "stride/" . memory . "-") == 1
stride_of(memory, c) = real(substr(c, strlen(memory) + 9, strlen(c)))
own_x(memory) = is_case(memory, stringcolumn("case")) ? stride_of(memory, stringcolumn("case")) : NaN
y(memory, v) = is_case(memory, stringcolumn("case")) ? v : NaN
model_x(memory) = is_model ? (stringcolumn("memory") eq memory ? column("stride") : NaN) : own_x(memory)
model_y(memory) = model_x(memory) > 0 ? column("predicted") : NaN
# A run's own predictions are points without a line, because nothing is predicted between its strides.
if (is_model) set style data lines; else set style data points
plot model using (model_x("global")):(model_y("global")) linewidth 1.5 dashtype 2 linecolor rgb "#0b5c8a" title "global, model", \
     model using (model_x("local")):(model_y("local")) linewidth 1.5 linecolor rgb "#a8320a" title "local, model", \
     ARG1 using (own_x("global")):(y("global", column("measured"))):(y("global", column("measured_lo"))):(y("global", column("measured_hi"))) \
         with yerrorbars pointtype 7 pointsize 0.6 linecolor rgb "#0b5c8a" title "measured", \
     ARG1 using (own_x("local")):(y("local", column("measured"))):(y("local", column("measured_lo"))):(y("local", column("measured_hi"))) \
         with yerrorbars pointtype 5 pointsize 0.6 linecolor rgb "#a8320a" title "measured"
