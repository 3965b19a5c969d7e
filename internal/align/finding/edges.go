package finding

import (
	"math"
	"math/bits"
	"slices"

	"diptych/internal/huge"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// space is what is known of the threads that are gone through: one, or two that are aligned.
// Threads use it one after the other.
//
// The calls are gone through once, in stretches, with what is around the present one by level. Of
// each stretch first the edges are found, by which each call and its caller are called, and then
// times are added to them: the processor does several such simple steps at a time.
type space struct {
	on     [2]threadOn            // by side
	known  pair.Numbers           // of the edges of all threads so far,
	all    []knownEdge            // by their numbers
	round  uint32                 // of the present threads
	of     []int32                // by edge: its number among known
	keys   []uint64               // by edge
	joint  []jointSums            // by edge
	above  []frame                // by level
	top    []uint32               // by identity: see nameEdges
	edge   [stretch]int32         // of the calls of a stretch
	up     [stretch]int32         // edges of their callers
	nested []int32                // those that are inside another call of their function
	cache  [1 << cacheBits]uint16 // edges, where a key is looked up before it is among all edges
	lots   []lot                  // empty; what follows is free
}

// knownEdge is an edge that some thread has. Where there are thousands of threads, most edges of
// one are known from others.
type knownEdge struct {
	round  uint32   // of the last threads that have it,
	edge   int32    // and its number there
	number [2]int32 // in the totals of each side; −1 if it has none, as far as is known
}

func newSpace(names int) space { return space{top: make([]uint32, names)} }

// threadOn is a thread of one side, or none.
type threadOn struct {
	*adder
	th     *trace.Thread
	index  int           // in the trace
	blocks []trace.Block // of calls that are not gone through yet
	sums   []edgeSums    // by edge: what is not joint
}

// frame is the call around those of a level.
type frame struct {
	id   uint32 // of its function
	from uint32 // the function that calls them: its own, or that in which a state is
	edge int32  // by which it is called
}

const (
	// cacheBits is enough for most edges of a program of thousands of functions: 16 KB.
	cacheBits = 13
	// stretch is so few calls that what is known of them stays in the nearest cache.
	stretch = 512
	// noEdge is that by which nothing is called: the one of what is around the roots.
	noEdge = 0
)

// edgeSums is what the calls of an edge on one side come to.
type edgeSums struct {
	ns, below int64 // including callees, and of the callees only
	nested    int64 // of calls inside another call of the function, joint ones too
	longest   int64
	waits     int64  // self time, of joint ones too
	squares   square // of self times of states, of joint ones too
	calls, at int32
	first     int32 // call, of joint ones too
}

// jointSums is what the joint calls of an edge come to, by side.
type jointSums struct {
	ns, below, longest [2]int64
	at                 [2]int32
	calls              int32
}

// addThread adds the calls of thread k of a side, all by themselves.
func (a *adder) addThread(k int, p *space) {
	p.begin(a.sd, a, k)
	p.clear(a.tr.Threads[k].MaxDepth())
	p.addAlone(a.sd, 0, a.tr.Threads[k].Len())
	p.addToSide(a.sd)
}

// begin begins to go through thread k of a side.
func (p *space) begin(sd pair.Side, a *adder, k int) {
	th := a.tr.Threads[k]
	p.on[sd].adder, p.on[sd].th, p.on[sd].index, p.on[sd].blocks = a, th, k, th.Blocks
}

// clear forgets the threads before, in no more time than that needs: there may be many short ones.
func (p *space) clear(depth int) {
	p.round++
	p.keys, p.of, p.joint = p.keys[:0], p.of[:0], p.joint[:0]
	for sd := range p.on {
		p.on[sd].sums = p.on[sd].sums[:0]
	}
	p.edgeOf(pair.KeyOf(atRoot, atRoot)) // noEdge
	p.above = resized(p.above, depth+2)
	p.above[0] = frame{atRoot, atRoot, noEdge}
}

// addAlone adds calls [from, to) of a side, which are a whole subtree that the other side does not
// have there, or a whole thread.
func (p *space) addAlone(sd pair.Side, from, to int) {
	for at := from; at < to; at += stretch {
		end := min(at+stretch, to)
		p.nameEdges(sd, at, end)
		if at == from { // the caller is joint
			p.joint[p.up[0]].below[sd] += p.on[sd].th.Dur(from)
			p.up[0] = noEdge
		}
		p.addCalls(sd, at, end)
		p.addMarks(sd, at, end)
	}
}

// nameEdges finds the edges of calls [from, to) of a side, and of their callers. What a state
// contains is called by the call around it.
//
// A call is nested if its function is that of a call around it. Of these the outermost one is at
// the level that top has for the function, which was noted when it was met: no call in it changes
// that. So one look at that level is enough. Where top has another level, of a thread before or of
// a call that is over, there is another function, or the level is not around the call.
func (p *space) nameEdges(sd pair.Side, from, to int) {
	on := &p.on[sd]
	th, ids, above, keys, top := on.th, on.ids, p.above, p.keys, p.top
	edges, ups := p.edge[:to-from], p.up[:to-from]
	p.nested = p.nested[:0]
	for k, fn := range th.Fn[from:to] {
		depth, id := th.Depth(from+k), ids[fn]
		up := &above[depth]
		key := pair.KeyOf(up.from, id)
		slot := key * 0x9e3779b97f4a7c15 >> (64 - cacheBits)
		edge := int32(p.cache[slot])
		if int(edge) >= len(keys) || keys[edge] != key {
			edge = p.lookUp(slot, key)
			keys = p.keys
		}
		edges[k], ups[k] = edge, up.edge
		if d := top[id]; d < depth && above[d+1].id == id {
			p.nested = append(p.nested, int32(k))
		} else {
			top[id] = depth
		}
		caller := id
		if on.any && on.states[fn] {
			caller = up.from
		}
		above[depth+1] = frame{id, caller, edge}
	}
}

// lookUp returns the edge of a key that is not in its slot of the cache, where it is from now on.
// What was there moves to the slot beside, in which the key may have been.
func (p *space) lookUp(slot, key uint64) int32 {
	edge := int32(p.cache[slot^1])
	if int(edge) >= len(p.keys) || p.keys[edge] != key {
		edge = p.edgeOf(key)
	}
	if edge <= math.MaxUint16 {
		p.cache[slot], p.cache[slot^1] = uint16(edge), p.cache[slot]
	}
	return edge
}

// edgeOf returns the edge of a key: from a function to another.
func (p *space) edgeOf(key uint64) int32 {
	n := p.known.Of(key)
	if int(n) == len(p.all) {
		p.all = append(p.all, knownEdge{number: [2]int32{-1, -1}})
	}
	if all := &p.all[n]; all.round != p.round {
		all.round, all.edge = p.round, int32(len(p.keys))
		p.keys, p.of = append(p.keys, key), append(p.of, n)
		p.joint = append(roomy(p.joint), jointSums{longest: [2]int64{-1, -1}})
		for sd := range p.on {
			sums := roomy(p.on[sd].sums)
			p.on[sd].sums = append(sums, edgeSums{longest: -1, first: math.MaxInt32})
		}
	}
	return p.all[n].edge
}

// roomy returns a list with room for one more. Where there is none it makes room for as many again,
// so that less is copied than if append did, and asks for huge pages.
func roomy[T any](list []T) []T {
	if len(list) < cap(list) {
		return list
	}
	list = slices.Grow(list, len(list)+1)
	huge.Advise(list)
	return list
}

// addCalls adds calls [from, to) of a side, whose edges are known.
func (p *space) addCalls(sd pair.Side, from, to int) {
	th, sums, ups := p.on[sd].th, p.on[sd].sums, p.up[:to-from]
	for k, edge := range p.edge[:to-from] {
		i := from + k
		ns := th.Dur(i)
		sums[ups[k]].below += ns
		e := &sums[edge]
		e.calls++
		e.ns += ns
		if ns > e.longest {
			e.longest, e.at = ns, int32(i)
			e.first = min(e.first, int32(i))
		}
	}
}

// addMarks adds what only some of calls [from, to) of a side have: those that are nested, those
// that a mark says wait, and states.
func (p *space) addMarks(sd pair.Side, from, to int) {
	on := &p.on[sd]
	for _, k := range p.nested {
		on.sums[p.edge[k]].nested += on.th.Dur(from + int(k))
	}
	for ; len(on.blocks) > 0 && int(on.blocks[0].Call) < to; on.blocks = on.blocks[1:] {
		if b := on.blocks[0]; b.Kind == trace.Wait {
			on.sums[p.edge[int(b.Call)-from]].waits += on.th.Self(int(b.Call))
		}
	}
	if !on.any {
		return
	}
	for k, fn := range on.th.Fn[from:to] {
		if on.states[fn] {
			on.sums[p.edge[k]].squares.addSquare(on.th.Self(from + k))
		}
	}
}

// addSquare adds the square of a time.
func (q *square) addSquare(ns int64) {
	q.add(bits.Mul64(uint64(magnitude(ns)), uint64(magnitude(ns))))
}

// total returns what a thread of a side has of an edge.
func (p *space) total(sd pair.Side, edge int) total {
	on, j := &p.on[sd], &p.joint[edge]
	e := on.sums[edge]
	e.ns, e.below, e.calls = e.ns+j.ns[sd], e.below+j.below[sd], e.calls+j.calls
	if j.longest[sd] > e.longest || j.longest[sd] == e.longest && j.at[sd] < e.at {
		e.longest, e.at = j.longest[sd], j.at[sd]
	}
	t := total{calls: int64(e.calls), self: e.ns - e.below, inAll: e.ns - e.nested, inEach: e.ns,
		squares: e.squares, waits: e.waits, longest: e.longest, at: Place{on.index, e.at}}
	if on.th.Kind == trace.Runtime {
		t.aside = t.self
	}
	switch {
	case on.th.Kind == trace.AsyncTrack:
		t.async = t.inAll
	case on.s.p.Partner(sd, on.index) < 0:
		t.lone = t.calls
	}
	return t
}

// addToSide adds what the thread of a side has to the sums of the side, unless it has sums itself.
func (p *space) addToSide(sd pair.Side) {
	on := &p.on[sd]
	if on.th.Kind == trace.Sums {
		return
	}
	if cap(p.lots) < len(p.keys) {
		p.lots = make([]lot, 0, max(len(p.keys), lotsAtOnce))
	}
	lots := p.lots
	on.mu.Lock()
	defer on.mu.Unlock()
	to := on.to
	for edge, key := range p.keys {
		e := p.total(sd, edge)
		if e.calls == 0 {
			continue
		}
		n := &p.all[p.of[edge]].number[sd]
		if *n < 0 {
			*n = to.numberOf(key)
		}
		of := to.of.at(int(*n))
		of.merge(&e)
		of.enter(on.index)
		to.functions[uint32(key)].enter(on.index)
		lots = append(lots, lot{*n, on.sums[edge].first, int32(e.calls)})
	}
	to.inThread[on.index] = slices.Clip(lots)
	p.lots = lots[len(lots):]
}

// lotsAtOnce is how many lots of short threads have their memory together.
const lotsAtOnce = 4096

// numberOf returns the number of an edge, which may be new.
func (t *totals) numberOf(key uint64) int32 {
	n := t.edges.Of(key)
	if int(n) == len(t.keys) {
		t.keys = append(t.keys, key)
		t.of.add(int(n))
	}
	return n
}

// find returns the edge of a key, or −1 if nothing is called by it.
func (p *space) find(key uint64) int32 {
	if n := p.known.Find(key); n >= 0 && p.all[n].round == p.round {
		return p.all[n].edge
	}
	return -1
}
