package progress

import (
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
