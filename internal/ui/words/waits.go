package words

import (
	"strings"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/ui/kit"
	"diptych/internal/wait"
	"diptych/internal/wait/table"
)

// waitText tells how long a wait lasted and for what.
func waitText(a *wait.Analysis, w int) string {
	ws := &a.Waits
	text := "waited " + TimeText(a, ws.Dur(w))
	if o := table.ObjectName(a, a.Object(w)); o != "" {
		text += " for " + o
	}
	return text
}

// TimeText writes a time or a duration of the analysed trace.
func TimeText(a *wait.Analysis, ns int64) string {
	return geom.FormatValue(float64(ns), string(a.Trace.Unit))
}

// spanText writes from when to when something goes.
func spanText(a *wait.Analysis, from, to int64) string {
	return geom.FormatSpan(float64(from), float64(to), string(a.Trace.Unit))
}

// heldText tells who held the lock that a wait was for, or "" if that is not known.
func heldText(a *wait.Analysis, w int) string {
	thread, ns := a.Holder(w)
	if thread < 0 {
		return ""
	}
	text := "held by " + ThreadText(a, int(thread)) + " for " + TimeText(a, ns) + " of that"
	others := map[int32]bool{}
	for h := range a.Held(w) {
		if h.Thread != thread {
			others[h.Thread] = true
		}
	}
	if len(others) > 0 {
		text += ", then or before by " + kit.Plural(len(others), "other thread")
	}
	return text
}

// endText tells what ended a wait.
func endText(a *wait.Analysis, w int) string {
	ws := &a.Waits
	switch ws.How[w] {
	case wait.Passed:
		return "it did not have to wait for a release"
	case wait.Unreleased:
		return "never released"
	case wait.Joined:
		return "ended with thread " + ThreadText(a, int(ws.By[w].Thread))
	}
	return "released by " + CallerText(a, ws.By[w]) + " at " + TimeText(a, ws.At[w])
}

// CallerText names the thread of a call and in which function it was made.
func CallerText(a *wait.Analysis, ref trace.CallRef) string {
	text := ThreadText(a, int(ref.Thread))
	if ref.Call < 0 {
		return text
	}
	th, i := a.Trace.Threads[ref.Thread], int(ref.Call)
	if p := int(th.Parent(i)); p >= 0 && a.Trace.FunctionOf(th, i).Kind != trace.Routine ||
		p >= 0 && a.Releases.Find(ref) >= 0 {
		i = p
	}
	if th.Parent(int(ref.Call)) < 0 {
		return text
	}
	return text + " in " + a.Trace.FunctionOf(th, i).Name
}

// ThreadText names a thread by its title, with its id where the title does not have it.
func ThreadText(a *wait.Analysis, thread int) string {
	th := a.Trace.Threads[thread]
	if title := th.Title(); strings.Contains(title, th.ID) || th.Coded() {
		return title
	}
	return table.ShortID(th.ID) + " " + th.Title()
}

// WaitLine tells in one line what a call waited for and who released it, or what it released; "" if
// it did neither.
func WaitLine(st *session.State, t session.Target) string {
	a := st.WaitsOf(t.Side)
	if a == nil || !t.OK || int(t.Ref.Thread) >= len(a.Trace.Threads) {
		return ""
	}
	if w := a.Waits.Find(t.Ref); w >= 0 {
		text := waitText(a, w) + "  ·  " + endText(a, w)
		if held := heldText(a, w); held != "" {
			text += "  ·  " + held
		}
		return text
	}
	if a.Releases.Find(t.Ref) >= 0 {
		return releasedText(a, t.Ref)
	}
	return ""
}

// mostReleased bounds how many waits of a release are counted.
const mostReleased = 1000

// releasedText tells which waits a release ended.
func releasedText(a *wait.Analysis, ref trace.CallRef) string {
	ended, met, last := 0, 0, -1
	for w := range a.Released(ref) {
		if met++; a.Waits.By[w] == ref {
			ended, last = ended+1, w
		}
		if met == mostReleased {
			break
		}
	}
	switch {
	case ended == 1:
		return "ended " + TimeText(a, a.Waits.Dur(last)) + " of waiting of " +
			ThreadText(a, int(a.Waits.Thread[last]))
	case ended > 1:
		return "ended " + kit.Plural(ended, "wait")
	case met > 0:
		return "happened during " + kit.Plural(met, "wait") + ", but ended none"
	}
	return "nobody waited for it"
}

// WaitCounts says how many waits each side has that something ended, and how many more of these
// threads of the runtime have, which are drawn but count in no total. The table of waits also lists
// those of which nothing is known to have ended them.
func WaitCounts(st *session.State) string {
	var parts []string
	for _, side := range []pair.Side{pair.A, pair.B} {
		if a := st.WaitsOf(side); a != nil && a.Trace.Kind != trace.Profile {
			text := side.String() + " " + kit.Plural(int(a.Ended), "released wait")
			if a.EndedAside > 0 {
				text += " + " + kit.Grouped(int(a.EndedAside)) + " of the runtime"
			}
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "   ")
}

// ChangedPairs says for how many pairs of threads the time that one waited for the other changed,
// if any waited.
func ChangedPairs(c *session.Changes) string {
	if c == nil || c.All == 0 {
		return ""
	}
	return kit.Grouped(c.Count) + " of " + kit.Grouped(c.All) + " changed"
}
