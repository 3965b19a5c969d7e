# Diptych: make help lists the targets.

SHELL := /bin/bash
.DEFAULT_GOAL := help

DIPTYCH := bin/diptych

# Go's package of vector instructions is an experiment that a build must ask for. One that does not,
# or is for another processor than amd64, has the portable code instead, and the same results.
export GOEXPERIMENT ?= simd

# The demo pair: the same Go program built with an empty and with a full build cache.
DEMO_A ?= testdata/chrome/go-build-cold.json.gz
DEMO_B ?= testdata/chrome/go-build-warm.json.gz

# What the window, the headless renderer and the tests need from Debian or Ubuntu.
APT := build-essential pkg-config \
	libegl-dev libgles-dev libegl1 libgles2 libgl1-mesa-dri \
	libx11-dev libxcursor-dev libxrandr-dev libxinerama-dev libxi-dev libxxf86vm-dev \
	libwayland-dev libxkbcommon-dev libvulkan-dev \
	xvfb xdotool weston otf2-tools

# A browser without a window, for the tests of HTML pages: the first of these that the system has as
# a package. Ubuntu has none; there the test is skipped unless a Chromium or Chrome is installed.
BROWSERS := chromium-headless-shell chromium

# Slurm with one node, for the test of batches.
SLURM := slurmctld slurmd slurm-client munge

# Tools, pinned.
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: help deps browser build cli cross man deb run demo demo-batch test test-long test-slurm race fuzz corpus bench bench-peers truth golden lint clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 12

deps: ## install the Debian packages that are missing and fetch the Go modules
	@if command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then \
		missing=""; \
		for p in $(APT); do \
			dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$p"; \
		done; \
		if [ -n "$$missing" ]; then \
			sudo=""; [ "$$(id -u)" = 0 ] || sudo="sudo"; \
			echo "installing:$$missing"; \
			$$sudo env DEBIAN_FRONTEND=noninteractive apt-get update -qq && \
			$$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >/dev/null; \
		fi; \
	else \
		echo "This is not Debian or Ubuntu. Please see that a C compiler, pkg-config, the development"; \
		echo "files of EGL, GLES 3, X11 (cursor, randr, inerama, xi, xxf86vm), Wayland, xkbcommon and Vulkan (headers), and"; \
		echo "for the tests Xvfb and xdotool are there; then go on."; \
	fi
	@go mod download

browser: ## install a headless browser for the tests, where there is a package of one
	@command -v $(BROWSERS) chromium-browser google-chrome >/dev/null || ! command -v apt-get >/dev/null || { \
		sudo=""; [ "$$(id -u)" = 0 ] || sudo="sudo"; \
		ls /var/lib/apt/lists/*Packages* >/dev/null 2>&1 || $$sudo apt-get update -qq; \
		for p in $(BROWSERS); do \
			if apt-cache show $$p >/dev/null 2>&1; then \
				echo "installing: $$p"; \
				$$sudo apt-get update -qq && \
				$$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$p >/dev/null; \
				break; \
			fi; \
		done; \
	}

# GLFW 3.3 speaks one window system an executable. bin/diptych hands over to the one for Wayland
# where there is no X server. GLFW's C code for Wayland compiles with a warning of its own.
WAYLAND := CGO_CFLAGS='-g -O2 -w' go

build: deps ## build bin/diptych, and on Linux bin/diptych-wayland beside it
	go build -o $(DIPTYCH) ./cmd/diptych
	@[ "$$(go env GOOS)" != linux ] || $(WAYLAND) build -tags wayland -o $(DIPTYCH)-wayland ./cmd/diptych

# The build without a window needs no C compiler and no library.
WINDOWLESS := CGO_ENABLED=0 go build -tags nogui -trimpath -ldflags '-s -w'
SYSTEMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

cli: ## build bin/diptych-cli: one static file, all but the window and pictures
	CGO_ENABLED=0 go test -tags nogui -run TestNoWindow ./internal/cli
	$(WINDOWLESS) -o bin/diptych-cli ./cmd/diptych

cross: ## the same for Linux, macOS and Windows: out/diptych-SYSTEM-PROCESSOR
	@for s in $(SYSTEMS); do \
		o=out/diptych-$${s%/*}-$${s#*/}; case $$s in windows/*) o=$$o.exe;; esac; \
		echo $$o; GOOS=$${s%/*} GOARCH=$${s#*/} $(WINDOWLESS) -o $$o ./cmd/diptych || exit 1; \
	done

