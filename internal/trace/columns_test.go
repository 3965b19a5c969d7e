package trace

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"diptych/internal/testtrace/deepeq"
)

// walk is a random walk through calls, of which it notes the plain columns: of a step in pause, on
// average, the clock jumps by more than 32 bits, and it goes down to deepest levels.
func walk(noise *rand.Rand, calls, deepest, pause int) (list []Record, p plain) {
	var open []int
	at, down := int64(0), true
	for begun := 0; begun < calls || len(open) > 0; {
		if at += 1 + noise.Int64N(8); noise.IntN(pause) == 0 {
			at += 1<<32 - 5
		}
		if len(open) == deepest || noise.IntN(100) == 0 {
			down = !down
		}
		if begun < calls && (len(open) == 0 || len(open) < deepest && (noise.IntN(3) > 0) == down) {
			up := -1
			if len(open) > 0 {
				up = open[len(open)-1]
			}
			for k, v := range [kinds]int64{at, 0, int64(up), 0, int64(len(open))} {
				p[k] = append(p[k], v)
			}
			open = append(open, begun)
			list = append(list, Record{At: at, Fn: FuncID(begun % fns), Kind: Enter})
			begun++
			continue
		}
		i := open[len(open)-1]
		open = open[:len(open)-1]
		p[durs][i], p[sizes][i] = at-p[starts][i], int64(begun-i)
		list = append(list, Record{At: at, Kind: Leave})
	}
	return list, p
}

// TestColumns holds what calls are gathered as, in each way, against plain columns, with numbers of
// all kinds that fit and that do not: stacks of some levels and of thousands, calls with some
// callees and with more than 65,536, times with no, few and many long pauses.
func TestColumns(t *testing.T) {
	noise := rand.New(rand.NewPCG(1, 2))
	const pieces = 2*chunkLen + 100 // calls whose columns have several pieces
	some := sized(pieces, 100_000)
	found := 0
	for _, c := range []struct{ calls, deepest, pause int }{
		{0, 1, 9}, {1, 1, 1}, {baseLen, 3, 9}, {baseLen + 1, 300, 9}, {3000, 2000, 1}, {70_000, 8, 1 << 40},
		{some, 270, 5000}, {some, some / 2, 300}, {some, 3, 2},
		// So few calls are all near their callers, so that only a few numbers are large.
		{pieces, 8, 20_000},
	} {
		list, want := walk(noise, c.calls, c.deepest, c.pause)
		if c.calls > 1 { // a root around all
			last := list[len(list)-1].At + 1
			list = append(append([]Record{{Kind: Enter}}, list...), Record{At: last, Kind: Leave})
			want = belowRoot(want, last)
		}
		for i := len(want[starts]) - 1; i >= 0; i-- { // of a trace the first event is at 0
			want[starts][i] -= want[starts][0]
		}
		single, nested := newTestBuilder()
		for _, v := range list {
			nested.appendOne(&Records{}, &v)
		}
		batch, appended := newTestBuilder()
		for piece := range slices.Chunk(list, 1000) {
			appended.Append(Records{List: piece})
		}
		whole, completed := newTestBuilder()
		sampled, turned := newTestBuilder()
		turned.Expect(len(want[starts]), 1)
		for _, v := range list {
			if v.Kind == Enter {
				turned.Turn(v.At, 0, []FuncID{v.Fn})
			} else {
				turned.Turn(v.At, 1, nil)
			}
		}
		for i, start := range want[starts] {
			completed.Complete(start, start+want[durs][i], 0)
		}
		var plainly *Thread
		for _, b := range []*Builder{single, batch, whole, sampled} {
			tr := mustBuild(t, b)
			if c.calls == 0 {
				continue
			}
			th := tr.Threads[0]
			if got := plainColumns(th); !got.equal(&want) {
				t.Fatalf("%+v: other calls", c)
			}
			if plainly == nil {
				plainly = th
			} else if !th.columns.equal(&plainly.columns) {
				t.Fatalf("%+v: the same calls have other columns", c)
			}
			if th.MaxDepth() != int(slices.Max(want[depths]))+1 {
				t.Errorf("%+v: %d levels", c, th.MaxDepth())
			}
			checkFirstFrom(t, noise, th)
			found += checkFarCalls(t, th)
		}
	}
	if found == 0 {
		t.Error("large numbers are never few")
	}
}

// checkFarCalls holds the calls with large numbers against all calls, and returns how many there
// are if all were found.
func checkFarCalls(t *testing.T, th *Thread) int {
	if th.large == nil {
		return 0
	}
	got, all := th.farCalls()
	var want []int32
	for i, s := range th.spans {
		if s.after >= far || s.dur >= far || th.places[i] >= far {
			want = append(want, int32(i))
		}
	}
	if !all {
		return 0
	}
	if !slices.Equal(got, want) {
		t.Fatalf("of %d calls with large numbers %d are found", len(want), len(got))
	}
	return len(got)
}

// belowRoot puts calls below a root that lasts to a time.
func belowRoot(p plain, last int64) (q plain) {
	first := [kinds]int64{0, last, -1, int64(len(p[starts])) + 1, 0}
	for k := range p {
		q[k] = append(q[k], first[k])
		for _, v := range p[k] {
			if k == parents || k == depths {
				v++
			}
			q[k] = append(q[k], v)
		}
	}
	return q
}

// equal reports whether columns are the same, number by number.
func (c *columns) equal(o *columns) bool {
	return slices.Equal(c.base, o.base) && slices.Equal(c.spans, o.spans) && slices.Equal(c.places, o.places) &&
		bytes.Equal(c.depth, o.depth) && deepeq.Equal(c.large, o.large)
}

func checkFirstFrom(t *testing.T, noise *rand.Rand, th *Thread) {
	for range 10 {
		from := noise.IntN(th.Len())
		to := from + noise.IntN(th.Len()+1-from)
		ns, want := th.Start(noise.IntN(th.Len()))+noise.Int64N(3)-1, from
		for want < to && th.Start(want) < ns {
			want++
		}
		if got := th.FirstFrom(ns, from, to); got != want {
			t.Fatalf("call %d of [%d, %d) is the first from %d ns on, not %d", want, from, to, ns, got)
		}
	}
}

// TestColumnsAreNarrow: calls of a usual program take less than 18 bytes.
func TestColumnsAreNarrow(t *testing.T) {
	b, th := newTestBuilder()
	list, p := walk(rand.New(rand.NewPCG(1, 2)), 100_000, 40, 1<<40)
	th.Append(Records{List: list})
	tr := mustBuild(t, b)
	if per := float64(tr.Footprint().Columns) / float64(len(p[starts])); per > 18 {
		t.Errorf("%.1f bytes a call", per)
	}
}
