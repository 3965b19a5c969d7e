package wait

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

func mustFind(t interface{ Fatal(...any) }, tr *trace.Trace) *Analysis {
	a, err := Find(context.Background(), tr, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// someTrace draws a small trace with much blocking: nested waits, several objects, equal times,
// stated correspondences, calls without an end, idle gaps that flows ended, pre-emption, threads of
// the runtime.
func someTrace(t *rapid.T) *trace.Trace {
	return testtrace.Shape{Threads: testtrace.Range{1, 4}, Records: testtrace.Range{0, 14},
		Start: testtrace.Range{0, 5}, Step: testtrace.Range{0, 3}, Objects: testtrace.Range{1, 4},
		Stated: true, Functions: []string{"work", "lock_mutex", "sem_wait", "cond_wait", "sem_post",
			"write", "pthread_join", "switch"}, Off: 1, Flows: testtrace.Range{0, 4},
		Runtime: true}.Draw(t, "trace")
}

// blocked is a marked call, as the plain definitions see it.
type blocked struct {
	trace.CallRef
	start, end int64
	objects    []trace.ObjectID
}

func marked(tr *trace.Trace, kind trace.BlockKind) []blocked {
	var out []blocked
	for t, th := range tr.Threads {
		for i := range th.Len() {
			for _, b := range th.BlocksOf(i) {
				if b.Kind == kind {
					out = append(out, blocked{trace.CallRef{Thread: int32(t), Call: int32(i)},
						th.Start(i), th.End(i), th.ObjectsIn(b.Objects)})
				}
			}
		}
	}
	return out
}

// pairOf is a correspondence as two calls; if idle is not 0, the wait is the gap before the call.
type pairOf struct {
	wait, release trace.CallRef
	idle          int64
}

func byPair(x, y pairOf) int {
	return cmp.Or(byCall(x.wait, y.wait), byCall(x.release, y.release), cmp.Compare(x.idle, y.idle))
}

// span returns when the wait began and ended.
func (p pairOf) span(tr *trace.Trace) (start, end int64) {
	th := tr.Threads[p.wait.Thread]
	if start = th.Start(int(p.wait.Call)); p.idle > 0 {
		return start - p.idle, start
	}
	return start, th.End(int(p.wait.Call))
}

// gapsOf returns the idle gaps of a thread that the trace says were waits, by the call after them.
func gapsOf(tr *trace.Trace, thread int) map[int32]int64 {
	out := map[int32]int64{}
	for _, c := range tr.Correspondences {
		if int(c.Wait.Thread) == thread && c.Idle > 0 {
			out[c.Wait.Call] = c.Idle
		}
	}
	return out
}

// corresponds is the definition in the comment of the package.
func corresponds(w, r blocked) bool {
	return w.Thread != r.Thread && w.start <= r.start && r.start <= w.end &&
		slices.ContainsFunc(w.objects, func(o trace.ObjectID) bool {
			return slices.Contains(r.objects, o)
		})
}

// plainPairs compares every wait with every release, and adds what is stated.
func plainPairs(tr *trace.Trace) []pairOf {
	var out []pairOf
	for _, w := range marked(tr, trace.Wait) {
		for _, r := range marked(tr, trace.Release) {
			if corresponds(w, r) {
				out = append(out, pairOf{w.CallRef, r.CallRef, 0})
			}
		}
	}
	derived := len(out)
	for _, c := range tr.Correspondences {
		if p := (pairOf{c.Wait, c.Release, c.Idle}); !slices.Contains(out[:derived], p) {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, byPair)
	return out
}

func (a *Analysis) pair(c Correspondence) pairOf {
	wait := trace.CallRef{Thread: a.Waits.Thread[c.Wait], Call: a.Waits.Call[c.Wait]}
	p := pairOf{wait: wait, release: c.Release}
	if a.Waits.Idle[c.Wait] {
		p.idle = a.Waits.Dur(c.Wait)
	}
	return p
}

// counts returns 1 for a wait that is part of totals, 0 for one of the runtime's own threads.
func counts(tr *trace.Trace, wait trace.CallRef) uint64 {
	if tr.Threads[wait.Thread].Kind == trace.Runtime {
		return 0
	}
	return 1
}

// TestCorrespondences holds counts and enumeration against the quadratic definition.
func TestCorrespondences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := someTrace(t)
		a := mustFind(t, tr)
		want := plainPairs(tr)
		var counted, stated uint64
		for _, p := range want {
			counted += counts(tr, p.wait)
		}
		for _, c := range tr.Correspondences {
			stated += counts(tr, c.Wait)
		}
		if a.Correspondences != counted || a.Stated != stated {
			t.Fatalf("%d correspondences, %d stated; want %d, %d", a.Correspondences, a.Stated,
				counted, stated)
		}
		all, err := FindAll(context.Background(), tr, nil)
		if err != nil || all.Correspondences != uint64(len(want)) {
			t.Fatalf("%d correspondences with the runtime's (%v), want %d", all.Correspondences, err,
				len(want))
		}
		var got []pairOf
		for w := range a.Waits.Len() {
			n := len(got)
			for c := range a.Of(w) {
				got = append(got, a.pair(c))
			}
			if int(a.Waits.Count[w]) != len(got)-n {
				t.Fatalf("wait %d: counted %d, found %d", w, a.Waits.Count[w], len(got)-n)
			}
		}
		slices.SortFunc(got, byPair)
		if !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

// TestWithin holds that a window shows the waits that touch it, and a release those it belongs to.
func TestWithin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := someTrace(t)
		a := mustFind(t, tr)
		from := int64(rapid.IntRange(0, 30).Draw(t, "from"))
		to := from + int64(rapid.IntRange(0, 10).Draw(t, "length"))
		var got, want []pairOf
		for n := range tr.Threads {
			for w := range a.WaitsIn(n, from, to) {
				for c := range a.Of(w) {
					got = append(got, a.pair(c))
				}
			}
		}
		for _, p := range plainPairs(tr) {
			if start, end := p.span(tr); start <= to && end >= from {
				want = append(want, p)
			}
		}
		slices.SortFunc(got, byPair)
		if !slices.Equal(got, want) {
			t.Fatalf("in [%d, %d]: got %v, want %v", from, to, got, want)
		}
		for _, r := range marked(tr, trace.Release) {
			got, want = nil, nil
			for w := range a.Released(r.CallRef) {
				got = append(got, a.pair(Correspondence{Wait: w, Release: r.CallRef}))
			}
			for _, p := range plainPairs(tr) {
				if p.release == r.CallRef {
					want = append(want, p)
				}
			}
			slices.SortFunc(got, byPair)
			if !slices.Equal(got, want) {
				t.Fatalf("released by %v: got %v, want %v", r.CallRef, got, want)
			}
		}
	})
}

