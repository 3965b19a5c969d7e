package perfetto

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"diptych/internal/trace"
	"diptych/internal/traceio/spans"
	"diptych/internal/traceio/stacks"
)

// feed takes packets, in file order, and feeds the Builder.
type feed struct {
	b         *trace.Builder
	known     bool  // a packet has a field that packets have
	at        int64 // offset of the end of the current one in its stream
	sequences map[uint64]*sequence
	sequence  *sequence // that of the last packet
	functions recent    // that events named by number lately
	clocks    clocks
	tracks    map[uint64]*track
	lastTrack *track   // that was asked for
	placed    []*track // that have events of their own, in the order of their first
	threads   map[threadKey]*thread
	recent    *thread // the one that was asked for last
	recentKey threadKey
	late      []*thread       // tracks that turned out to be threads
	processOf map[int64]int64 // by thread number, as far as it is known; for the kernel's events
	lanes     map[string]*trace.ThreadBuilder
	flows     spans.Flows
	schedule  schedule
	stretches map[*trace.ThreadBuilder]*stretches
	stretched []*stretches // the same, in the order of their first turns
	samples   samples
	latest    int64 // the latest time so far
	event     event
	args      []byte
	text      []byte

	threadTitles  map[threadKey]*titles
	processTitles map[int64]*titles
	kernelNames   map[int64]string // of threads, by number
}

func newFeed(b *trace.Builder) *feed {
	return &feed{b: b, sequences: map[uint64]*sequence{}, clocks: newClocks(),
		tracks: map[uint64]*track{}, threads: map[threadKey]*thread{},
		processOf: map[int64]int64{}, lanes: map[string]*trace.ThreadBuilder{},
		flows: spans.NewFlows(), threadTitles: map[threadKey]*titles{},
		processTitles: map[int64]*titles{}, kernelNames: map[int64]string{},
		schedule: newSchedule(), stretches: map[*trace.ThreadBuilder]*stretches{},
		samples: samples{line: stacks.NewTimeline(b), threads: map[threadKey]*sampled{}}}
}

// header are the fields of a packet that say how to read the others.
type header struct {
	sequence, flags, clock, stamp uint64
	machine                       uint64
	hasClock, hasStamp, dropped   bool
	defaults, interned, data      []byte
	number                        protowire.Number // of data
}

// payloads are the fields of a packet that are read here; of them it has one.
var payloads = map[protowire.Number]bool{
	packetFtrace: true, packetProcessTree: true, packetChromeEvents: true, packetClocks: true,
	packetTrackEvent: true, packetThread: true, packetProcess: true, packetSystem: true,
	packetCompressed: true, packetZstd: true, packetTrack: true, packetPerfSample: true,
	packetStreamed: true, packetStackSample: true,
}

// silent are other fields of a packet whose absence from the trace nobody would miss: what the
// service says of itself and of the recording.
var silent = map[protowire.Number]bool{
	packetConfig: true, packetStats: true, packetMarker: true, packetUUID: true,
	34:  true, // ftrace_stats
	46:  true, // trigger
	51:  true, // chrome_metadata
	69:  true, // service_event
	72:  true, // extension_descriptor
	90:  true, // track_event_range_of_interest
	109: true, // chrome_trigger
	124: true, // trace_provenance
	126: true, // trace_attributes
}

func (h *header) read(f *fields) {
	for f.next() {
		switch f.number {
		case packetTimestamp:
			h.stamp, h.hasStamp = f.n, true
		case packetSequence:
			h.sequence = f.n
		case packetFlags:
			h.flags |= f.n
		case packetCleared:
			if f.n != 0 {
				h.flags |= stateCleared
			}
		case packetDropped:
			h.dropped = f.n != 0
		case packetMachine:
			h.machine = f.n
		case packetClockID:
			h.clock, h.hasClock = f.n, true
		case packetDefaults:
			h.defaults = f.message()
		case packetInterned:
			h.interned = f.message()
		default:
			if f.kind == protowire.BytesType && (h.number == 0 || payloads[f.number]) {
				h.data, h.number = f.body, f.number
			}
		}
	}
}

