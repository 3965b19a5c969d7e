package otf2

import (
	"cmp"
	"maps"
	"slices"

	"diptych/internal/trace"
)

// Who waits for whom in a collective operation:
//
//   - where all have something for all, as in a barrier, each waits for the one that comes last;
//   - where the root has something for all, they wait for the root;
//   - where all have something for the root, it waits for the last of them;
//   - in a scan each waits for the last of those with a lower rank.
//
// The k-th operation of a process on a communicator belongs to the k-th of every other one.
type pattern uint8

const (
	allToAll pattern = iota
	rootToAll
	allToRoot
	lowerToHigher
)

// patterns are by the number of the operation. Those that are not named are of the first kind.
var patterns = [256]pattern{1: rootToAll, 2: allToRoot, 3: allToRoot, 4: rootToAll, 5: rootToAll,
	12: allToRoot, 14: lowerToHigher, 15: lowerToHigher}

// part is one member's part of a collective operation.
type part struct {
	track, at int32 // the index in the track's list
	rank      int32
}

// stage is the operations of a communicator, by member in the order of time.
type stage map[int32][]part

// joinCollectives joins the collective operations of MPI, whose members are processes.
func (j *joiner) joinCollectives() {
	stages := map[uint32]stage{}
	for i, t := range j.tracks {
		for k := range t.collectives {
			comm := t.collectives[k].comm
			rank, ok := j.rank(comm, t.unit)
			if !ok {
				continue // a communicator of one
			}
			add(stages, comm, rank, part{int32(i), int32(k), rank})
		}
	}
	j.play(stages, func(t *track) []collective { return t.collectives })
}

// joinBarriers joins the barriers of teams, whose members are threads.
func (j *joiner) joinBarriers() {
	stages := map[uint32]stage{}
	for i, t := range j.tracks {
		for k := range t.barriers {
			add(stages, t.barriers[k].comm, int32(i), part{int32(i), int32(k), int32(i)})
		}
	}
	j.play(stages, func(t *track) []collective { return t.barriers })
}

func add(stages map[uint32]stage, comm uint32, member int32, p part) {
	if stages[comm] == nil {
		stages[comm] = stage{}
	}
	stages[comm][member] = append(stages[comm][member], p)
}

// play joins the operations of each communicator.
func (j *joiner) play(stages map[uint32]stage, of func(*track) []collective) {
	get := func(p part) *collective { return &of(j.tracks[p.track])[p.at] }
	for _, comm := range slices.Sorted(maps.Keys(stages)) {
		st := stages[comm]
		object := j.object(j.commName(comm))
		members := slices.Sorted(maps.Keys(st))
		rounds := 0
		for _, m := range members {
			// threads of one process may take turns
			slices.SortStableFunc(st[m], func(x, y part) int { return cmp.Compare(get(x).begin, get(y).begin) })
			rounds = max(rounds, len(st[m]))
		}
		var round []part
		for k := range rounds {
			round = round[:0]
			for _, m := range members {
				if k < len(st[m]) {
					round = append(round, st[m][k])
				}
			}
			j.round(round, get, object)
		}
	}
}

// round joins one operation: each member is a wait, and who let it go on the release.
func (j *joiner) round(round []part, get func(part) *collective, object trace.ObjectID) {
	first := get(round[0])
	for _, p := range round {
		if c := get(p); c.op != first.op || c.root != first.root {
			j.b.Diagnose(trace.UnboundFlow, uint64(len(round)), "collective operations that should be one "+
				"differ: %d and %d with roots %d and %d", first.op, c.op, first.root, c.root)
			return
		}
	}
	for _, p := range round {
		j.mark(p.track, get(p).call, trace.Wait, object)
		if by, ok := releaser(p, round, get); ok && by != p {
			j.release(p, by, get, object)
		}
	}
}

// releaser returns the part that lets p go on.
func releaser(p part, round []part, get func(part) *collective) (by part, ok bool) {
	c := get(p)
	for _, q := range round {
		isRoot := uint32(q.rank) == c.root
		switch patterns[c.op] {
		case rootToAll:
			ok = ok || isRoot
			if isRoot {
				by = q
			}
			continue
		case allToRoot:
			if uint32(p.rank) != c.root || isRoot {
				continue
			}
		case lowerToHigher:
			if q.rank >= p.rank {
				continue
			}
		}
		if !ok || get(q).begin > get(by).begin {
			by, ok = q, true
		}
	}
	return by, ok
}

// release states that by let p go on, if it came while p waited.
func (j *joiner) release(p, by part, get func(part) *collective, object trace.ObjectID) {
	t, from := j.tracks[p.track], j.tracks[by.track]
	c, at := t.calls.at(int(get(p).call)), get(by).begin
	switch {
	case at > c.end:
		j.b.Diagnose(trace.ClockSkew, 1, "location %d leaves a collective operation %v before location "+
			"%d begins it", t.at.id, trace.Length(at-c.end), from.at.id)
	case t.waited(c, at) && at > get(p).begin:
		j.b.CorrespondAt(t.ref(c), from.ref(from.calls.at(int(get(by).call))), at, object)
	}
}
