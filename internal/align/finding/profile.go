package finding

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"diptych/internal/align"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Two profiles compared, function by function, and two recordings of stack samples, whose calls are
// runs of samples that agree.
//
// A profile is a tree into which samples were merged. Its order means nothing, and a call that is
// missing may just not have been sampled. So functions are compared by their samples over the
// whole tree, whatever the callers: after what one side alone has (lone.go), by self samples, then
// by samples including callees, the smallest function first. Samples that were told of one function
// do not count for others, so an effect is told once, where it comes from. For example, if only
// leaf gets slower:
//
//	self samples:       leaf 40 → 160 is told; main and loop have no samples of their own
//	including callees:  loop and main have no samples left that were not told
//
// A difference counts if it is more than four standard deviations; a number of samples is taken to
// vary by its root. Time is linear in the nodes for self samples; including callees it is linear
// in the subtrees of all functions together, which is nodes times depth at most.

// profiles compares the trees of threads.
type profiles struct {
	s          *study
	trees      []*tree
	interrupts [2][]bool // by side and function: it serves interrupts
	byFunction map[uint32]*sampling
	whole      [2]int64            // by side: all samples
	usual      float64             // the median weight of the nodes
	sample     float64             // the weight of one sample: that, or more where they differ
	steady     float64             // the same without stalls; 0 if that is not known
	uneven     float64             // and with those that are not among the longest
	stalls     map[node][2]stalled // by side: the longest samples, by the node that they lie in
}

// tree is a thread of both sides, or of one.
type tree struct {
	r    *align.Result
	self [2][]int64
	told [2][]bool // nodes whose own samples have been told
}

// node is a call of a tree.
type node struct {
	of *tree
	i  int32
}

// scope says which samples of a function are compared.
type scope uint8

const (
	ownSamples scope = iota
	allSamples
)

// words say in a sentence which samples those are.
func (what scope) words(unit trace.Unit) string {
	if what == allSamples {
		return "including callees"
	}
	return "of " + geom.SelfNoun(string(unit))
}

// sampling is one function in both profiles.
type sampling struct {
	nodes  [2][]node
	roots  [2][]node // nodes that are not below another node of the function
	total  int64     // samples of both sides, including callees
	depth  uint32
	self   [2]int64 // by side; its own samples
	untold [2]int64 // by side; samples that were not told of another function
	at     [2]*Place
}

// tellProfiles tells which functions have more or fewer samples than chance explains.
func (s *study) tellProfiles() error {
	if err := s.gatherTotals(); err != nil {
		return err
	}
	s.gatherCounts()
	s.tellRenames()
	s.graph = newCallGraph(s.totals, len(s.p.Names))
	if s.p.Profile() {
		return s.compareTrees(s.results)
	}
	s.report.Noise = Noise{Functions: unknownSway} // no pairs of calls say how times vary
	return s.compareTrees(slices.Concat(s.results, s.lone))
}

// compareTrees tells which functions of some threads have more or fewer samples.
func (s *study) compareTrees(threads []*align.Result) error {
	p := &profiles{s: s, byFunction: map[uint32]*sampling{},
		interrupts: [2][]bool{interruptsOf(s.p.A), interruptsOf(s.p.B)}}
	s.report.interrupted = map[uint32][2]int64{}
	p.gather(threads)
	ids := sortedKeys(p.byFunction, func(x, y uint32) int {
		v, w := p.byFunction[x], p.byFunction[y]
		return cmp.Or(cmp.Compare(v.total, w.total), cmp.Compare(w.depth, v.depth), cmp.Compare(x, y))
	})
	p.findPace(ids)
	if err := p.tellLone(ids); err != nil {
		return err
	}
	for _, what := range []scope{ownSamples, allSamples} {
		for _, id := range ids {
			if err := s.ctx.Err(); err != nil {
				return err
			}
			p.compareFunction(id, what)
		}
	}
	s.dropParts()
	return nil
}

// gather finds the nodes of each function.
func (p *profiles) gather(threads []*align.Result) {
	var weights []float64
	for _, r := range threads {
		t := &tree{r: r}
		p.trees = append(p.trees, t)
		for sd := range t.self {
			if r.Indices[sd] >= 0 {
				weights = p.gatherSide(t, pair.Side(sd), weights)
			}
		}
	}
	if slices.Sort(weights); len(weights) > 0 {
		median := stat.Quantile(0.5, stat.Empirical, weights, nil)
		stated := max(p.s.p.A.SampleWeight, p.s.p.B.SampleWeight)
		p.usual, p.sample = median, max(median, float64(stated))
		p.findStalls()
		if p.s.report.Exact = isExact(p.s.p); p.s.report.Exact {
			p.usual, p.sample = 0, 0
		}
		p.s.report.Sample = p.sample
	}
}

