package requests

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"diptych/internal/trace"
)

// origin is when the requests of tests begin: no multiple of a µs, as of a fine clock.
const origin = 1_700_000_000_000_000_001

// setOf gathers spans, one a line: id, parent or -, service, name, start, end, and a kind or links
// to other spans (>id). Times are after the origin; an end of ? is none.
func setOf(t *testing.T, b *trace.Builder, want, lines string) *Set {
	t.Helper()
	s, services := NewSet(b, want), map[string]*Resource{}
	kinds := map[string]Kind{"client": Client, "server": Server, "producer": Producer, "consumer": Consumer}
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		w := strings.Fields(line)
		id, rest, _ := strings.Cut(w[0], "/")
		if rest == "" {
			id, rest = "t", id
		}
		x := Span{ID: rest, Parent: strings.Trim(w[1], "-"), Name: w[3], Resource: services[w[2]]}
		if x.Resource == nil {
			x.Resource = &Resource{Service: w[2], Args: []byte(`"host":"` + w[2] + `1"`)}
			services[w[2]] = x.Resource
		}
		x.Start = at(t, w[4])
		if w[5] != "?" {
			x.End = at(t, w[5])
		}
		for _, more := range w[6:] {
			if to, ok := strings.CutPrefix(more, ">"); ok {
				x.Detail = &Detail{Links: []Link{{Span: to}}}
			} else {
				x.Kind = kinds[more]
			}
		}
		s.Add(id, x, 0)
	}
	return s
}

func at(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return origin + n
}

// built is what becomes of a set.
func built(t *testing.T, lines string) *trace.Trace {
	t.Helper()
	b := trace.NewBuilder("test")
	if err := setOf(t, b, "", lines).Feed(context.Background(), "file"); err != nil {
		t.Fatal(err)
	}
	return build(t, b)
}

