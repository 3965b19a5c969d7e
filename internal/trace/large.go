package trace

import "unsafe"

// large are the numbers of calls that columns (columns.go) have no room for. There can be more of
// them than calls: in a thread whose stack is deep, all calls have a level here. So they lie in a
// room as the columns do, and are weighed. Functions that fill one may be given nil, and make one
// whose numbers lie in a room, which may be nil too.
type large struct {
	times  []int64
	places []largePlace
	depth  []uint32 // of all calls, 0 of those whose depth fits; or none
	room   *room    // where further numbers lie; nil once all are settled
}

type largePlace struct{ up, size uint32 }

const (
	fewFar  = 8  // numbers that there is room for at first
	manyFar = 64 // one call in so many has a number in large at most where these are looked for
)

func roomIn(l **large, r *room) *large {
	if *l == nil {
		*l = &large{room: r}
	}
	return *l
}

// grown returns a slice with room for n more values, which are zero. It weighs what that takes.
func grown[T any](r *room, s []T, n int) []T {
	if len(s)+n <= cap(s) {
		return s
	}
	larger := made[T](r, max(2*cap(s), len(s)+n, fewFar))[:len(s)]
	if r != nil && r.weigh != nil {
		var one T
		bytes := int64(cap(larger)-cap(s)) * int64(unsafe.Sizeof(one))
		r.weigh(bytes, bytes)
	}
	copy(larger, s)
	dropped(r, s)
	return larger
}

// time returns the time of which a span has v.
func (l *large) time(v uint32) int64 {
	if v >= far {
		return l.times[v-far]
	}
	return int64(v)
}

// fitTime returns what a span has of a time.
func fitTime(l **large, r *room, ns int64) uint32 {
	if uint64(ns) < far {
		return uint32(ns)
	}
	return farTime(roomIn(l, r), ns)
}

func farTime(l *large, ns int64) uint32 {
	l.times = append(grown(l.room, l.times, 1), ns)
	return uint32(len(l.times)-1) + far
}

// fitPlace returns the place of a call.
func fitPlace(l **large, r *room, up, size uint32) place {
	if up <= mostUp && size <= mostSize {
		return place(size<<upBits | up)
	}
	return farPlace(roomIn(l, r), largePlace{up, size})
}

func farPlace(l *large, p largePlace) place {
	l.places = append(grown(l.room, l.places, 1), p)
	return place(len(l.places)-1) + far
}

// setSize sets the size of a call that has a place.
func (p *place) setSize(l **large, r *room, size uint32) {
	if *p >= far {
		(*l).places[*p-far].size = size
	} else {
		*p = fitPlace(l, r, uint32(*p)&mostUp, size)
	}
}

// fitDepth returns what depth has of the level of call i. Calls come in pre-order.
func fitDepth(l **large, r *room, i, level int) uint8 {
	if level < deep {
		return uint8(level)
	}
	roomIn(l, r).setDepth(i, uint32(level))
	return deep
}

func (l *large) setDepth(i int, level uint32) {
	l.depth = grown(l.room, l.depth, i+1-len(l.depth))[:i+1]
	l.depth[i] = level
}

// reserveDepth makes room for the levels of so many calls in all, which are weighed already.
func (l *large) reserveDepth(calls int) {
	if l.depth == nil {
		l.depth = made[uint32](l.room, calls)[:0]
	}
}

// settle brings the large numbers, which came in any order, into the order of calls.
func (c *columns) settle() {
	if c.large == nil {
		return
	}
	from := *c.large
	r := from.room
	if len(from.times)+len(from.places)+len(from.depth) == 0 { // deep stacks that were expected
		dropped(r, from.depth)
		c.large = nil
		return
	}
	to := &large{times: made[int64](r, len(from.times))[:0],
		places: made[largePlace](r, len(from.places))[:0], depth: from.depth}
	settle := func(s *span, p *place) {
		if s.after >= far {
			s.after = farTime(to, from.times[s.after-far])
		}
		if s.dur >= far {
			s.dur = farTime(to, from.times[s.dur-far])
		}
		if *p >= far {
			*p = farPlace(to, from.places[*p-far])
		}
	}
	if calls, all := c.farCalls(); all {
		for _, i := range calls {
			settle(&c.spans[i], &c.places[i])
		}
	} else {
		places := c.places[:len(c.spans)]
		for i := range c.spans {
			if c.spans[i].marks(places[i]) > 0 {
				settle(&c.spans[i], &places[i])
			}
		}
	}
	dropped(r, from.times)
	dropped(r, from.places)
	if d, n := to.depth, len(c.spans); len(d) > 0 && (cap(d) < n || cap(d) > n+n/wasted) {
		to.depth = made[uint32](r, n)
		copy(to.depth, d)
		dropped(r, d)
	} else if len(d) > 0 {
		to.depth = d[:n:n]
	}
	c.large = to
}

// marks returns how many numbers of a call are in large.
func (s span) marks(p place) int { return int(s.after>>31 + s.dur>>31 + uint32(p)>>31) }

// farCalls returns the calls with a number in large, in order, and whether these are all. They are
// long, have many calls in them, or are called by such a call. For example, of a program of 5 s
// with 10 million calls it looks at what main calls, and at what those of more than 2.1 s call.
func (c *columns) farCalls() (calls []int32, all bool) {
	n, left := len(c.spans), len(c.large.times)+len(c.large.places)
	if left > n/manyFar {
		return nil, false
	}
	for i := 0; i < n && left > 0; {
		s, p := c.spans[i], c.places[i]
		next := i + 1
		if size := c.large.size(p); s.dur < far && size <= mostSize {
			next = min(i+max(int(size), 1), n)
		}
		// If it ends too long after its base, so may calls in it that have the same base.
		near := i + 1
		if uint64(s.after)+uint64(s.dur) >= far {
			near = min(next, (i|(baseLen-1))+1)
		}
		for ; i < near; i++ {
			if k := c.spans[i].marks(c.places[i]); k > 0 {
				calls, left = append(calls, int32(i)), left-k
			}
		}
		i = next
	}
	return calls, left == 0 // else some calls do not lie in their callers
}

// size returns the size of which a place tells.
func (l *large) size(p place) uint32 {
	if p >= far {
		return l.places[p-far].size
	}
	return uint32(p >> upBits)
}
