package page

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"slices"

	"diptych/internal/align"
	"diptych/internal/escape"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// The stacks of both sides, for the picture that the reader can pan and zoom.
//
// A trace may have a million calls, and a report must stay small. Each pair of threads keeps those
// calls that last at least some time, the same on both sides; a run of shorter siblings is
// one box, which says how many calls it holds and how many of them differ. The time is doubled
// until what is left fits the budget. As in the window, everything below a narrow call is narrow,
// too.
//
// A side is a sequence of numbers, each as a varint (encoding/binary), in pre-order:
//
//	kind + 4·level   kind 0 equal, 1 different, 2 only on this side, 3 a box
//	start            steps since the start of the item before; starts never fall
//	length           steps
//	name             of a call: its index into Stacks.Names
//	calls, differing, levels   of a box: how many, and how deep
//
// For example, with a step of 10 ns, main [0 100) with f [20 50) in it, which B lacks, is
// 0 0 10 0 and then 6 2 3 1 (level 1, only here; at 20; 30 long; the second name).

// Stacks is what the picture shows.
type Stacks struct {
	Unit    string      `json:"unit"`
	Noun    string      `json:"noun"` // what its calls are: Page.Noun
	Names   []string    `json:"names"`
	Threads []StackPair `json:"threads"`
	// Left is how many pairs of threads there is no room for: those with the fewest calls.
	Left int `json:"left"`
}

// StackPair is a pair of threads.
type StackPair struct {
	Title string       `json:"title"`
	Step  int64        `json:"step"`  // ns, or what the trace's unit is
	Least int64        `json:"least"` // shorter calls are in boxes; 0 if there are none
	Sides [2]*StackRow `json:"sides"` // nil where there is no thread
}

// StackRow is a thread.
type StackRow struct {
	Calls int    `json:"calls"`
	Items string `json:"items"` // base64
}

// How much a report has room for.
const (
	mostItems   = 90000 // calls and boxes, over all threads
	leastItems  = 200   // of a pair of threads
	mostThreads = 60    // pairs
	boxes       = 16    // a box is at most so many times as wide as the shortest call
	mostName    = 200   // characters
)

// Kinds of items beyond the states of calls.
const (
	onlyHere = 2
	boxed    = 3
)

// stacks extracts the calls of the pairs of threads that have the most.
func (b *builder) stacks() error {
	b.page.Stacks = Stacks{Unit: b.unit, Noun: b.page.Noun, Names: []string{}, Threads: []StackPair{}}
	order := b.busiest()
	room := min(len(order), mostThreads)
	b.page.Stacks.Left = len(order) - room
	all := 0
	for _, k := range order[:room] {
		all += callsOf(b.Results[k])
	}
	b.drawn = slices.Repeat([]int{-1}, len(b.pair.Threads))
	x := &extractor{names: map[uint32]uint64{}, out: &b.page.Stacks, pairNames: b.pair.Names}
	for _, k := range order[:room] {
		r := b.Results[k]
		budget := max(leastItems, int(float64(mostItems)*float64(callsOf(r))/float64(max(all, 1))))
		b.drawn[k] = len(b.page.Stacks.Threads)
		p := x.extract(r, budget)
		p.Title = b.titles[k]
		b.page.Stacks.Threads = append(b.page.Stacks.Threads, p)
		if b.ctx.Err() != nil {
			return b.ctx.Err()
		}
	}
	return nil
}

// busiest returns the pairs of threads that have calls, those with the most first, and then those
// of the runtime. Sums that a tool wrote repeat other threads.
func (b *builder) busiest() []int {
	var order []int
	for k, r := range b.Results {
		sums := r.Threads[pair.A].Kind == trace.Sums || r.Threads[pair.B].Kind == trace.Sums
		if callsOf(r) > 0 && !sums {
			order = append(order, k)
		}
	}
	slices.SortStableFunc(order, func(x, y int) int {
		return cmp.Or(cmp.Compare(ofRuntime(b.Results[x]), ofRuntime(b.Results[y])),
			cmp.Compare(callsOf(b.Results[y]), callsOf(b.Results[x])))
	})
	return order
}

// ofRuntime returns how many threads of a pair are the runtime's own.
func ofRuntime(r *align.Result) (n int) {
	for _, t := range r.Threads {
		if t.Kind == trace.Runtime {
			n++
		}
	}
	return n
}

func callsOf(r *align.Result) int { return r.Threads[pair.A].Len() + r.Threads[pair.B].Len() }

