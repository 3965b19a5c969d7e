package account

import (
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
	way, err := findWay(context.Background(), w, (*trace.Thread).Runs)
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
	s.clear(9, 6)
	for context := range uint32(4) {
		for fn := range uint32(6) {
			key := pair.KeyOf(context, fn)
			site := s.addSite(key, idlePart, 2, 3)
			s.sums[site].calls, s.sums[site].ns, s.wayNs[site] = 7, 7, 7
			s.cache[slotOf(key)] = site
			s.scopedFn.Of(key)
			s.waiting.Of(key)
			s.ended.Of(key)
			s.inScope = append(s.inScope, scopedFn{1, 1})
		}
	}
	for k := range s.list {
		s.list[k].Amount = Amount{Ns: 99, Squares: Squares{low: 9801}}
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
