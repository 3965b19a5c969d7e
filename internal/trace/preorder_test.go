package trace

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"diptych/internal/testtrace/deepeq"
)

// wholesOf returns the calls of plain columns as complete records in pre-order, with arguments of
// every third call, and their texts.
func wholesOf(p *plain) (list []Record, text []byte) {
	for i, at := range p[starts] {
		v := Record{At: at, End: at + p[durs][i], Fn: FuncID(i % fns), Kind: Whole}
		v.From = uint32(len(text))
		if i%3 == 0 {
			text = fmt.Appendf(text, `{"n":%d}`, i)
		}
		v.To = uint32(len(text))
		list = append(list, v)
	}
	return list, text
}

// disturbances put something into a list of calls in pre-order that is out of place there, at
// index i, which is not 0.
var disturbances = map[string]func(list []Record, i int) []Record{
	"none":       func(list []Record, i int) []Record { return list },
	"no length":  func(list []Record, i int) []Record { list[i].End = list[i].At; return list },
	"ends early": func(list []Record, i int) []Record { list[i].End = list[i].At - 3; return list },
	"at once":    func(list []Record, i int) []Record { list[i].At = list[i-1].At; return list },
	"before":     func(list []Record, i int) []Record { list[i].At = list[i-1].At - 1; return list },
	"around": func(list []Record, i int) []Record {
		list[i].End = list[len(list)-1].End + 9
		return list
	},
	"begin and end": func(list []Record, i int) []Record {
		at := list[i].At
		return slices.Insert(list, i, Record{At: at}, Record{At: at, Kind: Leave})
	},
	"instant": func(list []Record, i int) []Record {
		return slices.Insert(list, i, Record{At: list[i].At, Kind: Point})
	},
}

// TestPreorder holds complete records that come in pre-order, up to one of them or to the last,
// against the same given one by one, which are sorted and nested when the thread is built.
func TestPreorder(t *testing.T) {
	noise := rand.New(rand.NewPCG(3, 4))
	for name, disturb := range disturbances {
		for _, calls := range []int{2, 300, 2*chunkLen + 70} {
			_, p := walk(noise, calls, []int{3, 300}[noise.IntN(2)], []int{9, 1 << 40}[noise.IntN(2)])
			list, text := wholesOf(&p)
			list = disturb(list, 1+noise.IntN(len(list)-1))
			want, th := newTestBuilder()
			for i := range list {
				v := &list[i]
				if th.hold(); v.Kind == Whole {
					th.Args(th.complete(v.At, th.notBefore(v), v.Fn), text[v.From:v.To])
				} else {
					th.appendOne(&Records{}, v)
				}
			}
			got, th := newTestBuilder()
			for piece := range slices.Chunk(list, 1+noise.IntN(2000)) {
				th.Append(Records{List: piece, Text: text, Plain: true})
				th.ExpectCalls(calls)
			}
			x, y := mustBuild(t, want), mustBuild(t, got)
			if deepeq.Equal(x, y) {
				continue
			}
			if diff := cmp.Diff(x, y, everything, cmp.Transformer("count", countOf)); diff != "" {
				t.Fatalf("%s, %d calls: %s", name, calls, diff)
			}
		}
	}
}

// TestStretches holds the lowest level of a pyramid that is filled in stretches against one filled
// at once.
func TestStretches(t *testing.T) {
	noise := rand.New(rand.NewPCG(5, 6))
	for _, deepest := range []int{1, 7, 900} {
		list, _ := walk(noise, 5000, deepest, 100)
		b, th := newTestBuilder()
		th.Append(Records{List: list})
		built := mustBuild(t, b).Threads[0]
		want := built.LOD.levels[0]
		got := lodLevel{make([]float32, len(want.reach)), make([]uint32, len(want.depth))}
		for from, to := 0, 0; from < len(want.reach); from = to {
			to = min(from+1+noise.IntN(40), len(want.reach))
			got.fill(built, from, to)
		}
		if !slices.Equal(got.reach, want.reach) || !slices.Equal(got.depth, want.depth) {
			t.Errorf("%d levels: other blocks", deepest)
		}
	}
}

// TestTextsTogether holds texts that follow one another, and are kept together, against the same
// kept one by one, in pieces and at the ends of pieces.
func TestTextsTogether(t *testing.T) {
	noise := rand.New(rand.NewPCG(7, 8))
	var list []Record
	var text []byte
	for i := range int64(3000) {
		from := uint32(len(text))
		switch noise.IntN(4) {
		case 0: // none
		case 1:
			text = append(text, bytes.Repeat([]byte("x"), noise.IntN(200))...)
		case 2:
			text = append(append(text, '-'), bytes.Repeat([]byte("y"), 1+noise.IntN(20))...)
			from++ // not where the one before ended
		case 3:
			text = append(text, bytes.Repeat([]byte("z"), noise.IntN(100)*noise.IntN(20))...)
		}
		list = append(list, Record{At: i, End: i, Kind: Whole, From: from, To: uint32(len(text))})
	}
	var built []*Trace
	for _, plain := range []bool{true, false} {
		b, th := newTestBuilder()
		for piece := range slices.Chunk(list, 700) {
			th.Append(Records{List: piece, Text: text, Plain: plain})
		}
		built = append(built, mustBuild(t, b))
	}
	if !deepeq.Equal(built[0], built[1]) {
		t.Error("other texts")
	}
	for i, v := range list {
		if got := built[0].Threads[0].Args(i); got != string(text[v.From:v.To]) {
			t.Fatalf("call %d has %d bytes, not %d", i, len(got), v.To-v.From)
		}
	}
}
