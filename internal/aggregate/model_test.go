package aggregate

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

var shape = testtrace.Shape{Threads: testtrace.Range{1, 4}, Records: testtrace.Range{0, 30},
	Start: testtrace.Range{0, 50}, Step: testtrace.Range{0, 9}, Close: true,
	Objects: testtrace.Range{1, 2}}

func modelsOf(t testtrace.TB, p *pair.Pair, spans [2]Span, o Options) *Models {
	m, err := New(context.Background(), p, spans, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// innermost returns the deepest call that runs at a moment, or None.
func innermost(th *trace.Thread, ns int64) int {
	found := None
	for i := range th.Len() {
		if th.Start(i) <= ns && ns < th.End(i) {
			found = i
		}
	}
	return found
}

// plainState names the state of a call from the definition.
func plainState(tr *trace.Trace, th *trace.Thread, call int, by States) string {
	f := tr.FunctionOf(th, call)
	switch by {
	case ByFunction:
		return f.Name
	case ByPackage:
		return NoPackage
	}
	for i := call; i >= 0; i = int(th.Parent(i)) {
		var waits, ios bool
		for _, b := range th.BlocksOf(i) {
			waits, ios = waits || b.Kind == trace.Wait, ios || b.Kind == trace.IO
		}
		if waits {
			return "waiting"
		} else if ios {
			return "I/O"
		}
	}
	return "running"
}

// TestModelIsThatOfTheDefinition counts each nanosecond by itself.
func TestModelIsThatOfTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := shape.Draw(t, "trace")
		if tr.Duration < 2 {
			return
		}
		o := Options{Slices: rapid.IntRange(8, 20).Draw(t, "slices"),
			States: States(rapid.IntRange(0, 2).Draw(t, "states"))}
		from := rapid.Int64Range(0, tr.Duration-1).Draw(t, "from")
		span := Span{from, rapid.Int64Range(from+1, tr.Duration).Draw(t, "to")}
		m := modelsOf(t, pair.New(tr, nil, pair.Rules{}), [2]Span{span}, o)
		a, states := m.Sides[0], m.Sides[0].States()
		for leaf, thread := range m.Threads[0] {
			got := make([]int64, o.Slices*len(states))
			for _, c := range a.Cells[leaf] {
				got[int(c.Slice)*len(states)+int(c.State)] += c.Ns
			}
			th := tr.Threads[thread]
			for i := range o.Slices {
				for ns := a.Borders[i]; ns < a.Borders[i+1]; ns++ {
					if call := innermost(th, ns); call != None {
						k := slices.Index(states, plainState(tr, th, call, o.States))
						got[i*len(states)+k]--
					}
				}
			}
			for k, ns := range got {
				if ns != 0 {
					t.Fatalf("leaf %d, slice and state %d: %d ns off", leaf, k, ns)
				}
			}
		}
	})
}

// TestBorders holds borders in ranges that times T would overflow.
func TestBorders(t *testing.T) {
	s := Span{3, 3 + trace.Limit}
	b := s.borders(1000)
	if b[0] != 3 || b[1] != 3+trace.Limit/1000 || b[1000] != s.To || !slices.IsSorted(b) {
		t.Error(b[:2], b[1000])
	}
	if b := (Span{0, 10}).borders(8); !slices.Equal(b, []int64{0, 1, 2, 3, 5, 6, 7, 8, 10}) {
		t.Error(b)
	}
}

// TestGivenBorders holds slices of unequal lengths, one of them empty, on one side only.
func TestGivenBorders(t *testing.T) {
	borders := []int64{0, 10, 10, 40, 50, 60, 70, 75, 80}
	o := Options{Slices: 8, Borders: [2][]int64{borders, nil}}
	m := modelsOf(t, pair.New(pool(t, 40), pool(t, 40), pair.Rules{}), [2]Span{{}, {0, 80}}, o)
	row := make([]float64, 16)
	m.Sides[0].Row(0, row)
	work, rest := slices.Index(m.Sides[0].States(), "work"), slices.Index(m.Sides[0].States(), "rest")
	for i := range 8 {
		want := [2]float64{1, 0}
		if i == 1 {
			want = [2]float64{}
		} else if i >= 3 {
			want = [2]float64{0, 1}
		}
		if row[2*i+work] != want[0] || row[2*i+rest] != want[1] {
			t.Errorf("slice %d: %v, want %v", i, row[2*i:2*i+2], want)
		}
	}
	if m.Sides[1].Borders[1] != 10 || m.Sides[1].Borders[2] != 20 {
		t.Error(m.Sides[1].Borders)
	}
	borders[0] = 5
	if m.Sides[0].Borders[0] != 0 {
		t.Error("the model changes with the caller's borders")
	}
	row, d := make([]float64, 16), m.Difference()
	d.Row(0, row)
	part := bestOf(t, measured(t, d, Sum), .5)
	for i, v := range row {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Error(i, v)
		}
	}
	covers(t, d, part)
}

