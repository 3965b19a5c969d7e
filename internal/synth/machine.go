package synth

import (
	"container/heap"
	"context"

	"diptych/internal/progress"
)

// machine gives the calls of one side their times. Each thread runs ahead on a clock of its own
// to its next operation on an object; those happen one after another in the order of virtual time
// (then thread), so that who waits and who releases is the same as on a real machine with enough
// processors.
type machine struct {
	ctx     context.Context
	side    *side
	waits   *ledger
	threads []*thread
	ready   queue // threads at an operation
	objects []object
	calls   int64
	counted progress.Ticker // of calls
}

// object is a mutex (one unit while free) or a semaphore (units left), with those that wait for
// it in turn.
type object struct {
	units   int
	waiting []*thread
}

// thread is a thread's clock, its stack and what it runs.
type thread struct {
	id      int
	now     int64
	clock   *Clock
	script  *script
	stack   []activation
	forest  []node
	next    int  // in forest
	at      node // operation under way, where the thread is ready or waits
	over    bool
	joiner  *thread
	timeout int64 // ns, of the operation under way; 0 for none
	timed   bool  // it waits for a condition, and is among the ready at the time it gives up
	counted int   // calls of A reported
}

// activation is an open call.
type activation struct {
	fn, object uint32
	start      int64
	gap        int64  // self time before and after each callee; ≥ 1 ns: all nest by time
	end        uint32 // in forest; spanning for a call that outlasts it
}

const (
	spanning    = ^uint32(0)
	spanningGap = 180 // ns
	handover    = 350 // ns from a release to the end of the wait that it ends, at least
)

func newMachine(s *side, o Options) *machine {
	threads := o.Threads + len(s.prog.stage.threads)
	m := &machine{side: s, objects: make([]object, s.prog.objects.count()+s.newObjects)}
	m.waits = newLedger(len(m.objects), s)
	for i := range m.objects {
		m.objects[i].units = 1
		if i < s.prog.objects.count() {
			m.objects[i].units = s.prog.objects.units(uint32(i))
		}
	}
	noisy := s.disturbed(o)
	for t := range threads {
		m.threads = append(m.threads, &thread{id: t, script: newScript(s, o, t), clock: noisy.Thread(t)})
	}
	return m
}

func (m *machine) run(ctx context.Context) error {
	m.ctx, m.counted = ctx, progress.Ticker{Meter: m.side.meter, Every: 1 << 16}
	if err := m.advance(m.threads[0]); err != nil {
		return err
	}
	for len(m.ready) > 0 {
		t := heap.Pop(&m.ready).(*thread)
		if err := m.operate(t); err != nil {
			return err
		}
	}
	if err := m.cut(); err != nil {
		return err
	}
	m.waits.finish()
	return m.counted.Flush(ctx)
}

// advance runs a thread up to its next operation on an object, or its end.
func (m *machine) advance(t *thread) error {
	for {
		for t.next < len(t.forest) {
			t.unwind(m, uint32(t.next))
			n := &t.forest[t.next]
			t.next++
			if opOf(n.fn).syncs() {
				m.halt(t, *n)
				return nil
			}
			m.enter(t, n, uint32(t.next)-1+n.size)
		}
		t.unwind(m, uint32(t.next))
		if err := m.report(t); err != nil {
			return err
		}
		var b beat
		b, t.forest = t.script.beat()
		t.next = 0
		switch b.kind {
		case open:
			m.enter(t, &node{fn: b.fn, self: spanningGap}, spanning)
		case shut:
			m.leave(t)
		case leaf:
			m.enter(t, &node{fn: b.fn, object: b.object, self: uint32(b.ns)}, spanning)
			m.leave(t)
		case operate:
			n := node{fn: b.fn, object: b.object}
			t.timeout = b.ns
			n.self = t.script.grow.dice.logNormal(6*256, spread)
			m.halt(t, n)
			return nil
		case over:
			m.finish(t)
			return nil
		}
	}
}

func (m *machine) enter(t *thread, n *node, end uint32) {
	parts := int64(n.kids) + 1 // of the self time: before the first callee and after each
	self := t.clock.Stretch(int64(n.self), t.now)
	c := activation{n.fn, n.object, t.now, 1 + self/parts, end}
	m.side.out.enter(t.id, len(t.stack), &c)
	t.stack = append(t.stack, c)
	t.now += c.gap + self%parts
	m.calls++
}

// leave closes the innermost call.
func (m *machine) leave(t *thread) {
	top := len(t.stack) - 1
	m.side.out.leave(t.id, top, &t.stack[top], t.now)
	t.stack = t.stack[:top]
	if top > 0 {
		t.now += t.stack[top-1].gap
	}
}

// unwind closes the calls of the forest whose subtree ends at or before next.
func (t *thread) unwind(m *machine, next uint32) {
	for n := len(t.stack); n > 0 && t.stack[n-1].end <= next; n-- {
		m.leave(t)
	}
}

// halt enters an operation and puts the thread in line for it.
func (m *machine) halt(t *thread, n node) {
	if o := opOf(n.fn); o == opLock || o == opUnlock {
		n.object = m.side.shards.partFor(n.object, t.id)
	}
	c := activation{fn: n.fn, object: n.object, start: t.now, end: spanning}
	m.side.out.enter(t.id, len(t.stack), &c)
	t.stack = append(t.stack, c)
	t.at = n
	m.calls++
	heap.Push(&m.ready, t)
}

// report counts progress, and sees whether to go on.
func (m *machine) report(t *thread) error {
	if d := t.script.callsA - t.counted; d > 0 {
		t.counted = t.script.callsA
		if err := m.counted.Add(m.ctx, int64(d)); err != nil {
			return err
		}
	}
	if err := m.ctx.Err(); err != nil {
		return err
	}
	return m.side.out.failed()
}
