package synth

import (
	"fmt"
	"slices"
)

// perturbation is the situation that is a run of its own (ranks.go).
const perturbation = "perturbation"

// Perturbation says when and by which rank the computation of the situation perturbation was
// disturbed on side B. On side A it was not; its period is that of the same iterations.
type Perturbation struct {
	Rank       int    `json:"rank"`       // the slow one
	Thread     int    `json:"thread"`     // its thread
	Rate       int    `json:"rate"`       // its function matvec takes so many times as long
	Neighbours []int  `json:"neighbours"` // threads that wait for its messages, in MPI_Wait
	Waiting    []int  `json:"waiting"`    // all threads that wait for it, neighbours too
	Iterations [2]int `json:"iterations"` // of the period: the first, and the first after it
	A          Period `json:"a"`
	B          Period `json:"b"`
}

// Period is the period of a perturbation on one side, in ns from the start of the trace. The sums
// are of calls that lie in it as a whole.
type Period struct {
	FromNs    int64 `json:"fromNs"`    // when the first rank begins its first iteration
	ToNs      int64 `json:"toNs"`      // when the last rank ends its last iteration
	ComputeNs int64 `json:"computeNs"` // sum of matvec on the slow thread
	WaitNs    int64 `json:"waitNs"`    // sum of MPI_Wait and MPI_Allreduce on all waiting threads
}

// truth says how two runs of the computation differ.
func (c *computation) truth(a, b Period) *Perturbation {
	p := &Perturbation{Rank: c.slow, Thread: tid(c.slow), Rate: c.rate,
		Iterations: [2]int{c.from, c.to}, A: a, B: b}
	for _, rank := range c.neighbours(c.slow) {
		p.Neighbours = append(p.Neighbours, tid(rank))
	}
	for rank := range c.ranks {
		if rank != c.slow {
			p.Waiting = append(p.Waiting, tid(rank))
		}
	}
	return p
}

// perturbed reports whether the situation perturbation is asked for.
func (o *Options) perturbed() bool { return slices.Contains(o.Situations, perturbation) }

// checkRanks sets what is not given of a run that is perturbed, and reduces the calls to whole
// iterations.
func (o *Options) checkRanks() error {
	setDefault(&o.Threads, defaultRanks)
	if err := o.wholeIterations(callsOfIteration, defaultIterations); err != nil {
		return err
	}
	if o.edited() || len(o.Situations) > 1 {
		return fmt.Errorf("situation %s is a run of its own: no other situation, edit, noise, "+
			"pace or number of waits goes with it", perturbation)
	}
	return nil
}

// wholeIterations sets how many calls there are, if that is not given, and reduces them to whole
// iterations.
func (o *Options) wholeIterations(perIteration, usual int) error {
	if o.Threads < fewestRanks || o.Threads > maxThreads {
		return fmt.Errorf("%d ranks: the number lies between %d and %d", o.Threads, fewestRanks,
			maxThreads)
	}
	setDefault(&o.Calls, callsFor(usual, o.Threads, perIteration))
	n := iterationsFor(o.Calls, o.Threads, perIteration)
	if n < fewestIterations {
		return fmt.Errorf("%d calls are too few for %d ranks: at least %d", o.Calls, o.Threads,
			callsFor(fewestIterations, o.Threads, perIteration))
	}
	o.Calls = callsFor(n, o.Threads, perIteration)
	return nil
}

// edited reports whether something is asked for that only the program has.
func (o *Options) edited() bool {
	edited := o.Waits != 0 || o.Noise != Noise{} || o.Pace != 0
	for _, rate := range o.Edits {
		edited = edited || rate != 0
	}
	return edited
}
