package account

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// Ledger says which part of the difference is accounted for. Findings claim portions of cells, one
// after the other; each owns what it takes, and nobody can take it again. So, in ns and in both
// accounts, what all of them took and what is left add up to the difference.
type Ledger struct {
	b    *Balance
	left []Delta // by cell
	// odd has a bit for each cell that Serial returns. There can be a million cells, thousands of
	// claims that ask for Serial, and mostly few cells that have something.
	odd []uint64
	// lined is the waiting that threads may do one after the other; nil until somebody asks.
	lined []lined
}

// NewLedger returns a ledger of which nothing is taken.
func NewLedger(b *Balance) *Ledger {
	l := &Ledger{b: b, left: make([]Delta, len(b.Cells)), odd: make([]uint64, (len(b.Cells)+63)/64)}
	for i := range b.Cells {
		l.leave(i, b.Cells[i].Delta())
	}
	return l
}

// leave sets what is left of a cell.
func (l *Ledger) leave(cell int, d Delta) {
	l.left[cell] = d
	word, bit := &l.odd[cell/64], uint64(1)<<(cell%64)
	*word &^= bit
	if l.serial(cell) != 0 {
		*word |= bit
	}
}

// serial returns what Serial says of a cell, in ns.
func (l *Ledger) serial(cell int) int64 {
	if !l.b.Cells[cell].Kind.Works() {
		return 0
	}
	d := l.left[cell]
	return d.ElapsedNs - Common(d.ElapsedNs, d.WorkNs)
}

// Of returns all that is left of a function's own cells.
func (l *Ledger) Of(function uint32) (list []Portion) {
	for _, i := range l.b.index.of(function) {
		list = append(list, Portion{int(i), l.left[i]})
	}
	return list
}

// OfKind returns all that is left of a kind of time.
func (l *Ledger) OfKind(k Kind) []Portion {
	var list []Portion
	for i := range l.b.Cells {
		if l.b.Cells[i].Kind == k {
			list = append(list, Portion{int(i), l.left[i]})
		}
	}
	return list
}

// OfFunction returns what is left of a function's time of one kind.
func (l *Ledger) OfFunction(k Kind, function uint32) []Portion {
	return slices.DeleteFunc(l.Of(function), func(p Portion) bool {
		return l.b.Cells[p.Cell].Kind != k
	})
}

// Serial returns what is left of elapsed time without being left of work: work that both sides do,
// but of which one has more on the way, because less runs beside it. For example:
//
//	left of a cell:  +30 ms elapsed, +30 ms of work   it takes longer: nothing
//	                 +30 ms elapsed,   0 ms of work   it no longer runs beside the rest: +30 ms
func (l *Ledger) Serial() []Portion {
	var list []Portion
	for k, word := range l.odd {
		for ; word != 0; word &= word - 1 {
			i := 64*k + bits.TrailingZeros64(word)
			list = append(list, Portion{i, Delta{ElapsedNs: l.serial(i)}})
		}
	}
	return list
}

// Common returns what two differences have in common: 0 if their signs differ, else the smaller.
func Common(x, most int64) int64 {
	switch {
	case x > 0 && most > 0:
		return min(x, most)
	case x < 0 && most < 0:
		return max(x, most)
	}
	return 0
}

// Unbounded is a claim's bound that takes all.
const Unbounded = math.MaxInt64

// Take claims portions, as far as they are left, and returns what the claim owns from now on. A
// cell gives nothing if what is left of it has the other sign. If the sum is larger than ns, all
// cells give the same share of it; if it has another sign than ns, the totals do not agree with the
// claim, and it gets nothing. Both accounts are bounded by ns, each by itself. That others have
// claimed some cells before makes the share of the others no larger: of 100 ns in f, 60 in g and
// -50 in h, a claim for 22 takes a fifth of g and of h also if f is gone.
func (l *Ledger) Take(list []Portion, ns int64) Delta {
	var all, net Delta
	for i, p := range list {
		all = all.Plus(p.Delta)
		left := l.left[p.Cell]
		list[i].Delta = Delta{Common(left.ElapsedNs, p.Delta.ElapsedNs),
			Common(left.WorkNs, p.Delta.WorkNs)}
		net = net.Plus(list[i].Delta)
	}
	elapsed, work := newDealer(all.ElapsedNs, net.ElapsedNs, ns), newDealer(all.WorkNs, net.WorkNs, ns)
	var own Delta
	for _, p := range list {
		d := Delta{elapsed.deal(p.Delta.ElapsedNs), work.deal(p.Delta.WorkNs)}
		l.leave(p.Cell, l.left[p.Cell].Minus(d))
		own = own.Plus(d)
	}
	return own
}

