package finding

import (
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// TestTotals holds totals by function and by caller against sums over calls, with functions that
// call themselves.
func TestTotals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := recorded(t, nil, someCalls(t, "A"), someCalls(t, "A2")), recorded(t, nil, someCalls(t, "B"))
		p, results := alignedPair(t, a, b)
		s := newStudy(t.Context(), p, results, "", Options{}, nil)
		if err := s.gatherTotals(); err != nil {
			t.Fatal(err)
		}
		for id := range p.Names {
			for caller := -1; caller < len(p.Names); caller++ {
				from := uint32(caller)
				if caller < 0 {
					from = anywhere
				}
				for sd, of := range s.both(from, uint32(id)) {
					got := *of
					want := plainTotal(p, pair.Side(sd), from, uint32(id))
					if got.last = 0; got.calls > 0 && got != want || got.calls != want.calls {
						t.Fatalf("%v: %d called by %d: %+v, want %+v", pair.Side(sd), id, caller, got, want)
					}
				}
			}
		}
	})
}

// plainTotal sums up the calls of a function by another, or anywhere.
func plainTotal(p *pair.Pair, sd pair.Side, caller, id uint32) (sum total) {
	ids := p.IDs(sd)
	sum.longest = -1
	for k, th := range p.Trace(sd).Threads {
		inThread := int64(0)
		for i, fn := range th.Fn {
			up := th.Parent(i)
			if ids[fn] != id || caller != anywhere && (up < 0 || ids[th.Fn[up]] != caller) {
				continue
			}
			inThread++
			sum.self += th.Self(i)
			sum.inEach += th.Dur(i)
			if !within(th, ids, up, id) {
				sum.inAll += th.Dur(i)
			}
			for _, m := range th.BlocksOf(i) {
				if m.Kind == trace.Wait {
					sum.waits += th.Self(i)
				}
			}
			if th.Dur(i) > sum.longest {
				sum.longest, sum.at = th.Dur(i), Place{Thread: k, Call: int32(i)}
			}
		}
		sum.calls += inThread
		sum.threads += int32(toInt(inThread > 0))
		if p.Partner(sd, k) < 0 {
			sum.lone += inThread
		}
	}
	return sum
}

// within reports whether a call or one around it is of a function.
func within(th *trace.Thread, ids []uint32, i int32, id uint32) bool {
	for ; i >= 0; i = th.Parent(int(i)) {
		if ids[th.Fn[i]] == id {
			return true
		}
	}
	return false
}
