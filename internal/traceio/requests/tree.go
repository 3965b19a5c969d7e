package requests

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"diptych/internal/trace"
)

// none stands for no span.
const none = int32(-1)

// tree is who called whom in a request. Spans are named by their index.
type tree struct {
	b      *trace.Builder
	spans  []Span
	parent []int32   // none for a root
	kids   [][]int32 // as arrange puts them
	order  []int32   // all spans, parents before their children
	name   []string  // the functions of the spans
	open   []bool    // which spans were not ended
	step   []int64   // how far the clock of each went at once, ns; 0 for less than a µs
}

// newTree finds the parents of all spans of a request that ends at a time.
func newTree(b *trace.Builder, spans []Span, end int64) *tree {
	n := len(spans)
	t := &tree{b: b, spans: spans, parent: make([]int32, n), kids: make([][]int32, n),
		order: make([]int32, 0, n), name: make([]string, n), open: make([]bool, n)}
	known := map[operation]string{}
	for i := range spans {
		x := &spans[i]
		key := operation{x.Resource, x.Name}
		if known[key] == "" {
			known[key] = x.Resource.name() + ": " + cmp.Or(x.Name, "(unnamed)")
		}
		t.name[i] = known[key]
	}
	t.findParents()
	t.closeOpen(end)
	t.step = stepsOf(spans)
	var roots []int32
	for i, p := range t.parent {
		if p == none {
			roots = append(roots, int32(i))
		} else {
			t.kids[p] = append(t.kids[p], int32(i))
		}
	}
	t.arrange(roots)
	for i := range t.kids {
		t.arrange(t.kids[i])
	}
	t.walk(roots)
	return t
}

// operation is what a span does. Tools for such traces call it "service: name", for services often
// have operations of the same name, such as GET.
type operation struct {
	resource *Resource
	name     string
}

// mostAgain is how many further spans with an id are looked at. Two are what tracers write.
const mostAgain = 8

// findParents looks up the parents by their ids. An id may occur again: a span may have been
// written twice, and older tracers give a client's span and the server's, which is its child, one
// id. A child of that id belongs to the span of its own service, else to the server's.
func (t *tree) findParents() {
	byID := make(map[string]int32, len(t.spans))
	again := make(map[string][]int32) // further spans with an id
	for i := range t.spans {
		x := &t.spans[i]
		if _, ok := byID[x.ID]; !ok {
			byID[x.ID] = int32(i)
			continue
		}
		if len(again[x.ID]) < mostAgain {
			again[x.ID] = append(again[x.ID], int32(i))
		}
		t.b.Diagnose(trace.RepeatedSpan, 1, "span %s, %s", x.ID, t.name[i])
	}
	for i := range t.spans {
		x := &t.spans[i]
		t.parent[i] = none
		if p, ok := t.sharing(byID, again, int32(i)); ok {
			t.parent[i] = p
			continue
		}
		if x.Parent == "" {
			continue
		}
		p, ok := byID[x.Parent]
		if !ok || x.Parent == x.ID {
			t.b.Diagnose(trace.MissingParent, 1, "span %s, %s: its parent %s is not there", x.ID,
				t.name[i], x.Parent)
			continue
		}
		t.parent[i] = t.nearest(p, again[x.Parent], x)
	}
}

// sharing returns the client's span that has the same id as span i, a server's, if one has.
func (t *tree) sharing(byID map[string]int32, again map[string][]int32, i int32) (int32, bool) {
	x := &t.spans[i]
	more := again[x.ID]
	if x.Kind != Server || more == nil {
		return none, false
	}
	for _, k := range append([]int32{byID[x.ID]}, more...) {
		if y := &t.spans[k]; y.Kind == Client && y.Resource.id() != x.Resource.id() {
			return k, true
		}
	}
	return none, false
}

// nearest returns which of the spans with the id of its parent is that of a span.
func (t *tree) nearest(first int32, more []int32, x *Span) int32 {
	best := first
	for _, k := range more {
		y, own := &t.spans[k], t.spans[best].Resource.id() == x.Resource.id()
		if !own && (y.Resource.id() == x.Resource.id() || y.Kind == Server) {
			best = k
		}
	}
	return best
}

// walk puts all spans in order. Spans whose parents go round in a circle are reached from no root;
// the first of them becomes one.
func (t *tree) walk(roots []int32) {
	seen := make([]bool, len(t.spans))
	t.descend(roots, seen)
	if len(t.order) == len(t.spans) {
		return
	}
	var rest []int32
	for i := range t.spans {
		if !seen[i] {
			rest = append(rest, int32(i))
		}
	}
	t.arrange(rest)
	for _, i := range rest {
		if seen[i] {
			continue
		}
		t.b.Diagnose(trace.MissingParent, 1, "span %s, %s: it is among its own ancestors",
			t.spans[i].ID, t.name[i])
		p := t.parent[i]
		t.kids[p] = slices.DeleteFunc(t.kids[p], func(k int32) bool { return k == i })
		t.parent[i] = none
		t.descend([]int32{i}, seen)
	}
}

