package requests

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/trace"
)

// drawSpans draws a request whose children mostly lie within their parents. Times are multiples of
// a step, with some ns.
func drawSpans(t *rapid.T, most int, step int64) []Span {
	services := []*Resource{{Service: "a"}, {Service: "b"}, nil}
	spans := make([]Span, rapid.IntRange(1, most).Draw(t, "spans"))
	for i := range spans {
		x := &spans[i]
		from, to := int64(0), int64(1000)
		if k := rapid.IntRange(-1, i-1).Draw(t, "parent"); k >= 0 {
			x.Parent = fmt.Sprint("id", k)
			from, to = (spans[k].Start-origin)/step, (spans[k].End-origin)/step
			if rapid.IntRange(0, 9).Draw(t, "apart") == 0 {
				from, to = from-5, to+5
			}
		}
		x.ID = fmt.Sprint("id", i)
		x.Name = rapid.SampledFrom([]string{"f", "g", "h"}).Draw(t, "name")
		x.Resource = rapid.SampledFrom(services).Draw(t, "service")
		x.Kind = Kind(rapid.IntRange(0, 5).Draw(t, "kind"))
		start := rapid.Int64Range(from, to).Draw(t, "start")
		x.Start = origin + start*step
		x.End = origin + rapid.Int64Range(start, max(start, to)).Draw(t, "end")*step
	}
	return spans
}

// TestLayout holds the layout of random requests against its definition: each span is a call on a
// lane of its service, at its own time; its caller is its parent or nobody; and it has a link from
// its parent if that is not its caller.
func TestLayout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spans := drawSpans(t, 40, 1)
		b := trace.NewBuilder("test")
		s := NewSet(b, "")
		for _, x := range spans {
			s.Add("t", x, 0)
		}
		tree := newTree(trace.NewBuilder("plain"), slices.Clone(spans), origin+2000)
		l := lay(tree)
		seen, linked := 0, 0
		for k, heads := range l.lanes {
			end := int64(0)
			for _, head := range heads {
				x := &l.spans[head]
				if x.Resource.id() != l.of[k].service || x.Start < end {
					t.Fatalf("span %s does not belong on lane %v", x.ID, l.of[k])
				}
				end = x.End
				if l.parent[head] != none {
					linked++
				}
				seen += checkBranch(t, l, head)
			}
		}
		if seen != len(spans) || len(l.moved) != 0 {
			t.Fatalf("%d of %d spans on lanes, %d moved", seen, len(spans), len(l.moved))
		}
		if err := s.Feed(t.Context(), "file"); err != nil {
			t.Fatal(err)
		}
		tr, err := b.Build(t.Context())
		if err != nil || tr.Calls() != len(spans) || len(tr.Links) != linked {
			t.Fatalf("%v, %d calls of %d, %d links of %d", err, tr.Calls(), len(spans), len(tr.Links), linked)
		}
	})
}

// checkBranch checks a span and those that stay with it, and returns how many they are.
func checkBranch(t *rapid.T, l *layout, i int32) int {
	n, end := 1, l.spans[i].Start
	for _, k := range l.below[i] {
		if l.parent[k] != i || !l.sameService(i, k) || l.spans[k].Start < end || l.spans[k].End > l.spans[i].End {
			t.Fatalf("span %s does not belong below %s", l.spans[k].ID, l.spans[i].ID)
		}
		end = l.spans[k].End
		n += checkBranch(t, l, k)
	}
	return n
}

