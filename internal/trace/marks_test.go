package trace

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// plainMark is what a loader says of one call, by ordinal.
type plainMark struct {
	ord     int
	flags   Flags
	block   bool
	kind    BlockKind
	objects []ObjectID
}

func someMarks(t *rapid.T, calls int) (marks []plainMark) {
	if calls == 0 {
		return nil
	}
	for range rapid.IntRange(0, 30).Draw(t, "marks") {
		m := plainMark{ord: rapid.IntRange(0, calls-1).Draw(t, "call"),
			flags: Flags(rapid.IntRange(0, 3).Draw(t, "flags")), block: rapid.Bool().Draw(t, "block")}
		if m.block {
			m.kind = rapid.SampledFrom([]BlockKind{Wait, Release, IO}).Draw(t, "kind")
			for range rapid.IntRange(0, 3).Draw(t, "objects") {
				m.objects = append(m.objects, ObjectID(rapid.IntRange(0, 4).Draw(t, "object")))
			}
		}
		marks = append(marks, m)
	}
	return marks
}

// TestMarksStayWithTheirCalls marks calls of threads in every way of holding records, in any order of
// calls: each call has the flags and marks it was given, those of one call in their order, and the
// flags that building adds.
func TestMarksStayWithTheirCalls(t *testing.T) {
	for _, name := range []string{"plain ends", "complete", "mixed"} {
		kinds := mixtures[name]
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				steps := someSteps(t, kinds)
				plain, th0 := newTestBuilder()
				feed(th0, steps)
				b, th := newTestBuilder()
				for _, o := range []string{"k", "l", "m", "n", "o"} {
					b.Object(o)
				}
				refs := feed(th, steps)
				th.named = true // locate is asked after building
				marks := someMarks(t, len(refs))
				for _, m := range marks {
					th.Flag(refs[m.ord], m.flags)
					if m.block {
						th.Block(refs[m.ord], m.kind, m.objects...)
					}
				}
				unmarked := mustBuild(t, plain)
				tr := mustBuild(t, b)
				for ord := range refs {
					lane, call := th.locate(uint32(ord))
					was := unmarked.Threads[lane.index]
					checkMarks(t, lane, was, int(call), ord, marks)
				}
				blocks, want := 0, 0
				for _, lane := range tr.Threads {
					blocks += len(lane.Blocks)
				}
				for _, m := range marks {
					if m.block {
						want++
					}
				}
				if blocks != want {
					t.Fatalf("%d marks, want %d", blocks, want)
				}
			})
		})
	}
}

// checkMarks holds one call, which is the same in a trace without marks, against what was said of it.
func checkMarks(t *rapid.T, lane, unmarked *Thread, call, ord int, marks []plainMark) {
	flags := unmarked.Flags(call)
	var blocks []plainBlock
	for _, m := range marks {
		if m.ord != ord {
			continue
		}
		flags |= m.flags
		if m.block {
			blocks = append(blocks, plainBlock{int32(call), m.kind, m.objects})
		}
	}
	if lane.Flags(call) != flags {
		t.Fatalf("call %d has flags %b, want %b", call, lane.Flags(call), flags)
	}
	if got := lane.plainBlocks(lane.BlocksOf(call)); !reflect.DeepEqual(got, blocks) {
		t.Fatalf("call %d has marks %v, want %v", call, got, blocks)
	}
}

// TestFlagsAreBytes flags one call late in a long thread, whose flags lie in several chunks: no
// other call has one.
func TestFlagsAreBytes(t *testing.T) {
	const calls = 3<<chunkShift + 5
	for _, flagged := range [][]int{nil, {0}, {calls - 1}, {1<<chunkShift - 1, 1 << chunkShift}, {calls - 1, 7}} {
		b, th := newTestBuilder()
		for i := range int64(calls) {
			th.Begin(2*i, 0)
			th.End(2*i + 1)
		}
		for _, i := range flagged {
			th.Flag(th.Call(uint32(i)), Sampled)
		}
		lane := mustBuild(t, b).Threads[0]
		for i := range lane.Len() {
			want := Flags(0)
			if slices.Contains(flagged, i) {
				want = Sampled
			}
			if lane.Flags(i) != want {
				t.Fatalf("flagged %v: call %d has %b", flagged, i, lane.Flags(i))
			}
		}
	}
}

// TestEndedIsCorrespondAt: pairs given by Ended, of which the calls are marked, make the trace that
// CorrespondAt makes of them. The pairs fill several chunks, and threads have lanes or one lane.
func TestEndedIsCorrespondAt(t *testing.T) {
	build := func(pair func(b *Builder, wait, release Ref, at int64), lanes bool, pairs int) *Trace {
		b, waiter := newTestBuilder()
		releaser := b.Thread("2", -1)
		for i := range int64(pairs) {
			at := 100 + 20*i
			w, r := waiter.Complete(at, at+10, 0), releaser.Complete(at+5, at+10, 1)
			if lanes && i%100 == 0 {
				waiter.Complete(at+5, at+15, 2) // overlaps, so it goes to another lane
			}
			waiter.Block(w, Wait)
			releaser.Block(r, Release)
			pair(b, w, r, at+10-i%3)
		}
		return mustBuild(t, b)
	}
	for _, lanes := range []bool{false, true} {
		for _, pairs := range []int{0, 1, 1<<chunkShift - 1, 1 << chunkShift, 2<<chunkShift + 3} {
			want := build(func(b *Builder, w, r Ref, at int64) { b.CorrespondAt(w, r, at, NoObject) }, lanes, pairs)
			got := build((*Builder).Ended, lanes, pairs)
			if !slices.Equal(got.Correspondences, want.Correspondences) {
				t.Errorf("%d pairs, lanes %v: other correspondences", pairs, lanes)
			}
			for k, th := range got.Threads {
				other := want.Threads[k]
				if !reflect.DeepEqual(th.plainBlocks(th.Blocks), other.plainBlocks(other.Blocks)) {
					t.Errorf("%d pairs, lanes %v: thread %d has other marks", pairs, lanes, k)
				}
			}
			if got.Duration != want.Duration || len(got.Correspondences) != pairs || lanes && pairs > 0 &&
				len(got.Threads) < 3 {
				t.Errorf("%d pairs, lanes %v: %d correspondences on %d threads in %d ns", pairs, lanes,
					len(got.Correspondences), len(got.Threads), got.Duration)
			}
		}
	}
}

// plainBlock is a Block that has its objects.
type plainBlock struct {
	Call    int32
	Kind    BlockKind
	Objects []ObjectID
}

func (t *Thread) plainBlocks(blocks []Block) (out []plainBlock) {
	for _, b := range blocks {
		out = append(out, plainBlock{b.Call, b.Kind, append([]ObjectID(nil), t.ObjectsIn(b.Objects)...)})
	}
	return out
}

// TestEndedExtendsTheTrace: the time of a release counts towards the extent, even after all calls.
func TestEndedExtendsTheTrace(t *testing.T) {
	b, th := newTestBuilder()
	w := th.Complete(1000, 1010, 0)
	th.Block(w, Wait)
	b.Ended(w, w, 1500)
	tr := mustBuild(t, b)
	if c := tr.Correspondences; tr.Duration != 500 || len(c) != 1 || c[0].At != 500 {
		t.Errorf("%d ns, %v", tr.Duration, c)
	}
}
