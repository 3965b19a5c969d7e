package synth

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

var smallProgram = newProgram(Options{Calls: 20_000, Threads: 4, Functions: 300, Seed: 9})

// grown draws a forest of about n calls.
func grown(t *rapid.T, n int, limit allowance) []node {
	g := &grower{prog: smallProgram, limit: limit, left: n,
		dice: newDice(rapid.Uint64().Draw(t, "seed"), streamThread)}
	for g.left > 0 {
		level := smallProgram.byLevel[g.dice.below(4)]
		fn := level[g.dice.below(len(level))]
		if !g.call(fn, smallProgram.functions[fn].object, 0) {
			t.Fatalf("no room with %d calls left", g.left)
		}
	}
	if limit.limited && g.limit.held {
		t.Fatal("a section is still open")
	}
	if got := len(g.forest) + 2*g.limit.left; got != n+2*limit.left {
		t.Fatalf("%d calls and %d sections that are left, of %d calls and %d sections",
			len(g.forest), g.limit.left, n, limit.left)
	}
	return g.forest
}

// wellFormed checks depth, size and callees of all calls of a forest.
func wellFormed(forest []node) error {
	var open []int // calls around, outermost first
	kids := make([]uint32, len(forest))
	for i, n := range forest {
		for len(open) > 0 && open[len(open)-1]+int(forest[open[len(open)-1]].size) <= i {
			open = open[:len(open)-1]
		}
		if int(n.depth) != len(open) {
			return fmt.Errorf("call %d is at depth %d, with %d calls around it", i, n.depth, len(open))
		}
		end := len(forest)
		if len(open) > 0 {
			up := open[len(open)-1]
			kids[up]++
			end = up + int(forest[up].size)
		}
		if n.size < 1 || i+int(n.size) > end {
			return fmt.Errorf("call %d has %d calls, and its caller ends at %d", i, n.size, end)
		}
		open = append(open, i)
	}
	for i, n := range forest {
		if n.kids != kids[i] {
			return fmt.Errorf("call %d says it has %d callees, and has %d", i, n.kids, kids[i])
		}
	}
	return nil
}

// sectionsOf returns the operations on mutexes and pools of a forest, and an error if a section is
// left open or given back without being taken.
func sectionsOf(forest []node) (ops []node, err error) {
	held := map[uint32]bool{}
	for _, n := range forest {
		o := opOf(n.fn)
		if !o.syncs() {
			continue
		}
		take := o == opLock || o == opSemWait
		if held[n.object] == take {
			return nil, fmt.Errorf("operation %d of object %d, held: %v", o, n.object, !take)
		}
		held[n.object] = take
		ops = append(ops, n)
	}
	for object, still := range held {
		if still {
			return nil, fmt.Errorf("object %d is never given back", object)
		}
	}
	return ops, nil
}

func TestForestsAreWellFormed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		forest := grown(t, rapid.IntRange(1, 3000).Draw(t, "calls"), allowance{})
		if err := wellFormed(forest); err != nil {
			t.Fatal(err)
		}
		if _, err := sectionsOf(forest); err != nil {
			t.Fatal(err)
		}
		for _, n := range forest {
			if n.depth > maxDepth+2 {
				t.Fatalf("a call is at depth %d", n.depth)
			}
			if n.self == 0 {
				t.Fatal("a call takes no time")
			}
		}
	})
}

// TestSectionsAreRationed: with an allowance there are never more sections than it has, none within
// another, and calls and sections together fill the room exactly (checked in grown).
func TestSectionsAreRationed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		calls := rapid.IntRange(100, 3000).Draw(t, "calls")
		n := rapid.IntRange(0, calls/20).Draw(t, "sections")
		forest := grown(t, calls, allowance{limited: true, left: n, sections: n, calls: calls})
		ops, err := sectionsOf(forest)
		if err != nil {
			t.Fatal(err)
		}
		if len(ops) > 2*n {
			t.Fatalf("%d sections, %d are allowed", len(ops)/2, n)
		}
		for k, o := range ops {
			if takes := opOf(o.fn) == opLock || opOf(o.fn) == opSemWait; takes != (k%2 == 0) {
				t.Fatalf("operation %d lies within another section", k)
			}
		}
	})
}

func TestCloseNodeCountsCallees(t *testing.T) {
	// 0( 1( 2 3 ) 4( 5 ) 6 )
	forest := make([]node, 7)
	for i, size := range []uint32{1, 3, 1, 1, 2, 1, 1} {
		forest[i].size = size
	}
	closeNode(forest, 0)
	if forest[0].size != 7 || forest[0].kids != 3 {
		t.Errorf("size %d, %d callees, want 7 and 3", forest[0].size, forest[0].kids)
	}
}

