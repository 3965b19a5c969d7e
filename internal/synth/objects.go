package synth

import "fmt"

// objects numbers what threads synchronise on: mutexes, pools (semaphores with a few units), then
// the semaphores of the frames: one that starts each worker, one that all workers post when done,
// one pipe from each thread to the next.
//
// Mutexes and pools come in shards, each shared by a few neighbouring threads; the first mutexes
// of the first shard are everybody's. So contention stays near that of a real program with any
// number of threads.
type objects struct {
	threads int
	staged  []int // units of the objects of situations, which come last
}

const (
	shardThreads = 6
	shardMutexes = 16
	shardPools   = 3
	sharedByAll  = 2
)

func (o objects) shards() int { return (o.threads + shardThreads - 1) / shardThreads }
func (o objects) pools() int  { return o.shards() * shardMutexes }
func (o objects) frames() int { return o.pools() + o.shards()*shardPools }

// number is what a thread takes where the program says the i-th mutex or pool.
func (o objects) number(g guard, i uint32, thread int) uint32 {
	shard := uint32(thread / shardThreads)
	switch {
	case g == pool:
		return uint32(o.pools()) + shard*shardPools + i
	case i < sharedByAll:
		return i
	}
	return shard*shardMutexes + i
}

func (o objects) start(thread int) uint32 {
	return uint32(o.frames() + thread)
}
func (o objects) done() uint32           { return uint32(o.frames() + o.threads) }
func (o objects) pipe(thread int) uint32 { return uint32(o.frames() + o.threads + 1 + thread) }
func (o objects) program() int           { return o.frames() + 2*o.threads + 1 }
func (o objects) count() int             { return o.program() + len(o.staged) }

// units is how many may pass a mutex or semaphore before one has to wait.
func (o objects) units(object uint32) int {
	switch i := int(object); {
	case i < o.pools():
		return 1
	case i < o.frames():
		return 2 + i%3
	case i >= o.program():
		return o.staged[i-o.program()]
	}
	return 0 // posts come first
}

// name is what the arguments of operations say.
func (o objects) name(object uint32) string {
	return fmt.Sprintf("0x%x", o.address(plain, object))
}

// address is where an object would lie in memory; threads (for create and join) have their own
// range.
func (o objects) address(kind op, object uint32) uint64 {
	if kind == opCreate || kind == opJoin {
		return 0x7f3a_0000_0700 + uint64(object)<<23
	}
	return 0x55d0_0180_0040 + uint64(object)<<6
}