man: deps ## write manual pages, completions and icons into out/share
	go run ./internal/cli/share out/share

deb: deps ## build a Debian package in out; MAINTAINER="Name <mail>" answers for it
	packaging/deb.sh out

run: build ## open the window; name traces with ARGS="A B"
	$(DIPTYCH) $(ARGS)

demo: build ## open a bundled pair of traces; without a display, render it to out/demo.png
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ]; then \
		$(DIPTYCH) $(DEMO_A) $(DEMO_B); \
	else \
		mkdir -p out && \
		$(DIPTYCH) render $(DEMO_A) $(DEMO_B) --view window -o out/demo.png && \
		echo "There is no display here, so the window's picture is in $(CURDIR)/out/demo.png"; \
	fi

# Two generated runs of 64 ranks. On side B a few of them are slow in one function for a while; the
# truth beside it says which, in what and when. Another DEMO_SEED has others.
DEMO_SEED ?= 7

demo-batch: ## compare two generated runs of 64 ranks, and say which ranks are unlike the rest
	@mkdir -p bin; CGO_ENABLED=0 go build -tags nogui -o bin/diptych-cli ./cmd/diptych
	@set -e; d=$$(mktemp -d); bin/diptych-cli generate --ranks 64 --seed $(DEMO_SEED) $$d/runA $$d/runB >/dev/null; \
	bin/diptych-cli batch plan --a "$$d/runA/*" --b "$$d/runB/*" --by rank -o $$d/pairs.csv; \
	bin/diptych-cli batch $$d/pairs.csv -o $$d/batch; \
	bin/diptych-cli batch merge $$d/batch >/dev/null; \
	bin/diptych-cli batch report $$d/batch -o $$d/report.html --json >$$d/report.json; \
	echo "The first outliers:"; \
	sed -nE 's/^ *"pair": "(.*)",$$/  rank \1/p; s/^ *"text": "(.*)"$$/    \1/p' $$d/report.json | head -6; \
	echo "Page:  $$d/report.html"; echo "Truth: $$d/runB.truth.json"

# Packages whose tests take longest begin first, so that no processor waits for them at the end.
LONGEST := ./internal/ui ./cmd/diptych ./internal/cli

# Packages tested at once: one more than processors, since tests of windows and signals mostly wait.
AT_ONCE := $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))

# Packages in which calls are inlined: those in which tests spend much. The race detector's calls are inlined
# with what is, so that any other package is compiled in two thirds of the processor time.
#
# Folders of ours are named one by one. Go compares such a name with a string; of any other pattern but std and
# all it makes a regular expression anew for each package that each of the hundred tests needs, which takes 0.4 s
# before anything is compiled.
HOT := $(addprefix ./internal/, \
	aggregate align align/finding geom huge match pair palette progress spill stats synth testpic testtrace trace \
	$(addprefix scene/,aggregate aligned bundle icicle links matches overview structure threads) \
	$(addprefix traceio/,blocking chrome cpuprofile ctf gotrace input jsonin otf2 qualified uftrace))

# The race detector looks at all accesses of Diptych's own code and of Go's library, but not at those of other
# modules, nor of Go's packages for pictures and compression: they are a third of what the window's tests take.
# Nothing is reported that is no race, since goroutines of ours wait for each other through Go's library alone. A
# race of ours inside of a module, as of two goroutines that shape texts with one shaper, is for test-long to find.
#
# FOREIGN are these packages of Go's library, and the modules in which calls are inlined.
FOREIGN := gioui.org/... github.com/klauspost/... pgregory.net/rapid \
	compress/flate compress/zlib hash/adler32 hash/crc32 image image/color image/draw image/png
