package finding

import (
	"math"
	"sort"
	"sync"

	"diptych/internal/align"
	"diptych/internal/huge"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// The pairs of each function, as columns.
//
// The pairs of two threads stand together by effort, and within an effort in the order of A's
// calls. An effort is a part of these columns for each pair of threads in which the function
// occurs. So whatever is computed of a function's pairs reads memory from front to back:
//
//	threads 1      f f f g g      efforts f: a part of 3 pairs of threads 1, one of 2 of threads 2
//	threads 2      g f f                  g: a part of 2, one of 1
//
// Memory is 12 bytes a pair, given back once all are judged, and while the pairs of two threads are
// gathered another 4 bytes for each of their calls.

// twin is a pair of calls of one function: of result k, call i of A and call j of B; and their self
// times, ns.
type twin struct {
	k, i, j int32
	a, b    float64
}

// columns are the pairs of two threads.
type columns struct {
	k     int32              // of the result
	times []uint64           // self times, ns, A's in the low half; tooLong for those of wide
	calls []int32            // A's
	wide  map[int32][2]int64 // by pair
	// begin is where the blocks of the run begin, by A's calls; each effort has these in order.
	begin [blocks]int32
}

// part is pairs of two threads that belong to one effort.
type part struct {
	of       *columns
	from, to int32

	change, self float64 // Σ d and Σ a of them, ns, once they are weighed
}

// tooLong stands for a time that 32 bits do not hold.
const tooLong = 1<<32 - 1

// durations are times of the calls of a thread, ns.
type durations struct {
	ns   []uint32
	wide map[int32]int64 // those that 32 bits do not hold
}

func (d *durations) at(i int32) int64 {
	if ns := d.ns[i]; ns != tooLong {
		return int64(ns)
	}
	return d.wide[i]
}

func (d *durations) set(i int32, ns int64) {
	if uint64(ns) < tooLong {
		d.ns[i] = uint32(ns)
		return
	}
	if d.wide == nil {
		d.wide = map[int32]int64{}
	}
	d.ns[i], d.wide[i] = tooLong, ns
}

// selfTimes returns the self time of each call, ns, and whether all of them are whole microseconds.
func selfTimes(th *trace.Thread) (self durations, micros bool) {
	self.ns = huge.Make[uint32](th.Len())
	var below []int64 // by level: the time of the calls whose caller has not been reached
	micros = true
	for i := th.Len() - 1; i >= 0; i-- { // callees come before their callers
		depth := int(th.Depth(i))
		for len(below) < depth+2 {
			below = append(below, 0)
		}
		d := th.Dur(i)
		own := d - below[depth+1]
		below[depth], below[depth+1] = below[depth]+d, 0
		micros = micros && own%1000 == 0
		self.set(int32(i), own)
	}
	return self, micros
}

// gatherPairs gathers the pairs of all results by function and dependence.
func (s *study) gatherPairs() error {
	g := gatherer{s: s}
	s.uneven = make([]uneven, len(s.results))
	names := len(s.p.Names)
	g.counts.New = func() any { return new(make([]int32, names*int(dependences))) }
	for sd := range g.ids {
		g.ids[sd] = s.identities(pair.Side(sd))
	}
	parts := make([][]effortPart, len(s.results))
	micros := make([]bool, len(s.results))
	err := progress.Spread(s.ctx, len(s.results), func(k int) error {
		parts[k], micros[k] = g.gather(k)
		return s.meter.Add(s.ctx, pairPasses*int64(len(s.results[k].Partner[pair.A])))
	})
	s.tickNs = 1000
	for t := range s.efforts {
		s.efforts[t] = nil
	}
	at := map[int32]*effort{}
	for k := range parts {
		if !micros[k] {
			s.tickNs = 1
		}
		for _, p := range parts[k] {
			e := at[p.effort]
			if e == nil {
				e = &effort{id: uint32(int(p.effort) % names)}
				at[p.effort] = e
			}
			e.pairs += int(p.to - p.from)
			e.parts = append(e.parts, p.part)
		}
		parts[k] = nil
	}
	for _, key := range sortedKeys(at, func(x, y int32) int { return int(x) - int(y) }) {
		t := int(key) / names
		s.efforts[t] = append(s.efforts[t], at[key])
	}
	return err
}

// gatherer gathers the pairs of results, several at a time.
type gatherer struct {
	s      *study
	ids    [2][]uint32 // identity by function
	counts sync.Pool   // *[]int32 by effort, all 0
}

// effortPart is a part of an effort, which is numbered by dependence and identity.
type effortPart struct {
	effort int32
	part
}

// gather returns the pairs of result k, and whether all self times are whole microseconds.
func (g *gatherer) gather(k int) (parts []effortPart, micros bool) {
	r, self := g.s.results[k], [2]durations{}
	micros = true
	for sd, th := range r.Threads {
		all := false
		self[sd], all = selfTimes(th)
		micros = micros && all
	}
	if !g.s.equal[r] {
		g.s.uneven[k] = unevenLevels(r, &g.ids)
		g.s.straighten(r, &self, g.s.uneven[k])
	}
	w := gathering{gatherer: g, r: r, counts: *g.counts.Get().(*[]int32)}
	w.on = g.s.rules[pair.A].inThread(r.Indices[pair.A])
	for sd, th := range r.Threads {
		w.fns[sd], w.flagged = th.Fn, w.flagged || th.Flagged()
	}
	pairs := int32(0)
	for i, j := range r.Partner[pair.A] {
		if e := w.effortOf(int32(i), j); e >= 0 {
			if w.counts[e] == 0 {
				parts = append(parts, effortPart{effort: e})
			}
			w.counts[e]++
			pairs++
		}
	}
	w.c = &columns{k: int32(k), times: huge.Make[uint64](int(pairs)),
		calls: huge.Make[int32](int(pairs)), begin: g.s.beginOfBlocks(r)}
	at := int32(0)
	for n := range parts {
		p := &parts[n]
		p.part = part{of: w.c, from: at, to: at + w.counts[p.effort]}
		w.counts[p.effort], at = p.from, p.to
	}
	w.fill(&self)
	for _, p := range parts {
		w.counts[p.effort] = 0
	}
	g.counts.Put(&w.counts)
	return parts, micros
}

// gathering gathers the pairs of one result.
type gathering struct {
	*gatherer
	r       *align.Result
	fns     [2][]trace.FuncID
	flagged bool         // some calls may have marks
	on      []dependence // nil if all calls depend on nothing else
	counts  []int32      // by effort: pairs, and then where the next one goes
	c       *columns
}

// effortOf returns the effort of a pair, or −1 if it has none: the calls are of two functions, or
// the end of one is not in the recording, so how long it took is not known.
func (w *gathering) effortOf(i, j int32) int32 {
	if j == align.None {
		return -1
	}
	id := w.ids[pair.A][w.fns[pair.A][i]]
	if id != w.ids[pair.B][w.fns[pair.B][j]] || w.flagged && w.unclosed(i, j) {
		return -1
	}
	if w.on == nil || w.on[i] == onFunction {
		return int32(id)
	}
	return int32(int(w.on[i])*len(w.s.p.Names) + int(id))
}

func (w *gathering) unclosed(i, j int32) bool {
	a, b := w.r.Threads[pair.A], w.r.Threads[pair.B]
	return (a.Flags(int(i))|b.Flags(int(j)))&trace.Unclosed != 0
}

// fill puts the pairs where they belong.
func (w *gathering) fill(self *[2]durations) {
	as, bs := self[pair.A].ns, self[pair.B].ns
	for i, j := range w.r.Partner[pair.A] {
		e := w.effortOf(int32(i), j)
		if e < 0 {
			continue
		}
		at := w.counts[e]
		w.counts[e]++
		a, b := as[i], bs[j]
		w.c.times[at], w.c.calls[at] = uint64(b)<<32|uint64(a), int32(i)
		if a == tooLong || b == tooLong {
			if w.c.wide == nil {
				w.c.wide = map[int32][2]int64{}
			}
			w.c.wide[at] = [2]int64{self[pair.A].at(int32(i)), self[pair.B].at(j)}
		}
	}
}

// beginOfBlocks returns the first call of A's thread that begins in each block or later.
func (s *study) beginOfBlocks(r *align.Result) (first [blocks]int32) {
	th, of := r.Threads[pair.A], newBlocks(s.p.A.Duration)
	for k := range first {
		first[k] = int32(sort.Search(th.Len(), func(i int) bool { return int(of.of(th.Start(i))) >= k }))
	}
	return first
}

// blockFinder says in which block of the run a moment lies.
type blockFinder struct{ duration float64 }

func newBlocks(duration int64) blockFinder { return blockFinder{float64(max(duration, 1))} }

func (f blockFinder) of(ns int64) uint8 {
	return uint8(min(max(int(float64(ns)/f.duration*blocks), 0), blocks-1))
}

// chunk is some pairs of one part of an effort.
type chunk struct {
	*part
	k     int32     // of the result
	a, b  []float64 // self times, ns
	calls []int32   // A's

	space [2][chunkPairs]float64
	list  [3][chunkPairs]float64 // for what is computed of each pair
}

// chunkPairs is so few that all lists of a chunk stay in the nearest cache.
const chunkPairs = 512

var chunkPool = sync.Pool{New: func() any { return new(chunk) }}

// chunks goes through the pairs of an effort. A chunk is valid until the next one.
func (e *effort) chunks(yield func(c *chunk) bool) {
	c := chunkPool.Get().(*chunk)
	defer chunkPool.Put(c)
	for k := range e.parts {
		p := &e.parts[k]
		for from := p.from; from < p.to; from += chunkPairs {
			c.part = p
			c.load(p.of, from, min(from+chunkPairs, p.to))
			if !yield(c) {
				return
			}
		}
	}
}

func (c *chunk) load(of *columns, from, to int32) {
	n := to - from
	c.k, c.calls = of.k, of.calls[from:to]
	c.a, c.b = c.space[0][:n], c.space[1][:n]
	splitTimes(c.a, c.b, of.times[from:to])
	if of.wide == nil {
		return
	}
	for p, a := range c.a {
		if a == tooLong || c.b[p] == tooLong {
			ns := of.wide[from+int32(p)]
			c.a[p], c.b[p] = float64(ns[pair.A]), float64(ns[pair.B])
		}
	}
}

// lists returns three lists with room for a number of each pair.
func (c *chunk) lists() (x, y, z []float64) {
	n := len(c.a)
	return c.list[0][:n], c.list[1][:n], c.list[2][:n]
}

// blockOf returns in which block of the run a call of A begins, and the first call of a later one.
// It looks from a block on that is not too late.
func (c *columns) blockOf(call int32, from int) (block int, next int32) {
	for block = from; block+1 < blocks; block++ {
		if call < c.begin[block+1] {
			return block, c.begin[block+1]
		}
	}
	return block, math.MaxInt32
}

// twin returns pair p of a chunk.
func (s *study) twin(c *chunk, p int) twin {
	i := c.calls[p]
	return twin{c.k, i, s.results[c.k].Partner[pair.A][i], c.a[p], c.b[p]}
}

// placesOf returns where the calls of a pair are.
func (s *study) placesOf(w twin) [2]*Place {
	r := s.results[w.k]
	return [2]*Place{placeOf(r, pair.A, w.i), placeOf(r, pair.B, w.j)}
}
