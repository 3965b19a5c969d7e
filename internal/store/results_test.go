package store

import (
	"errors"
	"testing"
)

// word is a kind of result that only this test knows.
type word string

func (w word) Encode() []byte { return []byte(w) }

// TestNewKind checks that a new kind of result needs only a recipe. It is computed once for each
// version and each thing it is computed from, and again if it cannot be read.
func TestNewKind(t *testing.T) {
	dir := t.TempDir()
	errRead := errors.New("not a word")
	for _, x := range []struct {
		name     string
		version  int
		from     string
		unwanted bool
		err      error // of reading
		cached   bool
	}{
		{name: "first", version: 1, from: "a"},
		{name: "again", version: 1, from: "a", cached: true},
		{name: "from something else", version: 1, from: "b"},
		{name: "too quick to look for", version: 1, from: "a", unwanted: true},
		{name: "not readable", version: 1, from: "a", err: errRead},
		{name: "readable again", version: 1, from: "a", cached: true},
		{name: "another version", version: 2, from: "a"},
		{name: "the old version is gone", version: 1, from: "b"},
	} {
		s := greedy(dir)
		s.All = !x.unwanted
		computed := false
		r := recipe[word]{kind: "test.word", version: x.version,
			from:    func() [][]byte { return [][]byte{[]byte(x.from)} },
			compute: func() (word, error) { computed = true; return word("of " + x.from), nil },
			decode:  func(b []byte) (word, error) { return word(b), x.err }}
		v, cached, err := reuse(ctx, s, r)
		if v != word("of "+x.from) || cached != x.cached || computed == x.cached || err != nil {
			t.Errorf("%s: %q, cached %v, computed %v, %v", x.name, v, cached, computed, err)
		}
		if n := s.Counts().Hits + s.Counts().Misses; x.unwanted != (n == 0) {
			t.Errorf("%s: looked %d times", x.name, n)
		}
	}
	failed := errors.New("no result")
	r := recipe[word]{kind: "test.word", from: func() [][]byte { return nil },
		compute: func() (word, error) { return "", failed }}
	for _, s := range []*Store{nil, greedy(dir)} {
		if _, cached, err := reuse(ctx, s, r); cached || !errors.Is(err, failed) {
			t.Errorf("cached %v, %v", cached, err)
		}
	}
}
