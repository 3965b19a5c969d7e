package otf2

import "diptych/internal/trace"

// Score-P with unwinding (SCOREP_ENABLE_UNWINDING) writes events of calling contexts in place of
// ENTER and LEAVE. A calling context is a node of a tree that the archive defines: a region, and
// the context that called it. So each event tells the whole stack. What it has in common with the
// stack before goes on; the rest of that ends, and the rest of the new one begins:
//
//	CALLING_CONTEXT_ENTER main→f     main, f begin: the event is of f, and main was unwound
//	CALLING_CONTEXT_SAMPLE main→f→g  g begins
//	CALLING_CONTEXT_LEAVE main→f     g and f end
//	CALLING_CONTEXT_ENTER main→f     another f begins
//
// A sample meets only what runs at its moment, so the thread is marked as sampled.

// callContext is a calling context. A caller's depth is less, so that no chain of them is a circle.
type callContext struct {
	region, parent uint32
	depth          uint32 // from 1 on
}

// readContext takes the definition of a calling context. Its caller is defined before it.
func (d *definitions) readContext(f *fields) {
	id := f.u32()
	c := callContext{region: f.u32(), depth: 1}
	f.u32() // the place in the source
	c.parent = f.u32()
	if up, ok := d.contexts.get(c.parent); ok {
		c.depth += up.depth
	}
	if !f.bad {
		d.contexts.put(id, c)
	}
}

// caller returns the context that called c, if it is defined.
func (d *definitions) caller(c callContext) (callContext, bool) {
	up, ok := d.contexts.get(c.parent)
	return up, ok && up.depth == c.depth-1
}

// inContext feeds an event of a calling context.
func (t *track) inContext(e *event, at int64) {
	id := uint32(e.v[0])
	c, ok := t.a.defs.contexts.get(id)
	if !ok {
		t.faults.Add(trace.BadRecord, 1, "location %d: calling context %d is not defined", t.at.id, id)
		return
	}
	if e.kind == contextLeave {
		if t.isIn(id, c) {
			t.endContexts(int(c.depth)-1, at)
		} else {
			t.leave(&event{v: [6]uint64{uint64(c.region)}}, at) // the Builder counts it
		}
		return
	}
	if e.kind == contextSample {
		t.th.SetSampled()
	}
	path := t.path[:0] // what begins, innermost first
	for again := e.kind == contextEnter; ok && (again || !t.isIn(id, c)); again = false {
		path = append(path, id)
		id = c.parent
		c, ok = t.a.defs.caller(c)
	}
	keep := 0
	if ok {
		keep = int(c.depth)
	}
	t.endContexts(keep, at)
	for k := len(path) - 1; k >= 0; k-- {
		c, _ := t.a.defs.contexts.get(path[k])
		entered := event{v: [6]uint64{uint64(c.region)}}
		if k == 0 {
			entered.attrs = e.attrs
		}
		t.enter(&entered, at)
		t.contexts = append(t.contexts, path[k])
	}
	t.path = path
}

// isIn reports whether the thread is in a context.
func (t *track) isIn(id uint32, c callContext) bool {
	return int(c.depth) <= len(t.contexts) && t.contexts[c.depth-1] == id
}

// endContexts ends all but the outermost ones.
func (t *track) endContexts(keep int, at int64) {
	for k := len(t.contexts) - 1; k >= keep; k-- {
		c, _ := t.a.defs.contexts.get(t.contexts[k])
		t.leave(&event{v: [6]uint64{uint64(c.region)}}, at)
		t.contexts = t.contexts[:k]
	}
}
