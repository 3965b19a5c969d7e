package account

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sort"

	"diptych/internal/trace"
	"diptych/internal/wait"
)

// The way is what the elapsed time goes along: for each moment from the recording's first event to
// its last one thread, or none. It is the critical path if some wait is known. The critical path
// may begin late, at a thread that nobody is known to have started; and a recording may know no
// waits at all. The stretches that are left are filled: first with the thread that lasts longest in
// them; then, what that leaves, from the end back, each time with the thread that leads furthest
// back. Where no thread is, nothing runs, and the time is idle.
//
// On the axis of a profile nothing comes before anything else, and what its threads hold adds up:
// so its way goes along each of them from its beginning to its end, and is as long as all together.
//
// The way runs on threads that count alone. The runtime's own threads last as long as the process
// and mostly wait for work: if a thread waits for one of them, the wait itself is on the way.

// stretch is a stretch of the way. Thread is −1 where no thread is.
type stretch struct {
	thread   int32
	from, to int64 // ns
}

// findWay returns the way through a trace, in order of time, without gaps; of a profile, thread by
// thread.
func findWay(ctx context.Context, w *wait.Analysis, threads []Thread) ([]stretch, error) {
	f := filler{}
	for i, th := range threads {
		if th.Counts && th.EndNs > th.StartNs {
			f.spans = append(f.spans, stretch{int32(i), th.StartNs, th.EndNs})
		}
	}
	if w.Trace.Kind == trace.Profile {
		return f.spans, nil
	}
	slices.SortStableFunc(f.spans, func(x, y stretch) int { return cmp.Compare(y.to, x.to) })
	var way []stretch
	now := int64(0)
	if w.Ended > 0 || w.HasParts() {
		path, err := ofProgram(w, threads).CriticalPath(ctx)
		if err != nil {
			return nil, err
		}
		for _, s := range path.Segments {
			// A thread that started another may have ended before that one began.
			from := max(now, s.From, w.Threads[s.Thread].StartNs)
			to := min(s.To, w.Threads[s.Thread].EndNs)
			if to <= from {
				continue
			}
			way = append(f.fill(way, now, from), stretch{s.Thread, from, to})
			now = to
		}
	}
	return f.fill(way, now, w.Trace.Duration), ctx.Err()
}

// ofProgram returns an analysis whose critical path runs on threads that may be used alone: as far
// as it knows, the others neither run nor release anything.
func ofProgram(w *wait.Analysis, threads []Thread) *wait.Analysis {
	t, a := *w.Trace, *w
	t.Threads = slices.Clone(t.Threads)
	for i, th := range t.Threads {
		if th.Runs() && !threads[i].Counts {
			aside := *th
			aside.Kind = trace.AsyncTrack
			t.Threads[i] = &aside
		}
	}
	a.Waits.By = slices.Clone(a.Waits.By)
	for i, by := range a.Waits.By {
		if by.Thread >= 0 && !threads[by.Thread].Counts {
			a.Waits.By[i] = trace.CallRef{Thread: -1, Call: -1}
		}
	}
	a.Trace = &t
	return &a
}

// filler fills stretches of time with threads.
type filler struct {
	spans []stretch // of the threads, the last end first
}

// fill appends the way through a stretch of time.
func (f *filler) fill(way []stretch, from, to int64) []stretch {
	if to <= from {
		return way
	}
	longest := stretch{from: to, to: to}
	for _, s := range f.spans {
		s.from, s.to = max(s.from, from), min(s.to, to)
		if d := (s.to - s.from) - (longest.to - longest.from); d > 0 ||
			d == 0 && s.to > s.from && s.thread < longest.thread {
			longest = s
		}
	}
	if longest.to == longest.from {
		return f.goBack(way, from, to)
	}
	way = f.goBack(way, from, longest.from)
	return f.goBack(append(way, longest), longest.to, to)
}

// goBack appends the way through a stretch of time, found from its end.
func (f *filler) goBack(way []stretch, from, to int64) []stretch {
	first := len(way)
	best := stretch{thread: -1, from: to}
	for k := 0; to > from; {
		for ; k < len(f.spans) && f.spans[k].to >= to; k++ {
			if f.spans[k].from < best.from {
				best = f.spans[k]
			}
		}
		s := stretch{best.thread, max(best.from, from), to}
		if best.from >= to { // no thread is there
			s = stretch{-1, from, to}
			if k < len(f.spans) {
				s.from = max(from, f.spans[k].to)
			}
		}
		way, to = append(way, s), s.from
	}
	slices.Reverse(way[first:])
	return way
}

// byThread sorts the stretches of a way by thread; those without a thread are summed up.
func byThread(way []stretch, threads int) (of [][]stretch, nobody int64) {
	of = make([][]stretch, threads)
	for _, s := range way {
		if s.thread < 0 {
			nobody += s.to - s.from
		} else {
			of[s.thread] = append(of[s.thread], s)
		}
	}
	return of, nobody
}

// clock runs only while the elapsed time goes along a thread. It is asked for stretches of time in
// order of their beginnings.
type clock struct {
	way  []stretch // in order of time
	past []int64   // ns, by stretch of the way: the length of those before
	next int       // the first stretch of the way that is not over where the last one begins
	from int64     // of that one; after the last, later than all times
	to   int64
}

// never is the past of a clock that does not run.
var never [1]int64

func newClock(way []stretch) clock {
	if len(way) == 0 {
		return clock{past: never[:], from: math.MaxInt64, to: math.MaxInt64}
	}
	c := clock{way: way, past: make([]int64, len(way)+1)}
	for k, w := range way {
		c.past[k+1] = c.past[k] + w.to - w.from
	}
	c.show()
	return c
}

// between returns how much of the time from one moment to another is on the way, ns.
func (c *clock) between(from, to int64) int64 {
	if from >= c.to || to > c.to {
		return c.across(from, to)
	}
	return max(to-max(from, c.from), 0)
}

// across is between where the way has a border in between.
func (c *clock) across(from, to int64) int64 {
	for from >= c.to {
		c.next++
		c.show()
	}
	return c.until(to) - c.until(from)
}

// until returns how long the way is up to a moment that is not before the stretch shown, ns.
func (c *clock) until(ns int64) int64 {
	k := c.next + sort.Search(len(c.way)-c.next, func(k int) bool { return c.way[c.next+k].to > ns })
	if k == len(c.way) {
		return c.past[k]
	}
	return c.past[k] + max(ns-c.way[k].from, 0)
}

// show makes a stretch of the way the present one.
func (c *clock) show() {
	c.from, c.to = math.MaxInt64, math.MaxInt64
	if c.next < len(c.way) {
		c.from, c.to = c.way[c.next].from, c.way[c.next].to
	}
}
