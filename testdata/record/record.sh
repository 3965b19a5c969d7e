#!/bin/sh
# Records the trace files under testdata anew: record.sh [FORMAT…], without an argument all of them; the
# last line lists the formats. Afterwards run facts.py, and `make golden` for what depends on them;
# timings change with every recording.
#
# Needs go (it fetches Go 1.21 and 1.19), gcc, uftrace 0.13, node 20, chromium-headless-shell, tar and
# gzip; for otf2 eztrace 2.0, libotf2-trace-dev 3.0 and libopenmpi-dev; for ctf lttng-tools with
# liblttng-ust-dev; for paje SimGrid 3.32 with smpicc; for callgrind valgrind 3.19; for firefox
# firefox-esr; for samples linux-perf 6.1 and npm; for requests npm. Scheduler events in the uftrace recordings
# need kernel.perf_event_paranoid <= 1 or root; the recording with lost records needs root, for a file
# system of its own over /dev/shm. Programs are built and run in /tmp/demo, so that no other path gets
# into a file.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
data=$(dirname "$here")
work=/tmp/demo
export GOFLAGS=-trimpath GOTOOLCHAIN=local

rm -rf "$work"
mkdir -p "$work"
for format in chrome uftrace gotrace pprof perfetto otf2 ctf paje callgrind cpuprofile firefox perfscript folded \
	speedscope twice; do
	mkdir -p "$data/$format"
done
cd "$work"

pack() { gzip -9 -n -c "$1" >"$2"; }

# What the C programs' library calls are passed: the objects of waits and releases.
arguments='
	-A pthread_mutex_lock@arg1/x -A pthread_mutex_unlock@arg1/x
	-A pthread_cond_wait@arg1/x,arg2/x -A pthread_cond_signal@arg1/x
	-A pthread_create@arg1/x,arg3/x -A pthread_join@arg1/x
	-A sem_init@arg1/x,arg3/u -A sem_wait@arg1/x -A sem_post@arg1/x -R sem_wait@retval
	-A open@arg1/s,arg2/x -R open@retval -A close@arg1/d32
	-A read@arg1/d32,arg2/x,arg3/u -R read@retval/d64
	-A write@arg1/d32,arg2/x,arg3/u -R write@retval/d64
	-R fork@retval/d32 -A waitpid@arg1/d32'

# Library functions are bound at the start (-z now): while two threads resolve one at once, the
# tracer can lose the call.
compile() {
	cp "$here/$1.c" .
	gcc -O1 -g -pg -fno-inline -pthread -Wl,-z,now -o "$1" "$1.c"
}

# keep DIR [FILE]: packs a recording without the symbols of libraries, which no call of these programs
# needs (library calls are named by the program's own table), and without owner and times.
keep() {
	find "$1" \( -name '*.so*' -o -name default.opts \) -delete
	tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -cf "$1.tar" "$1"
	pack "$1.tar" "$data/${2:-uftrace/$1}.tar.gz"
}

# again COMMAND: runs it until it succeeds, at most 20 times.
again() {
	for attempt in $(seq 20); do
		"$@" && return
	done
	echo "record.sh: $* failed $attempt times" >&2
	exit 1
}

# trace_queue DIR PRODUCERS CONSUMERS JOBS: fails if a call of sem_wait is missing.
trace_queue() {
	rm -rf "$1"
	uftrace record -d "$1" $arguments ./queue "$2" "$3" "$4" queue.log &&
		[ "$(uftrace dump -d "$1" | grep -c 'entry\] sem_wait')" -eq $((2 * ($2 * $4 + $3))) ]
}

# trace_starved DIR: fails if no record was lost. There is room for so few buffers that the
# writer cannot keep up.
trace_starved() {
	rm -rf "$1"
	unshare -m sh -c "mount -t tmpfs -o nr_inodes=14 tmpfs /dev/shm &&
		uftrace record --no-event -b 4k -d $1 ./queue 2 2 60 queue.log" &&
		uftrace dump -d "$1" | grep -q '\[lost'
}

# queue NAME PRODUCERS CONSUMERS JOBS
queue() {
	again trace_queue "$1.data" "$2" "$3" "$4"
	uftrace dump --chrome -d "$1.data" >"$1.json"
	keep "$1.data"
	pack "$1.json" "$data/chrome/$1.json.gz"
}

