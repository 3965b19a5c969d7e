package match

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/progress"
)

// levelKernels are the kernels that this processor can run, by name. Those for some processors only
// add themselves.
var levelKernels = map[string]levelKernel{"words": {countWords, fillBins}}

// plainLevels sums up a row's pairs one by one.
func plainLevels(g *Graph, side pair.Side, p inverses, row int) (of byLevel) {
	x, y := g.Sides[side], g.Sides[side.Other()]
	for k, common := range g.commonWith(side, uint32(row)) {
		if common > 0 {
			s, n := p.similarity(common, x.Size[row]+y.Size[k]-common)
			of[n].addMatches(s, &cell{float64(y.Count[k]), y.Start[k]})
		}
	}
	return of
}

// levelsOf returns what the rows [from, to) add up to.
func levelsOf(t *testing.T, l *levelling, k levelKernel, from, to int) (out []byLevel) {
	e := newLeveller(l)
	e.levelKernel = k
	m := progress.NewMeter(nil, 0)
	err := e.visit(context.Background(), strip{from: from, to: to}, m, func(row int, of *byLevel) {
		if row != from+len(out) {
			t.Fatalf("row %d after %d of %d", row, len(out), from)
		}
		out = append(out, *of)
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestLevels holds every kernel against a plain comparison of all kinds, and against each other to
// the last bit. The sets of a tall tower share more than a byte counts, and so do some of those
// drawn, of which others of one size are in panels of their own.
func TestLevels(t *testing.T) {
	const identities = 400
	r := rand.New(rand.NewPCG(5, 1))
	drawn := &Graph{Pair: &pair.Pair{Names: make([]string, identities)}, Sides: [2]*Classes{
		someClasses(r, 300, identities), someClasses(r, 2*inLevel+9, identities)}}
	for name, g := range map[string]*Graph{
		"simulated":  simulated(t, 20_000),
		"tall tower": mustClassify(t, towers(t, 10, 14)),
		"drawn":      drawn,
	} {
		_, small := g.kinds()
		for side, l := range small.levellings() {
			rows := len(small.Sides[side].Base)
			for _, from := range []int{0, rows / 3} {
				want := levelsOf(t, l, levelKernels["words"], from, rows)
				if len(want) != rows-from {
					t.Fatalf("%s: %d of %d rows", name, len(want), rows-from)
				}
				for which, k := range levelKernels {
					if got := levelsOf(t, l, k, from, rows); !slices.Equal(got, want) {
						t.Errorf("%s, side %v: %s differ", name, pair.Side(side), which)
					}
				}
				for k, got := range want {
					checkLevels(t, got, plainLevels(small, pair.Side(side), l.inverses, from+k))
				}
			}
		}
	}
}

func checkLevels(t *testing.T, got, want byLevel) {
	for n := range want {
		g, w := got[n], want[n]
		if g.matches != w.matches || !near(g.weight, w.weight) || !near(g.start, w.start) {
			t.Fatalf("level %d: %v, want %v", n, g, w)
		}
	}
}

// TestLargeStarts checks sums of starts that exceed 64 bits.
func TestLargeStarts(t *testing.T) {
	const huge = 3e18
	one := &Classes{Base: []int32{none}, End: []uint32{1}, Size: []uint32{1}, Count: []uint64{1},
		Start: []float64{0}, from: []uint32{0, 1}, added: []uint32{0}}
	many := &Classes{from: []uint32{0}}
	for k := range 40 {
		many.Base, many.End = append(many.Base, none), append(many.End, uint32(k)+1)
		many.Size, many.Count = append(many.Size, uint32(k)+1), append(many.Count, 1)
		many.Start, many.added = append(many.Start, huge), append(many.added, 0)
		many.from = append(many.from, uint32(len(many.added)))
	}
	l := newLevelling(one, many, newInverses(1), 1)
	sum := 0.0
	for _, of := range levelsOf(t, l, newLevelKernel(), 0, 1)[0] {
		sum += of.start
	}
	if math.Abs(sum/(40*huge)-1) > 1e-12 {
		t.Errorf("%v, want %v", sum, 40*huge)
	}
}
