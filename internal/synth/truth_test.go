package synth

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/testtrace"
)

// rebuild makes the names and depths of a thread of B from A and the truth; of B itself it takes
// the inserted subtrees only. What no edit places is filled with the rest of A, in order.
func rebuild(a, b []call, edits []Edit, renames map[string]string) []call {
	out := make([]call, len(b))
	placed, gone := make([]bool, len(b)), make([]bool, len(a))
	put := func(at int, from []call) {
		copy(out[at:], from)
		for i := range from {
			placed[at+i] = true
		}
	}
	for _, e := range edits {
		if e.A != nil && e.Kind != Slow && e.Kind != Contend {
			for i := range e.Size + e.Other {
				gone[*e.A+i] = true
			}
		}
		switch e.Kind {
		case Insert:
			put(*e.B, b[*e.B:*e.B+e.Size])
		case Move:
			put(*e.B, a[*e.A:*e.A+e.Size])
		case Swap:
			put(*e.B-e.Other, a[*e.A+e.Size:*e.A+e.Size+e.Other])
			put(*e.B, a[*e.A:*e.A+e.Size])
		case Repeat:
			for n := range 1 + e.Times {
				put(*e.B+n*e.Size, a[*e.A:*e.A+e.Size])
			}
		}
	}
	at := 0
	for i, c := range a {
		if gone[i] {
			continue
		}
		for at < len(out) && placed[at] {
			at++
		}
		if at == len(out) {
			return nil
		}
		out[at], placed[at] = c, true
	}
	for i := range out {
		if to, ok := renames[out[i].name]; ok {
			out[i].name = to
		}
	}
	return out
}

// byThread splits the edits, and returns the renames, and the parts of each split mutex.
func byThread(truth *Truth) (edits map[int][]Edit, renames map[string]string,
	parts map[string][]string) {
	edits, renames, parts = map[int][]Edit{}, map[string]string{}, map[string][]string{}
	for _, e := range truth.Edits {
		switch e.Kind {
		case Rename:
			renames[e.From] = e.To
		case Shard:
			parts[e.From] = strings.Split(e.To, ",")
		default:
			edits[*e.Thread] = append(edits[*e.Thread], e)
		}
	}
	return edits, renames, parts
}

func TestTruthTurnsAIntoB(t *testing.T) {
	testtrace.Checks(t, 10)
	rapid.Check(t, func(r *rapid.T) {
		o := Options{
			Calls:     rapid.IntRange(2000, 6000).Draw(r, "calls"),
			Threads:   rapid.IntRange(1, 6).Draw(r, "threads"),
			Functions: rapid.IntRange(100, 900).Draw(r, "functions"), Seed: rapid.Uint64().Draw(r, "seed"),
			Edits: map[Kind]float64{},
			Waits: rapid.SampledFrom([]int{0, 0, 150}).Draw(r, "waits"),
		}
		if o.Waits == 0 && o.Calls > 4000 {
			// The plain reader wants every call's end: no deadlock.
			name := rapid.SampledFrom(staged()[:7])
			o.Situations = rapid.SliceOfN(name, 0, 4).Draw(r, "situations")
		}
		for k := range kinds {
			o.Edits[k] = rapid.SampledFrom([]float64{0, 0.001, 0.02, 0.15}).Draw(r, k.String())
		}
		pathA, pathB, truth := generate(t, o, ".data")
		sideA, sideB := readSide(t, pathA), readSide(t, pathB)
		edits, renames, parts := byThread(truth)
		for tid, a := range sideA {
			b := sideB[tid]
			got := rebuild(a, b, edits[tid], renames)
			for i := range got {
				if to := parts[got[i].object]; to != nil && strings.Contains(got[i].name, "mutex") {
					if at := to[tid%len(to)]; at == b[i].object {
						got[i].object = at // what was inserted has it already
					}
				}
			}
			if !slices.EqualFunc(got, b, func(x, y call) bool {
				return x.name == y.name && x.depth == y.depth && x.object == y.object
			}) {
				r.Fatalf("thread %d: A and the truth do not give B", tid)
			}
			explain(r, a, b, edits[tid], renames)
		}
	})
}

