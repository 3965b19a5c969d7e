package trace

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// sketch is what an Outline keeps of one thread. The goroutine that feeds the thread writes it, and
// Glimpse reads it.
type sketch struct {
	of    *Outline
	begun atomic.Uint32 // calls

	mu          sync.Mutex // for what Glimpse reads
	id, name    string
	first, last int64   // extent of the thread's events
	own         []int32 // see ThreadBuilder.Interim
	kept        []sketched
	open        []sketched // calls that were open lately, outermost first; their ends mean nothing
	shift       uint       // a slot is 1<<shift ns, and so long is a wide call at least
	chain       chain
	hidden      sketched // the call that was passed over last: nothing in it is kept either

	looks   int32  // of the Outline when the calls were looked at last
	next    uint32 // how many calls there are when they are looked at again anyway
	mode    mode
	seen    int     // calls that were looked at
	waiting []int32 // of a nested thread: those of them that are open
}

// chain is the stack of narrow calls that was kept last.
type chain struct {
	outer, inner sketched
	slot         int64 // in which it begins
	calls        int
}

// noChain lies in no call, and no call in it.
var noChain = chain{outer: sketched{math.MinInt64, math.MaxInt64, 0}, inner: nowhere, slot: math.MinInt64}

// part returns what there is, without the calls.
func (s *sketch) part() part {
	s.mu.Lock()
	defer s.mu.Unlock()
	return part{of: s, id: s.id, name: s.name, first: s.first, last: s.last, calls: s.begun.Load()}
}

// copyCalls adds the calls, of which there may be more by now.
func (p *part) copyCalls() {
	s := p.of
	s.mu.Lock()
	defer s.mu.Unlock()
	p.last, p.kept, p.open, p.own = s.last, slices.Clone(s.kept), slices.Clone(s.open), s.own
}

// call names the thread.
func (s *sketch) call(id, name string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.id, s.name = id, name
}

// follow looks at the calls that the thread was given since the last time, if there was a Glimpse
// since, or if there are many: the fewer at a time, the more of them are kept in vain.
func (s *sketch) follow(t *ThreadBuilder) {
	if s == nil || t.gathered == nil {
		return
	}
	if looks := s.of.looks.Load(); looks != s.looks || t.n >= s.next {
		s.looks, s.next = looks, t.n+max(t.n/8, 4*followStep)
		s.look(t)
	}
	s.begun.Store(t.n) // after the first look, so that what has calls has an extent
}

// step has an Outline look from time to time at a thread that is given calls one by one.
func (t *ThreadBuilder) step() {
	if t.sketch != nil && t.n > 0 && t.n%followStep == 0 {
		t.sketch.follow(t)
	}
}

// look looks at the calls that the thread was given since the last time.
func (s *sketch) look(t *ThreadBuilder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.first, s.last = t.first, t.last
	if s.mode == nested && t.mode != nested { // the calls are paired anew, by other rules
		s.kept, s.open, s.waiting, s.seen = nil, nil, nil, 0
		s.chain, s.hidden = noChain, nowhere
	}
	s.mode = t.mode
	s.coarsen()
	switch {
	case t.mode == nested && t.calls != nil:
		s.nested(t.calls, t.open)
	case t.mode == wholes || t.mode == logged:
		s.wholes(t.whole)
	}
}

// nested looks at calls in pre-order, of which some are open. It passes over what lies in a call
// that is not kept.
func (s *sketch) nested(g *gathering, open []opened) {
	for k := len(s.waiting) - 1; k >= 0 && (k >= len(open) || open[k].call != s.waiting[k]); k-- {
		s.add(g.sketched(int(s.waiting[k])))
		s.waiting = s.waiting[:k]
	}
	n := g.len()
	for i := s.seen; i < n; {
		switch d := len(s.waiting); {
		case d < len(open) && int(open[d].call) == i:
			if d == mostLevels {
				i = n // all that follows lies in it
				break
			}
			s.waiting = append(s.waiting, int32(i))
			i++
		case g.depth.at(i) < mostLevels && s.add(g.sketched(i)):
			i++
		default:
			i += int(g.size(i))
		}
	}
	s.seen = n
	s.open = s.open[:0]
	for _, i := range s.waiting {
		s.open = append(s.open, g.sketched(int(i)))
	}
}

// sketched returns a call, which ends where it begins as long as it is open.
func (g *gathering) sketched(i int) sketched {
	v := g.spans.at(i)
	start := g.base.at(i>>baseShift) + g.large.time(v.after)
	return sketched{start, start + g.large.time(v.dur), g.fn.at(i)}
}

// wholes looks at complete calls, in whatever order they come.
func (s *sketch) wholes(w *wholeColumns) {
	if w == nil {
		return
	}
	if p := w.preorder; p != nil {
		for n := p.len(); s.seen < n; s.seen++ {
			s.whole(p.sketched(s.seen))
		}
		return
	}
	for n := w.start.len(); s.seen < n; {
		start, end, fn := w.start.from(s.seen), w.end.from(s.seen), w.fn.from(s.seen)
		for i, at := range start {
			s.whole(sketched{at, end[i], fn[i]})
		}
		s.seen += len(start)
	}
}

// whole looks at a complete call.
func (s *sketch) whole(v sketched) {
	if s.passes(v) {
		s.hidden = v
		return
	}
	s.add(v)
}

// passes reports whether a call is one that add passes over, as most are: it lies beside the chain,
// in the same slot.
func (s *sketch) passes(v sketched) bool {
	c := &s.chain
	return v.end-v.start < 1<<s.shift && v.start>>s.shift == c.slot && v.start > c.outer.start &&
		v.end > c.inner.end
}

// add keeps a call if it is wide, if it is the first narrow one in its slot, or if it lies around
// or in that one. It reports whether it did. Calls come in pre-order or in post-order, mostly.
func (s *sketch) add(v sketched) bool {
	c := &s.chain
	switch slot := v.start >> s.shift; {
	case v.end-v.start >= 1<<s.shift:
		s.kept = append(s.kept, v)
		return true
	case v.in(s.hidden), c.slot == slot && c.calls == mostLevels:
	case c.outer.in(v):
		return s.extend(&c.outer, v)
	case v.in(c.inner):
		return s.extend(&c.inner, v)
	case slot != c.slot:
		*c = chain{outer: v, inner: v, slot: slot, calls: 1}
		s.kept = append(s.kept, v)
		return true
	}
	s.hidden = v
	return false
}

// extend keeps a call as an end of the chain.
func (s *sketch) extend(end *sketched, v sketched) bool {
	*end = v
	s.chain.calls++
	s.kept = append(s.kept, v)
	return true
}

// coarsen makes slots longer until the thread has few enough of them, and until few enough calls
// are kept.
func (s *sketch) coarsen() {
	shift := s.shift
	slots, whole := s.of.slots()
	for max(s.last-s.first, whole)>>shift > slots {
		shift++
	}
	if shift > s.shift {
		s.thin(shift)
	}
	if len(s.kept) > mostKept {
		for len(s.kept) > mostKept/2 && s.shift < 62 {
			s.thin(s.shift + 1)
		}
	}
}

// thin drops what would not have been kept with slots of 1<<shift ns.
func (s *sketch) thin(shift uint) {
	all := s.kept
	s.kept, s.shift, s.chain, s.hidden = all[:0], shift, noChain, nowhere
	for _, v := range all { // what is added lies before v
		s.add(v)
	}
}
