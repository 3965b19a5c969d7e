package trace

import "math"

// ThreadBuilder gathers the records of one thread. It has three ways of holding them:
//
//   - nested: begin and end records in time order, where each end closes the innermost call, go
//     straight into the final columns; almost every real file is like that;
//   - whole: complete records (start and duration) that come in pre-order go straight into the
//     final columns as well; otherwise they are kept as they come and sorted at the end;
//   - logged: all other threads (a time goes back, an end closes an outer call, both kinds of
//     records occur) keep a log of records, sorted and paired at the end. A thread that was nested
//     or whole so far makes records again of what it holds.
//
// Calls are named by ordinal, the number of begin and complete records before them on the thread.
//
// Different threads may be fed by different goroutines at once through Append, AppendSteps,
// AppendBrief, Begin, End, EndNamed, Expect, Turn, Args, ReturnArgs, Block, Flag, Instant and
// Renumber, which touch nothing that threads share.
type ThreadBuilder struct {
	b        *Builder
	number   uint32 // its index in the Builder
	id, name string
	role     string
	sort     int
	process  int32
	lane0    int32 // what lane its first one is
	kind     ThreadKind
	sampled  bool
	numbered bool
	hasRole  bool // SetRole was called
	mode     mode
	ends     endStyle
	taken    int // bytes that the Builder has not been told of; see weight
	spilled  int // those of them that are of columns

	first, last int64 // extent of this thread's events

	sketch *sketch // nil, or what an Outline has of the thread

	*gathered // nil until there is a record: a file may name a thread with two bytes

	lanes  []*Thread
	only   [1]*Thread  // room for the first lane, and what lanes are if it is the only one
	places *places     // where calls went; nil if ordinals are calls of lanes[0]
	diags  diagnostics // found while building
	named  bool        // a Ref to one of its calls is held, so locate is needed to the end
}

// gathered is what a thread has of records, until it is built.
type gathered struct {
	calls     *gathering // nested mode; nil before the first
	turns     int        // how many calls Turn will begin; see Expect
	deepTurns bool       // some of them on more levels than a column has
	open      []opened   // nested mode: the calls that are open, outermost first
	lastAt    int64      // time of the last begin or end
	lastX     int64      // start of the last complete record
	whole     *wholeColumns
	log       []record
	n         uint32 // ordinals given out

	lastEnd   uint32 // ordinal closed by the last End in nested mode, or noOrd
	endRecord int32  // which record the last end is, or −1

	args     column[arg] // call holds the ordinal until build
	texts    textList    // of args
	blocks   column[blockMark]
	objects  []ObjectID    // of blocks, in their order
	flags    column[Flags] // of calls by ordinal, up to the last that Flag marked
	marks    []mark        // found while building
	instants []Instant
	*rarities
}

// rarities is what few threads have.
type rarities struct {
	strays    []stray   // nested mode: ends that closed nothing
	lateArgs  []lateArg // arguments of ends: a later record can still change what they close
	backwards uint64    // records earlier than their predecessor
	stalls    []Stall
	unkept    uint64 // argument texts beyond what the columns can hold
	notUTF8   uint64 // argument texts that were escaped
	escaped   string // the first of them

	negative               uint64 // appended calls that end before they begin
	negativeAt, negativeBy int64  // the first of them: its start, and by how much
}

// noRarities is what all other threads have; it is never written.
var noRarities rarities

// hold makes room for the first record.
func (t *ThreadBuilder) hold() {
	if t.gathered == nil {
		t.gathered = &gathered{lastAt: math.MinInt64, rarities: &noRarities,
			flags: column[Flags]{room: &t.b.room}, args: column[arg]{room: &t.b.room}}
		t.b.take(gatheredBytes)
	}
}

// rare makes room for what few threads have.
func (t *ThreadBuilder) rare() *rarities {
	if t.rarities == &noRarities {
		t.rarities = &rarities{}
	}
	return t.rarities
}

// Room for a few of what most threads have, so that it does not grow from nothing in each of
// thousands.
const (
	fewOpen = 8
	fewArgs = 4
)

