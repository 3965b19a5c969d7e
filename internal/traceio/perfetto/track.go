package perfetto

import (
	"cmp"
	"slices"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"diptych/internal/trace"
	"diptych/internal/traceio/spans"
)

// track is where events happen: on a thread, on a process, or on a track of its own below one of
// them or below another track. Events may come before the description of their track.
type track struct {
	uuid    uint64
	parent  uint64
	place   place
	process int64 // of a process or a thread
	thread  int64
	name    string
	rank    int
	counter *counter

	own   *trace.ThreadBuilder // for the events of a track that is no thread's
	first string               // the name of its first event
}

// place is what a track belongs to.
type place uint8

const (
	undescribed place = iota
	elsewhere         // to its parent, if it has one
	onProcess
	onThread
)

// threadKey names a thread. Its number is unique only within its process: where processes have name
// spaces of their own, each writes the numbers that it sees.
type threadKey struct{ process, thread int64 }

// thread is a thread of the recorded programs.
type thread struct {
	*trace.ThreadBuilder
	threadKey
	unclaimed bool // the kernel had events of it before anything said whose it is
}

// track returns the track of a number.
func (f *feed) track(uuid uint64) *track {
	if t := f.lastTrack; t != nil && t.uuid == uuid {
		return t
	}
	t := f.tracks[uuid]
	if t == nil {
		t = &track{uuid: uuid}
		f.tracks[uuid] = t
	}
	f.lastTrack = t
	return t
}

// describe takes a TrackDescriptor. If a track has several, each property is that of the last one
// that states it. A sequence with an incremental state that describes a thread is that thread's.
func (f *feed) describe(s *sequence, message []byte) {
	d := track{place: elsewhere}
	var chromeProcess []byte
	w := fieldsOf(message)
	for w.next() {
		switch w.number {
		case trackUUID:
			d.uuid = w.n
		case trackParent:
			d.parent = w.n
		case trackName, trackStaticName, trackAtraceName:
			d.name = w.text()
		case trackProcess:
			p := f.describeProcess(w.message())
			d.place, d.process = max(d.place, onProcess), p
		case trackChromeProcess:
			chromeProcess = w.message()
		case trackThread:
			t := threadDescriptionOf(w.message())
			d.place, d.process, d.thread = onThread, t.pid, t.tid
			if s.valid {
				s.setThread(&t)
			}
			f.nameThread(t)
		case trackCounter:
			d.counter = counterOf(w.message())
		case trackRank:
			d.rank = int(int32(w.n))
		}
	}
	if w.broken {
		f.bad("a track descriptor")
	}
	if d.place == onProcess && chromeProcess != nil {
		f.describeChromeProcess(d.process, chromeProcess)
	}
	f.track(d.uuid).merge(&d)
}

// merge takes what d says.
func (t *track) merge(d *track) {
	if d.place > t.place {
		t.place, t.process, t.thread = d.place, d.process, d.thread
	}
	t.parent = cmp.Or(d.parent, t.parent)
	t.name = cmp.Or(d.name, t.name)
	t.rank = cmp.Or(d.rank, t.rank)
	if d.counter != nil {
		t.counter = d.counter
	}
}

