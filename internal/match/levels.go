package match

import (
	"context"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"diptych/internal/progress"
)

// A ladder needs to know of each row what its pairs with all kinds of the other side add up to, by
// level. At τ = 0 every pair that shares a function matches, so none can be skipped, and most of
// the time would go into finding the level of each.
//
// But the level of a pair follows from three numbers: both sizes, and how many identities are
// shared. So kinds of one size are put beside each other in a panel, and a row only adds up their
// calls by how many identities they share with it; then it looks up the few levels. For example,
// if a row of 40 identities shares 3 with 20 of a panel's kinds of 25 identities, and 4 with 30 of
// them, then two levels are found and not fifty.
//
// How much is shared takes a byte for each kind. levels_simd.go adds such bytes by vector
// instructions. Sums of calls and of starts are whole numbers, so their order does not matter;
// those of similarities are in the order of the panels, and within one in that of what is shared.

const (
	inLevel = 256 // kinds in a panel
	// mostPanels are compared together, so that what they share is looked up once.
	mostPanels = 6
	// leastAlike is how many kinds of one size are worth panels of their own. Others share panels,
	// in which the level of each pair is found.
	leastAlike = 8
	// stretch is how many rows are compared with some panels before the next ones: their sums
	// should fit the second cache.
	stretch = 256
)

// levelBytes is a byte for each kind of a panel.
type levelBytes [inLevel]uint8

// word returns the k-th eight bytes.
func (b *levelBytes) word(k int) uint64 { return binary.LittleEndian.Uint64(b[8*k:]) }

// bin is a sum over kinds: their calls, and the starts of these.
type bin [2]uint64

// bins are sums by how many identities are shared. There are four of each, so that kinds beside
// each other, which often share as many, need not wait for each other.
type bins [math.MaxUint8 + 1][4]bin

// levelSum is the sum over a row's pairs of one level.
type levelSum struct {
	weight        float64
	calls, starts uint64
}

// levelFrames is what the rows at hand share with a panel.
type levelFrames struct {
	*levelPanel
	local []uint32     // by identity, and one that no kind has: index into has
	stack []levelBytes // stack[d+1] is how much the latest row of depth d shares; stack[0] is 0
	none  []bool       // none[d+1]: that row shares nothing, and stack[d+1] is not made
}

// seek makes the panel at hand another.
func (f *levelFrames) seek(p *levelPanel) {
	if f.levelPanel != nil {
		for _, id := range f.ids {
			f.local[id] = 0
		}
	}
	f.levelPanel = p
	for k, id := range p.ids {
		f.local[id] = uint32(k) + 1
	}
}

// levelKernel is what vector instructions can do.
type levelKernel struct {
	// count makes the frame of a row, given that of its base and what it adds to that.
	count func(f *levelFrames, below, common *levelBytes, added []uint32)
	// fill adds the kinds of a panel to the bins, except in words in which nothing is shared. It
	// returns the bits that any of the numbers shared has.
	fill func(p *levelPanel, common *levelBytes, into *bins) uint8
}

// leveller compares stretches of rows, one after the other.
type leveller struct {
	*levelling
	levelKernel
	sums      [][levels]levelSum // by row of the stretch
	rows      []int              // of the stretch, but for wide ones
	ancestors []int              // those of the first row, from the outermost, but for wide ones
	frames    [mostPanels]levelFrames
	held      []bool   // by identity: a row of the stretch, or a row around one, has it
	bins      bins     // all 0 between rows, but for those of nothing shared, which nobody reads
	wide      *row     // for addWide; nil if no row is wide
	shared    []uint32 // by kind: the same
}

func newLeveller(l *levelling) *leveller {
	e := &leveller{levelling: l, levelKernel: newLevelKernel(), held: make([]bool, l.identities+1)}
	for k := range e.frames {
		e.frames[k].local = make([]uint32, l.identities+1)
		e.frames[k].stack = make([]levelBytes, l.layers+1)
		e.frames[k].none = make([]bool, l.layers+1)
		e.frames[k].none[0] = true
	}
	if l.columns != nil {
		e.wide, e.shared = newRow(l.x.Classes, l.columns), make([]uint32, len(l.y.Base))
	}
	return e
}

