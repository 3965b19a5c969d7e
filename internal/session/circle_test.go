package session

import (
	"context"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
	"diptych/internal/wait"
)

// queues returns a session that shows the threads of two runs of one program.
func queues(t testing.TB) *Session {
	t.Helper()
	s := New(func() {})
	for k, file := range []string{"queue-2p2c.data.tar.gz", "queue-1p3c.data.tar.gz"} {
		path := "../../testdata/uftrace/" + file
		tr, err := traceio.Load(context.Background(), path, input.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s.Put(pair.Side(k), path, tr)
	}
	settled(s)
	s.SetView(Threads)
	settled(s)
	return s
}

func TestWaitsAreFoundOnceThreadsAreShown(t *testing.T) {
	s := queues(t)
	st := s.State()
	if st.WaitsOf(pair.A) == nil || st.WaitsOf(pair.B) == nil || st.ComparedWaits() == nil {
		t.Fatalf("%+v", st.Waits)
	}
	a, b := st.Waits.Sides[pair.A], st.Waits.Sides[pair.B]
	ready := func(x, y *wait.Analysis) {
		t.Helper()
		st := s.State()
		if p := st.PreparedThreads(); p == nil || p.Pair != st.Pair ||
			p.Sides != [2]*wait.Analysis{x, y} {
			t.Errorf("the threads are prepared for %v", p)
		}
		if l := st.WaitTable(); l == nil || l.Pair != st.Pair || l.Sides != [2]*wait.Analysis{x, y} {
			t.Errorf("the table of waits is of %v", l)
		}
	}
	ready(a, b)
	s.Swap()
	settled(s)
	ready(b, a)
	if w := s.State().Waits; w.Sides != [2]*wait.Analysis{b, a} || s.State().ComparedWaits() == nil {
		t.Error("exchanged sides are not taken over")
	}
	s.Put(pair.B, "b", small(t, 0))
	settled(s)
	if st := s.State(); st.WaitsOf(pair.A) != b || st.WaitsOf(pair.B) == a ||
		st.WaitsOf(pair.B).Trace != st.Sides[pair.B].Trace || st.ComparedWaits() == nil {
		t.Error("another trace does not get waits of its own")
	}
	s.Close()
	if st := s.State(); st.WaitsOf(pair.A) != nil || st.Circle() == nil {
		t.Error("what is closed has waits")
	}
}

func TestNothingIsComparedWhileThreadsAreShown(t *testing.T) {
	s := queues(t)
	found := s.State().Found
	s.FocusLine((s.State().Current + 1) % len(s.State().Pair.Threads))
	settled(s)
	if s.State().Found != nil {
		t.Error("what was found of other threads is kept, or made anew")
	}
	s.SetView(Matches)
	settled(s)
	if f := s.State().Found; f == nil || f == found || f.Ladder == nil {
		t.Error("matches are not found in the end")
	}
}

func TestMiddleIsWhereThreadsWait(t *testing.T) {
	s := queues(t)
	st := s.State()
	counts := [2][]uint64{ended(st.WaitsOf(pair.A)), ended(st.WaitsOf(pair.B))}
	sum := func(line int) (n uint64) {
		p := st.Pair.Threads[line]
		if p.A < 0 || p.B < 0 {
			return 0
		}
		return counts[pair.A][p.A] + counts[pair.B][p.B]
	}
	for k := range st.Pair.Threads {
		if sum(k) > sum(st.Current) {
			t.Errorf("pair %d waits or is waited for more often than %d", k, st.Current)
		}
	}
	before := st.busiest()
	elsewhere := func() { // as where other threads wait than have the most calls
		s.state.Current = (before + 1) % len(st.Pair.Threads)
		s.state.retrack()
	}
	elsewhere()
	s.SetView(Matches)
	if tracks := s.State().Tracks[pair.A]; s.State().Current != before || tracks[0] != st.Pair.Threads[before].A {
		t.Errorf("after a look at the threads, matches show %d, threads %v, instead of %d", s.State().Current, tracks, before)
	}
	s.ShowProcess(true)
	elsewhere()
	s.Scroll(pair.A, 5)
	scroll := s.State().Scroll
	s.SetView(Threads)
	s.SetView(Matches)
	if s.State().Scroll != scroll {
		t.Errorf("after a look at the threads all threads are scrolled to %v instead of %v", s.State().Scroll, scroll)
	}
	s = queues(t)
	other := (s.State().Current + 1) % len(st.Pair.Threads)
	s.ShowPair(other)
	s.SetView(Matches)
	s.SetView(Threads)
	s.Compare()
	settled(s)
	if s.State().Current != other {
		t.Error("what the user has chosen does not stay in the middle")
	}
}

// TestMiddleIsNotTheRuntime shows a thread of the program where timers, which the language's runtime
// runs, end more waits than any such thread has.
func TestMiddleIsNotTheRuntime(t *testing.T) {
	s := New(func() {})
	for _, side := range [2]pair.Side{pair.A, pair.B} {
		b := trace.NewBuilder("timers")
		fn := func(name string) trace.FuncID { return b.Function(trace.Function{Name: name}) }
		sleeps, fires := fn("sleep"), fn("fire")
		runtime, timer := b.Thread("runtime", -1), b.Object("timer")
		runtime.SetKind(trace.Runtime)
		runtime.Begin(0, fn("run"))
		for k, name := range []string{"often", "once"} {
			th, from := b.Thread(name, -1), int64(k)*1000
			for n := range []int{10, 1}[k] {
				at := from + int64(n)*100
				th.Block(th.Complete(at, at+60, sleeps), trace.Wait, timer)
				runtime.Block(runtime.Complete(at+50, at+55, fires), trace.Release, timer)
			}
		}
		runtime.End(2000)
		s.Put(side, "timers", testtrace.Build(t, b))
	}
	settled(s)
	s.SetView(Threads)
	settled(s)
	st := s.State()
	if th := st.Pair.Threads[st.Current].On(pair.A); st.Pair.A.Threads[th].Name != "often" {
		t.Errorf("in the middle is %+v", st.Pair.A.Threads[th].Name)
	}
}

func TestFocusedThreadsExchangePlaces(t *testing.T) {
	s := queues(t)
	st := s.State()
	n := len(st.Pair.Threads)
	was, line := st.Current, (st.Current+2)%n
	focus := st.foci()
	s.FocusLine(line)
	st = s.State()
	if st.Current != line || st.foci() != focus {
		t.Errorf("in the middle is %d, in sight %v", st.Current, st.foci())
	}
	order := st.Circle().order(n)
	if i := slices.Index(order, was); order[line] != was || order[was] != line || i != line {
		t.Errorf("the order is %v", order)
	}
	s.Back()
	if s.State().Current != was {
		t.Error("there is no way back")
	}
}

func TestShowWaitsFillsHalfOfTheView(t *testing.T) {
	s := queues(t)
	for _, side := range []pair.Side{pair.A, pair.B} {
		a := s.State().WaitsOf(side)
		w := 0
		for k := range a.Waits.Len() {
			if a.Waits.Outermost(k) && a.Waits.Dur(k) > a.Waits.Dur(w) {
				w = k
			}
		}
		waits := [2]int{none, none}
		waits[side] = w
		s.ViewThread(side, int(a.Waits.Thread[w]), geom.Span{Start: 0, End: 1000})
		s.ShowWaits(waits)
		settled(s)
		st := s.State()
		line := st.Pair.Of(side, int(a.Waits.Thread[w]))
		want := float64(2 * a.Waits.Dur(w))
		if st.Current != line || a.Waits.Find(st.Selected.Ref) != w || len(st.Circle().Views[side]) > 0 {
			t.Errorf("%s: line %d is in the middle, selected is %+v", side, st.Current, st.Selected)
		}
		if f := st.Sides[side].Focus; f.Len() > want || f.Len() < want/2 {
			t.Errorf("%s: in sight are %v ns, want up to %v", side, f.Len(), want)
		}
	}
	s.ShowWaits([2]int{none, none}) // nothing to show
}

// TestCircleFollowsThePairing checks against a plain translation that what is said of threads stays
// with them when they are paired otherwise or their sides are exchanged.
func TestCircleFollowsThePairing(t *testing.T) {
	s := queues(t)
	p := s.State().Pair
	turned := pair.New(p.B, p.A, pair.Rules{})
	n := len(p.Threads)
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfDistinct(rapid.IntRange(0, n-1), rapid.ID[int])
		c := &Circle{Order: lines.Draw(t, "order")}
		for k := range n {
			if rapid.Bool().Draw(t, "hidden") {
				c.Hidden = with(c.Hidden, k, true)
			}
		}
		a := rapid.IntRange(0, len(p.A.Threads)-1).Draw(t, "a")
		b := rapid.IntRange(0, len(p.B.Threads)-1).Draw(t, "b")
		c.Views[pair.A] = map[int]geom.Span{a: {Start: 1, End: 2}}
		for _, q := range []*pair.Pair{p.Repair(a, b), turned, p} {
			now := c.Renew(p, q).(*Circle)
			swapped := q.A != p.A
			hidden := map[int]bool{}
			for k := range c.Hidden {
				side, th := pair.A, p.Threads[k].A
				if th < 0 {
					side, th = pair.B, p.Threads[k].B
				}
				if swapped {
					side = side.Other()
				}
				hidden[q.Of(side, th)] = true
			}
			if !maps.Equal(now.Hidden, hidden) {
				t.Errorf("hidden are %v, want %v", now.Hidden, hidden)
			}
			side := pair.A
			if swapped {
				side = pair.B
			}
			if now.Views[side][a] != c.Views[pair.A][a] {
				t.Errorf("a thread does not keep what it shows: %+v", now.Views)
			}
			order := now.order(len(q.Threads))
			slices.Sort(order)
			for k := range order {
				if order[k] != k {
					t.Fatalf("the order %v is not one of all", order)
				}
			}
		}
	})
}

