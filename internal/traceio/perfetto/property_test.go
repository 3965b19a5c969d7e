package perfetto_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/testtrace"
	"diptych/internal/traceio/text/texttest"
)

// plainCall is a call of a random forest.
type plainCall struct {
	name       string
	start, end int64
	depth      int
}

// drawForest draws calls of a thread, in the order of their starts.
func drawForest(t *rapid.T) (calls []plainCall) {
	var open []int
	now := rapid.Int64Range(0, 1000).Draw(t, "start")
	leave := func() {
		calls[open[len(open)-1]].end = now
		open = open[:len(open)-1]
	}
	for _, step := range rapid.SliceOfN(rapid.IntRange(-2, 5), 1, 40).Draw(t, "steps") {
		now += rapid.Int64Range(0, 9).Draw(t, "gap")
		switch {
		case step >= 0:
			open = append(open, len(calls))
			calls = append(calls, plainCall{fmt.Sprintf("f%d", step), now, 0, len(open) - 1})
		case len(open) > 0:
			leave()
		}
	}
	for len(open) > 0 {
		now++
		leave()
	}
	return calls
}

// writer writes events of a sequence in one of the ways that writers have.
type writer struct {
	sequence, track int64
	interned, delta bool // names have numbers; times are differences on a clock of the sequence
	known           map[string]int64
	now             int64
	packets         [][]byte
}

const deltaClock = 64

// clear begins an incremental state at a time.
func (w *writer) clear(now int64) {
	w.known, w.now = map[string]int64{}, now
	defaults := sub(11, num(11, w.track))
	packet := on(w.sequence, num(13, 1), sub(59, defaults))
	if w.delta {
		packet = append(on(w.sequence, num(13, 1), sub(6, clockShows(6, now),
			clockShows(deltaClock, 77_000, num(3, 1)))),
			on(w.sequence, sub(59, num(58, deltaClock), defaults))...)
	}
	w.packets = append(w.packets, packet)
}

func (w *writer) event(at int64, name string, kind int64) {
	event := num(9, kind)
	var interned []byte
	switch {
	case kind == 2:
	case w.interned:
		id, ok := w.known[name]
		if !ok {
			id = int64(len(w.known) + 1)
			w.known[name] = id
			interned = sub(12, sub(2, num(1, id), str(2, name)))
		}
		event = append(event, num(10, id)...)
	default:
		event = append(event, str(23, name)...)
	}
	stamp := at
	if w.delta {
		stamp, w.now = at-w.now, at
	}
	w.packets = append(w.packets, on(w.sequence, num(8, stamp), num(13, 2), interned, str(11, string(event))))
}

// write writes a forest, with the state cleared now and then.
func (w *writer) write(calls []plainCall, clearEvery int) {
	var open []plainCall
	n := 0
	emit := func(at int64, name string, kind int64) {
		if n%clearEvery == 0 {
			w.clear(at)
		}
		n++
		w.event(at, name, kind)
	}
	endTo := func(depth int) {
		for len(open) > depth {
			emit(open[len(open)-1].end, "", 2)
			open = open[:len(open)-1]
		}
	}
	for _, c := range calls {
		endTo(c.depth)
		emit(c.start, c.name, 1)
		open = append(open, c)
	}
	endTo(0)
}

// interleave merges the packets of several writers in a random order that keeps each one's.
func interleave(r *rand.Rand, lists [][][]byte) (file [][]byte) {
	for len(lists) > 0 {
		k := r.IntN(len(lists))
		if len(lists[k]) == 0 {
			lists = append(lists[:k], lists[k+1:]...)
			continue
		}
		file = append(file, lists[k][0])
		lists[k] = lists[k][1:]
	}
	return file
}

// TestForestsComeBack holds that whatever a writer writes without loss comes back as it was,
// however it is encoded and interleaved, and wherever it is compressed.
func TestForestsComeBack(t *testing.T) {
	testtrace.Checks(t, 60)
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		var lists [][][]byte
		want := map[string]string{}
		for k := range rapid.Int64Range(1, 4).Draw(t, "threads") {
			calls := drawForest(t)
			w := writer{sequence: k + 1, track: k + 100, interned: r.IntN(2) == 0, delta: r.IntN(2) == 0}
			w.packets = [][]byte{on(w.sequence, threadTrack(w.track, 1, k+1, fmt.Sprint("t", k)))}
			w.write(calls, 1+r.IntN(20))
			lists = append(lists, w.packets)
			var lines strings.Builder
			for _, c := range calls {
				fmt.Fprintf(&lines, "%s%d-%d %s\n", strings.Repeat("  ", c.depth+1), c.start, c.end, c.name)
			}
			want[fmt.Sprintf("1/%d", k+1)] = lines.String()
		}
		file := interleave(r, lists)
		if cut := r.IntN(len(file)); r.IntN(2) == 0 {
			file = append(file[:cut:cut], compressed(file[cut:]...))
		}
		tr := mustLoad(t, bytes.Join(file, nil))
		if len(tr.Diagnostics) > 0 {
			t.Fatalf("diagnostics %v", tr.Diagnostics)
		}
		for _, th := range tr.Threads {
			var lines strings.Builder
			for i := range th.Len() {
				fmt.Fprintf(&lines, "%s%d-%d %s\n", strings.Repeat("  ", int(th.Depth(i))+1),
					th.Start(i)+tr.Origin, th.End(i)+tr.Origin, tr.FunctionOf(th, i).Name)
			}
			if got := lines.String(); got != want[th.ID] {
				t.Fatalf("thread %s: got\n%swant\n%s", th.ID, got, want[th.ID])
			}
			delete(want, th.ID)
		}
		for id, lines := range want {
			if lines != "" {
				t.Fatalf("thread %s is missing:\n%s", id, texttest.Show(tr))
			}
		}
	})
}
