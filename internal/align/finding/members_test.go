package finding

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// TestMembersOfAFamilyAreNamed holds that a sentence about spans that differ in their arguments
// names those that make most of a change, by their names and not by how an alignment pairs them.
func TestMembersOfAFamilyAreNamed(t *testing.T) {
	build := func(linkFirst bool, linking, build7, build9 int64) *trace.Trace {
		c, link := among("main"), f("act (link x)", linking)
		if linkFirst {
			c.kids = append(c.kids, link)
		}
		for k := range 40 {
			self := int64(1000)
			self += map[int]int64{7: build7, 9: build9}[k]
			c.kids = append(c.kids, f(fmt.Sprintf("act (build %d)", k), self), f("step", 500))
		}
		if !linkFirst {
			c.kids = append(c.kids, link)
		}
		return recordedAs(t, trace.NewBuilder("free names"), nil, c)
	}
	// The thread that runs build 7 is another one on side B, so no pair of calls has it on both sides.
	crew := func(first bool, build7, others int64) *trace.Trace {
		roots := []*call{among("one"), among("two")}
		for k := range 40 {
			self := others + 100*int64(k)
			if k == 7 {
				self = build7
			}
			w := roots[toInt(k%2 == 1 != (first && k == 7))]
			w.kids = append(w.kids, f(fmt.Sprintf("act (build %d)", k), self), f("step", 500))
		}
		return recordedAs(t, trace.NewBuilder("free names"), nil, roots...)
	}
	for _, c := range []struct {
		a, b *trace.Trace
		want string
		at   string // the span that the finding leads to
	}{
		{build(false, 400_000, 0, 0), build(false, 900_000, 0, 0), "over 41 calls, above all act (link x) (+500 µs);",
			"act (link x)"},
		{build(false, 400_000, 0, 0), build(true, 350_000, 300_000, 200_000),
			", above all act (build 7) (+300 µs) and act (build 9) (+200 µs)", "act (build 7)"},
		{crew(true, 5_000_000, 400_000), crew(false, 300, 1000), ", above all act (build 7)", "act (build 7)"},
	} {
		p, _, r := compared(t, c.a, c.b)
		checkClaims(t, p, r)
		k := slices.IndexFunc(r.Findings, func(f Finding) bool { return strings.Contains(f.Sentence(), c.want) })
		if k < 0 {
			t.Errorf("no %q: %+v", c.want, r.Findings)
			continue
		}
		for sd, at := range r.Findings[k].At {
			side := pair.Side(sd)
			if at == nil {
				t.Fatalf("%q leads nowhere on side %v", c.want, side)
			}
			fn := p.Trace(side).Threads[at.Thread].Fn[at.Call]
			if got := p.Names[p.IDs(side)[fn]]; got != c.at {
				t.Errorf("%q leads to %s on side %v, want %s", c.want, got, side, c.at)
			}
		}
	}
}

// TestLongTimes holds pairs of calls that last longer than 32 bits tell.
func TestLongTimes(t *testing.T) {
	sides := [2]*trace.Trace{
		recorded(t, nil, f("f", 5_000_000_000), f("f", 3), f("f", tooLong)),
		recorded(t, nil, f("f", 6_000_000_000), f("f", 7_000_000_000), f("f", 9)),
	}
	s := gathered(t, sides)
	var got [2][]float64
	for c := range s.efforts[onFunction][0].chunks {
		got[0], got[1] = append(got[0], c.a...), append(got[1], c.b...)
	}
	if want := [2][]float64{{5e9, 3, tooLong}, {6e9, 7e9, 9}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestExchangedLongTimes holds long times that are exchanged for short ones, in columns that several
// threads share: of three calls on side A and two on side B, each is long or not.
func TestExchangedLongTimes(t *testing.T) {
	thread := func(name string, calls, long int) *call {
		root := f(name, 1)
		for k := range calls {
			root.kids = append(root.kids, f("f", int64(1+k+5_000_000_000*(long>>k&1))))
		}
		return root
	}
	for a := range 1 << 3 {
		for b := range 1 << 2 {
			checkPairs(t, gathered(t, [2]*trace.Trace{
				recorded(t, nil, thread("one", 3, a), thread("two", 3, a)),
				recorded(t, nil, thread("one", 2, b), thread("two", 2, b)),
			}))
		}
	}
}
