package trace

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
)

// Builder gathers a trace from records in any order and builds it. It checks what it is given:
// whatever violates the model is repaired by a rule for each Code, and counted. Texts may hold any
// bytes; the trace has them as Escape writes them. Times may have any origin; Build moves them so
// that the first event is at 0. A Builder is used by one goroutine at a time, but for its threads:
// see ThreadBuilder.Append.
type Builder struct {
	Format, Tool string
	Kind         Kind
	Unit         Unit
	Options      []string // see Trace; in any order
	SampleType   string   // see Trace
	Exact        bool     // see Trace
	SampleWeight int64    // see Trace
	SteadyWeight int64    // see Trace
	Floor        int64    // see Trace
	Symbols      bool     // see Trace
	Escaped      bool     // texts come from a trace, so Escape was at them already

	processes []Process
	byProcess map[string]int32
	threads   []*ThreadBuilder
	unused    []ThreadBuilder // room for further ones
	functions []Function
	byName    map[nameKey]FuncID
	objects   []Object
	byObject  map[string]ObjectID
	counters  []*Counter
	byCounter map[counterKey]*Counter
	counted   []CallCount
	flows     []flow
	explicit  column[explicit]
	ended     column[ended]
	links     column[link]
	requests  []Request
	markers   []func(*Trace, Mark)
	awaits    func(*Function) bool // nil, or see Awaits
	diags     diagnostics
	afford    func(bytes, columns int64) error // nil, or see Weigh
	weight    weight
	outline   *Outline // nil, or see Follow
	room      room     // see Spill

	first, last int64 // extent of all events seen
}

type nameKey struct{ name, file string }

type counterKey struct {
	process int32
	name    string
}

// Moment is a point in time on a thread, as a flow event names it.
type Moment struct {
	Thread *ThreadBuilder
	At     int64
	Next   bool // the end of a flow: the call that starts then or next, not the one around it
	Call   Ref  // the call itself, where the recording says which; else the zero Ref
}

type flow struct{ from, to Moment }

type link struct {
	from, to  spot
	at, until int64
	part      bool
}

// Ref names a call of a thread that is being built; it stays valid whatever order the calls end up
// in.
type Ref struct {
	t   *ThreadBuilder
	ord uint32
}

// NewBuilder returns an empty builder for a trace of the given format.
func NewBuilder(format string) *Builder {
	b := &Builder{
		Format: format, Unit: Nanoseconds,
		byProcess: map[string]int32{}, byName: map[nameKey]FuncID{},
		byObject: map[string]ObjectID{}, byCounter: map[counterKey]*Counter{},
		diags: diagnostics{},
		first: math.MaxInt64, last: math.MinInt64,
	}
	b.room.weigh = b.weigh
	return b
}

// Process returns the index of the process with the given id, adding it if it is new.
func (b *Builder) Process(id string) int32 {
	if i, ok := b.byProcess[id]; ok {
		return i
	}
	i := int32(len(b.processes))
	valid := b.text(id)
	b.processes = append(b.processes, Process{ID: valid, Name: valid})
	b.take(functionBytes)
	b.byProcess[id] = i
	return i
}

// HasProcess reports whether a process with the given id was added.
func (b *Builder) HasProcess(id string) bool { _, ok := b.byProcess[id]; return ok }

// NameProcess sets the name of process p.
func (b *Builder) NameProcess(p int32, name string) { b.processes[p].Name = b.text(name) }

// LabelProcess sets what process p shows.
func (b *Builder) LabelProcess(p int32, label string) { b.processes[p].Label = b.text(label) }

// HostProcess states on which machine process p ran.
func (b *Builder) HostProcess(p int32, host string) { b.processes[p].Host = b.text(host) }

// ForkProcess states which process started p.
func (b *Builder) ForkProcess(p int32, parent string) { b.processes[p].Parent = b.escape(parent) }

// SortProcess sets the position that the recording asks for.
func (b *Builder) SortProcess(p int32, at int) { b.processes[p].Sort = at }

