package account

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
	"diptych/internal/wait"
)

// Cell is one part on both sides.
type Cell struct {
	Part
	Amounts [2]Amount // by pair.Side
}

// Delta is how much more B takes, in both accounts.
type Delta struct{ ElapsedNs, WorkNs int64 }

// Plus returns the sum.
func (d Delta) Plus(e Delta) Delta { return Delta{d.ElapsedNs + e.ElapsedNs, d.WorkNs + e.WorkNs} }

// Minus returns the difference.
func (d Delta) Minus(e Delta) Delta { return Delta{d.ElapsedNs - e.ElapsedNs, d.WorkNs - e.WorkNs} }

func deltaOf(a Amount, works bool) Delta {
	d := Delta{ElapsedNs: a.WayNs}
	if works {
		d.WorkNs = a.Ns
	}
	return d
}

// Squares returns the sum of the squares of the part's stretches on both sides, ns²; 0 on CPU.
func (c *Cell) Squares() float64 {
	return c.Amounts[pair.A].Squares.Float() + c.Amounts[pair.B].Squares.Float()
}

// Delta returns how much more of the part B has.
func (c *Cell) Delta() Delta {
	works := c.Kind.Works()
	return deltaOf(c.Amounts[pair.B], works).Minus(deltaOf(c.Amounts[pair.A], works))
}

// Thread is one thread's time: its span, and how that is spent.
type Thread struct {
	StartNs, EndNs int64
	Ns             [Kinds]int64 // which add up to EndNs − StartNs
	// Counts says that the thread is part of the totals. Tracks of asynchronous spans, threads of
	// the runtime and lists of sums are not, unless a side has nothing else; nor is what counts
	// another sample type.
	Counts bool

	entries []entry // if they are kept
}

// Balance is both accounts of two sides.
type Balance struct {
	Pair    *pair.Pair
	Waits   [2]*wait.Analysis // by side
	Objects []wait.ObjectPair

	// Elapsed is by side from the recording's first event to its last, ns; of a profile, all that
	// its threads hold.
	Elapsed [2]int64
	Way     [2][Kinds]int64 // how it is spent, along the way
	Total   [2][Kinds]int64 // summed over threads
	Cells   []Cell          // in order of parts
	Threads [2][]Thread     // by side and thread

	sampleType string // of the pair's, which threads that count have

	keep     bool       // the entries of each thread
	ways     [2][]clock // by side and thread
	index    cellIndex
	nobody   [2]int64           // ns, by side, in which the way goes along no thread
	scoped   [][]Portion        // by scope
	scopesOf map[uint32][]int32 // by function of Options.Below: scopes that are below it
	sparse   sync.Pool          // of *portions, by cell
	sides    [2]*side

	// objectsOf returns how many objects calls wait for, by function and caller, and by side.
	objectsOf func() map[uint64][2]int
}

// Work returns the work of each side, ns.
func (b *Balance) Work() (work [2]int64) {
	for sd := range work {
		work[sd] = b.Total[sd][CPU] + b.Total[sd][IO] + b.Total[sd][OffCPU]
	}
	return work
}

// Delta returns by how much B's accounts are larger.
func (b *Balance) Delta() Delta {
	w := b.Work()
	return Delta{b.Elapsed[pair.B] - b.Elapsed[pair.A], w[pair.B] - w[pair.A]}
}

// Sum returns how much time of one kind a function takes over all callers and threads, in how many
// calls, by side, and the sum of the squares of its stretches.
func (b *Balance) Sum(k Kind, function uint32) (ns, calls [2]int64, squares float64) {
	for _, i := range b.index.of(function) {
		if c := &b.Cells[i]; c.Kind == k {
			for sd, a := range c.Amounts {
				ns[sd] += a.Ns
				calls[sd] += a.Calls
			}
			squares += c.Squares()
		}
	}
	return ns, calls, squares
}

// Options say which functions are one, and which are looked at with their callees.
type Options struct {
	// Same has identities that are counted as another: the new name of a renamed function, and
	// spans that differ only in their arguments.
	Same map[uint32]uint32
	// Below holds the identities that Balance.Below may be asked for.
	Below map[uint32]bool
	// SampleType is which of the pair's sample types the balance is of; the default is the first.
	SampleType string
}

// Compare splits the time of both sides. waits are the analyses of the sides. report, which may be
// nil, counts calls.
func Compare(ctx context.Context, p *pair.Pair, waits [2]*wait.Analysis, o Options,
	report progress.Func) (*Balance, error) {
	if p.A == nil || p.B == nil {
		return nil, fmt.Errorf("a balance needs two traces")
	}
	b := &Balance{Pair: p, Waits: waits, sampleType: cmp.Or(o.SampleType, p.SampleTypes()[0])}
	var err error
	if b.Objects, err = wait.PairObjects(ctx, waits[pair.A], waits[pair.B], p); err != nil {
		return nil, err
	}
	m := progress.NewMeter(report, 0)
	m.Expect(int64(p.A.Calls()) + int64(p.B.Calls()))
	known := newScopes(o.Below)
	var sides []*side
	for _, sd := range []pair.Side{pair.A, pair.B} {
		b.sides[sd] = b.newSide(sd, waits[sd], o, known)
		sides = append(sides, b.sides[sd])
	}
	if err := b.split(ctx, sides, m); err != nil {
		return nil, err
	}
	b.orderCells(known)
	b.objectsOf = sync.OnceValue(b.countObjects)
	m.Finish()
	return b, ctx.Err()
}

func (b *Balance) newSide(sd pair.Side, w *wait.Analysis, o Options, known *scopes) *side {
	t := b.Pair.Trace(sd)
	d := &side{Side: sd, trace: t, waits: w, awaits: t.Awaits(), ids: slices.Clone(b.Pair.IDs(sd)),
		objects: make([]int32, len(t.Objects)), pair: b.Pair, scopes: known,
		spaces: &sync.Pool{New: func() any { return &space{} }}}
	for f, id := range d.ids {
		if same, ok := o.Same[id]; ok {
			d.ids[f] = same
		}
	}
	d.what = whatOf(t, d.ids, o.Below)
	for i, pair := range b.Objects {
		if k := [2]int32{pair.A, pair.B}[sd]; k >= 0 {
			d.objects[k] = int32(i)
			if w.Handle(trace.ObjectID(k)) {
				d.objects[k] = -1
			}
		}
	}
	d.longest = sync.OnceValue(d.findLongest)
	d.turns = sync.OnceValue(d.findTurns)
	return d
}
