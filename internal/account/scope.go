package account

import (
	"cmp"
	"slices"
	"sync"
)

// A finding such as "load is called 3 times more, including callees" accounts for time of many
// functions, as far as it is spent below load. So the sweep keeps the time apart that is spent
// below the functions of a scope, those that Options names. Such functions call each other; a scope
// is therefore the chain of them that is open, each once:
//
//	main(load(parse(load(read))))    with load and parse named: read is in the scope load, parse
//
// Scopes are numbered as they are met; 0 is the empty one. Sums over scopes do not depend on the
// numbers.

// longestChain is how many functions a chain may have. Further ones are not kept apart.
const longestChain = 32

type scopes struct {
	named map[uint32]bool

	mu    sync.RWMutex
	step  map[[2]uint32]int32 // from a scope and a function to the scope below
	chain [][]uint32          // by scope
}

func newScopes(named map[uint32]bool) *scopes {
	return &scopes{named: named, step: map[[2]uint32]int32{}, chain: [][]uint32{nil}}
}

// below returns the scope of a call of fn in a scope.
func (s *scopes) below(scope int32, fn uint32) int32 {
	if !s.named[fn] {
		return scope
	}
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
	if chain := s.chain[scope]; len(chain) < longestChain && !slices.Contains(chain, fn) {
		to = int32(len(s.chain))
		s.chain = append(s.chain, append(chain[:len(chain):len(chain)], fn))
	}
	s.step[at] = to
	return to
}

// Portion is how much of a cell's difference lies in a scope or on some threads.
type Portion struct {
	Cell  int
	Delta Delta
}

// portions sums up portions by cell.
type portions map[int]Delta

func (p portions) add(cell int, side int, a Amount, works bool) {
	d := deltaOf(a, works)
	if side == 0 {
		d = Delta{-d.ElapsedNs, -d.WorkNs}
	}
	p[cell] = p[cell].Plus(d)
}

// Below returns how much of each cell's difference lies in the calls of a function that Options
// named, including callees.
func (b *Balance) Below(function uint32) []Portion { return b.below[function].list() }

// OfThreads returns how much of each cell's difference lies on the given threads of each side.
func (b *Balance) OfThreads(threads [2][]int) []Portion {
	p := portions{}
	for sd, list := range threads {
		for _, t := range list {
			th := &b.Threads[sd][t]
			for i := range th.entries {
				e := &th.entries[i]
				if cell := b.cellAt(e.part); cell >= 0 {
					p.add(cell, sd, e.counted(th.Counts), e.part.Kind.Works())
				}
			}
		}
	}
	return p.list()
}

func (p portions) list() []Portion {
	out := make([]Portion, 0, len(p))
	for cell, d := range p {
		if d != (Delta{}) {
			out = append(out, Portion{cell, d})
		}
	}
	slices.SortFunc(out, func(x, y Portion) int { return cmp.Compare(x.Cell, y.Cell) })
	return out
}