// packet feeds a packet, unless it is not sound. It returns what a packet of compressed packets
// holds.
func (f *feed) packet(body []byte) (compressed []byte, sound bool) {
	var h header
	w := fieldsOf(body)
	if h.read(&w); w.broken {
		return nil, false
	}
	if h.machine != 0 { // whose processes have the same numbers, and whose clocks are others
		f.b.Diagnose(trace.NotRead, 1, "packet before offset %d: of machine %d", f.at, h.machine)
		return nil, true
	}
	s := f.sequence
	if s == nil || s.id != h.sequence {
		if s = f.sequences[h.sequence]; s == nil {
			s = &sequence{id: h.sequence}
			f.sequences[h.sequence] = s
		}
		f.sequence = s
	}
	lost := h.dropped && s.begun // the service says so of the first packet of each sequence, too
	s.begun = true
	switch {
	case h.flags&stateCleared != 0:
		s.clear()
	case h.dropped:
		s.valid = false
	}
	if h.flags&needsState != 0 && !s.valid {
		f.b.Diagnose(trace.LostRecords, 1, "packet before offset %d: packets before it on its "+
			"sequence %d, which it depends on, were dropped", f.at, h.sequence)
		return nil, true
	}
	if lost {
		f.b.Diagnose(trace.LostRecords, 1, "packet before offset %d: packets before it on its "+
			"sequence %d were dropped", f.at, h.sequence)
	}
	if h.defaults != nil {
		s.setDefaults(h.defaults)
	}
	if h.interned != nil {
		f.intern(s, h.interned)
	}
	if h.number == packetCompressed || h.number == packetZstd {
		return h.data, true
	}
	f.payload(s, &h)
	return nil, true
}

// intern takes an InternedData.
func (f *feed) intern(s *sequence, message []byte) {
	stacks, sound := s.intern(message)
	if stacks {
		sound = f.internStacks(s, message) && sound
	}
	if !sound {
		f.bad("interned data")
	}
}

// payload feeds what a packet is about.
func (f *feed) payload(s *sequence, h *header) {
	if h.number == packetClocks {
		if !f.clocks.snapshot(s.id, h.data) {
			f.bad("a clock snapshot")
		}
		return
	}
	at, known := f.time(s, h)
	if known {
		f.latest = max(f.latest, at)
	}
	switch h.number {
	case packetTrackEvent:
		f.trackEvent(s, h, at, known)
	case packetTrack:
		f.describe(s, h.data)
	case packetThread:
		d := threadDescriptionOf(h.data)
		s.setThread(&d)
		f.nameThread(d)
	case packetProcess:
		f.describeProcess(h.data)
	case packetProcessTree:
		f.processTree(h.data)
	case packetFtrace:
		f.bundle(h.data)
	case packetChromeEvents:
		f.chromeEvents(h.data)
	case packetSystem:
		f.system(h.data)
	case packetPerfSample:
		f.perfSample(s, h, at, known)
	case packetStreamed:
		f.streamedSamples(s, h.data)
	case packetStackSample:
		f.stackSampleOf(s, h, at, known)
	default:
		f.other(h)
	}
}

// other counts a packet that holds nothing that is read here.
func (f *feed) other(h *header) {
	if h.number == 0 || silent[h.number] {
		return
	}
	f.b.Diagnose(trace.NotRead, 1, "packet before offset %d: field %d of TracePacket", f.at, h.number)
}

// time returns a packet's time on the trace's clock, in ns, and whether it has one that is known.
func (f *feed) time(s *sequence, h *header) (int64, bool) {
	if !h.hasStamp {
		return 0, false
	}
	k := clock{0, clockBoot}
	if h.hasClock {
		k = clockOf(s.id, h.clock)
	} else if s.clock != 0 {
		k = clockOf(s.id, s.clock)
	}
	at, ok := f.clocks.absolute(k, h.stamp)
	if ok {
		at, ok = f.clocks.convert(k, at)
	}
	if !ok && (h.number == packetTrackEvent || h.number == packetPerfSample || h.number == packetStackSample) {
		f.lose(k)
	}
	return at, ok
}

