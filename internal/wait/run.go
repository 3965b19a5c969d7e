package wait

// ActivityIn is Activity for a run of siblings with all that they called, the calls [from, to) of a
// thread: shares are of the time from the first's start to the last's end.
func (a *Analysis) ActivityIn(thread, from, to int) (Activity, float64) {
	if from == to {
		return Busy, 0
	}
	th := a.Trace.Threads[thread]
	last := to - 1
	for th.Parent[last] != th.Parent[from] {
		last = int(th.Parent[last])
	}
	return a.activity(thread, from, to, th.End[last]-th.Start[from])
}
