package aggregate

import (
	"fmt"
	"strings"

	"diptych/internal/aggregate"
	"diptych/internal/geom"
	"diptych/internal/pair"
	scene "diptych/internal/scene/aggregate"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/words"
)

// This file says in words what an aggregate is.

func value(st *session.State, ns float64) string { return geom.FormatValue(ns, words.UnitOf(st)) }

// noun names resources: so many threads, pairs of threads or functions.
func (o *overview) noun(plot, n int) string {
	switch {
	case o.cut.of.code != nil:
		return kit.Plural(n, "function")
	case plot == scene.Difference:
		return kit.Plural(n, "pair") + " of threads"
	}
	return kit.Plural(n, "thread")
}

// name names the resources of a spot: by their node or, where a band of rows has none of its own,
// by how many there are.
func (x spot) name() string {
	part := x.of.parts[x.plot]
	t := part.source.Tree()
	n := x.place.Leaves[1] - x.place.Leaves[0]
	if n == 1 && len(part.of) == 1 {
		return x.of.resource(part.of[0])
	}
	for i := range t.Nodes {
		if at := &t.Nodes[i]; int(at.From) == x.place.Leaves[0] && int(at.To) == x.place.Leaves[1] {
			if name := nodeName(at); name != "" {
				return name
			}
			break
		}
	}
	if n == len(part.of) {
		return "all " + x.of.noun(x.plot, n)
	}
	if name := nodeName(&t.Nodes[x.area.Node]); name != "" {
		return x.of.noun(x.plot, n) + " of " + name
	}
	return x.of.noun(x.plot, n)
}

// resource names a resource by itself.
func (o *overview) resource(r int) string {
	if c := o.cut.of.code; c != nil {
		return c.tree.FullName(c.nodes[r])
	}
	for _, s := range []pair.Side{pair.A, pair.B} {
		if i := o.cut.Pair.Threads[r].On(s); i >= 0 {
			return o.cut.Pair.Trace(s).Threads[i].Title()
		}
	}
	return ""
}

// nodeName writes the path of a node. A name that the next one begins with is left out: threads are
// often named after their role.
func nodeName(n *aggregate.Node) string {
	var names []string
	for i, name := range n.Path {
		if i+1 < len(n.Path) && strings.HasPrefix(n.Path[i+1], name) {
			continue
		}
		names = append(names, name)
	}
	return strings.Join(names, " › ")
}

// time says from when to when a spot is; of a difference on both sides.
func (x spot) time(st *session.State) string {
	var texts []string
	for s, span := range x.spans() {
		if x.plot != scene.Difference && x.plot != s {
			continue
		}
		from, to := geom.FormatTwo(span.Start, span.End, words.UnitOf(st))
		text := from + " – " + to
		if x.plot == scene.Difference {
			text = pair.Side(s).String() + " " + text
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// slices says how many timeslices a spot has.
func (x spot) slices() string {
	return fmt.Sprintf("%d of %s", x.place.To-x.place.From+1,
		kit.Plural(x.of.cut.of.slices, "timeslice"))
}

// shares returns the mean shares of the states in a spot on each side, as far as its resources are
// there; nil where there are none.
func (x spot) shares() (list [2][]float64) {
	want := map[int]bool{}
	for _, r := range x.resources() {
		want[r] = true
	}
	for s, p := range x.of.parts[:scene.Difference] {
		if p == nil {
			continue
		}
		sum, n := make([]float64, len(p.source.States())), 0
		for leaf, r := range p.of {
			if want[r] {
				p.source.Add(leaf, x.place.From, x.place.To, sum)
				n++
			}
		}
		if n == 0 {
			continue
		}
		for k := range sum {
			sum[k] /= float64(n * (x.place.To - x.place.From + 1))
		}
		list[s] = sum
	}
	return list
}

// homogeneity says how much a spot differs within itself: what it loses, of all that one aggregate
// for everything would lose (criterion G5).
func (x spot) homogeneity() string {
	switch {
	case x.area.Mark != scene.Data:
		text := "folded: " + kit.Plural(x.area.Parts, "aggregate")
		if x.area.Mark == scene.Same {
			return text + " with the same cuts in time"
		}
		return text + " with different cuts in time"
	case x.place.Leaves[1]-x.place.Leaves[0] == 1 && x.place.From == x.place.To:
		return "one cell, nothing is lost"
	}
	_, loss := x.of.parts[x.plot].quality.Of(x.area.Node, x.place.From, x.place.To)
	if loss <= 0 {
		return "homogeneous, nothing is lost"
	}
	return kit.Percent(loss) + " of the detail is lost in it"
}

// points writes a difference of shares, B − A, in percentage points.
func points(share float64) string {
	switch v := 100 * share; {
	case v >= .05:
		return fmt.Sprintf("+%.1f pt", v)
	case v <= -.05:
		return fmt.Sprintf("−%.1f pt", -v)
	}
	return "0 pt"
}

// rank is a state with its shares.
type rank struct {
	name  string
	state int        // −1 for no state
	share [2]float64 // by side
	known [2]bool
}

// largest is by how much a rank is sorted.
func (r *rank) largest() float64 { return max(r.share[0], r.share[1]) }

// NoState names the time in which nothing runs.
const NoState = "in no state"

// ranked lists states by their shares, largest first, and the time in no state last.
func (o *overview) ranked(shares [2][]float64) (list []rank) {
	var names []string
	for _, p := range o.parts[:scene.Difference] {
		if p != nil {
			names = p.source.States()
		}
	}
	rest := rank{name: NoState, state: -1}
	for s := range shares {
		if rest.known[s] = shares[s] != nil; rest.known[s] {
			rest.share[s] = 1
		}
	}
	for k, name := range names {
		r := rank{name: name, state: k, known: rest.known}
		for s, x := range shares {
			if x != nil {
				r.share[s] = x[k]
				rest.share[s] = max(rest.share[s]-x[k], 0)
			}
		}
		if r.largest() > 0 {
			list = append(list, r)
		}
	}
	sortRanks(list)
	const rounding = 1e-9
	if rest.largest() > rounding && o.cut.of.code == nil {
		list = append(list, rest)
	}
	return list
}
