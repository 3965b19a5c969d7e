package pair

// Side is one of the two traces of a comparison.
type Side uint8

const (
	A Side = iota
	B
)

func (s Side) String() string { return [...]string{"A", "B"}[s&1] }

// Other returns the side across.
func (s Side) Other() Side { return s ^ 1 }
