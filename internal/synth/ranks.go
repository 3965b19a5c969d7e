package synth

import (
	"context"
	"fmt"
	"slices"

	"diptych/internal/progress"
)

// The perturbation is a run of its own, without the program and its edits, after the case of
// Ocelotl's paper (figure 2): an iterative computation of 64 ranks on four nodes, which is
// disturbed for a while. Both sides run the same computation, but on side B one rank computes
// slowRate times as long in one period of iterations. What each rank calls:
//
//	main
//	  MPI_Init
//	  conj_grad                           in each iteration
//	    matvec                            what the slow rank is slow in
//	    MPI_Irecv, MPI_Irecv              from the rank before and the rank after, in a ring
//	    MPI_Send, MPI_Send                to them
//	    MPI_Wait, MPI_Wait                for their messages
//	    dot
//	    MPI_Allreduce                     ends when all ranks have entered it
//	  MPI_Finalize
//
// So while a rank is slow, the two ranks beside it wait in MPI_Wait, and all others wait in
// MPI_Allreduce. All ranks leave a reduction together, so times are computed iteration by
// iteration, without the machine. A run whose ranks have files of their own (rankfiles.go) is the
// same computation with more functions, of which another may be slow.
const (
	defaultRanks      = 64
	ranksOfNode       = 16
	fewestRanks       = 4 // the slow one, two beside it, and one that waits for all
	defaultIterations = 300
	fewestIterations  = 20
	callsOfIteration  = 10 // of a perturbed run
	callsAround       = 3  // main, MPI_Init, MPI_Finalize

	// The period in which a rank is slow, in percent of the iterations. As these last longer, it is
	// about 40 % to 55 % of the time of side B.
	slowFrom, slowTo = 41, 48
	slowRate         = 3
)

// Times in ns. Each varies by up to noise thousandths, but for those of MPI_Init and MPI_Finalize.
const (
	launchNs   = 4_000      // from the start of a rank to that of the next, without noise
	initNs     = 25_000_000 // as long as MPI_Init takes, at least
	matvecNs   = 1_200_000
	irecvNs    = 900
	sendNs     = 18_000
	latencyNs  = 25_000 // from the start of a send to the end of the wait for the message, at least
	waitNs     = 2_000  // for a message that is there
	dotNs      = 100_000
	reduceNs   = 60_000 // from when the last rank enters a reduction to its end
	finalizeNs = 6_000_000
	pauseNs    = 150 // between two calls, and from the start of a call to that of its first callee
	noise      = 30
)

// The functions follow those that every trace has.
const (
	fnInit = firstOwn + iota
	fnIteration
	fnMatvec
	fnIrecv
	fnSend
	fnWait
	fnDot
	fnReduce
	fnFinalize
	fnPrecondition // from here: only where ranks have files
	fnUpdate
	endOfRanks
)

var rankNames = [endOfRanks - firstOwn]string{"MPI_Init", "conj_grad", "matvec", "MPI_Irecv",
	"MPI_Send", "MPI_Wait", "dot", "MPI_Allreduce", "MPI_Finalize", "precondition", "update"}

// work is a function that computes, and how long it takes without noise.
type work struct {
	fn uint32
	ns int64
}

// computation is what both sides run.
type computation struct {
	seed              uint64
	ranks, iterations int
	before, after     []work // in each iteration, before the messages are sent and after they came
	slow, slowRanks   int    // the first slow rank, and how many there are
	slowIn            uint32 // function
	rate              int    // it takes so many times as long
	from, to          int    // in the iterations [from, to)
	ownFiles          bool   // each rank has a file, and each side noise of its own
}

func newComputation(o Options) *computation {
	if o.Ranks > 0 {
		return newFileComputation(o)
	}
	n := iterationsFor(o.Calls, o.Threads, callsOfIteration)
	return &computation{seed: o.Seed, ranks: o.Threads, iterations: n,
		before: []work{{fnMatvec, matvecNs}}, after: []work{{fnDot, dotNs}},
		slow: newDice(o.Seed, streamRanks).below(o.Threads), slowRanks: 1,
		slowIn: fnMatvec, rate: slowRate,
		from: n * slowFrom / 100, to: n * slowTo / 100}
}