// TestNothingInVirtualTime holds a side all of whose slices are empty.
func TestNothingInVirtualTime(t *testing.T) {
	o := Options{Slices: 8, Borders: [2][]int64{{9, 9, 9, 9, 9, 9, 9, 9, 9}}}
	m := modelsOf(t, pair.New(pool(t, 40), nil, pair.Rules{}), [2]Span{}, o)
	if got := bestOf(t, measured(t, m.Sides[0], Sum), .5); len(got.Aggregates) != 1 {
		t.Error(got)
	}
}

func TestCellsHave16Bytes(t *testing.T) {
	if n := unsafe.Sizeof(Cell{}); n != 16 {
		t.Error(n)
	}
}

// TestStatesAreThoseWithMostTime holds the order, the ties by name, and the rest.
func TestStatesAreThoseWithMostTime(t *testing.T) {
	total, names := make([]int64, 30), make([]string, 30)
	for i := range names {
		total[i], names[i] = int64(100-i/2), string(rune('z'-i%2))+strings.Repeat("x", i/2)
	}
	total[29] = 0
	kept, to := mostTime(total, names)
	if len(kept) != 25 || kept[0] != "y" || kept[1] != "z" || kept[24] != Other {
		t.Error(kept)
	}
	if to[1] != 0 || to[0] != 1 || to[28] != 24 {
		t.Error(to)
	}
	if kept, _ := mostTime(total[:24], names); len(kept) != 24 || slices.Contains(kept, Other) {
		t.Error(kept)
	}
}

// pool makes a trace of two processes: one has two workers and a main thread, the other one thread.
func pool(t testing.TB, busy int64) *trace.Trace {
	b := trace.NewBuilder("test")
	fn := b.Function(trace.Function{Name: "work", Package: "p"})
	other := b.Function(trace.Function{Name: "rest", Package: "q"})
	for _, x := range []struct{ process, id, name string }{{"1", "1/1", "main"},
		{"1", "1/2", "worker 1"}, {"1", "1/3", "worker 2"}, {"2", "2/1", "main"}} {
		th := b.Thread(x.id, b.Process(x.process))
		th.SetName(x.name)
		th.Begin(0, fn)
		th.End(busy)
		th.Begin(busy, other)
		th.End(80)
	}
	return testtrace.Build(t, b)
}

func TestThreadTree(t *testing.T) {
	tree, order := Threads(pool(t, 40))
	var got []string
	for _, n := range tree.Nodes {
		got = append(got, strings.Join(n.Path, "/"))
	}
	want := []string{"", "1", "1/main", "1/worker", "1/worker/worker 1",
		"1/worker/worker 2", "main"}
	if !slices.Equal(got, want) || tree.Leaves != 4 || !slices.Equal(order, []int{0, 1, 2, 3}) {
		t.Errorf("%q %v", got, order)
	}
}

// TestEqualIDsAreNoPartners holds that a thread of B keeps its leaf beside one of A that has its id
// and another partner.
func TestEqualIDsAreNoPartners(t *testing.T) {
	program := func(ids, names []string) *trace.Trace {
		b := trace.NewBuilder("test")
		for i, id := range ids {
			th := b.Thread(id, -1)
			th.SetName("worker " + names[i])
			th.Begin(0, b.Function(trace.Function{Name: names[i]}))
			th.End(80)
		}
		return testtrace.Build(t, b)
	}
	p := pair.New(program([]string{"1"}, []string{"1"}),
		program([]string{"2", "1"}, []string{"1", "2"}), pair.Rules{})
	if alone := p.Threads[1]; alone.A >= 0 || p.B.Threads[alone.B].ID != "1" {
		t.Fatal(p.Threads)
	}
	d := modelsOf(t, p, [2]Span{{0, 80}, {0, 80}}, Options{Slices: 8}).Difference()
	if !slices.Equal(d.Of, []int{0, 1}) {
		t.Error(d.Of)
	}
}

