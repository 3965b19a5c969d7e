package aggregate

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"diptych/internal/aggregate"
	"diptych/internal/aggregate/bycode"
	"diptych/internal/pair"
	"diptych/internal/progress"
	scene "diptych/internal/scene/aggregate"
	"diptych/internal/structure"
)

// part is one of the sources of an overview: a side, or the difference.
type part struct {
	source  aggregate.Source
	quality *aggregate.Quality
	// of is by leaf the resource: a pair of threads as an index into pair.Threads, or a function as
	// an index into the places of the code. It is the same on both sides.
	of   []int
	mean []float64 // by state: its share of all there is
}

// overview is what is known of the shown range and resources of both sides. It never changes, but
// its curves grow. That of large traces is replaced by another one once the best p is known.
type overview struct {
	cut      *cut
	parts    [3]*part
	searched bool                // the best p is known; else there are no curves
	curves   [2]*aggregate.Curve // of A and B under the same p; of the difference
	begun    [2]*aggregate.Curve // the same while they are searched; nil without time to begin
	best     [2]aggregate.Point  // before the search only P, which is firstP
	shown    pictures            // at that p of each
	// runtime are the keys of the nodes that hold the threads of a language's runtime, which are
	// folded at first.
	runtime []string
	worst   []deviation // none before the search
}

// pictures are what is drawn of the sides and of their difference; nil where there is none.
type pictures [3]*scene.Picture

// code is the tree of the code as the engine takes it.
type code struct {
	tree  *structure.Tree
	code  *aggregate.Code
	nodes []int // of the tree, by place
}

// the two curves.
const (
	sides = iota
	apart
)

func findCode(ctx context.Context, p *pair.Pair) (*code, error) {
	t, err := structure.New(ctx, p, structure.Options{}, nil)
	if err != nil {
		return nil, err
	}
	c := &code{tree: t}
	c.code, c.nodes = bycode.Places(t)
	return c, nil
}

// patience is how long a first picture waits for the best p, since aggregating began. What takes
// longer is shown at firstP meanwhile, where gain counts for as much as loss.
const firstP = .5

var patience = 300 * time.Millisecond // but for tests

// find measures the sources of what the traces are cut into, as far as they are about some
// resources, and finds their best partitions or, if these take too long, those for firstP; nil
// stands for all resources. What is known of all of them is not measured again.
func find(ctx context.Context, c *cut, of []int, op aggregate.Operator) (*overview, error) {
	soon, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	o := &overview{cut: c}
	var err error
	for k := range o.parts {
		if o.parts[k], err = newPart(ctx, c, k, of, op); err != nil {
			return nil, err
		}
	}
	o.runtime = o.ofRuntime()
	if of == nil {
		c.whole[op].Store(o)
	}
	o.begin(soon)
	if best, err := o.search(soon); err == nil {
		return best, nil
	}
	o.best[sides].P, o.best[apart].P = firstP, firstP
	o.shown, err = o.at(ctx, firstP)
	return o, err
}

// begin makes the curves, as many as there is time for. What a search that is given up found for
// them is kept there, for the next one.
func (o *overview) begin(ctx context.Context) {
	for k, of := range o.qualities() {
		if len(of) == 0 {
			continue
		}
		c, err := aggregate.NewCurve(ctx, of...)
		if err != nil {
			return
		}
		o.begun[k] = c
	}
}

// search returns the same with the best p of each curve and what is shown there.
func (o *overview) search(ctx context.Context) (*overview, error) {
	now := *o
	now.searched = true
	for k, of := range o.qualities() {
		if len(of) == 0 {
			continue
		}
		var err error
		if now.curves[k] = o.begun[k]; now.curves[k] == nil {
			if now.curves[k], err = aggregate.NewCurve(ctx, of...); err != nil {
				return nil, err
			}
		}
		if now.best[k], err = now.curves[k].Nearest(ctx); err != nil {
			return nil, err
		}
	}
	var err error
	now.shown, err = now.draw(ctx, now.best)
	now.worst = now.changes()
	return &now, err
}

// qualities returns what each of the curves is about.
func (o *overview) qualities() (list [2][]*aggregate.Quality) {
	for k, p := range o.parts {
		if p != nil {
			of := &list[on(k == scene.Difference)]
			*of = append(*of, p.quality)
		}
	}
	return list
}

