package session

import (
	"context"
	"testing"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/store"
)

// TestAlignmentIsKept checks that what a session computes is found by the next one, the alignment
// with it.
func TestAlignmentIsKept(t *testing.T) {
	dir := t.TempDir()
	open := func() (*Session, *store.Store) {
		kept := store.At(dir, store.DefaultLimit)
		kept.All = true
		s := New(func() {})
		s.Store = kept
		s.Put(pair.A, "a", grown(t, 1, 200))
		s.Settle(context.Background()) // else what is looked for in A alone may be cancelled
		s.Put(pair.B, "b", grown(t, 2, 200))
		s.Settle(context.Background())
		return s, kept
	}
	first, kept := open()
	if c := kept.Counts(); c.Hits != 0 || c.Stored == 0 {
		t.Fatalf("%+v", c)
	}
	second, again := open()
	if c := again.Counts(); c.Stored != 0 || c.Misses != 0 || c.Hits != kept.Counts().Stored {
		t.Errorf("%+v, stored were %d", c, kept.Counts().Stored)
	}
	p := second.State().Pair
	_, stored, err := again.Alignments(t.Context(), p, p.Threads, align.Options{}, nil)
	if err != nil || !stored {
		t.Errorf("the alignment is stored: %v; %v", stored, err)
	}
	a, b := first.State().Aligned, second.State().Aligned
	for k, r := range a.Results {
		if b.Results[k].Score != r.Score {
			t.Errorf("threads %d: score %d, want %d", k, b.Results[k].Score, r.Score)
		}
	}
}
