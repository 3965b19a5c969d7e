package trace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"
)

func TestFlowsAndCorrespondences(t *testing.T) {
	b := NewBuilder("test")
	f := b.Function(Function{Name: "f"})
	x, y := b.Thread("x", -1), b.Thread("y", -1)
	late := x.Complete(150, 160, f)
	early := x.Complete(100, 120, f)
	wait := y.Begin(105, f)
	y.Begin(125, f)
	y.End(130)
	y.End(140)
	b.Correspond(wait, late, b.Object("m"))
	b.Flow(Moment{Thread: x, At: 120}, Moment{Thread: y, At: 125}) // leaves at the very end, arrives at the very start
	b.Flow(Moment{Thread: x, At: 130}, Moment{Thread: y, At: 131}) // leaves between calls
	_ = early
	tr := mustBuild(t, b)
	if got, want := fmt.Sprint(tr.Correspondences), "[{{1 0} {0 1} 50 0 0}]"; got != want {
		t.Errorf("correspondences %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(tr.Links), "[{{0 0} {1 1} 20 25 false}]"; got != want {
		t.Errorf("links %s, want %s", got, want)
	}
	if d := tr.Diagnostics; len(d) != 2 || d[1].Code != UnboundFlow || d[1].Count != 1 {
		t.Errorf("diagnostics %v", d)
	}
	for i, want := range []string{"[{1 release [0]}]", "[{0 wait [0]}]"} {
		if got := fmt.Sprint(tr.Threads[i].plainBlocks(tr.Threads[i].Blocks)); got != want {
			t.Errorf("thread %d: marks %s, want %s", i, got, want)
		}
	}
}

// What correspondences end at is marked once as each kind, with all its objects; what was marked
// before keeps its objects.
func TestCorrespondencesMark(t *testing.T) {
	b := NewBuilder("test")
	f := b.Function(Function{Name: "f"})
	m, n := b.Object("m"), b.Object("n")
	x, y := b.Thread("x", -1), b.Thread("y", -1)
	release, both := x.Complete(10, 20, f), y.Complete(0, 100, f)
	x.Block(release, Release, m)
	x.Block(release, IO)
	b.Correspond(both, release, n)
	b.Correspond(both, release, m)
	b.CorrespondAt(both, release, 15, n)
	b.Correspond(release, both, NoObject)
	tr := mustBuild(t, b)
	for i, want := range []string{"[{0 wait [1 0]} {0 release []}]",
		"[{0 wait []} {0 release [0]} {0 io []}]"} {
		if got := fmt.Sprint(tr.Threads[i].plainBlocks(tr.Threads[i].Blocks)); got != want {
			t.Errorf("thread %s: marks %s, want %s", tr.Threads[i].ID, got, want)
		}
	}
}

func TestThreadOrderAndIDs(t *testing.T) {
	b := NewBuilder("test")
	f := b.Function(Function{Name: "f"})
	b.Thread("only named", -1)
	for _, id := range []string{"10", "9", "9", "9.2", "9"} {
		b.Thread(id, -1).Complete(5, 6, f)
	}
	b.Thread("instants", -1).Instant(0, f)
	b.Thread("early", -1).Complete(1, 2, f)
	var ids []string
	for _, th := range mustBuild(t, b).Threads {
		ids = append(ids, th.ID)
	}
	if got, want := fmt.Sprint(ids), "[early 9 9.2 9.2.2 9.3 10 instants]"; got != want {
		t.Errorf("order %s, want %s", got, want)
	}
}

func TestManyEqualIDs(t *testing.T) {
	b := NewBuilder("test")
	f := b.Function(Function{Name: "f"})
	n := sized(10_000, 50_000)
	for range n {
		b.Thread("same", -1).Complete(0, 1, f)
	}
	seen := map[string]bool{}
	for _, th := range mustBuild(t, b).Threads {
		seen[th.ID] = true
	}
	if len(seen) != n {
		t.Errorf("%d different ids of %d", len(seen), n)
	}
}

func TestNaturalOrder(t *testing.T) {
	sorted := []string{"", "1", "1.2", "1a", "02", "2", "2.9", "2.10", "10", "99999999999999999999999",
		"a", "a1", "a2", "a10"}
	for i, x := range sorted {
		for j, y := range sorted {
			if got := naturalOrder(x, y); got != cmp.Compare(i, j) {
				t.Errorf("naturalOrder(%q, %q) = %d", x, y, got)
			}
		}
	}
}

// fuse is a context that is done after some looks at it.
type fuse struct {
	context.Context
	looks int
}

func (f *fuse) Err() error {
	if f.looks--; f.looks < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancel holds that a build looks at its context every few thousand calls, whatever it is doing
// with them, and ends at the first look that says so.
func TestCancel(t *testing.T) {
	const calls = chunkLen
	for name, fill := range map[string]func(th *ThreadBuilder, i int64){
		"sorted":    func(th *ThreadBuilder, i int64) { th.Complete(i, i, 0) },
		"disorder":  func(th *ThreadBuilder, i int64) { th.Complete(i*7919%calls, calls, 0) },
		"staircase": func(th *ThreadBuilder, i int64) { th.Complete(i/64, 64+i/64+i%64, 0) },
		"logged":    func(th *ThreadBuilder, i int64) { th.Begin(i*7919%calls, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			build := func(looks int) (tr *Trace, used int, err error) {
				b, th := newTestBuilder()
				for i := range int64(calls) {
					fill(th, i)
				}
				f := &fuse{context.Background(), looks}
				tr, err = b.Build(f)
				return tr, looks - f.looks, err
			}
			tr, all, err := build(1 << 30)
			if tr == nil || err != nil || all < calls/4096 {
				t.Fatalf("Build = %v, %v after %d looks", tr, err, all)
			}
			for looks := 0; looks < all; looks += 1 + all/5 {
				tr, n, err := build(looks)
				if tr != nil || !errors.Is(err, context.Canceled) || n > looks+2 {
					t.Errorf("%d looks: Build = %v, %v after %d", looks, tr, err, n)
				}
			}
		})
	}
}

var many = sized(40_000, 100_000)

func TestDeepStacks(t *testing.T) {
	for name, fill := range map[string]func(*ThreadBuilder){
		"nested": func(th *ThreadBuilder) {
			for i := range int64(many) {
				th.Begin(i, FuncID(i%fns))
			}
			for i := range int64(many) {
				th.End(int64(many) + i)
			}
		},
		"unclosed": func(th *ThreadBuilder) {
			for i := range int64(many) {
				th.Begin(i, FuncID(i%fns))
			}
		},
		"whole": func(th *ThreadBuilder) {
			for i := range int64(many) {
				th.Complete(int64(many)-i, int64(many)+i, FuncID(i%fns))
			}
		},
		"logged": func(th *ThreadBuilder) {
			for i := range int64(many) {
				th.Begin(int64(many)-i, FuncID(i%fns))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, th := newTestBuilder()
			fill(th)
			tr := mustBuild(t, b)
			got := tr.Threads[0]
			if got.MaxDepth() != many || got.DeepestIn(0, many) != many-1 || got.Enclosing(int64(many)/2) < 0 {
				t.Errorf("depth %d, deepest %d", got.MaxDepth(), got.DeepestIn(0, many))
			}
		})
	}
}

// sized returns how large a test is made, as testtrace.Sized does, which imports this package.
func sized[T any](usual, long T) T {
	if os.Getenv("DIPTYCH_LONG") != "" {
		return long
	}
	return usual
}

// TestHostile builds inputs on which a careless implementation is quadratic. A build looks at its
// context every few thousand steps, so the number of looks tells how many steps it took. A loop that
// does not look would take 10¹⁰ steps, minutes, in the long run of this test.
func TestHostile(t *testing.T) {
	n := sized[int64](10_000, 100_000)
	for name, fill := range map[string]func(*ThreadBuilder){
		"stray named ends over open calls": func(th *ThreadBuilder) {
			for i := range n {
				th.Begin(i, 0)
			}
			for i := range n {
				th.EndNamed(n+i, 1)
			}
		},
		"calls after an outer end left many unclosed": func(th *ThreadBuilder) {
			th.Begin(0, 0)
			for i := range n {
				th.Begin(i, 1)
			}
			th.EndNamed(n, 0)
			for i := range n {
				th.Begin(n+2*i+1, 2)
				th.EndNamed(n+2*i+2, 2)
			}
			for i := range n {
				th.Begin(4*n+i, 3)
			}
		},
		"calls that all overlap partly": func(th *ThreadBuilder) {
			for i := range 3 * n {
				th.Complete(i, 3*n+i, 0)
			}
		},
		"lanes that run on under calls of no length": func(th *ThreadBuilder) {
			for i := range n / 2 {
				th.Complete(i, n+i, 0)
			}
			for i := range n / 2 {
				th.Complete(n/2+i, n/2+i, 0)
				th.Complete(n+i, n+i, 0)
			}
		},
		"calls across the ends of a deep stack": func(th *ThreadBuilder) {
			for i := range n {
				th.Complete(i, 4*n-2*i, 0)
				th.Complete(2*n+2*i-1, 2*n+2*i+1, 1)
			}
		},
		"late starts over a stack that ends at once": func(th *ThreadBuilder) {
			for i := range n {
				th.Complete(i, n, 0)
			}
			th.Complete(0, n+1, 1)
			for range n {
				th.Complete(n, n+2, 2)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			looks := &fuse{context.Background(), 1 << 30}
			b, th := newTestBuilder()
			fill(th)
			tr, err := b.Build(looks)
			if err != nil {
				t.Fatal(err)
			}
			if used := int64(1<<30 - looks.looks); used > 20+n/500 {
				t.Errorf("%d looks for %d calls", used, n)
			}
			for _, th := range tr.Threads {
				checkOrder(t, th)
			}
		})
	}
}

// checkOrder is the part of checkThread that costs no more than the calls.
func checkOrder(t *testing.T, th *Thread) {
	for i := range th.Len() {
		p := int(th.Parent(i))
		if th.Next(i) > th.Len() || p >= i || p >= 0 && (th.Next(i) > th.Next(p) || th.End(i) > th.End(p)) {
			t.Fatalf("call %d does not nest in %d", i, p)
		}
	}
}

func TestFootprint(t *testing.T) {
	b := NewBuilder("test")
	f := b.Function(Function{Name: "f"})
	th := b.Thread("1", -1)
	const calls = 8 * chunkLen
	for i := range int64(calls / 4) {
		for d := range int64(4) {
			ref := th.Begin(10*i+d, f)
			th.Flag(ref, Sampled)
		}
		for d := range int64(4) {
			th.End(10*i + 4 + d)
		}
	}
	tr := mustBuild(t, b)
	if per := float64(tr.Footprint().Columns) / calls; per > 40 {
		t.Errorf("%.2f bytes a call, want at most 40", per)
	}
}

// TestFootprintOfThreads holds the footprint of many threads of one call each against what the heap
// has more of once they are built.
func TestFootprintOfThreads(t *testing.T) {
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	b := NewBuilder("test")
	f := b.Function(Function{Name: "f"})
	for i := range 5000 {
		id := strconv.Itoa(i)
		th := b.Thread(id, -1)
		th.SetName("a worker " + id)
		ref := th.Begin(int64(i), f)
		th.Args(ref, []byte("arguments that are a hundred bytes long, so that they are a part of all that matters to this one test"))
		th.Block(ref, Wait, b.Object("mutex "+id))
		th.End(int64(i) + 1)
	}
	tr := mustBuild(t, b)
	b = nil
	took := heap() - before
	is := tr.Footprint()
	if all := is.Columns + is.Details + is.Names; all < took*3/4 || all > took*9/8 {
		t.Errorf("%+v, %d in all, of %d bytes on the heap", is, all, took)
	}
}

// TestMarksMayComeFirst: what is said of a call may be said before the thread has any record.
func TestMarksMayComeFirst(t *testing.T) {
	for name, mark := range map[string]func(*ThreadBuilder){
		"arguments": func(th *ThreadBuilder) { th.Args(th.Call(0), []byte("x")) },
		"result":    func(th *ThreadBuilder) { th.ReturnArgs([]byte("x")) },
		"flag":      func(th *ThreadBuilder) { th.Flag(th.Call(0), Sampled) },
		"block":     func(th *ThreadBuilder) { th.Block(th.Call(0), Wait) },
	} {
		b, th := newTestBuilder()
		mark(th)
		th.Begin(1, 0)
		th.End(2)
		if got := mustBuild(t, b).Calls(); got != 1 {
			t.Errorf("%s first: %d calls, want 1", name, got)
		}
	}
}
