package finding

import (
	"slices"

	"diptych/internal/align"
	"diptych/internal/huge"
	"diptych/internal/pair"
)

// Results in a row.
//
// In a program of thousands of threads, most have a few pairs of each of a few functions. If each
// result had columns of its own, whatever goes through the pairs of a function would look for them
// in thousands of places. So results that follow each other are gathered together, up to some
// number of calls, and then their pairs are put together by function (merge). A result that is
// larger has columns of its own, which nobody copies.

// effortParts is what some results in a row have: parts of efforts.
type effortParts struct {
	from, to int // the results
	parts    []effortPart
	micros   bool // all self times are whole microseconds
}

// rowCalls is up to how many calls of both sides results are gathered together.
const rowCalls = 1 << 15

// rowsOf returns which results are gathered together.
func rowsOf(results []*align.Result) (rows []effortParts) {
	calls := 0
	for k := range results {
		n := sizeOf(results[k : k+1])
		if calls += n; k == 0 || calls > rowCalls {
			rows, calls = append(rows, effortParts{from: k, micros: true}), n
		}
		rows[len(rows)-1].to = k + 1
	}
	return rows
}

// sizeOf returns how many calls results have on both sides.
func sizeOf(results []*align.Result) (calls int) {
	for _, r := range results {
		calls += len(r.Partner[pair.A]) + len(r.Partner[pair.B])
	}
	return calls
}

// gatherRow gathers the pairs of results in a row, or some once the context is done.
func (w *gathering) gatherRow(row *effortParts, results []*align.Result) error {
	w.row, w.times64, w.calls32, w.wide = w.row[:0], w.times64[:0], w.calls32[:0], nil
	for k := row.from; k < row.to; k++ {
		r := results[k]
		w.gatherResult(k, r, row.to-row.from > 1)
		row.micros = row.micros && micros(r.Threads[pair.A]) && micros(r.Threads[pair.B])
		if err := w.s.meter.Add(w.s.ctx, pairPasses*int64(len(r.Partner[pair.A]))); err != nil {
			return err
		}
	}
	if row.to-row.from > 1 {
		w.merge()
	}
	row.parts = slices.Clone(w.row)
	return nil
}

// endParts adds the parts of a result to its row.
func (w *gathering) endParts() {
	if !w.several {
		w.row = append(w.row, w.parts...)
		return
	}
	base := int32(len(w.times64))
	for pair, ns := range w.c.wide {
		if w.wide == nil {
			w.wide = map[int32][2]int64{}
		}
		w.wide[base+pair] = ns
	}
	for _, p := range w.parts {
		p.from, p.to = base+p.from, base+p.to
		w.row = append(w.row, p)
	}
	w.times64, w.calls32 = w.times64[:int(base)+len(w.c.calls)], w.calls32[:int(base)+len(w.c.calls)]
}

// merge puts the pairs of the results of a row together, by effort.
func (w *gathering) merge() {
	w.met = w.met[:0]
	for _, p := range w.row {
		if w.counts[p.effort] == 0 {
			w.met = append(w.met, p.effort)
		}
		w.counts[p.effort] += p.to - p.from
	}
	slices.Sort(w.met)
	at := int32(0)
	for _, e := range w.met {
		w.counts[e], at = at, at+w.counts[e]
	}
	c := &columns{times: huge.Make[uint64](int(at)), calls: huge.Make[int32](int(at))}
	all := columns{times: w.times64, wide: w.wide}
	for k := range w.row {
		p := &w.row[k]
		from, to := p.from, w.counts[p.effort]
		p.of, p.from, p.to = c, to, to+p.to-p.from
		w.counts[p.effort] = p.to
		for ; to < p.to; from, to = from+1, to+1 {
			c.times[to], c.calls[to] = w.times64[from], w.calls32[from]
			if w.wide != nil { // a time that was exchanged for a short one may still be there
				c.set(to, all.at(from))
			}
		}
	}
	for _, e := range w.met {
		w.counts[e] = 0
	}
}

// room returns what follows a list in its memory.
func room[T any](list []T, n int) []T { return list[len(list) : len(list)+n : len(list)+n] }
