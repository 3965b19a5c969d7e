package synth

import "strings"

// shards says which mutexes are split on side B, and into which parts. Each thread takes one part:
// its id modulo the number of parts. So who waits on whom changes, and fewer threads want the same
// part.
type shards map[uint32]split

type split struct {
	parts int
	first uint32 // of the parts; the first of all stays where it was
}

const maxParts = 4

// splitSome splits mutexes, each at the rate asked for. more is how many objects are new.
func splitSome(p *program, o Options) (s shards, more int) {
	threshold := share(o.Edits[Shard])
	if threshold == 0 {
		return nil, 0
	}
	s = shards{}
	d := newDice(o.Seed, streamShards)
	for object := range uint32(p.objects.count()) {
		if !p.objects.isMutex(object) || p.stage.needsWhole(object) || !d.hits(threshold) {
			continue
		}
		parts := 2 + d.below(maxParts-1)
		s[object] = split{parts, uint32(p.objects.count() + more)}
		more += parts - 1
	}
	return s, more
}

// partFor is what a thread takes instead of an object.
func (s shards) partFor(object uint32, thread int) uint32 {
	p, ok := s[object]
	if part := tid(thread) % max(p.parts, 1); ok && part > 0 {
		return p.first + uint32(part) - 1
	}
	return object
}

// names are the addresses of the parts.
func (p split) names(o objects, object uint32) string {
	names := []string{o.name(object)}
	for i := range p.parts - 1 {
		names = append(names, o.name(p.first+uint32(i)))
	}
	return strings.Join(names, ",")
}

// isMutex reports whether an object is one unit that threads take and give.
func (o objects) isMutex(object uint32) bool {
	i := int(object)
	return i < o.pools() || i >= o.program() && o.staged[i-o.program()] == 1
}

// needsWhole reports whether an object is a mutex of a situation that must not be split: it belongs
// to a condition, or threads wait for it for ever.
func (s *stage) needsWhole(object uint32) bool {
	for _, c := range s.scenes {
		props := c.situation.objects
		k := int(object) - int(c.objects)
		if k >= 0 && k < len(props) {
			return c.stuck || k+1 < len(props) && props[k+1] == cond
		}
	}
	return false
}
