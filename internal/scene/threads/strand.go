package threads

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"diptych/internal/wait"
)

// A strand is a list of waits, sorted by start: those of one thread, or of all threads of a role.
// It answers how many of them are in sight, and which of these last longest, without looking at the
// others. For that it keeps maxima of durations and ends over blocks of fan waits, over blocks of
// fan such blocks, and so on.
//
//	waits   [0 1)  [1 5)  [6 7)  [8 12)   longest in [2, 9]?
//	block        (4, 5)      (4, 12)      both have a wait that lasts 4 and ends after 2
//
// Cost is the number of waits asked for, times the number of levels. It takes 5 bytes a wait, and 8
// more for a role.
type strand struct {
	of    *wait.Waits
	waits []int32
	ends  []int64  // ascending; nil for one thread: its waits end in the order they start
	peaks [][]peak // by level
}

// peak is what the waits of a block come to.
type peak struct{ dur, end int64 }

// fan is how many waits, or blocks, a block has.
const fan = 16

// newStrand makes a strand of waits that are sorted by start.
func newStrand(of *wait.Waits, waits []int32) *strand {
	s := &strand{of: of, waits: waits}
	level := make([]peak, (len(waits)+fan-1)/fan)
	for k, w := range waits {
		level[k/fan].join(peak{of.Dur(int(w)), of.End[w]})
	}
	for ; len(level) > 0; level = blocksOf(level) {
		s.peaks = append(s.peaks, level)
		if len(level) == 1 {
			break
		}
	}
	return s
}

func blocksOf(level []peak) []peak {
	out := make([]peak, (len(level)+fan-1)/fan)
	for k, p := range level {
		out[k/fan].join(p)
	}
	return out
}

func (p *peak) join(q peak) { p.dur, p.end = max(p.dur, q.dur), max(p.end, q.end) }

// newCrowd makes a strand of the waits of several threads, in any order.
func newCrowd(of *wait.Waits, waits []int32) *strand {
	slices.SortFunc(waits, func(x, y int32) int {
		return cmp.Or(cmp.Compare(of.Start[x], of.Start[y]), cmp.Compare(x, y))
	})
	s := newStrand(of, waits)
	s.ends = make([]int64, len(waits))
	for k, w := range waits {
		s.ends[k] = of.End[w]
	}
	slices.Sort(s.ends)
	return s
}

// count returns how many waits touch [from, to]: those that have begun less those that have ended
// before.
func (s *strand) count(from, to int64) int {
	ended := func(k int) bool { return s.of.End[s.waits[k]] >= from }
	if s.ends != nil {
		ended = func(k int) bool { return s.ends[k] >= from }
	}
	return s.begun(to) - sort.Search(len(s.waits), ended)
}

// begun returns how many waits start no later than at to.
func (s *strand) begun(to int64) int {
	return sort.Search(len(s.waits), func(k int) bool { return s.of.Start[s.waits[k]] > to })
}

// node is a block of a level, or a wait at level −1.
type node struct {
	dur   int64
	level int32
	at    int32
}

// search finds the waits of strands that last longest. It keeps its buffer from one frame to the
// next.
type search struct {
	heap  []node // the longest first
	steps int    // nodes looked at since the search was made: what it costs
}

// longest appends to out the waits that touch [from, to] and that wide accepts by their duration,
// but no more than most, and of those the longest. wide must accept whatever is longer than what
// it accepts.
func (q *search) longest(s *strand, from, to int64, wide func(dur int64) bool, most int,
	out []int32) []int32 {
	begun := int32(s.begun(to))
	q.heap = q.heap[:0]
	if len(s.peaks) > 0 {
		q.push(s, int32(len(s.peaks))-1, 0, from, wide)
	}
	for len(q.heap) > 0 && most > 0 {
		n := q.pop()
		if n.level < 0 {
			out, most = append(out, s.waits[n.at]), most-1
			continue
		}
		below := int32(len(s.waits))
		if n.level > 0 {
			below = int32(len(s.peaks[n.level-1]))
		}
		for k := n.at * fan; k < min((n.at+1)*fan, below) && s.firstOf(n.level-1, k) < begun; k++ {
			q.push(s, n.level-1, k, from, wide)
		}
	}
	return out
}

// firstOf returns the first wait of a block.
func (s *strand) firstOf(level, at int32) int32 {
	for ; level >= 0; level-- {
		at *= fan
	}
	return at
}

// push adds a block or a wait if it may be among those in sight that are wide enough.
func (q *search) push(s *strand, level, at int32, from int64, wide func(dur int64) bool) {
	q.steps++
	p := peak{}
	if level >= 0 {
		p = s.peaks[level][at]
	} else {
		w := s.waits[at]
		p = peak{s.of.Dur(int(w)), s.of.End[w]}
	}
	if p.end < from || !wide(p.dur) {
		return
	}
	q.heap = append(q.heap, node{p.dur, level, at})
	for k := len(q.heap) - 1; k > 0; {
		up := (k - 1) / 2
		if !q.heap[k].before(&q.heap[up]) {
			break
		}
		q.heap[k], q.heap[up] = q.heap[up], q.heap[k]
		k = up
	}
}

// before orders nodes: longer ones first, and of equally long ones waits before blocks, so that
// enough waits are found before every block is opened.
func (n *node) before(m *node) bool {
	if n.dur != m.dur {
		return n.dur > m.dur
	}
	if n.level != m.level {
		return n.level < m.level
	}
	return n.at < m.at
}

// pop takes the longest.
func (q *search) pop() node {
	h := q.heap
	top, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	for k := 0; ; {
		best := k
		for child := 2*k + 1; child <= 2*k+2 && child < last; child++ {
			if h[child].before(&h[best]) {
				best = child
			}
		}
		if best == k {
			break
		}
		h[k], h[best] = h[best], h[k]
		k = best
	}
	q.heap = h
	return top
}

// unlimited is as many waits as there are: of one thread there is room for few that are wide
// enough, as they lie beside each other.
const unlimited = math.MaxInt
