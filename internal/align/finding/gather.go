package finding

import (
	"slices"
	"sync"

	"diptych/internal/align"
	"diptych/internal/huge"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// The calls of all threads are gone through, for two results: the totals of both sides (totals.go),
// and the pairs of each function (pairs.go). Both need the self time of each call, and which
// function makes it, so these are found once. With two aligned threads it goes like this:
//
//	addThread      the totals of B's thread, and of A's; self times; by which edge A's are called
//	unevenLevels   calls without a partner, or with one of another function
//	straighten     self times by rank, where pairing is arbitrary
//	countPairs     how many pairs each function has
//	fill           the pairs, where they belong
//
// Several pairs of threads are gone through at once, each of them in memory that is used again for
// the next: 8 bytes for each of A's calls, and 4 for B's.

// gatherer goes through threads.
type gatherer struct {
	s      *study
	sides  [2]*adder
	spaces sync.Pool // of *gathering
	found  []effortParts
}

// effortParts is what two threads have: parts of efforts.
type effortParts struct {
	parts  []effortPart
	micros bool // all self times are whole microseconds
}

// effortPart is a part of an effort, which is numbered by dependence and identity.
type effortPart struct {
	effort int32
	part
}

// newGatherer returns a gatherer. All that was gathered before is forgotten.
func newGatherer(s *study) *gatherer {
	g := &gatherer{s: s}
	names := len(s.p.Names)
	for sd := range g.sides {
		g.sides[sd] = newAdder(s, pair.Side(sd))
	}
	g.spaces.New = func() any {
		return &gathering{gatherer: g, space: space{until: make([]int32, names)},
			counts: make([]int32, names*int(dependences))}
	}
	return g
}

// gatherTotals sums up all calls of both sides.
func (s *study) gatherTotals() error { return newGatherer(s).gather(nil) }

// gatherThreads does so, and gathers the pairs of all results by function and dependence.
func (s *study) gatherThreads() error {
	g := newGatherer(s)
	s.uneven = make([]uneven, len(s.results))
	for on := range s.longer {
		s.longer[on] = nil
	}
	g.found = make([]effortParts, len(s.results))
	err := g.gather(s.results)
	s.tickNs = 1000
	for _, of := range g.found {
		if !of.micros {
			s.tickNs = 1
		}
	}
	s.efforts = g.efforts()
	return err
}

// gather goes through the threads of some results, and gathers their pairs; and then through all
// other threads.
func (g *gatherer) gather(results []*align.Result) error {
	type lone struct {
		side   *adder
		thread int
	}
	var rest []lone
	for sd, side := range g.sides {
		in := make([]bool, len(side.tr.Threads))
		for _, r := range results {
			in[r.Indices[sd]] = true
		}
		for k := range side.tr.Threads {
			if !in[k] {
				rest = append(rest, lone{side, k})
			}
		}
	}
	return progress.Spread(g.s.ctx, len(results)+len(rest), func(k int) error {
		w := g.spaces.Get().(*gathering)
		defer g.spaces.Put(w)
		if k >= len(results) {
			l := rest[k-len(results)]
			l.side.addThread(l.thread, &w.space, &w.self[l.side.sd], nil)
			return nil
		}
		w.gatherResult(k, results[k])
		return g.s.meter.Add(g.s.ctx, pairPasses*int64(len(results[k].Partner[pair.A])))
	})
}

// efforts returns the efforts that the parts of all threads make.
func (g *gatherer) efforts() (efforts [dependences][]*effort) {
	at, names := map[int32]*effort{}, len(g.s.p.Names)
	for k := range g.found {
		for _, p := range g.found[k].parts {
			e := at[p.effort]
			if e == nil {
				e = &effort{id: uint32(int(p.effort) % names), on: dependence(int(p.effort) / names)}
				at[p.effort] = e
			}
			e.pairs += int(p.to - p.from)
			e.parts = append(e.parts, p.part)
		}
	}
	for _, key := range sortedKeys(at, func(x, y int32) int { return int(x) - int(y) }) {
		efforts[at[key].on] = append(efforts[at[key].on], at[key])
	}
	return efforts
}

// gathering gathers the pairs of one result.
type gathering struct {
	*gatherer
	space
	r      *align.Result
	self   [2]durations
	by     []int32              // the edge of each of A's calls
	on     []dependence         // nil if all calls depend on nothing else
	room   []dependence         // for on
	counts []int32              // by effort: pairs, then where the next one goes; 0 between results
	met    []int32              // efforts that may have pairs
	alone  []int32              // A's calls without a pair, in order
	longer [dependences][]int64 // by edge of A's thread: how much longer its pairs take in B, ns
	c      *columns
}

// gatherResult gathers the pairs of result k, or some once the context is done.
func (w *gathering) gatherResult(k int, r *align.Result) {
	w.r, w.c = r, &columns{k: int32(k), begin: w.s.beginOfBlocks(r)}
	w.by = resized(w.by, r.Threads[pair.A].Len())
	w.sides[pair.B].addThread(r.Indices[pair.B], &w.space, &w.self[pair.B], nil)
	if w.s.ctx.Err() != nil {
		return
	}
	w.sides[pair.A].addThread(r.Indices[pair.A], &w.space, &w.self[pair.A], w.by)
	if w.s.ctx.Err() != nil {
		return
	}
	of := effortParts{micros: w.self[pair.A].micros() && w.self[pair.B].micros()}
	w.on = w.s.rules[pair.A].inThread(r.Indices[pair.A], w.room)
	if w.on != nil {
		w.room = w.on
	}
	w.alone = w.alone[:0]
	if !w.s.equal[r] {
		w.s.uneven[k], w.alone = unevenLevels(r, w.ids(), w.s.different[k], w.alone)
		w.s.straighten(r, &w.self, w.s.uneven[k])
	}
	w.addUnclosed()
	w.countPairs()
	of.parts = w.placeParts()
	from := 0
	for _, i := range w.alone {
		w.fill(from, int(i))
		from = int(i) + 1
	}
	w.fill(from, len(r.Partner[pair.A]))
	w.addLonger()
	for _, e := range w.met {
		w.counts[e] = 0
	}
	w.found[k] = of
}

func (w *gathering) ids() [2][]uint32 { return [2][]uint32{w.sides[pair.A].ids, w.sides[pair.B].ids} }

// addUnclosed adds pairs to what is alone if the end of a call is not in the recording: how long it
// took is not known.
func (w *gathering) addUnclosed() {
	a, b := w.r.Threads[pair.A], w.r.Threads[pair.B]
	if !a.Flagged() && !b.Flagged() {
		return
	}
	for i, j := range w.r.Partner[pair.A] {
		if j != align.None && (a.Flags(i)|b.Flags(int(j)))&trace.Unclosed != 0 {
			w.alone = append(w.alone, int32(i))
		}
	}
	slices.Sort(w.alone)
	w.alone = slices.Compact(w.alone)
}

// countPairs counts the pairs of each effort: all calls that A's thread makes of a function, but
// for those without a pair.
func (w *gathering) countPairs() {
	w.met = w.met[:0]
	for k := range w.calls {
		w.count(int32(w.calls[k].id), w.calls[k].calls)
	}
	fns, ids := w.r.Threads[pair.A].Fn, w.sides[pair.A].ids
	for _, i := range w.alone {
		w.counts[ids[fns[i]]]--
	}
	for i, on := range w.on {
		if on == onFunction {
			continue
		}
		if _, alone := slices.BinarySearch(w.alone, int32(i)); !alone {
			id := ids[fns[i]]
			w.counts[id]--
			w.count(w.effortOf(on, id), 1)
		}
	}
}

func (w *gathering) count(effort, pairs int32) {
	if w.counts[effort] == 0 {
		w.met = append(w.met, effort)
	}
	w.counts[effort] += pairs
}

// effortOf returns the number of an effort.
func (w *gathering) effortOf(on dependence, id uint32) int32 {
	return int32(int(on)*len(w.s.p.Names) + int(id))
}

// placeParts makes the columns, and a part of them for each effort.
func (w *gathering) placeParts() (parts []effortPart) {
	slices.Sort(w.met)
	w.met = slices.Compact(w.met)
	at := int32(0)
	for _, e := range w.met {
		if n := w.counts[e]; n > 0 {
			parts = append(parts, effortPart{e, part{of: w.c, from: at, to: at + n}})
			w.counts[e], at = at, at+n
		}
	}
	w.c.times, w.c.calls = huge.Make[uint64](int(at)), huge.Make[int32](int(at))
	for on := range w.longer {
		w.longer[on] = append(w.longer[on][:0], make([]int64, len(w.calls))...)
	}
	return parts
}

// fill puts pairs where they belong: those of A's calls [from, to), all of which have one.
func (w *gathering) fill(from, to int) {
	r, c := w.r, w.c
	partner, by := r.Partner[pair.A][from:to], w.by[from:to]
	as, bs := w.self[pair.A].ns[from:to], w.self[pair.B].ns
	keys, counts := w.keys, w.counts
	wide := w.self[pair.A].wide != nil || w.self[pair.B].wide != nil
	for k, j := range partner {
		e, on := int32(keys[by[k]]), onFunction // of the key, that is the callee
		if w.on != nil && w.on[from+k] != onFunction {
			on = w.on[from+k]
			e = w.effortOf(on, uint32(e))
		}
		at, a, b := counts[e], as[k], bs[j]
		counts[e] = at + 1
		c.times[at], c.calls[at] = uint64(b)<<32|uint64(a), int32(from+k)
		w.longer[on][by[k]] += int64(b) - int64(a)
		if wide && (a == tooLong || b == tooLong) {
			w.setWide(at, int32(from+k), j)
		}
	}
}

// setWide sets the self times of a pair whose times 32 bits do not hold.
func (w *gathering) setWide(at, i, j int32) {
	if w.c.wide == nil {
		w.c.wide = map[int32][2]int64{}
	}
	w.c.wide[at] = [2]int64{w.self[pair.A].at(i), w.self[pair.B].at(j)}
}

// addLonger adds by how much pairs differ to the edges of A's side. Threads of sums have none.
func (w *gathering) addLonger() {
	side := w.sides[pair.A]
	if w.r.Threads[pair.A].Kind == trace.Sums {
		return
	}
	side.mu.Lock()
	defer side.mu.Unlock()
	for on, of := range w.longer {
		all := &w.s.longer[on]
		for k, ns := range of {
			if ns == 0 {
				continue
			}
			edge := int(w.lots[k].edge)
			if edge >= len(*all) {
				*all = append(*all, make([]int64, len(side.to.of)-len(*all))...)
			}
			(*all)[edge] += ns
		}
	}
}
