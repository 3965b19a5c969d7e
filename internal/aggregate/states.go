package aggregate

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"sort"
	"sync"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// States is what the state of a thread at a moment is taken from.
type States uint8

const (
	ByFunction States = iota // the innermost call's function
	ByPackage                // the innermost call's package, else its module
	ByBlocking               // whether it runs, waits, does I/O, could run or is off the CPU
)

func (s States) String() string { return [...]string{"function", "package", "blocking"}[s] }

// ParseStates returns the choice of a name.
func ParseStates(name string) (States, bool) {
	for s := ByFunction; s <= ByBlocking; s++ {
		if s.String() == name {
			return s, true
		}
	}
	return 0, false
}

// The states of ByBlocking.
const (
	running int32 = iota
	waiting
	io
	runnable
	offCPU
)

var blockingNames = []string{"running", "waiting", "I/O", "runnable", "off CPU"}

// NoPackage is the state of functions of which neither a package nor a module is known.
const NoPackage = "no package"

// kinds tells the state of each call of a pair.
type kinds struct {
	p     *pair.Pair
	o     Options
	names []string   // by state
	byFn  [2][]int32 // by side and function: the state, for functions and packages
}

func newKinds(p *pair.Pair, o Options) *kinds {
	k := &kinds{p: p, o: o}
	switch {
	case o.Code != nil:
	case o.States == ByBlocking:
		k.names = blockingNames
	case o.States == ByPackage:
		k.packages()
	default:
		k.names = p.Names
		for s := range k.byFn {
			for _, id := range p.IDs(pair.Side(s)) {
				k.byFn[s] = append(k.byFn[s], int32(id))
			}
		}
	}
	return k
}

func (k *kinds) packages() {
	known := map[string]int32{}
	for s := range k.byFn {
		t := k.p.Trace(pair.Side(s))
		if t == nil {
			continue
		}
		for _, f := range t.Functions {
			name := cmp.Or(f.Package, f.Module, NoPackage)
			if _, ok := known[name]; !ok {
				known[name] = int32(len(k.names))
				k.names = append(k.names, name)
			}
			k.byFn[s] = append(k.byFn[s], known[name])
		}
	}
}

// of returns the states of a thread's calls, none if the thread does not count.
func (k *kinds) of(s pair.Side, thread int) states {
	th := k.p.Trace(s).Threads[thread]
	switch {
	case k.o.Code != nil:
		return states{byFn: k.o.Code.Cells(s, thread)}
	case k.o.States == ByBlocking:
		return states{of: blocking(k.p.Trace(s), th)}
	}
	return states{byFn: k.byFn[s]}
}

// blocking returns the function that tells the blocking kinds of a thread's calls: that of the
// nearest call around it, or itself, that waits or does I/O. A scheduling state or an event of the
// system outside such calls is runnable, where it says so, or off the CPU. Example: a context
// switch inside pthread_mutex_lock waits; one inside main is off the CPU.
func blocking(t *trace.Trace, th *trace.Thread) func(int, int32) int32 {
	marks := th.Blocks
	return func(call int, around int32) int32 {
		if len(marks) > 0 && int(marks[0].Call) < call { // the range begins after it
			at := sort.Search(len(marks), func(i int) bool { return int(marks[i].Call) >= call })
			marks = marks[at:]
		}
		own := running
		for ; len(marks) > 0 && int(marks[0].Call) == call; marks = marks[1:] {
			if b := marks[0].Kind; b == trace.Wait {
				own = waiting
			} else if b == trace.IO && own == running {
				own = io
			}
		}
		fn := t.FunctionOf(th, call)
		switch {
		case own != running:
			return own
		case around == waiting || around == io:
			return around
		case fn.Kind != trace.State && fn.Kind != trace.Event:
			return running
		case fn.Off == trace.Ready:
			return runnable
		}
		return offCPU
	}
}

// byThread makes threads the leaves of the models, and keeps the states with most time.
func (m *Models) byThread(ctx context.Context, work []pass, names []string,
	meter *progress.Meter) error {
	err := run(ctx, work, len(names), meter, func(p *pass, cells []Cell) {
		p.cells = slices.Clip(slices.Clone(cells)) // no more than there are
	})
	if err != nil {
		return err
	}
	total := make([]int64, len(names))
	for i := range work {
		for _, c := range work[i].cells {
			total[c.State] += c.Ns
		}
	}
	kept, to := mostTime(total, names)
	var rows [2][][]Cell // by side and thread
	for s, side := range m.Sides {
		if side != nil {
			rows[s] = make([][]Cell, len(m.Pair.Trace(pair.Side(s)).Threads))
		}
	}
	for i := range work {
		p := &work[i]
		rows[p.side][p.index] = fold(p.cells, to)
		p.cells = nil
	}
	for s, side := range m.Sides {
		if side == nil {
			continue
		}
		side.states = kept
		side.tree, m.Threads[s] = Threads(m.Pair.Trace(pair.Side(s)))
		for _, th := range m.Threads[s] {
			side.Cells = append(side.Cells, rows[s][th])
		}
	}
	return nil
}

