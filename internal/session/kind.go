package session

import "diptych/internal/pair"

// Own is what one view keeps in a pane besides what all views share. It is a value: never changed,
// only replaced. The session handles it without knowing the view: it is fresh (see Kind) in a new
// pane, goes through the history, is renewed when what is compared changes, and ends with the pane.
type Own interface {
	// Renew returns what is left of it when p is compared instead of was. Either may be nil.
	Renew(was, p *pair.Pair) Own
	// SameStep reports whether going from other to it is too little for a step of the history of
	// its own while the user keeps moving, as panning is.
	SameStep(other Own) bool
	// Save returns what a saved session holds of it: a value that JSON shows in full and that names
	// threads by State.LineName; nil for nothing.
	Save(st *State) any
	// Open returns what is left, in the traces that are open now, of what Save returned, and how
	// many things are not. It is called on a fresh value. An error says that it is not what Save
	// returns.
	Open(st *State, k Kept) (o Own, lost int, err error)
}

// Kind is what the session has to know of a view.
type Kind struct {
	View  View
	Fresh func() Own // what the view keeps at first; nil if it keeps nothing
	// Unmatched says that the view shows nothing of the match engine's results, so that these are
	// not computed for its sake.
	Unmatched bool
	Wants     []Wanted // results that the view needs, computed in jobs while it is shown
}
