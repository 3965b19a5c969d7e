package align

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
)

// plainWalk is virtual order from its definition, level by level, recursively, without the calls
// that are passed through.
func plainWalk(r *Result) (out []Node) {
	var kids func(s pair.Side, i int32) []int32
	kids = func(s pair.Side, i int32) (list []int32) {
		r.Threads[s].Children(int(i), func(c int) bool {
			if r.Passed[s].Has(int32(c)) {
				list = append(list, kids(s, int32(c))...)
			} else {
				list = append(list, int32(c))
			}
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
		if seen, want := unpassed(r, got), plainWalk(r); !slices.Equal(seen, want) {
			t.Fatalf("%v, want %v", seen, want)
		}
		checkPassed(t, r, got)
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

// unpassed returns a walk without the calls that are passed through.
func unpassed(r *Result, walk []Node) (out []Node) {
	line := make([]int, len(walk))
	for k, n := range walk {
		if passes(r, n) {
			line[k] = -1
			if n.Parent >= 0 {
				line[k] = line[n.Parent]
			}
			continue
		}
		if line[k] = len(out); n.Parent >= 0 {
			n.Parent = line[n.Parent]
		}
		out = append(out, n)
	}
	return out
}

func passes(r *Result, n Node) bool {
	return n.A != None && r.Passed[pair.A].Has(n.A) || n.B != None && r.Passed[pair.B].Has(n.B)
}

// checkPassed holds that a call that is passed through comes right before its first callee, that
// the callees of such a call lie in it unless it ends with one of the other side, and that of its
// own side nothing else does.
func checkPassed(t *rapid.T, r *Result, walk []Node) {
	within := func(line, node int) bool {
		for line >= 0 && line != node {
			line = walk[line].Parent
		}
		return line == node
	}
	for _, n := range walk {
		if n.Parent < 0 || !passes(r, walk[n.Parent]) {
			continue
		}
		around := [2]int32{walk[n.Parent].A, walk[n.Parent].B}
		for s, i := range [2]int32{n.A, n.B} {
			if i != None && around[s] != None && int(i) >= r.Threads[s].Next(int(around[s])) {
				t.Fatalf("%v lies in %v, which does not call it", n, walk[n.Parent])
			}
		}
	}
	lines := [2]map[int32]int{{}, {}}
	for k, n := range walk {
		for s, i := range [2]int32{n.A, n.B} {
			if i != None {
				lines[s][i] = k
			}
		}
	}
	for s, th := range r.Threads {
		for i := range int32(th.Len()) {
			up := th.Parent(int(i))
			if up == None || !r.Passed[s].Has(up) || within(lines[s][i], lines[s][up]) {
				continue
			}
			cut := false
			for k := walk[lines[s][up]].Parent; k >= 0 && passes(r, walk[k]); k = walk[k].Parent {
				cut = cut || !within(lines[s][i], k)
			}
			if !cut {
				t.Fatalf("call %d of %v is not in the line of its caller %d", i, pair.Side(s), up)
			}
		}
	}
}
