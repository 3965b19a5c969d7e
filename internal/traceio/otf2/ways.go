package otf2

import (
	"cmp"
	"slices"

	"diptych/internal/trace"
)

// way is the messages of a channel, in the order in which they are sent, and in that in which
// receives for them are posted.
type way struct {
	channel
	sends, recvs []end
}

// end is an end of a message: when it was sent or posted, and where it is noted.
type end struct {
	at             int64
	track, message int32
}

// ways lists the channels of all messages whose processes are known, in order.
func (j *joiner) ways() []*way {
	f := finder{joiner: j, all: map[channel]*way{}}
	for i, t := range j.tracks {
		f.quick = [64]quickWay{}
		for k := range t.messages.n {
			m := t.messages.at(k)
			w := f.find(t, m)
			if w == nil {
				j.b.Diagnose(trace.UnboundFlow, 1, "a message of location %d names rank %d of %s, which "+
					"is not known", t.at.id, m.peer, j.commName(m.comm))
				continue
			}
			list := &w.sends
			if m.recv {
				list = &w.recvs
			}
			*list = append(*list, end{m.posted, int32(i), int32(k)})
		}
	}
	for _, w := range f.list {
		inTime(w.sends)
		inTime(w.recvs)
	}
	slices.SortFunc(f.list, func(x, y *way) int { return x.compare(y.channel) })
	return f.list
}

// inTime sorts ends by time. One location has noted most of them in that order.
func inTime(ends []end) {
	earlier := func(x, y end) int { return cmp.Compare(x.at, y.at) }
	if !slices.IsSortedFunc(ends, earlier) {
		slices.SortStableFunc(ends, earlier)
	}
}

// finder finds the channels of messages.
type finder struct {
	*joiner
	all   map[channel]*way
	list  []*way
	quick [64]quickWay // of the track, those met last
}

// quickWay is where the messages of a track go that say the same.
type quickWay struct {
	comm, peer, tag uint32
	recv            bool
	way             *way // nil for none
}

// find returns the channel of a message, or nil if one of its processes is not known.
func (f *finder) find(t *track, m *message) *way {
	q := &f.quick[(m.peer*4+m.tag*2+m.comm)%uint32(len(f.quick))]
	if q.way != nil && q.comm == m.comm && q.peer == m.peer && q.tag == m.tag && q.recv == m.recv {
		return q.way
	}
	peer := f.peer(m.comm, m.peer, t.unit)
	if peer < 0 || t.unit < 0 {
		return nil
	}
	ch := channel{m.comm, m.tag, t.unit, peer}
	if m.recv {
		ch.from, ch.to = peer, t.unit
	}
	w := f.all[ch]
	if w == nil {
		w = &way{channel: ch}
		f.all[ch], f.list = w, append(f.list, w)
	}
	*q = quickWay{m.comm, m.peer, m.tag, m.recv, w}
	return w
}