// descend walks over the trees of some roots.
func (t *tree) descend(roots []int32, seen []bool) {
	stack := slices.Clone(roots)
	slices.Reverse(stack)
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		seen[i] = true
		t.order = append(t.order, i)
		for _, k := range slices.Backward(t.kids[i]) {
			stack = append(stack, k)
		}
	}
}

// mostByName is how many spans that overlap are ordered by their names.
const mostByName = 256

// arrange puts spans into the order in which they get their lanes: by time, but those that overlap
// by name. Which of two that run at the same time begins first is mostly chance, and differs from
// one request to the next; their names do not. Of very many all is by time.
func (t *tree) arrange(list []int32) {
	slices.SortFunc(list, t.byTime)
	for from := 0; from < len(list); {
		to := from + t.overlapping(list[from:])
		if to-from <= mostByName {
			slices.SortFunc(list[from:to], t.byName)
		}
		from = to
	}
}

// overlapping returns how many spans at the beginning of a list, in order of time, each overlap one
// before.
func (t *tree) overlapping(list []int32) int {
	end := t.spans[list[0]].End
	for n, i := range list[1:] {
		if x := &t.spans[i]; x.Start >= end {
			return n + 1
		}
		end = max(end, t.spans[i].End)
	}
	return len(list)
}

func (t *tree) byTime(i, j int32) int {
	x, y := &t.spans[i], &t.spans[j]
	return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(y.End, x.End), t.byID(i, j))
}

func (t *tree) byName(i, j int32) int {
	return cmp.Or(strings.Compare(t.name[i], t.name[j]), t.byTime(i, j))
}

// byID decides where nothing else does, so that the order of the file never does.
func (t *tree) byID(i, j int32) int {
	return cmp.Or(strings.Compare(t.spans[i].ID, t.spans[j].ID), strings.Compare(t.name[i], t.name[j]),
		cmp.Compare(i, j))
}

// closeOpen ends spans that were not ended: with their parents, or else with the request. Ends
// before the start become the start.
func (t *tree) closeOpen(end int64) {
	for i := range t.spans {
		t.open[i] = t.spans[i].End == 0
	}
	for i := range t.spans {
		x, p := &t.spans[i], t.parent[i]
		switch {
		case t.open[i] && p != none && !t.open[p] && t.spans[p].End >= x.Start:
			x.End = t.spans[p].End
		case t.open[i]:
			x.End = max(x.Start, end)
		case x.End < x.Start:
			t.b.Diagnose(trace.NegativeDuration, 1, "span %s, %s: %v", x.ID, t.name[i],
				trace.Length(x.End-x.Start))
			x.End = x.Start
		}
		if t.open[i] {
			t.b.Diagnose(trace.UnmatchedBegin, 1, "span %s, %s, was not ended", x.ID, t.name[i])
		}
	}
}

// countSkew counts the spans that their parents do not enclose. A span that a message sets off may
// end later than its parent, which only sent the message.
func (t *tree) countSkew(ctx context.Context) error {
	for _, i := range t.order {
		p := t.parent[i]
		if p == none {
			continue
		}
		x, y := &t.spans[i], &t.spans[p]
		switch {
		case t.jitter(i, p, y.Start-x.Start) || t.jitter(i, p, x.End-y.End):
		case x.Start < y.Start:
			t.b.Diagnose(trace.BeyondParent, 1, "span %s, %s, begins %v before its parent %s", x.ID,
				t.name[i], trace.Length(y.Start-x.Start), t.name[p])
		case x.End > y.End && !t.apart(i):
			t.b.Diagnose(trace.BeyondParent, 1, "span %s, %s, ends %v after its parent %s", x.ID,
				t.name[i], trace.Length(x.End-y.End), t.name[p])
		}
	}
	return ctx.Err()
}

// jitter reports whether so many ns, by which span i lies beyond its parent or into another span of
// its service, come from the clock alone.
func (t *tree) jitter(i, j int32, ns int64) bool {
	return ns > 0 && ns < t.step[i] && t.sameService(i, j)
}

// apart reports whether span i was set off by a message that nobody waits for.
func (t *tree) apart(i int32) bool {
	p := t.parent[i]
	return t.spans[i].Kind == Consumer || p != none && t.spans[p].Kind == Producer
}
