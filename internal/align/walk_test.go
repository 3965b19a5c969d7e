package align

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
)

// plainWalk is virtual order from its definition: level by level, recursively.
func plainWalk(r *Result) (out []Node) {
	kids := func(s pair.Side, i int32) (list []int32) {
		r.Threads[s].Children(int(i), func(c int) bool {
			list = append(list, int32(c))
			return true
		})
		return list
	}
	var gap func(s pair.Side, i int32, parent int)
	gap = func(s pair.Side, i int32, parent int) {
		line := len(out)
		if s == pair.A {
			out = append(out, Node{GapB, i, None, parent})
		} else {
			out = append(out, Node{GapA, None, i, parent})
		}
		for _, k := range kids(s, i) {
			gap(s, k, line)
		}
	}
	var level func(xs, ys []int32, parent int)
	level = func(xs, ys []int32, parent int) {
		for len(xs)+len(ys) > 0 {
			for ; len(xs) > 0 && r.Partner[pair.A][xs[0]] == None; xs = xs[1:] {
				gap(pair.A, xs[0], parent)
			}
			for ; len(ys) > 0 && r.Partner[pair.B][ys[0]] == None; ys = ys[1:] {
				gap(pair.B, ys[0], parent)
			}
			if len(xs) == 0 || len(ys) == 0 {
				continue
			}
			a, b := xs[0], ys[0]
			state := Different
			if r.ID(pair.A, int(a)) == r.ID(pair.B, int(b)) {
				state = Equal
			}
			line := len(out)
			out = append(out, Node{state, a, b, parent})
			level(kids(pair.A, a), kids(pair.B, b), line)
			xs, ys = xs[1:], ys[1:]
		}
	}
	level(kids(pair.A, None), kids(pair.B, None), -1)
	return out
}

func TestWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := someVirtual(t).Result
		got := slices.Collect(r.Walk)
		if want := plainWalk(r); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
		var met [2][]int
		for s := range met {
			met[s] = make([]int, r.Threads[s].Len())
		}
		for line, n := range got {
			if n.Parent >= line {
				t.Fatalf("line %d: parent %d", line, n.Parent)
			}
			for s, i := range [2]int32{n.A, n.B} {
				if i != None {
					met[s][i]++
					if r.StateOf(pair.Side(s), int(i)) != n.State {
						t.Fatalf("%v: %v", n, r.StateOf(pair.Side(s), int(i)))
					}
				}
			}
		}
		for s := range met {
			for i, n := range met[s] {
				if n != 1 {
					t.Fatalf("call %d of %v: met %d times", i, pair.Side(s), n)
				}
			}
		}
		if len(got) > 0 {
			few := rapid.IntRange(1, len(got)).Draw(t, "few")
			n := 0
			for range r.Walk {
				if n++; n == few {
					break
				}
			}
		}
	})
}