type mode uint8

const (
	empty mode = iota
	nested
	wholes
	logged
)

// endStyle is whether a thread's ends carry names; a thread with both is logged.
type endStyle uint8

const (
	noEnds endStyle = iota
	namedEnds
	plainEnds
)

// wholeColumns are complete records in input order.
type wholeColumns struct {
	preorder   *preorder // nil, or all of them, and the other columns are empty
	start, end column[int64]
	fn         column[FuncID]
	ord        column[uint32] // of a logged thread; else each has its index
}

func newWholes(r *room) *wholeColumns {
	return &wholeColumns{start: column[int64]{room: r}, end: column[int64]{room: r},
		fn: column[FuncID]{room: r}, ord: column[uint32]{room: r}}
}

// record is a begin or an end in a logged thread.
type record struct {
	at  int64
	fn  FuncID
	ord uint32 // of a begin; for ends plainEnd or namedEnd
}

const (
	noOrd    = 1<<32 - 1
	plainEnd = 1<<32 - 1
	namedEnd = 1<<32 - 2
)

func (r record) isEnd() bool { return r.ord == plainEnd || r.ord == namedEnd }

type stray struct {
	before int // records before it
	record
}

type lateArg struct {
	end      int32  // which record the end is: its index in the log
	ord      uint32 // what it closes if the thread stays nested, or noOrd
	from, to uint32
}

// places are where the calls of a thread are, by ordinal.
type places struct {
	calls []int32    // in lanes[0], if that is the only lane
	where []position // in several
}

type position struct {
	lane int32
	call int32
}

// Limit is the greatest absolute time a record may have: beyond it differences could overflow.
const Limit = 1 << 61

// observe widens the thread's extent; Build unites those of all threads.
func (t *ThreadBuilder) observe(at int64) {
	t.first, t.last = min(t.first, at), max(t.last, at)
}

// SetSort sets the position the recording asks for.
func (t *ThreadBuilder) SetSort(at int) { t.sort = at }

// SetLane says that the thread is the k-th further lane of another.
func (t *ThreadBuilder) SetLane(k int) { t.lane0 = int32(k) }

// Depth returns the number of calls that are open, as far as the records so far tell.
func (t *ThreadBuilder) Depth() int {
	if t.gathered == nil {
		return 0
	}
	return len(t.open)
}

// HasCalls reports whether a call has begun.
func (t *ThreadBuilder) HasCalls() bool { return t.gathered != nil && t.n > 0 }

// Begin records that fn is entered at time at.
func (t *ThreadBuilder) Begin(at int64, fn FuncID) Ref {
	t.observe(at)
	t.hold()
	t.takeColumns(callBytes)
	t.step()
	ref := Ref{t, t.n}
	t.n++
	if t.mode == wholes || at < t.lastAt && t.mode == nested {
		t.toLog()
	}
	if t.mode == logged {
		t.logRecord(record{at, fn, ref.ord})
		return ref
	}
	t.mode, t.lastAt = nested, at
	if t.calls == nil {
		t.calls = newGathering(&t.b.room)
	}
	t.open = append(t.open, t.calls.enterNext(at, fn, t.open))
	return ref
}

// End records an end that names no function: it closes the innermost open call.
func (t *ThreadBuilder) End(at int64) { t.end(record{at: at, ord: plainEnd}, plainEnds) }

// EndNamed records the end of the innermost open call of fn.
func (t *ThreadBuilder) EndNamed(at int64, fn FuncID) {
	t.end(record{at, fn, namedEnd}, namedEnds)
}

