package wait

import (
	"cmp"
	"context"
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
// stated correspondences, calls without an end.
func someTrace(t *rapid.T) *trace.Trace {
	return testtrace.Shape{Threads: testtrace.Range{1, 4}, Records: testtrace.Range{0, 14},
		Start: testtrace.Range{0, 5}, Step: testtrace.Range{0, 3}, Objects: testtrace.Range{1, 4},
		Stated: true, Functions: []string{"work", "lock_mutex", "sem_wait", "cond_wait", "sem_post",
			"write", "pthread_join"}}.Draw(t, "trace")
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
						th.Start[i], th.End[i], b.Objects})
				}
			}
		}
	}
	return out
}

// pairOf is a correspondence as two calls.
type pairOf struct{ wait, release trace.CallRef }

func byPair(x, y pairOf) int {
	return cmp.Or(byCall(x.wait, y.wait), byCall(x.release, y.release))
}

// corresponds is the definition of DESIGN §7.
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
				out = append(out, pairOf{w.CallRef, r.CallRef})
			}
		}
	}
	derived := len(out)
	for _, c := range tr.Correspondences {
		if p := (pairOf{c.Wait, c.Release}); !slices.Contains(out[:derived], p) {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, byPair)
	return out
}

func (a *Analysis) pair(c Correspondence) pairOf {
	wait := trace.CallRef{Thread: a.Waits.Thread[c.Wait], Call: a.Waits.Call[c.Wait]}
	return pairOf{wait, c.Release}
}

// TestCorrespondences holds counts and enumeration against the quadratic definition.
func TestCorrespondences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := someTrace(t)
		a := mustFind(t, tr)
		want := plainPairs(tr)
		if a.Correspondences != uint64(len(want)) || a.Stated != uint64(len(tr.Correspondences)) {
			t.Fatalf("%d correspondences, %d stated; want %d, %d", a.Correspondences, a.Stated,
				len(want), len(tr.Correspondences))
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
			for c := range a.Within(n, from, to) {
				got = append(got, a.pair(c))
			}
		}
		for _, p := range plainPairs(tr) {
			th := tr.Threads[p.wait.Thread]
			if th.Start[p.wait.Call] <= to && th.End[p.wait.Call] >= from {
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
			got := a.Reach(n, from, to)
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
			endless := th.Flags(int(call.Call))&trace.Unclosed != 0 && a.Waits.End[w] == end
			stated := slices.ContainsFunc(tr.Correspondences, func(c trace.Correspondence) bool {
				return c.Wait == call
			})
			var last *Correspondence
			for c := range a.Of(w) {
				if last == nil || !c.Stated && c.At >= last.At {
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
			case how != Released || a.Waits.At[w] != last.At:
				t.Fatalf("wait %d %s at %d, want %v", w, how, a.Waits.At[w], last)
			}
		}
	})
}

// states reports whether the release that ended w is the last that the recording states.
func (a *Analysis) states(w int) bool {
	last := trace.Correspondence{At: -1}
	for _, c := range a.Trace.Correspondences {
		if a.Waits.Find(c.Wait) == w && c.At >= last.At {
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
			if sum.WaitNs != want || waited[n] != want {
				t.Fatalf("thread %d waits %d, by edges %d, want %d", n, sum.WaitNs, waited[n], want)
			}
			if sum.Waits != sum.Released+sum.Passed+sum.Unreleased {
				t.Fatalf("thread %d: %+v", n, sum)
			}
			unreleased += sum.Unreleased
		}
		if unreleased != uint64(len(a.Unreleased)) {
			t.Fatalf("%d unreleased, want %d", unreleased, len(a.Unreleased))
		}
		plainObjects(t, a)
	})
}

// plainObjects counts by object.
func plainObjects(t *rapid.T, a *Analysis) {
	for o, got := range a.Objects {
		var want ObjectTotal
		for kind, n := range map[trace.BlockKind]*uint64{
			trace.Wait: &want.Waits, trace.Release: &want.Releases, trace.IO: &want.IOs} {
			threads := map[int32]bool{}
			for _, b := range marked(a.Trace, kind) {
				if slices.Contains(b.objects, trace.ObjectID(o)) {
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
