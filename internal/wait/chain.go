package wait

import "slices"

// Link is one step of a wait-for chain.
type Link struct {
	Wait     int   // index in Waits
	From, To int64 // the time in which it held up the link before it, ns
}

// Chain says why a wait took as long as it did: the wait itself, until its release; the wait of the
// releasing thread that took most of that time (the later of two alike); what that one waited for
// then, and so on. It ends at a thread that waited for nobody in that time, or where it would come
// back to a wait it has. Cost is linear in the waits of the releasing threads in that time.
func (a *Analysis) Chain(w int) []Link {
	ws := &a.Waits
	link := Link{w, ws.Start[w], ws.End[w]}
	var chain []Link
	for {
		if ws.By[link.Wait] != nobody {
			link.To = min(link.To, max(link.From, ws.At[link.Wait]))
		}
		chain = append(chain, link)
		if ws.By[link.Wait] == nobody || a.outside(link.Wait) {
			return chain
		}
		next, ok := a.longest(int(ws.By[link.Wait].Thread), link.From, link.To)
		if !ok || slices.ContainsFunc(chain, func(l Link) bool { return l.Wait == next.Wait }) {
			return chain
		}
		link = next
	}
}

// longest returns the outermost wait of a thread that takes most of [from, to].
func (a *Analysis) longest(thread int, from, to int64) (Link, bool) {
	best, found := Link{}, false
	for w := range a.WaitsIn(thread, from, to) {
		if !a.Waits.Outermost(w) {
			continue
		}
		l := Link{w, max(from, a.Waits.Start[w]), min(to, a.Waits.End[w])}
		if l.To > l.From && l.To-l.From >= best.To-best.From {
			best, found = l, true
		}
	}
	return best, found
}

// outside reports whether what ended wait w came from outside the program, such as a timer or the
// network: a release that stands alone, a root of no length.
func (a *Analysis) outside(w int) bool {
	by := a.Waits.By[w]
	if by.Call < 0 {
		return false
	}
	th := a.Trace.Threads[by.Thread]
	return th.Parent[by.Call] < 0 && th.Dur(int(by.Call)) == 0
}