record_uftrace() {
	compile queue
	compile family
	queue queue-2p2c 2 2 60
	queue queue-1p3c 1 3 120

	uftrace record -d family.data $arguments ./family 4 5
	keep family.data

	again trace_starved lost.data
	keep lost.data
}

record_chrome() {
	# The same build with an empty and with a full cache; without cgo, whose commands would bring
	# the names of temporary folders.
	for state in cold warm; do
		CGO_ENABLED=0 GOCACHE=$work/cache go build -p 2 -debug-trace="$work/go-build-$state.json" \
			-o /dev/null net/http
		pack "go-build-$state.json" "$data/chrome/go-build-$state.json.gz"
	done

	cp "$here/requests.mjs" .
	for n in 8 16; do
		node --trace-event-categories v8,node,node.async_hooks,node.fs.sync \
			--trace-event-file-pattern="node-n$n.json" requests.mjs $n
		pack "node-n$n.json" "$data/chrome/node-n$n.json.gz"
	done
}

# pipeline TOOLCHAIN: builds the program with that release of Go, in a module of its own.
pipeline() {
	mkdir -p "build-$1"
	cp "$here/pipeline/main.go" "build-$1"
	(cd "build-$1" && rm -f go.mod && GOTOOLCHAIN=$1 go mod init pipeline 2>/dev/null &&
		GOTOOLCHAIN=$1 go build -o "../pipeline-$1" main.go)
}

record_gotrace() {
	for toolchain in local go1.21.13 go1.19.13; do
		pipeline $toolchain
		prefix=$([ $toolchain = local ] || echo "$toolchain" | sed 's/go1\.\([0-9]*\).*/go1\1-/')
		for mode in mutex chan; do
			./pipeline-$toolchain -mode $mode -trace "$data/gotrace/${prefix}pipeline-$mode.gotrace"
		done
	done
}

record_pprof() {
	pipeline local
	for level in 1 9; do
		./pipeline-local -level $level -docs 200 -words 12000 \
			-cpu "$data/pprof/pipeline-level$level.cpu.pprof"
	done
	for mode in mutex chan; do
		./pipeline-local -mode $mode -docs 200 -words 1200 \
			-heap "$data/pprof/pipeline-$mode.heap.pprof" \
			-mutex "$data/pprof/pipeline-$mode.mutex.pprof"
	done
	gunzip -c "$data/pprof/pipeline-mutex.mutex.pprof" >"$data/pprof/pipeline-mutex.mutex.raw.pprof"
}

# browse ROWS: the trace of a page of that many rows, cut to what happens in the page.
browse() {
	chromium-headless-shell --no-sandbox --disable-gpu --user-data-dir=browser --timeout=2000 \
		--trace-startup=blink.user_timing,devtools.timeline,v8 --trace-startup-duration=1 \
		--trace-startup-format=proto --trace-startup-file="$work/rows-$1.pftrace" "file://$work/rows.html#$1"
	pack "rows-$1.pftrace" "$data/perfetto/rows-$1.pftrace.gz"
}

record_perfetto() {
	cp "$here/rows.html" .
	browse 10
	browse 40

	# What Diptych itself writes: the main threads of the queue recordings, aligned.
	(cd "$data/.." && go build -o "$work/diptych" ./cmd/diptych)
	main_thread() { ./diptych info "$1" | awk '$NF == "queue" { print $1 }'; }
	a=$data/uftrace/queue-2p2c.data.tar.gz b=$data/uftrace/queue-1p3c.data.tar.gz
	./diptych export "$a" "$b" --to perfetto --pairs "$(main_thread "$a"):$(main_thread "$b")" \
		-o "$data/perfetto/queue-aligned.pftrace"
}

# eztraced NAME FOLDER: keeps what EZTrace has put into a folder of its own below another.
eztraced() {
	rm -rf "$1.data"
	mv "$2" "$1.data"
	keep "$1.data" "otf2/$1.data"
}

