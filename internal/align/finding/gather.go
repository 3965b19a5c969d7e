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
// and the pairs of each function (pairs.go). With two aligned threads it goes like this:
//
//	countPairs     how many pairs each function has: where they belong
//	walk           the calls of both threads, side by side (joint.go)
//	straighten     self times by rank, where pairing is arbitrary
//	addToSide      what the threads have, to the totals of their sides
//
// Several pairs of threads are gone through at once. What short ones have in a row is put together
// (rows.go).

// gatherer goes through threads.
type gatherer struct {
	s      *study
	sides  [2]*adder
	spaces sync.Pool // of *gathering
	found  []effortParts

	sameNumbers bool // a function that both sides number alike has one identity
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
	ids := [2][]uint32{g.sides[pair.A].ids, g.sides[pair.B].ids}
	g.sameNumbers = sameNumbers(&ids)
	g.spaces.New = func() any {
		return &gathering{gatherer: g, space: newSpace(names),
			counts: make([]int32, names*int(dependences))}
	}
	return g
}

// gatherTotals sums up all calls of both sides.
func (s *study) gatherTotals() error { return newGatherer(s).gather(nil) }

// gatherThreads does so, and gathers the pairs of all results by function and dependence.
func (s *study) gatherThreads() error {
	g := newGatherer(s)
	s.uneven, s.begins = make([]uneven, len(s.results)), make([]blockBegins, len(s.results))
	for on := range s.longer {
		s.longer[on] = nil
	}
	g.found = rowsOf(s.results)
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
			if !in[k] && g.s.p.SampleTypeOf(side.sd, k) == g.s.sampleType {
				rest = append(rest, lone{side, k})
			}
		}
	}
	rows := g.found
	order := progress.LargestFirst(len(rows)+len(rest), func(k int) int {
		if k >= len(rows) {
			l := rest[k-len(rows)]
			return l.side.tr.Threads[l.thread].Len()
		}
		return sizeOf(results[rows[k].from:rows[k].to])
	})
	err := progress.Spread(g.s.ctx, len(order), func(n int) error {
		w, k := g.spaces.Get().(*gathering), order[n]
		defer g.spaces.Put(w)
		if k >= len(rows) {
			l := rest[k-len(rows)]
			l.side.addThread(l.thread, &w.space)
			return nil
		}
		return w.gatherRow(&rows[k], results)
	})
	for _, side := range g.sides {
		side.to.sumFunctions()
	}
	return err
}

// efforts returns the efforts that the parts of all threads make.
func (g *gatherer) efforts() (efforts [dependences][]*effort) {
	names, all := len(g.s.p.Names), 0
	counts, pairs := make([]int32, names*int(dependences)), make([]int, names*int(dependences))
	for k := range g.found {
		all += len(g.found[k].parts)
		for _, p := range g.found[k].parts {
			counts[p.effort]++
			pairs[p.effort] += int(p.to - p.from)
		}
	}
	room, at := make([]part, all), make([]*effort, len(counts))
	for key, n := range counts {
		if n > 0 {
			e := &effort{id: uint32(key % names), on: dependence(key / names), pairs: pairs[key], parts: room[:0:n]}
			room, at[key] = room[n:], e
			efforts[e.on] = append(efforts[e.on], e)
		}
	}
	for k := range g.found {
		for i := range g.found[k].parts {
			p := &g.found[k].parts[i]
			at[p.effort].parts = append(at[p.effort].parts, p.part)
		}
		g.found[k].parts = nil
	}
	return efforts
}

// gathering gathers the pairs of one result.
type gathering struct {
	*gatherer
	space
	r       *align.Result
	c       *columns
	parts   []effortPart // of the columns
	row     []effortPart // of the results of the row so far
	several bool         // the row has other results
	times64 []uint64     // the columns of these, until they are put together (rows.go)
	calls32 []int32
	wide    map[int32][2]int64
	depends []dependence // what A's calls depend on; nil if all depend on nothing else
	room    []dependence // for depends
	counts  []int32      // by effort: pairs, then where the next one goes; 0 between results
	met     []int32      // efforts that may have pairs
	alone   []int32      // A's calls without a pair, in order, from the present one on
	levels  uneven       // with strays
	long    [][2]int32   // paired calls of which one takes longer than 32 bits tell
	special []specialPair
	longer  [dependences][]int64 // by edge: how much longer its pairs take in B, ns
	times   [stretch]uint64      // durations of joint calls, as columns have self times
	slots   []int32              // by level: where the pair of the call around it is
}

// gatherResult gathers the pairs of result k, or some once the context is done. Those of one of
// several stay in memory that is used again.
func (w *gathering) gatherResult(k int, r *align.Result, several bool) {
	w.r, w.c, w.several = r, &columns{}, several
	w.s.begins[k] = w.s.beginOfBlocks(r)
	for sd, side := range w.sides {
		w.begin(pair.Side(sd), side, r.Indices[sd])
	}
	w.depends = w.s.rules[pair.A].inThread(r.Indices[pair.A], w.room)
	w.depends = w.s.withParts(w.depends, w.room, r)
	if w.depends != nil {
		w.room = w.depends
	}
	w.findAlone(k)
	w.countPairs()
	w.placeParts(int32(k))
	w.walk()
	if w.s.ctx.Err() != nil {
		return
	}
	w.endPairs()
	w.s.uneven[k] = w.levels.sorted()
	w.straighten(w.s.uneven[k])
	for sd := range w.sides {
		w.addToSide(pair.Side(sd))
	}
	w.addLonger()
	for _, e := range w.met {
		w.counts[e] = 0
	}
	w.endParts()
}

