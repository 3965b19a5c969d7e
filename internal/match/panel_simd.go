//go:build goexperiment.simd && amd64

package match

import (
	"math/bits"
	"simd/archsimd"
)

const (
	inPanel  = 128 // kinds
	mostByte = 1<<8 - 1
)

// newEngine returns the fastest engine for this processor.
func newEngine(c *comparison) engine {
	switch {
	case archsimd.X86.AVX512():
		return newPanel(c, (*panel).compare512)
	case archsimd.X86.AVX2():
		return newPanel(c, (*panel).compare256)
	}
	return newTwoSteps(c)
}

// panelBytes is a byte for each kind of a panel.
type panelBytes [inPanel]uint8

// panel is the engine of vector instructions. One is used for many panels, one after the other.
type panel struct {
	*comparison
	compare func(p *panel, matching []bool) // adds all matches of the panel at hand
	rows    []panelRow
	added   []uint32 // added[from:to] of a row is what it adds; see rowKinds.padded

	// Of the panel at hand:
	kinds  []uint32
	sizes  [inPanel]uint32 // by kind
	wide   bool            // a byte may be too small for a kind
	bit    uint16          // that the panel has in its sieve
	number uint32          // counted from 1
	local  []uint32        // by identity: index into has; 0 if no kind has it
	ids    []uint32        // that the panel has
	has    []panelBytes    // by local number of an identity: 1 for each kind that has it
	needs  []panelBytes    // by size of A: a row that shares more than this with a kind matches it
	known  []uint32        // by size of A: the number of the panel for which needs holds
	stack  []panelBytes    // stack[d+1] is how much the latest row of depth d shares; stack[0] is 0
	marks  []bool          // by identity, for addWide
	sieve  *sieve
	enough []uint8 // by the sum of two sizes: Tau.least − 1, at most mostByte
	*panelColumns
}

// panelRow is what is read of a row for every panel.
type panelRow struct {
	end, from, to uint32
	depth         uint32 // rows around it in the forest
	size          uint32 // index into the sizes of A
	core          uint32
}

// panelFloats is a number for each kind of a panel, in vectors of eight.
type panelFloats [inPanel / 8][8]float64

// at returns where the number of kind k is.
func (f *panelFloats) at(k int) *float64 { return &f[k/8%len(f)][k%8] }

// panelColumns is a number for each kind of a panel. It holds no pointers and nothing else, so that
// it begins at a cache line, and no vector crosses from one to the next.
type panelColumns struct {
	size, calls, similarities panelFloats // the latter two are what each kind matches
}

func newPanel(c *comparison, compare func(*panel, []bool)) *panel {
	p := &panel{comparison: c, compare: compare, rows: make([]panelRow, len(c.x.nodes)),
		added: c.x.padded, local: make([]uint32, c.identities+1), has: make([]panelBytes, 1),
		needs: make([]panelBytes, len(c.x.sizes)), known: make([]uint32, len(c.x.sizes)),
		stack: make([]panelBytes, c.x.depth+1), marks: make([]bool, c.identities),
		sieve: newSieve(c), enough: make([]uint8, len(c.least)), panelColumns: new(panelColumns)}
	for both, least := range c.least {
		p.enough[both] = uint8(min(least-1, mostByte))
	}
	for k, n := range c.x.nodes {
		row := panelRow{end: n.end, from: n.from, to: n.to, size: c.x.size[k], core: c.x.core[k]}
		if n.base != none {
			row.depth = p.rows[n.base].depth + 1
		}
		p.rows[k] = row
	}
	return p
}

func (p *panel) compareTile(t interval, rows []bool, done func(blocks int) error) error {
	for from := t.from; from < t.to; from += inPanel / inBlock {
		in, to := (from-t.from)%inSieve, min(from+inPanel/inBlock, t.to)
		if in == 0 {
			p.sift(from, min(from+inSieve, t.to))
		}
		p.bit = 1 << (in / (inPanel / inBlock))
		p.seek(p.y.order[from*inBlock : min(int(to)*inBlock, len(p.y.order))])
		p.compare(p, rows)
		for k, kind := range p.kinds {
			p.columns[kind] = matched{*p.calls.at(k), *p.similarities.at(k)}
		}
		if err := done(int(to - from)); err != nil {
			return err
		}
	}
	return nil
}

// seek makes the panel at hand the one of these kinds.
func (p *panel) seek(kinds []uint32) {
	for _, id := range p.ids {
		p.local[id] = 0
	}
	p.kinds, p.ids, p.has, p.wide = kinds, p.ids[:0], p.has[:1], false
	p.number++
	p.calls, p.similarities = panelFloats{}, panelFloats{}
	for k, kind := range kinds {
		p.sizes[k] = p.y.Size[kind]
		*p.size.at(k) = float64(p.sizes[k])
		p.wide = p.wide || p.y.core[kind] > mostByte
		p.addMembers(k, kind)
	}
}

// addMembers notes which identities kind k of the panel has.
func (p *panel) addMembers(k int, kind uint32) {
	p.y.Members(int(kind), func(id uint32) bool {
		if p.local[id] == 0 {
			p.local[id] = uint32(len(p.has))
			p.ids, p.has = append(p.ids, id), append(p.has, panelBytes{})
		}
		p.has[p.local[id]][k] = 1
		return true
	})
}

// need returns what a row must share more than with each kind of the panel. size is an index into
// the sizes of A. No byte exceeds mostByte, so that says that the kind cannot be matched.
func (p *panel) need(size uint32) *panelBytes {
	need := &p.needs[size]
	if p.known[size] == p.number {
		return need
	}
	p.known[size] = p.number
	enough := p.enough[p.x.sizes[size]:]
	for k, ySize := range p.sizes[:len(p.kinds)] {
		need[k] = enough[ySize]
	}
	for k := len(p.kinds); k < inPanel; k++ {
		need[k] = mostByte
	}
	return need
}

// isWide reports whether a row may share more with a kind than a byte counts. Then so may all rows
// below it, and their bytes are not used.
func (p *panel) isWide(row *panelRow) bool { return p.wide && row.core > mostByte }

// addWide adds the matches of such a row and reports whether there are any.
func (p *panel) addWide(row int) (any bool) {
	mark := func(as bool) {
		p.x.Members(row, func(id uint32) bool {
			p.marks[id] = as
			return true
		})
	}
	mark(true)
	defer mark(false)
	for k, kind := range p.kinds {
		n := uint32(0)
		p.y.Members(int(kind), func(id uint32) bool {
			if p.marks[id] {
				n++
			}
			return true
		})
		if n >= p.least[p.x.Size[row]+p.y.Size[kind]] {
			p.addMatch(row, k, n)
			any = true
		}
	}
	return any
}

// addMatch adds one match: a row shares n with kind k of the panel.
func (p *panel) addMatch(row, k int, n uint32) {
	m := matched{*p.calls.at(k), *p.similarities.at(k)}
	m.add(float64(p.x.Count[row]), float64(n), float64(p.x.Size[row])+*p.size.at(k))
	*p.calls.at(k), *p.similarities.at(k) = m.calls, m.similarity
}

// addMatches adds the matches of a row, which are given as bits.
func (p *panel) addMatches(row int, matched [inPanel / 64]uint64) {
	common := &p.stack[p.rows[row].depth+1]
	for w, m := range matched {
		for ; m != 0; m &= m - 1 {
			k := 64*w + bits.TrailingZeros64(m)
			p.addMatch(row, k, uint32(common[k]))
		}
	}
}
