package threads

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/wait"
)

// said writes which threads the sections of a side have.
func said(sections []Section) string {
	var out []string
	for _, s := range sections {
		out = append(out, strings.Trim(fmt.Sprint(s.Threads), "[]"))
	}
	return strings.Join(out, " | ")
}

func TestArrange(t *testing.T) {
	a := parse(t, `
thread 1 name=main
  0+100 main
    10+1 post release=0xa
    60+1 post release=0xa
thread 2 name=pool
  1+90 run
    5+6 wait wait=0xa
thread 3 name=pool
  2+90 run
    55+6 wait wait=0xa
thread 4 name=pool
  3+90 run
    56+8 wait wait=0xa
thread 5 name=alone
  4+90 run
`)
	b := parse(t, `
thread 1 name=main
  0+100 main
    10+1 post release=0xa
thread 2 name=pool
  1+90 run
    5+6 wait wait=0xa
thread 3 name=alone
  4+90 run
    5+6 wait wait=0xa
`)
	both := pair.New(a.Trace, b.Trace, pair.Rules{})
	for k, l := range [][2]int{{0, 0}, {1, 1}, {2, -1}, {3, -1}, {4, 2}} {
		if both.Threads[k] != (pair.ThreadPair{A: l[0], B: l[1]}) {
			t.Fatalf("line %d is %v", k, both.Threads[k])
		}
	}
	one, two := alone(t, a), prepare(t, both, a, b)
	tests := []struct {
		name   string
		p      *Prepared
		o      Options
		want   [2]string
		folded string
	}{
		{"idle on one side", one, Options{}, [2]string{"1 | 2 | 3", " |  | "},
			"1 thread without waits folded"},
		{"idle threads too", one, Options{Idle: true}, [2]string{"1 | 2 | 3 | 4", " |  |  | "}, ""},
		{"idle threads that are hidden", one, Options{Hidden: map[int]bool{4: true, 1: true}},
			[2]string{"2 | 3", " | "}, "2 hidden"},
		{"an idle thread in the middle", one, Options{Focus: 4},
			[2]string{"0 | 1 | 2 | 3", " |  |  | "}, ""},
		{"not idle on the other side", two, Options{}, [2]string{"1 | 2 | 3 | 4", "1 |  |  | 2"}, ""},
		{"hidden", two, Options{Hidden: map[int]bool{2: true, 4: true}},
			[2]string{"1 | 3", "1 | "}, "2 hidden"},
		{"another focus and order", two, Options{Focus: 4, Order: []int{3, 1, 9, 3}},
			[2]string{"3 | 1 | 0 | 2", " | 1 | 0 | "}, ""},
		{"roles fold", two, Options{Most: 3}, [2]string{"1 2 3 | 4", "1 | 2"}, ""},
		{"but not those that were spread", two,
			Options{Most: 3, Spread: map[string]bool{"pool": true}},
			[2]string{"1 | 2 | 3 | 4", "1 |  |  | 2"}, ""},
		{"nothing known", nil, Options{}, [2]string{"", ""}, ""},
	}
	for _, c := range tests {
		r := Arrange(c.p, c.o)
		got := [2]string{said(r.Sections[0]), said(r.Sections[1])}
		if got != c.want || r.Folded[0].String() != c.folded {
			t.Errorf("%s: %q %q, want %q %q", c.name, got, r.Folded[0], c.want, c.folded)
		}
	}
	r := Arrange(two, Options{Most: 3, Wide: map[int]bool{2: true}})
	if s := r.Sections[0][0]; s.Label != "×3" || s.Weight != wideWeight || !s.Bar {
		t.Errorf("%+v", s)
	}
}