// Thread adds a thread. Ids should be unique; Build makes them so by appending a number. Process is
// −1 where the format knows none.
func (b *Builder) Thread(id string, process int32) *ThreadBuilder {
	id = b.text(id)
	t := next(&b.unused, len(b.threads))
	t.b, t.id, t.name, t.process, t.number = b, id, id, process, uint32(len(b.threads))
	t.first, t.last, t.sketch = math.MaxInt64, math.MinInt64, b.outline.sketch(id)
	b.threads = append(b.threads, t)
	b.take(threadBytes)
	return t
}

// Function returns the id of f. Functions are one if their names and files are equal; the first
// mention of a package, line or kind counts.
func (b *Builder) Function(f Function) FuncID {
	key := nameKey{f.Name, f.File}
	if id, ok := b.byName[key]; ok {
		return id
	}
	id := FuncID(len(b.functions))
	f.Name, f.File = b.text(f.Name), b.text(f.File)
	f.Package, f.Module = b.text(f.Package), b.text(f.Module)
	b.functions = append(b.functions, f)
	b.take(functionBytes)
	b.byName[key] = id
	b.outline.learn(b)
	return id
}

// FunctionName returns the name of f as it was given, not escaped.
func (b *Builder) FunctionName(f FuncID) string { return b.given(b.functions[f].Name) }

// Object returns the id of the object with the given name.
func (b *Builder) Object(name string) ObjectID {
	if id, ok := b.byObject[name]; ok {
		return id
	}
	id := ObjectID(len(b.objects))
	b.objects = append(b.objects, Object{b.text(name)})
	b.take(objectBytes)
	b.byObject[name] = id
	return id
}

// Observe widens the trace's extent to time at, for events that are not calls.
func (b *Builder) Observe(at int64) {
	b.first, b.last = min(b.first, at), max(b.last, at)
}

// Count adds a value of a counter.
func (b *Builder) Count(process int32, name string, at int64, value float64) {
	b.Observe(at)
	key := counterKey{process, name}
	c := b.byCounter[key]
	if c == nil {
		c = &Counter{Process: process, Name: b.text(name)}
		b.byCounter[key] = c
		b.counters = append(b.counters, c)
		b.take(functionBytes)
	}
	b.take(counterBytes)
	c.At, c.Value = append(c.At, at), append(c.Value, value)
}

// Flow records a causal link from the call around the first moment to the call around the second.
// The calls are looked up once all of them are known; flow.go says which links end a wait.
func (b *Builder) Flow(from, to Moment) {
	b.Observe(from.At)
	b.Observe(to.At)
	b.take(linkBytes)
	b.flows = append(b.flows, flow{from, to})
}

// Link records a causal link between two calls.
func (b *Builder) Link(from, to Ref, at, until int64) {
	b.link(from, to, at, until, false)
}

// Part records that call to, on another thread, is a part of what call from does; see Link.Part.
func (b *Builder) Part(from, to Ref, at, until int64) {
	b.link(from, to, at, until, true)
}

func (b *Builder) link(from, to Ref, at, until int64, part bool) {
	b.Observe(at)
	b.Observe(until)
	b.takeLink()
	b.links.push(link{from.spot(), to.spot(), at, until, part})
}

// Request adds a distributed trace of the recording.
func (b *Builder) Request(r Request) {
	r.ID, r.Service, r.Operation = b.text(r.ID), b.text(r.Service), b.text(r.Operation)
	b.requests = append(b.requests, r)
}

// HasRequests reports whether a distributed trace was added.
func (b *Builder) HasRequests() bool { return len(b.requests) > 0 }

// Diagnose counts n violations and keeps the first example. Times among the arguments are a Since
// or a Length.
func (b *Builder) Diagnose(c Code, n uint64, format string, args ...any) {
	b.diags.count(c, n, func() Example { return NewExample(format, args...) })
}

// DiagnoseAs counts n violations with an example that was made before.
func (b *Builder) DiagnoseAs(c Code, n uint64, example Example) {
	b.diags.count(c, n, func() Example { return example })
}

