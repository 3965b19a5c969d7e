package align

import "diptych/internal/pair"

// passage goes through the time of a pair on both sides at once, leg by leg: a stretch of self time
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
	p.begin(v, a, b)
	return p
}

func (p *passage) begin(v *Virtual, a, b int32) {
	p.columns, p.at, p.end = v.under(a, b), v.from, v.to
	if a != None {
		p.at[pair.A], p.end[pair.A] = v.Threads[pair.A].Start[a], v.Threads[pair.A].End[a]
	}
	if b != None {
		p.at[pair.B], p.end[pair.B] = v.Threads[pair.B].Start[b], v.Threads[pair.B].End[b]
	}
}

// next passes a leg. At the callers' end it passes the last stretch and returns false.
func (p *passage) next() bool {
	p.a, p.b = p.peek(p.r)
	p.self = [2]int64{p.left(pair.A), p.left(pair.B)}
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
		p.at[pair.A] = th.End[p.a]
		p.columns.next[pair.A] = p.a + int32(th.Size[p.a])
	}
	if p.b != None {
		th := p.r.Threads[pair.B]
		p.at[pair.B] = th.End[p.b]
		p.columns.next[pair.B] = p.b + int32(th.Size[p.b])
	}
	return p.a != None || p.b != None
}

// width returns the virtual width of the last stretch of self time.
func (p *passage) width() int64 { return max(p.self[pair.A], p.self[pair.B]) }

// left returns how much self time a side has before its own next callee or its caller's end.
func (p *passage) left(s pair.Side) int64 {
	if i := p.columns.next[s]; i < p.columns.end[s] {
		return p.r.Threads[s].Start[p.r.Passed[s].First(i)] - p.at[s]
	}
	return p.end[s] - p.at[s]
}

// inPassed reports whether a side is between two callees of a call that is passed through.
func (p *passage) inPassed(s pair.Side) bool {
	i := p.columns.next[s]
	if len(p.r.Passed[s]) == 0 || i >= p.columns.end[s] {
		return false
	}
	up := p.r.Threads[s].Parent[i]
	return up != None && p.r.Passed[s].Has(up)
}