// dealer gives each of several amounts the same share of it, in whole ns. Sums are what is rounded,
// so that the last one is right: a third of 1, 1 and 1 ns is 0, 1 and 0 ns.
type dealer struct {
	share float64
	sum   int64 // of the amounts so far
	dealt int64
}

// newDealer returns a dealer that gives at most ns of net in all, which is what is left of all.
func newDealer(all, net, ns int64) *dealer {
	switch {
	case ns == Unbounded:
		return &dealer{share: 1}
	case net == 0 || ns == 0 || (net > 0) != (ns > 0):
		return &dealer{}
	}
	share := min(1, float64(ns)/float64(net))
	if (all > 0) == (ns > 0) && all != 0 {
		share = min(share, float64(ns)/float64(all))
	}
	return &dealer{share: share}
}

func (d *dealer) deal(x int64) int64 {
	if d.share == 1 {
		return x
	}
	d.sum += x
	before := d.dealt
	d.dealt = int64(math.Floor(float64(d.sum)*d.share + 0.5))
	return d.dealt - before
}

// Net returns the sum of portions.
func Net(list []Portion) (d Delta) {
	for _, p := range list {
		d = d.Plus(p.Delta)
	}
	return d
}

// Rest is what is left of one function, of all callers.
type Rest struct {
	Kind     Kind
	Function uint32 // None for idle time
	Delta    Delta
}

// Unexplained is what no finding has claimed.
type Unexplained struct {
	Delta Delta
	Parts []Rest // the largest first
}

// Unexplained returns what is left.
func (l *Ledger) Unexplained() Unexplained {
	u := Unexplained{Parts: l.rests(func(Kind) bool { return true })}
	for _, d := range l.left {
		u.Delta = u.Delta.Plus(d)
	}
	return u
}

// Rests returns what is left of a kind of time by function, the largest first.
func (l *Ledger) Rests(k Kind) []Rest { return l.rests(func(of Kind) bool { return of == k }) }

func (l *Ledger) rests(of func(Kind) bool) []Rest {
	var list []Rest
	for i, d := range l.left {
		c := &l.b.Cells[i]
		if !of(c.Kind) {
			continue
		}
		// Cells of one kind and function are next to each other.
		if k := len(list) - 1; k >= 0 && list[k].Kind == c.Kind && list[k].Function == c.Function {
			list[k].Delta = list[k].Delta.Plus(d)
		} else {
			list = append(list, Rest{c.Kind, c.Function, d})
		}
	}
	list = slices.DeleteFunc(list, func(r Rest) bool { return r.Delta == (Delta{}) })
	slices.SortFunc(list, func(x, y Rest) int {
		return cmp.Or(cmp.Compare(y.Delta.size(), x.Delta.size()), cmp.Compare(x.Kind, y.Kind),
			cmp.Compare(x.Function, y.Function))
	})
	return list
}

// size returns the larger of the two magnitudes, ns.
func (d Delta) size() int64 { return max(d.ElapsedNs, -d.ElapsedNs, d.WorkNs, -d.WorkNs) }

// Rank returns by how much a finding that owns d is ranked, ns.
func (d Delta) Rank() int64 {
	if d.ByElapsed() {
		return max(d.ElapsedNs, -d.ElapsedNs)
	}
	return max(d.WorkNs, -d.WorkNs)
}

// ByElapsed reports whether a finding that owns d is ranked by elapsed time, as it is if at least
// 80 % of it lies on the way; else it is ranked by work.
func (d Delta) ByElapsed() bool {
	return 5*max(d.ElapsedNs, -d.ElapsedNs) >= 4*max(d.WorkNs, -d.WorkNs)
}
