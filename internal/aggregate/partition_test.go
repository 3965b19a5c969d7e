package aggregate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"diptych/internal/testtrace"
)

// table is a source of given values: by leaf, the row of Source.
type table struct {
	tree   *Tree
	slices int
	states []string
	v      [][]float64
}

func (s *table) Tree() *Tree                 { return s.tree }
func (s *table) States() []string            { return s.states }
func (s *table) Slices() int                 { return s.slices }
func (s *table) Row(leaf int, row []float64) { copy(row, s.v[leaf]) }

func (s *table) Add(leaf, from, to int, sum []float64) {
	for i := from * len(s.states); i < (to+1)*len(s.states); i++ {
		sum[i%len(s.states)] += s.v[leaf][i]
	}
}
func (s *table) at(leaf, slice, k int) float64   { return s.v[leaf][slice*len(s.states)+k] }
func (s *table) nodes() []Node                   { return s.tree.Nodes }
func (s *table) span(a Aggregate) (lo, hi int32) { n := s.nodes()[a.Node]; return n.From, n.To }

// randomTable makes a source of a random tree. Values repeat often, so ties are many.
func randomTable(r *rand.Rand, leaves, slices, states int) *table {
	s := &table{slices: slices, states: make([]string, states)}
	places := make([]Place, leaves)
	for i := range places {
		for k := range r.IntN(3) {
			places[i].Keys = append(places[i].Keys, fmt.Sprint(k, i*(k+1)/3))
		}
		places[i].Keys = append(places[i].Keys, fmt.Sprint("leaf", i))
		places[i].Names = places[i].Keys
	}
	s.tree, _ = NewTree(places)
	for range leaves {
		row := make([]float64, slices*states)
		for k := range row {
			row[k] = float64(r.IntN(3)) / 4
			if r.IntN(4) == 0 {
				row[k] = -r.Float64()
			}
		}
		s.v = append(s.v, row)
	}
	if r.IntN(2) == 0 {
		s.thin(r)
	}
	return s
}

// thin makes some leaves equal, some without any value, and all without any in some slices.
func (s *table) thin(r *rand.Rand) {
	for leaf := range s.v {
		switch r.IntN(4) {
		case 0:
			clear(s.v[leaf])
		case 1:
			s.v[leaf] = slices.Clone(s.v[r.IntN(len(s.v))])
		default:
			from := r.IntN(s.slices)
			to := from + r.IntN(s.slices-from)
			clear(s.v[leaf][from*len(s.states) : to*len(s.states)])
		}
	}
	at := r.IntN(s.slices)
	for leaf := range s.v {
		clear(s.v[leaf][at*len(s.states) : (at+1)*len(s.states)])
	}
}

// plainOf computes gain and loss of an aggregate from the formulas.
func plainOf(s *table, a Aggregate, op Operator) (gain, loss float64) {
	from, to := s.span(a)
	n := float64(to-from) * float64(a.To-a.From+1)
	if n == 1 {
		return 0, 0
	}
	for k := range s.states {
		var sum, logs float64
		for leaf := from; leaf < to; leaf++ {
			for t := a.From; t <= a.To; t++ {
				v := math.Abs(s.at(int(leaf), t, k))
				sum += v
				if v > 0 {
					logs += v * math.Log2(v)
				}
			}
		}
		if sum == 0 {
			continue
		}
		if op == Mean {
			gain += sum/n*math.Log2(sum/n) - logs
		} else {
			gain += sum*math.Log2(sum) - logs
		}
		loss += sum*math.Log2(n) - (sum*math.Log2(sum) - logs)
	}
	return gain, loss
}

func near(x, y float64) bool { return math.Abs(x-y) <= 1e-9*(1+math.Abs(x)) }

