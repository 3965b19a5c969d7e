package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
)

var ctx = context.Background()

// value returns a value that belongs to a number: half of it noise, half of it repetitive.
func value(seed, size int) []byte {
	v := make([]byte, size/2, size)
	noise := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})
	_, _ = noise.Read(v) // never fails
	for len(v) < size {
		stretch := bytes.Repeat([]byte{byte(seed + len(v)/1000)}, 1000)
		v = append(v, stretch[:min(len(stretch), size-len(v))]...)
	}
	return v
}

func key(seed int) Key {
	return keyOf("test", 1, binary.LittleEndian.AppendUint64(nil, uint64(seed)))
}

func put(t testing.TB, s *Store, k Key, v []byte) {
	t.Helper()
	if err := s.Put(ctx, k, v); err != nil {
		t.Fatal(err)
	}
}

func size(t testing.TB, s *Store) int64 {
	stat, err := os.Stat(s.path())
	if err != nil {
		t.Fatal(err)
	}
	return stat.Size()
}

// TestKeeps checks that another program finds what was stored, with sizes around those of blocks,
// pieces and pages.
func TestKeeps(t *testing.T) {
	dir := t.TempDir()
	sizes := []int{0, 1, 100, 1000, 1024, pageSize, pieceLen - 25, pieceLen, 3 * pieceLen,
		blockLen - 1, blockLen, blockLen + 1, 5*blockLen + 7}
	s := At(dir, DefaultLimit)
	for i, n := range sizes {
		put(t, s, key(i), value(i, n))
		put(t, s, key(i), value(i, n)) // replaces itself
	}
	other := At(dir, DefaultLimit)
	for i, n := range sizes {
		if v, ok := other.Get(ctx, key(i)); !ok || !bytes.Equal(v, value(i, n)) {
			t.Errorf("value of %d bytes: found %v, %d bytes", n, ok, len(v))
		}
	}
	if v, ok := other.Get(ctx, key(len(sizes))); ok {
		t.Errorf("found %d bytes that nobody stored", len(v))
	}
	want := Counts{Hits: int64(len(sizes)), Misses: 1}
	if got := other.Counts(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestKeys checks that keys differ by kind, by version and by how the same bytes are divided into
// parts.
func TestKeys(t *testing.T) {
	seen := map[Key]int{}
	for i, k := range []Key{
		keyOf("a", 1), keyOf("b", 1), keyOf("a", 2), keyOf("a", 1, nil), keyOf("a", 1, nil, nil),
		keyOf("a", 1, []byte("xy")), keyOf("a", 1, []byte("x"), []byte("y")),
		keyOf("a", 1, []byte("xy"), nil), keyOf("a", 1, nil, []byte("xy")),
	} {
		if j, ok := seen[k]; ok {
			t.Errorf("keys %d and %d are one", i, j)
		}
		seen[k] = i
	}
}

// TestLimit checks that the file never exceeds its limit, and that the values used longest ago are
// deleted first.
func TestLimit(t *testing.T) {
	const limit, each, n = 4 << 20, 256 << 10, 40
	s := At(t.TempDir(), limit)
	noise := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		put(t, s, key(i), value(i, each+noise.IntN(each)))
		if _, ok := s.Get(ctx, key(0)); !ok {
			t.Fatalf("value 0, in constant use, is gone after %d", i)
		}
		if got := size(t, s); got > limit {
			t.Fatalf("%d bytes after %d values", got, i)
		}
	}
	oldest := n
	for i := n - 1; i > 0; i-- {
		if _, ok := s.Get(ctx, key(i)); ok {
			if oldest != i+1 {
				t.Errorf("value %d is there and %d is not", i, i+1)
			}
			oldest = i
		}
	}
	if oldest > n-6 {
		t.Errorf("only values from %d on are left", oldest)
	}
	put(t, s, key(n), make([]byte, limit)) // compresses to nothing
	put(t, s, key(n+1), value(0, 2*limit))
	if _, ok := s.Get(ctx, key(n+1)); ok || size(t, s) > limit {
		t.Errorf("stored more than fits: %d bytes", size(t, s))
	}
}

// TestVersions checks that storing a new version of a kind deletes the older ones, and nothing
// else, and that the file shrinks.
func TestVersions(t *testing.T) {
	s := At(t.TempDir(), 16<<20)
	other, newer := keyOf("other", 1), keyOf("test", 3)
	put(t, s, other, value(1, 1000))
	put(t, s, newer, value(2, 1000))
	for i := range 30 {
		put(t, s, key(i), value(i, 256<<10))
	}
	before := size(t, s)
	put(t, s, keyOf("test", 2), value(3, 1000))
	for i := range 30 {
		if _, ok := s.Get(ctx, key(i)); ok {
			t.Fatalf("value %d of an older version is there", i)
		}
	}
	for k, seed := range map[Key]int{other: 1, newer: 2, keyOf("test", 2): 3} {
		if v, ok := s.Get(ctx, k); !ok || !bytes.Equal(v, value(seed, 1000)) {
			t.Errorf("value %d is not there", seed)
		}
	}
	if after := size(t, s); after > before/20 {
		t.Errorf("%d bytes, %d before", after, before)
	}
}

// TestNowhere checks that a store without a usable directory only counts its failures.
func TestNowhere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*Store{
		"under a file": At(filepath.Join(file, "dir"), DefaultLimit), "no name": At("", DefaultLimit),
	} {
		if err := s.Put(ctx, key(1), value(1, 10)); err == nil {
			t.Errorf("%s: stored", name)
		}
		if _, ok := s.Get(ctx, key(1)); ok {
			t.Errorf("%s: found", name)
		}
		if c := s.Counts(); c.Failed == 0 || c.Misses != 1 || c.Stored != 0 {
			t.Errorf("%s: %+v", name, c)
		}
	}
	var none *Store
	if err := none.Put(ctx, key(1), nil); err != nil || none.Counts() != (Counts{}) {
		t.Errorf("nil: %v", err)
	}
	if _, ok := none.Get(ctx, key(1)); ok {
		t.Error("nil: found")
	}
}