func build(t *testing.T, b *trace.Builder) *trace.Trace {
	t.Helper()
	tr, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// drawn writes a trace down: its threads with their calls, in brackets what they call.
func drawn(tr *trace.Trace) string {
	var out []string
	threads := slices.Clone(tr.Threads)
	slices.SortFunc(threads, func(x, y *trace.Thread) int { return strings.Compare(x.ID, y.ID) })
	for _, th := range threads {
		text, depth := th.ID+":", uint32(0)
		for i := range th.Len() {
			for ; depth > th.Depth(i); depth-- {
				text += ")"
			}
			if th.Depth(i) > depth {
				text, depth = text+"(", th.Depth(i)
			} else {
				text += " "
			}
			_, name, _ := strings.Cut(tr.FunctionOf(th, i).Name, ": ")
			text += name
		}
		out = append(out, text+strings.Repeat(")", int(depth)))
	}
	return strings.Join(out, " | ")
}

// told lists diagnostics and their counts.
func told(tr *trace.Trace) string {
	var out []string
	for _, d := range tr.Diagnostics {
		out = append(out, fmt.Sprintf("%s %d", d.Code, d.Count))
	}
	return strings.Join(out, ", ")
}

func TestFeed(t *testing.T) {
	for _, c := range []struct{ name, spans, want, told string }{
		{"children that fit stay with their parent", `
a - s a 0 100
b a s b 10 50
d a s d 70 90
e d s e 70 90`, "s: a(b d(e))", ""},
		{"one that overlaps goes to the next lane, whichever begins first", `
a - s a 0 100
c a s c 9 60
b a s b 10 50
d a s d 70 90`, "s: a(b d) | s.2: c", ""},
		{"what is below goes with it", `
a - s a 0 100
b a s b 10 50
c a s c 20 60
d c s d 30 40
e c s e 35 45`, "s: a(b) | s.2: c(d) | s.3: e", ""},
		{"other services have lanes of their own", `
a - s a 0 100 client
b a u b 10 50
c b u c 20 30
d c s d 21 29`, "s: a | s.2: d | u: b(c)", ""},
		{"lanes are used again", `
a - s a 0 100
b a s b 0 40
c a s c 10 40
d a s d 50 90
e a s e 60 90`, "s: a(b d) | s.2: c e", ""},
		{"a parent that is missing, is the span itself or goes round", `
a x s a 0 10
b b s b 20 30
c d s c 40 60
d c s d 50 55`, "s: a b c(d)", "missing-parent 3"},
		{"clocks that differ", `
a - s a 10 100
b a u b 5 50
c a v c 50 101`, "s: a | u: b | v: c", "beyond-parent 2"},
		{"a message that sets something off, which goes on", `
a - s a 10 20 producer
b a u b 15 50 consumer`, "s: a | u: b", ""},
		{"written twice", `
a - s a 10 20
a - s a 10 20
b a s b 11 12`, "s: a(b) | s.2: a", "repeated-span 1"},
		{"one id for client and server", `
r - s r 0 100
a r s a 10 90 client
a r u a 20 80 server
b a u b 30 40`, "s: r(a) | u: a(b)", "repeated-span 1"},
		{"not ended", `
a - s a 10 50
b a s b 20 ?
c - s c 60 ?`, "s: a(b) c", "unmatched-begin 2"},
		{"ends before it begins", `
a - s a 10 50
b a s b 20 15`, "s: a(b)", "negative-duration 1"},
		{"what takes no time", `
a - s a 10 20
b a s b 10 10
c a s c 10 15
d a s d 15 15
e a s e 20 20
f a s f 12 12`, "s: a(b c d e) | s.2: f", ""},
	} {
		tr := built(t, c.spans)
		if got := drawn(tr); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
		if got := told(tr); got != c.told {
			t.Errorf("%s: told %s, want %s", c.name, got, c.told)
		}
	}
}

// TestLinks holds which links there are, which of them are parts, and who waited for whom.
func TestLinks(t *testing.T) {
	tr := built(t, `
a - s a 0 100 client
b a u b 10 50
c a s c 20 60
d a v d 30 110
e b u e 40 200
f - w f 10 20 >c
g - w g 30 40 >zzz`)
	var got []string
	name := func(c trace.CallRef) string {
		_, name, _ := strings.Cut(tr.FunctionOf(tr.Threads[c.Thread], int(c.Call)).Name, ": ")
		return name
	}
	for _, l := range tr.Links {
		text := fmt.Sprintf("%s>%s %d-%d", name(l.From), name(l.To), l.At, l.Until)
		if l.Part {
			text += " part"
		}
		got = append(got, text)
	}
	for _, c := range tr.Correspondences {
		got = append(got, fmt.Sprintf("%s waits for %s until %d", name(c.Wait), name(c.Release), c.At))
	}
	slices.Sort(got)
	want := "a waits for b until 50; a waits for d until 100; a>b 10-10 part; a>d 30-30 part; b>e 40-40; c>f 20-20"
	if got := strings.Join(got, "; "); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if got := told(tr); got != "beyond-parent 2, unbound-flow 1" {
		t.Error(got)
	}
}

func TestDetails(t *testing.T) {
	b := trace.NewBuilder("test")
	s := NewSet(b, "")
	r := &Resource{Namespace: "shop", Service: "a b", Args: []byte(`"host":"x"`)}
	s.Add("t", Span{ID: "1", Name: "f", Start: origin, End: origin + 100, Resource: r, Scope: "lib",
		Detail: &Detail{Args: []byte(`"error":true`), Events: []Event{{"oops", origin + 5}, {"never", -1}}}}, 0)
	s.Add("t", Span{ID: "2", Parent: "1", Start: origin + 10, End: origin + 20, Resource: r}, 0)
	s.Add("t", Span{ID: "3", Parent: "1", Name: "g", Start: origin + 10, End: origin + 20}, 0)
	for _, bad := range []Span{{}, {ID: "x"}, {ID: strings.Repeat("x", 300), Start: 1, End: 1},
		{ID: "x", Start: 1 << 62, End: 1 << 62}, {ID: "x", Start: 5, End: -5}} {
		s.Add("t", bad, 7)
	}
	if err := s.Feed(t.Context(), "file"); err != nil {
		t.Fatal(err)
	}
	tr := build(t, b)
	if got := told(tr); got != "bad-record 6" {
		t.Error(got)
	}
	th := tr.Threads[tr.ThreadByID("shop/a_b")]
	if p := tr.Processes[th.Process]; p.ID != "shop/a b" || p.Name != "a b" || th.Name != "shop/a_b" && th.Name != "a b" {
		t.Errorf("%+v, thread %q", p, th.Name)
	}
	for i, want := range []string{`{"error":true,"resource":{"host":"x"},"spanID":"1"}`, `{"spanID":"2"}`} {
		if got := th.Args(i); got != want {
			t.Errorf("call %d: %s, want %s", i, got, want)
		}
	}
	if f := tr.FunctionOf(th, 0); f.Name != "a b: f" || f.Package != "lib" || f.Kind != trace.Region {
		t.Errorf("%+v", f)
	}
	if f := tr.FunctionOf(th, 1); f.Name != "a b: (unnamed)" {
		t.Errorf("%+v", f)
	}
	if len(th.Instants) != 1 || tr.Functions[th.Instants[0].Fn].Name != "a b: oops" {
		t.Errorf("instants %v", th.Instants)
	}
	if tr.ThreadByID(unnamed) < 0 && tr.ThreadByID("(unknown_service)") < 0 {
		t.Errorf("no thread for a span without a service: %s", drawn(tr))
	}
}

// three requests, the second of which took longest.
const three = `
00ab1/a - s f 0 10
00AB2/a x s g 100 150
00AB2/b - s h 120 160
cd3/a - s f 200 210
00ab1/b - s g 2 3`

func TestChoice(t *testing.T) {
	for want, shown := range map[string]string{"": "00AB2", "00AB1": "00ab1", "ab2": "00AB2", "c": "cd3",
		"CD3": "cd3"} {
		b := trace.NewBuilder("test")
		if err := setOf(t, b, want, three).Feed(t.Context(), "file"); err != nil {
			t.Errorf("%q: %v", want, err)
			continue
		}
		tr := build(t, b)
		var got []string
		for _, r := range tr.Requests {
			got = append(got, fmt.Sprintf("%s %s %s %d %d %d", r.ID, r.Service, r.Operation, r.Start-origin,
				r.Duration, r.Spans))
		}
		if all := strings.Join(got, ", "); all != "00AB2 s h 100 60 2, 00ab1 s f 0 10 2, cd3 s f 200 10 1" {
			t.Error(all)
		}
		if r := tr.ShownRequest(); r == nil || r.ID != shown {
			t.Errorf("%q shows %+v, want %s", want, r, shown)
		}
		if !strings.Contains(told(tr), "other-requests 2") {
			t.Error(told(tr))
		}
	}
	for want, text := range map[string]string{
		"a":  "file: 2 traces begin with a: 00AB2 (s: h, 6e-05 ms, 2 spans), 00ab1 (s: f, 1e-05 ms, 2 spans)",
		"zz": "file: no trace zz among its 3: "} {
		err := setOf(t, trace.NewBuilder("test"), want, three).Feed(t.Context(), "file")
		if err == nil || !strings.HasPrefix(err.Error(), text) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// TestTheMedianIsListed holds that of more requests than are listed, the median of each root is.
func TestTheMedianIsListed(t *testing.T) {
	b := trace.NewBuilder("test")
	s := NewSet(b, "")
	for k := range 3 * mostListed {
		name := []string{"slow", "fast", "fast"}[k%3]
		length := int64(k + 1)
		if name == "slow" {
			length += 10 * mostListed
		}
		s.Add(fmt.Sprintf("%x", k+1), Span{ID: "1", Name: name, Start: origin, End: origin + length}, 0)
	}
	if err := s.Feed(t.Context(), "file"); err != nil {
		t.Fatal(err)
	}
	tr := build(t, b)
	if n := len(tr.Requests); n != mostListed+1 {
		t.Errorf("%d are listed", n)
	}
	r := &tr.Requests[mostListed]
	if !r.Median() || r.Operation != "fast" || r.Rank != mostListed || r.Of != 2*mostListed || r.Duration != 3*mostListed/2 {
		t.Errorf("the last one is %+v", r)
	}
}
