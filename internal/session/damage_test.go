//go:build linux || darwin

package session

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
	"diptych/internal/tracefile"
	"diptych/internal/traceio/input"
)

// starts looks at all calls of a trace.
func starts(tr *trace.Trace) (sum int64) {
	for _, th := range tr.Threads {
		for i := range th.Len() {
			sum += th.Start(i)
		}
	}
	return sum
}

// TestDamageInUse: a trace whose file is cut while it is shown is read again from its recording,
// whether a job or the interface meets the damage, and the Problems say so. It is no fault.
func TestDamageInUse(t *testing.T) {
	const path = "../../testdata/chrome/go-build-warm.json.gz"
	dir := t.TempDir()
	s := New(func() {})
	s.Traces = tracefile.At(dir, tracefile.DefaultLimit)
	s.Traces.All = true
	// shown opens the recording until its trace comes from a file, and returns both.
	shown := func() (*trace.Trace, string) {
		for range 10 {
			for _, side := range []pair.Side{pair.A, pair.B} {
				s.Open(side, path, input.Options{})
			}
			s.Settle(context.Background())
			s.Traces.Wait(context.Background())
			files, err := filepath.Glob(filepath.Join(dir, "*.trace"))
			if err != nil {
				t.Fatal(err)
			}
			if len(files) > 0 {
				s.Open(pair.A, path, input.Options{})
				s.Settle(context.Background())
				return s.State().Sides[pair.A].Trace, files[0]
			}
			time.Sleep(time.Second / 2) // it was changed a moment ago
		}
		t.Fatal("it is not kept")
		return nil, ""
	}
	for name, meet := range map[string]func(tr *trace.Trace){
		"a job": func(tr *trace.Trace) {
			s.start("test", "Trying", func(context.Context, *Job) func() {
				if sum := starts(tr); sum >= 0 {
					return func() { t.Error("no fault") }
				}
				return func() {}
			})
		},
		"the interface": func(tr *trace.Trace) {
			if p := progress.Try(func() { starts(tr) }); p == nil || !s.Mend(p) {
				t.Errorf("%v is not mended", p)
			}
		},
	} {
		tr, file := shown()
		calls := tr.Calls()
		if s.Mend("another panic") {
			t.Error("an intact file is to blame for a panic")
		}
		if err := os.Truncate(file, 0); err != nil {
			t.Fatal(err)
		}
		meet(tr)
		s.Settle(context.Background())
		st := s.State()
		for _, side := range []pair.Side{pair.A, pair.B} {
			if now := st.Sides[side].Trace; now == nil || now == tr || now.Calls() != calls {
				t.Errorf("%s: %v shows %v", name, side, now)
			}
		}
		if len(st.Damaged) != 1 || st.Damaged[0].File != file || len(st.Faults) != 0 {
			t.Errorf("%s: damaged %v, faults %v", name, st.Damaged, st.Faults)
		}
		if st.Pair == nil || st.Aligned == nil {
			t.Errorf("%s: it is not compared again", name)
		}
		s.DismissFaults()
		s.Close()
	}
}
