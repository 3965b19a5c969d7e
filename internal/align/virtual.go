package align

import (
	"context"
	"slices"

	"diptych/internal/huge"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// Virtual time: one axis on which both threads are laid out (Weber et al., 4.3).
//
// A pair is as wide as its columns together. A column is a pair of callees, with its own width; or
// a call without a partner, which keeps its duration; or the self time between two of these, which
// is as wide as the longer of both sides'. For example, in µs:
//
//	A  main [0 10), f [2 4)     self 2 | f 2 | self 6
//	B  main [0 12), f [3 6)     self 3 | f 3 | self 6    main is 3 + 3 + 6 = 12 wide
//
// If a call without a partner lies in the self time of its caller, the other side's self time is
// not cut by it. Both sides' self times pass side by side up to that call, as far as each reaches,
// and what is left passes later. So an inserted call moves only what comes after it:
//
//	A  main [0 10)              self 4      | –   | self 6
//	B  main [0 12), g [4 6)     self 4      | g 2 | self 6    main is 4 + 2 + 6 = 12 wide
//
// Before a pair, and at the callers' end, both sides pass all that they have left.
//
// Two passes over the calls lay them out: widths from the innermost pairs outward, on all
// processors; then places from the roots inward. Time is linear in the calls.

// Virtual is the layout of a Result in virtual time. It takes 16 bytes a call.
type Virtual struct {
	*Result
	// Start and End are by side and call, in ns of virtual time. Both calls of a pair have the
	// same. Starts never fall in pre-order, and calls nest as they do in real time.
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
		v.Start[s], v.End[s] = huge.Make[int64](th.Len()), huge.Make[int64](th.Len())
		v.from[s], v.to[s] = th.Span()
	}
	if err := v.measureAll(ctx, grain); err != nil {
		return nil, err
	}
	return v, v.placeAll(ctx)
}