// extractor encodes pairs of threads with one table of names.
type extractor struct {
	names     map[uint32]uint64 // index into out.Names by identity
	out       *Stacks
	pairNames []string
}

// extract encodes a pair of threads in at most so many items, if that can be.
func (x *extractor) extract(r *align.Result, budget int) StackPair {
	var rows [2]*row
	longest := int64(1)
	for s := range rows {
		if r.Indices[s] < 0 {
			continue
		}
		rows[s] = newRow(r, pair.Side(s))
		_, end := rows[s].th.Span()
		longest = max(longest, end)
	}
	least := int64(0)
	for items(rows, least) > budget && least < longest {
		least = max(2*least, longest>>20, 1)
	}
	out := StackPair{Step: max(least/4, longest>>30, 1), Least: least}
	for s, w := range rows {
		if w != nil {
			out.Sides[s] = &StackRow{w.th.Len(), x.encode(w, least, out.Step)}
		}
	}
	return out
}

// items returns how many calls and boxes there are on both sides.
func items(rows [2]*row, least int64) (n int) {
	for _, w := range rows {
		if w != nil {
			w.walk(least, func(item) { n++ })
		}
	}
	return n
}

// row is a thread whose calls have a state.
type row struct {
	r       *align.Result
	side    pair.Side
	th      *trace.Thread
	differs []uint32 // by call: how many before it are not equal
}

func newRow(r *align.Result, s pair.Side) *row {
	w := &row{r: r, side: s, th: r.Threads[s]}
	w.differs = make([]uint32, w.th.Len()+1)
	for i := range w.th.Len() {
		w.differs[i+1] = w.differs[i]
		if r.StateOf(s, i) != align.Equal {
			w.differs[i+1]++
		}
	}
	return w
}

// item is a call, or a box of the calls [from, to).
type item struct {
	from, to int
	box      bool
	end      int64
}

// walk visits the calls that last at least so long, and the runs of shorter siblings between them.
// A run ends at a gap of that length and at every line of a grid.
func (w *row) walk(least int64, visit func(item)) {
	th := w.th
	for i := 0; i < th.Len(); {
		if th.Dur(i) >= least {
			visit(item{i, i + 1, false, th.End(i)})
			i++
			continue
		}
		stop := th.Len()
		if p := th.Parent(i); p >= 0 {
			stop = th.Next(int(p))
		}
		line, end, c := (th.Start(i)/least/boxes+1)*least*boxes, th.End(i), th.Next(i)
		for c < stop && th.Dur(c) < least && th.Start(c)-end < least && th.Start(c) < line {
			end, c = th.End(c), th.Next(c)
		}
		visit(item{i, c, true, end})
		i = c
	}
}

// encode writes a side as the numbers that stand above.
func (x *extractor) encode(w *row, least, step int64) string {
	var out []byte
	number := func(v uint64) { out = binary.AppendUvarint(out, v) }
	last := int64(0)
	w.walk(least, func(it item) {
		start := w.th.Start(it.from) / step
		kind := uint64(boxed)
		if !it.box {
			kind = uint64(min(w.r.StateOf(w.side, it.from), onlyHere))
		}
		number(kind + 4*uint64(w.th.Depth(it.from)))
		number(uint64(start - last))
		number(uint64((it.end+step-1)/step - start))
		last = start
		if !it.box {
			number(x.name(w.r.ID(w.side, it.from)))
			return
		}
		deepest := w.th.DeepestIn(it.from, it.to)
		number(uint64(it.to - it.from))
		number(uint64(w.differs[it.to] - w.differs[it.from]))
		number(uint64(deepest-int(w.th.Depth(it.from))) + 1)
	})
	return base64.StdEncoding.EncodeToString(out)
}

// name returns the index of a function's name.
func (x *extractor) name(id uint32) uint64 {
	k, ok := x.names[id]
	if !ok {
		k = uint64(len(x.out.Names))
		x.names[id] = k
		x.out.Names = append(x.out.Names, Shortened(escape.Line(x.pairNames[id])))
	}
	return k
}

// Shortened cuts the names of C++, which may be very long, in their middle.
func Shortened(name string) string {
	r := []rune(name)
	if len(r) <= mostName {
		return name
	}
	return string(r[:mostName*3/4]) + "…" + string(r[len(r)-mostName/4:])
}

// value writes an amount of the traces' unit with three digits.
func (b *builder) value(v int64) string { return geom.FormatValue(float64(v), b.unit) }
