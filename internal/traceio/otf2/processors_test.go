package otf2

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"diptych/internal/testtrace/deepeq"
	"diptych/internal/trace"
)

// TestProcessors holds that a trace is the same for any number of processors, also that of an archive
// with broken events.
func TestProcessors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	whole := manyCalls(400)
	for round := range 10 {
		dir := fstest.MapFS{}
		for name, f := range whole {
			data := slices.Clone(f.Data)
			for range round {
				if strings.HasSuffix(name, ".evt") {
					data[r.IntN(len(data))] ^= byte(1 << r.IntN(8))
				}
			}
			dir[name] = &fstest.MapFile{Data: data}
		}
		var first *trace.Trace
		for _, procs := range []int{1, 2, 8} {
			before := runtime.GOMAXPROCS(procs)
			tr := mustLoad(t, dir)
			runtime.GOMAXPROCS(before)
			if procs == 1 {
				first = tr
			} else if !deepeq.Equal(first, tr) {
				t.Errorf("round %d: %d processors make another trace than one", round, procs)
			}
		}
	}
}
