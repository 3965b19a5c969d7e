package account

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/trace"
	"diptych/internal/wait"
)

// sideOf returns one side whose threads are split in the given memory, or each in fresh memory.
func sideOf(t *rapid.T, tr *trace.Trace, s *space) (*side, [][]stretch) {
	p := pair.New(tr, tr, pair.Rules{})
	b, w := &Balance{Pair: p}, analyse(t, tr)
	b.Objects, _ = wait.PairObjects(context.Background(), w, w, p)
	named := map[uint32]bool{p.IDA[1%len(p.IDA)]: true}
	d := b.newSide(pair.A, w, Options{Below: named}, newScopes(named))
	d.spaces = &sync.Pool{New: func() any {
		if s == nil {
			return &space{}
		}
		return s
	}}
	way, err := findWay(context.Background(), w, running(w.Trace))
	if err != nil {
		t.Fatal(err)
	}
	of, _ := byThread(way, len(tr.Threads))
	return d, of
}

// dirty makes memory as if a thread had been split in it that had a site for every call: what it
// left must not be taken for something of the next thread.
func dirty() *space {
	s := &space{}
	s.begin(9, 6)
	for context := range uint32(4) {
		for fn := range uint32(6) {
			key := pair.KeyOf(context, fn)
			site := s.addSite(key, idlePart, 2, 3)
			s.sums[site].calls, s.sums[site].ns, s.wayNs[site] = 7, 7, 7
			s.list[site].squares = Squares{low: 9801}
			s.cache[slotOf(key)] = site
			s.numbers.Of(key + 1)
			s.waitKey.Of(key)
			s.scopedFn.Of(key)
			s.waiting.Of(key)
			s.ended.Of(key)
			s.inScope = append(s.inScope, scopedFn{1, 1})
		}
	}
	for level := range s.above {
		s.above[level] = frame{3, 3}
	}
	return s
}

// TestMemoryOfOneThreadForTheNext: threads that are split one after the other in the same memory have
// the parts that they have in memory of their own, and the lists of earlier threads stay as they
// were.
func TestMemoryOfOneThreadForTheNext(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := shape.Draw(t, "trace")
		alone, way := sideOf(t, tr, nil)
		s := dirty()
		together, _ := sideOf(t, tr, s)
		var lists, copies [][]entry
		for range 2 {
			for k := range tr.Threads {
				all, clock := piece{0, tr.Threads[k].Len()}, newClock(way[k])
				want, got := alone.split(k, all, clock), together.split(k, all, clock)
				if !slices.Equal(got, want) {
					t.Fatalf("thread %d: %+v\nwant %+v", k, got, want)
				}
				lists, copies = append(lists, got), append(copies, slices.Clone(got))
			}
		}
		for i := range lists {
			if !slices.Equal(lists[i], copies[i]) {
				t.Fatalf("list %d became %+v\nit was %+v", i, lists[i], copies[i])
			}
		}
	})
}

// TestPieces holds that the pieces of a thread, split anywhere, add up to the thread.
func TestPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := shape.Draw(t, "trace")
		d, way := sideOf(t, tr, nil)
		for k, th := range tr.Threads {
			n, clock := th.Len(), newClock(way[k])
			if len(d.gaps(k)) > 0 {
				continue // split at once
			}
			want := addedUp(d.split(k, piece{0, n}, clock))
			var pieces []entry
			for from := 0; from < n; {
				to := rapid.IntRange(from+1, n).Draw(t, "to")
				pieces = append(pieces, d.split(k, piece{from, to}, clock)...)
				from = to
			}
			if got := addedUp(pieces); !maps.Equal(got, want) {
				t.Fatalf("thread %d: %+v\nwant %+v", k, got, want)
			}
		}
	})
}

// addedUp returns the amounts of a list by part and scope.
func addedUp(list []entry) map[entry]Amount {
	sums := map[entry]Amount{}
	for _, e := range list {
		if e.Amount != (Amount{}) {
			at := entry{part: e.part, scope: e.scope}
			a := sums[at]
			a.add(e.Amount)
			sums[at] = a
		}
	}
	return sums
}

// TestThreadsAddedUpTogether holds the cells, for which threads are added up in the same memory,
// against the lists of threads that are split by themselves; and what lies on all threads too.
func TestThreadsAddedUpTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := shape
		s.Runtime = true
		x := balanceOf(t, s.Draw(t, "a"), s.Draw(t, "b"), Options{Below: map[uint32]bool{1: true}})
		want, on := map[Part][2]Amount{}, map[int]Delta{}
		of := [2][]int{}
		for sd, side := range x.sides {
			for k, th := range side.trace.Threads {
				of[sd] = append(of[sd], k)
				for _, e := range side.split(k, piece{0, th.Len()}, x.ways[sd][k]) {
					sums := want[e.part]
					sums[sd].add(e.counted(x.Threads[sd][k].Counts))
					if want[e.part] = sums; sums == ([2]Amount{}) {
						delete(want, e.part)
						continue
					}
					cell := x.index.at(&e.part)
					on[cell] = on[cell].Plus(deltaOn(sd, e.counted(x.Threads[sd][k].Counts), e.part.Kind.Works()))
				}
			}
		}
		for sd, ns := range x.nobody {
			if ns > 0 {
				sums := want[idlePart]
				sums[sd].WayNs += ns
				want[idlePart] = sums
			}
		}
		if len(x.Cells) != len(want) {
			t.Fatalf("%d cells, want %d", len(x.Cells), len(want))
		}
		for i, c := range x.Cells {
			if want[c.Part] != c.Amounts {
				t.Fatalf("%+v has %+v, want %+v", c.Part, c.Amounts, want[c.Part])
			}
			if i > 0 && comparePlainly(x.Cells[i-1].Part, c.Part) >= 0 {
				t.Fatalf("%+v comes before %+v", x.Cells[i-1].Part, c.Part)
			}
		}
		for _, p := range x.OfThreads(of) {
			if on[p.Cell] != p.Delta {
				t.Fatalf("cell %d has %v on all threads, want %v", p.Cell, p.Delta, on[p.Cell])
			}
			delete(on, p.Cell)
		}
		for cell, d := range on {
			if d != (Delta{}) {
				t.Fatalf("cell %d has nothing on all threads, want %v", cell, d)
			}
		}
	})
}

// comparePlainly compares parts as cells are ordered.
func comparePlainly(x, y Part) int {
	return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Function, y.Function),
		cmp.Compare(x.Caller, y.Caller), cmp.Compare(x.Object, y.Object),
		cmp.Compare(x.Releaser, y.Releaser))
}
