package cli

import (
	"slices"
	"testing"
)

// TestTrendFlags: what a trend cannot be made with is a mistake of usage, told before any batch is
// read.
func TestTrendFlags(t *testing.T) {
	for _, c := range []struct {
		o  trendOptions
		ok bool
	}{
		{trendOptions{by: "order", measure: "b"}, true},
		{trendOptions{by: "name", measure: "ratio", out: "x.SVG"}, true},
		{trendOptions{by: "name", measure: "a", out: "x.svg.gz", asJSON: true}, true},
		{trendOptions{by: "order", measure: "b", out: "-"}, true},
		{trendOptions{by: "date", measure: "b"}, false},
		{trendOptions{by: "order", measure: "c"}, false},
		{trendOptions{by: "order", measure: "b", out: "x.png"}, true},
		{trendOptions{by: "order", measure: "b", out: "x.PNG", asJSON: true}, true},
		{trendOptions{by: "order", measure: "b", out: "x.png.gz"}, false},
		{trendOptions{by: "order", measure: "b", out: "x.gif"}, false},
		{trendOptions{by: "order", measure: "b", out: "-", asJSON: true}, false},
	} {
		if err := c.o.check(); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
}

// TestCommitNames: commits are named by their folders, unless two have one name.
func TestCommitNames(t *testing.T) {
	for _, c := range []struct{ paths, want []string }{
		{[]string{"n/a/", "n/b"}, []string{"a", "b"}},
		{[]string{"x/out", "y//out/", "z"}, []string{"x/out", "y/out", "z"}},
	} {
		if got := commitNames(c.paths); !slices.Equal(got, c.want) {
			t.Errorf("%v are named %v, want %v", c.paths, got, c.want)
		}
	}
}

// TestDisorder finds names whose numbers are not in their order, as a shell lists them. Names that
// differ in more, such as hashes, have no order.
func TestDisorder(t *testing.T) {
	for _, c := range []struct {
		names []string
		x, y  string
	}{
		{[]string{"run1", "run2", "run10"}, "", ""}, {[]string{"run1", "run10", "run2"}, "run10", "run2"},
		{[]string{"c0ffee", "bead01", "4a"}, "", ""}, {[]string{"b", "a"}, "", ""}, {nil, "", ""},
		{[]string{"2026-11-03", "2026-11-04"}, "", ""}, {[]string{"2026-11-03", "2026-10-31"}, "2026-11-03", "2026-10-31"},
	} {
		if x, y := disorder(c.names); x != c.x || y != c.y {
			t.Errorf("%v: %q, %q, want %q, %q", c.names, x, y, c.x, c.y)
		}
	}
}
