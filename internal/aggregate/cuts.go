package aggregate

// cutsFrom makes room for the best cuts from each of so many first slices on.
func cutsFrom(n int) best {
	return best{value: make([]float64, n, n+lanes), gain: make([]float64, n), count: make([]int32, n)}
}

func (b *best) set(i int, x pick) { b.value[i], b.gain[i], b.count[i] = x.value, x.gain, x.count }

// appendCuts appends the best cuts in time alone of an area. For each first slice, the last one
// first, it tries all ends of the first piece.
func (s *solver) appendCuts(list []Aggregate, a Aggregate) []Aggregate {
	c := s.q.columns[a.Node]
	if c == nil || s.wholes(a.Node, a.From, a.To) == a.To-a.From+1 {
		return append(list, a)
	}
	if first, last := int(c.first[a.From]), int(c.first[a.To+1])-1; s.q.op == Sum &&
		int(c.on[last]-c.on[first]) == last-first && s.cutRun(c, a, first, last) {
		return s.appendRun(list, a, int(c.on[first]), int(c.on[last]))
	}
	s.ends.set(a.To+1, pick{})
	for i := a.To; i >= a.From; i-- {
		n := a.To - i + 1
		if s.wholes(a.Node, i, a.To) == n {
			s.one(i, n)
		} else {
			s.tryEnds(i, n)
		}
	}
	return s.appendEnds(list, a)
}

// one makes n slices from i on one piece, the last one.
func (s *solver) one(i, n int) {
	s.ends.set(i, pick{s.values[n-1], s.gains[n-1], 1})
	s.own[i] = int16(i + n - 1)
}

// tryEnds tries the first n ends of a first piece from slice i on, and keeps the best.
func (s *solver) tryEnds(i, n int) {
	ends, last := &s.ends, i
	values, rest := s.values[:n], ends.value[i+1:i+1+n]
	end := func(k int) pick {
		return pick{values[k] + rest[k], s.gains[k] + ends.gain[i+k+1], 1 + ends.count[i+k+1]}
	}
	now := end(0)
	for k := 1; ; k++ {
		if k = nextNear(values, rest, k, now.value-tie); k >= n {
			break
		}
		if x := end(k); x.beats(now) {
			now, last = x, i+k
		}
	}
	ends.set(i, now)
	s.own[i] = int16(last)
}

func (s *solver) appendEnds(list []Aggregate, a Aggregate) []Aggregate {
	for i := a.From; i <= a.To; i = int(s.own[i]) + 1 {
		list = append(list, Aggregate{a.Node, i, int(s.own[i])})
	}
	return list
}

// cutRun cuts an area whose active slices are one run, without trying to cut its empty slices, which
// are a piece before the run and one behind it. It reports whether it is certain that pieces that
// reach into them are worse. Each further empty slice makes them worse.
func (s *solver) cutRun(c *column, a Aggregate, first, last int) bool {
	from, to := int(c.on[first]), int(c.on[last])
	_, logLeaves := s.q.leaves(a.Node)
	s.ends.set(to+1, pick{})
	if to < a.To {
		s.ends.set(to+1, pick{count: 1})
	}
	for k := last; k >= first; k-- {
		i, n := int(c.on[k]), last-k+1
		s.wholesOn(c, k, n, logLeaves, s.q.logs[1:])
		if to == a.To && s.sureOf(c, k, n, logLeaves, s.q.logs[1:]) == n {
			s.one(i, n)
			continue
		}
		s.tryEnds(i, n)
		if to < a.To {
			if !(s.reach(c, k, last, logLeaves, n+1) < s.ends.value[i]-tie) {
				return false
			}
		}
	}
	if from > a.From {
		for k := first; k <= last; k++ {
			i := int(c.on[k])
			x := s.reach(c, first, k, logLeaves, i-from+2) + s.ends.value[i+1]
			if !(x < s.ends.value[from]-tie) {
				return false
			}
		}
	}
	return true
}

// appendRun appends what cutRun found.
func (s *solver) appendRun(list []Aggregate, a Aggregate, from, to int) []Aggregate {
	if from > a.From {
		list = append(list, Aggregate{a.Node, a.From, from - 1})
	}
	list = s.appendEnds(list, Aggregate{a.Node, from, to})
	if to < a.To {
		list = append(list, Aggregate{a.Node, to + 1, a.To})
	}
	return list
}
