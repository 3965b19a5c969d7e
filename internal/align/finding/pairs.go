package finding

import (
	"math"
	"sort"
	"sync"

	"diptych/internal/align"
	"diptych/internal/huge"
	"diptych/internal/pair"
)

// The pairs of each function, as columns.
//
// The pairs of two threads, or of several pairs of short ones, stand together by effort, then by
// threads, and then in the order of A's calls. An effort is a part of these columns for each pair
// of threads in which the function occurs. So whatever is computed of a function's pairs reads
// memory from front to back, also where thousands of threads have a few pairs each:
//
//	threads 1      f f f g g         f: parts of 3 pairs of threads 1, of 2 of 2, and of 1 of 3
//	threads 2 3    f2 f2 f3 g2 g3    g: parts of 2, of 1 and of 1
//
// Memory is 12 bytes a pair, given back once all are judged.

// twin is a pair of calls of one function: of result k, call i of A and call j of B; and their self
// times, ns.
type twin struct {
	k, i, j int32
	a, b    float64
}

// columns are pairs of threads.
type columns struct {
	times []uint64           // self times, ns, A's in the low half; tooLong for those of wide
	calls []int32            // A's
	wide  map[int32][2]int64 // by pair
}

// part is pairs of two threads that belong to one effort.
type part struct {
	of       *columns
	k        int32 // of the result
	from, to int32

	change, self float64 // Σ d and Σ a of them, ns, once they are weighed
}

// tooLong stands for a time that 32 bits do not hold.
const tooLong = 1<<32 - 1

// at returns the self times of a pair.
func (c *columns) at(pair int32) [2]int64 {
	if a, b := uint32(c.times[pair]), uint32(c.times[pair]>>32); a != tooLong && b != tooLong {
		return [2]int64{int64(a), int64(b)}
	}
	return c.wide[pair]
}

// set sets the self times of a pair.
func (c *columns) set(pair int32, ns [2]int64) {
	if ns[0] >= tooLong || ns[1] >= tooLong {
		if c.wide == nil {
			c.wide = map[int32][2]int64{}
		}
		c.wide[pair] = ns
	}
	c.times[pair] = uint64(min(ns[1], tooLong))<<32 | uint64(min(ns[0], tooLong))
}

// resized returns a slice of n values, which may be anything, in the memory of s if that is enough.
// Otherwise it makes room for somewhat more: threads are seldom sorted by length.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return huge.Make[T](n + n/4)[:n]
	}
	return s[:n]
}

// blockBegins are the first calls of A's thread that begin in each block of the run or later; each
// part of an effort has these in order.
type blockBegins struct {
	first [blocks]int32
	in    int // the block of the first call
}

// beginOfBlocks returns where the blocks of the run begin in A's thread.
func (s *study) beginOfBlocks(r *align.Result) (b blockBegins) {
	th, of := r.Threads[pair.A], newBlocks(s.p.A.Duration)
	n := th.Len()
	if n == 0 {
		return b
	}
	block := func(i int) int { return int(of.of(th.Start(i))) }
	b.in = block(0)
	from, last := 0, block(n-1)
	for k := b.in + 1; k < blocks; k++ {
		if k > last {
			from = n
		} else {
			from += sort.Search(n-from, func(i int) bool { return block(from+i) >= k })
		}
		b.first[k] = int32(from)
	}
	return b
}

// blockFinder says in which block of the run a moment lies.
type blockFinder struct{ duration float64 }

func newBlocks(duration int64) blockFinder { return blockFinder{float64(max(duration, 1))} }

func (f blockFinder) of(ns int64) uint8 {
	return uint8(min(max(int(float64(ns)/f.duration*blocks), 0), blocks-1))
}

// chunk is some pairs of an effort: of one part, with their calls; or of several, of which the
// times are there, and which pairs are of which part if somebody asked for it.
type chunk struct {
	*part           // nil if there are several
	a, b  []float64 // self times, ns
	calls []int32   // A's; none if there are several parts
	cuts  []cut

	space [2][chunkPairs]float64
	list  [2][chunkPairs]float64 // for what is computed of each pair
}

// cut is the pairs [from, to) of a chunk, which are of one part: there from pair at on.
type cut struct {
	*part
	from, to, at int32
}

// callsOf returns A's calls.
func (c *cut) callsOf() []int32 { return c.of.calls[c.at : c.at+c.to-c.from] }

// chunkPairs is so few that all lists of a chunk stay in the nearest cache.
const chunkPairs = 256