// measureAll puts the widths of all pairs into A's End, and the distance of each column from the
// start of its caller into Start. Small subtrees are measured in parallel; calls above them come
// last.
func (v *Virtual) measureAll(ctx context.Context, grain int) error {
	th := v.Threads[pair.A]
	large, borders := cutThread(th, grain)
	work, inner := progress.NewGroup(ctx)
	work.SetLimit(progress.Processors())
	for k, to := range borders[1:] {
		work.Go(func() error {
			p := v.passage(None, None)
			for i := to - 1; i >= borders[k]; i-- {
				if int(th.Size(int(i))) <= grain {
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
	p.beginAt(v, None, None)
	v.Length = v.measure(&p)
	return nil
}

// measureCall measures A's call i if it has a partner. All calls below have been measured.
func (v *Virtual) measureCall(p *passage, i int32) {
	a, b := v.Threads[pair.A], v.Threads[pair.B]
	switch j := v.Partner[pair.A][i]; {
	case j == None:
	case a.Size(int(i)) == 1 && b.Size(int(j)) == 1:
		v.End[pair.A][i] = max(a.Dur(int(i)), b.Dur(int(j)))
	default:
		p.beginAt(v, i, j)
		v.End[pair.A][i] = v.measure(p)
	}
}

// measure sets the distances of the columns of a pair, and returns its width.
func (v *Virtual) measure(p *passage) (at int64) {
	for p.passLeg() {
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

// placeAll turns distances and widths into starts and ends, both sides at once.
func (v *Virtual) placeAll(ctx context.Context) error {
	err := progress.Spread(ctx, len(v.Threads), func(s int) error { return v.place(ctx, pair.Side(s)) })
	if err != nil {
		return err
	}
	for s := range v.Passed {
		v.Passed[s].backwards(func(i int32) bool { v.enclosePassed(pair.Side(s), i); return true })
	}
	return nil
}

// place does so for the calls of a side. Where a pair ends, which A knows, it notes for both.
func (v *Virtual) place(ctx context.Context, s pair.Side) error {
	th, start, end, partner := v.Threads[s], v.Start[s], v.End[s], v.Partner[s]
	for i, next := 0, 0; i < len(start); i++ {
		if k := th.Parent(i); k >= 0 {
			start[i] += start[k]
		}
		switch j := partner[i]; {
		case j == None && v.Passed[s].Has(int32(i)): // for its callees, its caller's place
		case j == None:
			i = v.shiftGap(s, i)
		case s == pair.A:
			end[i] += start[i]
			v.End[pair.B][j] = end[i]
		}
		if i >= next {
			if next = i + checkEvery; ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	return nil
}

// enclosePassed makes call i, which is passed through, reach from its first callee to its last.
func (v *Virtual) enclosePassed(s pair.Side, i int32) {
	th := v.Threads[s]
	v.Start[s][i] = v.Start[s][i+1]
	for k := int(i) + 1; k < th.Next(int(i)); k = th.Next(k) {
		v.End[s][i] = max(v.End[s][i], v.End[s][k])
	}
}

// shiftGap lays out all calls below call i as they are in real time, and returns the last of them.
// Call i has no partner, and its start is set.
func (v *Virtual) shiftGap(s pair.Side, i int) int {
	th := v.Threads[s]
	by, next := v.Start[s][i]-th.Start(i), th.Next(i)
	for k := i; k < next; k++ {
		v.Start[s][k], v.End[s][k] = th.Start(k)+by, th.End(k)+by
	}
	return next - 1
}

// passage goes through a pair on both sides at once, leg by leg. A leg is a stretch of self time
// and the column after it.
type passage struct {
	r *Result
	columns
	at  [2]int64 // real time that each side has reached
	end [2]int64 // real time at which the callers end

	// The leg that was passed last.
	self [2]int64 // how much self time each side passed
	a, b int32    // the column, None where nothing is called; both None at the callers' end
}

// passage begins at the start of the pair of a and b, or of the threads if both are None.
func (v *Virtual) passage(a, b int32) passage {
	p := passage{r: v.Result}
	p.beginAt(v, a, b)
	return p
}

func (p *passage) beginAt(v *Virtual, a, b int32) {
	p.columns, p.at, p.end = v.columnsBelow(a, b), v.from, v.to
	if a != None {
		p.at[pair.A], p.end[pair.A] = v.Threads[pair.A].Start(int(a)), v.Threads[pair.A].End(int(a))
	}
	if b != None {
		p.at[pair.B], p.end[pair.B] = v.Threads[pair.B].Start(int(b)), v.Threads[pair.B].End(int(b))
	}
}

// passLeg passes the next leg. At the callers' end it passes the last stretch and returns false.
func (p *passage) passLeg() bool {
	p.a, p.b = p.peek(p.r)
	p.self = [2]int64{p.selfLeft(pair.A), p.selfLeft(pair.B)}
	switch {
	case p.a != None && p.b != None: // most of all: both pass what they have
	case p.a != None:
		p.self[pair.B] = min(p.self[pair.B], p.self[pair.A])
	case p.b != None:
		p.self[pair.A] = min(p.self[pair.A], p.self[pair.B])
	}
	p.at[pair.A] += p.self[pair.A]
	p.at[pair.B] += p.self[pair.B]
	if p.a != None {
		th := p.r.Threads[pair.A]
		p.at[pair.A] = th.End(int(p.a))
		p.columns.next[pair.A] = p.a + int32(th.Size(int(p.a)))
	}
	if p.b != None {
		th := p.r.Threads[pair.B]
		p.at[pair.B] = th.End(int(p.b))
		p.columns.next[pair.B] = p.b + int32(th.Size(int(p.b)))
	}
	return p.a != None || p.b != None
}

// width returns the virtual width of the last stretch of self time.
func (p *passage) width() int64 { return max(p.self[pair.A], p.self[pair.B]) }

// selfLeft returns how much self time a side has before its own next callee, or its caller's end.
func (p *passage) selfLeft(s pair.Side) int64 {
	if i := p.columns.next[s]; i < p.columns.end[s] {
		return p.r.Threads[s].Start(int(p.r.Passed[s].First(i))) - p.at[s]
	}
	return p.end[s] - p.at[s]
}

// inPassed reports whether a side is between two callees of a call that is passed through.
func (p *passage) inPassed(s pair.Side) bool {
	i := p.columns.next[s]
	if len(p.r.Passed[s]) == 0 || i >= p.columns.end[s] {
		return false
	}
	up := p.r.Threads[s].Parent(int(i))
	return up != None && p.r.Passed[s].Has(up)
}

// usualGrain is about how many calls a piece of work on a thread has.
const usualGrain = 1 << 16

// cutThread divides a thread into pieces of about grain calls for work that goes from callees to
// callers. It returns the calls with larger subtrees, in pre-order, which are to be treated last,
// and the borders of the pieces, from 0 to the number of calls. No piece ends within a subtree of
// at most grain calls.
func cutThread(th *trace.Thread, grain int) (large, borders []int32) {
	borders = []int32{0}
	n := int32(th.Len())
	for i := int32(0); i < n; {
		if size := int(th.Size(int(i))); size > grain {
			large = append(large, i)
			i++
		} else {
			i += int32(size)
		}
		if i == n || int(i-borders[len(borders)-1]) >= grain {
			borders = append(borders, i)
		}
	}
	return large, borders
}
