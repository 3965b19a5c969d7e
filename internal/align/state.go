package align

import "diptych/internal/pair"

var stateNames = [...]string{"equal", "different", "gapA", "gapB"}

func (s State) String() string { return stateNames[s&3] }

// StateOf returns what became of call i of side s.
func (r *Result) StateOf(s pair.Side, i int) State {
	j := r.Partner[s][i]
	switch {
	case j == None && s == pair.A:
		return GapB
	case j == None:
		return GapA
	case r.ID(s, i) == r.ID(s.Other(), int(j)):
		return Equal
	}
	return Different
}

// ID returns the identity of call i of side s.
func (r *Result) ID(s pair.Side, i int) uint32 {
	return r.Pair.IDs(s)[r.Threads[s].Fn[i]]
}
