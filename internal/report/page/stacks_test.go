package page

import (
	"encoding/base64"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/testtrace"
)

// decoded is an item as the page reads it.
type decoded struct {
	kind, level              uint64
	start, length            int64 // steps
	name                     uint64
	calls, differing, levels uint64
}

func decode(t *rapid.T, items string) (list []decoded) {
	data, err := base64.StdEncoding.DecodeString(items)
	if err != nil {
		t.Fatal(err)
	}
	number := func() uint64 {
		v, n := binary.Uvarint(data)
		if n <= 0 {
			t.Fatal("the numbers end too early")
		}
		data = data[n:]
		return v
	}
	start := int64(0)
	for len(data) > 0 {
		head := number()
		start += int64(number())
		d := decoded{kind: head % 4, level: head / 4, start: start, length: int64(number()), calls: 1, levels: 1}
		if d.kind == boxed {
			d.calls, d.differing, d.levels = number(), number(), number()
		} else {
			d.name = number()
		}
		list = append(list, d)
	}
	return list
}

// TestStacksHoldAllCalls holds the extract of random pairs against the calls themselves: every call
// that is long enough is there with its state, its name and its time; the others are in boxes,
// which count them and those that differ; and all fits the budget.
func TestStacksHoldAllCalls(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		list := testtrace.Grow(r, 60, 5, .5)
		other := testtrace.Edit(r, list, 5, .2)
		clock := func() testtrace.Clock { return testtrace.Halting(r) }
		p := pair.New(testtrace.Record(t, clock, list), testtrace.Record(t, clock, other), pair.Rules{})
		res, err := align.Align(t.Context(), p, 0, 0, align.Options{}, nil)
		if err != nil {
			rt.Fatal(err)
		}
		x := &extractor{names: map[uint32]uint64{}, out: &Stacks{}, pairNames: p.Names}
		budget := rapid.SampledFrom([]int{10, 40, 1000}).Draw(rt, "budget")
		got, all := x.extract(res, budget), 0
		for s, row := range got.Sides {
			if row == nil {
				continue // everything was cut from that side
			}
			items := decode(rt, row.Items)
			all += len(items)
			checkSide(rt, res, pair.Side(s), got, items, x.out.Names)
		}
		if budget == 1000 && (got.Least != 0 || all != callsOf(res)) {
			rt.Fatalf("%d items for %d calls though there is room", all, callsOf(res))
		}
		if roots := 2 * len(list); all > max(budget, roots+2) {
			rt.Fatalf("%d items, of which %d were allowed", all, budget)
		}
	})
}

// checkSide compares the items of one side with its calls.
func checkSide(t *rapid.T, r *align.Result, s pair.Side, got StackPair, items []decoded, names []string) {
	th := r.Threads[s]
	call, differing := 0, uint64(0)
	for _, d := range items {
		if int64(th.Start(call))/got.Step != d.start || uint64(th.Depth(call)) != d.level {
			t.Fatalf("%v: item %+v is not call %d", s, d, call)
		}
		if d.kind == boxed {
			end, deepest := int64(0), uint64(0)
			for range d.calls {
				if th.Dur(call) >= got.Least {
					t.Fatalf("%v: call %d lasts %d and is in a box", s, call, th.Dur(call))
				}
				if r.StateOf(s, call) != align.Equal {
					differing++
				}
				end, deepest = max(end, th.End(call)), max(deepest, uint64(th.Depth(call)))
				call++
			}
			if differing != d.differing || deepest-d.level+1 != d.levels || d.length != steps(end, got.Step)-d.start {
				t.Fatalf("%v: box %+v of %d differing calls to level %d, end %d", s, d, differing, deepest, end)
			}
			differing = 0
			continue
		}
		if want := min(r.StateOf(s, call), onlyHere); uint64(want) != d.kind ||
			names[d.name] != r.Pair.Names[r.ID(s, call)] || d.length != steps(th.End(call), got.Step)-d.start {
			t.Fatalf("%v: item %+v is not call %d", s, d, call)
		}
		call++
	}
	if call != th.Len() {
		t.Fatalf("%v: %d of %d calls", s, call, th.Len())
	}
}

// steps rounds a time up.
func steps(ns, step int64) int64 { return (ns + step - 1) / step }

func TestLongNamesAreShortened(t *testing.T) {
	long := string(make([]rune, 0, 300))
	for range 100 {
		long += "größe"
	}
	for name, want := range map[string]int{"short": 5, long: mostName + 1} {
		if got := len([]rune(Shortened(name))); got != want {
			t.Errorf("%d characters of %d, want %d", got, len([]rune(name)), want)
		}
	}
}
