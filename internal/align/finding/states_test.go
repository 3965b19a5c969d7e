package finding

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// TestStatesOfRuntimeThreadsAreSaid holds that a sentence about a state says how much of it is in
// threads of the runtime, which the totals of the run leave out.
func TestStatesOfRuntimeThreadsAreSaid(t *testing.T) {
	build := func(own, runtime int64) *trace.Trace {
		b := trace.NewBuilder("test")
		ready := b.Function(trace.Function{Name: "runnable", Kind: trace.State})
		b.Thread("main", -1).Complete(0, 100e6, b.Function(trace.Function{Name: "main"}))
		b.Thread("worker", -1).Complete(0, own, ready)
		th := b.Thread("gc", -1)
		th.SetKind(trace.Runtime)
		th.Complete(0, runtime, ready)
		return testtrace.Build(t, b)
	}
	for _, c := range []struct {
		runtime int64
		want    string
	}{
		{30e6, "in the state runnable: +70.0 ms (+20.0 ms of it in threads of the runtime), entered 2 times"},
		{11e6, "in the state runnable: +51.0 ms, entered 2 times"},
	} {
		_, _, r := compared(t, build(10e6, 10e6), build(60e6, c.runtime))
		told := slices.ContainsFunc(r.Findings, func(f Finding) bool { return strings.Contains(f.Sentence(), c.want) })
		if !told {
			t.Errorf("not told: %s: %+v", c.want, r.Findings)
		}
	}
}

// TestIdleRuntimeThreadsAreNoNews holds that a state is told of the program's threads, and not
// where only the runtime's own threads have been in it for longer.
func TestIdleRuntimeThreadsAreNoNews(t *testing.T) {
	build := func(kind trace.ThreadKind, blocked int64) *trace.Trace {
		b := trace.NewBuilder("test")
		b.Thread("main", -1).Complete(0, 100e6, b.Function(trace.Function{Name: "main"}))
		th := b.Thread("other", -1)
		th.SetKind(kind)
		th.Complete(0, blocked, b.Function(trace.Function{Name: "blocked", Kind: trace.State}))
		return testtrace.Build(t, b)
	}
	for kind, want := range map[trace.ThreadKind]bool{trace.Ordinary: true, trace.Runtime: false} {
		_, _, r := compared(t, build(kind, 10e6), build(kind, 90e6))
		told := false
		for _, f := range r.Findings {
			told = told || strings.Contains(f.Sentence(), "in the state blocked: +80.0 ms, entered 1 time")
		}
		if told != want {
			t.Errorf("threads of kind %v: %v, want %v: %+v", kind, told, want, r.Findings)
		}
	}
}

// TestPhasesOfTheRuntimeAreLikely holds that a state in which threads are much more often is likely
// to be the program's doing, if they neither wait in it nor lack a processor.
func TestPhasesOfTheRuntimeAreLikely(t *testing.T) {
	build := func(on trace.ThreadKind, kind trace.FuncKind, off trace.Off, stays int) *trace.Trace {
		b := trace.NewBuilder("test")
		b.Thread("main", -1).Complete(0, 100e6, b.Function(trace.Function{Name: "main"}))
		th := b.Thread("worker", -1)
		th.SetKind(on)
		fn := b.Function(trace.Function{Name: "phase", Kind: kind, Off: off})
		for k := range stays {
			th.Complete(int64(k)*2e6, int64(k)*2e6+1e6, fn)
		}
		return testtrace.Build(t, b)
	}
	for _, tt := range []struct {
		name string
		on   trace.ThreadKind
		kind trace.FuncKind
		off  trace.Off
		a, b int
		want Certainty
	}{
		{"only one side has it", trace.Ordinary, trace.State, trace.NotOff, 0, 20, Likely},
		{"more often", trace.Ordinary, trace.State, trace.NotOff, 4, 44, Likely},
		{"twice as often", trace.Ordinary, trace.State, trace.NotOff, 200, 400, Chance},
		{"a few times", trace.Ordinary, trace.State, trace.NotOff, 0, 4, Chance},
		{"off CPU", trace.Ordinary, trace.State, trace.Switched, 0, 20, Chance},
		{"a track of the runtime's", trace.AsyncTrack, trace.Event, trace.NotOff, 0, 20, Likely},
		{"an event in a thread", trace.Ordinary, trace.Event, trace.NotOff, 0, 20, Chance},
	} {
		_, _, r := compared(t, build(tt.on, tt.kind, tt.off, tt.a), build(tt.on, tt.kind, tt.off, tt.b))
		k := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Function == "phase" })
		if k < 0 || r.Findings[k].Certainty != tt.want {
			t.Errorf("%s: %+v", tt.name, r.Findings)
		}
	}
}

