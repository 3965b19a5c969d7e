package wait

// Cursor answers what Presence.Within does, of one stretch of time after the other. It remembers
// its place, so stretches that follow each other, as columns of pixels do, cost what lies between
// them: a look at each list where nothing begins or ends, and else a search that begins near by.
// Any order gives the right answer. Copies are independent of each other.
type Cursor struct {
	of    *Presence
	at    int64            // where the places are
	until [NumStates]int64 // time spent in each state up to there, give or take a constant
	some  bool             // at and until are known

	called spansPlace
	in     [NumStates]spansPlace
}

// spansPlace is a place in the two lists of spans.
type spansPlace struct{ starts, ends place }

// place is how many times of an ascending list are no later than the cursor, and their sum.
type place struct {
	n   int
	sum int64
}

// Cursor returns a cursor that begins nowhere.
func (p *Presence) Cursor() Cursor { return Cursor{of: p} }

// Cursor returns a cursor over what States.Mean is the mean of.
func (s *States) Cursor() Cursor { return s.all.Cursor() }

// Mean returns how many threads are in each state on average over [from, to), in ns.
func (c *Cursor) Mean(from, to int64) [NumStates]float64 { return mean(c.Within(from, to), from, to) }

// Within returns how long the threads were in each state within [from, to), in ns, summed over the
// threads.
func (c *Cursor) Within(from, to int64) (ns [NumStates]int64) {
	c.move(from)
	since := c.until
	c.move(to)
	for k := range ns {
		ns[k] = c.until[k] - since[k]
	}
	return ns
}

func (c *Cursor) move(t int64) {
	if c.some && c.at == t {
		return
	}
	c.at, c.some = t, true
	c.until[Running] = c.called.integral(&c.of.called, t)
	for k := Runnable; k < NumStates; k++ {
		if len(c.of.in[k].starts) == 0 {
			continue
		}
		c.until[k] = c.in[k].integral(&c.of.in[k], t)
		c.until[Running] -= c.until[k]
	}
}

// integral returns how long the stretches lasted up to t, together.
func (p *spansPlace) integral(s *spans, t int64) int64 {
	p.starts.move(s.starts, &s.startBlocks, t)
	p.ends.move(s.ends, &s.endBlocks, t)
	return int64(p.starts.n)*t - p.starts.sum - int64(p.ends.n)*t + p.ends.sum
}

// move goes to where t lies in a list: within a block time by time, to another block by steps that
// double.
func (p *place) move(list []int64, b *blocks, t int64) {
	from := p.n / blockLen
	switch {
	case p.n > 0 && list[p.n-1] > t:
		from = before(b.first, from, t)
	case p.n == len(list) || list[p.n] > t:
		return
	case from+1 < len(b.first) && b.first[from+1] <= t:
		from = after(b.first, from+1, t)
	default: // further on in the same block
		p.count(list, (from+1)*blockLen, t)
		return
	}
	p.n, p.sum = from*blockLen, b.sum[from]
	p.count(list, (from+1)*blockLen, t)
}

// count goes on to the first time later than t, or to an end.
func (p *place) count(list []int64, end int, t int64) {
	for _, v := range list[p.n:min(end, len(list))] {
		if v > t {
			return
		}
		p.n++
		p.sum += v
	}
}

// after returns the last place of an ascending list with a value up to t, from one that has such.
func after(list []int64, at int, t int64) int {
	step := 1
	for at+step < len(list) && list[at+step] <= t {
		at += step
		step *= 2
	}
	return at + rank(list[at+1:min(at+step, len(list))], t+1)
}

// before returns the last place of an ascending list up to one, at, that has a value up to t, and 0
// if none has.
func before(list []int64, at int, t int64) int {
	at = min(at, len(list)-1)
	step := 1
	for at > 0 && list[at] > t {
		if at -= step; at <= 0 {
			at = 0
			break
		}
		step *= 2
	}
	if list[at] > t {
		return 0
	}
	return at + rank(list[at+1:min(at+step, len(list))], t+1)
}
