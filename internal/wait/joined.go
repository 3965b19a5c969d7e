package wait

import (
	"cmp"
	"slices"

	"diptych/internal/trace"
)

// adoptJoins says what ended waits that join a thread: the last end of a thread of the same process
// within the wait. Which thread its object means a recording does not say, but a join that blocks
// returns as soon as that thread has ended. Such an end is no correspondence: no call releases.
func (a *Analysis) adoptJoins() {
	var ends []int32 // threads by end
	for t, th := range a.Trace.Threads {
		if th.Len() > 0 && th.Lane == 0 && th.Runs() {
			ends = append(ends, int32(t))
		}
	}
	slices.SortStableFunc(ends, func(x, y int32) int {
		return cmp.Compare(a.Threads[x].EndNs, a.Threads[y].EndNs)
	})
	ws := &a.Waits
	joins := map[trace.FuncID]bool{}
	for w := range ws.Len() {
		if ws.How[w] != Passed || !a.joins(joins, w) {
			continue
		}
		k, _ := slices.BinarySearchFunc(ends, ws.End[w]+1, func(t int32, at int64) int {
			return cmp.Compare(a.Threads[t].EndNs, at)
		})
		for k--; k >= 0 && a.Threads[ends[k]].EndNs >= ws.Start[w]; k-- {
			if t := ends[k]; t != ws.Thread[w] && a.sameProcess(t, ws.Thread[w]) {
				ws.How[w], ws.By[w] = Joined, trace.CallRef{Thread: t, Call: -1}
				ws.At[w] = a.Threads[t].EndNs
				break
			}
		}
	}
}

// joins reports whether wait w is a call that joins threads; known remembers functions.
func (a *Analysis) joins(known map[trace.FuncID]bool, w int) bool {
	th := a.Trace.Threads[a.Waits.Thread[w]]
	fn := th.Fn[a.Waits.Call[w]]
	yes, ok := known[fn]
	if !ok {
		yes = operatesOn(a.Trace.Functions[fn].Name) == Joinable
		known[fn] = yes
	}
	return yes
}

func (a *Analysis) sameProcess(x, y int32) bool {
	return a.Trace.Threads[x].Process == a.Trace.Threads[y].Process
}