record_otf2() {
	cp "$here/queue.c" "$here/ring.c" "$here/kinds.c" .
	gcc -O1 -g -pthread -o queue queue.c
	eztrace -t pthread -o more ./queue 2 2 30 queue.log
	eztraced queue-2p2c more/queue_trace
	eztrace -t pthread -o more ./queue 1 3 60 queue.log
	eztraced queue-1p3c more/queue_trace

	mpicc.openmpi -O1 -g -o ring ring.c
	mpirun.openmpi --allow-run-as-root --oversubscribe -np 3 eztrace -t openmpi -o more ./ring 8 2000000
	eztraced ring more/ring_trace

	gcc -O1 -g -o kinds kinds.c -lotf2
	rm -rf kinds.data
	./kinds kinds.data
	keep kinds.data otf2/kinds.data
}

# lttng_session RUN PRODUCERS CONSUMERS JOBS: a session of LTTng, with the symbols of the program beside it.
lttng_session() {
	lttng create queue --output="$work/queue.ctf"
	lttng enable-channel -u -s queue --subbuf-size=64k --num-subbuf=4 main
	lttng enable-event -u -s queue -c main 'lttng_ust_cyg_profile*,lttng_ust_pthread*,lttng_ust_statedump*'
	lttng add-context -u -s queue -c main -t vtid -t vpid -t procname
	lttng start queue
	LD_PRELOAD="liblttng-ust-cyg-profile.so liblttng-ust-pthread-wrapper.so" ./queue "$2" "$3" "$4" log
	lttng destroy queue
	nm -C queue >queue.ctf/queue.nm
	tar --sort=name --owner=0 --group=0 --mtime=@0 -cf - queue.ctf | gzip -9 -n >"$data/ctf/queue-$1.data.tar.gz"
	rm -r queue.ctf
}

record_ctf() {
	cp "$here/queue.c" .
	gcc -O0 -g -finstrument-functions -pthread -o queue queue.c
	pgrep -x lttng-sessiond >/dev/null || lttng-sessiond --daemonize --pidfile="$work/sessiond.pid"
	lttng_session 2p2c 2 2 10
	lttng_session 1p3c 1 3 20
	[ ! -e sessiond.pid ] || kill "$(cat sessiond.pid)"
}

# The ring of MPI processes: SimGrid measures what they compute, and simulates the network.
record_paje() {
	cp "$here/simring.c" "$here/simring.xml" .
	smpicc -O1 -o simring simring.c
	printf 'node-0\nnode-0\nnode-1\nnode-1\n' >simring.hosts
	for rounds in 4 8; do
		smpirun -np 4 -platform simring.xml -hostfile simring.hosts -trace -trace-file "ring-$rounds.trace" \
			--cfg=tracing/smpi/display-sizes:yes ./simring "$rounds"
		pack "ring-$rounds.trace" "$data/paje/ring-$rounds.trace.gz"
	done
}

# callgrind FILE PROGRAM N [OPTIONS]: a profile of ./PROGRAM N, without the process id.
callgrind() {
	file=$1 program=$2 n=$3
	shift 3
	valgrind -q --tool=callgrind --callgrind-out-file=callgrind.out "$@" "./$program" "$n"
	sed 's/^pid: .*/pid: 4711/' callgrind.out* >"$file"
	rm callgrind.out*
}

record_callgrind() {
	cp "$here/sums.c" "$here/mix.h" .
	gcc -O1 -g -fno-optimize-sibling-calls -Wl,-z,now -o sums sums.c
	for n in 100 300; do
		callgrind "$data/callgrind/sums-$n.callgrind" sums $n --toggle-collect=main
	done
	# All that Callgrind can write: instructions, jumps, caches, threads.
	callgrind sums-all sums 100 --toggle-collect=main --dump-instr=yes --collect-jumps=yes --cache-sim=yes --separate-threads=yes
	pack sums-all "$data/callgrind/sums-all.callgrind.gz"
	cp "$here/orders.c" .
	gcc -O1 -g -fno-optimize-sibling-calls -Wl,-z,now -o orders orders.c
	callgrind "$data/callgrind/orders.callgrind" orders 500 --toggle-collect=main
	gcc -DCHANGED -O1 -g -fno-optimize-sibling-calls -Wl,-z,now -o orders orders.c
	callgrind "$data/callgrind/orders-changed.callgrind" orders 500 --toggle-collect=main
}

