package aggregate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/aggregate"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// table is a source of given values: by leaf, the row of aggregate.Source.
type table struct {
	tree   *aggregate.Tree
	slices int
	states []string
	v      [][]float64
}

func (s *table) Tree() *aggregate.Tree       { return s.tree }
func (s *table) States() []string            { return s.states }
func (s *table) Slices() int                 { return s.slices }
func (s *table) Row(leaf int, row []float64) { copy(row, s.v[leaf]) }

func (s *table) Add(leaf, from, to int, sum []float64) {
	for i := from * len(s.states); i < (to+1)*len(s.states); i++ {
		sum[i%len(s.states)] += s.v[leaf][i]
	}
}

// placesOf makes leaves of paths such as "1/worker/x".
func placesOf(paths ...[]string) (list []aggregate.Place) {
	for _, p := range paths {
		list = append(list, aggregate.Place{Keys: p, Names: p})
	}
	return list
}

// tableOf makes a source of some leaves and their rows.
func tableOf(states []string, slices int, places []aggregate.Place, rows ...[]float64) *table {
	s := &table{slices: slices, states: states}
	tree, order := aggregate.NewTree(places)
	s.tree = tree
	for _, of := range order {
		s.v = append(s.v, rows[of])
	}
	return s
}

// randomTable makes a source of a random tree of up to four levels. Rows repeat those before, so
// that neighbours often have the same cuts; some cells are empty.
func randomTable(r *rand.Rand, leaves, slices, states int, signed bool) *table {
	places := make([]aggregate.Place, leaves)
	depth := r.IntN(4)
	rows := make([][]float64, leaves)
	for i := range places {
		var path []string
		for k := range depth {
			path = append(path, fmt.Sprint("level ", k, " group ", i>>(depth-k)/(1+k%2)))
		}
		path = append(path, fmt.Sprint("leaf ", i))
		places[i] = aggregate.Place{Keys: path, Names: path}
		if i > 0 && r.IntN(2) == 0 {
			rows[i] = rows[i-1]
			continue
		}
		rows[i] = make([]float64, slices*states)
		phase := r.IntN(states)
		for j := range slices {
			if r.IntN(4) == 0 {
				phase = r.IntN(states)
			}
			if r.IntN(6) == 0 {
				continue
			}
			rows[i][j*states+phase] = float64(1+r.IntN(4)) / 4
			if signed && r.IntN(2) == 0 {
				rows[i][j*states+phase] *= -1
			}
		}
	}
	names := []string{"f", "g", "waiting", aggregate.Other}[:states]
	return tableOf(names, slices, places, rows...)
}

// pictureOf makes the picture of a source for some p.
func pictureOf(t testtrace.TB, s aggregate.Source, p float64) *Picture {
	t.Helper()
	q, err := aggregate.Measure(context.Background(), s, aggregate.Sum)
	if err != nil {
		t.Fatal(err)
	}
	return pictureFrom(t, s, q, p)
}