// TestFoldedKinds: threads of the runtime have no section though they wait, but for one that let a
// thread of the program go on; tracks and the runtime's threads are not called idle.
func TestFoldedKinds(t *testing.T) {
	p := alone(t, parse(t, `
thread 1 name=main
  0+100 main
    10+20 recv wait=c
    40+20 recv wait=d
thread 2 name=worker
  0+90 run
    12+1 send release=c
thread 3 name=runtime.sweep runtime
  0+90 run
    5+10 blocked wait=e
thread 4 name=runtime.gc runtime
  0+90 run
    14+1 unblock release=e
thread 5 name=runtime.timer runtime
  0+90 run
    50+1 unblock release=d
thread 6 name=task async
  0+90 task
thread 7 name=task async
  0+90 task
thread 8 name=spare
  0+90 run
correspond 1:2 5:1 at=50`))
	r := Arrange(p, Options{})
	want := "1 thread without waits, 2 of the runtime, 2 tracks folded"
	if got := said(r.Sections[0]); got != "1 | 4" || r.Folded[0].String() != want {
		t.Errorf("sections %s, %q, want 1 | 4, %q", got, r.Folded[0], want)
	}
	for focus, want := range map[int]string{2: "1 thread without waits, 1 of the runtime, 2 tracks folded",
		5: "1 thread without waits, 2 of the runtime, 1 track folded", 7: "2 threads of the runtime, 2 tracks folded"} {
		if got := Arrange(p, Options{Focus: focus}).Folded[0].String(); got != want {
			t.Errorf("with thread %d in the middle: %q, want %q", focus, got, want)
		}
	}
	r = Arrange(p, Options{Idle: true, Hidden: map[int]bool{5: true}})
	if got := said(r.Sections[0]); got != "1 | 2 | 3 | 4 | 6 | 7" || r.Folded[0].String() != "1 hidden" {
		t.Errorf("all: sections %s, %q", got, r.Folded[0])
	}
}

// TestColoursStay: whatever is in the middle, hidden or elsewhere, a thread has the colour that it
// has at first, and so has each role; at first no two neighbours are alike. Both sides show the
// stacks of the same pair of threads of a role, if there is a pair.
func TestColoursStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		as := [2]*wait.Analysis{someTrace(t), someTrace(t)}
		p := pair.New(as[0].Trace, as[1].Trace, pair.Rules{})
		if len(p.Threads) == 0 {
			return
		}
		ready := prepare(t, p, as[:]...)
		first := Arrange(ready, Options{Focus: -1})
		for k := 1; k < len(first.Lines); k++ {
			d := math.Remainder(first.Sections[0][k].Hue-first.Sections[0][k-1].Hue, 360)
			if math.Abs(d) < 36 {
				t.Fatalf("sections %d and %d have hues %v apart", k-1, k, d)
			}
		}
		one, role := map[int]float64{}, map[string]float64{}
		for range 3 {
			o := Options{Focus: rapid.IntRange(-1, len(p.Threads)-1).Draw(t, "focus"),
				Idle: rapid.Bool().Draw(t, "idle"), Most: rapid.IntRange(1, 9).Draw(t, "most"),
				Order:  []int{rapid.IntRange(0, len(p.Threads)-1).Draw(t, "order")},
				Hidden: map[int]bool{rapid.IntRange(0, len(p.Threads)-1).Draw(t, "hidden"): true}}
			r := Arrange(ready, o)
			for k, lines := range r.Lines {
				hue := r.Sections[1][k].Hue
				if len(lines) > 1 {
					same(t, role, ready.RoleOf(lines[0]), hue)
					alike(t, p, &r, k)
				} else {
					same(t, one, lines[0], hue)
				}
			}
			if o.Focus >= 0 {
				same(t, one, o.Focus, r.Focus[0].Hue)
			}
		}
	})
}

// same holds that a key has one value.
func same[K comparable](t *rapid.T, m map[K]float64, k K, v float64) {
	if have, ok := m[k]; ok && have != v {
		t.Fatalf("%v has hue %v and hue %v", k, have, v)
	}
	m[k] = v
}

// alike holds that both sides of a section show a pair of threads, if it has one.
func alike(t *rapid.T, p *pair.Pair, r *Arrangement, k int) {
	for _, line := range r.Lines[k] {
		if p.Threads[line].A >= 0 && p.Threads[line].B >= 0 {
			a, b := r.Sections[0][k].Threads[0], r.Sections[1][k].Threads[0]
			if p.Partner(pair.A, a) != b {
				t.Fatalf("A shows thread %d, B thread %d", a, b)
			}
			return
		}
	}
}

