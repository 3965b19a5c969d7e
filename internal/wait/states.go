package wait

import (
	"context"
	"slices"

	"diptych/internal/progress"
	"diptych/internal/trace"
)

// State is what a thread does at a moment, as far as the recording tells. A thread is in none of
// them outside of its calls, unless the recording says that it waited there.
type State uint8

const (
	Running  State = iota // in a call, and in none of the states below
	Runnable              // without a processor, outside waits and I/O: pre-empted, or in a queue
	Blocked               // in a wait, or in an idle gap that was one
	InIO                  // in input or output
	NumStates
)

func (s State) String() string {
	return [...]string{"running", "runnable", "waiting", "I/O"}[s]
}

// States answers what threads did over time: each by itself, and how many of all threads at once.
// The outermost call that waits, does I/O or has no processor owns all of its time (as in package
// account). It takes about 36 bytes a stretch of time, of which a blocking call has two. It is
// immutable.
type States struct {
	Threads int            // that count: they run, and are not the runtime's own
	Most    [NumStates]int // the most threads that were in a state at once
	Active  int            // the most that were in any but Blocked
	threads []Presence
	all     Presence
}

// Presence is when one or more threads had calls, and of that time when they were in each state but
// Running, which is the rest. It is immutable.
type Presence struct {
	called spans
	in     [NumStates]spans
}

// FindStates works out the states of all threads. Cost is linear in the roots and the calls that
// block, and in all calls of traces that tell when threads had no processor; then stretches are
// sorted. It fails only when ctx is done.
func (a *Analysis) FindStates(ctx context.Context) (*States, error) {
	s := &States{threads: make([]Presence, len(a.Trace.Threads))}
	err := progress.Spread(ctx, len(s.threads), func(t int) error {
		p, gaps := &s.threads[t], spans{}
		a.addRoots(t, &p.called, &gaps)
		a.addBlocking(a.Trace.Threads[t], &p.in)
		p.in[Blocked].join(&gaps)
		p.close(len(gaps.starts) > 0)
		return nil
	})
	for t := range s.threads {
		if th := a.Trace.Threads[t]; th.Len() > 0 && th.Runs() && a.Counts(t) {
			s.Threads++
			s.all.join(&s.threads[t])
		}
	}
	s.all.close(true)
	s.findMost()
	return s, err
}

// Of returns the states of one thread.
func (s *States) Of(thread int) *Presence { return &s.threads[thread] }

// Join returns the states of several threads together. Cost is that of sorting their stretches, of
// which it keeps a copy.
func (s *States) Join(threads []int) *Presence {
	p := &Presence{}
	for _, t := range threads {
		p.join(&s.threads[t])
	}
	p.close(true)
	return p
}

// join adds the stretches of another thread.
func (p *Presence) join(o *Presence) {
	p.called.join(&o.called)
	for k := range p.in {
		p.in[k].join(&o.in[k])
	}
}

// close makes the stretches ready to be asked for. Mixed ones did not come in order of time.
func (p *Presence) close(mixed bool) {
	p.called.close(mixed)
	for k := range p.in {
		p.in[k].close(mixed)
	}
}

// addRoots adds when a thread had calls, and the gaps between them that were waits.
func (a *Analysis) addRoots(t int, called, gaps *spans) {
	th, free := a.Trace.Threads[t], int64(0)
	w, to := a.Waits.OnThread(t)
	for i := 0; i < th.Len(); i = th.Next(i) {
		start := th.Start(i)
		for ; w < to && int(a.Waits.Call[w]) <= i; w++ {
			if from := max(a.Waits.Start[w], free); a.Waits.Idle[w] && a.Waits.End[w] <= start {
				called.add(from, a.Waits.End[w])
				gaps.add(from, a.Waits.End[w])
			}
		}
		called.add(start, th.End(i))
		free = max(free, th.End(i))
	}
}

// addBlocking adds the outermost calls that wait, do I/O or have no processor.
func (a *Analysis) addBlocking(th *trace.Thread, in *[NumStates]spans) {
	marks, within := th.Blocks, 0
	add := func(s State, call int) {
		in[s].add(th.Start(call), th.End(call))
		within = th.Next(call)
	}
	next := func(call int) { // the marks of calls up to this one
		for ; len(marks) > 0 && int(marks[0].Call) <= call; marks = marks[1:] {
			of := int(marks[0].Call)
			switch {
			case of < within:
			case isMarked(th.BlocksOf(of), trace.Wait):
				add(Blocked, of)
			case marks[0].Kind == trace.IO:
				add(InIO, of)
			}
		}
	}
	for i := 0; a.switches && i < th.Len(); i++ {
		if next(i); i < within {
			i = within - 1
		} else if a.Trace.FunctionOf(th, i).OffCPU() {
			add(Runnable, i)
			i = within - 1
		}
	}
	next(th.Len())
}

func isMarked(blocks []trace.Block, kind trace.BlockKind) bool {
	return slices.ContainsFunc(blocks, func(b trace.Block) bool { return b.Kind == kind })
}

