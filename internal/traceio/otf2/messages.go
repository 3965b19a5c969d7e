package otf2

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"diptych/internal/plural"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// channel is a way of messages: MPI delivers those of one tag between two processes of a
// communicator in the order in which they are sent, to the receives in the order in which they are
// posted. So the k-th send of a channel belongs to the k-th receive.
type channel struct {
	comm, tag uint32
	from, to  int32 // processes
}

func (c channel) compare(d channel) int {
	return cmp.Or(cmp.Compare(c.comm, d.comm), cmp.Compare(c.from, d.from), cmp.Compare(c.to, d.to),
		cmp.Compare(c.tag, d.tag))
}

// mark is what a call waits for, releases or reads: an object for a call of a track.
type mark struct {
	call   int32
	object trace.ObjectID
	kind   trace.BlockKind
}

// join joins what the locations have noted. It fails if the work is cancelled.
func (a *archive) join() error {
	j := &joiner{archive: a, marks: make([][]mark, len(a.tracks)), objects: map[string]trace.ObjectID{}}
	for i, t := range a.tracks {
		j.marks[i] = make([]mark, 0, t.received+len(t.collectives)+len(t.barriers)+len(t.locks)+len(t.files))
	}
	j.joinMessages()
	j.joinCollectives()
	j.joinBarriers()
	j.joinForks()
	j.markLocks()
	j.markFiles()
	return progress.Spread(a.ctx, len(a.tracks), func(i int) error {
		if j.b.Refused() == nil { // else Build fails
			a.tracks[i].block(j.marks[i])
			a.tracks[i].notes = notes{}
		}
		return nil
	})
}

// joiner joins the notes of all locations.
type joiner struct {
	*archive
	marks   [][]mark // by track
	objects map[string]trace.ObjectID
}

// mark notes an object of a call.
func (j *joiner) mark(track int32, call int32, kind trace.BlockKind, object trace.ObjectID) {
	j.marks[track] = append(j.marks[track], mark{call, object, kind})
}

// joinMessages finds the send of each receive.
func (j *joiner) joinMessages() {
	var lost lone
	for _, w := range j.ways() {
		j.deliver(w, &lost)
	}
	j.b.Diagnose(trace.UnboundFlow, lost.n, "%s sent, and %d received: %s",
		plural.Of(lost.sent, "message"), lost.received, j.channelName(lost.channel))
}

// lone counts messages of which one end is missing, and has the first channel of such.
type lone struct {
	channel
	n              uint64
	sent, received int
}

// deliver joins the messages of a channel.
func (j *joiner) deliver(w *way, lost *lone) {
	if n := len(w.sends) - len(w.recvs); n != 0 {
		if lost.n == 0 {
			lost.channel, lost.sent, lost.received = w.channel, len(w.sends), len(w.recvs)
		}
		lost.n += uint64(max(n, -n))
	}
	if len(w.recvs) == 0 {
		return
	}
	object := j.object(j.channelName(w.channel))
	for k := range w.recvs {
		var send *end
		if k < len(w.sends) {
			send = &w.sends[k]
		}
		j.receive(&w.recvs[k], send, object)
	}
}

// mostObjects is how many objects are named; a recording that has more has random numbers.
const mostObjects = 1 << 18

// object returns the object of a name, or NoObject if there are too many.
func (j *joiner) object(name string) trace.ObjectID {
	id, known := j.objects[name]
	if !known && len(j.objects) == mostObjects {
		j.b.Diagnose(trace.BadRecord, 1, "more than %d locks and ways of messages; %s has no name", mostObjects,
			name)
		return trace.NoObject
	}
	if !known {
		id = j.b.Object(name)
		j.objects[name] = id
	}
	return id
}

func (j *joiner) messageOf(e *end) *message { return j.tracks[e.track].messages.at(int(e.message)) }

// channelName is what a receive waits for.
func (j *joiner) channelName(ch channel) string {
	name := func(unit int32) string {
		if r, ok := j.rank(ch.comm, unit); ok {
			return fmt.Sprint(r)
		}
		return fmt.Sprint("process ", unit)
	}
	return fmt.Sprintf("%s %s → %s, tag %d", j.commName(ch.comm), name(ch.from), name(ch.to), ch.tag)
}