UNSEEN := $(if $(DIPTYCH_LONG),,-race=false)

# What only debuggers read is left out: compiling takes a fifth less processor time, and the largest test
# is linked in 4 s of it, not 12. So is the table of symbols, which takes a twentieth of linking; stacks
# and profiles do not need it. Compilers do not last, so that collecting their heaps rarely saves another
# sixth; what is large is still collected. In tests it is the other way round: each page that a growing heap
# touches for the first time costs more than collecting does, the more so as the race detector keeps pages
# of its own beside it, so they run with Go's usual GOGC. A program that
# is done and has found no race ends at once: the race detector would have each of the hundred wait for
# a second. The test on Wayland has the same flags as the others, so that it shares all they are built
# of: it is built in 10 s of processor time; with flags of its own it took more than 40.
#
# Gio can draw with Vulkan, which nothing here asks for: without it cgo has 7 s less to do.
#
# To find out whether a name of C is a type, cgo has gcc compile "name *__cgo_undefined__2;" for each. Where
# it is a function or a constant, that is a product with something unknown, and gcc looks among all names of
# OpenGL for a similar one to suggest: 15 s of the 18 that cgo takes for OpenGL. As another name for a function
# of gcc's own, which cannot be a factor, it is refused as well, but at once. A local variable may still
# be called so. C is not optimised, and not described to debuggers either, which saves 7 s more.
CGO := CGO_CFLAGS="$${CGO_CFLAGS:--O0} -D__cgo_undefined__2=__builtin_abs"

# Nor are these packages looked through for indices that are in range and for constants that only the flow
# of control tells, which takes a fifteenth of compiling. All others are: there it would cost tests more.
LESS := -d=ssa/prove/off=1,ssa/sccp/off=1

# Go has two builds of the race detector. The one for processors with AVX2 looks at all that it remembers of
# an address at once, by which tests take 5 to 15% less processor time. GOAMD64=v3 would choose it, but would
# also compile all else for such processors, and results may differ where they multiply and add in one step.
# The tag chooses the detector alone. It remembers the last accesses of each thread, so that a report can show the
# stack of the earlier of two; with the shortest history it touches less memory, which saves another
# twentieth, and finds the same races. Where a report lacks a stack, GORACE=history_size=7 brings it.
#
# What the detector remembers of more than 64 KB that are allocated it forgets by mapping fresh pages, each of which
# is a fault when it is touched next. Up to 4 MB are overwritten instead: tests of batch take a sixth less
# processor time, those of Chrome's loader a tenth.
DETECTOR := $(shell grep -qsw avx2 /proc/cpuinfo && grep -qsw bmi2 /proc/cpuinfo && echo ,amd64.v3)

TESTING := GORACE="atexit_sleep_ms=0 history_size=0 clear_shadow_mmap_threshold=4194304 $$GORACE" $(CGO) \
	go test -race -ldflags=-s '-gcflags=all=-dwarf=false -l $(LESS) $(UNSEEN)' '-gcflags=diptych/...=-dwarf=false -l $(LESS)' \
	$(foreach p,std $(HOT),-gcflags=$(p)=-dwarf=false) $(foreach p,$(FOREIGN),'-gcflags=$(p)=-dwarf=false $(UNSEEN)') \
	-toolexec 'env GOGC=400 GOMEMLIMIT=2GiB'

# How many random cases a property is checked with: each run draws others. test-long has rapid's usual 100.
CHECKS := $(if $(DIPTYCH_LONG),,RAPID_CHECKS=$${RAPID_CHECKS:-15})

test: deps browser ## vet, then all tests with the race detector, those of drawing with two rasterisers
	$(CHECKS) $(TESTING) -tags novulkan$(DETECTOR) -vet=all -timeout $(if $(DIPTYCH_LONG),90m,20m) -p $(AT_ONCE) $(LONGEST) ./...
	@[ "$$(go env GOOS)" != linux ] || $(TESTING) -tags wayland,novulkan$(DETECTOR) -vet=off -run TestWayland ./internal/host

