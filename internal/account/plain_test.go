package account

import (
	"cmp"
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/wait"
)

// The account from its definition: every ns by itself.

var shape = testtrace.Shape{Threads: testtrace.Range{1, 3}, Records: testtrace.Range{0, 24},
	Start: testtrace.Range{0, 6}, Step: testtrace.Range{0, 4}, Close: true, Origin: true,
	Objects: testtrace.Range{0, 2}, Marks: 5, Stated: true}

// TestTheWayIsWhereThreadsAre holds that a way has no gaps, goes along threads while they last, and
// along none only while there is none.
func TestTheWayIsWhereThreadsAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := filler{}
		for k := range int32(rapid.IntRange(0, 6).Draw(t, "threads")) {
			from := rapid.Int64Range(0, 30).Draw(t, "from")
			f.spans = append(f.spans, stretch{k, from, from + rapid.Int64Range(1, 15).Draw(t, "ns")})
		}
		of := slices.Clone(f.spans)
		slices.SortStableFunc(f.spans, func(x, y stretch) int { return cmp.Compare(y.to, x.to) })
		now := rapid.Int64Range(0, 20).Draw(t, "begin")
		end := now + rapid.Int64Range(0, 30).Draw(t, "length")
		for _, s := range f.fill(nil, now, end) {
			somebody := slices.ContainsFunc(of, func(o stretch) bool { return o.from < s.to && o.to > s.from })
			if s.from != now || s.to <= s.from || s.thread < 0 && somebody ||
				s.thread >= 0 && (of[s.thread].from > s.from || of[s.thread].to < s.to) {
				t.Fatalf("%+v at %d, of %+v", s, now, of)
			}
			now = s.to
		}
		if now < end {
			t.Fatalf("it ends at %d, not at %d: %+v", now, end, of)
		}
	})
}

func analyse(t testtrace.TB, tr *trace.Trace) *wait.Analysis {
	t.Helper()
	w, err := wait.Find(context.Background(), tr, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func balanceOf(t testtrace.TB, a, b *trace.Trace, o Options) *Balance {
	t.Helper()
	p := pair.New(a, b, pair.Rules{})
	x, err := Compare(context.Background(), p, [2]*wait.Analysis{analyse(t, a), analyse(t, b)}, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// plainKind is what a call is by itself.
func plainKind(th *trace.Thread, what []what, i int) Kind {
	kind := what[th.Fn[i]].kind()
	for _, b := range th.BlocksOf(i) {
		if b.Kind == trace.Wait {
			return Wait
		}
		if b.Kind == trace.IO {
			kind = IO
		}
	}
	return kind
}

// plainPart returns what the ns from at on belongs to, without object and releaser.
func plainPart(d *side, th *trace.Thread, at int64) (Part, []uint32) {
	owner := -1
	for i := range th.Len() {
		if th.Start(i) <= at && at < th.End(i) && (owner < 0 || th.Depth(i) > th.Depth(owner)) {
			owner = i
		}
	}
	if owner < 0 {
		return idlePart, nil
	}
	for up := owner; up >= 0; up = int(th.Parent(up)) {
		if plainKind(th, d.what, up) != CPU {
			owner = up // the outermost owns what is below
		}
	}
	p := Part{plainKind(th, d.what, owner), d.ids[th.Fn[owner]], None, -1, -1}
	if up := th.Parent(owner); up >= 0 {
		p.Caller = d.ids[th.Fn[up]]
	}
	var chain []uint32
	for up := owner; up >= 0; up = int(th.Parent(up)) {
		chain = append(chain, d.ids[th.Fn[up]])
	}
	return p, chain
}

// TestEveryNanosecondIsInOnePart holds the sweep against the definition, with a function that is
// off CPU.
func TestEveryNanosecondIsInOnePart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := shape.Draw(t, "trace")
		p := pair.New(tr, tr, pair.Rules{})
		b := &Balance{Pair: p}
		b.Objects, _ = wait.PairObjects(context.Background(), analyse(t, tr), analyse(t, tr), p)
		named := map[uint32]bool{p.IDA[1%len(p.IDA)]: true, p.IDA[2%len(p.IDA)]: true}
		d := b.newSide(pair.A, analyse(t, tr), Options{Below: named}, newScopes(named))
		d.what[len(d.what)-1] |= what(OffCPU)
		way, err := findWay(context.Background(), d.waits, running(d.trace))
		if err != nil {
			t.Fatal(err)
		}
		of, _ := byThread(way, len(tr.Threads))
		for k, th := range tr.Threads {
			comparePlain(t, d, th, d.split(k, piece{0, th.Len()}, newClock(of[k])), of[k])
		}
	})
}

// comparePlain compares the parts of a thread with those of every single ns.
func comparePlain(t *rapid.T, d *side, th *trace.Thread, got []entry, way []stretch) {
	type below struct {
		fn uint32
		Part
	}
	want, wantBelow := map[Part]Amount{}, map[below]int64{}
	from, to := th.Span()
	for at := from; at < to; at++ {
		p, chain := plainPart(d, th, at)
		a := want[p]
		a.Ns++
		for _, w := range way {
			if w.from <= at && at < w.to {
				a.WayNs++
			}
		}
		want[p] = a
		for fn := range d.scopes.named {
			for _, up := range chain {
				if up == fn {
					wantBelow[below{fn, p}]++
					break
				}
			}
		}
	}
	sums := map[Part]Amount{}
	for _, e := range got {
		e.part.Object, e.part.Releaser = -1, -1
		a := sums[e.part]
		a.Ns, a.WayNs = a.Ns+e.Ns, a.WayNs+e.WayNs
		sums[e.part] = a
		for _, fn := range d.scopes.open[e.scope] {
			wantBelow[below{fn, e.part}] -= e.Ns
		}
	}
	for p, a := range sums {
		if want[p] != a {
			t.Fatalf("%s: %+v is %+v, want %+v", th.ID, p, a, want[p])
		}
		delete(want, p)
	}
	if len(want) > 0 {
		t.Fatalf("%s: no part for %+v", th.ID, want)
	}
	for at, left := range wantBelow {
		if left != 0 {
			t.Fatalf("%s: below %d, %+v: %d ns are amiss", th.ID, at.fn, at.Part, left)
		}
	}
}

// TestBothAccountsAddUp holds that threads, elapsed time and cells add up, to the ns.
func TestBothAccountsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := balanceOf(t, shape.Draw(t, "a"), shape.Draw(t, "b"), Options{})
		addsUp(t, x)
	})
}

