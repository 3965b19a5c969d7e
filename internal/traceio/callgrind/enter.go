package callgrind

import "slices"

// enter adds what one entry into a cycle costs to the tree, by a way if there is one.
func (s *splitter) enter(c int32, e entry, w *way, r *ration) {
	s.steps += len(r.items)
	if len(s.members[c]) == 1 {
		n := s.add(e.caller, e.fn)
		r.take(e.cost, nil, func(it *item, cost int64) { s.spend(n, it.to, cost) })
		return
	}
	type spent struct {
		from, to int32
		cost     int64
	}
	var all []spent
	total := map[int32]int64{} // of members with those that are reached through them
	r.take(e.cost, w, func(it *item, cost int64) {
		all = append(all, spent{it.from, it.to, cost})
		total[it.from] += cost
	})
	if w == nil {
		w = &way{}
		w.order, w.up = s.reach(c, e.fn)
	}
	for _, m := range slices.Backward(w.order[1:]) {
		total[w.up[m]] += total[m]
	}
	at := map[int32]int32{}
	s.steps += len(w.order)
	for _, m := range w.order {
		switch {
		case m == e.fn:
			at[m] = s.add(e.caller, m)
		case total[m] > 0:
			at[m] = s.add(at[w.up[m]], m)
		}
	}
	for _, x := range all {
		s.spend(at[x.from], x.to, x.cost)
	}
}

// add adds a node to the tree.
func (s *splitter) add(caller, fn int32) int32 {
	s.nodes = append(s.nodes, call{caller: caller, fn: fn})
	return int32(len(s.nodes) - 1)
}

// spend adds what a node costs itself, or enters what it calls.
func (s *splitter) spend(n, to int32, cost int64) {
	switch to {
	case ownCost:
		s.nodes[n].self += cost
	case notRecorded:
		s.nodes[s.add(n, notRecorded)].self = cost
	default:
		in := s.cycle[to]
		s.entries[in] = append(s.entries[in], entry{n, to, cost})
	}
}

// reach returns the members of a cycle in the order in which they are reached from one of them, and
// by which other each is reached first.
func (s *splitter) reach(c, from int32) (order []int32, up map[int32]int32) {
	order, up = []int32{from}, map[int32]int32{from: -1}
	for i := 0; i < len(order); i++ {
		for _, e := range s.g.nodes[order[i]].out {
			to := s.g.edges[e].to
			if _, known := up[to]; !known && s.cycle[to] == c {
				up[to] = order[i]
				order = append(order, to)
			}
			s.steps++
		}
	}
	return order, up
}

// cut adds entries that are not followed: the function that is called, and below it as one what it
// costs besides its own cost.
func (s *splitter) cut(small []entry, r *ration) {
	own := map[int32]int64{}
	for _, it := range r.items {
		if it.to == ownCost && len(small) > 0 {
			own[it.from] = it.left
		}
	}
	for _, e := range small {
		n := s.add(e.caller, e.fn)
		self := share(own[e.fn], e.cost, r.left)
		s.nodes[n].self = self
		if e.cost > self {
			s.nodes[s.add(n, restOfCallees)].self = e.cost - self
			s.merged++
		}
	}
	for i := range r.items {
		s.hide(&r.items[i], r.items[i].left)
	}
}

// hide notes that a part of an item is not in the tree.
func (s *splitter) hide(it *item, cost int64) {
	if it.to >= 0 {
		s.hidden[s.cycle[it.to]] += cost
	}
}
