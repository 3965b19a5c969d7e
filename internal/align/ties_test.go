package align

import (
	"slices"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// lasting makes a thread that calls main, and below it functions one after the other that take so
// many ms each; each function calls what leaf says.
func lasting(t testing.TB, name string, leaf string, took ...int64) *trace.Trace {
	var now int64
	list := []said{{"main", 0, 0}}
	for _, length := range took {
		list = append(list, said{name, now, now + length})
		if leaf != "" {
			list = append(list, said{leaf, now, now + length})
		}
		now += length + 1
	}
	list[0].end = now
	return told(t, list...)
}

// partnersOf returns the partners in B of A's calls of a function, as numbers of such calls.
func partnersOf(r *Result, name string) (numbers []int32) {
	var of [2][]int32
	for s, th := range r.Threads {
		for i := range int32(th.Len()) {
			if r.Pair.Names[r.ID(pair.Side(s), int(i))] == name {
				of[s] = append(of[s], i)
			}
		}
	}
	for _, i := range of[pair.A] {
		numbers = append(numbers, int32(slices.Index(of[pair.B], r.Partner[pair.A][i])))
	}
	return numbers
}

// TestTimesDecide holds which of several identical calls are paired: those that agree in time.
func TestTimesDecide(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b []int64
		want []int32 // by call of A
	}{
		{"the long one is gone", []int64{11, 400, 12}, []int64{10, 10}, []int32{0, None, 1}},
		{"B takes a little longer", []int64{11, 400, 12}, []int64{10, 13}, []int32{0, None, 1}},
		{"B's machine is slower", []int64{10, 400, 10}, []int64{30, 30}, []int32{0, None, 1}},
		{"the long one stays, faster", []int64{10, 400, 10}, []int64{10, 200}, []int32{0, 1, None}},
		{"only the long one is left", []int64{10, 10, 400}, []int64{380}, []int32{None, None, 0}},
		{"a long one is new", []int64{10, 10}, []int64{9, 400, 10}, []int32{0, 2}},
		{"nothing to choose by", []int64{5, 5, 5}, []int64{5, 5}, []int32{0, 1, None}},
	} {
		for _, leaf := range []string{"", "sweep"} {
			p := pair.New(lasting(t, "gc", leaf, c.a...), lasting(t, "gc", leaf, c.b...), pair.Rules{})
			for e := range engines {
				r := aligned(t, p, Options{Engine: e})
				if got := partnersOf(r, "gc"); !slices.Equal(got, c.want) {
					t.Errorf("%s, %v, leaf %q: %v, want %v", c.name, e, leaf, got, c.want)
				}
			}
			if got := partnersOf(aligned(t, p, Options{TieCells: 1}), "gc"); len(c.a) > len(c.b) &&
				got[0] != 0 {
				t.Errorf("%s, beyond the budget: %v, want the first", c.name, got)
			}
		}
	}
}

// TestTimesDecideOnLargeLevels holds the same where a level is aligned in a band and where its
// pocket is too large to be kept.
func TestTimesDecideOnLargeLevels(t *testing.T) {
	for _, n := range []int{40, 200, 900} {
		var a, b []int64
		for k := range n {
			length := int64(1000 + k*37%100)
			if k == n/3 {
				a = append(a, 40_000)
				continue
			}
			a, b = append(a, length), append(b, length+int64(k*53%90))
		}
		p := pair.New(lasting(t, "gc", "", a...), lasting(t, "gc", "", b...), pair.Rules{})
		r := aligned(t, p, Options{})
		if got := partnersOf(r, "gc"); got[n/3] != None || r.Ties.OverBudget > 0 {
			t.Errorf("of %d, call %d has partner %d; %+v", n, n/3, got[n/3], r.Ties)
		}
	}
}

