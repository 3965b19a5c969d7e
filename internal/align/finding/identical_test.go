package finding

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/testtrace"
)

// someStudy returns a study of two random recordings, which have little in common or nearly all,
// and the identities of both sides.
func someStudy(t *rapid.T) (*study, [2][]uint32) {
	of := [2]*call{someCalls(t, "A")}
	if of[1] = fewEdits(t, of[0]); rapid.Bool().Draw(t, "others") {
		of[1] = someCalls(t, "B")
	}
	a, b := recorded(t, nil, of[0]), recorded(t, nil, of[1])
	p, results := alignedPair(t, a, b)
	s := newStudy(t.Context(), p, results, "", Options{}, nil)
	return s, [2][]uint32{s.identities(pair.A), s.identities(pair.B)}
}

// TestIdenticalSubtrees holds which pairs have identical subtrees, and hashes, against a comparison
// call by call.
func TestIdenticalSubtrees(t *testing.T) {
	bySize := 0
	testtrace.CheckUntil(t, func() bool { return bySize > 0 }, func(t *rapid.T) {
		s, ids := someStudy(t)
		for _, r := range s.results {
			u := newSubtrees(s, r, &ids)
			if m := s.metrics[r]; u.allAlike && !s.equal[r] && min(m.GapA, m.GapB) == 0 {
				bySize++
			}
			for i, j := range r.Partner[pair.A] {
				if want := j != align.None && plainIdentical(s, r, int32(i), j); u.identical(int32(i)) != want {
					t.Fatalf("A's %d is identical to its partner %d: %v, want %v", i, j, !want, want)
				}
			}
			for range 8 {
				i := rapid.Int32Range(0, int32(r.Threads[pair.A].Len())-1).Draw(t, "i")
				j := rapid.Int32Range(0, int32(r.Threads[pair.B].Len())-1).Draw(t, "j")
				want := plainIdentical(s, r, i, j)
				if got := u.hash(pair.A, i) == u.hash(pair.B, j); got != want {
					t.Fatalf("A's %d has the hash of B's %d: %v, want %v", i, j, got, want)
				}
				if want && (u.shape(pair.A, i) != u.shape(pair.B, j) || u.sketch(pair.A, i) != u.sketch(pair.B, j)) {
					t.Fatalf("A's %d and B's %d are identical, but of different shape", i, j)
				}
			}
			for j, i := range r.Partner[pair.B] {
				if want := i == align.None || u.differs[pair.A].has(i); u.differs[pair.B].has(int32(j)) != want {
					t.Fatalf("B's %d differs: %v, want %v", j, !want, want)
				}
			}
		}
	})
}

// plainIdentical compares two subtrees in which nothing is recorded by chance, call by call.
func plainIdentical(s *study, r *align.Result, i, j int32) bool {
	a, b := r.Threads[pair.A], r.Threads[pair.B]
	for k := range int32(a.Size(int(i))) {
		if a.Size(int(i)) != b.Size(int(j)) || a.Size(int(i+k)) != b.Size(int(j+k)) ||
			s.identity(r, pair.A, i+k) != s.identity(r, pair.B, j+k) {
			return false
		}
	}
	return true
}

// TestBitset finds the members of a set one after the other.
func TestBitset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		has := rapid.SliceOf(rapid.Bool()).Draw(t, "has")
		set, want := newBitset(len(has)), []int32(nil)
		for i, is := range has {
			if is {
				want = append(want, int32(i))
				set.add(int32(i))
			}
		}
		var got []int32
		for i := set.next(0); int(i) < len(has); i = set.next(i + 1) {
			got = append(got, i)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%d, want %d", got, want)
		}
	})
}

// TestOpenCalls holds the calls of a level that may get other partners against a look at each.
func TestOpenCalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, ids := someStudy(t)
		for _, r := range s.results {
			o := newReorder(s, r, &ids)
			for sd := range r.Threads {
				side := pair.Side(sd)
				for call := int32(align.None); call < int32(r.Threads[sd].Len()); call++ {
					var want []int32
					eachCallee(r, side, call, func(i int32) {
						j, ends := r.Partner[sd][i], [2]int32{}
						ends[side], ends[side.Other()] = i, j
						if j == align.None && !passed(r, side, i) || j != align.None &&
							!s.stray(r, side, i) && !plainIdentical(s, r, ends[pair.A], ends[pair.B]) {
							want = append(want, i)
						}
					})
					if o.findOpen(side, call); !slices.Equal(o.open[sd], want) {
						t.Fatalf("%v: %d are open below %d, want %d", side, o.open[sd], call, want)
					}
				}
			}
		}
	})
}

// TestLevelsWithoutTwins goes through levels as findOrder does, and holds that those on which there
// may be no twins have none.
func TestLevelsWithoutTwins(t *testing.T) {
	passedOver := 0
	testtrace.CheckUntil(t, func() bool { return passedOver > 0 }, func(t *rapid.T) {
		s, ids := someStudy(t)
		for _, r := range s.results {
			o := newReorder(s, r, &ids)
			o.unpairDifferent()
			o.reorderLevel(align.None, align.None)
			found := o.levels(false)
			for i := range o.differs[pair.A].calls {
				j := o.r.Partner[pair.A][i]
				switch {
				case j == align.None || o.identical(i):
				case found.has(i):
					o.reorderLevel(i, j)
				case o.anyTwins(i, j):
					t.Fatalf("there are twins below A's %d and B's %d", i, j)
				default:
					passedOver++
				}
			}
		}
	})
}
