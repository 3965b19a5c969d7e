package uftrace

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/trace"
)

// plainCall is a call of a random forest, as the recorder would see it.
type plainCall struct {
	enter, leave uint64
	fn, depth    int
}

var offsets = []uint64{0x1004, 0x2008, 0x3001}
var offsetNames = []string{"main", "work", "ns::W::get"}

// forest draws calls of one task and writes their records.
func forest(t *rapid.T, d *dir, tid int) []plainCall {
	var (
		calls []plainCall
		open  []int
		now   = rapid.Uint64Range(1, 1000).Draw(t, "start")
		steps = rapid.SliceOfN(rapid.IntRange(-1, len(offsets)-1), 0, 60).Draw(t, "steps")
		leave = func() {
			c := &calls[open[len(open)-1]]
			open = open[:len(open)-1]
			c.leave = now
			d.record(tid, now, exitRecord, c.depth, textBase+offsets[c.fn])
		}
	)
	for _, fn := range steps {
		now += rapid.Uint64Range(0, 5).Draw(t, "gap")
		if fn < 0 {
			if len(open) > 0 {
				leave()
			}
			continue
		}
		d.record(tid, now, entryRecord, len(open), textBase+offsets[fn])
		open = append(open, len(calls))
		calls = append(calls, plainCall{now, 0, fn, len(open) - 1})
	}
	for len(open) > 0 {
		leave()
	}
	return calls
}

// Whatever a recorder writes without loss comes back as it was.
func TestForestsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := newDir()
		tasks := rapid.IntRange(1, 5).Draw(t, "tasks")
		want := map[string]string{}
		first := uint64(1 << 63)
		all := map[string][]plainCall{}
		for tid := 7; tid < 7+tasks; tid++ {
			if tid > 7 {
				d.tasks += fmt.Sprintf("TASK timestamp=0.000000003 tid=%d pid=7\n", tid)
			}
			calls := forest(t, d, tid)
			all[fmt.Sprint(tid)] = calls
			if len(calls) > 0 {
				first = min(first, calls[0].enter)
			}
		}
		for id, calls := range all {
			var b strings.Builder
			for _, c := range calls {
				fmt.Fprintf(&b, "%d %d %d %s\n", c.enter-first, c.leave-first, c.depth, offsetNames[c.fn])
			}
			if len(calls) > 0 {
				want[id] = b.String()
			}
		}
		tr, err := tryLoad(d.files(""))
		if err != nil {
			t.Fatal(err)
		}
		for _, th := range tr.Threads {
			var b strings.Builder
			for i := range th.Len() {
				fmt.Fprintf(&b, "%d %d %d %s\n", th.Start(i), th.End(i), th.Depth(i), tr.FunctionOf(th, i).Name)
			}
			if b.String() != want[th.ID] {
				t.Fatalf("task %s: got\n%s\nwant\n%s", th.ID, b.String(), want[th.ID])
			}
			delete(want, th.ID)
		}
		silent := tasks - len(d.dat) // without a call, so that there is no file of their records
		told := len(tr.Diagnostics) == 1 && tr.Diagnostics[0].Code == trace.NoRecords &&
			tr.Diagnostics[0].Count == uint64(silent)
		if len(want) > 0 || told != (silent > 0) || !told && len(tr.Diagnostics) > 0 {
			t.Fatalf("missing %v, %d tasks without records, diagnostics %v", want, silent, tr.Diagnostics)
		}
	})
}

// A stack deeper than the 10 bits of a record's depth keeps its shape.
func TestDeepStack(t *testing.T) {
	const levels = 5000
	d := newDir()
	for i := range levels {
		d.enter(uint64(100+i), i, 0x2004)
	}
	for i := range levels {
		d.leave(uint64(10000+i), levels-1-i, 0x2004)
	}
	files := d.files("")
	files["info"].Data[32], files["info"].Data[33] = 0xff, 0xff // --max-stack
	tr := load(t, files)
	if len(tr.Diagnostics) > 0 || tr.MaxDepth() != levels {
		t.Errorf("depth %d, diagnostics %v", tr.MaxDepth(), tr.Diagnostics)
	}
}

// checkNesting fails unless every call lies within its parent, one level below.
func checkNesting(t interface{ Fatalf(string, ...any) }, tr *trace.Trace) {
	for _, th := range tr.Threads {
		for i := range th.Len() {
			p := th.Parent(i)
			inside := p < 0 || th.Start(int(p)) <= th.Start(i) && th.End(i) <= th.End(int(p)) &&
				th.Depth(i) == th.Depth(int(p))+1
			if th.End(i) < th.Start(i) || !inside {
				t.Fatalf("call %d does not nest:\n%s", i, show(tr))
			}
		}
	}
}

// Losing any records never breaks the shape of a thread, and what is left still nests.
func TestLossIsRepaired(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := newDir()
		forest(t, d, 7)
		if d.dat[7] == nil {
			return
		}
		data := d.dat[7].Bytes()
		var left []byte
		for at := 0; at < len(data); at += recordSize {
			if rapid.IntRange(0, 3).Draw(t, "lose") > 0 {
				left = append(left, data[at:at+recordSize]...)
			}
		}
		files := d.files("")
		files["7.dat"].Data = left
		tr, err := tryLoad(files)
		if err != nil {
			t.Fatal(err)
		}
		checkNesting(t, tr)
	})
}
