package aggregate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"diptych/internal/testtrace"
)

// shortLived makes a source of leaves that have values in a part of the slices, mostly one stretch.
// In half of the sources they are the same from slice to slice, for a while.
func shortLived(r *rand.Rand, leaves, count, states int) *table {
	s := randomTable(r, leaves, count, states)
	steady := r.IntN(2) * (1 + r.IntN(20))
	for _, row := range s.v {
		from := r.IntN(count)
		to := from + 1 + r.IntN(count-from)
		for i := range count {
			if i < from || i >= to || r.IntN(12) == 0 {
				clear(row[i*states : (i+1)*states])
			} else if i > from && r.IntN(1+steady) > 0 {
				copy(row[i*states:(i+1)*states], row[(i-1)*states:])
			} else if r.IntN(3) > 0 { // else values repeat
				for k := range states {
					row[i*states+k] = r.Float64() * []float64{0, 1, 1, 1e-6}[r.IntN(4)]
				}
			}
		}
	}
	return s
}

// someP is any p, often near 0 or 1, where ties are.
func someP(r *rand.Rand) float64 {
	return []float64{0, 1, r.Float64(), r.Float64(), r.Float64(), 1 - 1e-9*r.Float64(),
		math.Pow(10, -12*r.Float64()), float64(r.IntN(9)) / 8}[r.IntN(8)]
}

// TestLeavesAreSolvedByActiveSlices holds that the best partitions of leaves are, to the last bit,
// those that all slices give, and that mostly the active ones are enough.
func TestLeavesAreSolvedByActiveSlices(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	few, all := 0, 0
	for range testtrace.Sized(100, 2000) {
		q := measured(t, shortLived(r, 1+r.IntN(30), 1+r.IntN(40), 1+r.IntN(4)), Sum)
		p := someP(r)
		s := newSolver(q, p)
		for node, c := range q.columns {
			if c == nil || q.tree.Nodes[node].Leaf == None {
				continue
			}
			got, want := newBest(q.slices), newBest(q.slices)
			want.reset(q.all, q.ones, 1)
			s.solve(node, want, nil)
			got.reset(c.on, q.ones[:len(c.on)], 1)
			all++
			if !s.solveActive(c, got) {
				continue
			}
			few++
			if got = q.spread(got, q.all); !slices.Equal(got.value, want.value) ||
				!slices.Equal(got.gain, want.gain) || !slices.Equal(got.count, want.count) {
				t.Fatalf("p %g: active slices %v give\n%v, want\n%v", p, c.on, got, want)
			}
		}
	}
	if t.Logf("%d of %d leaves", few, all); few*3 < all {
		t.Error("active slices are hardly ever enough")
	}
}

// TestSumsByActiveSlices holds that sums are, to the last bit, those of all slices.
func TestSumsByActiveSlices(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	for range testtrace.Sized(100, 2000) {
		q := measured(t, shortLived(r, 2+r.IntN(30), 1+r.IntN(40), 1+r.IntN(4)), Sum)
		s := newSolver(q, r.Float64())
		var got, want *best
		for node, c := range q.columns {
			if c == nil || q.tree.Nodes[node].Leaf == None {
				continue
			}
			x := newBest(q.slices)
			s.solveLeaf(node, x)
			y := newBest(q.slices)
			y.reset(q.all, q.ones, 1)
			s.solve(node, y, nil)
			if got == nil {
				got, want = x, y
			} else {
				got = q.merge(got, x)
				want.add(y)
			}
		}
		if got == nil {
			continue
		}
		if got = q.spread(got, q.all); !slices.Equal(got.value, want.value) ||
			!slices.Equal(got.gain, want.gain) || !slices.Equal(got.count, want.count) {
			t.Fatalf("active slices %v give\n%v, want\n%v", got.on, got, want)
		}
	}
}

// TestCutsOfActiveSlices holds that the cuts of nodes are those that all slices give.
func TestCutsOfActiveSlices(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	few, all := 0, 0
	for range testtrace.Sized(200, 4000) {
		q := measured(t, shortLived(r, 1+r.IntN(30), 1+r.IntN(40), 1+r.IntN(4)), Sum)
		p := someP(r)
		s := newSolver(q, p)
		for node, c := range q.columns {
			from := r.IntN(q.slices)
			a := Aggregate{node, from, from + r.IntN(q.slices-from)}
			if c == nil || s.wholes(node, a.From, a.To) == a.To-a.From+1 {
				continue
			}
			first, last := int(c.first[a.From]), int(c.first[a.To+1])-1
			if all++; !s.cutsOn(c, a, first, last) {
				continue
			}
			few++
			got, want := s.appendOn(nil, c, a, first, last), s.plainCuts(a)
			if !slices.Equal(got, want) {
				t.Fatalf("p %g, %v of %v: %v, want %v", p, a, c.on, got, want)
			}
		}
	}
	if t.Logf("%d of %d", few, all); few*3 < all {
		t.Error("active slices are hardly ever enough")
	}
}

// plainCuts tries all slices.
func (s *solver) plainCuts(a Aggregate) (list []Aggregate) {
	ends, last := make([]pick, a.To+2), make([]int, a.To+1)
	for i := a.To; i >= a.From; i-- {
		n := a.To - i + 1
		if s.wholes(a.Node, i, a.To) == n {
			ends[i], last[i] = pick{s.values[n-1], s.gains[n-1], 1}, a.To
			continue
		}
		for k, gain := range s.gains[:n] {
			rest := ends[i+k+1]
			x := pick{s.values[k] + rest.value, gain + rest.gain, 1 + rest.count}
			if k == 0 || x.beats(ends[i]) {
				ends[i], last[i] = x, i+k
			}
		}
	}
	for i := a.From; i <= a.To; i = last[i] + 1 {
		list = append(list, Aggregate{a.Node, i, last[i]})
	}
	return list
}
