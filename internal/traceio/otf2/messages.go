package otf2

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"diptych/internal/trace"
)

// channel is a way of messages: MPI delivers those of one tag between two processes of a
// communicator in the order in which they are sent, to the receives in the order in which they are
// posted. So the k-th send of a channel belongs to the k-th receive.
type channel struct {
	comm, tag uint32
	from, to  int32 // processes
}

// ends are the messages of a channel.
type ends struct{ sends, recvs []end }

// end is a message of a track.
type end struct{ track, message int32 }

// mark is what a call waits for, releases or reads: an object for a call of a track.
type mark struct {
	call   int32
	object trace.ObjectID
	kind   trace.BlockKind
}

// join joins what the locations have noted.
func (a *archive) join() {
	j := &joiner{archive: a, marks: make([][]mark, len(a.tracks))}
	j.joinMessages()
	j.joinCollectives()
	j.joinBarriers()
	j.joinForks()
	j.markLocks()
	j.markFiles()
	for i, t := range a.tracks {
		t.block(j.marks[i])
		t.notes = notes{}
	}
}

// joiner joins the notes of all locations.
type joiner struct {
	*archive
	marks [][]mark // by track
}

// mark notes an object of a call.
func (j *joiner) mark(track int32, call int32, kind trace.BlockKind, object trace.ObjectID) {
	j.marks[track] = append(j.marks[track], mark{call, object, kind})
}

// joinMessages finds the send of each receive.
func (j *joiner) joinMessages() {
	channels, order := j.channels()
	lost, example := uint64(0), ""
	for _, ch := range order {
		e := channels[ch]
		slices.SortStableFunc(e.sends, func(x, y end) int {
			return cmp.Compare(j.messageOf(x).at, j.messageOf(y).at)
		})
		slices.SortStableFunc(e.recvs, func(x, y end) int {
			return cmp.Compare(j.messageOf(x).posted, j.messageOf(y).posted)
		})
		object := trace.NoObject
		if len(e.recvs) > 0 {
			object = j.b.Object(j.channelName(ch))
		}
		for k, recv := range e.recvs {
			var send *end
			if k < len(e.sends) {
				send = &e.sends[k]
			}
			j.receive(recv, send, object)
		}
		if n := len(e.sends) - len(e.recvs); n != 0 {
			lost += uint64(max(n, -n))
			example = cmp.Or(example, fmt.Sprintf("%d messages were sent, and %d received: %s",
				len(e.sends), len(e.recvs), j.channelName(ch)))
		}
	}
	j.b.Diagnose(trace.UnboundFlow, lost, "%s", example)
}

// channels sorts all messages by channel. Order lists the channels as they are first used.
func (j *joiner) channels() (all map[channel]*ends, order []channel) {
	all = map[channel]*ends{}
	for i, t := range j.tracks {
		for k := range t.messages {
			m := &t.messages[k]
			peer := j.peer(m.comm, m.peer, t.unit)
			if peer < 0 || t.unit < 0 {
				j.b.Diagnose(trace.UnboundFlow, 1, "a message of location %d names rank %d of %s, which "+
					"is not known", t.at.id, m.peer, j.commName(m.comm))
				continue
			}
			ch := channel{m.comm, m.tag, t.unit, peer}
			if m.recv {
				ch.from, ch.to = peer, t.unit
			}
			e := all[ch]
			if e == nil {
				e = &ends{}
				all[ch] = e
				order = append(order, ch)
			}
			if m.recv {
				e.recvs = append(e.recvs, end{int32(i), int32(k)})
			} else {
				e.sends = append(e.sends, end{int32(i), int32(k)})
			}
		}
	}
	return all, order
}

func (j *joiner) messageOf(e end) *message { return &j.tracks[e.track].messages[e.message] }

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
func (j *joiner) receive(recv end, send *end, object trace.ObjectID) {
	to, m := j.tracks[recv.track], j.messageOf(recv)
	if m.call == noCall {
		j.b.Diagnose(trace.UnboundFlow, 1, "location %d receives outside of any call", to.at.id)
		return
	}
	c := &to.calls[m.call]
	waits := c.leaf && !strings.Contains(strings.ToLower(to.nameOf(c)), "test")
	if waits {
		j.mark(recv.track, m.call, trace.Wait, object)
	}
	if send == nil {
		return
	}
	s := j.messageOf(*send)
	if s.call == noCall {
		j.b.Diagnose(trace.UnboundFlow, 1, "location %d sends outside of any call",
			j.tracks[send.track].at.id)
		return
	}
	from := &j.tracks[send.track].calls[s.call]
	if s.at > m.at {
		j.b.Diagnose(trace.ClockSkew, 1, "location %d receives a message %d ns before location %d sends it",
			to.at.id, s.at-m.at, j.tracks[send.track].at.id)
	} else if waits && to.waited(c, s.at) && c.ref != from.ref {
		j.b.CorrespondAt(c.ref, from.ref, s.at, object)
	}
	j.b.Link(from.ref, c.ref, s.at, max(s.at, m.at))
}

// nameOf returns the name of a call's function.
func (t *track) nameOf(c *call) string { return t.a.b.FunctionName(t.common[c.fn]) }

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
		t.th.Block(t.calls[marks[from].call].ref, marks[from].kind, objects[from:to:to]...)
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
			j.mark(int32(i), l.call, kind, j.b.Object(j.lockName(t, l)))
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
			j.mark(int32(i), u.call, trace.IO, j.b.Object(name))
		}
	}
}
