package otf2

import (
	"strconv"

	"diptych/internal/trace"
)

// notes are what the events of a location say of messages, collective operations, locks, files and
// the forking of threads. They are gathered while the location is read, and joined with those of
// other locations when all are known.
type notes struct {
	unit         int32 // the process of the location, −1 for none
	last         int64 // time of the last event, ns
	first, final int64 // the extent of all events
	calls        pile[call]

	// disorder says that a time went back, so that calls are not what they were taken for here.
	disorder bool

	messages    pile[message]
	received    int              // of messages, with a call around
	posts       map[uint64]int64 // receives that were begun, by request: when
	begun       int64            // when the collective operation that goes on began
	inside      bool             // one goes on
	collectives []collective
	barriers    []collective
	teams       []uint32 // the teams that the thread is in, outermost first
	locks       []lock
	files       []fileUse
	forks       pile[fork]
}

// call is a call that some note is about.
type call struct {
	start, end int64
	ord        uint32 // see trace.ThreadBuilder.Call: without a pointer, since there can be many
	fn         int32  // by the location's own numbers
	leaf       bool   // when the first note came, it had called nothing
	told       uint8  // messages that its arguments describe
}

// ref names a call that is noted.
func (t *track) ref(c *call) trace.Ref { return t.th.Call(c.ord) }

// noteBytes is what a call takes in the notes at the least, and a lock or a use of a file.
const noteBytes = 32

// noCall stands for no call around an event.
const noCall = -1

// message is one end of a message.
type message struct {
	at     int64 // of the event
	posted int64 // of a receive: when it was begun
	comm   uint32
	peer   uint32 // rank of the other end
	tag    uint32
	call   int32
	recv   bool
}

// collective is one process's part of a collective operation, or one thread's of a barrier.
type collective struct {
	begin, end int64
	comm, root uint32
	op         byte
	call       int32
}

// lock is the taking or the giving back of a lock.
type lock struct {
	id       uint64
	window   uint32 // of remote memory; undefined for a lock of threads
	rank     uint32 // where the window lies
	call     int32
	releases bool
}

// fileUse is input or output on an open file.
type fileUse struct {
	handle uint32
	call   int32
}

// here returns the note of the innermost open call.
func (t *track) here() int32 {
	k := len(t.open) - 1
	if k < 0 {
		return noCall
	}
	f := &t.open[k]
	if f.note == noCall {
		t.th.Holds(noteBytes)
		f.note = int32(t.calls.add(call{ord: f.ord, start: f.start, end: f.start, fn: f.fn, leaf: f.leaf}))
	}
	return f.note
}

// waited reports whether a call of the thread went on at a time, as far as that is sure.
func (t *track) waited(c *call, at int64) bool { return !t.disorder && c.start <= at && at <= c.end }

// closeCall notes when a call ended.
func (t *track) closeCall(f *frame, at int64) {
	if f.note != noCall {
		t.calls.at(int(f.note)).end = at
	}
}

// note takes an event that says something of several locations. It reports whether it is of such a
// kind.
func (t *track) note(e *event, at int64) bool {
	switch e.kind {
	case mpiSend, mpiIsend, mpiRecv, mpiIrecv, mpiIrecvRequest, mpiIsendComplete:
		t.message(e, at)
	case mpiCollectiveBegin:
		t.begun, t.inside = at, true
	case mpiCollectiveEnd:
		t.collective(e, at)
	case ompAcquireLock, ompReleaseLock:
		t.lock(lock{id: e.v[0], window: undefined, releases: e.kind == ompReleaseLock})
	case threadAcquireLock, threadReleaseLock:
		t.lock(lock{id: e.v[1], window: undefined, releases: e.kind == threadReleaseLock})
	case rmaAcquireLock, rmaReleaseLock:
		t.lock(lock{id: e.v[2], window: uint32(e.v[0]), rank: uint32(e.v[1]),
			releases: e.kind == rmaReleaseLock})
	case ioOperationBegin:
		if k := t.here(); k != noCall {
			t.th.Holds(noteBytes)
			t.files = append(t.files, fileUse{uint32(e.v[0]), k})
		}
	default:
		return t.forked(e, at)
	}
	return true
}

