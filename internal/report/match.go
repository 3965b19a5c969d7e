package report

import (
	"diptych/internal/match"
	"diptych/internal/pair"
)

// Match is the JSON object of `diptych match`.
type Match struct {
	Tau           float64      `json:"tau"`
	Calls         Both[int]    `json:"calls"`
	Classes       Both[int]    `json:"classes"`
	Pairs         uint64       `json:"pairs"`
	Saturated     bool         `json:"saturated"`
	SimilaritySum float64      `json:"similaritySum"`
	MatchedCalls  Both[uint64] `json:"matchedCalls"`
	Groups        *int         `json:"groups"` // null if they could not all be found
	GroupsWhy     string       `json:"groupsWhy,omitzero"`
	GroupList     []MatchGroup `json:"groupList,omitzero"`
	ElapsedNs     Elapsed      `json:"elapsedNs"`
	Cached        bool         `json:"cached"`
	// Requests are those that are compared, if the files hold distributed traces.
	Requests *Requests `json:"requests,omitzero"`
}

// Both is a figure of each side.
type Both[T any] struct {
	A T `json:"a"`
	B T `json:"b"`
}

// Elapsed is how long loading and computing took, in ns.
type Elapsed struct {
	Load    int64 `json:"load"`
	Compute int64 `json:"compute"`
}

// MatchGroup is a group of matches: its root pair by pre-order index in the scope and by function,
// the root's similarity, and how many matches belong to it.
type MatchGroup struct {
	A         int          `json:"a"`
	B         int          `json:"b"`
	S         float64      `json:"s"`
	Matches   uint64       `json:"matches"`
	Functions Both[string] `json:"functions"` // as each side calls them
}

// NewMatchGroup describes the group of g whose root pair are the calls a and b.
func NewMatchGroup(g *match.Graph, a, b int, matches uint64) MatchGroup {
	return MatchGroup{A: a, B: b, S: g.Similarity(a, b), Matches: matches,
		Functions: Both[string]{functionOf(g, pair.A, a), functionOf(g, pair.B, b)}}
}

// functionOf returns the name of the function of a call, given by its index in the scope.
func functionOf(g *match.Graph, s pair.Side, call int) string {
	calls := &g.Sides[s].Calls
	thread, i := calls.At(call)
	return g.Pair.Trace(s).Functions[calls.Threads[thread].Fn[i]].Name
}

// NewMatch describes the result r of comparing g.
func NewMatch(g *match.Graph, r *match.Result) *Match {
	a, b := g.Sides[pair.A], g.Sides[pair.B]
	return &Match{
		Tau: r.Tau.Float(), Pairs: r.Pairs, Saturated: r.Saturated, SimilaritySum: r.SimilaritySum,
		Calls:        Both[int]{a.Len(), b.Len()},
		Classes:      Both[int]{len(a.Count), len(b.Count)},
		MatchedCalls: Both[uint64]{r.MatchedCalls[pair.A], r.MatchedCalls[pair.B]},
	}
}