// TestTimesDecideEachTime holds that calls of equal classes are aligned each by its own times.
func TestTimesDecideEachTime(t *testing.T) {
	var sides [2][]said
	for s, took := range [2][][]int64{{{9, 1, 1}, {1, 9, 1}, {1, 1, 9}}, {{1, 1}, {1, 1}, {1, 1}}} {
		now := int64(0)
		for _, list := range took {
			sides[s] = append(sides[s], said{"round", now, now + 100})
			for k, length := range list {
				at := now + 20*int64(k)
				sides[s] = append(sides[s], said{"gc", at, at + length})
			}
			now += 100
		}
	}
	p := pair.New(told(t, sides[0]...), told(t, sides[1]...), pair.Rules{})
	want := []int32{None, 0, 1, 2, None, 3, 4, 5, None}
	for e := range engines {
		if got := partnersOf(aligned(t, p, Options{Engine: e}), "gc"); !slices.Equal(got, want) {
			t.Errorf("%v: %v, want %v", e, got, want)
		}
	}
}

// TestEventLoop holds that turns of a loop, all of one function, are paired by what they do.
func TestEventLoop(t *testing.T) {
	type tree = testtrace.Tree
	const run, timer, layout, paint = 0, 1, 2, 3
	turn := func(fns ...int) *tree {
		x := &tree{Fn: run}
		for _, fn := range fns {
			x.Below = append(x.Below, &tree{Fn: fn})
		}
		return x
	}
	a := []*tree{turn(timer), turn(timer, timer), turn(layout, paint, paint), turn(timer)}
	b := []*tree{turn(layout, paint), turn(timer, timer, timer)}
	p := paired(t, a, b)
	for e := range engines {
		r := aligned(t, p, Options{Engine: e})
		if got := partnersOf(r, testtrace.Name(layout)); !slices.Equal(got, []int32{0}) {
			t.Errorf("%v: %v", e, r.Partner[pair.A])
		}
		if m := r.Metrics(); m.Equal != 5 {
			t.Errorf("%v: %+v", e, m)
		}
	}
}

// TestDifferentPairsMeetByWhatTheyCall holds that a call whose function has another name in B is
// paired with the one that calls the same, and not with a new one beside it.
func TestDifferentPairsMeetByWhatTheyCall(t *testing.T) {
	type tree = testtrace.Tree
	const old, renamed, added, check, lex, next = 0, 1, 2, 3, 4, 5
	calling := func(fn int, below ...*tree) *tree { return &tree{Fn: fn, Below: below} }
	work := func() []*tree { return []*tree{calling(lex), calling(lex, calling(next))} }
	for _, c := range []struct {
		name  string
		b     []*tree
		equal int64
	}{
		{"new call in front", []*tree{calling(added, calling(check)), calling(renamed, work()...)}, 3},
		{"new call behind", []*tree{calling(renamed, work()...), calling(added, calling(check))}, 3},
		{"new call without callees", []*tree{calling(added), calling(renamed, work()...)}, 3},
		{"what was called is left", []*tree{calling(check), calling(lex)}, 0},
	} {
		p := paired(t, []*tree{calling(old, work()...)}, c.b)
		for e := range engines {
			r := aligned(t, p, Options{Engine: e, Strict: true})
			if m := r.Metrics(); m.Equal != c.equal || m.Different != 1 {
				t.Errorf("%s, %v: %+v; %v", c.name, e, m, r.Partner[pair.A])
			}
			if c.equal == 0 && r.Partner[pair.A][0] != 1 {
				t.Errorf("%s, %v: paired with %d, not with the function that it called", c.name, e,
					r.Partner[pair.A][0])
			}
		}
	}
}

// TestCommon holds the calls in common against counting both subtrees.
func TestCommon(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want uint32
	}{
		{"g g h", "g h h i", 3}, {"", "g", 1}, {"g", "g", 2}, {"x y", "z", 1},
	} {
		x := &testtrace.Tree{Fn: 30, Below: testtrace.Flat(c.a)}
		y := &testtrace.Tree{Fn: 30, Below: testtrace.Flat(c.b)}
		p := paired(t, []*testtrace.Tree{x}, []*testtrace.Tree{y})
		w := newWork(p, []pair.ThreadPair{{}}, Options{}, progress.NewMeter(nil, 0))
		if err := w.classify(t.Context()); err != nil {
			t.Fatal(err)
		}
		count := newTallies(w.c.classTable).newCounter()
		if got := count.common(w.c.callees(w.c.root[0][0])[0], w.c.callees(w.c.root[1][0])[0]); got != c.want {
			t.Errorf("%q and %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