// lose counts an event whose time cannot be told: nothing relates its clock to the trace's, or the
// time is one that the model cannot have.
func (f *feed) lose(k clock) {
	if _, related := f.clocks.route(k); related {
		f.bad("a time more than 73 years from time 0") // trace.Limit
		return
	}
	f.b.Diagnose(trace.UnknownClock, 1, "packet before offset %d: a time on clock %d", f.at, k.id)
}

// system takes the name of the recorder from a SystemInfo.
func (f *feed) system(message []byte) {
	for w := fieldsOf(message); w.next(); {
		if w.number == systemVersion {
			f.b.Tool, _, _ = strings.Cut(w.text(), " (")
		}
	}
}

// processTree takes what the kernel says of processes and threads.
func (f *feed) processTree(message []byte) {
	for w := fieldsOf(message); w.next(); {
		switch w.number {
		case treeProcess:
			f.treeProcess(w.message())
		case treeThread:
			f.treeThread(w.message())
		}
	}
}

func (f *feed) treeProcess(message []byte) {
	var pid, parent int64
	command := ""
	for w := fieldsOf(message); w.next(); {
		switch w.number {
		case treeProcessPID:
			pid = int64(int32(w.n))
		case treeProcessParent:
			parent = int64(int32(w.n))
		case treeProcessCmdline:
			command = cmp.Or(command, commandOf(w.text()))
		}
	}
	t := title(f.processTitles, pid)
	t.kernel, t.parent = cmp.Or(command, t.kernel), cmp.Or(parent, t.parent)
	f.processOf[pid] = pid // the main thread
}

func (f *feed) treeThread(message []byte) {
	var tid, pid int64
	name := ""
	for w := fieldsOf(message); w.next(); {
		switch w.number {
		case treeThreadTID:
			tid = int64(int32(w.n))
		case treeThreadName:
			name = w.text()
		case treeThreadPID:
			pid = int64(int32(w.n))
		}
	}
	f.processOf[tid] = pid
	if name != "" {
		f.kernelNames[tid] = name
	}
}

// commandOf shortens a command line to the name of the program.
func commandOf(line string) string {
	word, _, _ := strings.Cut(line, " ")
	if word == "" {
		return ""
	}
	return path.Base(word)
}

// finish feeds what depends on all packets: the schedule, samples, names, and flows.
func (f *feed) finish(ctx context.Context) error {
	f.claim()
	f.placeSamples()
	f.reschedule()
	f.finishStretches()
	for _, t := range f.placed {
		f.placeTrack(t)
	}
	for _, k := range slices.SortedFunc(maps.Keys(f.threads), byNumber) {
		f.late = append(f.late, f.threads[k])
	}
	for _, t := range f.late {
		f.placeThread(t)
	}
	f.flows.Link(f.b) // after threads have ids, which diagnostics name
	err := f.finishSamples(ctx)
	f.nameProcesses()
	return err
}

// nameProcesses names the processes that have threads.
func (f *feed) nameProcesses() {
	for pid, t := range f.processTitles {
		if !f.b.HasProcess(number(pid)) {
			continue
		}
		p := f.b.Process(number(pid))
		if name := cmp.Or(t.name, t.kernel); name != "" {
			f.b.NameProcess(p, name)
		}
		if t.label != "" {
			f.b.LabelProcess(p, t.label)
		}
		if t.parent != 0 {
			f.b.ForkProcess(p, number(t.parent))
		}
		f.b.SortProcess(p, t.sort)
	}
}

func byNumber(a, b threadKey) int {
	return cmp.Or(cmp.Compare(a.process, b.process), cmp.Compare(a.thread, b.thread))
}

// placeThread names a thread and puts it into its process.
func (f *feed) placeThread(t *thread) {
	pid, tid := number(t.process), number(t.thread)
	t.Place(fmt.Sprintf("%s/%s", pid, tid), f.b.Process(pid))
	t.SetKind(trace.Ordinary)
	said := title(f.threadTitles, t.threadKey)
	t.SetName(cmp.Or(said.name, f.kernelNames[t.thread], tid))
	t.SetSort(said.sort)
}