func pictureFrom(t testtrace.TB, s aggregate.Source, q *aggregate.Quality, p float64) *Picture {
	t.Helper()
	best, err := q.Best(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	pic, err := Prepare(context.Background(), s, q, best)
	if err != nil {
		t.Fatal(err)
	}
	return pic
}

var shape = testtrace.Shape{Threads: testtrace.Range{1, 6}, Records: testtrace.Range{1, 30},
	Start: testtrace.Range{0, 50}, Step: testtrace.Range{0, 9}, Close: true,
	Objects: testtrace.Range{1, 2}}

// drawSources draws what the plots show: one trace, a pair with its difference, or tables.
func drawSources(t *rapid.T, r *rand.Rand) (list []aggregate.Source) {
	if rapid.Bool().Draw(t, "tables") {
		for k := range rapid.IntRange(1, 3).Draw(t, "plots") {
			list = append(list, randomTable(r, 1+r.IntN(40), 8+r.IntN(8), 1+r.IntN(4), k == Difference))
		}
		return list
	}
	a := shape.Draw(t, "a")
	p, spans := pair.New(a, nil, pair.Rules{}), [2]aggregate.Span{{To: max(a.Duration, 1)}}
	two := rapid.Bool().Draw(t, "pair")
	if two {
		b := shape.Draw(t, "b")
		p, spans[1] = pair.New(a, b, pair.Rules{}), aggregate.Span{To: max(b.Duration, 1)}
	}
	o := aggregate.Options{Slices: 8 + r.IntN(8), States: aggregate.States(r.IntN(3))}
	m, err := aggregate.New(context.Background(), p, spans, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	if list = append(list, m.Sides[A]); two {
		list = append(list, m.Sides[B], m.Difference())
	}
	return list
}

// plotOf makes a plot of a picture over borders of any lengths, of which some may be 0.
func plotOf(r *rand.Rand, of int, pic *Picture) Plot {
	p := Plot{Of: of, Picture: pic, Unit: "ns", Borders: []float64{0}}
	for range pic.Source.Slices() {
		p.Borders = append(p.Borders, p.Borders[len(p.Borders)-1]+float64(r.IntN(5)))
	}
	p.Borders[len(p.Borders)-1]++
	p.Span = geom.Span{End: p.Borders[len(p.Borders)-1]}
	return p
}

// anyPlace returns a place within a plot, or none.
func anyPlace(r *rand.Rand, k int, p *Plot) Place {
	leaves, slices := p.leaves(), len(p.Borders)-1
	if r.IntN(4) == 0 || leaves == 0 {
		return Place{}
	}
	first, from := r.IntN(leaves), r.IntN(slices)
	return Place{Plot: k, Leaves: [2]int{first, first + 1 + r.IntN(leaves-first)},
		From: from, To: from + r.IntN(slices-from), OK: true}
}

// drawState draws all that the view depends on.
func drawState(t *rapid.T) (State, geom.Size) {
	// Rapid prefers small numbers, which are degenerate models and sizes.
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	p := rapid.SampledFrom([]float64{0, .2, .4, .6, .8, 1}).Draw(t, "p")
	st := State{Palette: palette.Light(), Leaf: "threads",
		Scale: rapid.SampledFrom([]float32{0, 1, 2}).Draw(t, "scale"),
		Least: rapid.SampledFrom([]float32{0, 1, 8, 40}).Draw(t, "least")}
	for k, s := range drawSources(t, r) {
		st.Plots = append(st.Plots, plotOf(r, k, pictureOf(t, s, p)))
	}
	for k := range st.Plots {
		if nodes := st.Plots[k].Picture.Source.Tree().Nodes; rapid.Bool().Draw(t, "folded") {
			for range r.IntN(4) {
				st.Folded = append(st.Folded, Key(&nodes[r.IntN(len(nodes))]))
			}
		}
	}
	size := geom.Size{W: 1000 * r.Float32(), H: 700 * r.Float32()}
	if rapid.Bool().Draw(t, "roomy") {
		size = geom.Size{W: 1200, H: 900}
	}
	vary(r, &st)
	return st, size
}

// vary changes what changes while the user looks: the pointer, the selection, the range, notes.
func vary(r *rand.Rand, st *State) {
	for k := range st.Plots {
		p := &st.Plots[k]
		p.Hovered, p.Chosen = anyPlace(r, k, p), anyPlace(r, k, p)
		if p.Note, p.Ticks = nil, nil; r.IntN(2) == 0 {
			p.Note = []string{"127 of 2720", "gain 60 %", "a note that is longer than there is room for"}
		}
		if r.IntN(3) == 0 {
			p.Ticks = func(at float64) string { return fmt.Sprintf("%g of virtual time", at) }
		}
		end := p.Borders[len(p.Borders)-1]
		if p.Span = (geom.Span{End: end}); r.IntN(3) == 0 {
			p.Span.Start = end * r.Float64()
			p.Span.End = p.Span.Start + end*r.Float64()*[]float64{1, .1, 1e-6}[r.IntN(3)] + 1e-9
		}
	}
	of := r.IntN(len(st.Plots))
	st.Hover, st.Selected = anyPlace(r, of, &st.Plots[of]), anyPlace(r, 0, &st.Plots[0])
	if r.IntN(3) == 0 {
		st.Palette = palette.Dark().WithScheme(palette.ColourBlind)
	}
}

// one is a state with one plot of a source, of slices of 10 ns.
func one(t testing.TB, s aggregate.Source, p float64) State {
	plot := Plot{Of: A, Picture: pictureOf(t, s, p), Unit: "ns"}
	for i := range s.Slices() + 1 {
		plot.Borders = append(plot.Borders, 10*float64(i))
	}
	plot.Span = geom.Span{End: plot.Borders[s.Slices()]}
	return State{Palette: palette.Light(), Scale: 1, Leaf: "threads", Plots: []Plot{plot}}
}

// modelOf makes the model of a trace.
func modelOf(t testtrace.TB, tr *trace.Trace, slices int) aggregate.Source {
	t.Helper()
	m, err := aggregate.New(context.Background(), pair.New(tr, nil, pair.Rules{}),
		[2]aggregate.Span{{To: tr.Duration}}, aggregate.Options{Slices: slices}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m.Sides[A]
}
