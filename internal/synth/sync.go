package synth

import (
	"container/heap"
	"fmt"
	"slices"
)

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
	case opCondWait, opCondTimed:
		if !t.timed { // it begins
			m.waits.releasedObject(t, mutexOf(t.at.object))
		}
		if waits, err := m.await(t); waits || err != nil {
			return err
		}
	case opSignal:
		m.waits.released(t)
		if err := m.signal(&m.objects[t.at.object], t.now); err != nil {
			return err
		}
	case opUnlock, opSemPost:
		m.waits.released(t)
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

// release gives the unit to the thread that has waited longest; if none waits, the unit stays free.
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
	m.waits.ended(t, now)
	t.now = now
	m.leave(t)
	return m.advance(t)
}

// mutexOf is the mutex that a wait for a condition gives up meanwhile.
func mutexOf(cond uint32) uint32 { return cond - 1 }

// await waits for a condition. It does not wait if the condition was signalled before (a real
// program would check a variable of its own), or if the timeout is over.
func (m *machine) await(t *thread) (waits bool, err error) {
	o := &m.objects[t.at.object]
	switch {
	case t.timed: // until now
		t.timed = false
		o.waiting = slices.DeleteFunc(o.waiting, func(w *thread) bool { return w == t })
		return true, m.reacquire(t, t.now)
	case o.units > 0:
		o.units--
		return false, nil
	}
	now := t.now
	o.waiting = append(o.waiting, t)
	if opOf(t.at.fn) == opCondTimed {
		t.timed = true
		t.now += t.timeout
		heap.Push(&m.ready, t)
	}
	return true, m.release(&m.objects[mutexOf(t.at.object)], now)
}

// signal wakes the thread that has waited longest for a condition; if none waits, the next one need
// not wait.
func (m *machine) signal(o *object, now int64) error {
	if len(o.waiting) == 0 {
		o.units++
		return nil
	}
	w := o.waiting[0]
	o.waiting = o.waiting[1:]
	if w.timed {
		w.timed = false
		heap.Remove(&m.ready, slices.Index(m.ready, w))
	}
	return m.reacquire(w, now)
}

// reacquire takes the mutex again that a wait for a condition gave up, as soon as it is free.
func (m *machine) reacquire(t *thread, now int64) error {
	mutex := &m.objects[mutexOf(t.at.object)]
	if mutex.units == 0 {
		mutex.waiting = append(mutex.waiting, t)
		return nil
	}
	mutex.units--
	return m.resume(t, now+handover+int64(t.at.self))
}

// cut ends the recording. Of threads that wait for ever, the outermost calls end then; their other
// calls stay open.
func (m *machine) cut() error {
	stage, program := m.side.prog.stage, m.side.prog.objects.threads
	end := int64(0)
	for _, t := range m.threads {
		end = max(end, t.now)
	}
	for _, t := range m.threads {
		switch {
		case t.over:
		case t.id < program || !stage.threads[t.id-program].scene.stuck:
			return fmt.Errorf("simulation: thread %d waits forever", tid(t.id))
		default:
			m.waits.stuck(t, end)
			m.side.out.cut(t.id, t.stack, end)
		}
	}
	return nil
}

// finish ends a thread, and the wait of the one that joins it.
func (m *machine) finish(t *thread) {
	t.over = true
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