func measured(t testing.TB, s Source, op Operator) *Quality {
	t.Helper()
	q, err := Measure(context.Background(), s, op)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func bestOf(t testing.TB, q *Quality, p float64) *Partition {
	t.Helper()
	x, err := q.Best(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestQualityIsThatOfTheFormulas(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range testtrace.Sized(60, 600) {
		s := randomTable(r, 1+r.IntN(9), 1+r.IntN(9), 1+r.IntN(4))
		for _, op := range []Operator{Sum, Mean} {
			q := measured(t, s, op)
			rootGain, rootLoss := plainOf(s, Aggregate{0, 0, s.slices - 1}, op)
			// Rounding counts before gain and loss are divided by the root's.
			equal := func(got, want, root float64) bool {
				return math.Abs(root) <= 1e-9 || math.Abs(got*root-want) <= 1e-9
			}
			for h := range s.nodes() {
				for i := range s.slices {
					for j := i; j < s.slices; j++ {
						g, l := q.Of(h, i, j)
						pg, pl := plainOf(s, Aggregate{h, i, j}, op)
						if !equal(g, pg, rootGain) || !equal(l, pl, rootLoss) {
							t.Fatalf("%v: node %d, %d to %d: %g %g, want %g/%g %g/%g", op, h, i, j,
								g, l, pg, rootGain, pl, rootLoss)
						}
					}
				}
			}
		}
	}
}

// exhaustive tries all sets of aggregates that cover each cell once: it puts each possible
// rectangle on the first cell that is free.
type exhaustive struct {
	q    *Quality
	p    float64
	free []bool // by leaf and slice
	most pick
}

func (e *exhaustive) try(so pick) {
	cell := 0
	for cell < len(e.free) && !e.free[cell] {
		cell++
	}
	if cell == len(e.free) {
		if e.most.count == 0 || so.beats(e.most) {
			e.most = so
		}
		return
	}
	leaf, i := cell/e.q.slices, cell%e.q.slices
	for h, n := range e.q.tree.Nodes {
		if int(n.From) != leaf {
			continue
		}
		for j := i; j < e.q.slices && e.take(n, i, j); j++ {
			g, l := e.q.Of(h, i, j)
			e.try(pick{so.value + e.p*g - (1-e.p)*l, so.gain + g, so.count + 1})
			e.set(n, i, j, true)
		}
	}
}

// take takes the cells of a rectangle if all are free.
func (e *exhaustive) take(n Node, i, j int) bool {
	for leaf := int(n.From); leaf < int(n.To); leaf++ {
		for t := i; t <= j; t++ {
			if !e.free[leaf*e.q.slices+t] {
				return false
			}
		}
	}
	e.set(n, i, j, false)
	return true
}

func (e *exhaustive) set(n Node, i, j int, free bool) {
	for leaf := int(n.From); leaf < int(n.To); leaf++ {
		for t := i; t <= j; t++ {
			e.free[leaf*e.q.slices+t] = free
		}
	}
}

func TestBestIsThatOfAllPartitions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for round := range testtrace.Sized(300, 2000) {
		s := randomTable(r, 1+r.IntN(4), 1+r.IntN(3), 1+r.IntN(3))
		q := measured(t, s, Operator(r.IntN(2)))
		p := []float64{0, 1, r.Float64(), r.Float64()}[r.IntN(4)]
		e := &exhaustive{q: q, p: p, free: make([]bool, s.tree.Leaves*s.slices)}
		for i := range e.free {
			e.free[i] = true
		}
		e.try(pick{})
		covers(t, s, bestOf(t, q, p))
		equalPick(t, round, bestOf(t, q, p), e.most)
	}
}

func equalPick(t *testing.T, round int, got *Partition, want pick) {
	t.Helper()
	value := got.P*got.Gain - (1-got.P)*got.Loss
	if !near(value, want.value) || len(got.Aggregates) != int(want.count) ||
		!near(got.Gain, want.gain) {
		t.Fatalf("round %d, p %g: value %g, %d aggregates, gain %g; want %+v", round, got.P, value,
			len(got.Aggregates), got.Gain, want)
	}
}

// covers holds that a partition has each cell once.
func covers(t *testing.T, s Source, p *Partition) {
	t.Helper()
	seen := make([]int, s.Tree().Leaves*s.Slices())
	for _, a := range p.Aggregates {
		n := s.Tree().Nodes[a.Node]
		for leaf := int(n.From); leaf < int(n.To); leaf++ {
			for i := a.From; i <= a.To; i++ {
				seen[leaf*s.Slices()+i]++
			}
		}
	}
	for i, n := range seen {
		if n != 1 {
			t.Fatalf("cell %d is in %d aggregates", i, n)
		}
	}
}

// quality returns gain and loss of a node and slices i to j.
type quality func(node, i, j int) (gain, loss float64)

// cubic is the recursion as it is written: all cuts of all pairs of slices.
func cubic(q *Quality, of quality, node int, p float64) []pick {
	out := make([]pick, q.at.len())
	children := q.tree.children(node)
	for _, c := range children {
		for k, x := range cubic(q, of, c, p) {
			out[k] = pick{out[k].value + x.value, out[k].gain + x.gain, out[k].count + x.count}
		}
	}
	for length := range q.slices {
		for i := 0; i+length < q.slices; i++ {
			j := i + length
			k := q.at[i] + j
			g, l := of(node, i, j)
			now := pick{p*g - (1-p)*l, g, 1}
			if len(children) > 0 && out[k].beats(now) {
				now = out[k]
			}
			for c := i; c < j; c++ {
				x, y := out[q.at[i]+c], out[q.at[c+1]+j]
				cut := pick{x.value + y.value, x.gain + y.gain, x.count + y.count}
				if cut.beats(now) {
					now = cut
				}
			}
			out[k] = now
		}
	}
	return out
}

func TestBestIsThatOfTheCubicRecursion(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for round := range testtrace.Sized(60, 400) {
		s := randomTable(r, 1+r.IntN(40), 1+r.IntN(30), 1+r.IntN(5))
		q, p := measured(t, s, Operator(r.IntN(2))), r.Float64()
		got := bestOf(t, q, p)
		covers(t, s, got)
		equalPick(t, round, got, cubic(q, q.Of, 0, p)[q.at[0]+s.slices-1])
	}
}

// TestTiesAreFewAggregates holds that cells without time are one aggregate, also for p = 0.
func TestTiesAreFewAggregates(t *testing.T) {
	s := randomTable(rand.New(rand.NewPCG(7, 8)), 6, 10, 2)
	for _, row := range s.v {
		clear(row)
	}
	for _, p := range []float64{0, .5, 1} {
		if got := bestOf(t, measured(t, s, Sum), p); len(got.Aggregates) != 1 {
			t.Errorf("p %g: %v", p, got.Aggregates)
		}
	}
}

func TestCancelledWorkEnds(t *testing.T) {
	s := randomTable(rand.New(rand.NewPCG(9, 1)), 9, 9, 2)
	q := measured(t, s, Sum)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Measure(ctx, s, Sum); err == nil {
		t.Error("Measure does not end")
	}
	if _, err := q.Best(ctx, .5); err == nil {
		t.Error("Best does not end")
	}
}
