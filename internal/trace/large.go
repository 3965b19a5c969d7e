package trace

import "slices"

// large are the numbers of calls that columns (columns.go) have no room for. Functions that fill
// one may be given nil.
type large struct {
	times  []int64
	places []largePlace
	depth  []uint32 // of all calls, 0 of those whose depth fits; or none
}

type largePlace struct{ up, size uint32 }

const (
	fewFar  = 8  // numbers that there is room for at first
	manyFar = 64 // one call in so many has a number in large at most where these are looked for
)

func roomIn(l **large) *large {
	if *l == nil {
		*l = new(large)
	}
	return *l
}

// time returns the time of which a span has v.
func (l *large) time(v uint32) int64 {
	if v >= far {
		return l.times[v-far]
	}
	return int64(v)
}

// fitTime returns what a span has of a time.
func fitTime(l **large, ns int64) uint32 {
	if uint64(ns) < far {
		return uint32(ns)
	}
	return farTime(roomIn(l), ns)
}

func farTime(l *large, ns int64) uint32 {
	l.times = append(l.times, ns)
	return uint32(len(l.times)-1) + far
}

// fitPlace returns the place of a call.
func fitPlace(l **large, up, size uint32) place {
	if up <= mostUp && size <= mostSize {
		return place(size<<upBits | up)
	}
	return farPlace(roomIn(l), largePlace{up, size})
}

func farPlace(l *large, p largePlace) place {
	if n := len(l.places); n == cap(l.places) {
		l.places = slices.Grow(l.places, n+fewFar) // there can be as many as calls
	}
	l.places = append(l.places, p)
	return place(len(l.places)-1) + far
}

// setSize sets the size of a call that has a place.
func (p *place) setSize(l **large, size uint32) {
	if *p >= far {
		(*l).places[*p-far].size = size
	} else {
		*p = fitPlace(l, uint32(*p)&mostUp, size)
	}
}

// fitDepth returns what depth has of the level of call i. Calls come in pre-order.
func fitDepth(l **large, i, level int) uint8 {
	if level < deep {
		return uint8(level)
	}
	levels := &roomIn(l).depth
	*levels = append(*levels, make([]uint32, i-len(*levels))...)
	*levels = append(*levels, uint32(level))
	return deep
}

// settle brings the large numbers, which came in any order, into the order of calls.
func (c *columns) settle() {
	if c.large == nil {
		return
	}
	from := *c.large
	to := &large{slices.Grow([]int64(nil), len(from.times)),
		slices.Grow([]largePlace(nil), len(from.places)), from.depth}
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
	if d := len(to.depth); d > 0 {
		to.depth = append(make([]uint32, 0, len(c.spans)), to.depth...)[:len(c.spans)]
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