func (t *ThreadBuilder) end(r record, style endStyle) {
	t.observe(r.at)
	t.hold()
	if t.mode == wholes || t.mode == nested && (r.at < t.lastAt || t.ends != noEnds && t.ends != style) {
		t.toLog()
	}
	if t.mode == logged {
		t.logRecord(r)
		return
	}
	t.mode, t.ends, t.lastAt = nested, style, r.at
	k := len(t.open) - 1
	if k >= 0 && style == namedEnds && t.calls.fn.at(int(t.open[k].call)) != r.fn {
		if t.isOpen(r.fn) {
			t.toLog()
			t.logRecord(r)
			return
		}
		k = -1
	}
	if k < 0 {
		x := t.rare()
		x.strays = append(x.strays, stray{t.records(), r})
		t.lastEnd, t.endRecord = noOrd, int32(t.records()-1)
		return
	}
	o := t.open[k]
	t.open = t.open[:k]
	t.calls.leave(o, r.at)
	t.lastEnd, t.endRecord = uint32(o.call), int32(t.records()-1)
}

// records returns the number of records held in nested mode.
func (t *ThreadBuilder) records() int {
	n := len(t.strays) - len(t.open)
	if t.calls != nil {
		n += 2 * t.calls.len()
	}
	return n
}

// Complete records a call of fn over [start, end].
func (t *ThreadBuilder) Complete(start, end int64, fn FuncID) Ref {
	if end < start {
		t.b.EndsEarly(t, fn, start, end)
		end = start
	}
	return t.complete(start, end, fn)
}

// complete records a call that does not end before it begins.
func (t *ThreadBuilder) complete(start, end int64, fn FuncID) Ref {
	t.observe(start)
	t.observe(end)
	t.hold()
	t.takeColumns(callBytes)
	t.step()
	ref := Ref{t, t.n}
	t.n++
	if t.mode == nested {
		t.toLog()
	}
	if t.mode == empty {
		t.mode = wholes
	}
	w := t.whole
	if w == nil {
		w = newWholes(&t.b.room)
		t.whole = w
	} else if start < t.lastX {
		t.rare().backwards++
	}
	w.loosen(&t.b.room)
	t.lastX = start
	w.start.push(start)
	w.end.push(end)
	w.fn.push(fn)
	if t.mode == logged {
		w.ord.push(ref.ord)
	}
	return ref
}

// Instant records a point event.
func (t *ThreadBuilder) Instant(at int64, fn FuncID) {
	t.observe(at)
	t.hold()
	t.takeColumns(instantBytes)
	t.instants = pushed(&t.b.room, t.instants, Instant{at, fn})
}

// Stall records that a sample holds many times as long as most. Stalls come in the order of time.
func (t *ThreadBuilder) Stall(at, dur int64) {
	t.hold()
	t.takeColumns(instantBytes)
	x := t.rare()
	x.stalls = append(x.stalls, Stall{at, dur})
}

// Args attaches argument text to a call. Several texts of one call are joined by blanks.
func (t *ThreadBuilder) Args(r Ref, text []byte) {
	if len(text) > 0 {
		t.hold()
		t.keepArgs(r.ord, t.argument(text))
	}
}

func (t *ThreadBuilder) keepArgs(ord uint32, text []byte) {
	from, to := t.keep(text)
	t.args.push(arg{int32(ord), from, to})
}

// ReturnArgs attaches text, such as a return value, to the call that the last End or EndNamed
// closes. At most once an end.
func (t *ThreadBuilder) ReturnArgs(text []byte) {
	if len(text) == 0 || t.gathered == nil {
		return
	}
	if t.endRecord >= 0 {
		from, to := t.keep(t.argument(text))
		x := t.rare()
		if x.lateArgs == nil {
			x.lateArgs = make([]lateArg, 0, fewArgs)
		}
		x.lateArgs = append(x.lateArgs, lateArg{t.endRecord, t.lastEnd, from, to})
	}
}

func (t *ThreadBuilder) keep(text []byte) (from, to uint32) {
	from, to, ok := t.texts.add(&t.b.room, text)
	if !ok {
		t.rare().unkept++
		return 0, 0
	}
	t.takeColumns(argBytes + len(text))
	return from, to
}

func (t *ThreadBuilder) logRecord(r record) {
	if r.at < t.lastAt {
		t.rare().backwards++
	}
	t.lastAt = r.at
	if r.isEnd() {
		t.endRecord = int32(len(t.log))
	}
	t.log = pushed(&t.b.room, t.log, r)
}