// TestPhasesOfTheWholeProgram holds that what the runtime does on one track for the whole program is
// told by how often, if that differs by more than chance, however long it takes; and not what it
// does on several tracks, as those of processors.
func TestPhasesOfTheWholeProgram(t *testing.T) {
	build := func(tracks, stays int, ns int64) *trace.Trace {
		b := trace.NewBuilder("test")
		b.Thread("main", -1).Complete(0, 1e9, b.Function(trace.Function{Name: "main"}))
		mark := b.Function(trace.Function{Name: "mark", Kind: trace.Event})
		for n := range tracks {
			th := b.Thread(fmt.Sprint("world", n), -1)
			th.SetKind(trace.AsyncTrack)
			for k := n; k < stays; k += tracks {
				th.Complete(int64(k)*6e6, int64(k)*6e6+ns, mark)
			}
		}
		return testtrace.Build(t, b)
	}
	for _, c := range []struct {
		tracks, stays int
		ns            int64
		want          string
	}{
		{1, 164, 4e6, "The runtime enters the state mark 164 times instead of 60, for 656 ms instead of 60.0 ms in all: +596 ms."},
		{1, 80, 4e6, ""}, {1, 20, 1e6, "The runtime enters the state mark 20 times instead of 60"},
		{2, 164, 4e6, ""},
	} {
		_, _, r := compared(t, build(c.tracks, 60, 1e6), build(c.tracks, c.stays, c.ns))
		k := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Kind == Called && f.Function == "mark" })
		if (k >= 0) != (c.want != "") || k >= 0 && !strings.HasPrefix(r.Findings[k].Sentence(), c.want) {
			t.Errorf("%+v: %+v", c, r.Findings)
		}
	}
}

// TestStatesFollowFromCalls holds that a state which threads are in less often, since a function
// that does input or output is called less often, follows from that; but not that other programs
// have their turn less often in a function that computes.
func TestStatesFollowFromCalls(t *testing.T) {
	build := func(block trace.BlockKind, saves int) *trace.Trace {
		b := trace.NewBuilder("test")
		th, now := b.Thread("1", -1), int64(0)
		fn := func(name string) trace.FuncID { return b.Function(trace.Function{Name: name}) }
		off := b.Function(trace.Function{Name: "off", Kind: trace.State, Off: trace.Switched})
		th.Begin(0, fn("main"))
		for k := range 80 {
			th.Complete(now, now+20_000, fn("step"))
			now += 20_000
			if k >= saves {
				continue
			}
			th.Begin(now, fn("save"))
			sync := th.Begin(now, fn("sync"))
			if block != 0 {
				th.Block(sync, block)
			}
			th.Complete(now+10, now+200_000+int64(k%7)*20_000, off)
			now += 400_000
			th.End(now)
			th.End(now)
		}
		th.End(now)
		return testtrace.Build(t, b)
	}
	for block, want := range map[trace.BlockKind]bool{trace.IO: true, 0: false} {
		_, _, r := compared(t, build(block, 40), build(block, 10))
		k := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Function == "off" })
		if k < 0 {
			t.Fatalf("nothing of the state: %+v", r.Findings)
		}
		f := &r.Findings[k]
		follows := f.Under >= 0 && r.Findings[f.Under].Function == "save"
		if follows != want || (f.Certainty != Chance) != want {
			t.Errorf("marked %v: %v, under %d", block, f.Certainty, f.Under)
		}
	}
}