func (o *overview) ofRuntime() (keys []string) {
	for _, p := range o.parts {
		if p == nil || o.cut.of.code != nil {
			continue
		}
		t := p.source.Tree()
		for i := range t.Nodes {
			n := &t.Nodes[i]
			if len(n.Path) > 0 && n.Leaf == aggregate.None && n.Path[len(n.Path)-1] == aggregate.RuntimeRole {
				keys = append(keys, scene.Key(n))
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// newPart makes source k, restricted to some resources; nil stands for all. It returns nil if the
// source has none of them.
func newPart(ctx context.Context, c *cut, k int, of []int, op aggregate.Operator) (*part, error) {
	p := wholePart(c.Models, k)
	if p == nil {
		return nil, nil
	}
	node := 0
	if of != nil {
		node = p.restrict(of)
	}
	if len(p.of) == 0 {
		return nil, nil
	}
	p.mean = make([]float64, len(p.source.States()))
	aggregate.Shares(p.source, 0, len(p.of), 0, p.source.Slices()-1, p.mean)
	var err error
	if whole := c.whole[op].Load(); whole != nil && node >= 0 {
		p.quality = whole.parts[k].quality.Within(node)
	} else {
		p.quality, err = aggregate.Measure(ctx, p.source, op)
	}
	return p, err
}

// restrict leaves out all other resources. It returns the node that has just these, or
// aggregate.None.
func (p *part) restrict(of []int) (node int) {
	keep := map[int]bool{}
	for _, r := range of {
		keep[r] = true
	}
	whole := p.of
	p.source, node = aggregate.Only(p.source, func(leaf int) bool { return keep[whole[leaf]] })
	p.of = slices.DeleteFunc(slices.Clone(whole), func(r int) bool { return !keep[r] })
	return node
}

// wholePart returns source k with all its resources, nil if there is none.
func wholePart(m *aggregate.Models, k int) *part {
	if k == scene.Difference {
		if m.Sides[pair.A] == nil || m.Sides[pair.B] == nil {
			return nil
		}
		d := m.Difference()
		return &part{source: d, of: d.Of}
	}
	if m.Sides[k] == nil {
		return nil
	}
	p := &part{source: m.Sides[k], of: m.Leaves(pair.Side(k))}
	if m.Places[k] == nil { // threads: told by their pairs
		threads := p.of
		p.of = make([]int, len(threads))
		for i, th := range threads {
			p.of[i] = m.Pair.Of(pair.Side(k), th)
		}
	}
	return p
}

// draw makes the pictures of the partitions of two points: of the sides, of the difference.
func (o *overview) draw(ctx context.Context, at [2]aggregate.Point) (shown pictures, err error) {
	list := append(slices.Clone(at[sides].Partitions), at[apart].Partitions...)
	for k, p := range o.parts {
		if p == nil {
			continue
		}
		if shown[k], err = scene.Prepare(ctx, p.source, p.quality, list[0]); err != nil {
			return shown, err
		}
		list = list[1:]
	}
	return shown, nil
}

// at makes the pictures for one p.
func (o *overview) at(ctx context.Context, p float64) (shown pictures, err error) {
	var points [2]aggregate.Point
	for k, of := range o.qualities() {
		switch {
		case len(of) == 0:
		case o.curves[k] != nil:
			points[k], err = o.curves[k].Best(ctx, p)
		default:
			points[k], err = aggregate.BestOf(ctx, p, of...)
		}
		if err != nil {
			return shown, err
		}
	}
	return o.draw(ctx, points)
}

// growth is as much of a curve as is known.
type growth struct {
	of     *overview
	curve  int
	rounds int
	points []aggregate.Point
	fine   bool // no gap is wider than finest
}

// A round of searches ends after roundTime, so that what was found shows soon; the first one after
// firstRound searches, so that pictures do not depend on the machine. Rounds end when the optima
// that may be missing are less than a pixel from those that are known: with gaps of finest, gain
// and loss together, on curves that are some 60 px high. There are no more than mostRounds: that
// many points show a curve, and if searches take so long, the user had better ask for a p.
const (
	roundTime  = 120 * time.Millisecond
	mostRounds = 25
	firstRound = 6
	finest     = 1. / 200
)

// grow looks for further points of a curve.
func grow(ctx context.Context, k growthOf, _ progress.Func) (*growth, error) {
	g := &growth{of: k.of, curve: k.curve, rounds: k.rounds + 1, fine: true}
	c := k.of.curves[k.curve]
	if c == nil {
		return g, nil
	}
	began := time.Now()
	for n := 0; c.Missing() >= finest; n++ {
		if k.rounds == 0 && n == firstRound || k.rounds > 0 && time.Since(began) >= roundTime {
			break
		}
		if _, err := c.Step(ctx); err != nil {
			return nil, err
		}
	}
	g.points, g.fine = c.Points(), c.Missing() < finest
	return g, nil
}

// done reports whether there is nothing more to look for.
func (g *growth) done() bool { return g.fine || g.rounds >= mostRounds }

// known returns the points of a curve as far as they are known, by p.
func (o *overview) known(g *growth, k int) []aggregate.Point {
	switch {
	case g != nil && g.of == o && g.curve == k:
		return g.points
	case o.curves[k] != nil:
		return o.curves[k].Points()
	}
	return nil
}

// deviation is an aggregate of the difference that is worth a word.
type deviation struct {
	aggregate.Aggregate
	mode  int
	share float64 // A − B
	ns    float64 // by which the resources differ in it, of both sides' mean slices
}

// Limits of what is told of the differences: as many, and none below this share of a state.
const (
	mostChanges = 12
	leastChange = .05
)

// changes lists the aggregates of the difference that differ most, by time.
func (o *overview) changes() (list []deviation) {
	pic := o.shown[scene.Difference]
	if pic == nil {
		return nil
	}
	for i, a := range pic.Partition.Aggregates {
		share := float64(pic.Shares[i])
		if math.Abs(share) < leastChange {
			continue
		}
		n := pic.Source.Tree().Nodes[a.Node]
		ns := 0.0
		for s := range o.cut.Sides {
			b := o.cut.Sides[s].Borders
			ns += math.Abs(share) * float64(n.To-n.From) * float64(b[a.To+1]-b[a.From]) / 2
		}
		list = append(list, deviation{a, int(pic.Modes[i]), share, ns})
	}
	slices.SortStableFunc(list, func(x, y deviation) int { return cmp.Compare(y.ns, x.ns) })
	return list[:min(len(list), mostChanges)]
}
