package report

import (
	"context"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/progress"
)

var callTable = Table{Name: "calls",
	About: "every pair of calls and every call without a partner, in virtual order",
	Columns: []Column{
		number("row", "number of the row, from 0"),
		maybe(number("parentRow", "row of the callers, empty for roots")),
		maybe(text("threadA", "id of the thread of A")),
		maybe(text("threadB", "id of the thread of B")),
		text("state", "equal, different (another function), onlyA or onlyB"),
		maybe(number("callA", "index of the call in its thread, in order of starts")),
		maybe(number("callB", "the same for the call of B")),
		maybe(text("functionA", "its function, under the name that is compared")),
		maybe(text("functionB", "the same for the call of B")),
		maybe(number("startANs", "start, since the first event of A")),
		maybe(number("durationANs", "duration, callees included")),
		maybe(number("selfANs", "duration without callees")),
		maybe(number("startBNs", "start, since the first event of B")),
		maybe(number("durationBNs", "the same as durationANs for the call of B")),
		maybe(number("selfBNs", "the same as selfANs for the call of B")),
		number("virtualStartNs", "start on the axis on which both calls of a pair lie side by side"),
		number("virtualEndNs", "end on that axis")},
	fill: fillCalls}

// fillCalls writes what WriteDump writes as JSON lines, with the threads, the functions, the real
// times on both sides and the virtual ones.
func fillCalls(ctx context.Context, r *rows, results []*align.Result, report progress.Func) error {
	p := newPass(ctx, results, 1, report)
	row := int64(0)
	for _, result := range results {
		v, err := result.Virtual(ctx)
		if err != nil {
			return err
		}
		first := row
		for n := range result.Walk {
			r.ints(row)
			r.call(v, n, first)
			if err := r.end(); err != nil {
				return err
			}
			row++
			if err := p.step(callsIn(n)); err != nil {
				return err
			}
		}
	}
	return nil
}

// call adds the cells of a pair or a call; rows of its thread pair count from first.
func (r *rows) call(v *align.Virtual, n align.Node, first int64) {
	if n.Parent >= 0 {
		r.ints(first + int64(n.Parent))
	} else {
		r.none(1)
	}
	r.optional(threadID(v.Result, pair.A))
	r.optional(threadID(v.Result, pair.B))
	r.text(stateWord(n.State))
	calls := [2]int32{n.A, n.B}
	for _, i := range calls {
		r.index(int64(i))
	}
	for s, i := range calls {
		if i == align.None {
			r.none(1)
		} else {
			r.text(v.Pair.Names[v.ID(pair.Side(s), int(i))])
		}
	}
	side := pair.A
	for s, i := range calls {
		if i == align.None {
			r.none(3)
		} else {
			side = pair.Side(s)
			th := v.Threads[s]
			r.ints(th.Start(int(i)), th.Dur(int(i)), th.Self(int(i)))
		}
	}
	r.ints(v.Start[side][calls[side]], v.End[side][calls[side]])
}

// callsIn returns how many calls a node stands for.
func callsIn(n align.Node) int64 {
	if n.A == align.None || n.B == align.None {
		return 1
	}
	return 2
}
