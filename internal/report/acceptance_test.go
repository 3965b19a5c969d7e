package report

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"testing"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// recorded are pairs of recordings in testdata.
var recorded = [][2]string{
	testtrace.Sized([2]string{"chrome/node-n8.json.gz", "chrome/node-n16.json.gz"},
		[2]string{"chrome/go-build-cold.json.gz", "chrome/go-build-warm.json.gz"}),
	{"uftrace/queue-2p2c.data.tar.gz", "uftrace/queue-1p3c.data.tar.gz"},
	{"gotrace/pipeline-mutex.gotrace", "gotrace/pipeline-chan.gotrace"},
	{"pprof/pipeline-level1.cpu.pprof", "pprof/pipeline-level9.cpu.pprof"},
}

func alignedRecordings(t *testing.T, paths [2]string) []*align.Result {
	t.Helper()
	var sides [2]*trace.Trace
	for s, path := range paths {
		var err error
		sides[s], err = traceio.Load(t.Context(), filepath.Join("../../testdata", path),
			input.Options{})
		if err != nil {
			t.Fatal(err)
		}
	}
	return alignedPairs(t, pair.New(sides[pair.A], sides[pair.B], pair.Rules{}))
}

// tally counts the calls of a pair of threads: those of A, those of B, and lines by state.
type tally struct {
	a, b   int
	states [4]int
}

var stateNames = map[string]align.State{"equal": align.Equal, "different": align.Different,
	"gapA": align.GapA, "gapB": align.GapB,
	// and of the exported status
	"onlyA": align.GapB, "onlyB": align.GapA}

// dumped counts what the dump says of each pair.
func dumped(t *testing.T, results []*align.Result) []tally {
	t.Helper()
	var dump bytes.Buffer
	if err := WriteDump(context.Background(), &dump, results); err != nil {
		t.Fatal(err)
	}
	out := make([]tally, len(results))
	for d := json.NewDecoder(&dump); d.More(); {
		var line struct {
			State string
			A, B  *int
			Pair  int
		}
		if err := d.Decode(&line); err != nil {
			t.Fatal(err)
		}
		n := &out[line.Pair]
		n.states[stateNames[line.State]]++
		if line.A != nil {
			n.a++
		}
		if line.B != nil {
			n.b++
		}
	}
	return out
}

// TestRecordingsInPerfetto holds, for pairs of recordings, that the exported file is valid (begins
// and ends balance, times are in order), and that each of its tracks has as many slices as the dump
// has lines of that kind.
func TestRecordingsInPerfetto(t *testing.T) {
	for _, paths := range recorded {
		results := alignedRecordings(t, paths)
		want := dumped(t, results)
		for k, tracks := range tracksOf(t, results) {
			checkTracks(t, results[k], tracks)
			got := tally{a: len(tracks[0].slices), b: len(tracks[1].slices)}
			for _, sl := range tracks[2].slices {
				got.states[stateNames[sl.name]]++
			}
			if got != want[k] {
				t.Errorf("%s, pair %d: %+v, the dump has %+v", paths[pair.A], k, got, want[k])
			}
		}
	}
}
