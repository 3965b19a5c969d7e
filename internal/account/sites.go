package account

import (
	"slices"

	"diptych/internal/pair"
)

// A part says what a call does, but to find it for each of ten million calls by all that it is made
// of would take longer than to add it up. So sums are kept by site: a function that is called, and
// the context that it is called in, which is the function that calls it and the scope around
// (scope.go). Calls that wait have a site for each object and releaser.
//
// A context is a number that follows from the caller alone where no scope is open, so that the site
// of the caller need not be found first:
//
//	0      around roots
//	f + 1  in function f, outside of all scopes
//	       further numbers stand for a function in a scope

// entry is a part below the functions of a scope, with its amount. A thread may have several of the
// same: functions of which the pair makes one have sites of their own.
type entry struct {
	part  Part
	scope int32
	Amount
}

// space is memory that threads use one after the other, for lists of their own (split), or to add
// up all of them (addUp).
type space struct {
	functions uint32       // of the side
	ns        [Kinds]int64 // of the present piece

	numbers pair.Numbers // of the keys of all sites but waits; see siteOf, siteOfIO
	sites   []int32      // by number
	list    []site       // by site
	sums    []sum        // by site
	wayNs   []int64      // by site: of the elapsed time

	// Waits are apart: where there are thousands of threads, most sites are waits, which are looked
	// up seldom, and the numbers of others are to stay in the cache.
	waitKey pair.Numbers // of the keys of waits; see siteOfWait
	waitAt  []int32      // by number: their sites
	waiting pair.Numbers // context, function
	ended   pair.Numbers // object, releaser

	scopedFn pair.Numbers // a scope but the empty one, and a function: contexts beyond functions
	inScope  []scopedFn   // by number of that
	above    []frame      // by level: the call around

	cache [1 << cacheBits]int32 // sites, where a key is looked up before it is among all sites
}

// site is what calls of a site are, and what few of them add to.
type site struct {
	part    Part
	scope   int32
	squares Squares
}

// sum is what each call of a site adds to, and what must be known of the site meanwhile: so most
// calls need but one line of memory.
type sum struct {
	key       uint64
	calls, ns int64
	below     uint32 // the context of what such calls call
	special   bool   // such a call owns its callees' time, or is or opens a scope
}

// frame is a call that is open: its site, and the context of what it calls. The two are read and
// written apart: the context is known before the site, so that the processor may look for the sites
// of calls that call each other at once.
type frame struct {
	site    int32
	context uint32
}

// key returns the key of the site of a function that the call calls.
func (f *frame) key(fn uint32) uint64 { return uint64(f.context)<<32 | uint64(fn) }

// scopedFn is a function in a scope.
type scopedFn struct {
	scope int32
	fn    uint32
}

// cacheBits is enough for most sites of a program of thousands of functions: 16 KB.
const cacheBits = 12

// slotOf returns where a key is in the cache, if it is there.
func slotOf(key uint64) uint64 { return key * 0x9e3779b97f4a7c15 >> (64 - cacheBits) }

// Sites that are not of a context and a function have keys which such sites cannot have: nothing
// has a billion functions.
const (
	asIO     = 1 << 30           // and a function
	asWait   = 1 << 31           // and a number of ended; above that, a number of waiting
	asNobody = 1<<64 - 1         // what is around roots
	asIdle   = 1<<64 - 2         // in no call
	asGap    = uint32(1<<32 - 1) // the context of idle time that was a wait
)

// clear forgets all sites.
func (s *space) clear() {
	for _, of := range []*pair.Numbers{&s.numbers, &s.waitKey, &s.waiting, &s.ended, &s.scopedFn} {
		of.Clear()
	}
	s.list, s.sums, s.wayNs = s.list[:0], s.sums[:0], s.wayNs[:0]
	s.sites, s.waitAt, s.inScope = s.sites[:0], s.waitAt[:0], s.inScope[:0]
}

// begin makes the memory ready for a thread of so many levels, of a trace with so many functions.
// It keeps the sites of threads before, which are of the same trace.
func (s *space) begin(levels int, functions uint32) {
	s.functions, s.ns = functions, [Kinds]int64{}
	if len(s.list) == 0 {
		s.addPlain(asNobody, idlePart, 0, 0)
	}
	s.above = slices.Grow(s.above[:0], levels)[:levels]
	s.above[0] = frame{}
}

