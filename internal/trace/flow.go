package trace

import (
	"cmp"
	"slices"
)

// bindFlows resolves flows to correspondences: the call around the start releases, the call around
// the finish waits (DESIGN §3). Which object it is about a flow does not say.
func (b *Builder) bindFlows(tr *Trace, ends ends) {
	for _, f := range b.flows {
		rt, rc := f.from.Thread.around(f.from.At-b.first, endsHere)
		wt, wc := f.to.Thread.around(f.to.At-b.first, startsHere)
		if f.to.Next {
			wt, wc = f.to.Thread.next(f.to.At - b.first)
		}
		if rc < 0 || wc < 0 {
			b.Diagnose(UnboundFlow, 1, "flow from %s at %d ns to %s at %d ns",
				f.from.Thread.id, f.from.At-b.first, f.to.Thread.id, f.to.At-b.first)
			continue
		}
		tr.Correspondences = append(tr.Correspondences, Correspondence{
			Wait: CallRef{wt.index, wc}, Release: CallRef{rt.index, rc},
			At: f.from.At - b.first, Object: NoObject})
		ends.add(wt, wc, Wait, NoObject)
		ends.add(rt, rc, Release, NoObject)
	}
}

// ends are marks of calls that explicit correspondences end at, by thread, as far as the calls had
// no such mark before.
type ends map[*Thread][]Block

func (e ends) add(th *Thread, call int32, k BlockKind, object ObjectID) {
	for _, b := range th.BlocksOf(int(call)) {
		if b.Kind == k {
			return
		}
	}
	mark := Block{Call: call, Kind: k}
	if object != NoObject {
		mark.Objects = []ObjectID{object}
	}
	e[th] = append(e[th], mark)
}

// mark adds the marks to those of the threads. A call may both wait and release, but is marked once
// as each, with all its objects.
func (e ends) mark() {
	for th, more := range e {
		slices.SortStableFunc(more, byCall)
		once := more[:0]
		for _, m := range more {
			last := len(once) - 1
			if last < 0 || byCall(once[last], m) != 0 {
				once = append(once, m)
				continue
			}
			for _, o := range m.Objects {
				if !slices.Contains(once[last].Objects, o) {
					once[last].Objects = append(once[last].Objects, o)
				}
			}
		}
		th.Blocks = append(th.Blocks, once...)
		slices.SortStableFunc(th.Blocks, byCall)
	}
}

// byCall orders marks by call, then kind.
func byCall(x, y Block) int {
	return cmp.Or(cmp.Compare(x.Call, y.Call), cmp.Compare(x.Kind, y.Kind))
}