// gatherSide does so for a side of a thread, and appends the weights of its nodes.
func (p *profiles) gatherSide(t *tree, sd pair.Side, weights []float64) []float64 {
	th := t.r.Threads[sd]
	t.self[sd], t.told[sd] = make([]int64, th.Len()), make([]bool, th.Len())
	for i := range t.self[sd] {
		t.self[sd][i] += th.Dur(i)
		if up := th.Parent(i); up != align.None {
			t.self[sd][up] -= th.Dur(i)
		}
	}
	p.setInterrupted(t, sd)
	for i, ns := range t.self[sd] {
		if ns > 0 {
			weights = append(weights, float64(ns))
		}
		id := p.s.identity(t.r, sd, int32(i))
		if p.byFunction[id] == nil {
			p.byFunction[id] = &sampling{}
		}
		up := th.Parent(i)
		for up != align.None && p.s.identity(t.r, sd, up) != id {
			up = th.Parent(int(up))
		}
		v, n := p.byFunction[id], node{t, int32(i)}
		v.self[sd] += ns
		p.whole[sd] += ns
		v.nodes[sd], v.depth = append(v.nodes[sd], n), max(v.depth, th.Depth(i))
		if up == align.None {
			v.roots[sd] = append(v.roots[sd], n)
			v.total += th.Dur(i)
		}
	}
	return weights
}

// isExact reports whether what both profiles add up was counted.
func isExact(p *pair.Pair) bool { return p.A.Exact && p.B.Exact }

// compareFunction tells a function if its untold samples differ by more than chance.
func (p *profiles) compareFunction(id uint32, what scope) {
	v, most, stacks := p.byFunction[id], [2]int64{-1, -1}, [2][]node{}
	v.untold = [2]int64{}
	p.eachNode(v, what, func(t *tree, sd pair.Side, root, i int32) {
		if t.told[sd][i] {
			return
		}
		ns := t.self[sd][i]
		if v.untold[sd] += ns; ns > most[sd] {
			most[sd], v.at[sd] = ns, placeOf(t.r, sd, root)
		}
		if p.s.unit != trace.Nanoseconds && what == allSamples && ns > 0 {
			stacks[sd] = append(stacks[sd], node{t, i})
		}
	})
	a, b := v.untold[pair.A], v.untold[pair.B]
	if p.s.share(b-a) < p.s.o.Least || p.byChance(v, what) && !p.byCalls(id, v) {
		return
	}
	in := p.mostlyIn(v, what)
	if what == allSamples && in == "" && saysNothing(p.s.names[id]) {
		return
	}
	p.eachNode(v, what, func(t *tree, sd pair.Side, _, i int32) { t.told[sd][i] = true })
	level := Certain
	if what == allSamples && !p.s.report.Exact && (in == "" && p.runsAll(id) || p.fewStacks(v, stacks)) {
		level = Chance
	}
	p.tellFunction(id, v, what, in, level)
}

// runsAll reports whether a function runs nearly the whole program on both sides, in times that
// machines may differ by: none of its callees changed for sure, so a slower machine looks the same.
func (p *profiles) runsAll(id uint32) bool {
	t := p.s.both(anywhere, id)
	a, b := float64(t[pair.A].of(TotalNs)), float64(t[pair.B].of(TotalNs))
	return p.s.unit == trace.Nanoseconds && max(a, b) <= mostBusy*min(a, b) &&
		a >= mostly*float64(p.whole[pair.A]) && b >= mostly*float64(p.whole[pair.B])
}

// fewStacks reports whether nearly all of what differs in a function, including callees, is a few
// stacks that end in functions of which both sides have as much. For example, what writes a heap
// profile allocates its tables once, below the function that happens to need them first:
//
//	A: build > emitLocation > NewWriter 1.15 MiB     B: build > pbSample > NewWriter 1.15 MiB
func (p *profiles) fewStacks(v *sampling, stacks [2][]node) bool {
	more := pair.Side(toInt(v.untold[pair.B] > v.untold[pair.A]))
	d, list := float64(magnitude(v.untold[pair.B]-v.untold[pair.A])), stacks[more]
	own := func(n node) int64 { return n.of.self[more][n.i] }
	slices.SortStableFunc(list, func(x, y node) int { return cmp.Compare(own(y), own(x)) })
	sum, net, seen := int64(0), int64(0), map[uint32]bool{}
	for _, n := range list[:min(aFew, len(list))] {
		sum += own(n)
		if id := p.s.identity(n.of.r, more, n.i); !seen[id] {
			self := p.byFunction[id].self
			net, seen[id] = net+max(0, self[more]-self[more.Other()]), true
		}
	}
	return float64(sum) >= mostly*d && float64(net) < (1-mostly)*d
}