// message notes an end of a message. That a request was begun tells when a receive was posted;
// requests that end otherwise say nothing.
func (t *track) message(e *event, at int64) {
	switch e.kind {
	case mpiIrecvRequest:
		if t.posts == nil {
			t.posts = map[uint64]int64{}
		}
		t.posts[e.v[0]] = at
		return
	case mpiIsendComplete:
		return
	}
	k := t.here()
	m := message{at: at, posted: at, peer: uint32(e.v[0]), comm: uint32(e.v[1]), tag: uint32(e.v[2]),
		call: k, recv: e.kind == mpiRecv || e.kind == mpiIrecv}
	if m.recv && k != noCall {
		t.received++
		m.posted = t.calls.at(int(k)).start
	}
	if e.kind == mpiIrecv {
		if posted, ok := t.posts[e.v[4]]; ok {
			m.posted = posted
			delete(t.posts, e.v[4])
		}
	}
	t.messages.add(m)
	if k == noCall {
		return
	}
	if c := t.calls.at(int(k)); c.told < mostEnvelopes {
		c.told++
		t.describe(c, m, e.v[3])
	}
}

// mostEnvelopes is how many messages the arguments of a call describe.
const mostEnvelopes = 16

// describe adds what a message is to the arguments of the call around it. Mostly that call has just
// begun, and its record can still take them.
func (t *track) describe(c *call, m message, bytes uint64) {
	if t.out.Begins(c.ord) {
		t.out.Explain(t.envelope(t.out.Text, m, bytes))
		return
	}
	t.text = t.envelope(t.text[:0], m, bytes)
	t.args(t.ref(c), t.text)
}

// envelope appends what a message is, as arguments of the call around it.
func (t *track) envelope(text []byte, m message, bytes uint64) []byte {
	if m.recv {
		text = append(text, "from="...)
	} else {
		text = append(text, "to="...)
	}
	text = strconv.AppendUint(text, uint64(m.peer), 10)
	text = strconv.AppendUint(append(text, " tag="...), uint64(m.tag), 10)
	text = strconv.AppendUint(append(text, " bytes="...), bytes, 10)
	return append(append(text, " comm="...), t.a.commName(m.comm)...)
}

// collective notes a collective operation of MPI. What says that it began may be missing.
func (t *track) collective(e *event, at int64) {
	k := t.here()
	c := collective{begin: t.begun, end: at, op: byte(e.v[0]), comm: uint32(e.v[1]), root: uint32(e.v[2]),
		call: k}
	if k != noCall && (!t.inside || t.begun < t.calls.at(int(k)).start) {
		c.begin = t.calls.at(int(k)).start
	}
	t.inside = false
	if k == noCall {
		t.unread[e.kind]++
		return
	}
	t.collectives = append(t.collectives, c)
	text := strconv.AppendUint(append(t.text[:0], "sent="...), e.v[3], 10)
	text = strconv.AppendUint(append(text, " received="...), e.v[4], 10)
	if uint64(c.root) < undefined-2 {
		text = strconv.AppendUint(append(text, " root="...), uint64(c.root), 10)
	}
	t.text = append(append(text, " comm="...), t.a.commName(c.comm)...)
	t.args(t.ref(t.calls.at(int(k))), t.text)
}

// barrier notes that a thread has come to a barrier of its team.
func (t *track) barrier(id uint32, at int64) {
	k := len(t.teams) - 1
	if k < 0 {
		return
	}
	r, _ := t.a.defs.regions.get(id)
	if r.role == roleBarrier || r.role == roleImplicitBarrier {
		t.barriers = append(t.barriers, collective{begin: at, comm: t.teams[k], call: t.here()})
	}
}

// lock notes that the innermost call takes a lock or gives it back.
func (t *track) lock(l lock) {
	if l.call = t.here(); l.call != noCall {
		t.th.Holds(noteBytes)
		t.locks = append(t.locks, l)
	}
}
