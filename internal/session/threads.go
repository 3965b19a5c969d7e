package session

import (
	"cmp"
	"math"
	"slices"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// ShowPair shows the i-th pair of threads alone.
func (s *Session) ShowPair(i int) {
	s.change(func(st *State) {
		st.Process, st.Current, st.Chosen = false, i, true
		st.retrack()
	})
}

// StepPair shows the pair of threads after (or, with −1, before) the current one.
func (s *Session) StepPair(step int) {
	if s.state.Pair == nil || len(s.state.Pair.Threads) == 0 {
		return
	}
	n := len(s.state.Pair.Threads)
	s.ShowPair(((s.state.Current+step)%n + n) % n)
}

// ShowProcess chooses between all threads and one pair.
func (s *Session) ShowProcess(all bool) {
	s.change(func(st *State) {
		st.Process = all
		st.retrack()
	})
	if s.state.Selected.OK {
		s.seek(s.state.Selected)
	}
}

// Repair pairs thread a of A with thread b of B, as the user asked, and shows them.
func (s *Session) Repair(a, b int) {
	if s.state.Pair == nil {
		return
	}
	p, dropped := s.state.Pair.Repair(a, b), 0
	side, thread := pair.A, a
	if a < 0 {
		side, thread = pair.B, b
	}
	s.change(func(st *State) { dropped = st.repair(p, p.Of(side, thread)) })
	s.tellDropped(dropped)
}

// repair takes over a pairing, shows the pair of threads with the given index, and returns how many
// anchors are dropped with their pairs.
func (st *State) repair(p *pair.Pair, current int) (dropped int) {
	was, here := st.Pair, st.ID
	st.Pair = p
	lines := newHeirs(was, p)
	st.eachPane(func() {
		if st.Current = max(lines.of(st.Current), 0); st.ID == here {
			st.Current, st.Chosen = current, true
		}
		st.retrack()
	})
	st.renewOwn(was, p)
	return st.rebind()
}

// retrack recomputes which threads the pane shows of each side.
func (st *State) retrack() {
	st.Scroll, st.Tracks, st.Quiet = [2]float32{}, [2][]int{}, [2]int{}
	if st.Process && st.Pair != nil {
		st.trackAll()
		return
	}
	for i := range st.Sides {
		switch {
		case st.Sides[i].Trace == nil:
		case st.Pair == nil:
			st.Tracks[i] = inOrder(st.Sides[i].Trace)
			if !st.Process && len(st.Tracks[i]) > 1 {
				st.Tracks[i] = st.Sides[i].mostCalls(st.Tracks[i])
			}
		case st.Current < len(st.Pair.Threads):
			if th := st.Pair.Threads[st.Current].On(pair.Side(i)); th >= 0 {
				st.Tracks[i] = []int{th}
			}
		}
	}
}

// busiest returns the pair of threads with the most pairs of calls, and so with the most to
// compare; of equal pairs, as those that have one side only, it is the one with the most calls.
// What executes the program comes before what only accompanies it.
func (st *State) busiest() int {
	best, most := 0, [3]int{-1}
	for i, t := range st.Pair.Threads {
		var n [2]int
		aside := false
		for _, side := range []pair.Side{pair.A, pair.B} {
			if th := t.On(side); th >= 0 {
				thread := st.Sides[side].Trace.Threads[th]
				n[side], aside = thread.Len(), aside || accompanies(thread)
			}
		}
		score := [3]int{0, n[pair.A] * n[pair.B], n[pair.A] + n[pair.B]}
		if !aside && score[2] > 0 {
			score[0] = 1
		}
		if slices.Compare(score[:], most[:]) > 0 {
			best, most = i, score
		}
	}
	return best
}

// mostCalls returns the one of some threads with the most calls, which is shown until threads are
// paired; what accompanies the program comes last, as in busiest.
func (s *Side) mostCalls(threads []int) []int {
	score := func(k int) int {
		t := s.Trace.Threads[k]
		if accompanies(t) {
			return t.Len() - math.MaxInt
		}
		return t.Len()
	}
	return []int{slices.MaxFunc(threads, func(x, y int) int { return cmp.Compare(score(x), score(y)) })}
}

// accompanies reports whether a thread executes nothing of the program: the runtime's own, such as
// Go's background sweeper, whose many short calls say little, and sums that a tool wrote.
func accompanies(t *trace.Thread) bool { return t.Kind == trace.Runtime || t.Kind == trace.Sums }

// inOrder lists a trace's threads as they are shown: by process, then as the recording asks, lanes
// after their thread, asynchronous lanes last.
func inOrder(t *trace.Trace) []int {
	order := make([]int, 0, len(t.Threads))
	for i, th := range t.Threads {
		if th.Len() > 0 {
			order = append(order, i)
		}
	}
	process := func(th *trace.Thread) int {
		if th.Process < 0 {
			return 0
		}
		return t.Processes[th.Process].Sort
	}
	slices.SortStableFunc(order, func(x, y int) int {
		a, b := t.Threads[x], t.Threads[y]
		return cmp.Or(cmp.Compare(process(a), process(b)), cmp.Compare(a.Process, b.Process),
			trueLast(!a.Runs(), !b.Runs()), cmp.Compare(a.Sort, b.Sort))
	})
	return order
}