// Lose states that the recorder lost n calls of functions, most of all calls of these.
func (b *Builder) Lose(fns []FuncID, n uint64, format string, args ...any) {
	for _, f := range fns {
		b.functions[f].Partial = true
	}
	b.Diagnose(LostRecords, n, format, args...)
}

// Diagnosed lists what has been counted so far, by code.
func (b *Builder) Diagnosed() []Diagnostic {
	first := b.first
	for _, t := range b.threads {
		first = min(first, t.first)
	}
	if first == math.MaxInt64 {
		first = 0
	}
	return b.diags.list(first, b.Unit)
}

// EndsEarly counts a call that ends before it begins, as Complete does.
func (b *Builder) EndsEarly(t *ThreadBuilder, fn FuncID, start, end int64) {
	b.Diagnose(NegativeDuration, 1, "%s at %v on thread %s: %v", b.functions[fn].Name, Since(start),
		t.id, Length(end-start))
}

func (b *Builder) sortedOptions() []string {
	list := slices.Clone(b.Options)
	for i := range list {
		list[i] = b.text(list[i])
	}
	slices.Sort(list)
	return list
}

// Build finishes the trace; the builder must not be used again. It fails only when ctx is done, or
// when it may not take the memory.
func (b *Builder) Build(ctx context.Context) (*Trace, error) {
	tr := &Trace{Format: b.text(b.Format), Tool: b.text(b.Tool), Kind: b.Kind,
		Unit:    Unit(b.text(string(b.Unit))),
		Symbols: b.Symbols, Options: b.sortedOptions(), Floor: max(b.Floor, 0),
		SampleType: b.text(b.SampleType), Exact: b.Exact, SampleWeight: b.SampleWeight, SteadyWeight: b.SteadyWeight,
		Processes: b.processes, Functions: b.functions, Objects: b.objects, Requests: b.requests}
	for _, t := range b.threads {
		b.first, b.last = min(b.first, t.first), max(b.last, t.last)
	}
	if b.first > b.last {
		b.first, b.last = 0, 0
	}
	tr.Origin, tr.Duration = b.first, b.last-b.first
	if err := b.buildThreads(ctx); err != nil {
		return nil, err
	}
	tr.Threads = slices.Grow(tr.Threads, len(b.threads))
	for _, t := range b.threads {
		b.diags.add(t.diags)
		tr.Threads = append(tr.Threads, t.lanes...)
	}
	b.uniqueIDs(tr.Threads)
	if err := sortByStart(ctx, tr.Threads); err != nil {
		return nil, err
	}
	for i, th := range tr.Threads {
		th.index = int32(i)
	}
	b.mark(tr)
	if err := b.correspond(ctx, tr); err != nil {
		return nil, err
	}
	if len(tr.Objects) > 0 {
		_ = each(len(tr.Threads), func(i int) error { tr.Threads[i].sortObjects(); return nil })
	}
	for _, c := range b.counters {
		b.counter(tr, c)
	}
	tr.CallCounts = b.sumCallCounts()
	tr.Diagnostics = b.diags.list(b.first, tr.Unit)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return tr, nil
}

func (b *Builder) counter(tr *Trace, c *Counter) {
	order := make([]int32, len(c.At))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(x, y int32) int { return cmp.Compare(c.At[x], c.At[y]) })
	out := Counter{Process: c.Process, Name: c.Name}
	for _, i := range order {
		out.At = append(out.At, c.At[i]-b.first)
		out.Value = append(out.Value, c.Value[i])
	}
	tr.Counters = append(tr.Counters, out)
}

// uniqueIDs appends .2, .3… to ids that occur again.
func (b *Builder) uniqueIDs(ths []*Thread) {
	if distinct(ths) {
		return
	}
	uses := make(map[string]int, len(ths)) // by id: the number to try next, less one
	for _, th := range ths {
		id, n := th.ID, max(uses[th.ID], 1)
		for uses[id] > 0 {
			n++
			id = th.ID + "." + strconv.Itoa(n)
		}
		uses[th.ID] = n
		uses[id] = max(uses[id], 1)
		th.ID = id
	}
}
