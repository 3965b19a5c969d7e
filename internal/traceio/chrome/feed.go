package chrome

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/jsonin"
	"diptych/internal/traceio/spans"
)

// feed replays records into the Builder, in file order.
type feed struct {
	b       *trace.Builder
	tracks  map[trackKey]*track
	lanes   map[string]*trace.ThreadBuilder
	titles  titles
	flows   spans.Flows
	inFiles map[fileKey]trace.FuncID
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
		titles: newTitles(), flows: spans.NewFlows(), inFiles: map[fileKey]trace.FuncID{}}
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
			f.mark(t, r)
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

// pageLoaded is the instant at which a browser's renderer begins to show a page.
const pageLoaded = "CommitLoad"

// mark records an instant.
func (f *feed) mark(t *batch, r *record) {
	f.track(t, r).Instant(r.at, f.function(t, r, trace.Event))
	if string(t.name(r)) != pageLoaded {
		return
	}
	for k, v := range members(t.text(r.args)) {
		if string(k) == "data" {
			f.titles.page(trackKey{pid: f.key(t, r).pid}, v)
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
		ref = th.Complete(r.at, r.end, f.inFile(t, r, fn))
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
	fn := f.b.Function(spans.Function(jsonin.Text(t.name(r)), jsonin.Text(t.category(r)), k))
	f.functions[r.name] = fn
	return fn
}

// nameOf returns the name of a record.
func nameOf(t *batch, r *record) string {
	if raw := t.name(r); len(raw) > 0 {
		return jsonin.Text(raw)
	}
	return spans.Unnamed
}

// track is a thread (pid, tid). Its id is "pid/tid", in every file, so that it does not change when
// another process appears.
type track struct {
	*trace.ThreadBuilder
	trackKey
	process int32
}

type trackKey struct{ pid, tid string }

// unknownProcess is the id of what names no process.
const unknownProcess = "0"

// key returns the process and thread that a record names. Events of the whole trace name neither.
func (f *feed) key(t *batch, r *record) trackKey {
	if k := f.keys[r.track]; k.pid != "" {
		return k
	}
	e := t.tracks.entries[r.track]
	k := trackKey{jsonin.Text(t.text(e.a)), jsonin.Text(t.text(e.b))}
	if e.a.empty() {
		k.pid = unknownProcess
	}
	if e.b.empty() {
		k.tid = k.pid
	}
	f.keys[r.track] = k
	return k
}

// track returns the thread of a record.
func (f *feed) track(t *batch, r *record) *track {
	if th := f.threads[r.track]; th != nil {
		return th
	}
	k := f.key(t, r)
	th := f.tracks[k]
	if th == nil {
		th = &track{trackKey: k, process: f.b.Process(spans.PlainID(k.pid))}
		th.ThreadBuilder = f.b.Thread(spans.PlainID(k.pid)+"/"+spans.PlainID(k.tid), th.process)
		f.tracks[k] = th
	}
	f.threads[r.track] = th
	return th
}

// lane returns the lane of a record's id. An id counts within its category and scope, id2.local
// also within its process. A lane belongs to the process that names it first and is called after
// its first event.
func (f *feed) lane(t *batch, r *record) *trace.ThreadBuilder {
	m := &t.more[r.more]
	k := f.key(t, r)
	id, local := f.id(t, m)
	category := t.category(r)
	if !m.scope.empty() {
		category = t.text(m.scope)
	}
	f.laneKey = append(append(f.laneKey[:0], category...), 0)
	f.laneKey = append(append(f.laneKey, id...), 0)
	if local {
		f.laneKey = append(f.laneKey, k.pid...)
	}
	if th := f.lanes[string(f.laneKey)]; th != nil {
		return th
	}
	pid := spans.PlainID(k.pid)
	th := f.b.Thread(pid+"/"+spans.PlainID(jsonin.Text(category))+"/"+spans.PlainID(jsonin.Text(id)), f.b.Process(pid))
	th.SetKind(trace.AsyncTrack)
	th.SetName(nameOf(t, r))
	f.lanes[string(f.laneKey)] = th
	return th
}

// id returns the id of an event and whether it counts in its process only.
func (f *feed) id(t *batch, m *more) (id []byte, local bool) {
	if m.id2.empty() {
		return t.text(m.id), false
	}
	for name, value := range members(t.text(m.id2)) {
		switch string(name) {
		case "local":
			return value, true
		case "global":
			return value, false
		}
	}
	return nil, false
}

// count records the values of a counter event. Each argument is a series of its own, called
// counter.series, or just counter if the series is "value"; counters with an id are told apart by
// it.
func (f *feed) count(t *batch, r *record) {
	f.b.Observe(r.at)
	process := f.b.Process(spans.PlainID(f.key(t, r).pid))
	name := nameOf(t, r)
	if id, _ := f.id(t, &t.more[r.more]); len(id) > 0 {
		name += "[" + jsonin.Text(id) + "]"
	}
	for series, value := range members(t.text(r.args)) {
		v, err := strconv.ParseFloat(string(value), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			f.b.Diagnose(trace.BadRecord, 1, "counter %s: %s is no number", name, series)
			continue
		}
		key := name
		if s := jsonin.Text(series); s != "value" {
			key += "." + s
		}
		f.b.Count(process, key, r.at, v)
	}
}

// titles are what metadata events say of processes and threads. They may come before or after the
// events they are about and name threads that never run, so they are applied at the end.
type titles struct {
	process, thread         map[trackKey]string // a process has no tid, a loose thread name no pid
	label, pages            map[trackKey]string // of processes, and their last pages
	processSort, threadSort map[trackKey]int
}

func newTitles() titles {
	return titles{
		process: map[trackKey]string{}, thread: map[trackKey]string{},
		label: map[trackKey]string{}, pages: map[trackKey]string{},
		processSort: map[trackKey]int{}, threadSort: map[trackKey]int{},
	}
}

// page notes the page that a process shows: the last one of its main frame that is not empty.
func (n *titles) page(process trackKey, data []byte) {
	url, isMain := "", false
	for k, v := range members(data) {
		switch string(k) {
		case "url":
			url = jsonin.Text(v)
		case "isMainFrame":
			isMain = string(v) == "true"
		}
	}
	if isMain && url != "" && url != "about:blank" {
		n.pages[process] = url
	}
}

// title notes a metadata event.
func (f *feed) title(t *batch, r *record) {
	k := f.key(t, r)
	process := trackKey{pid: k.pid}
	if t.more[r.more].noThread {
		k = trackKey{tid: k.pid} // see apply
	}
	switch string(t.name(r)) {
	case "process_name":
		f.titles.process[process] = f.argument(t, r, "name")
	case "process_labels":
		f.titles.label[process] = f.argument(t, r, "labels")
	case "thread_name":
		f.titles.thread[k] = f.argument(t, r, "name")
	case "process_sort_index":
		f.titles.processSort[process], _ = strconv.Atoi(f.argument(t, r, "sort_index"))
	case "thread_sort_index":
		f.titles.threadSort[k], _ = strconv.Atoi(f.argument(t, r, "sort_index"))
	}
}

// argument returns the text of one of a record's arguments.
func (f *feed) argument(t *batch, r *record, name string) string {
	for k, v := range members(t.text(r.args)) {
		if string(k) == name {
			return jsonin.Text(v)
		}
	}
	return ""
}

// apply names what the trace has of the processes and threads. A thread name without tid is the
// main thread's; uftrace writes one for every thread, with the thread's number as pid.
func (f *feed) apply() {
	for k, th := range f.tracks {
		loose := trackKey{tid: k.tid}
		name := f.titles.thread[k]
		if name == "" {
			name = f.titles.thread[loose]
		}
		name = strings.TrimPrefix(name, "["+k.tid+"] ") // uftrace again: pairing goes by name
		if name == "" {
			name = k.tid
		}
		th.SetName(name)
		if f.holdsSum(th.ThreadBuilder) {
			th.SetKind(trace.Sums)
		}
		sort, ok := f.titles.threadSort[k]
		if !ok {
			sort = f.titles.threadSort[loose]
		}
		th.SetSort(sort)
		process := trackKey{pid: k.pid}
		if name := f.titles.process[process]; name != "" {
			f.b.NameProcess(th.process, strings.TrimPrefix(name, "["+k.pid+"] "))
		}
		if label := cmp.Or(f.titles.label[process], f.titles.pages[process]); label != "" {
			f.b.LabelProcess(th.process, label)
		}
		f.b.SortProcess(th.process, f.titles.processSort[process])
	}
}

// holdsSum reports whether a thread holds nothing but a sum, which clang -ftime-trace writes at the
// end, each on a thread of its own: a call "Total Backend" that starts at time 0.
func (f *feed) holdsSum(th *trace.ThreadBuilder) bool {
	fn, start, ok := th.OnlyCall()
	return ok && start == 0 && strings.HasPrefix(f.b.FunctionName(fn), "Total ")
}
