package finding

import "slices"

// certaintyOfOneCaller returns how sure the change of a function is by the pairs of one of several
// callers that makes nearly all of it. All pairs of the function together vary as much as those
// that changed differ from the others, so that their sum could be chance. For example, `update` has
// `spin` hold a lock for eleven times as long in 300 calls, and 300 calls by `read` are as they
// were.
func (n *noise) certaintyOfOneCaller(e *effort, v *weighed) Certainty {
	one := n.s.pairsOfOneCaller(e, v.sum)
	if one == nil {
		return Chance
	}
	var off []float64
	for c := range one.times {
		for p, a := range c.a {
			off = append(off, n.off(a, c.b[p]))
		}
	}
	one.law = lawOf(off)
	if n.weigh(one, &batchSums{}); one.v.inOneCall(one) {
		return Chance
	}
	return max(n.certaintyOfBulk(one, &one.v), Likely)
}

// pairsOfOneCaller returns the pairs of a function that one caller makes, if they make nearly all
// of a change, ns, and both they and the others are enough to see how they vary; else nil.
func (s *study) pairsOfOneCaller(e *effort, change float64) *effort {
	var by []weight // by caller: its pairs, and by how much they change
	s.eachCaller(e, func(c *chunk, p, k int) {
		if k == len(by) {
			by = append(by, weight{})
		}
		by[k].add(weight{1, c.b[p] - s.report.Pace*c.a[p]})
	})
	of := slices.IndexFunc(by, func(x weight) bool {
		part := x.ns / change
		return part >= mostly && part <= 1/mostly && x.calls >= enough && float64(e.pairs)-x.calls >= enough
	})
	if of < 0 {
		return nil
	}
	one, pairs := &effort{id: e.id, on: e.on, pairs: int(by[of].calls)}, &columns{}
	s.eachCaller(e, func(c *chunk, p, k int) {
		if k != of {
			return
		}
		at := int32(len(pairs.calls))
		pairs.times, pairs.calls = append(pairs.times, 0), append(pairs.calls, c.calls[p])
		pairs.set(at, [2]int64{int64(c.a[p]), int64(c.b[p])})
		if last := len(one.parts) - 1; last < 0 || one.parts[last].k != c.k {
			one.parts = append(one.parts, part{of: pairs, k: c.k, from: at})
		}
		one.parts[len(one.parts)-1].to = at + 1
	})
	return one
}
