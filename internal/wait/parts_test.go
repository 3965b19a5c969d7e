package wait

import (
	"fmt"
	"strings"
	"testing"

	"diptych/internal/trace"
	"diptych/internal/traceio/text/texttest"
)

// stretches writes a path down: the thread of each stretch, and from when to when.
func stretches(a *Analysis, p *Path) string {
	var out []string
	for _, s := range p.Segments {
		text := fmt.Sprintf("%s %d-%d", a.Trace.Threads[s.Thread].ID, s.From, s.To)
		if s.Part >= 0 {
			text += " part"
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// TestPathThroughParts has calls that are made of calls on other threads.
func TestPathThroughParts(t *testing.T) {
	for _, c := range []struct{ name, trace, want string }{
		{"two parts at the same time: the one that ends last", `
thread a
  0+100 main
thread b
  10+20 f
thread c
  12+60 g
link a:0 b:0 at=10 until=10 part
link a:0 c:0 at=12 until=12 part`, "a 0-12; c 12-72 part; a 72-100 part"},
		{"two parts one after the other on one thread", `
thread a
  0+100 main
thread b
  10+20 f
  40+50 f
link a:0 b:0 at=10 until=10 part
link a:0 b:1 at=40 until=40 part`,
			"a 0-10; b 10-30 part; a 30-40 part; b 40-90 part; a 90-100 part"},
		{"a part that ends while the call does something else itself", `
thread a
  0+100 main
    20+60 work
thread b
  10+30 f
link a:0 b:0 at=10 until=10 part`, "a 0-100"},
		{"parts of parts", `
thread a
  0+100 main
thread b
  10+80 f
thread c
  20+60 g
link a:0 b:0 at=10 until=10 part
link b:0 c:0 at=20 until=20 part`,
			"a 0-10; b 10-20 part; c 20-80 part; b 80-90 part; a 90-100 part"},
		{"a part that by its own clock ends too late, and begins too early", `
thread a
  10+80 main
thread b
  5+90 f
link a:0 b:0 at=10 until=10 part`, "a 5-5; b 5-95 part"},
		{"a link that is no part", `
thread a
  0+100 main
thread b
  10+80 f
link a:0 b:0 at=10 until=10`, "a 0-100"},
	} {
		a := mustFind(t, texttest.Parse(t, c.trace))
		p, err := a.CriticalPath(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := stretches(a, p); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestPathEnds: parts whose times contradict each other lead the path round once at most.
func TestPathEnds(t *testing.T) {
	tr := texttest.Parse(t, `
thread a
  5+20 main
thread b
  5+20 f
link a:0 b:0 at=5 until=5 part
link b:0 a:0 at=5 until=5 part`)
	a := mustFind(t, tr)
	p, err := a.CriticalPath(t.Context())
	if err != nil || len(p.Segments) > 2*len(tr.Links)+1 {
		t.Errorf("%v, %v", p.Segments, err)
	}
	if !a.HasParts() || mustFind(t, &trace.Trace{}).HasParts() {
		t.Error("parts are not told")
	}
}