func addsUp(t testtrace.TB, x *Balance) {
	t.Helper()
	var delta Delta
	for i := range x.Cells {
		delta = delta.Plus(x.Cells[i].Delta())
	}
	if delta != x.Delta() {
		t.Fatal("the cells differ by", delta, "and the sides by", x.Delta())
	}
	for sd := range x.Elapsed {
		way, total := int64(0), [Kinds]int64{}
		for _, ns := range x.Way[sd] {
			way += ns
		}
		if way != x.Elapsed[sd] {
			t.Fatal(pair.Side(sd), "elapsed", x.Elapsed[sd], "but the way is", way)
		}
		for _, th := range x.Threads[sd] {
			sum := int64(0)
			for k, ns := range th.Ns {
				sum += ns
				if th.Counts {
					total[k] += ns
				}
			}
			if sum != th.EndNs-th.StartNs {
				t.Fatal("a thread of", th.EndNs-th.StartNs, "ns has parts of", sum)
			}
		}
		if total != x.Total[sd] {
			t.Fatal("threads add up to", total, "not", x.Total[sd])
		}
	}
	holdsObjects(t, x)
}

// holdsObjects holds that each function and caller waits for as many objects as its cells name.
func holdsObjects(t testtrace.TB, x *Balance) {
	t.Helper()
	type calls struct{ function, caller uint32 }
	want := map[calls][2]map[int32]bool{}
	for i := range x.Cells {
		c := &x.Cells[i]
		of := calls{c.Function, c.Caller}
		if _, ok := want[of]; !ok {
			want[of] = [2]map[int32]bool{{}, {}}
		}
		for sd, objects := range want[of] {
			if c.Kind == Wait && c.Object >= 0 && c.Amounts[sd].Calls > 0 {
				objects[c.Object] = true
			}
		}
	}
	for of, objects := range want {
		n := [2]int{len(objects[pair.A]), len(objects[pair.B])}
		if got := x.ObjectsOf(of.function, of.caller); got != n {
			t.Fatal("calls of", of.function, "by", of.caller, "wait for", n, "objects, not", got)
		}
	}
}