// iterationsFor is how many iterations so many calls of side A are enough for.
func iterationsFor(calls, ranks, perIteration int) int {
	return (calls/ranks - callsAround) / perIteration
}

// callsFor is how many calls a side has.
func callsFor(iterations, ranks, perIteration int) int {
	return ranks * (callsAround + iterations*perIteration)
}

// names are the names of the threads. The ranks of one node have a role of their own: what comes
// before the number.
func (c *computation) names() (out []string) {
	for rank := range c.ranks {
		out = append(out, fmt.Sprintf("node %d rank %d", rank/ranksOfNode, rank))
	}
	return out
}

// neighbours are the ranks before and after a rank.
func (c *computation) neighbours(rank int) [2]int {
	return [2]int{(rank + c.ranks - 1) % c.ranks, (rank + 1) % c.ranks}
}

// isSlow reports whether a rank is slow in the period.
func (c *computation) isSlow(rank int) bool { return c.slow <= rank && rank < c.slow+c.slowRanks }

// slowNow reports whether an iteration is in the period.
func (c *computation) slowNow(iteration int) bool { return c.from <= iteration && iteration < c.to }

// newRankProgram is a program that consists of names alone: what is called does not depend on it.
func newRankProgram(o Options) *program {
	p := &program{stage: &stage{}, objects: objects{threads: o.Threads}, mpi: newComputation(o)}
	names := rankNames[:]
	if o.Ranks == 0 {
		names = names[:fnPrecondition-firstOwn]
	}
	for _, name := range slices.Concat(fixedNames[:], names) {
		p.functions = append(p.functions, function{name: name})
	}
	return p
}

// process is a process of a trace.
type process struct {
	id   int
	name string
}

// processes are the processes of the program: one, or the nodes on which ranks run. Each has the id
// of its first thread.
func (p *program) processes() []process {
	if p.mpi == nil {
		return []process{{processID, processName}}
	}
	var out []process
	for rank := 0; rank < p.mpi.ranks; rank += ranksOfNode {
		out = append(out, process{tid(rank), fmt.Sprintf("node %d", rank/ranksOfNode)})
	}
	return out
}

// processOf is the index into processes of the one that a thread belongs to.
func (p *program) processOf(thread int) int {
	if p.mpi == nil {
		return 0
	}
	return thread / ranksOfNode
}

// rankRun is the computation on one side.
type rankRun struct {
	*computation
	out    sink
	slowed bool // the slow ranks are slow
	dice   []dice
	now    []int64
	outer  []activation // main, by rank
	inner  []activation // the iteration that a rank is in
	sent   [][2]int64   // when a rank last sent to its neighbours
	flows  int
	calls  int64
	period Period
	slows  []Stretch // by slow rank
}

// run plays the whole computation.
func (c *computation) run(ctx context.Context, s *side) error {
	r := &rankRun{computation: c, out: s.out, slowed: s.truth != nil,
		now: make([]int64, c.ranks), outer: make([]activation, c.ranks),
		inner: make([]activation, c.ranks), sent: make([][2]int64, c.ranks),
		slows: make([]Stretch, c.slowRanks)}
	counted := progress.Ticker{Meter: s.meter, Every: 1 << 16}
	r.begin()
	for i := range c.iterations {
		before := r.calls
		r.exchange(i)
		r.await(i)
		r.reduce(i)
		if err := counted.Add(ctx, r.calls-before); err != nil {
			return err
		}
		if err := s.out.failed(); err != nil {
			return err
		}
	}
	r.end()
	s.calls, s.period, s.slows = r.calls, r.period, r.slows
	if err := counted.Add(ctx, int64(c.ranks*callsAround)); err != nil {
		return err
	}
	return counted.Flush(ctx)
}

// begin starts the ranks one after another. MPI_Init ends on all of them at about the same time.
func (r *rankRun) begin() {
	stream := streamRanks
	if r.ownFiles && r.slowed {
		stream = streamRanksB
	}
	for rank := range r.ranks {
		r.dice = append(r.dice, newDice(r.seed, stream+1+uint64(rank)))
		r.now[rank] = int64(rank) * launchNs
		r.outer[rank] = r.open(rank, 0, fnMain)
	}
	ready := r.now[r.ranks-1] + initNs
	for rank := range r.ranks {
		r.call(rank, 1, fnInit, ready+r.vary(rank, reduceNs))
	}
}

