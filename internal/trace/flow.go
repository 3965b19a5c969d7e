package trace

import (
	"cmp"
	"slices"
)

// bindFlows resolves flows to correspondences: the call around the start releases, the call around
// the finish waits (DESIGN §3). A flow does not name an object.
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
		ends.addEnd(wt, wc, Wait, NoObject)
		ends.addEnd(rt, rc, Release, NoObject)
	}
}

// ends holds, by thread, the marks that the calls at the ends of explicit correspondences still
// need: the waiting call a mark as a wait, the releasing call one as a release.
type ends map[*Thread][]Block

func (e ends) addEnd(th *Thread, call int32, k BlockKind, object ObjectID) {
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

// Mark states that a call blocks, and on which objects, by name.
type Mark func(th *Thread, call int, k BlockKind, objects ...string)

// MarkWith has find look for blocking calls when the trace is all but built: threads, calls and
// arguments are there, in their final places. Find must call mark in call order for any one thread.
// What a loader has marked with ThreadBuilder.Block, from explicit records, stays as it is.
func (b *Builder) MarkWith(find func(tr *Trace, mark Mark)) {
	b.markers = append(b.markers, find)
}

// arenaSize is how many object ids are allocated at once.
const arenaSize = 4096

// mark runs the markers.
func (b *Builder) mark(tr *Trace) {
	var arena []ObjectID
	for _, find := range b.markers {
		explicit := map[*Thread]int{}
		find(tr, func(th *Thread, call int, k BlockKind, objects ...string) {
			n, known := explicit[th]
			if !known {
				n = len(th.Blocks)
				explicit[th] = n
			}
			if marked(th.Blocks[:n], call) {
				return
			}
			if cap(arena)-len(arena) < len(objects) {
				arena = make([]ObjectID, 0, max(arenaSize, len(objects)))
			}
			from := len(arena)
			for _, name := range objects {
				arena = append(arena, b.Object(name))
			}
			th.Blocks = append(th.Blocks, Block{int32(call), k, arena[from:len(arena):len(arena)]})
		})
		for th, n := range explicit {
			if n > 0 {
				slices.SortStableFunc(th.Blocks, func(x, y Block) int {
					return int(x.Call) - int(y.Call)
				})
			}
		}
	}
	tr.Objects = b.objects
}

func marked(blocks []Block, call int) bool {
	_, ok := slices.BinarySearchFunc(blocks, call, func(b Block, call int) int {
		return int(b.Call) - call
	})
	return ok
}
