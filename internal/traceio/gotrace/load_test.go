package gotrace

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	xtrace "golang.org/x/exp/trace"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

const samples = "../../../testdata/gotrace/*.gotrace"

func source(data []byte) *input.Source {
	return &input.Source{Path: "test.gotrace", Stream: bytes.NewReader(data),
		Head: data[:min(len(data), 512)], Size: int64(len(data))}
}

func load(t testing.TB, data []byte) *trace.Trace {
	t.Helper()
	tr, err := tryLoad(data)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func tryLoad(data []byte) (*trace.Trace, error) {
	b := trace.NewBuilder("gotrace")
	err := Load(context.Background(), source(data), input.Options{}, b)
	if err != nil {
		return nil, err
	}
	return b.Build(context.Background())
}

// recordings returns the traces under testdata by file name.
func recordings(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(samples)
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings at %s: %v", samples, err)
	}
	all := map[string][]byte{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(f)] = data
	}
	return all
}

// census is what can be counted both in the events and in the trace made of them.
type census struct {
	Goroutines, Unblocks, Logs, Instants int
	Extent                               int64
	Waits                                map[string]int // by reason
	Regions, Tasks, Ranges               map[string]int // by name
	Syscalls                             int
}

func newCensus() census {
	return census{Waits: map[string]int{}, Regions: map[string]int{},
		Tasks: map[string]int{}, Ranges: map[string]int{}}
}

// ofEvents counts the reader's events.
func ofEvents(t *testing.T, data []byte) census {
	r, err := xtrace.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c, goroutines := newCensus(), map[xtrace.GoID]bool{}
	first, last := int64(1<<62), int64(-1)
	for {
		e, err := r.ReadEvent()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		first, last = min(first, int64(e.Time())), int64(e.Time())
		switch e.Kind() {
		case xtrace.EventLog, xtrace.EventLabel:
			c.Instants++
		case xtrace.EventRegionBegin:
			c.Regions[e.Region().Type]++
		case xtrace.EventTaskBegin:
			c.Tasks[e.Task().Type]++
		case xtrace.EventRangeBegin:
			c.Ranges[e.Range().Name]++
		case xtrace.EventStateTransition:
			s := e.StateTransition()
			if s.Resource.Kind == xtrace.ResourceGoroutine {
				goroutines[s.Resource.Goroutine()] = true
				from, to := s.Goroutine()
				c.change(from, to, s.Reason)
			}
		}
	}
	c.Goroutines, c.Extent = len(goroutines), last-first
	return c
}

func (c *census) change(from, to xtrace.GoState, reason string) {
	switch {
	case from == to:
	case to == xtrace.GoWaiting:
		c.Waits[reason]++
	case to == xtrace.GoSyscall:
		c.Syscalls++
	case from == xtrace.GoWaiting && to == xtrace.GoRunnable:
		c.Unblocks++
	}
}

// ofTrace counts calls.
func ofTrace(t *testing.T, tr *trace.Trace) census {
	c := newCensus()
	c.Extent = tr.Duration
	for _, th := range tr.Threads {
		if th.Kind != trace.AsyncTrack && th.ID != "runtime" {
			c.Goroutines++
		}
		c.Instants += len(th.Instants)
		for i := range th.Len() {
			switch f := tr.FunctionOf(th, i); f.Kind {
			case trace.Region:
				if th.Kind == trace.AsyncTrack {
					c.Tasks[f.Name]++
				} else {
					c.Regions[f.Name]++
				}
			case trace.Event:
				if th.Kind == trace.AsyncTrack {
					c.Ranges[f.Name]++
				} else {
					c.Unblocks++
				}
			case trace.State:
				if reason, ok := strings.CutPrefix(f.Name, "blocked"); ok {
					c.Waits[strings.TrimPrefix(reason, ": ")]++
				} else if f.Name == "syscall" {
					c.Syscalls++
				}
			}
		}
	}
	return c
}

func TestCountsAreThoseOfTheEvents(t *testing.T) {
	for name, data := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			if !Sniff(source(data)) {
				t.Error("not recognised")
			}
			tr := load(t, data)
			if d := cmp.Diff(ofEvents(t, data), ofTrace(t, tr)); d != "" {
				t.Error(d)
			}
			if len(tr.Diagnostics) > 0 {
				t.Error(tr.Diagnostics)
			}
			checkWaits(t, tr)
			checkLeaves(t, tr)
		})
	}
}

// checkWaits checks that every release ends one wait, at the very moment.
func checkWaits(t *testing.T, tr *trace.Trace) {
	releases := 0
	for _, th := range tr.Threads {
		for _, b := range th.Blocks {
			if b.Kind == trace.Release {
				releases++
			}
		}
	}
	if len(tr.Correspondences) != releases {
		t.Errorf("%d releases, %d correspondences", releases, len(tr.Correspondences))
	}
	ended := map[trace.CallRef]bool{}
	for _, c := range tr.Correspondences {
		wait, release := tr.Threads[c.Wait.Thread], tr.Threads[c.Release.Thread]
		w := int(c.Wait.Call)
		if wait.End(w) != c.At || wait.BlocksOf(w)[0].Kind != trace.Wait || ended[c.Wait] {
			t.Errorf("release at %d of wait %d+%d", c.At, wait.Start(w), wait.Dur(w))
		}
		if r := int(c.Release.Call); release.Start(r) != c.At || release.Dur(r) != 0 {
			t.Errorf("release at %d is %d+%d", c.At, release.Start(r), release.Dur(r))
		}
		ended[c.Wait] = true
	}
}

// checkLeaves checks that a goroutine has one root, the start function if any stack was seen, that
// states have no callees, that only frames are sampled and that all calls have names.
func checkLeaves(t *testing.T, tr *trace.Trace) {
	for _, th := range tr.Threads {
		if th.Kind == trace.AsyncTrack || th.ID == "runtime" || th.Len() == 0 {
			continue
		}
		if th.Next(0) != th.Len() || th.Lane != 0 {
			t.Errorf("%s: more than one root or lane", th.Name)
		}
		for i := range th.Len() {
			f := tr.FunctionOf(th, i)
			if f.Kind == trace.State && th.Size(i) != 1 {
				t.Errorf("%s: %s has callees", th.Name, f.Name)
			}
			frame, sampled := i > 0 && f.Kind == trace.Routine, th.Flags(i)&trace.Sampled != 0
			if frame != sampled {
				t.Errorf("%s: %s: flags %d", th.Name, f.Name, th.Flags(i))
			}
			if f.Name == "" || frame && th.Role == "goroutine" {
				t.Errorf("%s calls %q", th.Name, f.Name)
			}
		}
	}
}

func TestSniff(t *testing.T) {
	for head, want := range map[string]bool{
		"go 1.26 trace\x00\x00\x00": true, "go 1.5 trace\x00\x00\x00\x00": false,
		"go 1.9 trace\x00\x00\x00\x00": false, "go 1.22 trace\x00\x00": false,
		"": false, "{}": false,
	} {
		if Sniff(&input.Source{Head: []byte(head)}) != want {
			t.Errorf("%q: want %v", head, want)
		}
	}
}
