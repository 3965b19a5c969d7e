package trace

import (
	"math"
	"slices"
)

// Pyramid answers, for a thread drawn at any zoom, the two questions that keep drawing cost
// proportional to what is visible: which call is the next one wide enough to draw on its own, and
// how deep do the stacks of a run of narrow calls reach.
//
// It rests on one property of pre-order: everything below a call narrower than w is narrower than w
// too, and so is every gap between siblings there. So the first index after a narrow call whose
// duration or leading gap reaches w is a sibling of that call (or of one of its ancestors), and a
// whole run of narrow siblings is skipped without looking into it.
//
// Level k holds one entry for every fan^(k+1) calls: about 0.54 bytes a call in all. Up to fan
// calls are looked at one by one; there can be many threads of that kind.
type Pyramid struct {
	levels []lodLevel
}

type lodLevel struct {
	reach []float32 // max over the block of duration and leading gap, ns, rounded up
	depth []uint32  // max stack level in the block
}

// fan is the number of entries one entry of the next level stands for.
const (
	fan      = 16
	fanShift = 4
)

// stretch is how many blocks of the lowest level one processor builds at a time, of all but very
// deep threads.
const stretch = 1 << 12

// stretchOf returns how many blocks one processor builds at a time. At the beginning of a stretch
// all calls around its first one are looked at, so stretches have at least as many calls as the
// thread has levels. Otherwise millions of calls, each called by the one before, take time that
// grows with the square of their number.
func stretchOf(t *Thread) int {
	if t.large == nil || len(t.large.depth) == 0 {
		return stretch
	}
	return max(stretch, int(slices.Max(t.large.depth))>>fanShift+1)
}

// noSibling is an end after which no call starts: the gap before a first child is negative.
const noSibling = 2 * Limit

// newPyramid builds the pyramid of t in one pass over its columns, in a room that may be nil. The
// lowest level of a long thread is built by all processors.
func newPyramid(t *Thread, r *room) *Pyramid {
	n := t.Len()
	if n <= fan {
		return nil
	}
	p := &Pyramid{levels: newLevels(r, n)}
	base := &p.levels[0]
	if blocks, size := len(base.reach), stretchOf(t); blocks <= size {
		base.fill(t, 0, blocks)
	} else {
		_ = each((blocks+size-1)/size, func(k int) error {
			base.fill(t, k*size, min((k+1)*size, blocks))
			return nil
		})
	}
	for k, last := range p.levels[:len(p.levels)-1] {
		next := p.levels[k+1]
		for i := range last.reach {
			b := i >> fanShift
			next.reach[b] = max(next.reach[b], last.reach[i])
			next.depth[b] = max(next.depth[b], last.depth[i])
		}
	}
	return p
}

// fill fills some blocks of the lowest level.
func (l *lodLevel) fill(t *Thread, from, to int) {
	var few [deep + 1]int64                        // there can be many threads
	ends := t.endsAround(few[:], from<<fanShift-1) // by depth: of the siblings of what comes next
	for b := from; b < to; b++ {
		i := b << fanShift
		last := min(i+fan, t.Len())
		n, widest, deepest := reachNear(t.spans[i:last], t.depth[i:last], t.base[i>>baseShift],
			(*[deep + 1]int64)(ends))
		for i += n; i < last; i++ {
			start, reach, d := t.Start(i), t.Dur(i), int(t.Depth(i))
			if d+1 >= len(ends) {
				ends = append(ends, noSibling)
			}
			gap := start - ends[d]
			ends[d], ends[d+1] = start+reach, noSibling
			widest, deepest = max(widest, reach, gap), max(deepest, d)
		}
		l.reach[b], l.depth[b] = roundUp(widest), uint32(deepest)
	}
}

// reachNear returns how far calls reach that count from one base, and the deepest of their levels,
// and brings the ends up to date. It stops before a call with a number that does not fit, and
// returns how many it has taken.
func reachNear(
	spans []span, depth []uint8, base int64, ends *[deep + 1]int64,
) (n int, widest int64, deepest int) {
	depth = depth[:len(spans)]
	for i, s := range spans {
		d := depth[i]
		if s.after|s.dur >= far || d == deep {
			return i, widest, deepest
		}
		start, reach := base+int64(s.after), int64(s.dur)
		gap := start - ends[d]
		ends[d], ends[d+1] = start+reach, noSibling
		widest, deepest = max(widest, reach, gap), max(deepest, int(d))
	}
	return len(spans), widest, deepest
}