// explain checks that counts and named functions fit the edits.
func explain(r *rapid.T, a, b []call, edits []Edit, renames map[string]string) {
	more := 0
	for _, e := range edits {
		switch e.Kind {
		case Insert:
			more += e.Size
			if b[*e.B].name != e.To {
				r.Fatalf("inserted %s, there is %s", e.To, b[*e.B].name)
			}
		case Delete:
			more -= e.Size
		case Repeat:
			more += e.Size * e.Times
		}
		if e.A != nil && a[*e.A].name != e.From {
			r.Fatalf("%v of %s, there is %s", e.Kind, e.From, a[*e.A].name)
		}
		if e.A != nil && subtree(a, *e.A) < e.Size {
			r.Fatalf("%v of %d calls, the subtree has %d", e.Kind, e.Size, subtree(a, *e.A))
		}
		if (e.Kind == Slow || e.Kind == Contend) && b[*e.B].end-b[*e.B].start < e.DeltaNs {
			r.Fatalf("slowed by %d ns, takes %d", e.DeltaNs, b[*e.B].end-b[*e.B].start)
		}
	}
	if len(b)-len(a) != more {
		r.Fatalf("B has %d calls more, the edits explain %d", len(b)-len(a), more)
	}
}

func subtree(calls []call, i int) int {
	n := 1
	for n+i < len(calls) && calls[i+n].depth > calls[i].depth {
		n++
	}
	return n
}

func TestEveryKindComesAtItsRate(t *testing.T) {
	const calls, rate = 60_000, 0.01
	_, _, truth := generate(t, Options{Calls: calls, Seed: 2, Edits: allEdits(rate)}, ".data")
	for k := range Contend {
		n := truth.Counts[k]
		if k == Rename && n > 0 {
			continue
		}
		if n < calls*rate*3/4 || n > calls*rate*5/4 {
			t.Errorf("%v: %d edits", k, n)
		}
	}
}

// A contended wait is one that takes longer than an operation ever does on its own.
func TestContendedWaitsEndAtAReleaseOnAnotherThread(t *testing.T) {
	const alone, late = 600, 1000
	o := Options{Calls: 100_000, Threads: 12, Seed: 9, Edits: allEdits(0.01)}
	a, b, _ := generate(t, o, ".data")
	for _, path := range []string{a, b} {
		threads := readSide(t, path)
		releases := map[string][]moment{}
		for tid, calls := range threads {
			for _, c := range calls {
				if c.name == "pthread_mutex_unlock" || c.name == "sem_post" {
					releases[c.object] = append(releases[c.object], moment{tid, c.start})
				}
			}
		}
		waits := map[string]int{}
		for tid, calls := range threads {
			for _, c := range calls {
				if c.name != "pthread_mutex_lock" && c.name != "sem_wait" || c.end-c.start <= alone {
					continue
				}
				waits[c.name]++
				if !slices.ContainsFunc(releases[c.object], func(p moment) bool {
					return p.tid != tid && p.at >= c.start && p.at <= c.end && p.at >= c.end-late
				}) {
					t.Fatalf("thread %d: nothing releases %v", tid, c)
				}
			}
		}
		if waits["pthread_mutex_lock"] < 30 || waits["sem_wait"] < 30 {
			t.Errorf("hardly anything is contended: %v", waits)
		}
	}
}

type moment struct {
	tid int
	at  int64
}

func TestMutexesExclude(t *testing.T) {
	a, _, _ := generate(t, Options{Calls: 60_000, Threads: 12, Seed: 10}, ".data")
	held := map[string][]call{}
	for _, calls := range readSide(t, a) {
		open := map[string]call{}
		for _, c := range calls {
			switch c.name {
			case "pthread_mutex_lock":
				open[c.object] = c
			case "pthread_mutex_unlock":
				l, ok := open[c.object]
				if !ok || l.depth != c.depth {
					t.Fatalf("%v without its lock", c)
				}
				delete(open, c.object)
				held[c.object] = append(held[c.object], call{start: l.end, end: c.start})
			}
		}
		if len(open) > 0 {
			t.Fatalf("never unlocked: %v", open)
		}
	}
	for object, spans := range held {
		slices.SortFunc(spans, func(a, b call) int { return int(a.start - b.start) })
		for i := 1; i < len(spans); i++ {
			if spans[i].start < spans[i-1].end {
				t.Fatalf("%s is held twice at %d", object, spans[i].start)
			}
		}
	}
}

func TestNamesArePlausible(t *testing.T) {
	o := Options{Calls: 20_000, Seed: 4, Edits: map[Kind]float64{Rename: 0.2}}
	_, _, truth := generate(t, o, ".data")
	for _, e := range truth.Edits {
		if !strings.HasPrefix(e.To, e.From) || e.To == e.From || !strings.Contains(e.From, ".") {
			t.Errorf("%s became %s", e.From, e.To)
		}
	}
	if len(truth.Edits) < 50 {
		t.Errorf("%d renames", len(truth.Edits))
	}
}
