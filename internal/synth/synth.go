// Package synth holds a simulated program and its edited twin, with ground truth: two traces of one
// execution, the second changed in known places. Every comparison is measured against such pairs.
//
// A program (program.go) is a static call graph with Zipf-like popularity, loops, recursion,
// guarded sections and I/O. Each thread runs a script (script.go) of frames in phases; what a
// frame calls is grown call by call (grow.go), so that side A has exactly the number of calls
// asked for. Side B grows the very same forests and passes them through an editor (edit.go),
// which also writes the truth. Both sides are then timed by a machine (machine.go) that runs
// mutexes and semaphores (sync.go) in the order of virtual time, so that every contended wait ends
// at a release on another thread, on either side, and keep a ledger of who waited on whom
// (ledger.go).
//
// Beside the program situations may be played (stage.go, situations.go): threads of known roles
// that wait in a known way, after those that SyncTrace found in a browser (section V of its paper).
// One situation is a run of its own (ranks.go, perturbation.go): many ranks that compute in step
// and wait for one that is slow for a while, after the case that Ocelotl's paper shows. The same
// ranks may have a file each, as large machines write them (rankfiles.go).
//
// All randomness is integer arithmetic on PCG streams: the same options give the same bytes on
// every platform. Nothing is kept but one forest a thread, so memory does not grow with the
// trace. The package must not know the trace model or its loaders: it is what they are checked
// against.
package synth

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"diptych/internal/progress"
)

// Generate writes the pair: side A to outA, side B to outB and its ground truth to
// outB.truth.json. A name that ends in .json, .json.gz or .json.zst gives Chrome Trace JSON, any
// other a uftrace data directory, unless o.Format says otherwise. Nothing appears under these
// names before all is written; files and uftrace directories of the same names are replaced then.
// report, which may be nil, counts the calls of A written on both sides and is never called
// concurrently.
func Generate(ctx context.Context, o Options, outA, outB string,
	report progress.Func) (*Truth, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if outA == outB {
		return nil, fmt.Errorf("both sides would be written to %s", outA)
	}
	prog := newProgram(o)
	plan, err := newPlan(o, prog)
	if err != nil {
		return nil, err
	}
	var outputs outputs
	defer outputs.discard()
	meter := progress.NewMeter(report, 0)
	meter.Expect(2 * int64(o.Calls))
	group, work := errgroup.WithContext(ctx)

	a := &side{prog: prog, plan: plan, names: prog.names(), meter: meter}
	b := &side{prog: prog, plan: plan, names: prog.names(), meter: meter}
	b.renames = renameSome(b.names, prog, o)
	b.shards, b.newObjects = splitSome(prog, o)
	if err := outputs.openSide(a, o.Format, outA); err != nil {
		return nil, err
	}
	defer a.out.abandon()
	if err := outputs.openSide(b, o.Format, outB); err != nil {
		return nil, err
	}
	defer b.out.abandon()
	truth, err := newTruthWriter(&outputs, TruthName(outB), o)
	if err != nil {
		return nil, err
	}
	b.truth = truth
	truth.names, truth.other = a.names, b.names

	for _, s := range []*side{a, b} {
		group.Go(func() error { return s.run(work, o) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	t, err := truth.finish(a, b)
	if err != nil {
		return nil, err
	}
	return t, outputs.publish(ctx)
}

// side is one of the two executions on its way to its file.
type side struct {
	prog    *program
	plan    *plan
	names   []string
	out     sink
	meter   *progress.Meter   // of both sides
	truth   *truthWriter      // nil on side A
	renames []renamedFunction // likewise
	shards  shards            // likewise
	// newObjects come after those of the program.
	newObjects int
	calls      int64 // written
	waits      *ledger
	period     Period    // if the run is perturbed
	slows      []Stretch // by slow rank, if ranks have files
}

// disturbed returns the machine that the side runs on. Only side B has a pace of its own.
func (s *side) disturbed(o Options) *Machine {
	seed, pace := 2*o.Seed, 1.0
	if s.truth != nil {
		seed++
		if o.Pace != 0 {
			pace = o.Pace
		}
	}
	return NewMachine(o.Noise, seed, pace, callNs*int64(o.Calls/o.Threads), callNs)
}

func (s *side) run(ctx context.Context, o Options) error {
	if c := s.prog.mpi; c != nil {
		if err := c.run(ctx, s); err != nil {
			return err
		}
		return s.out.close()
	}
	m := newMachine(s, o)
	if err := m.run(ctx); err != nil {
		return err
	}
	s.calls, s.waits = m.calls, m.waits
	return s.out.close()
}
