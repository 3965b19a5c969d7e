package chrome

import (
	"strings"

	"diptych/internal/trace"
)

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
	k := trackKey{text(t.text(e.a)), text(t.text(e.b))}
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
		th = &track{trackKey: k, process: f.b.Process(plain(k.pid))}
		th.ThreadBuilder = f.b.Thread(plain(k.pid)+"/"+plain(k.tid), th.process)
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
	pid := plain(k.pid)
	th := f.b.Thread(pid+"/"+plain(text(category))+"/"+plain(text(id)), f.b.Process(pid))
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

// plain replaces what the command line and other tools could not take in an id.
func plain(s string) string {
	if s == "" {
		return "-"
	}
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == ':' || r == 0x7f {
			return '_'
		}
		return r
	}, s)
}
