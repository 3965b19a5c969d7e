package session

import (
	"diptych/internal/pair"
	"diptych/internal/wait"
)

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

// ended counts, by thread, the waits in which it waited for another, or another for it. What stands
// for the outside world, whose calls all have length 0, has a count of 0, and so has what
// accompanies the program, such as the timers of Go's runtime, which end each sleep.
func ended(a *wait.Analysis) []uint64 {
	if a == nil {
		return nil
	}
	n := make([]uint64, len(a.Threads))
	for _, p := range a.Pairs {
		for _, th := range []int32{p.Waiter, p.Releaser} {
			if t := &a.Threads[th]; t.EndNs > t.StartNs && !accompanies(a.Trace.Threads[th]) {
				n[th] += p.Count
			}
		}
	}
	return n
}
