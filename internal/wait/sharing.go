package wait

import "slices"

// Sharing is what the objects of two waits have in common, as colours by object show it
// (SyncTrace, section IV-B3).
type Sharing uint8

const (
	Apart Sharing = iota // no object
	Some                 // at least one
	Same                 // all
)

// Sharing compares the sets of objects of two waits. Waits for no object share none.
func (a *Analysis) Sharing(w, v int) Sharing {
	x, y := a.Waits.Objects[w], a.Waits.Objects[v]
	switch {
	case !shares(x, y):
		return Apart
	case within(x, y) && within(y, x):
		return Same
	}
	return Some
}

// within reports whether all of x are in y.
func within[T comparable](x, y []T) bool {
	return !slices.ContainsFunc(x, func(o T) bool { return !slices.Contains(y, o) })
}
