package perfetto

import (
	"math"
	"slices"
	"sort"

	"google.golang.org/protobuf/encoding/protowire"

	"diptych/internal/trace"
)

// Clocks that every trace may use, BuiltinClock of common/builtin_clock.proto.
const (
	clockMonotonic = 3
	clockRaw       = 5 // CLOCK_MONOTONIC_RAW
	clockBoot      = 6
	firstOwn       = 64 // these and the next ones belong to a sequence,
	firstShared    = 128
)

// clock names a clock: those with numbers from 64 to 127 are a sequence's own.
type clock struct{ sequence, id uint64 }

func clockOf(sequence, id uint64) clock {
	if id < firstOwn || id >= firstShared {
		sequence = 0
	}
	return clock{sequence, id}
}

// clocks turns times on any clock into times on the trace's primary clock. A ClockSnapshot says
// what several clocks showed at one moment. A time is carried over from clock to clock along the
// shortest chain of snapshots that leads to the primary one; at each step, the last snapshot before
// the time counts, or the first one of all. For example, with a snapshot that has BOOTTIME 5000 and
// MONOTONIC 1000, 1200 on MONOTONIC is 5200.
type clocks struct {
	primary clock
	fixed   bool // a time was turned already, or the trace says which clock is the primary one
	scales  map[clock]*scale
	links   map[[2]clock][]anchor
	next    map[clock][]clock // the clocks that share a snapshot with one
	routes  map[clock][]clock // to the primary clock, without the first; found so far
	last    stretch           // of the last time that was turned
	recent  struct {          // the scale that was used last
		clock
		*scale
	}
}

// stretch is a range of times [from, until) of a clock, which are all turned by the same sum: those
// between two snapshots. Nearly all times lie in the stretch of the time before.
type stretch struct {
	clock
	from, until, sum int64
}

// scale is how packets write times of a clock.
type scale struct {
	unit        int64  // ns
	most        uint64 // units that a time can have
	incremental bool   // as the difference to the time before
	now         int64  // ns, that time
}

// anchor is what two clocks showed at one moment, ns.
type anchor struct{ from, to int64 }

func newClocks() clocks {
	return clocks{primary: clock{0, clockBoot}, scales: map[clock]*scale{},
		links: map[[2]clock][]anchor{}, next: map[clock][]clock{}, routes: map[clock][]clock{}}
}

// maxClocks bounds the clocks of a snapshot, since each is related to each other one.
const maxClocks = 64

// shown is what a clock showed in a snapshot.
type shown struct {
	clock
	at int64 // ns
}

// safe reports whether a time of the stretch is one that the model can have.
func (l *stretch) safe(at int64) bool { return at+l.sum <= trace.Limit && at+l.sum >= -trace.Limit }

// snapshot takes a ClockSnapshot of a sequence and reports whether it is sound.
func (c *clocks) snapshot(sequence uint64, message []byte) bool {
	var all []shown
	c.last = stretch{}
	f := fieldsOf(message)
	for f.next() {
		switch {
		case f.is(snapshotClock, protowire.BytesType):
			s, ok := c.reading(sequence, f.body)
			if !ok || len(all) == maxClocks {
				return false
			}
			all = append(all, s)
		case f.is(snapshotPrimary, protowire.VarintType) && !c.fixed:
			c.primary, c.fixed = clock{0, f.n}, true
			clear(c.routes)
		}
	}
	return c.relateAll(all) && !f.broken
}

// relateAll notes what several clocks showed at one moment, and reports whether that can be. A
// clock that no snapshot had before makes no route of the others shorter, since these are related
// to each other at once; Chromium's writers have clocks of their own, which are many.
func (c *clocks) relateAll(all []shown) bool {
	c.last = stretch{}
	for _, a := range all {
		switch {
		case len(c.next[a.clock]) > 0:
			for _, b := range all {
				if a.clock != b.clock && len(c.next[b.clock]) > 0 && !c.related(a.clock, b.clock) {
					clear(c.routes)
				}
			}
		case a.clock == c.primary:
			clear(c.routes)
		default:
			delete(c.routes, a.clock)
		}
	}
	sound := true
	for _, a := range all {
		for _, b := range all {
			if a.clock != b.clock {
				sound = c.relate(a, b) && sound
			}
		}
	}
	return sound
}

