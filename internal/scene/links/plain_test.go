package links

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/scene/icicle"
	"diptych/internal/trace"

	"pgregory.net/rapid"
)

// drawTrace draws a trace of few functions and all scales of duration.
func drawTrace(t *rapid.T, side string) *trace.Trace {
	b := trace.NewBuilder("random")
	var fns []trace.FuncID
	for i := range 6 {
		fns = append(fns, b.Function(trace.Function{Name: fmt.Sprintf("f%d", i)}))
	}
	for k := range rapid.IntRange(1, 2).Draw(t, side+" threads") {
		th := b.Thread(fmt.Sprint(k), -1)
		at, depth := int64(0), 0
		for _, s := range rapid.SliceOfN(rapid.Uint32(), 20, 160).Draw(t, side) {
			s *= 0x9e3779b1 // small numbers are drawn often; each is to mean something else
			at += int64(s>>4) & (1<<(s>>26&15) - 1)
			if depth == 0 || depth < 9 && s>>31 == 0 {
				th.Begin(at, fns[s>>22%6])
				depth++
			} else {
				th.End(at)
				depth--
			}
		}
	}
	tr, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// situation is what a test builds links for.
type situation struct {
	st    State
	pane  Pane
	sides [2]*icicle.Drawing
	graph *match.Graph
}

func (s *situation) build(a *Arena) (*Links, *scene.Tubes) {
	var tubes scene.Tubes
	return Build(&s.st, s.pane, s.sides, &tubes, a), &tubes
}

// newSituation draws both traces, focused on the given shares of their time.
func newSituation(t testing.TB, p *pair.Pair, scope match.Scope, view [2]geom.Span,
	scroll [2]float32) *situation {
	g, err := match.Classify(context.Background(), p, scope, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &situation{graph: g, pane: Pane{Bottom: 400, Mid: 200, Scale: 1, Palette: palette.Light()}}
	s.st = State{Graph: g, Tau: match.DefaultTau, Morph: 1}
	for k, tr := range []*trace.Trace{p.A, p.B} {
		plot := icicle.Plot{
			Trace: tr, Dir: icicle.Direction(k), Palette: s.pane.Palette,
			Row: 10, Scroll: scroll[k],
			View: geom.Rect{X0: 20, X1: 320, Y0: float32(k) * 200, Y1: float32(k)*200 + 200},
		}
		plot.Axis = geom.Axis{Span: view[k], X0: plot.View.X0, X1: plot.View.X1}
		for i := range tr.Threads {
			plot.Threads = append(plot.Threads, i)
		}
		var l scene.Layer
		s.sides[k] = plot.Draw(&l, nil)
	}
	return s
}

func drawSituation(t *rapid.T, tb testing.TB) *situation {
	p := pair.New(drawTrace(t, "a"), drawTrace(t, "b"), pair.Rules{})
	scope := match.Process()
	if rapid.Bool().Draw(t, "thread scope") {
		scope = match.Threads(0, len(p.B.Threads)-1)
	}
	var view [2]geom.Span
	var scroll [2]float32
	for k, tr := range []*trace.Trace{p.A, p.B} {
		whole := float64(max(tr.Duration, 2))
		start := rapid.SampledFrom([]float64{0, 0, 0, .1, .4}).Draw(t, "start") * whole
		length := rapid.SampledFrom([]float64{1, 1, .5, .1}).Draw(t, "length") * whole
		view[k] = geom.Span{Start: start, End: start + max(length, 2)}
		scroll[k] = rapid.SampledFrom([]float32{0, 0, 15, 30}).Draw(t, "scroll")
	}
	s := newSituation(tb, p, scope, view, scroll)
	if shift := rapid.IntRange(-2, 3).Draw(t, "aligned with"); shift < 3 {
		s.st.Aligned, s.st.AlignedBy = shifted(p, int32(shift)), shift
	}
	s.st.Tau = match.Hundredths(rapid.SampledFrom([]int{0, 20, 25, 50}).Draw(t, "tau"))
	s.st.Frames = rapid.Bool().Draw(t, "frames")
	s.st.Budget = rapid.SampledFrom([]int{0, 1, 5, 40}).Draw(t, "budget")
	return s
}

// shifted is an alignment of each call with the one so many places further in the thread of the same
// number.
func shifted(p *pair.Pair, by int32) func(int, trace.CallRef) (trace.CallRef, bool) {
	return func(side int, ref trace.CallRef) (trace.CallRef, bool) {
		threads := p.Trace(pair.Side(1 - side)).Threads
		if side == 1 {
			ref.Call -= by
		} else {
			ref.Call += by
		}
		ok := int(ref.Thread) < len(threads) && ref.Call >= 0 && int(ref.Call) < threads[ref.Thread].Len()
		return ref, ok
	}
}

// plain is links from the definitions, by pairs of cells.
type plain struct {
	*situation
	cells [2][]cell
	s     [][]float64 // similarity by cells, −1 for no match
}

func newPlain(s *situation, a *Arena) *plain {
	p := &plain{situation: s}
	for k := range p.cells {
		p.cells[k] = a.sides[k].cells
	}
	for i := range p.cells[0] {
		var row []float64
		x := p.gamma(0, p.cells[0][i].ref())
		for j := range p.cells[1] {
			row = append(row, p.similarity(x, p.gamma(1, p.cells[1][j].ref())))
		}
		p.s = append(p.s, row)
	}
	return p
}

// gamma is the set of identities below a call.
func (p *plain) gamma(k int, ref trace.CallRef) map[uint32]bool {
	th := p.sides[k].Trace.Threads[ref.Thread]
	out := map[uint32]bool{}
	for _, fn := range th.Fn[ref.Call:th.Next(int(ref.Call))] {
		out[p.graph.Pair.IDs(pair.Side(k))[fn]] = true
	}
	return out
}

func (p *plain) similarity(x, y map[uint32]bool) float64 {
	common := 0
	for id := range x {
		if y[id] {
			common++
		}
	}
	if !p.st.Tau.Exceeded(uint32(common), uint32(len(x)), uint32(len(y))) {
		return -1
	}
	return float64(common) / float64(len(x)+len(y)-common)
}

func (p *plain) of(k, f, g int) float64 {
	if k == 0 {
		return p.s[f][g]
	}
	return p.s[g][f]
}

// partners is the definition of best: a call of the same function, then the aligned one, then by
// similarity, then by whether it is below the partner of the nearest caller that has one, then by
// distance from the expected start, then by position.
func (p *plain) partners(k int) []int {
	var out []int
	for f := range p.cells[k] {
		c, best := &p.cells[k][f], -1
		lo, hi, at := p.expected(k, c, out)
		rank := func(g int) []float64 {
			d := &p.cells[1-k][g]
			outside := 1.
			if lo <= g && g < hi {
				outside = 0
			}
			other, aligned := 1., 1.
			if p.identity(k, c) == p.identity(1-k, d) {
				other = 0
			}
			if p.st.Aligned != nil {
				if ref, ok := p.st.Aligned(k, c.ref()); ok && ref == d.ref() {
					aligned = 0
				}
			}
			return []float64{other, aligned, -p.of(k, f, g), outside, math.Abs(float64(d.start) - at), float64(g)}
		}
		for g := range p.cells[1-k] {
			if p.of(k, f, g) < 0 || c.drawable() && !p.cells[1-k][g].drawable() {
				continue
			}
			if best < 0 || slices.Compare(rank(g), rank(best)) < 0 {
				best = g
			}
		}
		out = append(out, best)
	}
	return out
}

// identity is the function of a cell's call.
func (p *plain) identity(k int, c *cell) uint32 {
	return p.graph.Pair.IDs(pair.Side(k))[p.sides[k].Trace.Threads[c.thread].Fn[c.call]]
}

func (p *plain) expected(k int, c *cell, partners []int) (lo, hi int, at float64) {
	for q := c.parent; q >= 0; q = p.cells[k][q].parent {
		if g := partners[q]; g >= 0 {
			from, to := &p.cells[k][q], &p.cells[1-k][g]
			share := 0.
			if from.dur > 0 {
				share = float64(c.start-from.start) / float64(from.dur)
			}
			for hi = g + 1; hi < len(p.cells[1-k]) && p.below(1-k, hi, g); hi++ {
			}
			return g + 1, hi, float64(to.start) + share*float64(to.dur)
		}
	}
	here, there := p.sides[k].Axis.Span, p.sides[1-k].Axis.Span
	at = there.Start + (float64(c.start)-here.Start)/here.Len()*there.Len()
	other := p.graph.Scope.Threads.On(pair.Side(1 - k))
	if p.graph.Scope.Process {
		other = p.graph.Pair.Partner(pair.Side(k), int(c.thread))
	}
	lo, hi = len(p.cells[1-k]), 0
	for g := range p.cells[1-k] {
		if int(p.cells[1-k][g].thread) == other {
			lo, hi = min(lo, g), g+1
		}
	}
	return lo, hi, at
}

// below reports whether cell i of side k is below cell g.
func (p *plain) below(k, i, g int) bool {
	for ; i >= 0; i = int(p.cells[k][i].parent) {
		if i == g {
			return true
		}
	}
	return false
}

func (p *plain) drawable(f, g int) bool {
	return p.cells[0][f].drawable() && p.cells[1][g].drawable()
}

// best lists the links that are the best of an end that is a call, or of both ends; if there are
// none, those that are the best of either end.
func (p *plain) best() [][2]int {
	if out := p.bestOf(false); len(out) > 0 {
		return out
	}
	return p.bestOf(true)
}

func (p *plain) bestOf(alone bool) [][2]int {
	as, bs := p.partners(0), p.partners(1)
	var out [][2]int
	for f := range p.cells[0] {
		for g := range p.cells[1] {
			ofF, ofG := as[f] == g, bs[g] == f
			said := ofF && !p.cells[0][f].run || ofG && !p.cells[1][g].run || ofF && ofG ||
				alone && (ofF || ofG)
			if said && p.drawable(f, g) {
				out = append(out, [2]int{f, g})
			}
		}
	}
	return out
}

// every lists all matches of cells that have tubes.
func (p *plain) every() [][2]int {
	var out [][2]int
	for f := range p.cells[0] {
		for g := range p.cells[1] {
			if p.s[f][g] >= 0 && p.drawable(f, g) {
				out = append(out, [2]int{f, g})
			}
		}
	}
	return out
}

// weights are s · narrower width, the greatest first, as many as are drawn.
func (p *plain) weights(links [][2]int) []float64 {
	var out []float64
	for _, e := range links {
		w := min(p.cells[0][e[0]].rect.W(), p.cells[1][e[1]].rect.W())
		out = append(out, p.s[e[0]][e[1]]*float64(w))
	}
	slices.SortFunc(out, func(x, y float64) int { return cmp.Compare(y, x) })
	if p.st.Budget > 0 && len(out) > p.st.Budget {
		out = out[:p.st.Budget]
	}
	return out
}

// root is the definition of a group, on calls rather than cells: the topmost match of callers that
// are no frames, the upper one of A first.
func (p *plain) root(f, g int) [2]trace.CallRef {
	for _, u := range p.callers(0, f) {
		for _, v := range p.callers(1, g) {
			if p.similarity(p.gamma(0, u), p.gamma(1, v)) >= 0 {
				return [2]trace.CallRef{u, v}
			}
		}
	}
	return [2]trace.CallRef{}
}

// callers are the calls above and of a cell that are no frames, the uppermost first.
func (p *plain) callers(k, i int) []trace.CallRef {
	c, d := &p.cells[k][i], p.sides[k]
	th := d.Trace.Threads[c.thread]
	var out []trace.CallRef
	for call := c.call; call >= 0; call = th.Parent(int(call)) {
		ref := trace.CallRef{Thread: c.thread, Call: call}
		r, _ := d.CallRect(ref)
		x0, x1 := max(r.X0, d.View.X0), min(r.X1, d.View.X1)
		if call != c.call && !p.st.Frames && x1-x0 >= .9*d.View.W() {
			continue
		}
		out = append(out, ref)
	}
	slices.Reverse(out)
	return out
}
