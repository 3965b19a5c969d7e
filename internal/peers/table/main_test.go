package main

import (
	"strings"
	"testing"
)

const printed = `goos: linux
pkg: diptych/internal/traceio/otlp
BenchmarkPeerOne
BenchmarkPeerOne-2   	       1	         0 ns/op	       120.5 ours-ms	      1205 peer-ms	        10.00 ×peer	        12.00 ×peer-elapsed
BenchmarkLoad-2      	       1	      1234 ns/op
pkg: diptych/internal/peers
BenchmarkPeerTwo
    programs_test.go:12: uftrace is not installed
--- SKIP: BenchmarkPeerTwo
PASS
`

func TestTable(t *testing.T) {
	var out strings.Builder
	if err := table(strings.NewReader(printed), &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines:\n%s", len(lines), out.String())
	}
	want := [][]string{{"peer", "ours", "ms", "peer", "ms", "times", "elapsed"},
		{"otlp", "One", "120.5", "1205", "10.00", "12.00"}, {"peers", "Two", "uftrace", "is", "not", "installed"}}
	for i, line := range lines {
		if got := strings.Fields(line); strings.Join(got, " ") != strings.Join(want[i], " ") {
			t.Errorf("line %d is %q, want %q", i, got, want[i])
		}
	}
}

func TestFailureIsTold(t *testing.T) {
	for _, line := range []string{"--- FAIL: BenchmarkPeerOne", "FAIL\tdiptych/internal/peers [build failed]"} {
		if err := table(strings.NewReader(line+"\n"), &strings.Builder{}); err == nil {
			t.Errorf("%q is taken for success", line)
		}
	}
}
