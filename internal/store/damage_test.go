package store

import (
	"bytes"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"diptych/internal/testtrace"
)

var damaged = flag.Int("damaged", testtrace.Sized(24, 400),
	"copies of a file that TestDamage damages")

// hurt damages a file's content as a disk, a crash or a stranger might.
func hurt(b []byte, r *rand.Rand) []byte {
	page := func() int { return r.IntN(len(b)/pageSize) * pageSize }
	switch r.IntN(7) {
	case 0: // a few bytes anywhere
		for range 1 + r.IntN(20) {
			b[r.IntN(len(b))] = byte(r.Uint32())
		}
	case 1: // a byte where bbolt keeps a page's header and elements
		at := page() + r.IntN(128)
		b[at] = byte(r.Uint32())
	case 2: // a small number there, such as another page's
		b[page()+r.IntN(128)] = byte(r.IntN(40))
	case 3: // a lost page
		clear(b[page():][:pageSize])
	case 4: // a page in another's place
		copy(b[page():][:pageSize], bytes.Clone(b[page():][:pageSize]))
	case 5: // a lost tail
		b = b[:r.IntN(len(b))]
	case 6: // a stale meta
		copy(b[:pageSize], b[pageSize:2*pageSize])
	}
	return b
}

// TestDamage checks that a damaged file never returns a wrong value, and that the store works again
// afterwards.
func TestDamage(t *testing.T) {
	const values = 12
	copies := *damaged
	lengths := func(i int) int { return (i % 6) * (i % 6) * 3000 * (1 + i%2) }
	s := At(t.TempDir(), 8<<20)
	for i := range values {
		put(t, s, key(i), value(i, lengths(i)))
	}
	for i := range 3 { // gaps
		s.dropValue(key(4 * i))
	}
	whole, err := os.ReadFile(s.path())
	if err != nil {
		t.Fatal(err)
	}
	var hits, rebuilt int64
	for seed := range copies {
		s := At(t.TempDir(), 8<<20)
		b := bytes.Clone(whole)
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		for range 1 + r.IntN(3) {
			if len(b) > 2*pageSize {
				b = hurt(b, r)
			}
		}
		if err := os.WriteFile(s.path(), b, 0o600); err != nil {
			t.Fatal(err)
		}
		check := func() {
			for i := range values {
				if v, ok := s.Get(ctx, key(i)); ok && !bytes.Equal(v, value(i, lengths(i))) {
					t.Fatalf("copy %d: value %d is wrong", seed, i)
				}
			}
		}
		if seed%2 == 0 {
			check()
		}
		for i := range 3 {
			put(t, s, key(values+i), value(i, 20_000*i))
			if v, ok := s.Get(ctx, key(values+i)); !ok || !bytes.Equal(v, value(i, 20_000*i)) {
				t.Fatalf("copy %d: does not serve again", seed)
			}
		}
		check()
		c := s.Counts()
		hits, rebuilt = hits+c.Hits, rebuilt+c.Rebuilt
	}
	if rebuilt < int64(copies/4) || hits < int64(copies) {
		t.Errorf("%d hits, %d files rebuilt", hits, rebuilt)
	}
}

