package trace

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// Outline follows a trace while it is loaded, so that something can be shown of it before it is
// complete. It keeps of each thread the calls that are wide enough to be seen, and of those that
// are not one stack for each slot of time:
//
//	slots   |       |       |       |       |
//	thread  [main                            ]
//	         [wide call     ] [x][y][z] [x]       x, y and z are narrower than a slot
//	kept    main, wide call, the first x with what it calls, the last x
//
// A slot is a power of two of ns long; it doubles as the thread gets longer, and what was kept is
// thinned. So the cost of a call is a few ns, once, and the memory is bounded.
//
// Each thread looks at its own calls, in the goroutine that feeds it, when it was given some and
// there was a Glimpse since it looked last, or when there are many; a thread whose calls only come
// about in Build, or are in disorder, shows little before. A Builder that no Outline
// follows pays nothing. Glimpse may be called from any goroutine.
type Outline struct {
	// Drawn is nil, or closed once what Show was given has been drawn: work for all processors can
	// wait for that, so that the drawing comes first.
	Drawn <-chan struct{}

	mu        sync.Mutex
	sketches  []*sketch
	functions []Function // a copy, to which is only added
	interim   []Function // see Interim
	unit      Unit
	kind      Kind

	lead *sketch // of the thread that was the lead last

	shown atomic.Pointer[Glimpse] // nil, or see Show

	looks   atomic.Int32 // how often there was a Glimpse
	whole   atomic.Int64 // see Expect
	threads atomic.Int32
	detail  int // slots of a thread at most; 0 for as many as detailOf says
}

// Glimpse is what an Outline shows of a trace at one time.
type Glimpse struct {
	// Trace has some of the calls that have begun so far, in the threads that have the most of
	// them. Those that have not ended yet are marked as Unclosed and last until the latest time
	// that is known of their thread; all others are as they will be in the trace, unless a time of
	// their thread goes back later. Its functions have the ids that they will have there, unless
	// the loader gives them later.
	Trace *Trace
	Lead  int  // the thread of Trace to be shown alone, one with the most calls; −1 if none
	Calls int  // that have begun so far in all threads
	Kept  bool // it is of a whole trace; see Preview
}

// What is kept of a thread, and shown of all.
const (
	mostSlots, leastSlots = 4096, 16
	slotsAtFirst          = 1024           // before anybody has said how long the trace will be
	slotsOfAll            = 16 * mostSlots // of all threads together, if there are many
	mostKept              = 1 << 16        // calls of a thread
	mostLevels            = 128            // of its stacks
	followStep            = 1 << 10        // calls after which a thread fed one by one looks
)

// Follow has o follow what the Builder is given. It comes before the first thread.
func (b *Builder) Follow(o *Outline) {
	if b.outline = o; o != nil {
		o.shown.Store(nil)
		o.mu.Lock()
		defer o.mu.Unlock()
		o.kind, o.unit = b.Kind, b.Unit
	}
}

// learn takes over the functions that are new.
func (o *Outline) learn(b *Builder) {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.kind, o.unit = b.Kind, b.Unit
	o.functions = append(o.functions, b.functions[len(o.functions):]...)
}

// Interim says what functions are that have no ids yet, by numbers that are the loader's own; a
// thread says with its Interim which of them it calls. Functions that were named must not change.
func (b *Builder) Interim(functions []Function) {
	if o := b.outline; o != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.interim = functions[:len(functions):len(functions)]
	}
}

// Interim says, of a thread that Renumber is called for later, what each of its function ids stands
// for: a number of Builder.Interim. Numbers that were given must not change.
func (t *ThreadBuilder) Interim(functions []int32) {
	if s := t.sketch; s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.own = functions[:len(functions):len(functions)]
	}
}

// sketch begins the sketch of a thread.
func (o *Outline) sketch(id string) *sketch {
	if o == nil {
		return nil
	}
	s := &sketch{of: o, id: id, name: id, first: math.MaxInt64, last: math.MinInt64}
	s.chain, s.hidden = noChain, nowhere
	o.threads.Add(1)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sketches = append(o.sketches, s)
	return s
}

