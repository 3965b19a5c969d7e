package chrome

import (
	"testing"

	"diptych/internal/trace"
)

// TestNumberZeroIsCopied: a worker's first name may come late, since the block that it was met in
// was parsed in vain. Batches before that are still being read then, and must not see it.
func TestNumberZeroIsCopied(t *testing.T) {
	f, d := newFeed(trace.NewBuilder("test")), &dict{}
	meet := func(name int32) []trace.FuncID {
		b := &batch{dict: d, block: []byte("ab"),
			uses: []use{{name: name, base: -1, text: span{uint32(name), uint32(name) + 1}}}}
		f.meet(b)
		return b.functions
	}
	before, after := meet(1), meet(0)
	if before[0] != noFunction || after[0] == noFunction || after[1] != before[1] {
		t.Errorf("%d before, %d after", before, after)
	}
}

// TestTheRecorderDoesNotRun: how long PyTorch's profiler recorded is no work of the program, nor what
// its elapsed time hangs on.
func TestTheRecorderDoesNotRun(t *testing.T) {
	tr := mustLoad(t, `[{"ph":"X","cat":"Trace","name":"PyTorch Profiler (0)","ts":0,"dur":90,"pid":"Spans",
		"tid":"PyTorch Profiler"},{"ph":"X","name":"step","ts":10,"dur":70,"pid":7,"tid":7}]`, blockSize)
	for k, runs := range []bool{false, true} {
		if th := tr.Threads[k]; th.Runs() != runs {
			t.Errorf("%s runs: %v", th.Name, !runs)
		}
	}
}