// thread returns the thread of a process.
func (f *feed) thread(k threadKey) *thread {
	if t := f.recent; t != nil && f.recentKey == k {
		return t
	}
	t := f.threads[k]
	if t == nil {
		if t = f.threads[threadKey{0, k.thread}]; t != nil && t.unclaimed {
			delete(f.threads, t.threadKey)
			t.threadKey, t.unclaimed = k, false
		} else {
			t = &thread{f.b.Thread("", 0), k, false} // see finish
		}
		f.threads[k] = t
		f.processOf[k.thread] = k.process
	}
	f.recent, f.recentKey = t, k
	return t
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// builderOf returns what takes an event of a track.
func (f *feed) builderOf(t *track, s *sequence, e *event) *trace.ThreadBuilder {
	if t.own != nil || t.place == onThread {
		return f.builder(t, "")
	}
	return f.builder(t, f.nameOf(s, e))
}

// builder returns what takes the events of a track. Named is the name of the event.
func (f *feed) builder(t *track, named string) *trace.ThreadBuilder {
	if t.own != nil {
		return t.own
	}
	if t.place == onThread {
		return f.thread(threadKey{t.process, t.thread}).ThreadBuilder
	}
	t.own = f.b.Thread("", 0) // see placeTrack
	t.own.SetKind(trace.AsyncTrack)
	t.first = named
	f.placed = append(f.placed, t)
	return t.own
}

// mostParents is how far up the process of a track is looked for; descriptions may be circular.
const mostParents = 64

// above yields the tracks that a track lies under, itself first, up to the one that is a thread's
// or a process's.
func (f *feed) above(t *track) func(yield func(*track) bool) {
	return func(yield func(*track) bool) {
		var seen [mostParents]*track
		for n := range seen {
			if slices.Contains(seen[:n], t) {
				return
			}
			seen[n] = t
			if !yield(t) || t.place == onProcess || t.place == onThread || t.parent == 0 {
				return
			}
			if t = f.tracks[t.parent]; t == nil {
				return
			}
		}
	}
}

// circular reports whether a track lies under itself, or under more tracks than are looked at.
func (f *feed) circular(t *track) bool {
	for range mostParents {
		if t.parent == 0 {
			return false
		}
		if t = f.tracks[t.parent]; t == nil {
			return false
		}
	}
	return true
}

// processOfTrack returns the id of the process that a track belongs to, if it does to one.
func (f *feed) processOfTrack(t *track) (id string, known bool) {
	for up := range f.above(t) {
		if up.place == onProcess || up.place == onThread {
			return number(up.process), true
		}
	}
	return "", false
}

// pathOf returns the names of a track and of those that it lies under, which are neither a thread's
// nor a process's: without them, all tracks "A" of an exported alignment would look alike.
func (f *feed) pathOf(t *track) string {
	path := t.name
	if t.place == onProcess && path == "" {
		path = title(f.processTitles, t.process).name
	}
	return f.under(t, cmp.Or(path, t.first, spans.Unnamed))
}

// under puts the names of the tracks that t lies under before its own, as pathOf says.
func (f *feed) under(t *track, name string) string {
	for up := range f.above(t) {
		if up != t && up.place == elsewhere && up.name != "" {
			name = up.name + " / " + name
		}
	}
	return name
}

// placeTrack names a track that is no thread's, now that all descriptions are known.
func (f *feed) placeTrack(t *track) {
	if t.place == onThread { // which was said after its events
		f.late = append(f.late, &thread{t.own, threadKey{t.process, t.thread}, false})
		return
	}
	id, process := "track-"+strconv.FormatUint(t.uuid, 10), int32(-1)
	if pid, known := f.processOfTrack(t); known {
		id, process = pid+"/"+id, f.b.Process(pid)
	}
	if f.circular(t) {
		f.b.Diagnose(trace.BadRecord, 1, "track %d lies under itself", t.uuid)
	}
	t.own.Place(id, process)
	t.own.SetName(f.pathOf(t))
	t.own.SetSort(t.rank)
}

// threadDescription is what a ThreadDescriptor says.
type threadDescription struct {
	pid, tid, reference int64
	name                string
	sort                int
}

func threadDescriptionOf(message []byte) (t threadDescription) {
	for f := fieldsOf(message); f.next(); {
		switch f.number {
		case threadPID:
			t.pid = int64(int32(f.n))
		case threadTID:
			t.tid = int64(f.n)
		case threadName:
			t.name = f.text()
		case threadReference:
			t.reference = int64(f.n)
		case descriptorSort:
			t.sort = int(int32(f.n))
		}
	}
	return t
}

// titles are what is said of a thread or a process. The fuller statement comes from the program
// itself, the one of the kernel counts where that is missing.
type titles struct {
	name, kernel, label string
	sort                int
	parent              int64 // the process that started it, 0 if that is not known
}

// title returns the entry of a key, adding it if it is new.
func title[K comparable](all map[K]*titles, k K) *titles {
	t := all[k]
	if t == nil {
		t = &titles{}
		all[k] = t
	}
	return t
}

func (f *feed) nameThread(d threadDescription) {
	k := threadKey{d.pid, d.tid}
	t := title(f.threadTitles, k)
	t.name, t.sort = cmp.Or(d.name, t.name), cmp.Or(d.sort, t.sort)
	f.processOf[d.tid] = d.pid
}

// describeProcess takes a ProcessDescriptor and returns its process. Chromium repeats the command
// line as the name of a renderer, with numbers in it that no other run has: that is no name.
func (f *feed) describeProcess(message []byte) int64 {
	var pid int64
	var d titles
	command := ""
	for w := fieldsOf(message); w.next(); {
		switch w.number {
		case processPID:
			pid = int64(int32(w.n))
		case processName:
			d.name = w.text()
		case processCmdline:
			command = cmp.Or(command, w.text())
		case processLabels:
			d.label = cmp.Or(w.text(), d.label)
		case descriptorSort:
			d.sort = int(int32(w.n))
		}
	}
	if d.kernel = commandOf(command); d.name == command {
		d.name = ""
	}
	t := title(f.processTitles, pid)
	t.name, t.kernel = cmp.Or(d.name, t.name), cmp.Or(d.kernel, t.kernel)
	t.label, t.sort = cmp.Or(d.label, t.label), cmp.Or(d.sort, t.sort)
	return pid
}

// chromeProcesses are the names that Chromium gives its processes, by
// ChromeProcessDescriptor.ProcessType (track_event/chrome_process_descriptor.proto).
var chromeProcesses = map[uint64]string{1: "Browser", 2: "Renderer", 3: "Utility", 4: "Zygote",
	5: "SandboxHelper", 6: "GPU Process", 7: "PPAPI Plugin", 8: "PPAPI Broker"}

func (f *feed) describeChromeProcess(pid int64, message []byte) {
	t := title(f.processTitles, pid)
	for w := fieldsOf(message); w.next(); {
		if w.is(chromeProcessType, protowire.VarintType) && t.name == "" {
			t.name = chromeProcesses[w.n]
		}
	}
}
