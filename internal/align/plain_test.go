package align

import (
	"cmp"
	"os"
	"slices"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
)

// sized returns how large a test is made: long where the environment sets DIPTYCH_LONG, as
// "make test-long" does, short otherwise.
func sized(short, long int) int {
	if os.Getenv("DIPTYCH_LONG") != "" {
		return long
	}
	return short
}

// functionsBelow adds the functions beneath x to set.
func functionsBelow(x *testtrace.Tree, set map[int]bool) {
	for _, k := range x.Below {
		set[k.Fn] = true
		functionsBelow(k, set)
	}
}

// alike is the rule for going on below a different pair.
func alike(x, y *testtrace.Tree) bool {
	a, b := map[int]bool{}, map[int]bool{}
	functionsBelow(x, a)
	functionsBelow(y, b)
	delete(a, x.Fn)
	delete(b, y.Fn)
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
	return cmp.Or(cmp.Compare(w.score, o.score), cmp.Compare(w.identical, o.identical),
		cmp.Compare(w.equal, o.equal)) > 0
}

// worthOf returns what pairing two calls is worth.
func worthOf(x, y *testtrace.Tree, full bool) worth {
	switch {
	case x.Fn != y.Fn:
		return worth{score: -1}
	case full && x.Text == y.Text:
		return worth{2, x.Size, 1}
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
func (o *oracle) level(xs, ys []*testtrace.Tree) (pairs [][2]int, best worth) {
	full := len(xs)*len(ys) <= o.tieCells
	value := make([][]worth, len(xs)+1)
	for i := len(xs); i >= 0; i-- {
		value[i] = make([]worth, len(ys)+1)
		for j := len(ys); j >= 0; j-- {
			for k, v := range choices(value, xs, ys, i, j, full) {
				if k == 0 || v.better(value[i][j]) {
					value[i][j] = v
				}
			}
		}
	}
	for i, j := 0, 0; i < len(xs) && j < len(ys); {
		switch v := choices(value, xs, ys, i, j, full); value[i][j] {
		case v[0]:
			pairs = append(pairs, [2]int{i, j})
			i++
			j++
		case v[1]:
			i++
		case v[2]:
			j++
		}
	}
	return pairs, value[0][0]
}

// impossible is worse than any alignment.
var impossible = worth{score: -1 << 30}

// choices lists what the alignment from (i, j) on is worth if it begins with a pair, a gap B, or a
// gap A.
func choices(value [][]worth, xs, ys []*testtrace.Tree, i, j int, full bool) [3]worth {
	v, gap := [3]worth{impossible, impossible, impossible}, worth{score: -1}
	if i == len(xs) && j == len(ys) {
		v[0] = worth{}
	}
	if i < len(xs) && j < len(ys) {
		v[0] = value[i+1][j+1].plus(worthOf(xs[i], ys[j], full))
	}
	if i < len(xs) {
		v[1] = value[i+1][j].plus(gap)
	}
	if j < len(ys) {
		v[2] = value[i][j+1].plus(gap)
	}
	return v
}

func (o *oracle) align(xs, ys []*testtrace.Tree) {
	pairs, _ := o.level(xs, ys)
	for _, p := range pairs {
		x, y := xs[p[0]], ys[p[1]]
		o.partner[0][x.At], o.partner[1][y.At] = int32(y.At), int32(x.At)
		if x.Fn == y.Fn {
			o.score += 2
		} else {
			o.score--
		}
		if x.Fn == y.Fn || alike(x, y) {
			o.align(x.Below, y.Below)
		}
	}
}

// expected aligns two forests, with calls passed through, and returns their partners and score.
func expected(xs, ys []*testtrace.Tree, passed [2]Calls, tieCells int) *oracle {
	o := &oracle{tieCells: tieCells}
	for s, list := range [][]*testtrace.Tree{xs, ys} {
		o.partner[s] = slices.Repeat([]int32{None}, testtrace.Number(list))
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

// without returns a forest in which the calls that are passed through are replaced by their
// callees.
func without(list []*testtrace.Tree, passed Calls) (out []*testtrace.Tree) {
	for _, t := range list {
		kids := without(t.Below, passed)
		if passed.Has(int32(t.At)) {
			out = append(out, kids...)
			continue
		}
		x := &testtrace.Tree{Fn: t.Fn, Below: kids, At: t.At}
		x.Spell()
		out = append(out, x)
	}
	return out
}

// paired makes a pair of two forests.
func paired(t testtrace.TB, xs, ys []*testtrace.Tree) *pair.Pair {
	return pair.New(testtrace.Record(t, nil, xs), testtrace.Record(t, nil, ys), pair.Rules{})
}
