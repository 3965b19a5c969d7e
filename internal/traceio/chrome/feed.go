package chrome

import "diptych/internal/trace"

// feed replays records into the Builder, in file order.
type feed struct {
	b       *trace.Builder
	tracks  map[trackKey]*track
	lanes   map[string]*trace.ThreadBuilder
	titles  titles
	flows   flows
	records int    // replayed
	spoiled uint64 // bad records

	// Of the current batch:
	functions []trace.FuncID // by number of the name
	keys      []trackKey     // by number of the track; empty until asked for
	threads   []*track       // likewise

	laneKey []byte
}

const noFunction trace.FuncID = 1<<32 - 1

func newFeed(b *trace.Builder) *feed {
	return &feed{b: b, tracks: map[trackKey]*track{}, lanes: map[string]*trace.ThreadBuilder{},
		titles: newTitles(), flows: newFlows()}
}

// bad counts n broken records, of which the first is at the given offset.
func (f *feed) bad(n uint64, at int64, what string) {
	f.spoiled += n
	f.b.Diagnose(trace.BadRecord, n, "at offset %d: %s", at, what)
}

// batch replays the records of t, whose block begins at the given offset.
func (f *feed) batch(t *batch, offset int64) {
	if t.bad > 0 {
		f.bad(t.bad, offset+int64(t.badAt), "no trace event")
	}
	f.records += len(t.records)
	f.functions, f.keys, f.threads = f.functions[:0], f.keys[:0], f.threads[:0]
	for range t.names.entries {
		f.functions = append(f.functions, noFunction)
	}
	for range t.tracks.entries {
		f.keys, f.threads = append(f.keys, trackKey{}), append(f.threads, nil)
	}
	for i := range t.records {
		r := &t.records[i]
		switch phases[r.phase] {
		case call:
			f.call(t, r)
		case async:
			f.async(t, r)
		case mark:
			f.track(t, r).Instant(r.at, f.function(t, r, trace.Event))
		case flowStep:
			f.flowStep(t, r)
		case counter:
			f.count(t, r)
		case metadata:
			f.title(t, r)
		case passed:
			f.b.Observe(r.at)
		}
	}
}

func (f *feed) call(t *batch, r *record) {
	th := f.track(t, r)
	if r.phase == 'E' {
		f.end(th.ThreadBuilder, t, r)
		return
	}
	fn := f.function(t, r, trace.Routine)
	var ref trace.Ref
	if r.phase == 'B' {
		ref = th.Begin(r.at, fn)
	} else {
		ref = th.Complete(r.at, r.end, fn)
	}
	if !r.args.empty() {
		th.Args(ref, t.text(r.args))
	}
	if r.more >= 0 {
		f.boundFlow(t, r, th, ref)
	}
}

// end records an end, by name if it has one.
func (f *feed) end(th *trace.ThreadBuilder, t *batch, r *record) {
	if len(t.name(r)) > 0 {
		th.EndNamed(r.at, f.function(t, r, trace.Routine))
	} else {
		th.End(r.at)
	}
	if !r.args.empty() {
		th.ReturnArgs(t.text(r.args))
	}
}

// async records an event in the lane of its id.
func (f *feed) async(t *batch, r *record) {
	th := f.lane(t, r)
	switch r.phase {
	case 'b', 'S':
		ref := th.Begin(r.at, f.function(t, r, trace.Region))
		if !r.args.empty() {
			th.Args(ref, t.text(r.args))
		}
	case 'e', 'F':
		f.end(th, t, r)
	default:
		th.Instant(r.at, f.function(t, r, trace.Event))
	}
}

// function returns the function that a record names. Its package is the record's category.
func (f *feed) function(t *batch, r *record, k trace.FuncKind) trace.FuncID {
	if fn := f.functions[r.name]; fn != noFunction {
		return fn
	}
	name, category := nameOf(t, r), text(t.category(r))
	k = kindOf(name, category, k)
	fn := f.b.Function(trace.Function{Name: name, Package: category, Kind: k})
	f.functions[r.name] = fn
	return fn
}

// nameOf returns the name of a record.
func nameOf(t *batch, r *record) string {
	if raw := t.name(r); len(raw) > 0 {
		return text(raw)
	}
	return "(unnamed)"
}
