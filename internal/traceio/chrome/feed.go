package chrome

import (
	"math"
	"math/bits"
	"slices"
	"strconv"

	"diptych/internal/progress"
	"diptych/internal/trace"
	"diptych/internal/traceio/jsonin"
	"diptych/internal/traceio/spans"
)

// feed hands what the workers found to the Builder. It goes over the batches in the order of the
// file, which decides about the numbers of functions and threads, and has the records appended to
// their threads by queues, of which several run at once.
type feed struct {
	b        *trace.Builder
	queues   *progress.Queues
	tracks   map[trackKey]*track
	lanes    map[string]*track
	titles   titles
	flows    spans.Flows
	profiles profiles
	listed   listed
	inFiles  map[fileKey]trace.FuncID
	records  int    // that were understood
	spoiled  uint64 // bad records
	threads  uint32 // made so far

	queueCount uint32

	// Of the current batch:
	inLanes []*track // by index into its lanes
	serial  uint32   // its number
	laneOf  []int32
	ofLanes []trace.Record

	laneKey []byte
}

// queuesEach is among how many queues for each processor the threads are distributed: enough to
// keep all of them busy, few enough for a batch to be handed on in few pieces, each of which takes
// a goroutine.
const queuesEach = 2

const noFunction trace.FuncID = 1<<32 - 1

func newFeed(b *trace.Builder) *feed {
	n := queuesEach * workers()
	return &feed{b: b, queues: progress.NewQueues(n), queueCount: uint32(n),
		tracks: map[trackKey]*track{}, lanes: map[string]*track{}, titles: newTitles(),
		flows: spans.NewFlows(), profiles: profiles{byID: map[trackKey]*profile{}},
		listed:  listed{numbers: map[string]int32{}, threads: map[trackKey]*[]listedSample{}},
		inFiles: map[fileKey]trace.FuncID{}}
}

// bad counts n broken records, of which the first is at the given offset.
func (f *feed) bad(n uint64, at int64, what string) {
	f.spoiled += n
	f.b.Diagnose(trace.BadRecord, n, "at offset %d: %s", at, what)
}

// batch takes t, whose block begins at the given offset. Its records are appended to their threads
// some time later, and then done is called.
func (f *feed) batch(t *batch, offset int64, done func()) {
	if t.bad > 0 {
		f.bad(t.bad, offset+int64(t.badAt), t.reason(t.badAt))
	}
	f.b.Diagnose(trace.NotRead, t.other.count, "at offset %d: an event of phase %c",
		offset+int64(t.other.at), t.other.phase)
	f.records += t.kept
	if t.lo <= t.hi {
		f.b.Observe(t.lo)
		f.b.Observe(t.hi)
	}
	f.meet(t)
	f.inLanes, f.laneOf, f.ofLanes = f.inLanes[:0], f.laneOf[:0], f.ofLanes[:0]
	f.serial++
	for i := range t.mentions {
		f.mentioned(t, &t.mentions[i])
	}
	for k := range t.tracks {
		if s := &t.tracks[k]; s.begun > 0 {
			s.thread.begun += s.begun
		}
	}
	t.byLane.group(f.ofLanes, f.laneOf, len(f.inLanes))
	t.lanes = append(t.lanes[:0], f.inLanes...)
	f.distribute(t, done)
}

// meet gives the functions that the batch uses their numbers, in the order of their first use.
func (f *feed) meet(t *batch) {
	d := t.dict
	for i := range t.uses {
		u := &t.uses[i]
		for int(u.name) >= len(d.functions) {
			d.functions = append(d.functions, noFunction)
		}
		if u.name == 0 && len(d.functions) > 1 && d.functions[0] == noFunction {
			// Records of earlier batches may still be read. Those without a function look up
			// number 0, so it must not change beneath them.
			d.functions = slices.Clone(d.functions)
		}
		switch {
		case d.functions[u.name] != noFunction:
		case u.base >= 0:
			d.functions[u.name] = f.inFile(t, u, d.functions[u.base])
		default:
			d.functions[u.name] = f.b.Function(
				spans.Function(jsonin.Text(t.text(u.text)), jsonin.Text(t.text(u.cat)), u.kind))
		}
	}
	t.functions = d.functions // of which all that the batch needs stays as it is
}

