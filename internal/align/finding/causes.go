package finding

import (
	"cmp"
	"slices"
	"sync"

	"diptych/internal/pair"
	"diptych/internal/progress"
)

// Calls without a partner: missing, new, repeated or moved.
//
// A subtree without a partner is told as a whole, by its topmost call. levels.go counts such calls
// level by level; here they are summed up by site, the pair of caller and callee, over all
// threads. Only the difference between the sides is told, for two reasons: which of several equal
// calls an alignment leaves without a partner is arbitrary, and work that another thread or
// iteration has taken over is not gone. For example, in two runs of two threads:
//
//	main calls step without a partner   thread 1: 5 in A, 0 in B    thread 2: 0 in A, 7 in B
//	the site (main, step)               5 in A, 7 in B: 2 more in B, 5 moved
//
// What is left says at which functions to look; counts.go tells them with their totals. Calls that
// samples found have one site for all callers, and states of threads have none.

// site is where calls happen: a function, and the function that calls it.
type site struct {
	caller uint32
	calleeKind
}

// calleeKind is the function of a callee, and whether alignment passes through the call
// (levels.go). Calls that are passed through are kept apart, because only their self time is told.
type calleeKind struct {
	id    uint32
	level bool
}

const (
	atRoot   = 1<<32 - 1 // the caller of a thread's roots; identities are smaller
	anywhere = atRoot - 2
)

// chance is the number of standard deviations from which on a difference is not put down to
// chance. Numbers of calls and of samples are taken to vary by their root, as a Poisson
// distribution does.
const chance = 4

// unmatched sums up the calls without a partner at a site.
type unmatched struct {
	calls     [2]int64 // by side; topmost calls of subtrees only
	ns        [2]int64 // their time, including callees
	waits     [2]int64 // the part of it in calls that wait
	inLoops   [2]int64 // those on levels where both sides call the function
	loopCalls [2]int64 // all calls of the function on these levels
	at        [2]*Place
	most      [2]int64 // ns; at holds the longest call of each side

	byChance bool
	blocks   bool // but waits, so that each call is recorded
	rate     bool // its caller makes the call at another rate (counts.go)
}

// causes are the calls without a partner by site, in the order in which sites are met.
type causes struct {
	numbers pair.Numbers
	sites   []site
	all     paged[unmatched] // by site
}

// key numbers a site: identities are less than half of what 32 bits hold.
func (at site) key() uint64 { return pair.KeyOf(at.caller, at.id<<1|uint32(toInt(at.level))) }

// at returns what there is at a site, which may be new.
func (c *causes) at(at site) *unmatched {
	n := int(c.numbers.Of(at.key()))
	if n == len(c.sites) {
		c.sites = append(c.sites, at)
		c.all.add(n)
	}
	return c.of(n)
}

// of returns what there is at the n-th site.
func (c *causes) of(n int) *unmatched { return c.all.at(n) }

// find returns what there is at a site, or nil.
func (c *causes) find(at site) *unmatched {
	if n := c.numbers.Find(at.key()); n >= 0 {
		return c.of(int(n))
	}
	return nil
}