// TestArrangedSidesAgree: sections of both sides have equal angles and colours, and every line is
// a focus, in one section, or counted.
func TestArrangedSidesAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		as := [2]*wait.Analysis{someTrace(t), someTrace(t)}
		p := pair.New(as[0].Trace, as[1].Trace, pair.Rules{})
		lines := len(p.Threads)
		o := Options{Focus: rapid.IntRange(-1, lines-1).Draw(t, "focus"),
			Idle: rapid.Bool().Draw(t, "idle"),
			Most: rapid.IntRange(1, 9).Draw(t, "most"), Hidden: map[int]bool{}}
		for k := range lines {
			o.Order = append(o.Order, rapid.IntRange(0, lines-1).Draw(t, "order"))
			o.Hidden[k] = rapid.IntRange(0, 5).Draw(t, "hidden") == 0
		}
		r := Arrange(prepare(t, p, as[:]...), o)
		x, y := spread(r.Sections[0], .01), spread(r.Sections[1], .01)
		for k := range x {
			if x[k].left != y[k].left || r.Sections[0][k].Hue != r.Sections[1][k].Hue {
				t.Fatalf("section %d differs between the sides", k)
			}
		}
		for line := range lines {
			k := r.PlaceOf(line)
			if (k == Main) != (line == o.Focus) || k >= 0 && !slices.Contains(r.Lines[k], line) ||
				k >= 0 && r.HueOf(line) != r.Sections[1][k].Hue {
				t.Fatalf("line %d is at place %d", line, k)
			}
		}
		for s, a := range as {
			f := r.Folded[s]
			folded := f.Apart + f.Endless + f.Runtime + f.Tracks + f.Hidden
			n := folded + len(r.Focus[s].Threads)
			var seen []int
			for _, sec := range r.Sections[s] {
				n += len(sec.Threads)
				seen = append(seen, sec.Threads...)
			}
			slices.Sort(seen)
			if n != len(a.Trace.Threads) || len(slices.Compact(seen)) !=
				n-folded-len(r.Focus[s].Threads) {
				t.Fatalf("side %d: %d threads of %d", s, n, len(a.Trace.Threads))
			}
		}
	})
}

// TestArrangeWithOneSideKnown: the waits of one side may be found before the other's, and then
// roles fold all the same.
func TestArrangeWithOneSideKnown(t *testing.T) {
	a := parse(t, `
thread 1 name=main
  0+100 main
    10+1 post release=0xa
thread 2 name=pool
  1+90 run
    5+6 wait wait=0xa
thread 3 name=pool
  2+90 run
    6+6 wait wait=0xa
thread 4 name=pool
  3+90 run
    7+8 wait wait=0xa
`)
	p := pair.New(a.Trace, a.Trace, pair.Rules{})
	for side := range 2 {
		var known [2]*wait.Analysis
		known[side] = a
		r := Arrange(prepare(t, p, known[:]...), Options{Most: 1})
		for s := range r.Sections {
			if got := said(r.Sections[s]); got != "1 2 3" {
				t.Errorf("side %d known: side %d has sections %q", side, s, got)
			}
		}
	}
	if r := Arrange(prepare(t, p), Options{}); len(r.Lines) != 0 {
		t.Errorf("nothing is known, and the sections are %v", r.Lines)
	}
}

// TestFoldedCountsArePartedInThousands: as all other numbers of things are.
func TestFoldedCountsArePartedInThousands(t *testing.T) {
	f := Folded{Apart: 1, Endless: 2, Runtime: 1234, Tracks: 12345, Hidden: 1000}
	const want = "1 thread without waits, 2 that wait to the end, 1\u2009234 of the runtime, 12\u2009345 tracks folded  ·  1\u2009000 hidden"
	if got := f.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
