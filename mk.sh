B=/srv/w/m29/build
gcc -O2 -D_GNU_SOURCE -I/srv/w/m29/host -I/srv/w/m29/bench -I/srv/w/m29/tests -I$B/host -I/srv/w/m29 -std=gnu11 -w ${2:-h.c} ${1:-sp.c} $B/tests/check_statistics.p/simulated_fleet.c.o -o ${3:-h} -Wl,--start-group $B/host/libbankline-bench.a $B/host/libbankline-host.a -lOpenCL -lm -lpthread -ljansson -lsqlite3 -Wl,--end-group