// addSite returns the site of a key that has none. Below is the context of what its calls call.
func (s *space) addSite(key uint64, p Part, scope int32, below uint32) int32 {
	s.list, s.wayNs = append(s.list, site{part: p, scope: scope}), append(s.wayNs, 0)
	s.sums = append(s.sums, sum{key: key, below: below,
		special: below != uint32(key)+1 || p.Kind != CPU})
	return int32(len(s.list)) - 1
}

// addPlain returns the site of a key that has none, and is no wait's.
func (s *space) addPlain(key uint64, p Part, scope int32, below uint32) int32 {
	s.numbers.Of(key)
	s.sites = append(s.sites, s.addSite(key, p, scope, below))
	return s.sites[len(s.sites)-1]
}

// find returns the site of a key that is no wait's, or −1.
func (s *space) find(key uint64) int32 {
	if k := s.numbers.Find(key); k >= 0 {
		return s.sites[k]
	}
	return -1
}

// siteOf returns the site of calls of a function in a context, which are the key, if they are not
// marked as blocking.
func (s *sweep) siteOf(key uint64) int32 {
	if site := s.find(key); site >= 0 {
		return site
	}
	fn := uint32(key)
	p, scope := s.partOf(uint32(key>>32), s.what[fn].kind(), fn)
	below := fn + 1
	if scope != 0 {
		at := s.scopedFn.Of(pair.KeyOf(uint32(scope), fn))
		if int(at) == len(s.inScope) {
			s.inScope = append(s.inScope, scopedFn{scope, fn})
		}
		below = s.functions + 1 + uint32(at)
	}
	return s.addPlain(key, p, scope, below)
}

// siteOfIO returns the site of calls that are marked as input or output.
func (s *sweep) siteOfIO(context, fn uint32) int32 {
	key := pair.KeyOf(context, fn|asIO)
	if site := s.find(key); site >= 0 {
		return site
	}
	p, scope := s.partOf(context, IO, fn)
	return s.addPlain(key, p, scope, 0)
}

// siteOfWait returns the site of calls that wait for an object until a thread ends it.
func (s *sweep) siteOfWait(context, fn uint32, object, releaser int32) int32 {
	by := s.ended.Of(pair.KeyOf(uint32(object), uint32(releaser)))
	key := pair.KeyOf(uint32(s.waiting.Of(pair.KeyOf(context, fn))), uint32(by)|asWait)
	k := s.waitKey.Of(key)
	if int(k) == len(s.waitAt) {
		p, scope := s.partOf(context, Wait, fn)
		p.Object, p.Releaser = object, releaser
		s.waitAt = append(s.waitAt, s.addSite(key, p, scope, 0))
	}
	return s.waitAt[k]
}

// siteOfIdle returns the site of time in no call.
func (s *space) siteOfIdle() int32 {
	if site := s.find(asIdle); site >= 0 {
		return site
	}
	return s.addPlain(asIdle, idlePart, 0, 0)
}

// partOf returns the part and the scope of calls of a function in a context, without an object.
func (s *sweep) partOf(context uint32, kind Kind, fn uint32) (p Part, scope int32) {
	p = Part{Kind: kind, Function: s.ids[fn], Caller: None, Object: -1, Releaser: -1}
	switch {
	case context == asGap:
		return p, 0
	case context > s.functions:
		in := s.inScope[context-s.functions-1]
		p.Caller, scope = s.ids[in.fn], in.scope
	case context > 0:
		p.Caller = s.ids[context-1]
	}
	if s.what[fn]&opensScope != 0 {
		scope = s.scopes.below(scope, p.Function)
	}
	return p, scope
}

// lookUp returns the site of a key that is not in its slot of the cache, where it is from now on.
// What was there moves to the slot beside, in which the key may have been.
func (s *sweep) lookUp(slot, key uint64) int32 {
	site := s.cache[slot^1]
	if int(site) >= len(s.sums) || s.sums[site].key != key {
		site = s.siteOf(key)
	}
	s.cache[slot], s.cache[slot^1] = site, s.cache[slot]
	return site
}

// entries are what all sites come to.
func (s *space) entries(yield func(e entry) bool) {
	for k := 1; k < len(s.list); k++ { // but what is around roots
		at, sum := &s.list[k], &s.sums[k]
		if !yield(entry{at.part, at.scope, Amount{sum.calls, sum.ns, s.wayNs[k], at.squares}}) {
			return
		}
	}
}

// sumUp returns a list of them.
func (s *space) sumUp() []entry {
	return slices.AppendSeq(make([]entry, 0, max(len(s.list)-1, 0)), s.entries)
}
