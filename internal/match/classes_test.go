package match

import (
	"context"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// TestClasses checks that two calls are of one class if and only if their Γ are equal, that the
// members of a class are that Γ, and that Base, End and Size describe a forest, in however many
// shares the calls are divided.
func TestClasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, scope, _ := someComparison(t)
		for _, side := range []pair.Side{pair.A, pair.B} {
			n := rapid.IntRange(1, 9).Draw(t, "shares")
			c, calls := classesIn(t, p, scope, side, n), plainCalls(p, side, scope)
			if c.Len() != len(calls) {
				t.Fatalf("%d calls, want %d", c.Len(), len(calls))
			}
			starts := make([]float64, len(c.Base))
			count := make([]uint64, len(c.Base))
			for i, f := range calls {
				count[c.Class(i)]++
				starts[c.Class(i)] += float64(f.start)
				if got := c.set(p, int(c.Class(i))); !maps.Equal(got, f.gamma) {
					t.Fatalf("Γ of call %d of %s: %v, want %v", i, side, got, f.gamma)
				}
				for j := range i {
					if same := maps.Equal(f.gamma, calls[j].gamma); same != (c.Class(i) == c.Class(j)) {
						t.Fatalf("calls %d and %d of %s: equal Γ %v", i, j, side, same)
					}
				}
			}
			if !slices.Equal(count, c.Count) || slices.Contains(count, 0) {
				t.Fatalf("counts of %s: %v, want %v", side, c.Count, count)
			}
			if !slices.Equal(starts, c.Start) {
				t.Fatalf("starts of %s: %v, want %v", side, c.Start, starts)
			}
			checkForest(t, p, c)
		}
	})
}

// classesIn returns the classes of a side whose calls are divided into n shares.
func classesIn(t failer, p *pair.Pair, scope Scope, side pair.Side, n int) *Classes {
	d := newSharing(scope.calls(p, side), n, p.IDs(side), len(p.Names))
	for _, s := range d.shares {
		if err := s.findSets(context.Background(), &d.calls, progress.NewMeter(nil, 0)); err != nil {
			t.Fatal(err)
		}
	}
	c, err := d.classify(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *Classes) set(p *pair.Pair, k int) map[string]bool {
	out := map[string]bool{}
	for id := range func(yield func(uint32) bool) { c.Members(k, yield) } {
		out[p.Names[id]] = true
	}
	return out
}

func checkForest(t *rapid.T, p *pair.Pair, c *Classes) {
	for k, base := range c.Base {
		if len(c.set(p, k)) != int(c.Size[k]) || c.End[k] <= uint32(k) {
			t.Fatalf("class %d: size %d, end %d", k, c.Size[k], c.End[k])
		}
		if base == none {
			continue
		}
		if int(base) >= k || c.End[base] < c.End[k] || c.Size[base] >= c.Size[k] {
			t.Fatalf("class %d [%d) of size %d has base %d [%d) of size %d", k, c.End[k], c.Size[k],
				base, c.End[base], c.Size[base])
		}
	}
}

// TestManyCallees checks a call of so many callees that their sets are not all kept.
func TestManyCallees(t *testing.T) {
	const callees = 2*checkEvery + 5
	b := trace.NewBuilder("test")
	th := b.Thread("1", -1)
	var f [3]trace.FuncID
	for i := range f {
		f[i] = b.Function(trace.Function{Name: string(rune('f' + i))})
	}
	th.Begin(0, f[0])
	for i := range int64(callees) {
		th.Begin(2*i, f[1+i%2])
		th.End(2*i + 1)
	}
	th.End(2 * callees)
	p := pair.New(testtrace.Build(t, b), nil, pair.Rules{})
	for _, n := range []int{1, 2} {
		c := classesIn(t, p, Process(), pair.A, n)
		if len(c.Base) != 3 || c.Size[c.Class(0)] != 3 || c.Class(1) == c.Class(2) ||
			c.Class(1) != c.Class(3) || c.Count[c.Class(2)] != callees/2 {
			t.Errorf("%d shares: classes of sizes %v with %v calls", n, c.Size, c.Count)
		}
	}
}

// TestEqualHashes checks that sets with equal hashes are told apart by their members.
func TestEqualHashes(t *testing.T) {
	s := newSets(8)
	_, g, h := s.single(0), s.single(1), s.single(2)
	for c := range s.list {
		s.list[c].hash = 0
	}
	fg := s.unite(0, []uint32{g})
	if fh := s.unite(0, []uint32{h}); fh == fg {
		t.Error("{f,g} and {f,h} are one set")
	}
	if s.unite(0, []uint32{fg}) != fg || s.unite(0, []uint32{g}) != fg {
		t.Error("{f,g} is not itself")
	}
}

// TestLabelsChangeWidth checks that labels keep their values while they get wider and narrower, also
// those of a part.
func TestLabelsChangeWidth(t *testing.T) {
	l := newLabels(3, 1<<16)
	l.set(1, 1<<16-1)
	for _, limit := range []int{1 << 16, 1<<16 + 1, 1 << 24, 1<<24 + 1} {
		if wider := limit&1 != 0; l.widen(limit) != wider {
			t.Errorf("labels below %d: wider is not %v", limit, wider)
		}
		part := l.part(1, 3)
		if got := part.at(0); got != 1<<16-1 || part.at(1) != 0 {
			t.Errorf("labels below %d: %d", limit, got)
		}
		part.set(1, uint32(limit-1))
		if got := l.at(2); got != uint32(limit-1) {
			t.Errorf("labels below %d: %d", limit, got)
		}
		part.set(1, 0)
	}
	l = l.narrowed(1 << 16)
	if got := l.at(1); got != 1<<16-1 || l.high != nil || l.top != nil {
		t.Errorf("narrowed: %d", got)
	}
}

// TestLabels checks the largest labels of each width and the first of the next.
func TestLabels(t *testing.T) {
	widths := map[int]int64{2: 2, 1 << 16: 2, 1<<16 + 1: 3, 1 << 24: 3, 1<<24 + 1: 4}
	for limit, bytes := range widths {
		l := newLabels(3, limit)
		l.set(1, uint32(limit-1))
		if got := l.at(1); got != uint32(limit-1) || l.at(0) != 0 || l.at(2) != 0 {
			t.Errorf("%d of %d", got, limit)
		}
		if got := bytesOf(l); got < 3*bytes {
			t.Errorf("labels below %d take %d bytes", limit, got)
		}
	}
}