// Expect says how long the trace will be, ns, as far as that can be told: a part of it needs no
// more slots than it will have of the whole. It may be called from any goroutine, again and again.
func (o *Outline) Expect(whole int64) { o.whole.Store(whole) }

// slots returns how many slots each thread has at most, and for what time.
func (o *Outline) slots() (n, whole int64) {
	n, whole = slotsAtFirst, o.whole.Load()
	if whole > 0 {
		n = mostSlots
	}
	n = min(n, max(slotsOfAll/int64(max(o.threads.Load(), 1)), leastSlots))
	if o.detail > 0 {
		n = int64(o.detail)
	}
	return n, whole
}

// Glimpse returns what is known by now of so many threads at most.
func (o *Outline) Glimpse(threads int) Glimpse {
	if g := o.shown.Load(); g != nil {
		return *g
	}
	o.looks.Add(1)
	b, g := NewBuilder(""), Glimpse{Lead: -1}
	parts := o.parts()
	for i := range parts {
		g.Calls += int(parts[i].calls)
		b.Observe(parts[i].first)
		b.Observe(parts[i].last)
	}
	parts = parts[:min(len(parts), threads)]
	for i := range parts {
		parts[i].copyCalls()
	}
	o.mu.Lock() // after that, so that all functions are known that are called
	b.functions, b.Kind, b.Unit = o.functions[:len(o.functions):len(o.functions)], o.kind, o.unit
	if o.interim != nil {
		b.functions = o.interim
	}
	o.mu.Unlock()
	b.Escaped = true
	for i := range parts {
		parts[i].thread(b)
	}
	g.Trace, _ = b.Build(context.Background()) // which nobody cancels
	if len(parts) > 0 {
		g.Lead = g.Trace.ThreadByID(parts[0].id)
	}
	return g
}

// leads is how many times the calls of the lead another thread must have to become it: threads
// that are about as busy would take turns.
const leads = 1.5

// parts returns what is known of each thread that has calls, but not yet these: first the lead,
// then those with the most calls.
func (o *Outline) parts() (parts []part) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range o.sketches {
		if p := s.part(); p.calls > 0 {
			parts = append(parts, p)
		}
	}
	slices.SortStableFunc(parts, func(x, y part) int { return cmp.Compare(y.calls, x.calls) })
	lead := slices.IndexFunc(parts, func(p part) bool { return p.of == o.lead })
	if lead > 0 && float64(parts[0].calls) < leads*float64(parts[lead].calls) {
		p := parts[lead]
		parts = slices.Insert(slices.Delete(parts, lead, lead+1), 0, p)
	}
	if len(parts) > 0 {
		o.lead = parts[0].of
	}
	return parts
}

// sketched is a call without its place in a thread.
type sketched struct {
	start, end int64
	fn         FuncID
}

func (v sketched) in(o sketched) bool { return v.start >= o.start && v.end <= o.end }

// nowhere is a call in which no call lies.
var nowhere = sketched{start: math.MaxInt64, end: math.MinInt64}

// part is what a sketch has at one time.
type part struct {
	of          *sketch
	id, name    string
	first, last int64
	calls       uint32
	kept, open  []sketched
	own         []int32 // see ThreadBuilder.Interim
}

// thread adds the part to b as a thread, unless it is not known which functions it calls.
func (p *part) thread(b *Builder) {
	for _, list := range [][]sketched{p.open, p.kept} {
		for i := range list {
			fn := &list[i].fn
			if int(*fn) < len(p.own) {
				*fn = FuncID(p.own[*fn])
			}
			if int(*fn) >= len(b.functions) {
				return
			}
		}
	}
	t := b.Thread(p.id, -1)
	t.SetName(p.name)
	for _, v := range p.open {
		t.Flag(t.Complete(v.start, max(p.last, v.start), v.fn), Unclosed)
	}
	for _, v := range p.kept {
		t.Complete(v.start, v.end, v.fn)
	}
}
