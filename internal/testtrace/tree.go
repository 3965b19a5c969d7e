package testtrace

import (
	"math/rand/v2"
	"strconv"
	"strings"

	"diptych/internal/trace"
)

// Tree is a call without times, and what it calls. The functions of this file recurse, so a tree
// may be some thousand calls deep, not more.
type Tree struct {
	Fn    int // a small number; Name says how the function is called
	Below []*Tree

	// Set by Number.
	At   int    // index in pre-order
	Size int    // calls in the subtree, this one included
	Text string // spells the subtree: two subtrees are identical if and only if their texts are
}

// Name returns the name of a Tree's function in a trace.
func Name(fn int) string { return "f" + strconv.Itoa(fn) }

// Flat spells calls without callees, one letter a function: "a c b" calls functions 0, 2 and 1.
func Flat(text string) (list []*Tree) {
	for _, c := range strings.ReplaceAll(text, " ", "") {
		list = append(list, &Tree{Fn: int(c - 'a')})
	}
	return list
}

// Grow makes a forest of n calls of an alphabet of functions. The nearer deep is to 1, the deeper
// it is: 0 gives calls without callees. One call in three repeats the function before it, as loops
// do.
func Grow(r *rand.Rand, n, alphabet int, deep float64) []*Tree {
	root := &Tree{}
	stack := []*Tree{root}
	for range n {
		for len(stack) > 1 && r.Float64() > deep {
			stack = stack[:len(stack)-1]
		}
		top := stack[len(stack)-1]
		x := &Tree{Fn: r.IntN(alphabet)}
		if k := len(top.Below); k > 0 && r.IntN(3) == 0 {
			x.Fn = top.Below[k-1].Fn
		}
		top.Below = append(top.Below, x)
		stack = append(stack, x)
	}
	return root.Below
}

// Edit copies a forest. At the given rate calls are dropped, doubled, added, renamed, exchanged
// with the call before, or replaced by their callees.
func Edit(r *rand.Rand, list []*Tree, alphabet int, rate float64) (out []*Tree) {
	for _, x := range list {
		y := &Tree{Fn: x.Fn, Below: Edit(r, x.Below, alphabet, rate)}
		out = append(out, y)
		if r.Float64() >= rate {
			continue
		}
		switch k := len(out) - 1; r.IntN(6) {
		case 0:
			out = out[:k]
		case 1:
			out = append(out, y.Copy())
		case 2:
			out = append(out, &Tree{Fn: r.IntN(alphabet)})
		case 3:
			y.Fn = r.IntN(alphabet)
		case 4:
			if k > 0 {
				out[k], out[k-1] = out[k-1], out[k]
			}
		case 5:
			out = append(out[:k], y.Below...)
		}
	}
	return out
}

// Copy returns a copy that shares nothing with x.
func (x *Tree) Copy() *Tree {
	y := &Tree{Fn: x.Fn}
	for _, k := range x.Below {
		y.Below = append(y.Below, k.Copy())
	}
	return y
}

// Number sets what is derived from the trees of a forest, and returns the number of calls.
func Number(list []*Tree) int {
	n := 0
	var visit func(list []*Tree)
	visit = func(list []*Tree) {
		for _, x := range list {
			x.At = n
			n++
			visit(x.Below)
			x.Spell()
		}
	}
	visit(list)
	return n
}

// Spell sets the size and the text of a tree whose callees have theirs.
func (x *Tree) Spell() {
	x.Size = 1
	text := append(strconv.AppendInt(nil, int64(x.Fn), 10), '(')
	for _, k := range x.Below {
		x.Size += k.Size
		text = append(text, k.Text...)
	}
	x.Text = string(append(text, ')'))
}

// Clock returns the time of the next record, ns.
type Clock func() int64

// Ticking returns a clock that goes on by 1 ns a record.
func Ticking() Clock {
	now := int64(0)
	return func() int64 {
		now++
		return now
	}
}

// Halting returns a clock that often stands still: equal times and calls without length are many.
func Halting(r *rand.Rand) Clock {
	now := int64(r.IntN(50))
	return func() int64 {
		if r.IntN(3) > 0 {
			now += int64(r.IntN(20))
		}
		return now
	}
}

// Record makes a trace of forests, a thread each. Each thread's times come from a clock of its own;
// a nil clock stands for Ticking.
func Record(t TB, clock func() Clock, forests ...[]*Tree) *trace.Trace {
	t.Helper()
	if clock == nil {
		clock = Ticking
	}
	b := trace.NewBuilder("test")
	ids := map[int]trace.FuncID{}
	for k, list := range forests {
		th, now := b.Thread(strconv.Itoa(k), -1), clock()
		var visit func(list []*Tree)
		visit = func(list []*Tree) {
			for _, x := range list {
				id, ok := ids[x.Fn]
				if !ok {
					id = b.Function(trace.Function{Name: Name(x.Fn)})
					ids[x.Fn] = id
				}
				th.Begin(now(), id)
				visit(x.Below)
				th.End(now())
			}
		}
		visit(list)
	}
	return Build(t, b)
}