// TestNamedDirectory checks that a directory which the user has named and which cannot be made is
// told once, and that nothing is told of the usual one.
func TestNamedDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{file: 1, filepath.Join(file, "dir"): 1, "": 0} {
		t.Setenv(Variable, name)
		t.Setenv("XDG_CACHE_HOME", file)
		s, said := Open(), []string(nil)
		s.Say = func(text string) { said = append(said, text) }
		for range 2 {
			if err := s.Put(ctx, key(1), value(1, 10)); err == nil {
				t.Fatalf("%q: stored", name)
			}
		}
		if len(said) != want || want > 0 &&
			(!strings.Contains(said[0], Variable) || !strings.Contains(said[0], file)) {
			t.Errorf("%q: it says %q, want %d", name, said, want)
		}
	}
}

// TestNothingTouched checks that looking for a value makes no files.
func TestNothingTouched(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	t.Setenv(Variable, dir)
	s := Open()
	if _, ok := s.Get(ctx, key(1)); ok {
		t.Error("found")
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("looking made %s: %v", dir, err)
	}
	put(t, s, key(1), nil)
	if _, err := os.Stat(filepath.Join(dir, fileName)); err != nil {
		t.Error(err)
	}
}

// TestLocked checks that a file that another program has locked is a miss, not a long wait.
func TestLocked(t *testing.T) {
	s := At(t.TempDir(), DefaultLimit)
	put(t, s, key(1), value(1, 10))
	err := s.changeFile(patience, func(*bbolt.DB) error {
		other := At(s.dir, DefaultLimit)
		if _, ok := other.Get(ctx, key(1)); ok {
			t.Error("read while another wrote")
		}
		if err := other.Put(ctx, key(2), nil); err == nil {
			t.Error("wrote while another wrote")
		}
		if c := other.Counts(); c.Failed != 2 || c.Rebuilt != 0 {
			t.Errorf("%+v", c)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Get(ctx, key(1)); !ok {
		t.Error("the value is gone")
	}
}

func TestCancelled(t *testing.T) {
	s := At(t.TempDir(), DefaultLimit)
	put(t, s, key(1), value(1, 10))
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	if _, ok := s.Get(ctx, key(1)); ok {
		t.Error("found after a cancel")
	}
	if err := s.Put(ctx, key(1), value(2, 2*blockLen)); err == nil {
		t.Error("stored after a cancel")
	}
}

// TestReadingTakesTheValuesMemory: the file has room for a whole piece of a short value, and reading
// one does not take as much.
func TestReadingTakesTheValuesMemory(t *testing.T) {
	s := At(t.TempDir(), DefaultLimit)
	put(t, s, key(1), value(1, 300))
	packed, _, err := s.fetchPacked(key(1))
	if err != nil || cap(packed) > pageSize {
		t.Errorf("%d bytes take %d: %v", len(packed), cap(packed), err)
	}
}
