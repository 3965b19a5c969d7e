package main

import (
	"context"
	"slices"
	"strings"
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

// TestListFindsTargets: the targets of the loaders are found, each once.
func TestListFindsTargets(t *testing.T) {
	targets, err := list(context.Background(), []string{"diptych/internal/traceio/..."})
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

func TestRotate(t *testing.T) {
	for start, want := range map[int]string{0: "abc", 1: "bca", 5: "cab"} {
		if got := strings.Join(rotate([]string{"a", "b", "c"}, start), ""); got != want {
			t.Errorf("from %d: %s, want %s", start, got, want)
		}
	}
	if rotate([]int(nil), 3) != nil {
		t.Error("nothing becomes something")
	}
}

func TestSlowTargets(t *testing.T) {
	var s slowTargets
	if err := s.Set("a.FuzzX=200,b.FuzzY=0.5"); err != nil || s["a.FuzzX"] != 200 || s["b.FuzzY"] != .5 {
		t.Errorf("%v, %v", s, err)
	}
	for _, text := range []string{"", "a.FuzzX", "FuzzX=3", "a.FuzzX=0", "a.FuzzX=x"} {
		if err := s.Set(text); err == nil {
			t.Errorf("%q is read as %v", text, s)
		}
	}
}