// receive marks a call that receives a message, and links it with the one that sends it. It waited
// for the message if that was sent after the call began.
func (j *joiner) receive(recv, send *end, object trace.ObjectID) {
	to, m := j.tracks[recv.track], j.messageOf(recv)
	if m.call == noCall {
		j.b.Diagnose(trace.UnboundFlow, 1, "location %d receives outside of any call", to.at.id)
		return
	}
	c := to.calls.at(int(m.call))
	waits := c.leaf && !to.tests(c)
	if waits {
		j.mark(recv.track, m.call, trace.Wait, object)
	}
	if send == nil {
		return
	}
	s := j.messageOf(send)
	if s.call == noCall {
		j.b.Diagnose(trace.UnboundFlow, 1, "location %d sends outside of any call",
			j.tracks[send.track].at.id)
		return
	}
	sentBy := j.tracks[send.track]
	sender, receiver := sentBy.ref(sentBy.calls.at(int(s.call))), to.ref(c)
	if s.at > m.at {
		j.b.Diagnose(trace.ClockSkew, 1, "location %d receives a message %v before location %d sends it",
			to.at.id, trace.Length(s.at-m.at), j.tracks[send.track].at.id)
	} else if waits && to.waited(c, s.at) && receiver != sender {
		j.b.CorrespondAt(receiver, sender, s.at, object)
	}
	j.b.Link(sender, receiver, s.at, max(s.at, m.at))
}

// tests reports whether a call, by the name of its function, only asks whether a message has come.
func (t *track) tests(c *call) bool {
	if t.testing == nil {
		t.testing = make([]bool, len(t.common))
		for i, fn := range t.common {
			t.testing[i] = strings.Contains(strings.ToLower(t.a.b.FunctionName(fn)), "test")
		}
	}
	return t.testing[c.fn]
}

// block marks the calls of the thread, each once as a kind, with all objects.
func (t *track) block(marks []mark) {
	slices.SortFunc(marks, func(x, y mark) int {
		return cmp.Or(cmp.Compare(x.call, y.call), cmp.Compare(x.kind, y.kind),
			cmp.Compare(x.object, y.object))
	})
	marks = slices.Compact(marks)
	objects := make([]trace.ObjectID, len(marks))
	for from := 0; from < len(marks); {
		to := from
		for to < len(marks) && marks[to].call == marks[from].call && marks[to].kind == marks[from].kind {
			objects[to] = marks[to].object
			to++
		}
		end := to
		if objects[end-1] == trace.NoObject {
			end-- // it is the greatest number
		}
		t.th.Block(t.ref(t.calls.at(int(marks[from].call))), marks[from].kind, objects[from:end:end]...)
		from = to
	}
}

// markLocks marks the calls that take locks and give them back. A lock of threads is one of its
// process.
func (j *joiner) markLocks() {
	for i, t := range j.tracks {
		for _, l := range t.locks {
			kind := trace.Wait
			if l.releases {
				kind = trace.Release
			}
			if j.b.Refused() != nil {
				return
			}
			j.mark(int32(i), l.call, kind, j.object(j.lockName(t, l)))
		}
	}
}

func (j *joiner) lockName(t *track, l lock) string {
	if l.window != undefined {
		id, _ := j.defs.windows.get(l.window)
		window := cmp.Or(j.defs.text(id), fmt.Sprint("window ", l.window))
		return fmt.Sprintf("lock %d of %s at rank %d", l.id, window, l.rank)
	}
	if len(j.units) > 1 {
		g, _ := j.defs.groups.get(t.at.group)
		return fmt.Sprintf("lock %d (%s)", l.id, cmp.Or(j.defs.text(g.name), fmt.Sprint(t.unit)))
	}
	return fmt.Sprintf("lock %d", l.id)
}

// markFiles marks the calls that do input and output.
func (j *joiner) markFiles() {
	for i, t := range j.tracks {
		for _, u := range t.files {
			h, _ := j.defs.handles.get(u.handle)
			file, _ := j.defs.files.get(h.file)
			name := cmp.Or(j.defs.text(file), j.defs.text(h.name), fmt.Sprint("file ", u.handle))
			j.mark(int32(i), u.call, trace.IO, j.object(name))
		}
	}
}
