package account

import (
	"encoding/binary"
	"slices"
	"sync"

	"diptych/internal/pair"
)

// A finding such as "load is called 3 times more, including callees" accounts for time of many
// functions, as far as it is spent below load. So the sweep keeps the time apart that is spent
// below the functions of a scope, those that Options names. Such functions call each other; a scope
// is therefore the set of them that are open:
//
//	main(load(parse(load(read))))    with load and parse named: read is in the scope {load, parse}
//
// Scopes are numbered as they are met; 0 is the empty one. Sums over scopes do not depend on the
// numbers.

// mostOpen is how many functions a scope may have. Further ones are not kept apart.
const mostOpen = 32

type scopes struct {
	named map[uint32]bool

	mu   sync.RWMutex
	step map[[2]uint32]int32 // from a scope and a function to the scope below
	of   map[string]int32    // by their functions, as bytes
	open [][]uint32          // functions by scope, ascending
}

func newScopes(named map[uint32]bool) *scopes {
	return &scopes{named: named, step: map[[2]uint32]int32{}, of: map[string]int32{},
		open: [][]uint32{nil}}
}

// below returns the scope of a call of fn, which is named, in a scope.
func (s *scopes) below(scope int32, fn uint32) int32 {
	at := [2]uint32{uint32(scope), fn}
	s.mu.RLock()
	to, ok := s.step[at]
	s.mu.RUnlock()
	if ok {
		return to
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if to, ok = s.step[at]; ok {
		return to
	}
	to = scope
	open := s.open[scope]
	if k, is := slices.BinarySearch(open, fn); !is && len(open) < mostOpen {
		to = s.numberOf(slices.Insert(slices.Clone(open), k, fn))
	}
	s.step[at] = to
	return to
}

// numberOf returns the scope of functions, given in ascending order.
func (s *scopes) numberOf(open []uint32) int32 {
	var key []byte
	for _, fn := range open {
		key = binary.LittleEndian.AppendUint32(key, fn)
	}
	scope, known := s.of[string(key)]
	if !known {
		scope = int32(len(s.open))
		s.of[string(key)], s.open = scope, append(s.open, open)
	}
	return scope
}

// Portion is how much of a cell's difference lies in a scope or on some threads.
type Portion struct {
	Cell  int
	Delta Delta
}

// portions sums up portions by cell.
type portions struct {
	of   []Delta // by cell; all 0 between uses
	met  []bool  // by cell
	list []int   // of the cells that were met
}

// newPortions returns portions of which none is there yet.
func (b *Balance) newPortions() *portions {
	if p, ok := b.sparse.Get().(*portions); ok {
		return p
	}
	return &portions{of: make([]Delta, len(b.Cells)), met: make([]bool, len(b.Cells))}
}

func (p *portions) add(cell int, d Delta) {
	if !p.met[cell] {
		p.met[cell], p.list = true, append(p.list, cell)
	}
	p.of[cell] = p.of[cell].Plus(d)
}

// deltaOn returns the difference that an amount of one side makes.
func deltaOn(side int, a Amount, works bool) Delta {
	d := deltaOf(a, works)
	if side == 0 {
		d = Delta{-d.ElapsedNs, -d.WorkNs}
	}
	return d
}

// Below returns how much of each cell's difference lies in the calls of a function that Options
// named, including callees.
func (b *Balance) Below(function uint32) []Portion {
	p := b.newPortions()
	for _, scope := range b.scopesOf[function] {
		for _, of := range b.scoped[scope] {
			p.add(of.Cell, of.Delta)
		}
	}
	return b.listOf(p)
}

// Shared returns how much more work B has in calls of a function that are below another one, or
// have it below them, ns. Options named both.
func (b *Balance) Shared(function, with uint32) (ns int64) {
	for _, scope := range b.scopesOf[function] {
		if _, both := slices.BinarySearch(b.scopesOf[with], scope); !both {
			continue
		}
		for _, of := range b.scoped[scope] {
			ns += of.Delta.WorkNs
		}
	}
	return ns
}

// OfThreads returns how much of each cell's difference lies on the given threads of each side.
// These are split once more: what each thread comes to is not kept, since few are asked for.
func (b *Balance) OfThreads(threads [2][]int) []Portion {
	p := b.newPortions()
	for sd, list := range threads {
		s := &space{}
		for _, t := range list {
			if b.Threads[sd][t].Counts { // else nothing of it is in the cells
				b.sides[sd].addUp(s, t, piece{0, b.Pair.Trace(pair.Side(sd)).Threads[t].Len()}, b.ways[sd][t])
			}
		}
		for e := range s.entries {
			if cell := b.index.at(&e.part); cell >= 0 {
				p.add(cell, deltaOn(sd, e.Amount, e.part.Kind.Works()))
			}
		}
	}
	return b.listOf(p)
}

// listOf lists portions by cell, and gives their memory back.
func (b *Balance) listOf(p *portions) []Portion {
	slices.Sort(p.list)
	out := make([]Portion, 0, len(p.list))
	for _, cell := range p.list {
		if d := p.of[cell]; d != (Delta{}) {
			out = append(out, Portion{cell, d})
		}
		p.of[cell], p.met[cell] = Delta{}, false
	}
	p.list = p.list[:0]
	b.sparse.Put(p)
	return out
}
