package progress

import "sync"

// Order runs what follows from pieces of work in the order of these, whichever is done first, and
// one after the other. For example, if piece 1 is done before piece 0:
//
//	Done(1)   nothing
//	Done(0)   next(0), next(1)
type Order struct {
	next func(i int)

	mu    sync.Mutex
	done  []bool
	first int  // of which next has not been called
	runs  bool // somebody calls next
}

// NewOrder returns an order of n pieces of work, of which next is called with each.
func NewOrder(n int, next func(i int)) *Order {
	return &Order{next: next, done: make([]bool, n)}
}

// Done says that piece i is done. Whoever calls it calls next for all that can be, unless somebody
// else is at it.
func (o *Order) Done(i int) {
	o.mu.Lock()
	o.done[i] = true
	busy := o.runs
	o.runs = true
	o.mu.Unlock()
	for !busy {
		k := o.take()
		if k < 0 {
			return
		}
		o.next(k)
	}
}

// take returns the next piece in order, or −1 if that is not done.
func (o *Order) take() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.first == len(o.done) || !o.done[o.first] {
		o.runs = false
		return -1
	}
	o.first++
	return o.first - 1
}