var chunkPool = sync.Pool{New: func() any { return new(chunk) }}

// chunks goes through the pairs of an effort. A chunk is valid until the next one.
func (e *effort) chunks(yield func(c *chunk) bool) {
	c := chunkPool.Get().(*chunk)
	defer chunkPool.Put(c)
	for k := range e.parts {
		p := &e.parts[k]
		for from := p.from; from < p.to; from += chunkPairs {
			if c.load(p, from, min(from+chunkPairs, p.to)); !yield(c) {
				return
			}
		}
	}
}

// times goes through the self times of the pairs of an effort, whatever part they are of: in a
// program of thousands of threads a part has few pairs, and a chunk of it would cost more than what
// is done to each of them. A chunk is valid until the next one.
func (e *effort) times(yield func(c *chunk) bool) {
	c := chunkPool.Get().(*chunk)
	defer chunkPool.Put(c)
	c.part, c.calls = nil, nil
	n := int32(0)
	for of, p := range e.runs {
		for from := p.from; from < p.to; {
			to := min(from+chunkPairs-n, p.to)
			c.loadTimes(of, n, from, to)
			if n, from = n+to-from, to; n < chunkPairs {
				break
			}
			if n = 0; !yield(c) {
				return
			}
		}
	}
	if n > 0 {
		yield(c)
	}
}

// run is pairs [from, to) of columns.
type run struct{ from, to int32 }

// runs goes through the pairs of an effort, those of several parts at once that follow each other.
func (e *effort) runs(yield func(of *columns, pairs run) bool) {
	for k := 0; k < len(e.parts); {
		p := &e.parts[k]
		to := p.to
		for k++; k < len(e.parts) && e.parts[k].of == p.of && e.parts[k].from == to; k++ {
			to = e.parts[k].to
		}
		if !yield(p.of, run{p.from, to}) {
			return
		}
	}
}

// cutTimes is times with the cuts of each chunk.
func (e *effort) cutTimes(yield func(c *chunk) bool) {
	k, from := 0, int32(0) // the part of the next cut, and how many pairs of it are passed
	for c := range e.times {
		c.cuts = c.cuts[:0]
		for n := int32(0); n < int32(len(c.a)); {
			p := &e.parts[k]
			to := min(n+p.to-p.from-from, int32(len(c.a)))
			if to > n {
				c.cuts = append(c.cuts, cut{p, n, to, p.from + from})
			}
			if from, n = from+to-n, to; from == p.to-p.from {
				k, from = k+1, 0
			}
		}
		if !yield(c) {
			return
		}
	}
}

// load makes pairs [from, to) of a part the chunk.
func (c *chunk) load(p *part, from, to int32) {
	c.part, c.calls = p, p.of.calls[from:to]
	c.loadTimes(p.of, 0, from, to)
}

// loadTimes adds the times of pairs [from, to) to a chunk that has n pairs.
func (c *chunk) loadTimes(of *columns, n, from, to int32) {
	all := n + to - from
	c.a, c.b = c.space[0][:all], c.space[1][:all]
	a, b := c.a[n:], c.b[n:]
	splitTimes(a, b, of.times[from:to])
	if of.wide == nil {
		return
	}
	for p, x := range a {
		if x == tooLong || b[p] == tooLong {
			ns := of.wide[from+int32(p)]
			a[p], b[p] = float64(ns[pair.A]), float64(ns[pair.B])
		}
	}
}

// lists returns two lists with room for a number of each pair.
func (c *chunk) lists() (x, y []float64) { return c.list[0][:len(c.a)], c.list[1][:len(c.a)] }

// logs returns a list for the logarithms of the ratios of the pairs.
func (c *chunk) logs() []float64 { return c.list[0][:len(c.a)] }

// blockOf returns in which block of the run a call of A begins, and the first call of a later one.
// It looks from a block on that is not too late.
func (b *blockBegins) blockOf(call int32, from int) (block int, next int32) {
	for block = from; block+1 < blocks; block++ {
		if call < b.first[block+1] {
			return block, b.first[block+1]
		}
	}
	return block, math.MaxInt32
}

// twinOf returns the pair of A's call i of result k.
func (s *study) twinOf(k, i int32, a, b float64) twin {
	return twin{k, i, s.results[k].Partner[pair.A][i], a, b}
}

// placesOf returns where the calls of a pair are.
func (s *study) placesOf(w twin) [2]*Place {
	r := s.results[w.k]
	return [2]*Place{placeOf(r, pair.A, w.i), placeOf(r, pair.B, w.j)}
}
