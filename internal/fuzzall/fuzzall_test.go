package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

const output = `fuzz: elapsed: 0s, gathering baseline coverage: 0/3 completed
fuzz: elapsed: 0s, gathering baseline coverage: 3/3 completed, now fuzzing with 2 workers
fuzz: elapsed: 3s, execs: 10280 (3423/sec), new interesting: 125 (total: 128)
fuzz: elapsed: 6s, execs: 26138 (5263/sec), new interesting: 172 (total: 175)
PASS
`

func TestStatsAreThoseOfTheLastLine(t *testing.T) {
	s := parseStats(output)
	if s.inputs != 26138 || s.found != 172 || s.elapsed != 6*time.Second {
		t.Errorf("%+v", s)
	}
	s.cpu = 2 * time.Second
	if got := s.rate(); got < 4356 || got > 4357 || s.rateOfCPU() != 13069 {
		t.Errorf("%f inputs a second, %f of processor time", got, s.rateOfCPU())
	}
	if s := parseStats("FAIL\n"); s.rate() != 0 || s.rateOfCPU() != 0 {
		t.Errorf("of nothing: %+v", s)
	}
}

func TestFuzzFunctions(t *testing.T) {
	got := fuzzFunctions("func FuzzA(f *testing.F) {}\nfunc TestB(t *testing.T) {}\n// func FuzzC(\nfunc FuzzD(f *testing.F) {")
	if !slices.Equal(got, []string{"FuzzA", "FuzzD"}) {
		t.Errorf("%q", got)
	}
}

// ours are the targets of this program.
var ours = sync.OnceValues(func() ([]target, error) {
	return list(context.Background(), []string{"diptych/internal/..."})
})

// TestListFindsTargets: the targets of the loaders are found, each once.
func TestListFindsTargets(t *testing.T) {
	targets, err := ours()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, tg := range targets {
		seen[tg.String()]++
	}
	for _, name := range []string{"chrome.FuzzLoad", "gotrace.FuzzLoad", "pprof.FuzzLoad",
		"uftrace.FuzzTexts", "uftrace.FuzzRecords", "text.FuzzParse", "traceio.FuzzFile"} {
		if seen[name] != 1 {
			t.Errorf("%s is found %d times", name, seen[name])
		}
	}
	if _, err := list(context.Background(), []string{"diptych/internal/geom"}); err == nil {
		t.Error("a package without targets is no error")
	}
}

// TestFuzzEndsInTime: a target is interrupted at the end of its time, and what it says then counts.
// One that fails is a failure. Shell scripts stand in for the targets.
func TestFuzzEndsInTime(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell and signals")
	}
	dir := files(t, map[string]string{
		"fuzzes": "#!/bin/sh\n" +
			"trap 'echo \"fuzz: elapsed: 1s, execs: 9 (3/sec), new interesting: 2 (total: 4)\"; exit' INT\n" +
			"while :; do sleep .01; done\n",
		"fails": "#!/bin/sh\necho 'fuzz: elapsed: 1s, execs: 5 (3/sec), new interesting: 0 (total: 4)'; exit 1\n"})
	for name, want := range map[string]int{"fuzzes": 9, "fails": 5} {
		script := filepath.Join(dir, name)
		p := &programs{files: dir, built: map[string]string{name: script}}
		if err := os.Chmod(script, 0o777); err != nil {
			t.Fatal(err)
		}
		s, err := p.fuzz(t.Context(), target{pkg: name, dir: dir, name: "FuzzF"}, options{each: time.Second})
		if s.inputs != want || (err == nil) != (name == "fuzzes") {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

// TestRatesAreJudged: a slow target fails unless its rate is only to be told; one that did not run
// fails always.
func TestRatesAreJudged(t *testing.T) {
	for _, c := range []struct {
		inputs      int
		anyRate, ok bool
	}{
		{300, false, false}, {300, true, true}, {1000, false, true}, {0, false, false}, {0, true, false},
	} {
		o := options{least: 1000, anyRate: c.anyRate}
		s := stats{inputs: c.inputs, elapsed: time.Second, cpu: 2 * time.Second, workers: 2}
		if err := o.judge(s); (err == nil) != c.ok {
			t.Errorf("%d inputs a second, any rate %t: %v", c.inputs, c.anyRate, err)
		}
	}
	busy := stats{inputs: 600, elapsed: 4 * time.Second, cpu: time.Second, workers: 2} // alone: in half a second
	if err := (options{least: 1000}).judge(busy); err != nil {
		t.Errorf("on a machine that does other work: %v", err)
	}
}