// related reports whether a snapshot had both clocks.
func (c *clocks) related(a, b clock) bool { return len(c.links[[2]clock{a, b}]) > 0 }

// reading takes a Clock of a snapshot.
func (c *clocks) reading(sequence uint64, message []byte) (shown, bool) {
	var id, at uint64
	s := scale{unit: 1}
	for f := fieldsOf(message); f.next(); {
		switch f.number {
		case clockID:
			id = f.n
		case clockTimestamp:
			at = f.n
		case clockIncremental:
			s.incremental = f.n != 0
		case clockUnit:
			s.unit = int64(f.n)
		}
	}
	if s.unit < 1 {
		return shown{}, false
	}
	if s.most = uint64(trace.Limit / s.unit); at > s.most {
		return shown{}, false
	}
	s.now = int64(at) * s.unit
	k := clockOf(sequence, id)
	c.scales[k] = &s
	c.recent.scale = nil
	return shown{k, s.now}, true
}

// mostLater is how many snapshots of a file may come before one of an earlier time. They come in
// order but for those of different writers, and to put each before all others would take the time
// of their number squared.
const mostLater = 1024

// relate notes what two clocks showed at one moment, unless far too many later ones are known.
func (c *clocks) relate(a, b shown) bool {
	pair := [2]clock{a.clock, b.clock}
	known := c.links[pair]
	if known == nil {
		c.next[a.clock] = append(c.next[a.clock], b.clock)
	}
	at := len(known)
	for at > 0 && known[at-1].from > a.at {
		if at--; len(known)-at > mostLater {
			return false
		}
	}
	c.links[pair] = slices.Insert(known, at, anchor{a.at, b.at})
	return true
}

// absolute turns a packet's timestamp on a clock into ns on that clock.
func (c *clocks) absolute(k clock, stamp uint64) (int64, bool) {
	if c.recent.scale == nil || c.recent.clock != k {
		c.recent.clock, c.recent.scale = k, c.scales[k]
	}
	s := c.recent.scale
	if s == nil {
		return int64(stamp), stamp <= trace.Limit
	}
	if stamp > s.most {
		return 0, false
	}
	at := int64(stamp) * s.unit
	if s.incremental {
		at += s.now
		s.now = min(at, trace.Limit)
	}
	return at, at <= trace.Limit
}

// convert turns a time on a clock into one on the primary clock, ns. Where the first time of a
// trace is on a clock that no snapshot relates to the default, that clock is the primary one: some
// writers have one clock and no snapshots.
func (c *clocks) convert(k clock, at int64) (int64, bool) {
	if l := &c.last; l.clock == k && l.from <= at && at < l.until {
		return at + l.sum, l.safe(at)
	}
	route, ok := c.route(k)
	if !ok && !c.fixed && k.sequence == 0 {
		c.primary, route, ok = k, nil, true
		clear(c.routes)
	}
	if !ok {
		return 0, false
	}
	c.fixed = true
	l := stretch{k, math.MinInt64, math.MaxInt64, 0}
	for _, to := range route {
		known := c.links[[2]clock{k, to}]
		now := at + l.sum
		i := sort.Search(len(known), func(i int) bool { return known[i].from > now })
		if i > 1 {
			l.from = max(l.from, known[i-1].from-l.sum)
		}
		if i < len(known) {
			l.until = min(l.until, known[i].from-l.sum)
		}
		a := known[max(i-1, 0)]
		if l.sum += a.to - a.from; at+l.sum > trace.Limit || at+l.sum < -trace.Limit {
			return 0, false
		}
		k = to
	}
	c.last = l
	return at + l.sum, true
}

// route returns the clocks over which a clock leads to the primary one, by breadth-first search.
func (c *clocks) route(k clock) ([]clock, bool) {
	if r, ok := c.routes[k]; ok {
		return r, r != nil
	}
	from := map[clock]clock{k: k}
	for queue := []clock{k}; len(queue) > 0; queue = queue[1:] {
		for _, n := range c.next[queue[0]] {
			if _, seen := from[n]; !seen {
				from[n] = queue[0]
				queue = append(queue, n)
			}
		}
	}
	var r []clock // nil if there is none, and empty for the primary clock itself
	if _, ok := from[c.primary]; ok {
		r = []clock{}
		for at := c.primary; at != k; at = from[at] {
			r = append(r, at)
		}
		slices.Reverse(r)
	}
	c.routes[k] = r
	return r, r != nil
}
