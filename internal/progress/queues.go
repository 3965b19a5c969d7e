package progress

import "sync"

// Queues run pieces of work: those of one queue one after the other, in the order in which they
// were added, and those of different queues at once. So many things can be fed by several
// goroutines, each in its order:
//
//	q := progress.NewQueues(16)
//	for piece := range pieces { // one by one
//		for _, p := range piece.parts {
//			q.Add(p.thread%16, func() { p.appendTo(p.thread) })
//		}
//	}
//	q.Wait()
//
// Nothing limits how much is waiting: who adds work must know how much of it is done.
type Queues struct {
	all    []queue
	work   sync.WaitGroup
	caught trap
}

type queue struct {
	mu      sync.Mutex
	waiting []func()
	runs    bool
}

// NewQueues returns n queues. They cost nothing while they are empty.
func NewQueues(n int) *Queues { return &Queues{all: make([]queue, n)} }

// Add adds work to queue k. It never waits.
func (q *Queues) Add(k int, work func()) {
	q.work.Add(1)
	one := &q.all[k]
	one.mu.Lock()
	defer one.mu.Unlock()
	one.waiting = append(one.waiting, work)
	if !one.runs {
		one.runs = true
		go q.run(one)
	}
}

// Wait waits until all that was added is done, and panics if some of it has, with a *Panic. It must
// not be called while work is added.
func (q *Queues) Wait() {
	q.work.Wait()
	q.caught.rethrow()
}

// run works until the queue is empty.
func (q *Queues) run(one *queue) {
	for {
		one.mu.Lock()
		now := one.waiting
		one.waiting = nil
		one.runs = len(now) > 0
		one.mu.Unlock()
		if len(now) == 0 {
			return
		}
		for _, work := range now {
			_ = q.caught.call(func() error { work(); return nil }) // which Wait tells
			q.work.Done()
		}
	}
}
