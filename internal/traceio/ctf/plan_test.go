package ctf

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// TestPlans reads random traces field by field, and by plans and shapes: what is kept of each event,
// whatever it may be, and what is told, is the same.
func TestPlans(t *testing.T) {
	for seed := range testtrace.Sized(uint64(50), 10_000) {
		r := rand.New(rand.NewPCG(seed, 5))
		var dir fstest.MapFS
		if seed%2 == 0 {
			dir, _ = generated(seed, 20+int(seed%100))
		} else {
			dir = sessionOf(r, randomEvents(r, 200), 1+r.IntN(3), seed%4 == 1)
		}
		if seed%5 == 0 {
			for name, f := range dir {
				if name != "metadata" {
					f.Data = mutated(r, f.Data)
				}
			}
		}
		most, wanted := 1+r.IntN(60), r.Uint64()
		got, want := kept(t, dir, false, most, wanted), kept(t, dir, true, most, wanted)
		for i := range max(len(got), len(want)) {
			if i >= len(got) || i >= len(want) || got[i] != want[i] {
				t.Fatalf("seed %d, line %d of %d and %d:\n got %q\nwant %q\n%s", seed, i, len(got), len(want),
					got[min(i, len(got)):min(i+1, len(got))], want[min(i, len(want)):min(i+1, len(want))],
					dir["metadata"].Data)
			}
		}
	}
}

// kept describes what batches of so many events hold of a folder. The bits of wanted choose fields
// that actions look at besides their own.
func kept(t *testing.T, dir fstest.MapFS, plain bool, most int, wanted uint64) (lines []string) {
	t.Helper()
	f := newFeed(trace.NewBuilder("ctf"))
	defer f.close()
	tr, err := openTrace(context.Background(), &input.Source{Path: "d", Dir: dir}, ".", f)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(wanted, 1))
	for _, a := range tr.acts {
		if a.rest = a.fields != nil && r.IntN(2) == 0; a.rest {
			a.wanted = slices.DeleteFunc(slices.Clone(a.fields.kids),
				func(n *node) bool { return n != a.addr && (!n.isNumber() && !n.isText() || r.IntN(3) == 0) })
		}
	}
	for _, s := range tr.meta.streams {
		s.plan()
	}
	for _, s := range tr.streams {
		s.plain = plain
		b, more := &batch{most: most}, true
		for more {
			more = s.decodeSome(context.Background(), b)
			lines = append(lines, contents(tr, s, b)...)
		}
	}
	return lines
}

// TestContexts has contexts of all sizes, of which one byte of the name changes between events: each
// event is on the thread that its own context tells.
func TestContexts(t *testing.T) {
	for size := 1; size < 60; size++ {
		r := rand.New(rand.NewPCG(uint64(size), 8))
		to, want := &recorded{nameSize: size}, []string{}
		name := bytes.Repeat([]byte("n"), size)
		for i := range 400 {
			if r.IntN(3) == 0 {
				name[r.IntN(size)] = byte('a' + r.IntN(26))
			}
			side := []string{"entry", "exit"}[r.IntN(2)]
			to.event(uint64(1000+i), 7, 7, string(name), cyg+"func_"+side, r.IntN(9), 1)
			want = append(want, string(name))
		}
		f := newFeed(trace.NewBuilder("ctf"))
		tr, err := openTrace(t.Context(), &input.Source{Path: "d", Dir: to.folder(to.packet())}, ".", f)
		if err != nil {
			t.Fatal(err)
		}
		b := &batch{most: batchEvents}
		tr.streams[0].decodeSome(t.Context(), b)
		f.close()
		if tr.streams[0].layout.shapes.quick == nil {
			t.Fatalf("%d bytes: no quick shapes", size)
		}
		for i, e := range b.events {
			if got := b.owners[e.owner].comm; got != want[i] || len(b.events) != len(want) {
				t.Fatalf("%d bytes, event %d of %d: %q, want %q", size, i, len(b.events), got, want[i])
			}
		}
	}
}