func TestStatesByPackage(t *testing.T) {
	tr := pool(t, 60)
	m := modelsOf(t, pair.New(tr, nil, pair.Rules{}), [2]Span{{0, 80}},
		Options{Slices: 8, States: ByPackage})
	if s := m.Sides[0].States(); !slices.Equal(s, []string{"p", "q"}) {
		t.Error(s)
	}
}

// TestDifference holds values, sign, and that equal runs differ nowhere.
func TestDifference(t *testing.T) {
	for _, busy := range []int64{40, 60} {
		p := pair.New(pool(t, 40), pool(t, busy), pair.Rules{})
		m := modelsOf(t, p, [2]Span{{0, 80}, {0, 80}}, Options{Slices: 8})
		d := m.Difference()
		row, a, b := make([]float64, 16), make([]float64, 16), make([]float64, 16)
		for leaf := range d.Of {
			d.Row(leaf, row)
			m.Sides[0].Row(leaf, a)
			m.Sides[1].Row(leaf, b)
			for i := range row {
				if row[i] != a[i]-b[i] {
					t.Fatalf("leaf %d: %v, want %v − %v", leaf, row, a, b)
				}
			}
		}
		part := bestOf(t, measured(t, d, Sum), .5)
		shares := make([]float64, 2)
		mode := part.Aggregates[len(part.Aggregates)/2].Shares(d, shares)
		if equal := busy == 40; equal != (mode == None) || equal != (len(part.Aggregates) == 1) {
			t.Errorf("busy %d: %v, %v", busy, part, shares)
		}
	}
}

// TestUnpairedLeavesDifferFromNothing holds a thread that only one side has.
func TestUnpairedLeavesDifferFromNothing(t *testing.T) {
	b := trace.NewBuilder("test")
	th := b.Thread("9", -1)
	th.SetName("alone")
	th.Begin(0, b.Function(trace.Function{Name: "own"}))
	th.End(80)
	p := pair.New(pool(t, 40), testtrace.Build(t, b), pair.Rules{})
	d := modelsOf(t, p, [2]Span{{0, 80}, {0, 80}}, Options{Slices: 8}).Difference()
	if d.Tree().Leaves != 5 {
		t.Fatal(d.Tree().Leaves)
	}
	sum, row := 0.0, make([]float64, 8*len(d.States()))
	for leaf := range d.Of {
		d.Row(leaf, row)
		for _, v := range row {
			sum += math.Abs(v)
		}
	}
	if sum != 40 {
		t.Errorf("%g slices differ, want those of 5 threads", sum)
	}
}

// TestByCode holds that functions are leaves, counted over all threads.
func TestByCode(t *testing.T) {
	tr := pool(t, 40)
	cells := make([]int32, 2)
	for i, f := range tr.Functions {
		cells[i] = int32(strings.Index("wr", f.Name[:1]))
	}
	code := &Code{Places: []Place{{Keys: []string{"p", "0"}, Names: []string{"p", "work"}},
		{Keys: []string{"q", "1"}, Names: []string{"q", "rest"}},
		{Keys: []string{"q", "2"}, Names: []string{"q", "never"}}},
		Cells: func(pair.Side, int) []int32 { return cells }}
	p := pair.New(tr, tr, pair.Rules{})
	m := modelsOf(t, p, [2]Span{{0, 80}, {0, 80}}, Options{Slices: 8, Code: code})
	row := make([]float64, 8)
	m.Sides[0].Row(0, row)
	if !slices.Equal(row, []float64{4, 4, 4, 4, 0, 0, 0, 0}) || m.Sides[0].Tree().Leaves != 2 ||
		!slices.Equal(m.Difference().Of, []int{0, 1}) {
		t.Error(row, m.Places)
	}
}

func TestBadOptions(t *testing.T) {
	p := pair.New(pool(t, 40), nil, pair.Rules{})
	for _, c := range []struct {
		span    Span
		slices  int
		borders []int64
		want    string
	}{{Span{0, 80}, 0, nil, "0 timeslices: want 1 to 1000"},
		{Span{0, 80}, 1001, nil, "want 1 to 1000"}, {Span{5, 5}, 8, nil, "it is empty"},
		{Span{}, 8, []int64{0, 1, 2}, "3 borders of 8 timeslices: want 9"},
		{Span{}, 8, []int64{0, 1, 2, 3, 2, 5, 6, 7, 8}, "border 4 is at 2 ns, before border 3 at 3 ns"},
	} {
		o := Options{Slices: c.slices, Borders: [2][]int64{c.borders}}
		_, err := New(context.Background(), p, [2]Span{c.span}, o, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