test-long: ## the same as test, with tests of large inputs at their full size
	DIPTYCH_LONG=1 $(MAKE) test

test-slurm: ## run diptych batch in a Slurm that is started for it; skipped where none can be installed
	@sudo=""; [ "$$(id -u)" = 0 ] || sudo="sudo -n"; \
	apt="$$sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::http::Timeout=20 -o DPkg::Lock::Timeout=60"; \
	if testdata/slurm/slurm.sh -installed || { \
		echo "installing: $(SLURM)"; \
		{ $$apt update; $$apt install -y --no-install-recommends $(SLURM); } </dev/null >/dev/null; \
		testdata/slurm/slurm.sh -installed; \
	}; then \
		$(WINDOWLESS) -o bin/diptych-cli ./cmd/diptych && \
		testdata/slurm/slurm.sh "$(CURDIR)/testdata/slurm/test.sh" "$(CURDIR)/bin/diptych-cli"; \
	else \
		echo "test-slurm: SKIPPED, as $(SLURM) cannot be installed here"; \
	fi

race: test ## the same as test, which always looks for races

fuzz: deps ## fuzz every parser for FUZZTIME (30s); slow ones fail, but not if FUZZFLAGS=-anyrate
	go run ./internal/fuzzall -time $${FUZZTIME:-30s} $$FUZZFLAGS $${FUZZPKGS:-./internal/...}

corpus: deps ## keep a few inputs that make fuzz found as seeds in testdata/fuzz, to be committed
	go run ./internal/fuzzall -corpus $${FUZZPKGS:-./internal/...}

bench: deps ## benchmarks; results are ratios within one run
	go test -run '^$$' -bench . -benchtime 1x ./...

bench-peers: deps ## races against named programs and published algorithms; those that cannot be installed are skipped
	@for p in uftrace babeltrace2 otf2-print/otf2-tools node/nodejs npm; do \
		command -v $${p%/*} >/dev/null && continue; p=$${p#*/}; \
		sudo=""; [ "$$(id -u)" = 0 ] || sudo="sudo"; \
		$$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$p >/dev/null 2>&1 || \
			echo "$$p cannot be installed"; \
	done
	go test -v -run '^$$' -bench '^BenchmarkPeer' -benchtime 1x -p 1 -timeout 60m \
		$$(grep -rl --include='*_test.go' 'func BenchmarkPeer' internal | xargs -n1 dirname | sort -u | sed 's|^|./|') | \
		go run ./internal/peers/table

truth: deps ## what the findings say of pairs whose every change is known: docs/truth.md
	go test ./internal/report -pairs $${PAIRS:-12} -count=1 -v -timeout 60m \
		-run 'TestEditsAreTold|TestEqualRunsDifferInNothing|TestLocksHeldLonger' | grep -v '^=== '
	go test ./internal/align/finding -pairs 40 -count=1 -v -run TestFindingsAreTheEdits | grep -v '^=== '
	go test ./internal/batch/trend -histories 150 -count=1 -v -timeout 60m -run TestFalseClaims | grep -v '^=== '

golden: deps ## rewrite the golden files after a wanted change, then look at git diff
	go test $$(grep -rlE --include='*_test.go' 'flag.Bool\("update"|\.Golden\(' internal cmd | xargs -n1 dirname | sort -u | grep -v testpic | sed 's|^|./|') -update

lint: deps ## gofmt and staticcheck, with vector instructions and without
	@test -z "$$(gofmt -l cmd internal shaders testdata)" || { gofmt -l cmd internal shaders testdata; exit 1; }
	go run $(STATICCHECK) ./...
	@p=$$(find internal -name '*_portable.go' -printf './%h\n' | sort -u); \
		[ -z "$$p" ] || GOEXPERIMENT= go run $(STATICCHECK) $$p

clean: ## remove what was built
	rm -rf bin out
