package align

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// someVirtual draws two threads with times and lays out their alignment.
func someVirtual(t *rapid.T) *Virtual {
	xs, ys := someForests(t)
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "clock"), 0))
	clock := func() testtrace.Clock { return testtrace.Halting(r) }
	p := pairedOff(t, xs, ys, clock, rapid.IntRange(0, 1).Draw(t, "functions off the processor"))
	grain := rapid.SampledFrom([]int{1, 7, 50, usualGrain}).Draw(t, "grain")
	v, err := aligned(t, p, Options{}).virtual(context.Background(), grain)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func laid(t testtrace.TB, r *Result) *Virtual {
	v, err := r.Virtual(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// told makes a trace of one thread from its calls, each as a name and its start and end in ms.
func told(t testing.TB, calls ...said) *trace.Trace {
	b := trace.NewBuilder("test")
	th := b.Thread("0", -1)
	for _, c := range calls {
		th.Complete(c.start*ms, c.end*ms, b.Function(trace.Function{Name: c.name}))
	}
	return testtrace.Build(t, b)
}

type said struct {
	name       string
	start, end int64
}

const ms = 1_000_000

// compared returns the alignment of two such traces.
func compared(t testing.TB, a, b []said) *Virtual {
	p := pair.New(told(t, a...), told(t, b...), pair.Rules{})
	return laid(t, aligned(t, p, Options{}))
}

// plainWidth is the width of a pair from its definition, segment by segment: between two
// consecutive pairs side A's self time is s₀, …, s_k about its k own calls and B's t₀, …, t_m; t₀
// passes beside s₀ … s_{k−1} and s_k beside what is then left of t₀ and t₁ … t_m.
func plainWidth(v *Virtual, a, b int32) (total int64) {
	var at, end [2]int64
	for s, i := range [2]int32{a, b} {
		th := v.Threads[s]
		if at[s], end[s] = th.Span(); i != None {
			at[s], end[s] = th.Start(int(i)), th.End(int(i))
		}
	}
	var self [2][]int64 // of the segment, by side
	note := func(s pair.Side, until int64) { self[s] = append(self[s], until-at[s]) }
	close := func() {
		before, last := int64(0), self[pair.A][len(self[pair.A])-1]
		for _, x := range self[pair.A][:len(self[pair.A])-1] {
			before += x
		}
		after := max(0, self[pair.B][0]-before)
		for _, x := range self[pair.B][1:] {
			after += x
		}
		total += before + max(last, after)
		self = [2][]int64{}
	}
	c := v.columnsBelow(a, b)
	for {
		x, y := c.peek(v.Result)
		c.take(v.Result, x, y)
		calls := [2]int32{x, y}
		switch {
		case x == None && y == None:
			note(pair.A, end[pair.A])
			note(pair.B, end[pair.B])
			close()
			return total
		case x != None && y != None:
			for s, i := range calls {
				note(pair.Side(s), v.Threads[s].Start(int(i)))
				at[s] = v.Threads[s].End(int(i))
			}
			close()
			total += plainWidth(v, x, y)
		default:
			for s, i := range calls {
				if i != None {
					note(pair.Side(s), v.Threads[s].Start(int(i)))
					at[s] = v.Threads[s].End(int(i))
					total += v.Threads[s].Dur(int(i))
				}
			}
		}
	}
}

func TestVirtualWidths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := someVirtual(t)
		if want := plainWidth(v, None, None); v.Length != want {
			t.Fatalf("length %d, want %d", v.Length, want)
		}
		for s := range v.Threads {
			checkPlaces(t, v, pair.Side(s))
		}
		for i, j := range v.Partner[pair.A] {
			if j == None {
				continue
			}
			start, end := v.Start[pair.A][i], v.End[pair.A][i]
			if start != v.Start[pair.B][j] || end != v.End[pair.B][j] {
				t.Fatalf("pair %d, %d: not in one place", i, j)
			}
			if want := plainWidth(v, int32(i), j); end-start != want {
				t.Fatalf("pair %d, %d: width %d, want %d", i, j, end-start, want)
			}
		}
	})
}

// checkPlaces holds that a side's calls nest in virtual time as in real time, and that those
// without a partner keep their durations.
func checkPlaces(t *rapid.T, v *Virtual, s pair.Side) {
	th := v.Threads[s]
	for i := range th.Len() {
		start, end := v.Start[s][i], v.End[s][i]
		if i > 0 && start < v.Start[s][i-1] {
			t.Fatalf("call %d of %v starts at %d, before the last", i, s, start)
		}
		from, to := int64(0), v.Length
		if th.Parent(i) >= 0 {
			from, to = v.Start[s][th.Parent(i)], v.End[s][th.Parent(i)]
		}
		if v.Passed[s].Has(int32(i)) {
			if start < from || end > to || start > end {
				t.Fatalf("call %d of %v, passed through: [%d, %d], within [%d, %d]", i, s, start, end,
					from, to)
			}
			continue
		}
		if k := v.previous(s, int32(i)); k != None {
			from = max(from, v.End[s][k])
		}
		if start < from || end > to || end-start < th.Dur(i) {
			t.Fatalf("call %d of %v: [%d, %d] for %d ns, within [%d, %d]", i, s, start, end, th.Dur(i),
				from, to)
		}
		if v.Partner[s][i] == None && end-start != th.Dur(i) {
			t.Fatalf("call %d of %v: %d wide for %d ns", i, s, end-start, th.Dur(i))
		}
		for _, c := range [][2]int64{{start, th.Start(i)}, {end, th.End(i)}} {
			if got := v.Real(s, c[0]); got != c[1] {
				t.Fatalf("call %d of %v: real time %d at %d, want %d", i, s, got, c[0], c[1])
			}
		}
	}
}