record_cpuprofile() {
	cp "$here/requests.mjs" .
	for n in 8 16; do
		node --cpu-prof --cpu-prof-interval 1000 --cpu-prof-name="requests-$n.cpuprofile" requests.mjs $n
		pack "requests-$n.cpuprofile" "$data/cpuprofile/requests-$n.cpuprofile.gz"
	done
}

# A page in a headless Firefox. Of several seconds 60 ms are kept, in which the page is made; when that
# is depends on the machine.
record_firefox() {
	cp "$here/rows.html" .
	HOME=$work MOZ_PROFILER_STARTUP=1 MOZ_PROFILER_STARTUP_INTERVAL=20 \
		MOZ_PROFILER_STARTUP_FEATURES=js,leaf,stackwalk MOZ_PROFILER_STARTUP_FILTERS=GeckoMain \
		MOZ_PROFILER_SHUTDOWN="$work/rows.json" \
		firefox-esr --headless --screenshot "$work/rows.png" "file://$work/rows.html#10"
	"$here/cutgecko.py" 2700 2760 <rows.json >rows-10.gecko.json
	pack rows-10.gecko.json "$data/firefox/rows-10.gecko.json.gz"
}

# samples NAME OPTIONS: records the pipeline with perf, and prints the samples.
samples() {
	name=$1 && shift
	perf record -q -F 199 -g -o "$name.data" "$@"
	perf script -i "$name.data" --header -F +pid >"$name.txt"
	pack "$name.txt" "$data/perfscript/$name.txt.gz"
}

# Needs linux-perf 6.1, perf_event_paranoid <= 2 (1 for the scheduler's events), and npm.
record_samples() {
	pipeline local
	cp "$here/speedscope.mjs" .
	npm install --silent speedscope@1.25.0 puppeteer-core
	for level in 1 9; do
		name=pipeline-level$level
		samples $name -e cpu-clock -- ./pipeline-local -level $level -docs 60 -words 6000
		perf script -i $name.data -s /usr/lib/perf-core/scripts/python/stackcollapse.py >$name.folded
		pack $name.folded "$data/folded/$name.folded.gz"
		node speedscope.mjs $name.txt $name.json
		pack $name.json "$data/speedscope/$name.json.gz"
	done
	node speedscope.mjs pipeline-level1.folded sums.json
	pack sums.json "$data/speedscope/pipeline-level1-samples.json.gz"
	samples pipeline-switches -e cpu-clock,sched:sched_switch -- ./pipeline-local -level 1 -docs 20 -words 3000
}

# The same requests in all three encodings that OpenTelemetry and Jaeger write.
record_requests() {
	mkdir -p shop
	cp "$here/shop.mjs" shop
	(cd shop && npm install --no-audit --no-fund --silent @opentelemetry/api@1.9 \
		@opentelemetry/otlp-transformer@0.223 @opentelemetry/resources@2.12 @opentelemetry/sdk-trace-node@2.12)
	node shop/shop.mjs shop.json json
	node shop/shop.mjs shop.binpb proto
	cp -r "$here/tojaeger" .
	(cd tojaeger && go mod tidy && go build -o ../otlp2jaeger .)
	./otlp2jaeger <shop.json >shop.jaeger.json
	pack shop.json "$data/otlp/shop.json.gz"
	pack shop.binpb "$data/otlp/shop.binpb.gz"
	pack shop.jaeger.json "$data/jaeger/shop.json.gz"
}

# The same programs on the same input, two times each: what differs is chance.
record_twice() {
	compile queue
	pipeline local
	cp "$here/requests.mjs" .
	for n in 1 2; do
		again trace_queue queue.data 2 2 60
		keep queue.data "twice/queue-$n.data"
		./pipeline-local -mode mutex -trace "$data/twice/pipeline-$n.gotrace"
		node --trace-event-categories v8,node,node.async_hooks,node.fs.sync \
			--trace-event-file-pattern="requests-$n.json" requests.mjs 8
		pack "requests-$n.json" "$data/twice/requests-$n.json.gz"
	done
}

[ $# -gt 0 ] || set -- chrome uftrace gotrace pprof perfetto otf2 ctf paje callgrind cpuprofile firefox samples requests twice
for format; do "record_$format"; done
