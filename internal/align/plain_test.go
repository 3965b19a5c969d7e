package align

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// tree is a call as the definition sees it.
type tree struct {
	fn   int
	kids []*tree
	at   int // pre-order index, set by number as what follows
	size int
	text string // spells the subtree: two are identical if their texts are
}

// below adds the functions beneath t to set.
func (t *tree) below(set map[int]bool) {
	for _, k := range t.kids {
		set[k.fn] = true
		k.below(set)
	}
}

// alike is the rule for going on below a different pair.
func alike(x, y *tree) bool {
	a, b := map[int]bool{}, map[int]bool{}
	x.below(a)
	y.below(b)
	delete(a, x.fn)
	delete(b, y.fn)
	common := 0
	for f := range a {
		if b[f] {
			common++
		}
	}
	return len(a) > 0 && len(b) > 0 && 2*common >= len(a)+len(b)-common
}

// worth is what an alignment is judged by, in the order of the criteria.
type worth struct{ score, identical, equal int }

func (w worth) plus(o worth) worth {
	return worth{w.score + o.score, w.identical + o.identical, w.equal + o.equal}
}

func (w worth) better(o worth) bool {
	return slices.Compare([]int{w.score, w.identical, w.equal},
		[]int{o.score, o.identical, o.equal}) > 0
}

// worthOf returns what pairing two calls is worth.
func worthOf(x, y *tree, full bool) worth {
	switch {
	case x.fn != y.fn:
		return worth{score: -1}
	case full && x.text == y.text:
		return worth{2, x.size, 1}
	}
	return worth{2, 0, 1}
}

// oracle aligns forests from the definition.
type oracle struct {
	tieCells int
	partner  [2][]int32
	score    int
}

// level returns the pairs of the best alignment of two child sequences.
func (o *oracle) level(xs, ys []*tree) (pairs [][2]int, best worth) {
	full := len(xs)*len(ys) <= o.tieCells
	value := make([][]worth, len(xs)+1)
	for i := len(xs); i >= 0; i-- {
		value[i] = make([]worth, len(ys)+1)
		for j := len(ys); j >= 0; j-- {
			for k, v := range o.choices(value, xs, ys, i, j, full) {
				if k == 0 || v.better(value[i][j]) {
					value[i][j] = v
				}
			}
		}
	}
	for i, j := 0, 0; i < len(xs) && j < len(ys); {
		switch slices.Index(o.choices(value, xs, ys, i, j, full), value[i][j]) {
		case 0:
			pairs = append(pairs, [2]int{i, j})
			i++
			j++
		case 1:
			i++
		case 2:
			j++
		}
	}
	return pairs, value[0][0]
}

// choices lists what the alignment from (i, j) on is worth if it begins with a pair, a gap B, or a
// gap A.
func (o *oracle) choices(value [][]worth, xs, ys []*tree, i, j int, full bool) (v []worth) {
	gap := worth{score: -1}
	if i < len(xs) && j < len(ys) {
		return []worth{value[i+1][j+1].plus(worthOf(xs[i], ys[j], full)),
			value[i+1][j].plus(gap), value[i][j+1].plus(gap)}
	}
	if i < len(xs) {
		v = append(v, value[i+1][j].plus(gap))
	}
	if j < len(ys) {
		v = append(v, value[i][j+1].plus(gap))
	}
	if v == nil {
		v = append(v, worth{})
	}
	return v
}

func (o *oracle) align(xs, ys []*tree) {
	pairs, _ := o.level(xs, ys)
	for _, p := range pairs {
		x, y := xs[p[0]], ys[p[1]]
		o.partner[0][x.at], o.partner[1][y.at] = int32(y.at), int32(x.at)
		if x.fn == y.fn {
			o.score += 2
		} else {
			o.score--
		}
		if x.fn == y.fn || alike(x, y) {
			o.align(x.kids, y.kids)
		}
	}
}