// TestClaimsAddUp holds that what is claimed, in any order and amount, and what is left add up to
// the difference, and that no claim exceeds what it may.
func TestClaimsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := shape.Draw(t, "a"), shape.Draw(t, "b")
		id := uint32(rapid.IntRange(0, 5).Draw(t, "below"))
		x := balanceOf(t, a, b, Options{Below: map[uint32]bool{id: true}})
		l, sum := NewLedger(x), Delta{}
		for range rapid.IntRange(0, 6).Draw(t, "claims") {
			sum = sum.Plus(drawClaim(t, x, l, id))
			if got, want := l.Serial(), plainSerial(l); !slices.Equal(got, want) {
				t.Fatalf("serial %v, want %v", got, want)
			}
		}
		if rest := l.Unexplained(); sum.Plus(rest.Delta) != x.Delta() {
			t.Fatalf("claimed %v and left %v, but the difference is %v", sum, rest.Delta, x.Delta())
		}
	})
}

// TestNothingDiffersFromItself holds that both sides of a run and itself count alike wherever it is
// looked, and that the trace stays as it was.
func TestNothingDiffersFromItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := shape
		s.Runtime = true
		a := s.Draw(t, "a")
		threads := slices.Clone(a.Threads)
		x := balanceOf(t, a, a, Options{Below: map[uint32]bool{1: true}})
		for _, p := range append(x.Below(1), x.OfThreads([2][]int{{0}, {0}})...) {
			if p.Delta != (Delta{}) {
				t.Fatalf("%+v differs by %v", x.Cells[p.Cell], p.Delta)
			}
		}
		if !slices.Equal(a.Threads, threads) {
			t.Fatal("it has other threads afterwards")
		}
	})
}

// anyChange is for all changes of waiting.
func anyChange(int64, int64) bool { return true }

// plainSerial is Serial by its definition.
func plainSerial(l *Ledger) (list []Portion) {
	for i, d := range l.left {
		if s := d.ElapsedNs - Common(d.ElapsedNs, d.WorkNs); s != 0 && l.b.Cells[i].Kind.Works() {
			list = append(list, Portion{i, Delta{ElapsedNs: s}})
		}
	}
	return list
}

func drawClaim(t *rapid.T, x *Balance, l *Ledger, below uint32) Delta {
	fn := uint32(rapid.IntRange(0, len(x.Pair.Names)-1).Draw(t, "function"))
	switch rapid.IntRange(0, 7).Draw(t, "claim") {
	case 0:
		factor := rapid.SampledFrom([]float64{0.25, 0.9, 1.31, 3}).Draw(t, "pace")
		return l.TakePace(Pace{Factor: factor, Unit: rapid.Bool().Draw(t, "unit")})
	case 1:
		return l.Take(l.Of(fn), Unbounded)
	case 2:
		return l.Take(x.OfThreads([2][]int{{0}, {0}}), Unbounded)
	case 3:
		own, _ := l.TakeOverlap()
		return own
	case 4:
		var own Delta
		for _, w := range x.WaitChanges(anyChange) {
			l.TakeWait(&w)
			own = own.Plus(w.Own)
		}
		return own
	case 5:
		return l.Take(l.OfKind(Idle), Unbounded)
	}
	most := rapid.Int64Range(-20, 20).Draw(t, "most")
	list := l.Of(fn)
	if rapid.Bool().Draw(t, "with callees") {
		list = x.Below(below)
	}
	own := l.Take(list, most)
	for _, ns := range []int64{own.ElapsedNs, own.WorkNs} {
		if max(ns, -ns) > max(most, -most) || ns != 0 && (ns > 0) != (most > 0) {
			t.Fatalf("a claim of %d owns %v", most, own)
		}
	}
	return own
}

// running returns the threads of a trace, of which those that execute count.
func running(t *trace.Trace) []Thread {
	list := make([]Thread, len(t.Threads))
	for k, th := range t.Threads {
		list[k].Counts = th.Runs()
		list[k].StartNs, list[k].EndNs = th.Span()
	}
	return list
}

// split returns the parts of a piece of a thread.
func (d *side) split(thread int, p piece, way clock) []entry {
	s := d.spaces.Get().(*space)
	defer d.spaces.Put(s)
	s.clear()
	d.addUp(s, thread, p, way)
	return s.sumUp()
}
