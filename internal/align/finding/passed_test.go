package finding

import (
	"strings"
	"testing"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// TestLevelThatOneSideHas passes through a level that only one side calls between two others: its own
// time is told, and neither its callees nor its caller.
func TestLevelThatOneSideHas(t *testing.T) {
	const n = 12
	inner := f("inner", 300, f("leaf", 100))
	with := among("main", again(n, f("outer", 200, f("level", 50, inner))))
	without := among("main", again(n, f("outer", 200, inner)))
	for name, c := range map[string]struct {
		a, b *call
		kind Kind
		says string
	}{
		"in A": {with, without, Missing, "level is a level between outer and inner that only A has: " +
			"12 calls, −600 ns by themselves."},
		"in B": {without, with, New, "level is a level between outer and inner that only B has: " +
			"12 calls, +600 ns by themselves."},
	} {
		t.Run(name, func(t *testing.T) {
			p := pair.New(recorded(t, nil, c.a), recorded(t, nil, c.b), pair.Rules{})
			r := passedThrough(p, n, pair.Side(bit(c.kind == New)))
			found, err := Find(t.Context(), p, []*align.Result{r}, Options{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := only(t, found, c.kind); got.Text != c.says || got.Function != "level" {
				t.Errorf("found %+v", got)
			}
			for _, o := range found.Findings {
				if o.Kind != Divergence && o.Kind != c.kind {
					t.Errorf("told as well: %s", o.Text)
				}
			}
		})
	}
}

// passedThrough aligns n calls of outer, level, inner and leaf on side sd with outer, inner and leaf
// on the other.
func passedThrough(p *pair.Pair, n int, sd pair.Side) *align.Result {
	r := &align.Result{Pair: p, Engine: "by hand"}
	r.Threads[pair.A], r.Threads[pair.B] = p.A.Threads[0], p.B.Threads[0]
	for s := range r.Partner {
		r.Partner[s] = make([]int32, r.Threads[s].Len())
	}
	pairUp := func(i, j int) {
		r.Partner[sd][i], r.Partner[sd.Other()][j] = int32(j), int32(i)
	}
	pairUp(0, 0)
	r.Passed[sd] = make(align.Calls, 1)
	for k := range n {
		i, j := 1+4*k, 1+3*k
		pairUp(i, j)
		r.Partner[sd][i+1] = align.None
		r.Passed[sd][0] |= 1 << (i + 1)
		pairUp(i+2, j+1)
		pairUp(i+3, j+2)
	}
	return r
}

// TestCalleesOfLevels holds what is on a level against what it is by definition.
func TestCalleesOfLevels(t *testing.T) {
	level := f("level", 1, f("b", 1, f("c", 1)), f("d", 1))
	tr := recorded(t, nil, f("main", 1, f("a", 1), level, f("e", 1)))
	p := pair.New(tr, tr, pair.Rules{})
	r := &align.Result{Pair: p, Threads: [2]*trace.Thread{tr.Threads[0], tr.Threads[0]}}
	r.Partner[pair.A] = []int32{0, 1, align.None, 2, 3, 4, 5}
	r.Passed[pair.A] = align.Calls{1 << 2}
	var names []string
	eachCallee(r, pair.A, 0, func(i int32) {
		names = append(names, p.Names[r.ID(pair.A, int(i))])
	})
	if got := strings.Join(names, " "); got != "a level b d e" {
		t.Errorf("main's level has %s", got)
	}
	if caller(r, pair.A, 3) != 0 || caller(r, pair.A, 4) != 3 || caller(r, pair.A, 0) != align.None {
		t.Error("callers")
	}
}
