package progress

import (
	"runtime"
	"sync"
	"testing"
)

// TestQueues holds that the work of each queue is done in its order, all of it, and that queues do
// not wait for each other.
func TestQueues(t *testing.T) {
	const queues, each = 3, 2000
	q := NewQueues(queues)
	var done [queues][]int
	var both sync.WaitGroup
	both.Add(2)
	for k := range 2 { // each waits for the other
		q.Add(k, func() { both.Done(); both.Wait() })
	}
	for i := range each {
		for k := range queues {
			q.Add(k, func() { done[k] = append(done[k], i) })
		}
	}
	q.Wait()
	for k, list := range done {
		if len(list) != each {
			t.Errorf("queue %d did %d of %d", k, len(list), each)
		}
		for i, v := range list {
			if v != i {
				t.Fatalf("queue %d: work %d was the %d-th", k, v, i)
			}
		}
	}
}

// TestSpare: what is spare is for the runtime, and not for work that is spread.
func TestSpare(t *testing.T) {
	was := runtime.GOMAXPROCS(3)
	defer func() {
		runtime.GOMAXPROCS(was)
		spare.Store(0)
	}()
	if n := Processors(); n != 3 {
		t.Errorf("%d processors, want 3", n)
	}
	Spare()
	if n, all := Processors(), runtime.GOMAXPROCS(0); n != 3 || all != 8 {
		t.Errorf("%d processors of %d, want 3 of 8", n, all)
	}
	runtime.GOMAXPROCS(1)
	if n := Processors(); n != 1 {
		t.Errorf("%d processors, want 1", n)
	}
}