// TestWaitStyle: shares have limits, and what changes nothing makes no new state.
func TestWaitStyle(t *testing.T) {
	s := New(func() {})
	s.SetWaitStyle(func(w *WaitStyle) { w.Split, w.Zero, w.Threshold = 2, -1, 101 })
	st := s.State()
	if w := st.WaitStyle; w.Split != 1 || w.Zero != 0 || w.Threshold != 100 {
		t.Errorf("%+v", w)
	}
	s.SetWaitStyle(func(w *WaitStyle) { w.Split = 3 })
	if rev := s.State().Rev; rev != st.Rev {
		t.Errorf("revision %d follows %d", rev, st.Rev)
	}
}

// TestAStretchIsShown: its thread comes to the middle, no thread shows another time than it, and it
// fills half of what is in sight.
func TestAStretchIsShown(t *testing.T) {
	s := queues(t)
	s.SetStill(true)
	for _, lock := range []Lock{Free, FromStart} {
		s.SetLock(lock, pair.A)
		path := s.State().CriticalPath(pair.A)
		k := len(path.Segments) / 2
		at := path.Segments[k]
		for th := range len(s.State().Pair.A.Threads) {
			s.ViewThread(pair.A, th, geom.Span{End: 1e6})
		}
		other := s.State().Sides[pair.B].Focus
		s.ShowStretch(pair.A, k)
		st := s.State()
		if st.Stretch(pair.A) != k || st.Pair.Threads[st.Current].On(pair.A) != int(at.Thread) ||
			len(st.Circle().Views[pair.A]) > 0 || !st.WaitStyle.Critical {
			t.Errorf("%v: stretch %d, thread pair %d, %+v", lock, st.Stretch(pair.A), st.Current, st.Circle())
		}
		if f := st.Sides[pair.A].Focus; f.Start > float64(at.From) || f.End < float64(at.To) ||
			f.Len() > 2*float64(at.To-at.From)+2*minFocus {
			t.Errorf("%v: %v is in sight of a stretch from %d to %d", lock, f, at.From, at.To)
		}
		if stays := st.Sides[pair.B].Focus == other; stays != (lock == Free) {
			t.Errorf("%v: the other side stays: %v", lock, stays)
		}
		s.ShowStretch(pair.A, len(path.Segments))
		if rev := s.State().Rev; rev != st.Rev {
			t.Errorf("a stretch that is not there makes revision %d of %d", rev, st.Rev)
		}
	}
}

func TestChangesNeedMoreThanAShare(t *testing.T) {
	c := queues(t).State().ComparedWaits()
	var total [2]int64
	for k := range c.Pairs {
		for s := range total {
			total[s] += c.Pairs[k].WaitNs[s]
		}
	}
	for _, threshold := range []int{0, 25, 100} {
		ch, n := newChanges(c, threshold), 0
		for k := range c.Pairs {
			r := &c.Pairs[k]
			d := r.Delta()
			want := r.Changed(float64(threshold)/100) &&
				float64(max(d, -d)) >= float64(int64(leastChange*float64(max(total[0], total[1]))))
			if ch.StandsOut(r) != want {
				t.Errorf("%d %%: %+v stands out: %v", threshold, r, !want)
			}
			if want {
				n++
			}
		}
		if ch.Count != n || ch.All != len(c.Pairs) {
			t.Errorf("%d of %d, want %d of %d", ch.Count, ch.All, n, len(c.Pairs))
		}
	}
}