// endsAround returns in ends, grown where it must be, the ends of call i and of those around it by
// depth, and beyond them that there is no sibling; nothing else of −1.
func (t *Thread) endsAround(ends []int64, i int) []int64 {
	d := -1
	if i >= 0 {
		d = int(t.Depth(i))
	}
	ends = slices.Grow(ends, max(0, d+2-len(ends)))[:max(len(ends), d+2)]
	for k := d + 1; k < len(ends); k++ {
		ends[k] = noSibling
	}
	for ; d >= 0; d-- {
		ends[d] = t.End(i)
		i = int(t.Parent(i))
	}
	return ends
}

// levels returns the number of stack levels.
func (t *Thread) levels() int32 {
	if p := t.LOD; p != nil {
		return int32(p.levels[len(p.levels)-1].depth[0] + 1)
	}
	return t.columns.levels()
}

// newLevels makes the levels above n calls, all of one piece: there can be many threads.
func newLevels(r *room, n int) []lodLevel {
	sum, count := 0, 0
	for size := n; size > 1; count++ {
		size = (size + fan - 1) >> fanShift
		sum += size
	}
	reach, depth := made[float32](r, sum), made[uint32](r, sum)
	levels := make([]lodLevel, count)
	for k := range levels {
		n = (n + fan - 1) >> fanShift
		levels[k] = lodLevel{reach[:n:n], depth[:n:n]}
		reach, depth = reach[n:], depth[n:]
	}
	return levels
}

// roundUp converts to float32 without ever falling below v, so that a block is never skipped
// wrongly.
func roundUp(v int64) float32 {
	f := float32(v)
	if int64(f) < v {
		f = math.Nextafter32(f, math.MaxFloat32)
	}
	return f
}

func (p *Pyramid) bytes() int64 {
	if p == nil {
		return 0
	}
	n := int64(0)
	for _, l := range p.levels {
		n += int64(cap(l.reach))*4 + int64(cap(l.depth))*4
	}
	return n
}

// NextWide returns the first index in [from, to) whose call lasts at least w ns or starts at least
// w ns after its previous sibling's end, or to if there is none.
func (t *Thread) NextWide(from, to int, w float64) int {
	for i := from; i < to; {
		if i&(fan-1) == 0 {
			if skip := t.LOD.narrow(i, w); skip > 0 {
				i += skip
				continue
			}
		}
		if float64(t.Dur(i)) >= w || t.leadingGap(i) >= w {
			return i
		}
		i++
	}
	return to
}

// narrow returns how many calls from i on, i a multiple of fan, certainly reach less than w: the
// size of the largest aligned block of which that is true, or 0.
func (p *Pyramid) narrow(i int, w float64) int {
	if p == nil {
		return 0
	}
	skip := 0
	for k, l := range p.levels {
		size := 1 << (fanShift * (k + 1))
		if i&(size-1) != 0 || float64(l.reach[i/size]) >= w {
			break
		}
		skip = size
	}
	return skip
}

// leadingGap returns the time between call i's start and its previous sibling's end, or 0 for a
// first child.
func (t *Thread) leadingGap(i int) float64 {
	p := t.Parent(i)
	s := i - 1
	if s == int(p) {
		return 0
	}
	for up := t.Parent(s); up != p; up = t.Parent(s) {
		s = int(up)
	}
	return float64(t.Start(i) - t.End(s))
}

// NextDeep returns the first index in [from, to) at stack level depth or deeper, or to if there is
// none.
func (t *Thread) NextDeep(from, to, depth int) int {
	for i := from; i < to; {
		if i&(fan-1) == 0 {
			if skip := t.LOD.shallow(i, depth); skip > 0 {
				i += skip
				continue
			}
		}
		if int(t.Depth(i)) >= depth {
			return i
		}
		i++
	}
	return to
}

// shallow returns how many calls from i on, i a multiple of fan, certainly lie above level depth:
// the size of the largest aligned block of which that is true, or 0.
func (p *Pyramid) shallow(i, depth int) int {
	if p == nil {
		return 0
	}
	skip := 0
	for k, l := range p.levels {
		size := 1 << (fanShift * (k + 1))
		if i&(size-1) != 0 || int(l.depth[i/size]) >= depth {
			break
		}
		skip = size
	}
	return skip
}

// DeepestIn returns the greatest stack level of the calls in [from, to), which must not be empty.
func (t *Thread) DeepestIn(from, to int) int {
	deepest := uint32(0)
	for i := from; i < to; {
		k, size := -1, 1
		for t.LOD != nil && k+1 < len(t.LOD.levels) {
			next := size << fanShift
			if i&(next-1) != 0 || i+next > to {
				break
			}
			k, size = k+1, next
		}
		if k < 0 {
			deepest = max(deepest, t.Depth(i))
		} else {
			deepest = max(deepest, t.LOD.levels[k].depth[i/size])
		}
		i += size
	}
	return int(deepest)
}