// TestSameShapeSameLanes: calls that run at the same time get the same lanes whichever begins first.
func TestSameShapeSameLanes(t *testing.T) {
	shape := func(seed uint64) map[string]int {
		r := rand.New(rand.NewPCG(seed, 0))
		s := &Resource{Service: "s"}
		spans := []Span{{ID: "root", Name: "root", Start: origin, End: origin + 10_000, Resource: s}}
		for k := range 12 {
			start := origin + 100 + r.Int64N(50)
			x := Span{ID: fmt.Sprint(k), Parent: "root", Name: fmt.Sprint("call", k), Resource: s, Start: start,
				End: start + 500 + r.Int64N(50)}
			y := Span{ID: fmt.Sprint("below", k), Parent: x.ID, Name: fmt.Sprint("below", k), Resource: s,
				Start: start + 10, End: start + 100}
			spans = append(spans, x, y)
		}
		r.Shuffle(len(spans), func(i, j int) { spans[i], spans[j] = spans[j], spans[i] })
		l, lanes := lay(newTree(trace.NewBuilder("test"), spans, origin+10_000)), map[string]int{}
		for k, heads := range l.lanes {
			for _, head := range heads {
				lanes[l.name[head]] = k
			}
		}
		return lanes
	}
	want := shape(1)
	if len(want) != 12 { // the root with one of the calls, and the others
		t.Fatalf("%d branches", len(want))
	}
	for seed := range uint64(50) {
		if got := shape(seed); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("lanes %v, want %v", got, want)
		}
	}
}

// TestManyAtOnce: what is too much to be laid by name takes as many lanes as run at the same time.
func TestManyAtOnce(t *testing.T) {
	s := &Resource{Service: "s"}
	var spans []Span
	for k := range int64(5000) {
		start := origin + k*10
		spans = append(spans, Span{ID: fmt.Sprint(k), Name: "f", Resource: s, Start: start, End: start + 995})
	}
	l := lay(newTree(trace.NewBuilder("test"), spans, origin+60_000))
	if len(l.lanes) != 100 {
		t.Errorf("%d lanes, want 100", len(l.lanes))
	}
	for _, heads := range l.lanes {
		for k := range heads[1:] {
			if l.overlap(heads[k], heads[k+1]) {
				t.Fatal("spans on a lane overlap")
			}
		}
	}
}

// TestSteps has a service whose clock goes in milliseconds.
func TestSteps(t *testing.T) {
	const ms = 1_000_000
	s := &Resource{Service: "s"}
	of := func(id, parent string, start int64, took float64) Span {
		from := int64(1_700_000_000_000+start) * ms
		return Span{ID: id, Parent: parent, Name: id, Resource: s, Start: from, End: from + int64(took*ms)}
	}
	spans := []Span{of("a", "", 100, 10.4), of("b", "a", 100, 5.7), of("c", "a", 105, 5.8),
		of("d", "c", 105, 6), of("e", "a", 104, 3)}
	l := lay(newTree(trace.NewBuilder("test"), slices.Clone(spans), spans[0].End))
	if len(l.lanes) != 2 || l.head[2] != 0 || l.head[3] != 0 || l.head[4] != 4 {
		t.Fatalf("lanes %v, heads %v", l.lanes, l.head)
	}
	for i := range spans {
		by := l.spans[i].Start - spans[i].Start
		cut := spans[i].End + by - l.spans[i].End
		if by < 0 || by >= ms || cut < 0 || cut >= ms || l.moved[int32(i)] != (moved{by, cut}) {
			t.Errorf("span %s was moved by %d and cut by %d ns, %v", spans[i].ID, by, cut, l.moved[int32(i)])
		}
	}
}

// TestStepsMoveLittle: whatever lies badly by less than a step of its clock is moved by less than a
// step, and all else stays. Starts that all happen to be whole ms have steps of 1 ms.
func TestStepsMoveLittle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spans := drawSpans(t, 30, 1000)
		for i := range spans {
			spans[i].Start--
			spans[i].End += rapid.Int64Range(0, 999).Draw(t, "rest")
		}
		l := lay(newTree(trace.NewBuilder("test"), slices.Clone(spans), origin+2_000_000))
		for i := range spans {
			x, y := &spans[i], &l.spans[i]
			if by := y.Start - x.Start; by <= -l.step[i] || by >= l.step[i] || y.End < y.Start {
				t.Fatalf("span %s was at %d to %d, and is at %d to %d", x.ID, x.Start, x.End, y.Start, y.End)
			}
		}
		for k := range l.lanes {
			for n, head := range l.lanes[k] {
				checkBranch(t, l, head)
				if n > 0 && l.spans[l.lanes[k][n-1]].End > l.spans[head].Start {
					t.Fatal("spans on a lane overlap")
				}
			}
		}
	})
}
