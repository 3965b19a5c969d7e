package trace

// A flow event names a moment, not a call. Recorders write that moment as the exact end of the call
// that releases, or as the exact start of the call that was released. Two calls can touch there:
//
//	a [0, 10], then b [10, 20]; a flow begins at 10: a is meant, although b also holds 10.
const (
	endsHere   = true
	startsHere = false
)

// around returns the lane and call that a flow event at ns belongs to, or −1. It looks at the
// innermost call that holds ns on each lane, and takes one that ends (or starts) exactly at ns; if
// there is none, the one that began last.
func (t *ThreadBuilder) around(ns int64, ends bool) (*Thread, int32) {
	var (
		best  *Thread
		call  = -1
		exact bool
	)
	for _, th := range t.lanes {
		i := th.Enclosing(ns)
		if i < 0 {
			continue
		}
		hit := th.Start(i) == ns
		if ends {
			i, hit = th.endingAt(i, ns)
		}
		if call < 0 || hit && !exact || hit == exact && th.Start(i) > best.Start(call) {
			best, call, exact = th, i, hit
		}
	}
	return best, int32(call)
}

// endingAt replaces a call i that only begins at ns by the call before it or around it that holds
// ns and began earlier. It also reports whether the call it returns ends at ns.
func (t *Thread) endingAt(i int, ns int64) (int, bool) {
	for k := i; k >= 0 && t.Start(k) == ns; {
		before := k - 1
		for before >= 0 && t.End(before) < ns {
			before = int(t.Parent(before))
		}
		if before >= 0 && t.Start(before) < ns {
			return before, t.End(before) == ns
		}
		k = before
	}
	return i, t.End(i) == ns
}

// next returns the lane and call that starts first at ns or later, or −1.
func (t *ThreadBuilder) next(ns int64) (*Thread, int32) {
	var best *Thread
	call := -1
	for _, th := range t.lanes {
		i := th.FirstFrom(ns, 0, th.Len())
		if i < th.Len() && (call < 0 || th.Start(i) < best.Start(call)) {
			best, call = th, i
		}
	}
	return best, int32(call)
}
