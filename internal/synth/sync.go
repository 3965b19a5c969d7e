package synth

import "container/heap"

// operate does what the thread is at, on its clock.
func (m *machine) operate(t *thread) error {
	took := 30 + int64(t.at.self)
	switch opOf(t.at.fn) {
	case opLock, opSemWait:
		o := &m.objects[t.at.object]
		if o.units == 0 {
			o.waiting = append(o.waiting, t)
			return nil
		}
		o.units--
	case opUnlock, opSemPost:
		if err := m.release(&m.objects[t.at.object], t.now); err != nil {
			return err
		}
	case opCreate:
		took += 12_000
		child := m.threads[t.at.object]
		child.now = t.now + took/2
		if err := m.advance(child); err != nil {
			return err
		}
	case opJoin:
		child := m.threads[t.at.object]
		if !child.over {
			child.joiner = t
			return nil
		}
		took += max(0, child.now-t.now)
	}
	return m.resume(t, t.now+took)
}

// release wakes who has waited longest, and hands the unit over; else it stays for the next.
func (m *machine) release(o *object, now int64) error {
	if len(o.waiting) == 0 {
		o.units++
		return nil
	}
	w := o.waiting[0]
	o.waiting = o.waiting[1:]
	return m.resume(w, now+handover+int64(w.at.self))
}

// resume ends the operation of a thread and runs it on.
func (m *machine) resume(t *thread, now int64) error {
	t.now = now
	m.leave(t)
	return m.advance(t)
}

// finish ends a thread, and the wait of the one that joins it.
func (m *machine) finish(t *thread) {
	t.over = true
	m.running--
	if j := t.joiner; j != nil {
		t.joiner = nil
		j.now = max(j.now, t.now)
		heap.Push(&m.ready, j)
	}
}

// queue is a heap of threads by the time of their operation.
type queue []*thread

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	if q[i].now != q[j].now {
		return q[i].now < q[j].now
	}
	return q[i].id < q[j].id
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(*thread)) }
func (q *queue) Pop() any {
	old := *q
	t := old[len(old)-1]
	*q = old[:len(old)-1]
	return t
}
