package trace

import (
	"cmp"
	"slices"
)

// bindFlows resolves flows to correspondences and marks the calls at their ends: the call around
// the start releases, the call around the finish waits (DESIGN §3). Which object it is about a flow
// does not say.
func (b *Builder) bindFlows(tr *Trace) {
	marks := map[*Thread][]Block{}
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
		marks[wt] = append(marks[wt], Block{Call: wc, Kind: Wait})
		marks[rt] = append(marks[rt], Block{Call: rc, Kind: Release})
	}
	for th, m := range marks {
		th.addBlocks(m)
	}
}

// addBlocks adds to the marks of t those that are new: a call may both wait and release, but is
// marked once as each.
func (t *Thread) addBlocks(more []Block) {
	order := func(x, y Block) int {
		return cmp.Or(cmp.Compare(x.Call, y.Call), cmp.Compare(x.Kind, y.Kind))
	}
	t.Blocks = append(t.Blocks, more...)
	slices.SortStableFunc(t.Blocks, order)
	t.Blocks = slices.CompactFunc(t.Blocks, func(x, y Block) bool { return order(x, y) == 0 })
}