// mostTime returns the names of the states with most time, ties by name, and the state that each
// becomes. All others become one, if there are any.
func mostTime(total []int64, names []string) (kept []string, to []uint32) {
	var by []int
	for i := range total {
		if total[i] > 0 {
			by = append(by, i)
		}
	}
	slices.SortStableFunc(by, func(x, y int) int {
		return cmp.Or(cmp.Compare(total[y], total[x]), cmp.Compare(names[x], names[y]))
	})
	to = make([]uint32, len(total))
	for k, i := range by {
		to[i] = uint32(min(k, mostStates))
		if k < mostStates {
			kept = append(kept, names[i])
		}
	}
	if len(by) > mostStates {
		kept = append(kept, Other)
	}
	return kept, to
}

// fold renames the states of a leaf's cells and adds up those that became one, in place. It takes
// new memory only where that gives back more than a quarter.
func fold(cells []Cell, to []uint32) []Cell {
	var ns [mostStates + 1]int64 // by new state, of one slice
	rest, out := cells, cells[:0]
	for len(rest) > 0 {
		slice, some := rest[0].Slice, uint32(0) // a bit for each new state that there is
		for len(rest) > 0 && rest[0].Slice == slice {
			k := to[rest[0].State]
			ns[k] += rest[0].Ns
			some |= 1 << k
			rest = rest[1:]
		}
		for ; some != 0; some &= some - 1 {
			k := bits.TrailingZeros32(some)
			out = append(out, Cell{slice, uint32(k), ns[k]})
			ns[k] = 0
		}
	}
	if 4*len(out) < 3*len(cells) {
		out = slices.Clone(out)
	}
	return slices.Clip(out)
}

// byCode makes functions the leaves of the models: those that run on the side.
func (m *Models) byCode(ctx context.Context, work []pass, meter *progress.Meter) error {
	places := len(m.options.Code.Places)
	rows := [2][][]Cell{make([][]Cell, places), make([][]Cell, places)} // by side and place
	var mu sync.Mutex
	err := run(ctx, work, places, meter, func(p *pass, cells []Cell) {
		slices.SortFunc(cells, func(x, y Cell) int {
			return cmp.Or(cmp.Compare(x.State, y.State), cmp.Compare(x.Slice, y.Slice))
		})
		mu.Lock()
		defer mu.Unlock()
		for len(cells) > 0 {
			place, n := cells[0].State, 0
			for ; n < len(cells) && cells[n].State == place; n++ {
				cells[n].State = 0
			}
			rows[p.side][place] = addCells(rows[p.side][place], cells[:n])
			cells = cells[n:]
		}
	})
	if err != nil {
		return err
	}
	for s, side := range m.Sides {
		if side == nil {
			continue
		}
		side.states = blockingNames[:1]
		var of []int
		for i := range m.options.Code.Places {
			if rows[s][i] != nil {
				of = append(of, i)
			}
		}
		side.tree, m.Places[s] = placesTree(m.options.Code, of)
		for _, i := range m.Places[s] {
			side.Cells = append(side.Cells, rows[s][i])
		}
	}
	return nil
}

// addCells adds cells of one state to those of a row. Both are ordered by slice. The row is merged
// from its end, so that it needs no second copy.
func addCells(row, more []Cell) []Cell {
	extra, i := 0, 0
	for _, c := range more {
		for i < len(row) && row[i].Slice < c.Slice {
			i++
		}
		if i == len(row) || row[i].Slice != c.Slice {
			extra++
		}
	}
	i = len(row) - 1
	row = slices.Grow(row, extra)[:len(row)+extra]
	at, k := len(row)-1, len(more)-1
	for ; k >= 0; at-- {
		switch {
		case i >= 0 && row[i].Slice > more[k].Slice:
			row[at], i = row[i], i-1
		case i >= 0 && row[i].Slice == more[k].Slice:
			row[at] = Cell{Slice: row[i].Slice, Ns: row[i].Ns + more[k].Ns}
			i, k = i-1, k-1
		default:
			row[at], k = more[k], k-1
		}
	}
	return row
}

// placesTree makes the tree of some places. Order is the place at each leaf.
func placesTree(c *Code, of []int) (t *Tree, order []int) {
	leaves := make([]Place, len(of))
	for i, p := range of {
		leaves[i] = c.Places[p]
	}
	t, order = NewTree(leaves)
	for k := range order {
		order[k] = of[order[k]]
	}
	return t, order
}
