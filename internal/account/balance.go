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
func (c *Cell) Squares() float64 { return c.Amounts[pair.A].Squares + c.Amounts[pair.B].Squares }

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
	// the runtime and lists of sums are not, unless a side has nothing else.
	Counts bool

	entries []entry
}

// Balance is both accounts of two sides.
type Balance struct {
	Pair    *pair.Pair
	Waits   [2]*wait.Analysis // by side
	Objects []wait.ObjectPair

	Elapsed [2]int64        // ns, by side: the recording's first event to its last
	Way     [2][Kinds]int64 // how it is spent, along the way
	Total   [2][Kinds]int64 // summed over threads
	Cells   []Cell          // in order of parts
	Threads [2][]Thread     // by side and thread

	cell       map[Part]int
	plain      pair.Numbers     // parts on CPU, by caller and function,
	plainCell  []int            // and their cells
	ofFunction map[uint32][]int // cells

	scoped   [][]Portion        // by scope
	scopesOf map[uint32][]int32 // by function of Options.Below: scopes that are below it
	sparse   sync.Pool          // of *portions, by cell
	sides    [2]*side
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
	for _, i := range b.ofFunction[function] {
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
}

// Compare splits the time of both sides. waits are the analyses of the sides. report, which may be
// nil, counts calls.
func Compare(ctx context.Context, p *pair.Pair, waits [2]*wait.Analysis, o Options,
	report progress.Func) (*Balance, error) {
	if p.A == nil || p.B == nil {
		return nil, fmt.Errorf("a balance needs two traces")
	}
	objects, err := wait.PairObjects(ctx, waits[pair.A], waits[pair.B], p)
	if err != nil {
		return nil, err
	}
	b := &Balance{Pair: p, Waits: waits, Objects: objects, cell: map[Part]int{}}
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
	b.sumUp(known)
	m.Finish()
	return b, ctx.Err()
}

func (b *Balance) newSide(sd pair.Side, w *wait.Analysis, o Options, known *scopes) *side {
	t := b.Pair.Trace(sd)
	d := &side{Side: sd, trace: t, waits: w, ids: slices.Clone(b.Pair.IDs(sd)), kinds: kindsOf(t),
		objects: make([]int32, len(t.Objects)), pair: b.Pair, scopes: known,
		spaces: &sync.Pool{New: func() any { return &space{} }}}
	for f, id := range d.ids {
		if same, ok := o.Same[id]; ok {
			d.ids[f] = same
		}
	}
	for i, pair := range b.Objects {
		if k := [2]int32{pair.A, pair.B}[sd]; k >= 0 {
			d.objects[k] = int32(i)
		}
	}
	d.longest = sync.OnceValue(d.findLongest)
	return d
}

// split splits the threads of some sides, several at a time.
func (b *Balance) split(ctx context.Context, sides []*side, m *progress.Meter) error {
	most := worstOf(b.Pair)
	counts := func(th *trace.Thread) bool { return rank(th) <= most }
	type task struct {
		side   *side
		thread int
		way    []stretch
	}
	var tasks []task
	for _, d := range sides {
		way, err := findWay(ctx, d.waits, counts)
		if err != nil {
			return err
		}
		of, nobody := byThread(way, len(d.trace.Threads))
		b.Elapsed[d.Side], b.Threads[d.Side] = d.trace.Duration, make([]Thread, len(of))
		b.Way[d.Side][Idle] += nobody
		if nobody > 0 {
			b.cellOf(idlePart).Amounts[d.Side].WayNs += nobody
		}
		for t, way := range of {
			tasks = append(tasks, task{d, t, way})
		}
	}
	return progress.Spread(ctx, len(tasks), func(k int) error {
		d, t := tasks[k].side, tasks[k].thread
		th := &b.Threads[d.Side][t]
		th.StartNs, th.EndNs = d.trace.Threads[t].Span()
		th.Counts = counts(d.trace.Threads[t])
		th.entries = d.split(t, tasks[k].way)
		for i := range th.entries {
			th.Ns[th.entries[i].part.Kind] += th.entries[i].Ns
		}
		return m.Add(ctx, int64(d.trace.Threads[t].Len()))
	})
}

// rank orders threads by how much they are part of the program.
func rank(th *trace.Thread) int {
	return [...]int{trace.Ordinary: 0, trace.AsyncTrack: 1, trace.Runtime: 2, trace.Sums: 3}[th.Kind]
}

// worstOf returns the rank up to which threads count: as far as is needed for a side to have any.
func worstOf(p *pair.Pair) int {
	worst := 0
	for _, t := range []*trace.Trace{p.A, p.B} {
		if t == nil {
			continue
		}
		best, some := rank(&trace.Thread{Kind: trace.Sums}), false
		for _, th := range t.Threads {
			if th.Len() > 0 {
				best, some = min(best, rank(th)), true
			}
		}
		if some {
			worst = max(worst, best)
		}
	}
	return worst
}

// counted returns what of an entry is part of the totals of a thread that counts, or does not.
func (e *entry) counted(counts bool) Amount {
	if counts {
		return e.Amount
	}
	return Amount{WayNs: e.WayNs}
}

// sumUp adds up the threads' parts as cells, and those in scopes.
func (b *Balance) sumUp(known *scopes) {
	for sd := range b.Threads {
		for t := range b.Threads[sd] {
			th := &b.Threads[sd][t]
			for i := range th.entries {
				e := &th.entries[i]
				if a := e.counted(th.Counts); a != (Amount{}) {
					b.cellOf(e.part).Amounts[sd].add(a)
				}
				b.Way[sd][e.part.Kind] += e.WayNs
				if th.Counts {
					b.Total[sd][e.part.Kind] += e.Ns
				}
			}
		}
	}
	b.sortCells()
	b.scoped, b.scopesOf = make([][]Portion, len(known.chain)), map[uint32][]int32{}
	for scope, chain := range known.chain {
		for _, fn := range chain {
			b.scopesOf[fn] = append(b.scopesOf[fn], int32(scope))
		}
	}
	for sd := range b.Threads {
		for t := range b.Threads[sd] {
			b.sumScopes(sd, &b.Threads[sd][t])
		}
	}
}

// sumScopes keeps a thread's parts below functions that were named.
func (b *Balance) sumScopes(sd int, th *Thread) {
	for i := range th.entries {
		e := &th.entries[i]
		if e.scope == 0 {
			continue
		}
		if cell := b.cellAt(e.part); cell >= 0 {
			d := deltaOn(sd, e.counted(th.Counts), e.part.Kind.Works())
			b.scoped[e.scope] = append(b.scoped[e.scope], Portion{cell, d})
		}
	}
}

func (b *Balance) cellOf(p Part) *Cell {
	at := b.cellAt(p)
	if at < 0 {
		at = len(b.Cells)
		b.putCell(p, at)
		b.Cells = append(b.Cells, Cell{Part: p})
	}
	return &b.Cells[at]
}

// cellAt returns the cell of a part, or −1. Most parts are on CPU, where function and caller say
// all.
func (b *Balance) cellAt(p Part) int {
	if p.Kind == CPU {
		if k := b.plain.Find(pair.KeyOf(p.Caller, p.Function)); k >= 0 {
			return b.plainCell[k]
		}
		return -1
	}
	if at, ok := b.cell[p]; ok {
		return at
	}
	return -1
}

func (b *Balance) putCell(p Part, at int) {
	if p.Kind != CPU {
		b.cell[p] = at
		return
	}
	k := b.plain.Of(pair.KeyOf(p.Caller, p.Function))
	if int(k) == len(b.plainCell) {
		b.plainCell = append(b.plainCell, at)
	}
	b.plainCell[k] = at
}

func (b *Balance) sortCells() {
	slices.SortFunc(b.Cells, func(x, y Cell) int {
		return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Function, y.Function),
			cmp.Compare(x.Caller, y.Caller), cmp.Compare(x.Object, y.Object),
			cmp.Compare(x.Releaser, y.Releaser))
	})
	b.ofFunction = map[uint32][]int{}
	for i := range b.Cells {
		c := &b.Cells[i]
		b.putCell(c.Part, i)
		b.ofFunction[c.Function] = append(b.ofFunction[c.Function], i)
	}
}