// TestReach holds the first and last release moments of an aggregate against all its pairs.
func TestReach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := someTrace(t)
		a := mustFind(t, tr)
		for n, th := range tr.Threads {
			from := rapid.IntRange(0, th.Len()).Draw(t, "from")
			to := rapid.IntRange(from, th.Len()).Draw(t, "to")
			want := map[int32]Reach{}
			for w := range a.Waits.Len() {
				if int(a.Waits.Thread[w]) != n || int(a.Waits.Call[w]) < from ||
					int(a.Waits.Call[w]) >= to {
					continue
				}
				for c := range a.Of(w) {
					r, ok := want[c.Release.Thread]
					if !ok {
						r = Reach{c.Release.Thread, c.At, c.At}
					}
					r.add(c.At, c.At)
					want[c.Release.Thread] = r
				}
			}
			steps := math.MaxInt
			got, _ := a.Reach(n, from, to, &steps)
			for _, r := range got {
				if want[r.Thread] != r {
					t.Fatalf("got %v, want %v", got, want)
				}
			}
			if len(got) != len(want) {
				t.Fatalf("got %v, want %v", got, want)
			}
		}
	})
}

// TestEnding holds which release ended each wait against all its correspondences.
func TestEnding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := someTrace(t)
		a := mustFind(t, tr)
		for w := range a.Waits.Len() {
			call := trace.CallRef{Thread: a.Waits.Thread[w], Call: a.Waits.Call[w]}
			th := tr.Threads[call.Thread]
			_, end := th.Span()
			idle := a.Waits.Idle[w]
			endless := !idle && th.Flags(int(call.Call))&trace.Unclosed != 0 && a.Waits.End[w] == end
			stated := slices.ContainsFunc(tr.Correspondences, func(c trace.Correspondence) bool {
				return c.Wait == call && c.Idle > 0 == idle
			})
			var last *Correspondence
			for c := range a.Of(w) {
				if last == nil || !c.Stated && cmp.Or(cmp.Compare(c.At, last.At),
					byCall(c.Release, last.Release)) >= 0 {
					last = &c
				}
			}
			how, by := a.Waits.How[w], a.Waits.By[w]
			switch {
			case endless != (how == Unreleased):
				t.Fatalf("wait %d %s, endless %v", w, how, endless)
			case endless && by != nobody:
				t.Fatalf("wait %d never ends, but %v ends it", w, by)
			case !endless && stated && (how != Stated || !a.states(w)):
				t.Fatalf("wait %d is stated, but %s by %v", w, how, by)
			case endless || stated || last == nil:
			case how != Released || a.Waits.At[w] != last.At || by != last.Release:
				t.Fatalf("wait %d %s at %d by %v, want %v", w, how, a.Waits.At[w], by, last)
			}
		}
	})
}

