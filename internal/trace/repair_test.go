package trace

import (
	"fmt"
	"strings"
	"testing"
)

// TestRepairs has a case or more for each rule of repair (see Code). A thread is shown as
// name[start,end)parent; with ! for calls whose end was not recorded.
func TestRepairs(t *testing.T) {
	const f, g, h = 0, 1, 2
	for name, c := range map[string]struct {
		steps []step
		want  string
		code  Code
		count uint64
	}{
		"partly overlapping complete records": {
			[]step{{kind: complete, at: 0, to: 10, fn: f}, {kind: complete, at: 5, to: 15, fn: g},
				{kind: complete, at: 6, to: 12, fn: h}},
			"1: f[0,10)-1 | 1 · 2: g[5,15)-1 h[6,12)0", OverlapLane, 2},
		"named ends that cross": {
			[]step{{kind: begin, at: 0, fn: f}, {kind: begin, at: 2, fn: g},
				{kind: endNamed, at: 4, fn: f}, {kind: endNamed, at: 6, fn: g}},
			"1: f[0,4)-1 | 1 · 2: g[2,6)-1", OverlapLane, 1},
		"unnamed end with nothing open": {
			[]step{{kind: end, at: 0}, {kind: begin, at: 1, fn: f}, {kind: end, at: 2}},
			"1: f[1,2)-1", UnmatchedEnd, 1},
		"named end of a call that is not open": {
			[]step{{kind: begin, at: 0, fn: f}, {kind: endNamed, at: 1, fn: g},
				{kind: endNamed, at: 2, fn: f}},
			"1: f[0,2)-1", UnmatchedEnd, 1},
		"begin without end closes with its caller": {
			[]step{{kind: begin, at: 0, fn: f}, {kind: begin, at: 1, fn: g},
				{kind: endNamed, at: 5, fn: f}, {kind: begin, at: 7, fn: h}, {kind: endNamed, at: 9, fn: h}},
			"1: f[0,5)-1 g[1,5)0! h[7,9)-1", UnmatchedBegin, 1},
		"begin without end or caller closes with the thread": {
			[]step{{kind: begin, at: 0, fn: f}, {kind: begin, at: 3, fn: g}, {kind: end, at: 8}},
			"1: f[0,8)-1! g[3,8)0", UnmatchedBegin, 1},
		"a caller that is over does not close what begins later": {
			[]step{{kind: begin, at: 0, fn: f}, {kind: begin, at: 1, fn: g},
				{kind: endNamed, at: 5, fn: f}, {kind: begin, at: 7, fn: h}, {kind: begin, at: 9, fn: f}},
			"1: f[0,5)-1 g[1,5)0! h[7,9)-1! f[9,9)2!", UnmatchedBegin, 3},
		"end before start": {
			[]step{{kind: complete, at: 5, to: 3, fn: f}}, "1: f[5,5)-1", NegativeDuration, 1},
		"complete records in order of their ends": {
			[]step{{kind: complete, at: 2, to: 3, fn: g}, {kind: complete, at: 1, to: 4, fn: f}},
			"1: f[1,4)-1 g[2,3)0", Reordered, 1},
		"begins and ends out of order": {
			[]step{{kind: begin, at: 0, fn: f}, {kind: end, at: 9}, {kind: begin, at: 3, fn: g},
				{kind: end, at: 4}},
			"1: f[0,9)-1 g[3,4)0", Reordered, 1},
		"no length at the end of its caller": {
			[]step{{kind: complete, at: 0, to: 4, fn: f}, {kind: complete, at: 4, to: 4, fn: g}},
			"1: f[0,4)-1 g[4,4)0", "", 0},
		"equal complete records nest in input order": {
			[]step{{kind: complete, at: 0, to: 4, fn: g}, {kind: complete, at: 0, to: 4, fn: f}},
			"1: g[0,4)-1 f[0,4)0", "", 0},
		"equal times keep stream order": {
			[]step{{kind: begin, at: 0, fn: f}, {kind: end, at: 2}, {kind: begin, at: 2, fn: g},
				{kind: end, at: 2}},
			"1: f[0,2)-1 g[2,2)-1", "", 0},
		"both kinds of records nest by time": {
			[]step{{kind: begin, at: 0, fn: f}, {kind: complete, at: 2, to: 4, fn: g}, {kind: end, at: 9}},
			"1: f[0,9)-1 g[2,4)0", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			b, th := newTestBuilder()
			feed(th, c.steps)
			b.Observe(0)
			tr := mustBuild(t, b)
			if got := show(tr); got != c.want {
				t.Errorf("threads\n%s\nwant\n%s", got, c.want)
			}
			var got Diagnostic
			for _, d := range tr.Diagnostics {
				if got = d; d.Code == c.code {
					break
				}
			}
			if got.Code != c.code || got.Count != c.count || c.count > 0 && got.Example == "" {
				t.Errorf("diagnostics %+v, want %s × %d", tr.Diagnostics, c.code, c.count)
			}
		})
	}
}

func show(tr *Trace) string {
	var threads []string
	for _, th := range tr.Threads {
		s := th.Name + ":"
		for i := range th.Len() {
			s += fmt.Sprintf(" %s[%d,%d)%d", tr.FunctionOf(th, i).Name, th.Start(i), th.End(i),
				th.Parent(i))
			if th.Flags(i)&Unclosed != 0 {
				s += "!"
			}
		}
		threads = append(threads, s)
	}
	return strings.Join(threads, " | ")
}

func TestLoadersDiagnose(t *testing.T) {
	b, _ := newTestBuilder()
	b.Diagnose(BadRecord, 2, "line %d", 7)
	b.Diagnose(Truncated, 1, "at byte %d", 9)
	b.Diagnose(BadRecord, 3, "line %d", 8)
	b.Diagnose(LostRecords, 0, "none")
	want := "[{bad-record 5 line 7} {truncated 1 at byte 9}]"
	if got := fmt.Sprint(mustBuild(t, b).Diagnostics); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
