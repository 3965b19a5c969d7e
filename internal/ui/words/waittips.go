package words

import (
	"cmp"
	"slices"

	"diptych/internal/scene/threads"
	"diptych/internal/trace"
	"diptych/internal/ui/kit"
	"diptych/internal/wait"
	"diptych/internal/wait/table"
)

// CallTip is what the tooltip says of a call or of a run of narrow ones.
func CallTip(a *wait.Analysis, h *threads.Hit) []string {
	th, fn := a.Trace.Threads[h.Thread], a.Trace.FunctionOf(a.Trace.Threads[h.Thread], h.Call)
	lines := []string{fn.Name, TimeText(a, th.Dur(h.Call)) + " at " + TimeText(a, th.Start(h.Call)) +
		"  ·  " + ThreadText(a, h.Thread), sharesText(a, h.Thread, h.Call)}
	ref := h.Ref()
	if w := a.Waits.Find(ref); w >= 0 {
		lines = append(lines, waitText(a, w), endText(a, w))
		if held := heldText(a, w); held != "" {
			lines = append(lines, held)
		}
		if chain := chainText(a, w); chain != "" {
			lines = append(lines, chain)
		}
	} else {
		for _, b := range th.BlocksOf(h.Call) {
			lines = append(lines, Blocking(a.Trace, th, b))
		}
		if a.Releases.Find(ref) >= 0 {
			lines = append(lines, releasedText(a, ref))
		}
	}
	if h.Aggregate && h.To-h.From > 1 {
		lines = append(lines, kit.Grouped(h.To-h.From)+" calls here are too narrow to draw; zoom in")
	}
	return lines
}

// sharesText tells what share of a call's time was spent waiting, and in input and output.
func sharesText(a *wait.Analysis, thread, call int) string {
	dur := float64(max(a.Trace.Threads[thread].Dur(call), 1))
	return "waiting " + kit.Percent(float64(a.Spent(thread, call, trace.Wait))/dur) +
		"  ·  I/O " + kit.Percent(float64(a.Spent(thread, call, trace.IO))/dur)
}

// telling is the least share of a wait that the releasing thread must itself have waited meanwhile
// for the tooltip to mention it.
const telling = .01

// chainText tells what the releasing thread waited for meanwhile, if that explains the wait.
func chainText(a *wait.Analysis, w int) string {
	chain := a.Chain(w, 2)
	if len(chain) < 2 {
		return ""
	}
	next := chain[1]
	if took := next.To - next.From; took <= 0 || float64(took) < telling*float64(a.Waits.Dur(w)) {
		return ""
	}
	text := "which itself waited " + TimeText(a, next.To-next.From)
	if by := a.Waits.By[next.Wait]; by.Thread >= 0 {
		text += " for " + ThreadText(a, int(by.Thread))
	} else if o := table.ObjectName(a, a.Object(next.Wait)); o != "" {
		text += " for " + o
	}
	return text + " of that"
}

// within says in which call a thread waited, or before which one it was idle.
func within(a *wait.Analysis, w int) string {
	name := table.WaitedIn(a, w)
	if a.Waits.Idle[w] {
		return name
	}
	return "in " + name
}

// RibbonTip is what the tooltip says of a correspondence.
func RibbonTip(a *wait.Analysis, h *threads.Hit) []string {
	ws := &a.Waits
	lines := []string{ThreadText(a, int(ws.Thread[h.Wait])) + " " + waitText(a, h.Wait),
		within(a, h.Wait) + " from " + TimeText(a, ws.Start[h.Wait])}
	switch {
	case h.Release.Thread < 0 || h.Release == ws.By[h.Wait]:
		lines = append(lines, endText(a, h.Wait))
	default:
		lines = append(lines, "a release by "+CallerText(a, h.Release)+" at "+TimeText(a, int64(h.At)))
	}
	if held := heldText(a, h.Wait); held != "" {
		lines = append(lines, held)
	}
	if chain := chainText(a, h.Wait); chain != "" {
		lines = append(lines, chain)
	}
	if n := ws.Count[h.Wait]; n > 1 {
		lines = append(lines, kit.Plural(int(n), "release")+" within the wait")
	}
	return lines
}

// mostNamed is how many threads of a section a tooltip names.
const mostNamed = 6

// SampledText says what the calls of a sampled thread are.
const SampledText = "sampled: calls are runs of stack samples, so their number and times are estimates"

// LabelTip is what the tooltip says of a thread, or of several that are folded into one section.
func LabelTip(a *wait.Analysis, h *threads.Hit, list []int) []string {
	title := ThreadText(a, h.Thread)
	if len(list) > 1 {
		title = kit.Plural(len(list), "thread") + " like " + title
	}
	if len(list) == 0 {
		list = []int{h.Thread}
	}
	total := totalOf(a, list)
	lines := []string{title, totalText(&total)}
	if a.Trace.Threads[list[0]].Sampled {
		lines = append(lines, SampledText)
	}
	for k, by := range waitedFor(a, list) {
		if k == 3 {
			break
		}
		who := "each other"
		if by.Releaser >= 0 {
			who = ThreadText(a, int(by.Releaser))
		}
		lines = append(lines, "waited "+TimeText(a, by.WaitNs)+" in "+kit.Plural(int(by.Count), "wait")+
			" for "+who)
	}
	if len(list) > 1 {
		for k, t := range list {
			if k == mostNamed {
				lines = append(lines, "…")
				break
			}
			lines = append(lines, ThreadText(a, t))
		}
		return append(lines, "click: one section per thread  ·  double-click: hide")
	}
	return append(lines, "click: wider  ·  drag: swap or focus  ·  double-click: hide")
}

// totalOf adds up the totals of threads. Its start and end are as far apart as all of them lasted.
func totalOf(a *wait.Analysis, list []int) (sum wait.ThreadTotal) {
	for _, t := range list {
		one := &a.Threads[t]
		sum.EndNs += one.EndNs - one.StartNs
		sum.WaitNs += one.WaitNs
		sum.IONs += one.IONs
		sum.Waits += one.Waits
		sum.Releases += one.Releases
	}
	return sum
}

// totalText tells what the time of one or more threads went into.
func totalText(t *wait.ThreadTotal) string {
	whole := float64(max(t.EndNs-t.StartNs, 1))
	return "waiting " + kit.Percent(float64(t.WaitNs)/whole) + "  ·  I/O " +
		kit.Percent(float64(t.IONs)/whole) + "  ·  " + kit.Plural(int(t.Waits), "wait") + ", " +
		kit.Plural(int(t.Releases), "release")
}

// waitedFor lists for whom threads waited, the longest first. Releaser is −1 where they waited for
// each other.
func waitedFor(a *wait.Analysis, list []int) []wait.PairTotal {
	in := make(map[int32]bool, len(list))
	for _, t := range list {
		in[int32(t)] = true
	}
	at := map[int32]int{} // by releaser
	var out []wait.PairTotal
	for _, p := range a.Pairs {
		if !in[p.Waiter] {
			continue
		}
		if in[p.Releaser] {
			p.Releaser = -1
		}
		k, ok := at[p.Releaser]
		if !ok {
			k = len(out)
			at[p.Releaser] = k
			out = append(out, wait.PairTotal{Waiter: p.Waiter, Releaser: p.Releaser})
		}
		out[k].Count += p.Count
		out[k].WaitNs += p.WaitNs
	}
	slices.SortStableFunc(out, func(x, y wait.PairTotal) int { return cmp.Compare(y.WaitNs, x.WaitNs) })
	return out
}
