package otf2

import "diptych/internal/trace"

// fork is an event by which one thread starts others, or waits for them to end.
type fork struct {
	at   int64
	seq  uint64 // the number of a thread
	ref  trace.Ref
	comm uint32 // the team, or what numbers the threads
	kind byte
	in   bool // ref is the call around it; else the last one before it, if there was one
}

// forked notes an event of the forking of threads. It reports whether it is one.
func (t *track) forked(e *event, at int64) bool {
	f := fork{kind: e.kind, at: at}
	switch e.kind {
	case threadFork, threadJoin:
	case threadTeamBegin, threadTeamEnd:
		f.comm = uint32(e.v[0])
		t.inTeam(f)
	case threadCreate, threadBegin, threadWait, threadEnd:
		f.comm, f.seq = uint32(e.v[0]), e.v[1]
	default:
		return false
	}
	if k := len(t.open) - 1; k >= 0 {
		f.ref, f.in = t.th.Call(t.open[k].ord), true
	} else {
		f.ref = t.before
	}
	t.forks.add(f)
	return true
}

// inTeam keeps the teams that the thread is in.
func (t *track) inTeam(f fork) {
	if f.kind == threadTeamBegin {
		t.teams = append(t.teams, f.comm)
	} else if k := len(t.teams) - 1; k >= 0 {
		t.teams = t.teams[:k]
	}
}

// moment returns where a link to or from the event is bound: at the call around it. Without one it
// is the call that comes next, or else the one before.
func (t *track) moment(f fork, next bool) trace.Moment {
	if next && !f.in {
		return trace.Moment{Thread: t.th, At: f.at, Next: true}
	}
	return trace.Moment{Thread: t.th, At: f.at, Call: f.ref}
}

// key is what two events of one fork have in common.
type key struct {
	comm uint32
	seq  uint64 // the number of a thread, or which time it is that the team comes together
}

// teamwork is a time that a team comes together, as one of its threads sees it.
type teamwork struct {
	key
	master bool // the thread forked the others
}

// eachFork calls take for each event, in order, and tells which fork it is of. A fork belongs to
// the team that begins next on its thread, and a join to the one that has just ended.
func (t *track) eachFork(take func(f fork, of teamwork)) {
	times := map[uint32]uint64{}
	var inside []teamwork
	var ended teamwork
	var pending *fork
	for i := range t.forks.n {
		f := t.forks.at(i)
		switch f.kind {
		case threadFork:
			pending = f
		case threadTeamBegin:
			of := teamwork{key{f.comm, times[f.comm]}, pending != nil}
			times[f.comm]++
			inside = append(inside, of)
			if pending != nil {
				take(*pending, of)
			}
			pending = nil
			take(*f, of)
		case threadTeamEnd:
			if k := len(inside) - 1; k >= 0 {
				ended, inside = inside[k], inside[:k]
				take(*f, ended)
			}
		case threadJoin:
			if ended.master {
				take(*f, ended)
			}
			ended = teamwork{}
		default:
			take(*f, teamwork{key: key{f.comm, f.seq}})
		}
	}
}

// firsts are the moments that others are linked with: those of forks, joins, creations and ends.
type firsts map[byte]map[key]trace.Moment

// joinForks links threads with those that start them and those that wait for them.
func (j *joiner) joinForks() {
	known := firsts{threadFork: {}, threadJoin: {}, threadCreate: {}, threadEnd: {}}
	for _, t := range j.tracks {
		t.eachFork(func(f fork, of teamwork) {
			if m := known[f.kind]; m != nil {
				m[of.key] = t.moment(f, false)
			}
		})
	}
	for _, t := range j.tracks {
		t.eachFork(func(f fork, of teamwork) {
			switch {
			case of.master:
			case f.kind == threadTeamBegin:
				j.flow(known[threadFork], of.key, t.moment(f, true), false)
			case f.kind == threadTeamEnd:
				j.flow(known[threadJoin], of.key, t.moment(f, false), true)
			case f.kind == threadBegin:
				j.flow(known[threadCreate], of.key, t.moment(f, true), false)
			case f.kind == threadWait:
				j.flow(known[threadEnd], of.key, t.moment(f, false), false)
			}
		})
	}
}

// flow links a moment with the one that is known, which is the cause unless back.
func (j *joiner) flow(known map[key]trace.Moment, of key, at trace.Moment, back bool) {
	other, ok := known[of]
	switch {
	case !ok || other.Thread == at.Thread:
	case back:
		j.b.Flow(at, other)
	default:
		j.b.Flow(other, at)
	}
}