// expected aligns two forests, with calls passed through, and returns their partners and score.
func expected(xs, ys []*tree, passed [2]Calls, tieCells int) *oracle {
	o := &oracle{tieCells: tieCells}
	for s, list := range [][]*tree{xs, ys} {
		o.partner[s] = slices.Repeat([]int32{None}, number(list))
	}
	o.align(without(xs, passed[0]), without(ys, passed[1]))
	for s := range o.partner {
		for _, p := range o.partner[s] {
			if p == None {
				o.score--
			}
		}
	}
	return o
}

// without returns a forest in which the calls that are passed through are replaced by their callees.
func without(list []*tree, passed Calls) (out []*tree) {
	for _, t := range list {
		kids := without(t.kids, passed)
		if passed.Has(int32(t.at)) {
			out = append(out, kids...)
			continue
		}
		x := &tree{fn: t.fn, kids: kids, at: t.at}
		x.spell()
		out = append(out, x)
	}
	return out
}

// spell sets the text and the size of a tree whose kids have theirs.
func (t *tree) spell() {
	t.size, t.text = 1, fmt.Sprintf("%d(", t.fn)
	for _, k := range t.kids {
		t.size, t.text = t.size+k.size, t.text+k.text
	}
	t.text += ")"
}

// number sets what is derived from the trees and returns the number of calls.
func number(list []*tree) int {
	n := 0
	var visit func(list []*tree)
	visit = func(list []*tree) {
		for _, t := range list {
			t.at = n
			n++
			visit(t.kids)
			t.spell()
		}
	}
	visit(list)
	return n
}

// fataler is a test, or one case of a property.
type fataler interface{ Fatal(args ...any) }

// recorded makes a trace of one thread of each forest.
func recorded(t fataler, threads ...[]*tree) *trace.Trace {
	b := trace.NewBuilder("test")
	for k, list := range threads {
		th, now := b.Thread(fmt.Sprint(k), -1), int64(0)
		var visit func(list []*tree)
		visit = func(list []*tree) {
			for _, x := range list {
				now++
				th.Begin(now, b.Function(trace.Function{Name: fmt.Sprintf("f%d", x.fn)}))
				visit(x.kids)
				now++
				th.End(now)
			}
		}
		visit(list)
	}
	tr, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// paired makes a pair of two forests.
func paired(t fataler, xs, ys []*tree) *pair.Pair {
	return pair.New(recorded(t, xs), recorded(t, ys), pair.Rules{})
}

// grow makes a forest of n calls over an alphabet; the larger deep, the deeper.
func grow(r *rand.Rand, n, alphabet int, deep float64) []*tree {
	root := &tree{}
	stack := []*tree{root}
	for range n {
		for len(stack) > 1 && r.Float64() > deep {
			stack = stack[:len(stack)-1]
		}
		top := stack[len(stack)-1]
		x := &tree{fn: r.IntN(alphabet)}
		if k := len(top.kids); k > 0 && r.IntN(3) == 0 {
			x.fn = top.kids[k-1].fn
		}
		top.kids = append(top.kids, x)
		stack = append(stack, x)
	}
	return root.kids
}

// edited copies a forest with calls dropped, doubled, added, renamed and exchanged at a rate.
func edited(r *rand.Rand, list []*tree, alphabet int, rate float64) (out []*tree) {
	for _, x := range list {
		y := &tree{fn: x.fn, kids: edited(r, x.kids, alphabet, rate)}
		out = append(out, y)
		if r.Float64() >= rate {
			continue
		}
		switch k := len(out) - 1; r.IntN(6) {
		case 0:
			out = out[:k]
		case 1:
			out = append(out, copied(y))
		case 2:
			out = append(out, &tree{fn: r.IntN(alphabet)})
		case 3:
			y.fn = r.IntN(alphabet)
		case 4:
			if k > 0 {
				out[k], out[k-1] = out[k-1], out[k]
			}
		case 5:
			out = append(out[:k], y.kids...)
		}
	}
	return out
}

func copied(x *tree) *tree {
	y := &tree{fn: x.fn}
	for _, k := range x.kids {
		y.kids = append(y.kids, copied(k))
	}
	return y
}
