package otf2

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"
)

// TestScale holds ticks as ns against arithmetic without limits.
func TestScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ticks, perSecond := rapid.Uint64().Draw(t, "ticks"), rapid.Uint64Min(1).Draw(t, "per second")
		want := new(big.Int).Mul(new(big.Int).SetUint64(ticks), big.NewInt(1e9))
		want.Div(want, new(big.Int).SetUint64(perSecond))
		got, ok := scale(ticks, 1e9, perSecond)
		if ok != want.IsUint64() || ok && got != want.Uint64() {
			t.Fatalf("%d ticks of %d a second are %d ns (%v), want %v", ticks, perSecond, got, ok, want)
		}
	})
}

// TestCorrect holds clock offsets: interpolated between two, continued beyond the outer ones, and
// without effect if there is one only.
func TestCorrect(t *testing.T) {
	one := local{offsets: []offset{{100, 50}}}
	three := local{offsets: []offset{{100, 50}, {200, 150}, {400, -50}}}
	for _, c := range []struct {
		of         *local
		time, want uint64
	}{
		{&one, 70, 70}, {&three, 100, 150}, {&three, 150, 250}, {&three, 200, 350}, {&three, 300, 350},
		{&three, 400, 350}, {&three, 500, 350}, {&three, 90, 130}, // also back in time
	} {
		if got := c.of.correct(c.time); got != c.want {
			t.Errorf("%d is %d, want %d", c.time, got, c.want)
		}
	}
}

// TestMaps holds mapping tables of both kinds: what they do not name stays.
func TestMaps(t *testing.T) {
	w := newWriter(binary.BigEndian)
	table := func(of, n, sparse uint64, pairs ...uint64) []byte {
		out := w.values(nil, "bqb", of, n, sparse)
		for _, p := range pairs {
			out = w.packed(out, p, 8)
		}
		return out
	}
	var l local
	for _, body := range [][]byte{table(3, 2, 0, 7, 8), table(6, 2, 1, 900, 1, 5, 2), table(200, 1, 0, 3)} {
		if !l.read(mappingTable, &fields{rest: body, order: w.order}) {
			t.Fatalf("%x is broken", body)
		}
	}
	regions, comms := &l.maps[mapped['r']], &l.maps[mapped['c']]
	for _, c := range []struct {
		of         *idMap
		from, want uint32
	}{
		{regions, 0, 7}, {regions, 1, 8}, {regions, 2, 2}, {comms, 900, 1}, {comms, 5, 2}, {comms, 6, 6},
		{comms, undefined, undefined}, {&l.maps[mapped['s']], 3, 3},
	} {
		if got := c.of.global(c.from); got != c.want {
			t.Errorf("%d is %d, want %d", c.from, got, c.want)
		}
	}
	for _, broken := range [][]byte{table(3, 9, 0, 1), {}, table(3, math.MaxUint64, 1, 1, 2)} {
		if l.read(mappingTable, &fields{rest: broken, order: w.order}) {
			t.Errorf("%x is taken for sound", broken)
		}
	}
}

// TestPacked holds packed numbers of both byte orders against the writer of the tests.
func TestPacked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWriter(rapid.SampledFrom([]byteOrders{binary.LittleEndian, binary.BigEndian}).Draw(t, "order"))
		long := rapid.OneOf(rapid.Uint64(), rapid.Uint64Max(300), rapid.Just(uint64(math.MaxUint64)))
		a, b := long.Draw(t, "a"), uint32(long.Draw(t, "b"))
		f := fields{rest: w.packed(w.packed(nil, a, 8), uint64(b), 4), order: w.order}
		if x, y := f.u64(), f.u32(); x != a || y != b || f.bad || f.more() {
			t.Fatalf("%d and %d are read as %d and %d", a, b, x, y)
		}
		if f.u64(); !f.bad {
			t.Fatal("there is more than the end")
		}
	})
}

// TestPile holds that a long pile keeps all.
func TestPile(t *testing.T) {
	var p pile[int]
	for i := range 5000 {
		if at := p.add(3 * i); at != i {
			t.Fatalf("%d is at %d", i, at)
		}
	}
	for i := range p.n {
		if v := *p.at(i); v != 3*i {
			t.Fatalf("%d is %d", i, v)
		}
	}
}

// TestLostDefinitions: where one location lacks the file of definitions that others have, that is
// told. An archive without any of them is whole.
func TestLostDefinitions(t *testing.T) {
	archive := func(without ...string) fstest.MapFS {
		s := newScene(3)
		for rank := range uint64(3) {
			s.at(rank, 10, enter, s.run)
			s.at(rank, 20, leave, s.run)
		}
		dir := s.archive()
		for _, name := range without {
			delete(dir, name)
		}
		return dir
	}
	for want, dir := range map[string]fstest.MapFS{
		"a/1.def is missing": archive("a/1.def"), "2× a/0.def is missing": archive("a/0.def", "a/2.def"),
		"": archive(), " ": archive("a/0.def", "a/1.def", "a/2.def"),
	} {
		tr, told := mustLoad(t, dir), ""
		for _, d := range tr.Diagnostics {
			told += fmt.Sprintf("%d× %s", d.Count, d.Example)
		}
		if !strings.Contains(told, strings.TrimSpace(want)) || strings.TrimSpace(want) == "" && told != "" {
			t.Errorf("%q is told, want %q", told, want)
		}
	}
}
