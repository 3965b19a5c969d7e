package trace

import (
	"errors"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"diptych/internal/testtrace/deepeq"
)

// turnOf is one change of a stack; other is a record of another kind in its place, unless nil.
type turnOf struct {
	at    int64
	ends  int
	fns   []FuncID
	other *step
}

// someTurns draws changes that are mostly those of a stack.
func someTurns(t *rapid.T) (all []turnOf, begun int) {
	sound := rapid.Bool().Draw(t, "sound")
	now, open := int64(100), 0
	for range rapid.IntRange(0, 40).Draw(t, "turns") {
		x := turnOf{at: now, ends: rapid.IntRange(0, open).Draw(t, "ends")}
		x.fns = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) FuncID {
			return FuncID(rapid.IntRange(0, fns-1).Draw(t, "fn"))
		}), 0, 4).Draw(t, "fns")
		now += int64(rapid.IntRange(0, 3).Draw(t, "dt"))
		if !sound && rapid.IntRange(0, 9).Draw(t, "unsound") == 0 {
			x.ends += rapid.IntRange(0, 2).Draw(t, "strays")
			now -= int64(rapid.IntRange(0, 9).Draw(t, "back"))
			if one := someSteps(t, mixtures["mixed"]); len(one) > 0 {
				x.other = &one[0]
			}
		}
		open = max(0, open-x.ends) + len(x.fns)
		begun += len(x.fns)
		all = append(all, x)
	}
	return all, begun
}

// feedTurns gives the changes to a thread, as such or call by call.
func feedTurns(th *ThreadBuilder, all []turnOf, singly bool) {
	for k, x := range all {
		switch {
		case x.other != nil:
			feed(th, []step{*x.other})
		case singly:
			th.turnSlowly(x.at, x.ends, x.fns)
		default:
			th.Turn(x.at, x.ends, x.fns)
		}
		if k%5 == 4 && th.gathered != nil && th.n > 2 {
			th.ReturnArgs([]byte("a result"))
			th.Args(th.Call(th.n-2), []byte("an argument"))
			th.Flag(th.Call(th.n/2), Sampled)
		}
	}
}

// TestTurns holds that changes of a stack make what their ends and begins do, also where they are
// none of a stack, where more calls begin than were expected, where functions get other numbers, and
// whatever the number of processors.
func TestTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		got, th := newTestBuilder()
		want, plain := newTestBuilder()
		for range rapid.IntRange(1, 3).Draw(t, "threads") {
			all, begun := someTurns(t)
			expected := begun
			if rapid.IntRange(0, 3).Draw(t, "wrong") == 0 {
				expected = rapid.IntRange(0, begun+5).Draw(t, "expected")
			}
			th.Expect(expected, rapid.SampledFrom([]int{1, deep + 1}).Draw(t, "levels"))
			if err := got.AffordExpected(); err != nil {
				t.Fatal(err)
			}
			feedTurns(th, all, false)
			feedTurns(plain, all, true)
			th.Renumber([]FuncID{2, 3, 1, 0})
			plain.Renumber([]FuncID{2, 3, 1, 0})
			th, plain = got.Thread("2", -1), want.Thread("2", -1)
		}
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "processors")))
		x, y := mustBuild(t, want), mustBuild(t, got)
		if deepeq.Equal(x, y) {
			return
		}
		if diff := cmp.Diff(x, y, everything); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestTurnsAreNotCopied: the columns that a trace has at last are all that a thread of turns takes.
func TestTurnsAreNotCopied(t *testing.T) {
	const n = 100_000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b, th := newTestBuilder()
	th.Expect(3*n, 3)
	if err := b.AffordExpected(); err != nil {
		t.Fatal(err)
	}
	for i := range int64(n) {
		th.Turn(i, min(int(i), 1)*3, []FuncID{0, 1, 2})
	}
	th.Turn(n, 3, nil)
	mustBuild(t, b)
	runtime.ReadMemStats(&after)
	if per := (after.TotalAlloc - before.TotalAlloc) / (3 * n); per > turnedBytes {
		t.Errorf("%d bytes a call", per)
	}
}

func TestExpectIsWeighed(t *testing.T) {
	b, th := newTestBuilder()
	over := errors.New("over")
	b.Weigh(func(bytes, _ int64) error {
		if bytes > 1<<20 {
			return over
		}
		return nil
	})
	th.Expect(1000, 1)
	if err := b.AffordExpected(); err != nil {
		t.Error(err)
	}
	th.Expect(100_000, 1)
	if err := b.AffordExpected(); !errors.Is(err, over) {
		t.Errorf("error %v", err)
	}
}