// mentioned looks at what needs the order of the file.
func (f *feed) mentioned(t *batch, m *mention) {
	switch m.kind {
	case opens:
		f.track(t, m.track)
	case early:
		f.b.EndsEarly(f.track(t, m.track).ThreadBuilder, t.functions[m.fn], m.at, m.end)
	case bound:
		f.boundFlow(t, m)
	case showsPage:
		f.pageLoad(t, m)
	case holdsProfile:
		f.wholeProfile(t, m)
	case something:
		switch phases[m.phase] {
		case async:
			f.async(t, m)
		case flowStep:
			f.flowStep(t, m)
		case counter:
			f.count(t, m)
		case sampling:
			f.profile(t, m)
		case metadata:
			f.title(t, m)
		}
	}
}

// distribute has the records of the batch appended to their threads.
func (f *feed) distribute(t *batch, done func()) {
	busy := uint32(0)
	for k := range t.tracks {
		if s := &t.tracks[k]; s.opened {
			busy |= 1 << s.thread.queue
		}
	}
	for _, lane := range t.lanes {
		busy |= 1 << lane.queue
	}
	if busy == 0 {
		done()
		return
	}
	t.pending.Store(int32(bits.OnesCount32(busy)))
	for q := range f.queueCount {
		if busy>>q&1 == 0 {
			continue
		}
		f.queues.Add(int(q), func() {
			t.appendQueue(q)
			if t.pending.Add(-1) == 0 {
				done()
			}
		})
	}
}

// appendQueue appends the records of the threads of a queue.
func (t *batch) appendQueue(queue uint32) {
	for k := range t.tracks {
		if s := &t.tracks[k]; s.opened && s.thread.queue == queue {
			s.thread.Append(trace.Records{List: t.byTrack.of(k), Functions: t.functions, Text: t.said,
				Plain: t.plain})
		}
	}
	for k, lane := range t.lanes {
		if lane.queue == queue {
			lane.Append(trace.Records{List: t.byLane.of(k), Functions: t.functions, Text: t.args,
				Plain: t.plain})
		}
	}
}

// pageLoaded is the instant at which a browser's renderer begins to show a page.
const pageLoaded = "CommitLoad"

// pageLoad notes the page that an instant tells of.
func (f *feed) pageLoad(t *batch, m *mention) {
	for k, v := range members(t.argument(m)) {
		if string(k) == "data" {
			f.titles.page(trackKey{pid: f.key(t, m.track).pid}, v)
		}
	}
}

// async hands an event to the lane of its id.
func (f *feed) async(t *batch, m *mention) {
	lane := f.lane(t, m)
	r := trace.Record{At: m.at, Fn: trace.FuncID(max(m.fn, 0)), From: m.args.from, To: m.args.to}
	switch m.phase {
	case 'b', 'S':
		r.Kind = trace.Enter
	case 'e', 'F':
		r.Kind = trace.LeaveNamed
		if m.fn < 0 {
			r.Kind = trace.Leave
		}
	default:
		r.Kind, r.From, r.To = trace.Point, 0, 0
	}
	if lane.seenIn != f.serial {
		lane.seenIn, lane.local = f.serial, int32(len(f.inLanes))
		f.inLanes = append(f.inLanes, lane)
	}
	f.ofLanes, f.laneOf = append(f.ofLanes, r), append(f.laneOf, lane.local)
}

// argument returns the text of a mention's arguments.
func (t *batch) argument(m *mention) []byte { return t.args[m.args.from:m.args.to] }

