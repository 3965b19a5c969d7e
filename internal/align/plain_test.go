package align

import (
	"cmp"
	"math/big"
	"os"
	"slices"
	"strconv"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
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
type worth struct {
	score, common int
	agree         int64
	equal         int
}

func (w worth) plus(o worth) worth {
	return worth{w.score + o.score, w.common + o.common, w.agree + o.agree, w.equal + o.equal}
}

func (w worth) better(o worth) bool {
	return cmp.Or(cmp.Compare(w.score, o.score), cmp.Compare(w.common, o.common),
		cmp.Compare(w.agree, o.agree), cmp.Compare(w.equal, o.equal)) > 0
}

// callsBelow adds the calls of x by function to counts.
func callsBelow(x *testtrace.Tree, counts map[int]int) map[int]int {
	counts[x.Fn]++
	for _, k := range x.Below {
		callsBelow(k, counts)
	}
	return counts
}

// inCommon returns how many calls two subtrees have in common.
func inCommon(x, y *testtrace.Tree) (n int) {
	others := callsBelow(y, map[int]int{})
	for fn, calls := range callsBelow(x, map[int]int{}) {
		n += min(calls, others[fn])
	}
	return n
}

// worthOf returns what pairing two calls is worth.
func (o *oracle) worthOf(x, y *testtrace.Tree, full bool) (w worth) {
	w = worth{score: -1}
	if x.Fn == y.Fn {
		w = worth{score: 2, equal: 1}
	}
	if full {
		w.common = inCommon(x, y)
	}
	if full && x.Text == y.Text {
		a, b := o.took[0][x.At], o.took[1][y.At]
		w.agree = min(a, b) - (max(a, b)-min(a, b))/2
	}
	return w
}

// oracle aligns forests from the definition.
type oracle struct {
	tieCells int
	took     [2][]int64 // how long each call took
	partner  [2][]int32
	score    int
	aside    int // pairs of calls that are set aside
}

// level returns the pairs of the best alignment of two child sequences.
func (o *oracle) level(xs, ys []*testtrace.Tree) (pairs [][2]int, best worth) {
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
		switch v := o.choices(value, xs, ys, i, j, full); value[i][j] {
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
func (o *oracle) choices(value [][]worth, xs, ys []*testtrace.Tree, i, j int, full bool) [3]worth {
	v, gap := [3]worth{impossible, impossible, impossible}, worth{score: -1}
	if i == len(xs) && j == len(ys) {
		v[0] = worth{}
	}
	if i < len(xs) && j < len(ys) {
		v[0] = value[i+1][j+1].plus(o.worthOf(xs[i], ys[j], full))
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

// expected aligns two forests, the first threads of a pair, with calls passed through, and returns
// their partners and score.
func expected(p *pair.Pair, xs, ys []*testtrace.Tree, passed [2]Calls, tieCells int) *oracle {
	o := &oracle{tieCells: tieCells}
	for s := range o.took {
		for _, th := range p.Trace(pair.Side(s)).Threads { // one, or none if nothing is called
			for i := range th.Len() {
				o.took[s] = append(o.took[s], th.Dur(i))
			}
		}
	}
	for s, list := range [][]*testtrace.Tree{xs, ys} {
		o.partner[s] = slices.Repeat([]int32{None}, testtrace.Number(list))
	}
	off := offFunctions(p)
	o.align(without(xs, passed[0], off), without(ys, passed[1], off))
	for s := range o.partner {
		for _, p := range o.partner[s] {
			if p == None {
				o.score--
			}
		}
	}
	return o
}

// without returns a forest without the calls that are set aside, and in which the calls that are
// passed through are replaced by their callees.
func without(list []*testtrace.Tree, passed Calls, off map[int]bool) (out []*testtrace.Tree) {
	for _, t := range list {
		kids := without(t.Below, passed, off)
		if passed.Has(int32(t.At)) {
			out = append(out, kids...)
			continue
		}
		if off[t.Fn] && len(t.Below) == 0 {
			continue
		}
		x := &testtrace.Tree{Fn: t.Fn, Below: kids, At: t.At}
		x.Spell()
		out = append(out, x)
	}
	return out
}

// plainCensus finds wrappers from the definition (wrappers.go), call by call. By side:
type plainCensus struct {
	forest [2][]*testtrace.Tree // without the calls that are set aside
	called [2]map[int]int       // calls by function
	calls  [2]map[plainEdge]int // as they count in this round
	passed [2]map[plainEdge]bool
}

// plainEdge is an edge of the call graph. Roots have the caller −1.
type plainEdge struct{ caller, callee int }

// passedOf returns the calls of two forests that are passed through: those that are set aside though
// they call something, and unless levels are compared strictly, wrappers.
func passedOf(p *pair.Pair, xs, ys []*testtrace.Tree, strict bool) (passed [2]Calls) {
	n := plainCensus{passed: [2]map[plainEdge]bool{{}, {}}}
	off := offFunctions(p)
	mark := func(passes func(s, caller int, x *testtrace.Tree) bool) {
		for s, list := range [][]*testtrace.Tree{xs, ys} {
			all := testtrace.Number(list)
			var visit func(list []*testtrace.Tree, caller int)
			visit = func(list []*testtrace.Tree, caller int) {
				for _, x := range list {
					below := x.Fn
					if len(x.Below) > 0 && (off[x.Fn] || passes(s, caller, x)) {
						passed[s].add(int32(x.At), all)
						below = caller
					}
					visit(x.Below, below)
				}
			}
			visit(list, -1)
		}
	}
	mark(func(int, int, *testtrace.Tree) bool { return false })
	if strict {
		return passed
	}
	for s, list := range [][]*testtrace.Tree{xs, ys} {
		n.forest[s], n.called[s] = without(list, passed[s], off), map[int]int{}
		for _, x := range n.forest[s] {
			callsBelow(x, n.called[s])
		}
	}
	for range mostLevels {
		if !n.round() {
			break
		}
	}
	mark(func(s, caller int, x *testtrace.Tree) bool { return n.passed[s][plainEdge{caller, x.Fn}] })
	return passed
}

// each calls do for every call of side s, with the one that calls it once others are passed through.
func (n *plainCensus) each(s int, do func(caller int, x *testtrace.Tree)) {
	var visit func(list []*testtrace.Tree, caller, depth int)
	visit = func(list []*testtrace.Tree, caller, depth int) {
		for _, x := range list {
			if depth < mostLevels && n.passed[s][plainEdge{caller, x.Fn}] {
				visit(x.Below, caller, depth+1)
			} else {
				do(caller, x)
			}
		}
	}
	visit(n.forest[s], -1, 0)
	for _, x := range n.forest[s] {
		visitAll(x, func(x *testtrace.Tree) { visit(x.Below, x.Fn, 0) })
	}
}

func visitAll(x *testtrace.Tree, do func(x *testtrace.Tree)) {
	do(x)
	for _, k := range x.Below {
		visitAll(k, do)
	}
}

// round finds wrappers as calls are passed through so far, and reports whether there are any.
func (n *plainCensus) round() bool {
	for s := range n.calls {
		n.calls[s] = map[plainEdge]int{}
		n.each(s, func(caller int, x *testtrace.Tree) { n.calls[s][plainEdge{caller, x.Fn}]++ })
	}
	var found [2][]plainEdge
	for s := range n.calls {
		for e := range n.calls[s] {
			if n.isWrapper(s, e) {
				found[s] = append(found[s], e)
			}
		}
	}
	for s := range found {
		for _, e := range found[s] {
			n.passed[s][e] = true
		}
	}
	return len(found[0])+len(found[1]) > 0
}

func (n *plainCensus) isWrapper(s int, e plainEdge) bool {
	here, there := n.calls[s], n.calls[1-s]
	if there[e] > 0 || e.caller >= 0 && n.called[1-s][e.caller] == 0 {
		return false
	}
	calls, below := map[int]int{}, map[int]int{}
	var add func(list []*testtrace.Tree, depth int)
	add = func(list []*testtrace.Tree, depth int) {
		for _, x := range list {
			if depth < mostLevels && len(x.Below) > 0 && n.called[1-s][x.Fn] == 0 {
				add(x.Below, depth+1)
				continue
			}
			calls[x.Fn]++
			below[x.Fn] += x.Size
		}
	}
	n.each(s, func(caller int, x *testtrace.Tree) {
		if e == (plainEdge{caller, x.Fn}) {
			add(x.Below, 0)
		}
	})
	taken, all := new(big.Rat), new(big.Rat)
	for fn, k := range calls {
		c := plainEdge{e.caller, fn}
		lost := min(max(there[c]-here[c], 0), k)
		taken.Add(taken, big.NewRat(int64(below[fn]*lost), int64(k)))
		all.Add(all, big.NewRat(int64(below[fn]), 2))
	}
	return taken.Sign() > 0 && taken.Cmp(all) >= 0
}

// paired makes a pair of two forests, with equal times.
func paired(t testtrace.TB, xs, ys []*testtrace.Tree) *pair.Pair {
	return pairedOff(t, xs, ys, nil, 0)
}

// pairedOff makes a pair of two forests with times of a clock; functions below off are time without
// a processor.
func pairedOff(t testtrace.TB, xs, ys []*testtrace.Tree, clock func() testtrace.Clock,
	off int) *pair.Pair {
	a, b := testtrace.Record(t, clock, xs), testtrace.Record(t, clock, ys)
	return pair.New(offBelow(off, a), offBelow(off, b), pair.Rules{})
}

// offBelow makes the functions of a trace below off time without a processor.
func offBelow(off int, tr *trace.Trace) *trace.Trace {
	for k := range tr.Functions {
		for fn := range off {
			if tr.Functions[k].Name == testtrace.Name(fn) {
				tr.Functions[k].Off = trace.Switched
			}
		}
	}
	return tr
}

// offFunctions returns the numbers of the functions that are time without a processor.
func offFunctions(p *pair.Pair) map[int]bool {
	off := map[int]bool{}
	for _, tr := range []*trace.Trace{p.A, p.B} {
		for _, f := range tr.Functions {
			if f.OffCPU() {
				n, _ := strconv.Atoi(f.Name[1:])
				off[n] = true
			}
		}
	}
	return off
}