// states reports whether the release that ended w is the last that the recording states.
func (a *Analysis) states(w int) bool {
	last := trace.Correspondence{At: -1}
	for _, c := range a.Trace.Correspondences {
		if a.Waits.Stated(&c) == w && c.At >= last.At {
			last = c
		}
	}
	return last.Release == a.Waits.By[w]
}

// TestTotals holds that no time is counted twice or lost.
func TestTotals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := someTrace(t)
		a := mustFind(t, tr)
		waited := make([]int64, len(tr.Threads))
		for _, e := range a.Edges {
			waited[e.Waiter] += e.WaitNs
		}
		var pairs, edges int64
		for _, e := range a.Edges {
			if e.Releaser >= 0 {
				edges += e.WaitNs
			}
		}
		for _, p := range a.Pairs {
			pairs += p.WaitNs
		}
		if pairs != edges {
			t.Fatalf("pairs come to %d, edges to %d", pairs, edges)
		}
		var unreleased uint64
		for n, th := range tr.Threads {
			sum, want := &a.Threads[n], int64(0)
			th.Children(-1, func(c int) bool {
				want += plainSpent(th, c, trace.Wait)
				return true
			})
			for _, idle := range gapsOf(tr, n) {
				want += idle
			}
			byEdges := want
			if th.Kind == trace.Runtime {
				byEdges = 0
			}
			if sum.WaitNs != want || waited[n] != byEdges {
				t.Fatalf("thread %d waits %d, by edges %d, want %d, %d", n, sum.WaitNs, waited[n],
					want, byEdges)
			}
			if want := plainPreempted(tr, th); sum.OffCPUNs != want {
				t.Fatalf("thread %d is without a processor for %d, want %d", n, sum.OffCPUNs, want)
			}
			if sum.Waits != sum.Released+sum.Passed+sum.Unreleased {
				t.Fatalf("thread %d: %+v", n, sum)
			}
			if th.Kind != trace.Runtime {
				unreleased += sum.Unreleased
			}
		}
		if unreleased != uint64(len(a.Unreleased)) {
			t.Fatalf("%d unreleased, want %d", unreleased, len(a.Unreleased))
		}
		plainObjects(t, a)
	})
}

// plainPreempted looks at every call without a processor, and adds up those that lie in no call
// that waits or does I/O, nor in another of their sort.
func plainPreempted(tr *trace.Trace, th *trace.Thread) (ns int64) {
	for i := range th.Len() {
		alone := tr.FunctionOf(th, i).Off != trace.NotOff
		for c := int32(i); c >= 0 && alone; c = th.Parent(int(c)) {
			alone = !slices.ContainsFunc(th.BlocksOf(int(c)), func(b trace.Block) bool {
				return b.Kind == trace.Wait || b.Kind == trace.IO
			})
			if c != int32(i) && tr.FunctionOf(th, int(c)).Off != trace.NotOff {
				alone = false
			}
		}
		if alone {
			ns += th.Dur(i)
		}
	}
	return ns
}

// plainObjects counts by object.
func plainObjects(t *rapid.T, a *Analysis) {
	for o, got := range a.Objects {
		var want ObjectTotal
		for kind, n := range map[trace.BlockKind]*uint64{
			trace.Wait: &want.Waits, trace.Release: &want.Releases, trace.IO: &want.IOs} {
			threads := map[int32]bool{}
			for _, b := range marked(a.Trace, kind) {
				if slices.Contains(b.objects, trace.ObjectID(o)) && counts(a.Trace, b.CallRef) > 0 {
					*n++
					threads[b.Thread] = true
				}
			}
			switch kind {
			case trace.Wait:
				want.Waiters = len(threads)
			case trace.Release:
				want.Releasers = len(threads)
			}
		}
		if got.Waits != want.Waits || got.Releases != want.Releases || got.IOs != want.IOs ||
			got.Waiters != want.Waiters || got.Releasers != want.Releasers {
			t.Fatalf("object %d: %+v, want %+v", o, got, want)
		}
	}
}