// TestNonsense checks that a file that never was a store is replaced.
func TestNonsense(t *testing.T) {
	for name, b := range map[string][]byte{
		"empty": {}, "short": []byte("hello"), "zeros": make([]byte, 10*pageSize),
		"noise": value(1, 200_000),
	} {
		s := At(t.TempDir(), DefaultLimit)
		if err := os.WriteFile(s.path(), b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, ok := s.Get(ctx, key(1)); ok {
			t.Errorf("%s: found", name)
		}
		put(t, s, key(1), value(1, 10))
		if _, ok := s.Get(ctx, key(1)); !ok {
			t.Errorf("%s: does not serve", name)
		}
	}
}

// TestLostBucket has a file whose structure is sound, but whose keys are out of order: bbolt lists a
// bucket that it does not find. Such a file is replaced, too, and that is said once.
func TestLostBucket(t *testing.T) {
	s := At(t.TempDir(), DefaultLimit)
	var said []string
	s.Say = func(text string) { said = append(said, text) }
	put(t, s, key(1), value(1, 10))
	b, err := os.ReadFile(s.path())
	if err != nil {
		t.Fatal(err)
	}
	lost := bytes.Clone(indexName)
	lost[0] = 'z' // after that of the values
	if err := os.WriteFile(s.path(), bytes.ReplaceAll(b, indexName, lost), 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		put(t, s, key(i), value(i, 10))
		if _, ok := s.Get(ctx, key(i)); !ok {
			t.Error("does not serve again")
		}
	}
	if len(said) != 1 || !strings.Contains(said[0], "were damaged") || s.Counts().Rebuilt != 1 {
		t.Errorf("said %q, %+v", said, s.Counts())
	}
}

// TestNoFile has a pipe and a directory in the place of the file: nothing is waited for, and it is
// said once.
func TestNoFile(t *testing.T) {
	for what, make := range map[string]func(path string) error{
		"pipe":      func(path string) error { testtrace.Pipe(t, path); return nil },
		"directory": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		s := At(t.TempDir(), DefaultLimit)
		said := 0
		s.Say = func(string) { said++ }
		if err := make(s.path()); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := s.Put(ctx, key(1), value(1, 10)); err == nil {
				t.Errorf("%s: stored", what)
			}
			if _, ok := s.Get(ctx, key(1)); ok {
				t.Errorf("%s: found", what)
			}
		}
		if said != 1 || s.Counts().Rebuilt != 0 {
			t.Errorf("%s: said %d times, %+v", what, said, s.Counts())
		}
	}
}

// TestCutWhileRead checks that a file that is cut while it is mapped counts as damaged and does not
// end the program.
func TestCutWhileRead(t *testing.T) {
	s := At(t.TempDir(), DefaultLimit)
	put(t, s, key(1), value(1, 10*blockLen))
	err := s.readFile(func(tx *bbolt.Tx) error {
		if err := os.Truncate(s.path(), 2*pageSize); err != nil {
			t.Fatal(err)
		}
		return tx.Bucket(valuesName).Bucket(key(1).bytes()).ForEach(func(_, piece []byte) error {
			_ = bytes.Clone(piece)
			return nil
		})
	})
	if !errors.Is(err, errDamaged) {
		t.Errorf("%v", err)
	}
	put(t, s, key(1), value(1, 10))
	if _, ok := s.Get(ctx, key(1)); !ok {
		t.Error("does not serve again")
	}
}

func (k Key) bytes() []byte { return k[:] }

// TestWrongValue checks that a value is not accepted under another key.
func TestWrongValue(t *testing.T) {
	packed, err := pack(ctx, key(1), value(1, 1000))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := unpack(ctx, key(2), packed, DefaultLimit); !errors.Is(err, errDamaged) {
		t.Errorf("%v", err)
	}
}

// TestTheLaterMetaCounts: of two valid meta pages the later one counts, wherever it is, and of one
// that is damaged the other.
func TestTheLaterMetaCounts(t *testing.T) {
	for _, written := range [][2]uint64{{4, 5}, {6, 5}} {
		file := make([]byte, 2*pageSize)
		for k, txid := range written {
			meta := file[k*pageSize+headerLen:]
			order.PutUint32(meta, magic)
			order.PutUint32(meta[4:], layoutVersion)
			order.PutUint32(meta[8:], pageSize)
			order.PutUint64(meta[16:], txid) // where the root is
			order.PutUint64(meta[48:], txid)
		}
		signed(file)
		if root, _, _, err := readMeta(bytes.NewReader(file)); root != max(written[0], written[1]) || err != nil {
			t.Errorf("of %d, the root of %d counts: %v", written, root, err)
		}
		file[headerLen+16] ^= 1
		if root, _, _, err := readMeta(bytes.NewReader(file)); root != written[1] || err != nil {
			t.Errorf("of %d, whose first is damaged, the root of %d counts: %v", written, root, err)
		}
	}
}