// TestMaps holds that the maps are monotone, that real time never runs faster than virtual time,
// and that At is the first place that Real leads back from, all along a stretch of virtual time.
func TestMaps(t *testing.T) {
	stretch := int64(sized(800, 1<<40))
	rapid.Check(t, func(t *rapid.T) {
		v := someVirtual(t)
		for s := pair.A; s <= pair.B; s++ {
			_, end := v.Threads[s].Span()
			from := rapid.Int64Range(-2, max(v.Length+2-stretch, -2)).Draw(t, "from")
			for at, last := from, v.Real(s, from-1); at <= min(v.Length+2, from+stretch); at++ {
				now := v.Real(s, at)
				if now < last || now > last+1 {
					t.Fatalf("%v at %d: %d after %d", s, at, now, last)
				}
				if now > last {
					if back := v.At(s, now); back != at {
						t.Fatalf("%v has reached %d at %d, not %d", s, now, at, back)
					}
				}
				last = now
			}
			if got := v.Real(s, v.Length); got != end && v.Length > 0 {
				t.Fatalf("%v ends at %d, not %d", s, got, end)
			}
		}
	})
}

func TestVirtualStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	v := compared(t, []said{{"f", 0, 1}}, []said{{"f", 0, 1}})
	if _, err := v.Result.Virtual(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestCut holds that pieces cover all calls in order, none too large, and cut no small subtree.
func TestCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		th := someVirtual(t).Threads[pair.A]
		grain := rapid.IntRange(1, 60).Draw(t, "grain")
		large, borders := cutThread(th, grain)
		if borders[0] != 0 || int(borders[len(borders)-1]) != th.Len() {
			t.Fatal(borders)
		}
		for k, to := range borders[1:] {
			if from := borders[k]; to <= from || int(to-from) >= 2*grain {
				t.Fatalf("from %d to %d by %d", from, to, grain)
			}
			for i := borders[k]; i < to; i++ {
				isLarge := int(th.Size(int(i))) > grain
				if _, found := slices.BinarySearch(large, i); found != isLarge {
					t.Fatalf("call %d of %d calls: large %v", i, th.Size(int(i)), found)
				}
				if !isLarge && th.Next(int(i)) > int(to) {
					t.Fatalf("call %d is cut at %d", i, to)
				}
			}
		}
	})
}

// chain is a thread that calls 1000 functions deep into each other, again and again.
func chain(t *testing.T, depth int) *trace.Trace {
	b := trace.NewBuilder("test")
	th := b.Thread("0", -1)
	names := make([]trace.FuncID, 1000)
	for k := range names {
		names[k] = b.Function(trace.Function{Name: string(rune('α' + k))})
	}
	for k := range depth {
		th.Begin(int64(k), names[k%len(names)])
	}
	for k := range depth {
		th.End(int64(depth + 3*k))
	}
	return testtrace.Build(t, b)
}

// TestDeep holds that stacks of any depth are measured, paired or not.
func TestDeep(t *testing.T) {
	depth := sized(20_000, 100_000)
	p := pair.New(chain(t, depth), chain(t, depth), pair.Rules{})
	for _, paired := range []bool{true, false} {
		r := &Result{Pair: p}
		for s := range r.Threads {
			r.Threads[s] = p.Trace(pair.Side(s)).Threads[0]
			r.Partner[s] = slices.Repeat([]int32{None}, depth)
			for i := range r.Partner[s] {
				if paired {
					r.Partner[s][i] = int32(i)
				}
			}
		}
		nodes := 0
		for range r.Walk {
			nodes++
		}
		v := laid(t, r)
		line, err := v.Timeline(context.Background(), Samples)
		if err != nil {
			t.Fatal(err)
		}
		moves, err := v.Moved(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		took := v.Threads[pair.A].Dur(0)
		switch {
		case paired && (nodes != depth || v.Length != took || slices.Max(line.Dissimilarity) != 0):
			t.Errorf("paired: %d nodes, %d ns", nodes, v.Length)
		case !paired && (nodes != 2*depth || v.Length != 2*took || len(moves) != 1 ||
			slices.Min(line.Dissimilarity) != 1):
			t.Errorf("not paired: %d nodes, %d ns, %d moves", nodes, v.Length, len(moves))
		}
	}
}