// end ends the ranks, at about the same time.
func (r *rankRun) end() {
	ready := slices.Max(r.now) + finalizeNs
	for rank := range r.ranks {
		r.call(rank, 1, fnFinalize, ready+r.vary(rank, reduceNs))
		r.shut(rank, 0, &r.outer[rank])
	}
}

// exchange is the first part of an iteration: each rank computes and sends to its neighbours.
func (r *rankRun) exchange(i int) {
	for rank := range r.ranks {
		r.inner[rank] = r.open(rank, 1, fnIteration)
		if i == r.from && (rank == 0 || r.inner[rank].start < r.period.FromNs) {
			r.period.FromNs = r.inner[rank].start
		}
		r.compute(i, rank, r.before)
		for range 2 {
			r.call(rank, 2, fnIrecv, r.now[rank]+r.vary(rank, irecvNs))
		}
		for k := range 2 {
			r.sent[rank][k] = r.now[rank]
			r.call(rank, 2, fnSend, r.now[rank]+r.vary(rank, sendNs))
		}
	}
}

// await is the second part: each rank waits for the messages of its neighbours.
func (r *rankRun) await(i int) {
	for rank := range r.ranks {
		for k, from := range r.neighbours(rank) {
			sent, start := r.sent[from][1-k], r.now[rank]
			end := max(start+r.vary(rank, waitNs), sent+r.vary(rank, latencyNs))
			if sent >= start {
				r.release(from, sent)
				r.out.flow(flowEnd, r.flows, rank, end-1)
			}
			r.wait(i, rank, fnWait, end)
		}
		r.compute(i, rank, r.after)
	}
}

// compute calls functions that compute.
func (r *rankRun) compute(i, rank int, all []work) {
	for _, w := range all {
		ns := r.vary(rank, w.ns)
		if w.fn == r.slowIn && r.isSlow(rank) && r.slowNow(i) {
			if r.slowed {
				ns *= int64(r.rate)
			}
			r.period.ComputeNs += ns
			r.slows[rank-r.slow].add(r.now[rank]-r.outer[rank].start, ns)
		}
		r.call(rank, 2, w.fn, r.now[rank]+ns)
	}
}

// reduce is the last part: all ranks leave the reduction when the last one has entered it.
func (r *rankRun) reduce(i int) {
	last := 0
	for rank, at := range r.now {
		if at > r.now[last] {
			last = rank
		}
	}
	entered := r.now[last]
	r.release(last, entered)
	for rank := range r.ranks {
		end := entered + r.vary(rank, reduceNs)
		if rank != last {
			r.out.flow(flowEnd, r.flows, rank, end-1)
		}
		r.wait(i, rank, fnReduce, end)
		r.shut(rank, 1, &r.inner[rank])
		if r.slowNow(i) {
			r.period.ToNs = max(r.period.ToNs, r.now[rank]-pauseNs)
		}
	}
}

// wait calls a function that waits, and counts its time.
func (r *rankRun) wait(i, rank int, fn uint32, end int64) {
	if r.slowNow(i) && !r.isSlow(rank) {
		r.period.WaitNs += end - r.now[rank]
	}
	r.call(rank, 2, fn, end)
}

// release starts a flow to those that a call of a rank releases.
func (r *rankRun) release(rank int, at int64) {
	r.flows++
	r.out.flow(flowStart, r.flows, rank, at)
}

func (r *rankRun) open(rank, depth int, fn uint32) activation {
	a := activation{fn: fn, start: r.now[rank]}
	r.out.enter(rank, depth, &a)
	r.now[rank] += pauseNs
	r.calls++
	return a
}

// shut ends a call, and pauses.
func (r *rankRun) shut(rank, depth int, a *activation) {
	r.out.leave(rank, depth, a, r.now[rank])
	r.now[rank] += pauseNs
}

// call is a call without callees.
func (r *rankRun) call(rank, depth int, fn uint32, end int64) {
	a := activation{fn: fn, start: r.now[rank]}
	r.out.enter(rank, depth, &a)
	r.now[rank] = end
	r.shut(rank, depth, &a)
	r.calls++
}

// vary is a time with noise.
func (r *rankRun) vary(rank int, ns int64) int64 {
	return ns * int64(1000-noise+r.dice[rank].below(2*noise+1)) / 1000
}