// findAlone finds the calls of A that are in no pair: they have no partner, or one of another
// function, or the end of one of the two is not in the recording, so that it is not known how long
// it took.
func (w *gathering) findAlone(k int) {
	r, ids := w.r, w.ids()
	a, b := r.Threads[pair.A], r.Threads[pair.B]
	w.alone, w.levels = w.alone[:0], nil
	if !w.s.equal[r] {
		for i, j := range r.Partner[pair.A] {
			if j == align.None {
				w.alone = append(w.alone, int32(i))
			}
		}
		for _, i := range w.s.different[k] {
			if j := r.Partner[pair.A][i]; j != align.None && ids[pair.A][a.Fn[i]] != ids[pair.B][b.Fn[j]] {
				w.alone = append(w.alone, i)
			}
		}
	}
	if a.Flagged() || b.Flagged() {
		for i, j := range r.Partner[pair.A] {
			if j != align.None && (a.Flags(i)|b.Flags(int(j)))&trace.Unclosed != 0 {
				w.alone = append(w.alone, int32(i))
			}
		}
	}
	slices.Sort(w.alone)
	w.alone = slices.Compact(w.alone)
}

func (w *gathering) ids() [2][]uint32 { return [2][]uint32{w.sides[pair.A].ids, w.sides[pair.B].ids} }

// countPairs counts the pairs of each effort: all calls that A's thread makes of a function, but
// for those without a pair.
func (w *gathering) countPairs() {
	w.met = w.met[:0]
	counts, fns, ids := w.counts, w.r.Threads[pair.A].Fn, w.sides[pair.A].ids
	for _, fn := range fns {
		id := ids[fn]
		if counts[id] == 0 {
			w.met = append(w.met, int32(id))
		}
		counts[id]++
	}
	for _, i := range w.alone {
		counts[ids[fns[i]]]--
	}
	for i, on := range w.depends {
		if on == onFunction {
			continue
		}
		if _, alone := slices.BinarySearch(w.alone, int32(i)); !alone {
			id := ids[fns[i]]
			counts[id]--
			e := w.effortOf(on, id)
			if counts[e] == 0 {
				w.met = append(w.met, e)
			}
			counts[e]++
		}
	}
}

// effortOf returns the number of an effort.
func (w *gathering) effortOf(on dependence, id uint32) int32 {
	return int32(int(on)*len(w.s.p.Names) + int(id))
}

// placeParts makes the columns, and a part of them for each effort.
func (w *gathering) placeParts(k int32) {
	slices.Sort(w.met)
	w.met = slices.Compact(w.met)
	w.parts = w.parts[:0]
	at := int32(0)
	for _, e := range w.met {
		if n := w.counts[e]; n > 0 {
			w.parts = append(w.parts, effortPart{e, part{of: w.c, k: k, from: at, to: at + n}})
			w.counts[e], at = at, at+n
		}
	}
	if !w.several {
		w.c.times, w.c.calls = huge.Make[uint64](int(at)+1), huge.Make[int32](int(at))
		return
	}
	w.times64, w.calls32 = slices.Grow(w.times64, int(at)+1), slices.Grow(w.calls32, int(at))
	w.c.times, w.c.calls = room(w.times64, int(at)+1), room(w.calls32, int(at))
	w.c.times[at] = 0 // of no pair: all others are set before anything is taken off them
}

// addLonger adds by how much pairs differ to the edges of A's side. Threads of sums have none.
func (w *gathering) addLonger() {
	side := w.sides[pair.A]
	if w.r.Threads[pair.A].Kind == trace.Sums {
		return
	}
	for edge := range w.joint {
		e := &w.joint[edge]
		w.addTo(onFunction, int32(edge), e.ns[pair.B]-e.below[pair.B]-(e.ns[pair.A]-e.below[pair.A]))
	}
	side.mu.Lock()
	defer side.mu.Unlock()
	for on, of := range w.longer {
		all := &w.s.longer[on]
		for k, ns := range of {
			if ns == 0 || k == noEdge {
				continue
			}
			edge := int(w.all[w.of[k]].number[pair.A])
			if edge >= len(*all) {
				*all = append(*all, make([]int64, len(side.to.keys)-len(*all))...)
			}
			(*all)[edge] += ns
		}
	}
}

// addTo adds how much longer pairs of an edge take in B.
func (w *gathering) addTo(on dependence, edge int32, ns int64) {
	of := &w.longer[on]
	if ns == 0 {
		return
	}
	if n := int(edge) + 1 - len(*of); n > 0 {
		*of = append(*of, make([]int64, n)...)
	}
	(*of)[edge] += ns
}
