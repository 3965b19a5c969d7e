package align

import (
	"context"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"diptych/internal/pair"
)

// Virtual time is the one axis on which both threads are laid out (Weber et al., 4.3). A pair is as
// wide as its columns together: paired callees, calls without a partner, which keep their duration,
// and the self time between one column and the next, as wide as the longer of the two sides'.
//
// A side's self time is cut by its own callees only. Before a column of the other side alone it
// passes beside that side's self time as far as it reaches, and the rest later: a call inserted
// amid the self time of its caller moves nothing but what comes after it. Before a pair and at the
// callers' end both sides pass what they have left.
//
// The two passes over the calls take time linear in them: widths from the innermost pairs outward,
// places from the roots inward.

// Virtual is the layout of a Result in virtual time. Memory is 16 bytes a call.
type Virtual struct {
	*Result
	// Start and End are by side and call, ns from the first root; both calls of a pair have the
	// same. They never fall in pre-order and nest as the calls do.
	Start, End [2][]int64
	Length     int64

	from, to [2]int64 // real time of a side's first root's start and last root's end
}

// Virtual lays r out.
func (r *Result) Virtual(ctx context.Context) (*Virtual, error) {
	return r.virtual(ctx, usualGrain)
}

func (r *Result) virtual(ctx context.Context, grain int) (*Virtual, error) {
	v := &Virtual{Result: r}
	for s, th := range r.Threads {
		v.Start[s], v.End[s] = make([]int64, th.Len()), make([]int64, th.Len())
		v.from[s], v.to[s] = th.Span()
	}
	if err := v.measureAll(ctx, grain); err != nil {
		return nil, err
	}
	return v, v.placeAll(ctx)
}

// measureAll sets the widths of all pairs, as A's End, and all columns' distances from where their
// callers start, as Start. What lies below small calls goes in parallel, the large ones come last.
func (v *Virtual) measureAll(ctx context.Context, grain int) error {
	th := v.Threads[pair.A]
	large, borders := cut(th.Size, grain)
	work, inner := errgroup.WithContext(ctx)
	work.SetLimit(runtime.GOMAXPROCS(0))
	for k, to := range borders[1:] {
		work.Go(func() error {
			p := v.passage(None, None)
			for i := to - 1; i >= borders[k]; i-- {
				if int(th.Size[i]) <= grain {
					v.measureCall(&p, i)
				}
			}
			return inner.Err()
		})
	}
	if err := work.Wait(); err != nil {
		return err
	}
	p := v.passage(None, None)
	for _, i := range slices.Backward(large) {
		v.measureCall(&p, i)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	p.begin(v, None, None)
	v.Length = v.measure(&p)
	return nil
}

// measureCall sets the width of A's call i if it has a partner; those below have theirs.
func (v *Virtual) measureCall(p *passage, i int32) {
	a, b := v.Threads[pair.A], v.Threads[pair.B]
	switch j := v.Partner[pair.A][i]; {
	case j == None:
	case a.Size[i] == 1 && b.Size[j] == 1:
		v.End[pair.A][i] = max(a.Dur(int(i)), b.Dur(int(j)))
	default:
		p.begin(v, i, j)
		v.End[pair.A][i] = v.measure(p)
	}
}

// measure goes through the columns of a pair and returns its width.
func (v *Virtual) measure(p *passage) (at int64) {
	for p.next() {
		at += p.width()
		if p.b == None {
			v.Start[pair.A][p.a] = at
			at += v.Threads[pair.A].Dur(int(p.a))
			continue
		}
		v.Start[pair.B][p.b] = at
		if p.a == None {
			at += v.Threads[pair.B].Dur(int(p.b))
			continue
		}
		v.Start[pair.A][p.a] = at
		at += v.End[pair.A][p.a]
	}
	return at + p.width()
}

// placeAll turns distances from callers and widths into places.
func (v *Virtual) placeAll(ctx context.Context) error {
	for s, th := range v.Threads {
		start, end, partner := v.Start[s], v.End[s], v.Partner[s]
		for i := 0; i < len(start); i++ {
			if k := th.Parent[i]; k >= 0 {
				start[i] += start[k]
			}
			switch j := partner[i]; {
			case j == None && v.Passed[s].Has(int32(i)): // for now where its caller is, for its callees
			case j == None:
				i = v.carry(pair.Side(s), i)
			case pair.Side(s) == pair.A:
				end[i] += start[i]
			default:
				end[i] = v.End[pair.A][j]
			}
			if i%checkEvery == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
		}
		v.Passed[s].backwards(func(i int32) bool { v.enclose(pair.Side(s), i); return true })
	}
	return nil
}

// enclose makes call i, which is passed through, as long as its callees are.
func (v *Virtual) enclose(s pair.Side, i int32) {
	th := v.Threads[s]
	v.Start[s][i] = v.Start[s][i+1]
	for k := int(i) + 1; k < th.Next(int(i)); k = th.Next(k) {
		v.End[s][i] = max(v.End[s][i], v.End[s][k])
	}
}

// carry puts all below call i, which has no partner and is in its place, as it is in real time, and
// returns the last call there.
func (v *Virtual) carry(s pair.Side, i int) int {
	th := v.Threads[s]
	by, next := v.Start[s][i]-th.Start[i], th.Next(i)
	for k := i; k < next; k++ {
		v.Start[s][k], v.End[s][k] = th.Start[k]+by, th.End[k]+by
	}
	return next - 1
}