// contents describes the events and notes of a batch, notes without their place: a stream may hand
// over a full batch before or after it looks for more.
func contents(t *tracer, s *stream, b *batch) (lines []string) {
	var to slots
	to.grow(1 << 10)
	valued := 0
	for _, e := range b.events {
		a := t.acts[e.act]
		line := fmt.Sprintf("%s %d %v", a.class.name, e.at, b.owners[e.owner])
		if a.addr != nil && a.addr.isNumber() {
			line += fmt.Sprint(" about ", e.addr)
		}
		if a.rest {
			b.restore(a, valued, &to)
			valued += len(a.wanted)
			for _, n := range a.wanted {
				line += fmt.Sprintf(" %s=%d %q", n.name, to.num(n), to.text(n))
			}
		}
		lines = append(lines, line)
	}
	for _, v := range b.notes {
		lines = append(lines, fmt.Sprintf("%s: %d %d %d %s", s.name, v.before, v.bytes, v.n, v.example))
	}
	return lines
}

// happened is an event of a session that is made up.
type happened struct {
	at, tid uint64
	comm    string
	name    string
	values  []any
	stream  int
}

// randomEvents makes up n events of a few threads, in order of time.
func randomEvents(r *rand.Rand, n int) (all []happened) {
	at := uint64(1000)
	for range n {
		if at += uint64(r.IntN(4)); r.IntN(50) == 0 {
			at += uint64(r.IntN(1 << 29))
		}
		e := happened{at: at, tid: 7, comm: "app", stream: r.IntN(3)}
		if r.IntN(4) == 0 {
			e.tid, e.comm = 7+uint64(r.IntN(4)), []string{"app", "worker"}[r.IntN(2)]
		}
		switch k := r.IntN(10); {
		case k < 4:
			e.name, e.values = cyg+"func_entry", []any{0x1000 + r.IntN(2000), 1}
		case k < 8:
			e.name, e.values = cyg+"func_exit", []any{0x1000 + r.IntN(2000), 1}
		case k == 8:
			e.name, e.values = pthread+"trylock", []any{0x100 + r.IntN(3), r.IntN(2)}
		default:
			e.name, e.values = dump+"procname", []any{strings.Repeat("p", r.IntN(5))}
		}
		all = append(all, e)
	}
	return all
}

// sessionOf writes events to so many streams of a folder, by their numbers.
func sessionOf(r *rand.Rand, all []happened, streams int, bigEndian bool) fstest.MapFS {
	described := &recorded{bitWriter: bitWriter{big: bigEndian}}
	var files [][]byte
	for k := range streams {
		to := &recorded{bitWriter: bitWriter{big: bigEndian}, names: described.names}
		var file []byte
		for _, e := range all {
			if e.stream%streams != k {
				continue
			}
			if r.IntN(20) == 0 && len(to.data) > 0 {
				file = append(file, to.next()...)
			}
			to.event(e.at, e.tid, 7, e.comm, e.name, e.values...)
		}
		files, described.names = append(files, append(file, to.packet()...)), to.names
	}
	return described.folder(files...)
}

// TestMerging spreads events over streams, which gives the same trace as one stream with all of
// them, in the order of time and then of the streams, on any number of processors.
func TestMerging(t *testing.T) {
	for seed := range testtrace.Sized(uint64(6), 100) {
		r := rand.New(rand.NewPCG(seed, 6))
		all := randomEvents(r, 3000)
		for i := range all {
			all[i].stream %= 3
		}
		parts := sessionOf(r, all, 3, false)
		slices.SortStableFunc(all, func(a, b happened) int {
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.stream, b.stream))
		})
		want := listed(mustLoad(t, sessionOf(r, all, 1, false)))
		for _, processors := range []int{1, 4} {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
			same(t, fmt.Sprintf("seed %d, %d processors", seed, processors), listed(mustLoad(t, parts)), want)
		}
	}
}
