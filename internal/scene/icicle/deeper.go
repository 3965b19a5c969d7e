package icicle

import (
	"maps"

	"diptych/internal/trace"
)

// Deeper says of which threads of a trace more stack levels are shown than of the others: of those
// with a call that was sought. It is never changed, so a pointer to it stands for its content; nil
// is one without threads.
type Deeper struct {
	of     *trace.Trace
	levels map[int]int // by thread
}

// Show returns d with so many levels of a thread of t, or more if d has more.
func (d *Deeper) Show(t *trace.Trace, thread, levels int) *Deeper {
	if d.Levels(t, thread) >= levels {
		return d
	}
	to := map[int]int{}
	if d != nil && d.of == t {
		maps.Copy(to, d.levels)
	}
	to[thread] = levels
	return &Deeper{t, to}
}

// Levels returns how many levels of a thread of t are to be shown at least; 0 if it is like all
// others.
func (d *Deeper) Levels(t *trace.Trace, thread int) int {
	if d == nil || d.of != t {
		return 0
	}
	return d.levels[thread]
}
