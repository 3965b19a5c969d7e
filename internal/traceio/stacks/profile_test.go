package stacks

import (
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/trace"
)

// TestProfile sums stacks that are added out of order, with labels and values of every sign.
func TestProfile(t *testing.T) {
	x := newBench()
	p := NewProfile(x.line.Tree, x.b, "bytes")
	p.Add(x.stack("mb"), 2, "")
	p.Add(x.stack("m"), 4, "")
	p.Add(x.stack("mab"), 3, "phase=1")
	p.Add(x.stack("mab"), 1, "phase=2")
	p.Add(x.stack("mc"), 0, "")
	p.Add(x.stack("md"), -7, "")
	p.Add(x.stack("m"), trace.Limit, "")
	to := x.b.Thread("bytes", -1)
	p.Write(to)
	tr := x.trace(t)
	if got, want := calls(tr), "m 0-10 .a 0-4 ..b 0-4 .b 4-6 .d 6-6"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if p.total != 10 || tr.Threads[0].Args(2) != "phase=1: 3, phase=2: 1" {
		t.Errorf("total %d, labels %q", p.total, tr.Threads[0].Args(2))
	}
	d := tr.Diagnostics
	if len(d) != 2 || d[0].Code != trace.BadRecord || d[1].Code != trace.NegativeDuration ||
		d[1].Example != "sample of −7 B" {
		t.Errorf("diagnostics %v", d)
	}
}

func TestEmptyProfile(t *testing.T) {
	x := newBench()
	p := NewProfile(x.line.Tree, x.b, "bytes")
	p.Write(x.b.Thread("bytes", -1))
	if tr := x.trace(t); tr.Calls() != 0 {
		t.Error(calls(tr))
	}
}

// TestProfileSums holds widths against sums over all samples whose stack begins alike.
func TestProfileSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := newBench()
		p := NewProfile(x.line.Tree, x.b, "count")
		want, total := map[string]int64{}, int64(0)
		for range rapid.IntRange(0, 30).Draw(t, "samples") {
			s := rapid.StringOfN(rapid.RuneFrom([]rune("abc")), 1, 5, -1).Draw(t, "stack")
			v := rapid.Int64Range(1, 9).Draw(t, "value")
			p.Add(x.stack(s), v, "")
			total += v
			for i := range s {
				want[s[:i+1]] += v
			}
		}
		p.Write(x.b.Thread("count", -1))
		tr, got := x.trace(t), map[string]int64{}
		for _, th := range tr.Threads {
			for i := range th.Len() {
				s := ""
				for k := i; k >= 0; k = int(th.Parent(k)) {
					s = tr.FunctionOf(th, k).Name + s
				}
				if _, again := got[s]; again {
					t.Fatalf("%s occurs twice", s)
				}
				got[s] = th.Dur(i)
			}
		}
		for s, v := range want {
			if got[s] != v || len(got) != len(want) || tr.Duration != total {
				t.Fatalf("%v over %d, want %v over %d", got, tr.Duration, want, total)
			}
		}
	})
}