const aFew = 4 // stacks

// byCalls reports whether a function is called more or less often than before, as far as that was
// counted, and that is most of what its untold samples differ by, as where one side never calls it.
func (p *profiles) byCalls(id uint32, v *sampling) bool {
	n, known := p.s.countedCalls(id)
	return known && (min(n[pair.A], n[pair.B]) == 0 || 2*partByCalls(n, v.untold) >= 1)
}

// eachNode calls yield for each node i that holds samples of a function in the given scope; root
// is the function's node above it, or i itself.
func (p *profiles) eachNode(v *sampling, what scope,
	yield func(t *tree, sd pair.Side, root, i int32)) {
	for sd := range v.nodes {
		if what == ownSamples {
			for _, n := range v.nodes[sd] {
				yield(n.of, pair.Side(sd), n.i, n.i)
			}
			continue
		}
		for _, root := range v.roots[sd] {
			th := root.of.r.Threads[sd]
			for i := root.i; i < int32(th.Next(int(root.i))); i++ {
				yield(root.of, pair.Side(sd), root.i, i)
			}
		}
	}
}

// tellFunction tells a function with its totals, and in which callee most of it is. If they differ
// in another direction than what was not told of its callees, these are the reason, and there is
// nothing to tell.
func (p *profiles) tellFunction(id uint32, v *sampling, what scope, in string, level Certainty) {
	s := p.s
	quantity := map[scope]Quantity{ownSamples: SelfNs, allSamples: TotalNs}[what]
	t := s.both(anywhere, id)
	a, b := t[pair.A].of(quantity), t[pair.B].of(quantity)
	f := Finding{Function: s.names[id], ID: id, DeltaNs: b - a, At: v.at, Certainty: level,
		Calls:  [2]int64{t[pair.A].calls, t[pair.B].calls},
		Claims: s.claims(anywhere, id, Calls, quantity)}
	if (b > a) != (v.untold[pair.B] > v.untold[pair.A]) {
		return
	}
	counts := s.tellCounted(&f, [2]int64{a, b})
	switch {
	case f.Calls[pair.A] == 0:
		f.Kind = New
	case f.Calls[pair.B] == 0:
		f.Kind = Missing
	default:
		f.Kind = [2]Kind{Faster, Slower}[toInt(b > a)]
		before, after := Lengths([2]int64{a, b}, s.unit)
		by := uint32(atRoot)
		if what == ownSamples {
			by = s.mostlyBy(id, b-a)
		}
		if counts.who != "" {
			by = atRoot // the costs by caller are estimates
		}
		if by != atRoot {
			f.Claims = append(f.Claims, s.claims(by, id, SelfNs)...)
		}
		if byNumber(counts.n, [2]int64{a, b}) {
			f.Text = fmt.Sprintf("%s %s: %s %s%s", f.Function, counts.instead(), s.signed(b-a),
				what.words(s.unit), counts.each+in)
			break
		}
		if f.Text = f.Function + " " + TakesWords([2]int64{a, b}, before, after, what.words(s.unit)); min(a, b) > 0 {
			f.Text += ": " + s.signed(b-a)
		}
		f.Text += counts.over() + s.mostlyWords(by, id) + in
	}
	if f.Kind == New || f.Kind == Missing {
		by := ""
		if counts.who == "" {
			by = p.calledBy(v)
		}
		f.Text = fmt.Sprintf("%s is %s%s: %s %s", f.Function, OnlyWords(s.p, f.Kind == New), by, s.signed(b-a),
			what.words(s.unit)+counts.over()+in)
	}
	s.addFinding(f)
}

// OnlyWords says that A lacks a function of two profiles or recordings of samples, or that B does.
// What was not sampled may still have been called, and in a profile of allocations there is only
// what allocates; what was counted has none of that.
func OnlyWords(p *pair.Pair, isNew bool) string {
	if p.BySamples() && !isExact(p) && !countsCalls(p) {
		return "sampled in " + [2]string{"A", "B"}[toInt(isNew)] + " only"
	}
	return [2]string{"missing", "new"}[toInt(isNew)] + " in B"
}