// findMost looks at every moment at which a state begins, of Running also at which another ends.
func (s *States) findMost() {
	for _, list := range [][]int64{s.all.called.starts, s.all.in[Blocked].ends} {
		for _, at := range list {
			n := s.At(at)
			s.Active = max(s.Active, n[Running]+n[Runnable]+n[InIO])
		}
	}
	for k := range NumStates {
		starts := [][]int64{s.all.in[k].starts}
		if k == Running {
			starts = [][]int64{s.all.called.starts, s.all.in[Runnable].ends, s.all.in[Blocked].ends,
				s.all.in[InIO].ends}
		}
		for _, list := range starts {
			for _, at := range list {
				s.Most[k] = max(s.Most[k], s.At(at)[k])
			}
		}
	}
}

// At returns how many threads are in each state at a time, in ns: exactly, by half-open intervals.
// Cost is logarithmic.
func (s *States) At(t int64) (n [NumStates]int) {
	n[Running] = s.all.called.at(t)
	for k := Runnable; k < NumStates; k++ {
		n[k] = s.all.in[k].at(t)
		n[Running] -= n[k]
	}
	return n
}

// Mean returns how many threads are in each state on average over [from, to), in ns. Cost is
// logarithmic.
func (s *States) Mean(from, to int64) [NumStates]float64 {
	return mean(s.all.Within(from, to), from, to)
}

// Share returns what share of [from, to), in ns, a thread spends in each state. Cost is
// logarithmic.
func (s *States) Share(thread int, from, to int64) [NumStates]float64 {
	return mean(s.threads[thread].Within(from, to), from, to)
}

func mean(ns [NumStates]int64, from, to int64) (mean [NumStates]float64) {
	for k, ns := range ns {
		mean[k] = float64(ns) / float64(max(to-from, 1))
	}
	return mean
}

// Within returns how long the threads were in each state within [from, to), in ns, summed over the
// threads. Cost is logarithmic.
func (p *Presence) Within(from, to int64) (ns [NumStates]int64) {
	ns[Running] = p.called.within(from, to)
	for k := Runnable; k < NumStates; k++ {
		ns[k] = p.in[k].within(from, to)
		ns[Running] -= ns[k]
	}
	return ns
}

// spans are stretches of time, of which several may overlap where they are of several threads.
//
// The number of them that last at time t is the number of starts up to t less that of ends up to t.
// Its integral from 0 to t is Σ (t − start) over those starts less Σ (t − end) over those ends, so
// the lists, each sorted by itself, and sums over blocks of them are enough.
type spans struct {
	starts, ends           []int64
	startBlocks, endBlocks blocks // once they are closed
}

// blocks are what is known of each block of times in a list, so that little of a long list is
// looked at to find a place in it: there can be millions, of which a picture asks for thousands.
type blocks struct {
	first []int64 // of block k
	sum   []int64 // of the first k·blockLen times
}

// blockLen is how many times a block has.
const blockLen = 32

// add adds [start, end); stretches of one thread come in order of time.
func (s *spans) add(start, end int64) {
	n := len(s.ends)
	if n > 0 {
		start = max(start, s.ends[n-1])
	}
	switch {
	case end <= start:
	case n > 0 && s.ends[n-1] == start:
		s.ends[n-1] = end
	default:
		s.starts, s.ends = append(s.starts, start), append(s.ends, end)
	}
}

// join adds the stretches of another thread.
func (s *spans) join(o *spans) {
	s.starts, s.ends = append(s.starts, o.starts...), append(s.ends, o.ends...)
}

// close makes the stretches ready to be asked for. Mixed ones did not come in order of time.
func (s *spans) close(mixed bool) {
	if mixed {
		slices.Sort(s.starts)
		slices.Sort(s.ends)
	}
	s.startBlocks, s.endBlocks = blocksOf(s.starts), blocksOf(s.ends)
}

// blocksOf may overflow, but sums and products that wrap around differ by what is right.
func blocksOf(list []int64) blocks {
	n := len(list)
	b := blocks{make([]int64, 0, (n+blockLen-1)/blockLen), make([]int64, 1, n/blockLen+1)}
	sum := int64(0)
	for k, v := range list {
		if k%blockLen == 0 {
			b.first = append(b.first, v)
		}
		if sum += v; k%blockLen == blockLen-1 {
			b.sum = append(b.sum, sum)
		}
	}
	return b
}

// at returns how many stretches last at t.
func (s *spans) at(t int64) int {
	return s.startBlocks.upTo(s.starts, t) - s.endBlocks.upTo(s.ends, t)
}

// within returns the sum of what of the stretches lies in [from, to).
func (s *spans) within(from, to int64) int64 {
	return s.startBlocks.integral(s.starts, to) - s.endBlocks.integral(s.ends, to) -
		s.startBlocks.integral(s.starts, from) + s.endBlocks.integral(s.ends, from)
}

// integral returns Σ (t − x) over the x in an ascending list that are no later than t.
func (b *blocks) integral(list []int64, t int64) int64 {
	n := b.upTo(list, t)
	block := n / blockLen
	sum := b.sum[block]
	for _, v := range list[block*blockLen : n] {
		sum += v
	}
	return int64(n)*t - sum
}

// upTo returns how many of an ascending list are no later than t.
func (b *blocks) upTo(list []int64, t int64) int {
	k := rank(b.first, t+1) - 1
	if k < 0 {
		return 0
	}
	from := k * blockLen
	return from + rank(list[from:min(from+blockLen, len(list))], t+1)
}
