package session

import (
	"diptych/internal/pair"
	"diptych/internal/wait"
)

// leastChange is what share of all that a side waited a change must be to stand out: of a thousand
// waits that last a microsecond most differ by far more than any threshold.
const leastChange = .03

// Changes tells which waits differ between two sides so much that they stand out.
type Changes struct {
	of    *wait.Comparison
	share float64
	least int64 // ns
	// Pairs are the pairs of threads that waited for each other in another way, as a waiter and a
	// releaser: by side, indices into its trace's threads.
	Pairs [2]map[[2]int]bool
	// Count is how many pairs of threads those are, of All.
	Count, All int
}

// newChanges looks for what changed by more than a threshold, in percent.
func newChanges(c *wait.Comparison, threshold int) *Changes {
	ch := &Changes{of: c, share: float64(threshold) / 100, All: len(c.Pairs)}
	var total [2]int64
	for k := range c.Pairs {
		for s, ns := range c.Pairs[k].WaitNs {
			total[s] += ns
		}
	}
	ch.least = int64(leastChange * float64(max(total[pair.A], total[pair.B])))
	ch.Pairs = [2]map[[2]int]bool{{}, {}}
	for k := range c.Pairs {
		r := &c.Pairs[k]
		if !ch.StandsOut(r) {
			continue
		}
		ch.Count++
		for s := range ch.Pairs {
			w := c.Pair.Threads[r.Waiter].On(pair.Side(s))
			by := c.Pair.Threads[r.Releaser].On(pair.Side(s))
			if w >= 0 && by >= 0 {
				ch.Pairs[s][[2]int{w, by}] = true
			}
		}
	}
	return ch
}

// StandsOut reports whether waits differ so much.
func (c *Changes) StandsOut(r *wait.Row) bool {
	d := r.Delta()
	return r.Changed(c.share) && max(d, -d) >= c.least
}

// focusWaits moves the threads to the middle that ended the most waits and waited most often
// themselves, unless the user has chosen others: those with the most calls, which are there at
// first, may neither wait nor be waited for.
func (st *State) focusWaits() {
	if st.View != Threads || st.Pair == nil || st.Chosen || st.Selected.OK {
		return
	}
	counts := [2][]uint64{ended(st.WaitsOf(pair.A)), ended(st.WaitsOf(pair.B))}
	best, most := st.Current, uint64(0)
	for k, p := range st.Pair.Threads {
		n, sides := uint64(0), 0
		for s, count := range counts {
			if th := p.On(pair.Side(s)); th >= 0 && count != nil && count[th] > 0 {
				n += count[th]
				sides++
			}
		}
		if n > most && (sides == 2 || !st.Both()) {
			best, most = k, n
		}
	}
	st.turnTo(best)
}

// leaveWaits goes back from the threads that focusWaits moved to the middle to those that other
// views showed before, so a look at who waits on whom changes nothing there.
func (st *State) leaveWaits() {
	if st.Pair != nil && !st.Chosen && !st.Selected.OK {
		st.turnTo(st.busiest())
	}
}

// turnTo makes another pair of threads the current one, for which the user did not ask. All threads
// stay where they are, if all are shown.
func (st *State) turnTo(line int) {
	if line == st.Current {
		return
	}
	if st.Current = line; !st.Process {
		st.retrack()
	}
}

// ended counts, by thread, the waits in which it waited for another, or another for it. What only
// stands for the outside, and has calls of no length alone, has none.
func ended(a *wait.Analysis) []uint64 {
	if a == nil {
		return nil
	}
	n := make([]uint64, len(a.Threads))
	for _, p := range a.Pairs {
		for _, th := range []int32{p.Waiter, p.Releaser} {
			if t := &a.Threads[th]; t.EndNs > t.StartNs {
				n[th] += p.Count
			}
		}
	}
	return n
}