// compare sums up the pairs of rows [from, to), of which there are at most stretch.
func (l *leveller) compare(ctx context.Context, from, to int) error {
	l.sums = slices.Grow(l.sums[:0], to-from)[:to-from]
	clear(l.sums)
	l.ancestors, l.rows = l.ancestors[:0], l.rows[:0]
	for k := l.x.Base[from]; k != none; k = l.x.Base[k] {
		if !l.isWide(int(k)) {
			l.ancestors = append(l.ancestors, int(k))
		}
	}
	slices.Reverse(l.ancestors)
	for row := from; row < to; row++ {
		if !l.isWide(row) {
			l.rows = append(l.rows, row)
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		l.addWide(row, &l.sums[row-from])
	}
	if len(l.rows) == 0 {
		return nil
	}
	l.hold(true)
	defer l.hold(false)
	for _, g := range l.groups {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !l.meets(g.panels) {
			continue
		}
		frames := l.frames[:len(g.panels)]
		for k := range frames {
			frames[k].seek(&g.panels[k])
			for _, row := range l.ancestors {
				l.countRow(&frames[k], row)
			}
		}
		for _, row := range l.rows {
			l.addRow(frames, g.size, row, &l.sums[row-from])
		}
	}
	return nil
}

// hold notes what the rows and those around them have, or forgets it.
func (l *leveller) hold(held bool) {
	for _, rows := range [][]int{l.ancestors, l.rows} {
		for _, row := range rows {
			n := &l.x.nodes[row]
			for _, id := range l.x.padded[n.from:n.to] {
				l.held[id] = held
			}
		}
	}
}

// meets reports whether a row of the stretch shares anything with a kind of some panels.
func (l *leveller) meets(panels []levelPanel) bool {
	for k := range panels {
		if slices.ContainsFunc(panels[k].ids, func(id uint32) bool { return l.held[id] }) {
			return true
		}
	}
	return false
}

// countRow makes the frame of a row, and reports whether it shares anything with any kind. Where
// most names occur once, a row shares nothing with almost all panels.
func (l *leveller) countRow(f *levelFrames, row int) bool {
	n, depth := &l.x.nodes[row], l.depth[row]
	added := l.x.padded[n.from:n.to]
	if f.none[depth] {
		f.none[depth+1] = !slices.ContainsFunc(added, func(id uint32) bool { return f.local[id] > 0 })
		if f.none[depth+1] {
			return false
		}
		l.count(f, &f.stack[0], &f.stack[depth+1], added)
		return true
	}
	f.none[depth+1] = false
	l.count(f, &f.stack[depth], &f.stack[depth+1], added)
	return true
}

// addRow adds what a row and some panels have in common to the row's sums. size is that of the
// panels' kinds, or 0.
func (l *leveller) addRow(frames []levelFrames, size uint32, row int, sums *[levels]levelSum) {
	depth, most := l.depth[row]+1, uint8(0)
	for k := range frames {
		f := &frames[k]
		if !l.countRow(f, row) {
			continue
		}
		if size == 0 {
			l.addPairs(f.levelPanel, row, &f.stack[depth], sums)
		} else {
			most |= l.fill(f.levelPanel, &f.stack[depth], &l.bins)
		}
	}
	l.addBins(l.x.Size[row]+size, bits.Len8(most), sums)
}

// fillBins is fill for every processor.
func fillBins(p *levelPanel, common *levelBytes, into *bins) uint8 {
	all := uint64(0)
	for k := range p.words() {
		w := common.word(k)
		if w == 0 {
			continue
		}
		all |= w
		cells := (*[8]bin)(p.cells[8*k:])
		for i := range cells {
			b := &into[uint8(w)][i%4]
			b[0] += cells[i][0]
			b[1] += cells[i][1]
			w >>= 8
		}
	}
	return anyByte(all)
}

// anyByte returns the bits that any of eight bytes has.
func anyByte(w uint64) uint8 {
	w |= w >> 32
	w |= w >> 16
	return uint8(w | w>>8)
}

// addBins empties the bins of all numbers below 2^length into the sums of their levels. both is the
// sum of the sizes.
func (l *leveller) addBins(both uint32, length int, sums *[levels]levelSum) {
	for common := 1; common < 1<<length; common++ {
		of := &l.bins[common]
		calls := of[0][0] + of[1][0] + of[2][0] + of[3][0]
		if calls == 0 {
			continue
		}
		starts := of[0][1] + of[1][1] + of[2][1] + of[3][1]
		*of = [4]bin{}
		l.addLevel(uint32(common), both, bin{calls, starts}, sums)
	}
}

// addLevel adds pairs that share so many identities.
func (l *leveller) addLevel(common, both uint32, c bin, sums *[levels]levelSum) {
	s, n := l.inverses.similarity(common, both-common)
	sum := &sums[n]
	sum.weight += s * float64(c[0])
	sum.calls += c[0]
	sum.starts += c[1]
}

// addPairs adds the pairs of a row and a panel whose kinds have several sizes.
func (l *leveller) addPairs(p *levelPanel, row int, common *levelBytes, sums *[levels]levelSum) {
	size := l.x.Size[row]
	for word := range p.words() {
		for w := common.word(word); w != 0; {
			at := bits.TrailingZeros64(w) / 8
			k, n := 8*word+at, uint8(w>>(8*at))
			w &^= 0xff << (8 * at)
			l.addLevel(uint32(n), size+l.y.Size[p.kinds[k]], p.cells[k], sums)
		}
	}
}

// addWide adds the pairs of a row that may share more with a kind than a byte counts, in the order
// in which those of other rows are added.
func (l *leveller) addWide(row int, sums *[levels]levelSum) {
	l.wide.seekClass(row)
	l.wide.writeCommon(l.shared)
	for _, g := range l.groups {
		most := uint32(0)
		for k := range g.panels {
			if p := &g.panels[k]; g.size == 0 || p.wide {
				l.addShared(p, row, sums)
			} else {
				most |= l.binShared(p)
			}
		}
		l.addBins(l.x.Size[row]+g.size, bits.Len32(most), sums)
	}
}

// binShared adds the kinds of a panel to the bins. It returns the bits that any of the numbers
// shared has.
func (l *leveller) binShared(p *levelPanel) (most uint32) {
	for k, kind := range p.kinds {
		n := l.shared[kind]
		b := &l.bins[uint8(n)][0]
		b[0] += p.cells[k][0]
		b[1] += p.cells[k][1]
		most |= n
	}
	return most
}

// addShared adds the pairs of a row and a panel, as addLevel does. Kinds beside each other are of
// about one size, so most pairs have the level of the one before.
func (l *leveller) addShared(p *levelPanel, row int, sums *[levels]levelSum) {
	size, at, sum := l.x.Size[row], uint64(0), sums[0]
	for k, kind := range p.kinds {
		n := l.shared[kind]
		if n == 0 {
			continue
		}
		s, level := l.inverses.similarity(n, size+l.y.Size[kind]-n)
		if level != at {
			sums[at] = sum
			at, sum = level, sums[level]
		}
		c := &p.cells[k]
		sum.weight += s * float64(c[0])
		sum.calls += c[0]
		sum.starts += c[1]
	}
	sums[at] = sum
}

// countWords is count for every processor.
func countWords(f *levelFrames, below, common *levelBytes, added []uint32) {
	*common = *below
	for _, id := range added {
		local := f.local[id]
		if local == 0 {
			continue
		}
		for w, kinds := range f.has[local] {
			for k := 8 * w; kinds != 0; k, kinds = k+1, kinds>>8 {
				more := bytesOfBits[uint8(kinds)]
				binary.LittleEndian.PutUint64(common[8*k:], common.word(k)+more)
			}
		}
	}
}

// bytesOfBits has a byte for each bit of its index.
var bytesOfBits = func() (of [256]uint64) {
	for bits := range of {
		for k := range 8 {
			of[bits] |= uint64(bits) >> k & 1 << (8 * k)
		}
	}
	return of
}()

// visit compares the rows of a strip and calls visit with the sums of each, from first to last.
func (l *leveller) visit(ctx context.Context, s strip, m *progress.Meter,
	visit func(row int, of *byLevel)) error {
	var of byLevel
	for from := s.from; from < s.to; from += stretch {
		to := min(from+stretch, s.to)
		if err := l.compare(ctx, from, to); err != nil {
			return err
		}
		for k := range l.sums {
			for n := range l.sums[k] {
				sum := &l.sums[k][n]
				of[n] = amount{weight: sum.weight, matches: float64(sum.calls),
					start: math.Ldexp(float64(sum.starts), l.scale)}
			}
			visit(from+k, &of)
		}
		if err := m.Add(ctx, int64(to-from)); err != nil {
			return err
		}
	}
	return nil
}
