package align

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"sort"
	"sync/atomic"

	"diptych/internal/huge"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// Decode reads what Encode wrote for the same pairs of threads. Whatever bytes it is given, it
// returns an error, or alignments that keep every promise of a Result and have the score of their
// pairs. It does not check whether they are optimal. Time is linear in the calls, on all
// processors.
func Decode(ctx context.Context, p *pair.Pair, pairs []pair.ThreadPair, b []byte) ([]*Result,
	error) {
	in, engine := reader{b: b}, Auto
	if len(pairs) > 0 {
		engine = Engine(in.number(int(engines) - 1))
	}
	rs, bodies := make([]*Result, len(pairs)), make([]reader, len(pairs))
	for k, tp := range pairs {
		rs[k] = unread(p, tp, engine)
		if !rs[k].oneSided() {
			bodies[k] = in.section()
		}
	}
	if in.bad || len(in.b) > 0 {
		return nil, errEncoding
	}
	work, ctx := progress.NewGroup(ctx)
	work.SetLimit(progress.Processors())
	for k, tp := range pairs {
		work.Go(func() error {
			d := decoder{Result: rs[k], in: bodies[k]}
			if err := d.read(ctx); err != nil {
				return fmt.Errorf("threads %d and %d: %w", tp.A, tp.B, err)
			}
			return nil
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	return rs, nil
}

// unread returns the alignment of two threads before anything is known of it.
func unread(p *pair.Pair, tp pair.ThreadPair, engine Engine) *Result {
	r, w := &Result{Pair: p, Engine: engine.String()}, work{p: p}
	for s := range r.Threads {
		r.Indices[s], r.Threads[s] = w.index(tp, pair.Side(s)), nothing
		if k := r.Indices[s]; k >= 0 {
			r.Threads[s] = p.Trace(pair.Side(s)).Threads[k]
		}
		r.Partner[s] = huge.Make[int32](r.Threads[s].Len())
	}
	return r
}

// decoder reads the alignment of two threads.
type decoder struct {
	*Result
	in      reader
	pairs   []pairedStretch
	callers [2]callers
}

// pairedStretch is n calls from at[A] on, partners of those from at[B] on.
type pairedStretch struct {
	at [2]int
	n  int
}

// read reads what Encode wrote, if anything, and fills in the result.
func (d *decoder) read(ctx context.Context) error {
	var score int64
	for s := range d.callers {
		d.callers[s].th = d.Threads[s]
	}
	if !d.oneSided() {
		const most = math.MaxInt
		d.Ties = Ties{d.in.number(most), d.in.number(most), d.in.number(most)}
		score = d.in.signed()
		d.readPassed(pair.A)
		d.readPassed(pair.B)
		d.readPairs()
		if d.in.bad || len(d.in.b) > 0 || max(d.Ties.OverBudget, d.Ties.Broad) > d.Ties.Levels {
			return errEncoding
		}
	}
	for s, partner := range d.Partner {
		err := inPieces(ctx, len(partner), func(from, to int) error {
			d.fillPartners(pair.Side(s), from, to)
			return nil
		})
		if err != nil {
			return err
		}
	}
	if err := d.countPairs(ctx); err != nil {
		return err
	}
	if !d.oneSided() && d.Score != score || !d.passedHold(pair.A) || !d.passedHold(pair.B) {
		return errEncoding
	}
	return nil
}

// readPassed reads the calls of a side that are passed through.
func (d *decoder) readPassed(s pair.Side) {
	c, n, at := &d.callers[s], d.Threads[s].Len(), 0
	for k := range d.in.number(n) {
		before := d.in.number(n - at)
		size := d.in.number(n - at - before)
		if size == 0 || before == 0 && k > 0 {
			d.in.fail()
			return
		}
		for at += before; size > 0; size-- {
			c.passThrough(int32(at), n)
			at++
		}
	}
	d.Passed[s] = c.passed
}

// readPairs reads stretches of pairs until all calls are accounted for.
func (d *decoder) readPairs() {
	m, n := len(d.Partner[pair.A]), len(d.Partner[pair.B])
	for i, j := 0, 0; i < m || j < n; {
		a, b := d.in.number(m-i), d.in.number(n-j)
		k := d.in.number(min(m-i-a, n-j-b))
		if a+b == 0 && i+j > 0 || k == 0 && i+a+j+b < m+n {
			d.in.fail()
			return
		}
		if k > 0 {
			d.pairs = append(d.pairs, pairedStretch{[2]int{i + a, j + b}, k})
		}
		i, j = i+a+k, j+b+k
	}
}

// after returns the index of the first stretch of pairs that ends behind call i of a side.
func (d *decoder) after(s pair.Side, i int) int {
	return sort.Search(len(d.pairs), func(k int) bool { return d.pairs[k].at[s]+d.pairs[k].n > i })
}

// fillPartners fills in the partners of a side's calls in [from, to).
func (d *decoder) fillPartners(s pair.Side, from, to int) {
	partner := d.Partner[s]
	for k := d.after(s, from); from < to; k++ {
		first, end, other := to, to, 0
		if k < len(d.pairs) {
			p := &d.pairs[k]
			first, end = min(max(p.at[s], from), to), min(p.at[s]+p.n, to)
			other = p.at[s.Other()] + first - p.at[s]
		}
		for ; from < first; from++ {
			partner[from] = None
		}
		countUp(partner[first:end], int32(other))
		from = end
	}
}

// countPairs computes the score from the pairs, and checks that their callers are partners.
func (d *decoder) countPairs(ctx context.Context) error {
	var equal, pairs atomic.Int64
	err := inPieces(ctx, len(d.Partner[pair.A]), func(from, to int) error {
		for k := d.after(pair.A, from); k < len(d.pairs) && d.pairs[k].at[pair.A] < to; k++ {
			p := &d.pairs[k]
			i, end := max(p.at[pair.A], from), min(p.at[pair.A]+p.n, to)
			n, ok := d.equal(i, i-p.at[pair.A]+p.at[pair.B], end-i)
			if !ok {
				return errEncoding
			}
			equal.Add(int64(n))
			pairs.Add(int64(end - i))
		}
		return nil
	})
	gaps := int64(len(d.Partner[pair.A])+len(d.Partner[pair.B])) - 2*pairs.Load()
	d.Score = equalScore*equal.Load() + differentScore*(pairs.Load()-equal.Load()) + gapScore*gaps
	return err
}

// equal counts the equal ones of n pairs from i and j on, and reports whether the callers of all
// are partners.
func (d *decoder) equal(i, j, n int) (equal int, ok bool) {
	partner, callersA, callersB := d.Partner[pair.A], &d.callers[pair.A], &d.callers[pair.B]
	idA, idB := d.Pair.IDA, d.Pair.IDB
	fnA, fnB := d.Threads[pair.A].Fn[i:i+n], d.Threads[pair.B].Fn[j:j+n]
	for k := range n {
		a, b := callersA.callerOf(i+k), callersB.callerOf(j+k)
		if (a == roots) != (b == roots) || a != roots && partner[a] != b {
			return 0, false
		}
		if idA[fnA[k]] == idB[fnB[k]] {
			equal++
		}
	}
	return equal, true
}

// passedHold reports whether calls that are passed through have no partners, but callees, and are
// on a level that is aligned.
func (d *decoder) passedHold(s pair.Side) bool {
	partner, th, c := d.Partner[s], d.Threads[s], &d.callers[s]
	for from, n := range c.passed.eachStretch {
		for i := from; i < from+n; i++ {
			if up := c.over[i]; partner[i] != None || th.Size(i) == 1 || up != roots && partner[up] == None {
				return false
			}
		}
	}
	return true
}

// callers finds the nearest callers of a side's calls that are not passed through.
type callers struct {
	th     *trace.Thread
	passed Calls
	over   []int32 // by call that is passed through, its caller; nil if none is
}

func (c *callers) callerOf(i int) int32 {
	up := c.th.Parent(i)
	if c.over != nil && up != roots && c.passed.Has(up) {
		return c.over[up]
	}
	return up
}

// passThrough notes that call i of n is passed through. It is called in the order of calls.
func (c *callers) passThrough(i int32, n int) {
	if c.over == nil {
		c.over = make([]int32, n)
	}
	c.over[i] = c.callerOf(int(i))
	c.passed.add(i, n)
}

// inPieces calls f with the parts [from, to) of n calls, on all processors, until one fails or ctx
// is cancelled.
func inPieces(ctx context.Context, n int, f func(from, to int) error) error {
	work, ctx := progress.NewGroup(ctx)
	work.SetLimit(progress.Processors())
	for from := 0; from < n; from += checkEvery {
		work.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return f(from, min(from+checkEvery, n))
		})
	}
	return work.Wait()
}

// reader hands out the parts of an encoding. After a part that Encode does not write, all others
// are empty.
type reader struct {
	b   []byte
	bad bool
}

// number returns the next number, at most most. A number that takes more bytes than it needs is
// bad.
func (r *reader) number(most int) int {
	x, n := binary.Uvarint(r.b)
	if n <= 0 || x > uint64(most) || n > 1 && r.b[n-1] == 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return int(x)
}

// signed returns the next number that may be negative.
func (r *reader) signed() int64 {
	x := uint64(r.number(math.MaxInt))
	return int64(x>>1) ^ -int64(x&1)
}

// section returns the next section, which begins with its length.
func (r *reader) section() reader {
	n := r.number(len(r.b))
	if n > len(r.b) {
		r.fail()
		return reader{}
	}
	part := reader{b: r.b[:n]}
	r.b = r.b[n:]
	return part
}

func (r *reader) fail() { r.b, r.bad = nil, true }