// nameOf returns the name of an event.
func nameOf(t *batch, m *mention) string {
	if raw := t.text(m.name); len(raw) > 0 {
		return jsonin.Text(raw)
	}
	return spans.Unnamed
}

// track is a thread (pid, tid) or a lane. The id of a thread is "pid/tid", in every file, so that
// it does not change when another process appears.
type track struct {
	*trace.ThreadBuilder
	trackKey
	process int32
	queue   uint32 // that appends to it
	begun   uint32 // calls in the batches so far

	// Of a lane:
	seenIn uint32 // the batch that it occurred in last
	local  int32  // and its index there
}

type trackKey struct{ pid, tid string }

// newTrack gives a thread a queue.
func (f *feed) newTrack(th *trace.ThreadBuilder, k trackKey, process int32) *track {
	f.threads++
	return &track{ThreadBuilder: th, trackKey: k, process: process, queue: f.threads % f.queueCount}
}

// unknownProcess is the id of what names no process.
const unknownProcess = "0"

// key returns the process and thread that stand for a track of the batch. Events of the whole trace
// name neither.
func (f *feed) key(t *batch, index int32) trackKey {
	s := &t.tracks[index]
	for int(s.number) >= len(t.dict.keys) {
		t.dict.keys = append(t.dict.keys, trackKey{})
	}
	if k := t.dict.keys[s.number]; k.pid != "" {
		return k
	}
	k := trackKey{jsonin.Text(t.text(s.pid)), jsonin.Text(t.text(s.tid))}
	if s.pid.empty() {
		k.pid = unknownProcess
	}
	if s.tid.empty() {
		k.tid = k.pid
	}
	t.dict.keys[s.number] = k
	return k
}

// track returns the thread of a track of the batch.
func (f *feed) track(t *batch, index int32) *track {
	s, d := &t.tracks[index], t.dict
	for int(s.number) >= len(d.threads) {
		d.threads = append(d.threads, nil)
	}
	if s.thread = d.threads[s.number]; s.thread != nil {
		return s.thread
	}
	k := f.key(t, index)
	th := f.tracks[k]
	if th == nil {
		process := f.b.Process(spans.PlainID(k.pid))
		th = f.newTrack(f.b.Thread(spans.PlainID(k.pid)+"/"+spans.PlainID(k.tid), process), k, process)
		f.tracks[k] = th
	}
	s.thread, d.threads[s.number] = th, th
	return th
}

// lane returns the lane of a record's id. An id counts within its category and scope, id2.local
// also within its process. A lane belongs to the process that names it first and is called after
// its first event.
func (f *feed) lane(t *batch, m *mention) *track {
	k := f.key(t, m.track)
	id, local := f.id(t, m)
	category := t.text(m.cat)
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
	process := f.b.Process(pid)
	th := f.b.Thread(pid+"/"+spans.PlainID(jsonin.Text(category))+"/"+spans.PlainID(jsonin.Text(id)), process)
	th.SetKind(trace.AsyncTrack)
	th.SetName(nameOf(t, m))
	lane := f.newTrack(th, k, process)
	f.lanes[string(f.laneKey)] = lane
	return lane
}

// id returns the id of an event and whether it counts in its process only.
func (f *feed) id(t *batch, m *mention) (id []byte, local bool) {
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
func (f *feed) count(t *batch, m *mention) {
	f.b.Observe(m.at)
	process := f.b.Process(spans.PlainID(f.key(t, m.track).pid))
	name := nameOf(t, m)
	if id, _ := f.id(t, m); len(id) > 0 {
		name += "[" + jsonin.Text(id) + "]"
	}
	for series, value := range members(t.argument(m)) {
		v, err := strconv.ParseFloat(string(value), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			f.b.Diagnose(trace.BadRecord, 1, "counter %s: %s is no number", name, series)
			continue
		}
		key := name
		if s := jsonin.Text(series); s != "value" {
			key += "." + s
		}
		f.b.Count(process, key, m.at, v)
	}
}