// someEdits draws an editor of one thread that writes what it does to a buffer.
func someEdits(t *rapid.T) (*editor, *bytes.Buffer) {
	o := Options{Functions: len(smallProgram.functions), Edits: map[Kind]float64{},
		Seed: rapid.Uint64().Draw(t, "seed of edits")}
	for k := range Contend {
		o.Edits[k] = rapid.SampledFrom([]float64{0, .01, .1}).Draw(t, k.String())
	}
	o.Edits[Contend] = rapid.SampledFrom([]float64{0, .5}).Draw(t, "contend")
	var file bytes.Buffer
	names := smallProgram.names()
	w := &truthWriter{w: bufio.NewWriter(&file), names: names, other: names,
		called: make([]int64, len(names)), counts: map[Kind]int{}}
	return newEditor(&side{prog: smallProgram, truth: w}, o, 2), &file
}

// TestEditedForestsAddUp: an edited forest is well formed, its sections are as before, and the edits
// account for every call and every ns by which it differs.
func TestEditedForestsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, _ := someEdits(t)
		in := grown(t, rapid.IntRange(1, 2000).Draw(t, "calls"), allowance{})
		before := slices.Clone(in)
		out := e.forest(in)
		if !slices.Equal(in, before) {
			t.Fatal("the forest of side A has changed")
		}
		if err := wellFormed(out); err != nil {
			t.Fatal(err)
		}
		calls, ns := 0, int64(0)
		for _, c := range e.edits {
			ns += c.delta
			switch c.kind {
			case Insert:
				calls += c.size
			case Delete:
				calls -= c.size
			case Repeat:
				calls += c.times * c.size
			}
		}
		if len(out)-len(in) != calls || e.a != len(in) || e.b != len(out) {
			t.Fatalf("from %d to %d calls, the edits say %d", len(in), len(out), calls)
		}
		if got := selfTime(out) - selfTime(in); got != ns {
			t.Fatalf("%d ns more, the edits say %d", got, ns)
		}
		if _, err := sectionsOf(out); err != nil {
			t.Fatal(err)
		}
	})
}

// TestEditsAreWrittenAsJSON: each edit is one object with its place on both sides.
func TestEditsAreWrittenAsJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, file := someEdits(t)
		in := grown(t, 300, allowance{})
		e.forest(in)
		e.truth.w.Flush()
		var edits []Edit
		if err := json.Unmarshal(fmt.Appendf(nil, "[%s]", file), &edits); err != nil {
			t.Fatalf("%v in %s", err, file)
		}
		if len(edits) != len(e.edits) {
			t.Fatalf("%d edits are written, %d were made", len(edits), len(e.edits))
		}
		for i, c := range e.edits {
			w := edits[i]
			switch {
			case w.Kind != c.kind || *w.Thread != tid(2) || w.DeltaNs != c.delta || w.Size != c.size:
				t.Fatalf("%+v is written as %+v", c, w)
			case (w.A == nil) != (c.kind == Insert) || (w.B == nil) != (c.kind == Delete):
				t.Fatalf("%v: has place A: %v, B: %v", c.kind, w.A != nil, w.B != nil)
			case w.A != nil && smallProgram.functions[in[*w.A].fn].name != w.From:
				t.Fatalf("%v says that call %d is of %s", c.kind, *w.A, w.From)
			}
		}
	})
}

// TestSplitMutexes: each thread takes one part, by the rest of its id, and nothing but mutexes is
// split.
func TestSplitMutexes(t *testing.T) {
	o := Options{Calls: 20_000, Threads: 4, Functions: 300, Seed: 9, Edits: map[Kind]float64{Shard: .5}}
	s, more := splitSome(smallProgram, o)
	if len(s) == 0 {
		t.Fatal("none is split")
	}
	objects := smallProgram.objects
	taken := map[uint32]bool{}
	for object, p := range s {
		if !objects.isMutex(object) || p.parts < 2 || p.parts > maxParts {
			t.Errorf("object %d, mutex: %v, is split into %d", object, objects.isMutex(object), p.parts)
		}
		for thread := range 2 * maxParts {
			part := s.partFor(object, thread)
			want := object
			if k := tid(thread) % p.parts; k > 0 {
				want = p.first + uint32(k) - 1
			}
			if part != want {
				t.Errorf("thread %d takes %d for %d, want %d", thread, part, object, want)
			}
			if part != object {
				taken[part] = true
			}
		}
	}
	if len(taken) != more {
		t.Errorf("%d new objects are taken, there are %d", len(taken), more)
	}
	for object := range uint32(objects.count()) {
		if _, split := s[object]; !split && s.partFor(object, 3) != object {
			t.Errorf("object %d is not split, and another is taken for it", object)
		}
	}
	if none, more := splitSome(smallProgram, Options{}); none != nil || more != 0 {
		t.Errorf("without a rate %d are split", len(none))
	}
}
