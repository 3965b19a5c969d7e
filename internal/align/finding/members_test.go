package finding

import (
	"fmt"
	"slices"
	"strings"
	"testing"

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
	for _, c := range []struct {
		b    *trace.Trace
		want string
	}{
		{build(false, 900_000, 0, 0), "over 41 calls, above all act (link x) (+500 µs);"},
		{build(true, 350_000, 300_000, 200_000), ", above all act (build 7) (+300 µs) and act (build 9) (+200 µs)"},
	} {
		p, _, r := compared(t, build(false, 400_000, 0, 0), c.b)
		checkClaims(t, p, r)
		if !slices.ContainsFunc(r.Findings, func(f Finding) bool { return strings.Contains(f.Sentence(), c.want) }) {
			t.Errorf("no %q: %+v", c.want, r.Findings)
		}
	}
}
