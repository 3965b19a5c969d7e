package table

import (
	"slices"

	"diptych/internal/pair"
	"diptych/internal/wait"
)

// Runs is how long threads waited in other runs of each side. Every run was compared with the one
// that the table is of, so that its waits are told by that run's threads and objects.
type Runs struct {
	ns     [2]map[threads][]int64 // by side: ns by run
	totals [2]map[int][]int64     // by side and thread: ns by run
	of     [2]int                 // runs of each side
}

// threads says who waited, who ended that, and for what: threads and object of the run shown; −1
// for none.
type threads struct{ waiter, releaser, object int32 }

// NewRuns returns no runs.
func NewRuns() *Runs {
	r := &Runs{}
	for sd := range r.ns {
		r.ns[sd], r.totals[sd] = map[threads][]int64{}, map[int][]int64{}
	}
	return r
}

// Add adds another run of a side: c compares the run shown, as side A, with it.
func (r *Runs) Add(side pair.Side, c *wait.Comparison) {
	k := r.of[side]
	r.of[side]++
	thread := func(line int32) int32 {
		if line < 0 {
			return -1
		}
		return int32(c.Pair.Threads[line].A)
	}
	for i := range c.Rows {
		row := &c.Rows[i]
		at := threads{thread(row.Waiter), thread(row.Releaser), -1}
		if row.Object >= 0 {
			at.object = c.Objects[row.Object].A
		}
		r.ns[side][at] = added(r.ns[side][at], k, row.WaitNs[pair.B])
	}
	for _, t := range c.Pair.Threads {
		if t.A >= 0 && t.B >= 0 {
			r.totals[side][t.A] = added(r.totals[side][t.A], k, c.Sides[pair.B].Threads[t.B].WaitNs)
		}
	}
}

// added adds a time of the k-th run to times by run, which run to it.
func added(list []int64, k int, ns int64) []int64 {
	if n := k + 1 - len(list); n > 0 {
		list = append(list, make([]int64, n)...)
	}
	list[k] += ns
	return list
}

// timesOf returns how long a plain row's waits took in the other runs, by side and run.
func (t *Table) timesOf(r *wait.Row) (times [2][]int64) {
	for sd := range times {
		if t.runs == nil || t.runs.of[sd] == 0 {
			continue
		}
		side, at := pair.Side(sd), threads{-1, -1, -1}
		at.waiter = int32(t.Pair.Threads[r.Waiter].On(side))
		if r.Releaser >= 0 {
			at.releaser = int32(t.Pair.Threads[r.Releaser].On(side))
		}
		if r.Object >= 0 {
			at.object = [2]int32{t.objects[r.Object].A, t.objects[r.Object].B}[sd]
		}
		times[sd] = make([]int64, t.runs.of[sd])
		if at.waiter >= 0 && (r.Releaser < 0) == (at.releaser < 0) && (r.Object < 0) == (at.object < 0) {
			copy(times[sd], t.runs.ns[sd][at])
		}
	}
	return times
}

// totalsOf returns how long a pair of threads waited in all in the other runs.
func (t *Table) totalsOf(p pair.ThreadPair) (times [2][]int64) {
	for sd := range times {
		if t.runs == nil || t.runs.of[sd] == 0 {
			continue
		}
		times[sd] = make([]int64, t.runs.of[sd])
		if th := p.On(pair.Side(sd)); th >= 0 {
			copy(times[sd], t.runs.totals[sd][th])
		}
	}
	return times
}

// Spread returns how far apart runs of one side are in how long such waits took: of the sides that
// have several runs, the one where they are further apart. ok is false if neither has.
func (r *Row) Spread() (ns int64, ok bool) {
	for _, side := range []pair.Side{pair.A, pair.B} {
		if least, most, several := r.Range(side); several {
			ns, ok = max(ns, most-least), true
		}
	}
	return ns, ok
}

// Range returns the least and the most that such waits took over all runs of a side; ok is false if
// there is only one run.
func (r *Row) Range(side pair.Side) (least, most int64, ok bool) {
	others := r.others[side]
	if len(others) == 0 {
		return 0, 0, false
	}
	own := r.WaitNs[side]
	return min(own, slices.Min(others)), max(own, slices.Max(others)), true
}