// findCauses counts the calls without a partner. Some thread pairs are gone through at a time; what
// they have is added in their order, by one goroutine while others count.
func (s *study) findCauses() error {
	names, ids := len(s.p.Names), [2][]uint32{s.identities(pair.A), s.identities(pair.B)}
	free := sync.Pool{New: func() any {
		return &present{wanted: make([]bool, names), slots: make([]int32, 2*names)}
	}}
	lists := sync.Pool{New: func() any { return new([]strays) }}
	for from := 0; from < len(s.results); from += atOnce {
		n := min(atOnce, len(s.results)-from)
		list := make([]*levels, n)
		inOrder := progress.NewOrder(n, func(i int) {
			if l := list[i]; l != nil {
				l.addToSites(s.moved[from+i])
				*l.room = l.found[:0]
				lists.Put(l.room)
				list[i] = nil
			}
		})
		err := progress.Spread(s.ctx, n, func(i int) error {
			k := from + i
			if u := s.uneven[k]; len(u) > 0 || len(s.moved[k]) > 0 {
				p := free.Get().(*present)
				defer free.Put(p)
				l := newLevels(s, k, &ids)
				l.room = lists.Get().(*[]strays)
				l.found = *l.room
				l.count(u, p)
				list[i], s.uneven[k] = l, nil
			}
			inOrder.Done(i)
			return s.meter.Add(s.ctx, int64(len(s.results[k].Partner[pair.A])))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// atOnce is how many thread pairs are gone through before what they have is added up, and how many
// levels before the next ones are looked up.
const atOnce = 64

// tellCauses tells what is missing, new, called more or less often, or moved.
func (s *study) tellCauses() {
	s.findRates()
	levels, counts := map[tellKey]*unmatched{}, map[uint32]*count{}
	for k, at := range s.causes.sites {
		t := s.causes.of(k)
		t.blocks = s.blocksAlone(at.id, t)
		n := t.net()
		if at.level {
			key := tellKey{[2]Kind{Missing, New}[toInt(n > 0)], at.id}
			if n != 0 && levels[key] == nil {
				levels[key] = &unmatched{}
			}
			if n != 0 {
				levels[key].merge(t, n)
			}
		} else if n != 0 || t.rate {
			if counts[at.id] == nil {
				counts[at.id] = &count{id: at.id}
			}
			counts[at.id].places = append(counts[at.id].places, s.placed(at.caller, at.id, t))
		}
	}
	for _, key := range sortedKeys(levels, tellKey.order) {
		if counts[key.id] == nil {
			s.tellLevel(key, levels[key])
		}
	}
	for _, id := range sortedKeys(counts, cmp.Compare[uint32]) {
		s.tellCount(counts[id])
	}
	s.tellMoves()
}

// tellKey identifies levels that are told together.
type tellKey struct {
	kind Kind
	id   uint32
}

func (c tellKey) order(d tellKey) int {
	return cmp.Or(cmp.Compare(c.kind, d.kind), cmp.Compare(c.id, d.id))
}

// net returns how many more calls without a partner B has at a site, 0 if chance explains it.
func (t *unmatched) net() int64 {
	n := t.calls[pair.B] - t.calls[pair.A]
	if t.byChance && !t.blocks && n*n < chance*chance*(t.calls[pair.A]+t.calls[pair.B]) {
		return 0
	}
	return n
}

// blocksAlone reports whether one side alone has several calls of a function that wait. These are
// recorded even where others are only sampled: an execution trace of Go has a stack wherever a
// goroutine blocks. When the runtime's own functions block is up to the runtime.
func (s *study) blocksAlone(id uint32, t *unmatched) bool {
	all := s.both(anywhere, id)
	return t.byChance && min(all[pair.A].calls, all[pair.B].calls) == 0 &&
		max(t.calls[pair.A], t.calls[pair.B]) >= fewMoved && t.mostlyWaits() && !s.ofRuntime(id)
}

// excess returns the time of the n calls that B has more, or that A has more if n is negative. In
// the latter case it is negative too. All calls of a site count as equally long.
func (t *unmatched) excess(n int64) int64 {
	if n < 0 {
		return -mulDiv(t.ns[pair.A], -n, t.calls[pair.A])
	}
	return mulDiv(t.ns[pair.B], n, t.calls[pair.B])
}

// mulDiv returns x·num/den for 0 ≤ num ≤ den.
func mulDiv(x, num, den int64) int64 {
	if num == den {
		return x
	}
	return int64(float64(x) * (float64(num) / float64(den)))
}

func (t *unmatched) mostlyWaits() bool {
	return 2*(t.waits[pair.A]+t.waits[pair.B]) > t.ns[pair.A]+t.ns[pair.B]
}

// merge adds a site, at which B has n more calls, to what is told of its function.
func (t *unmatched) merge(o *unmatched, n int64) {
	sd := pair.Side(toInt(n > 0))
	t.calls[sd] += magnitude(n)
	t.ns[sd] += magnitude(o.excess(n))
	if o.most[sd] > t.most[sd] || t.at[sd] == nil {
		t.most[sd], t.at[sd] = o.most[sd], o.at[sd]
	} else if o.most[sd] == t.most[sd] && o.at[sd].before(t.at[sd]) {
		t.at[sd] = o.at[sd]
	}
}

func (p *Place) before(q *Place) bool {
	return cmp.Or(cmp.Compare(p.Thread, q.Thread), cmp.Compare(p.Call, q.Call)) < 0
}

// tellLevel tells a level that only one side has between two others. If the other side has the
// function elsewhere, it is told with all its calls.
func (s *study) tellLevel(c tellKey, t *unmatched) {
	sd := pair.Side(toInt(c.kind == New))
	all := s.both(anywhere, c.id)
	f := Finding{Kind: c.kind, Function: s.names[c.id], ID: c.id, At: t.at,
		Calls:  [2]int64{all[pair.A].calls, all[pair.B].calls},
		Claims: s.claims(anywhere, c.id, Calls, SelfNs), DeltaNs: all[pair.B].self - all[pair.A].self}
	if all[sd.Other()].calls > 0 {
		if f.Kind = Called; (f.Calls[pair.B] > f.Calls[pair.A]) != (c.kind == New) {
			return
		}
	}
	if s.share(f.DeltaNs) >= s.o.Least {
		f.Text = s.levelWords(&f, sd)
		s.addFinding(f)
	}
}

// sortedKeys returns the keys of m in order, since findings must not depend on the order of a map.
func sortedKeys[K comparable, V any](m map[K]V, order func(x, y K) int) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, order)
	return keys
}
