package aggregate

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"
	"sort"

	"diptych/internal/pair"
	"diptych/internal/progress"
)

// Limits of the number of timeslices, and the number of states that keep their names.
const (
	FewestSlices = 1
	MostSlices   = 1000
	mostStates   = 24
)

// Other names the state that stands for all that are not among the first 24 by time.
const Other = "other"

// Cell is a part of the microscopic model that is not empty: the time a leaf spends in a state
// within a timeslice. It has 16 bytes.
type Cell struct {
	Slice, State uint32
	Ns           int64
}

// Model is the microscopic model of one trace. It never changes.
type Model struct {
	tree    *Tree
	states  []string
	Borders []int64  // ns; slice i is [Borders[i], Borders[i+1])
	Cells   [][]Cell // by leaf; ordered by slice, then state
}

func (m *Model) Tree() *Tree      { return m.tree }
func (m *Model) States() []string { return m.states }
func (m *Model) Slices() int      { return len(m.Borders) - 1 }

// Row sets row to the shares of the timeslices that a leaf spends in each state.
func (m *Model) Row(leaf int, row []float64) {
	clear(row)
	for _, c := range m.Cells[leaf] {
		row[int(c.Slice)*len(m.states)+int(c.State)] = m.value(c)
	}
}

// Add adds the values of a leaf in slices from..to, inclusive, to sum, by state. Its cost is that
// of the cells that are there.
func (m *Model) Add(leaf, from, to int, sum []float64) {
	for _, c := range m.within(leaf, from, to) {
		sum[c.State] += m.value(c)
	}
}

// within returns the cells of a leaf in slices from..to, inclusive.
func (m *Model) within(leaf, from, to int) []Cell {
	cells := m.Cells[leaf]
	before := func(slice int) int {
		return sort.Search(len(cells), func(i int) bool { return int(cells[i].Slice) >= slice })
	}
	return cells[before(from):before(to+1)]
}

// value returns the share of its timeslice that a cell takes.
func (m *Model) value(c Cell) float64 {
	return float64(c.Ns) / float64(m.Borders[c.Slice+1]-m.Borders[c.Slice])
}

// compare orders cells by slice, then by state.
func (c Cell) compare(d Cell) int {
	return cmp.Or(cmp.Compare(c.Slice, d.Slice), cmp.Compare(c.State, d.State))
}

// Span is a range of time, ns: [From, To).
type Span struct{ From, To int64 }

// borders returns the borders ⌊i·D/T⌋ of the timeslices of a range of length D.
func (s Span) borders(slices int) []int64 {
	list := make([]int64, slices+1)
	for i := range list {
		high, low := bits.Mul64(uint64(i), uint64(s.To-s.From))
		q, _ := bits.Div64(high, low, uint64(slices))
		list[i] = s.From + int64(q)
	}
	return list
}

// Options say what a model is made of.
type Options struct {
	Slices int
	States States
	Code   *Code // aggregate by code instead of by thread; nil for threads

	// Borders, if not nil, are the borders of a side's timeslices, ns, instead of those that cut
	// the side's span into equal parts. Slices of virtual time have no equal lengths. A slice may
	// be empty: its values are 0. There are Slices+1 borders, and none is before the last one.
	Borders [2][]int64
}

// Code is the place of functions in a tree of code. Cells returns, for the calls of a thread, the
// index into Places by FuncID, None for functions without a place; nil for a thread that does not
// count.
type Code struct {
	Places []Place
	Cells  func(s pair.Side, thread int) []int32
}

// borders returns the borders of a side's timeslices, or what is wrong with them.
func (o Options) borders(side pair.Side, span Span) ([]int64, error) {
	if o.Slices < FewestSlices || o.Slices > MostSlices {
		return nil, fmt.Errorf("%d timeslices: want %d to %d", o.Slices, FewestSlices, MostSlices)
	}
	given := o.Borders[side]
	switch {
	case given == nil && span.To <= span.From:
		return nil, fmt.Errorf("range of %d to %d: it is empty", span.From, span.To)
	case given == nil:
		return span.borders(o.Slices), nil
	case len(given) != o.Slices+1:
		return nil, fmt.Errorf("%d borders of %d timeslices: want %d", len(given), o.Slices,
			o.Slices+1)
	}
	for i := 1; i < len(given); i++ {
		if given[i] < given[i-1] {
			return nil, fmt.Errorf("border %d is at %d ns, before border %d at %d ns", i, given[i],
				i-1, given[i-1])
		}
	}
	return slices.Clone(given), nil
}

// Models are the microscopic models of the sides of a pair, with the same states. A side without a
// trace has none.
type Models struct {
	Pair    *pair.Pair
	Sides   [2]*Model
	Threads [2][]int // by side and leaf: the thread; nil by code
	Places  [2][]int // by side and leaf: the index into Code.Places; nil by thread
	options Options
}

// New makes the models of both sides of a pair, in one pass over the calls of each thread that are
// in the range, several threads at a time. Spans are the ranges of the sides that have no
// Options.Borders. Report is told calls done of calls in all.
//
// Beside the models it needs the cells of one thread for each processor, and 16 bytes for each
// state of a thread and timeslice that Other will stand for.
func New(ctx context.Context, p *pair.Pair, spans [2]Span, o Options, report progress.Func) (
	*Models, error) {
	m := &Models{Pair: p, options: o}
	kinds := newKinds(p, o)
	meter := progress.NewMeter(report, ticks)
	var work []pass
	for _, s := range []pair.Side{pair.A, pair.B} {
		t := p.Trace(s)
		if t == nil {
			continue
		}
		borders, err := o.borders(s, spans[s])
		if err != nil {
			return nil, err
		}
		m.Sides[s] = &Model{Borders: borders}
		is := resources(t)
		work = slices.Grow(work, len(t.Threads))
		for i, th := range t.Threads {
			if states := kinds.of(s, i); is[i] && !states.none() {
				work = append(work, newPass(s, i, th, states, borders))
				meter.Expect(int64(work[len(work)-1].calls()))
			}
		}
	}
	var err error
	if o.Code != nil {
		err = m.byCode(ctx, work, meter)
	} else {
		err = m.byThread(ctx, work, kinds.names, meter)
	}
	if err != nil {
		return nil, err
	}
	meter.Finish()
	return m, ctx.Err()
}
