package report

import (
	"diptych/internal/pair"
	"diptych/internal/structure"
)

// Structure is the JSON object of `diptych structure`: the nodes of the structure tree, depth
// first, each parent before its children, siblings by name. What is measured of one trace has no b.
type Structure struct {
	Area      string          `json:"area"` // what areas stand for: equal, lines, calls, self
	Nodes     []StructureNode `json:"nodes"`
	Unmapped  Both[*int]      `json:"unmapped"` // called functions in no file of the source folder
	Source    *string         `json:"source"`   // that folder
	Unit      string          `json:"unit"`     // of what is called ns
	ElapsedNs Elapsed         `json:"elapsedNs"`
}

// StructureNode is a node of the tree.
type StructureNode struct {
	Path      []string     `json:"path"`
	Kind      string       `json:"kind"`
	Function  *string      `json:"function"` // the identity of a function node
	Functions int32        `json:"functions"`
	Lines     *int32       `json:"lines"`
	Area      float64      `json:"area"` // share of the whole area
	Calls     Both[*int64] `json:"calls"`
	SelfNs    Both[*int64] `json:"selfNs"`
	TotalNs   Both[*int64] `json:"totalNs"`
	MaxDepth  Both[*int64] `json:"maxDepth"`
	FirstNs   Both[*int64] `json:"firstNs"` // null without calls
	// CountedCalls is how often what is under the node was called, where the recorders of profiles
	// have counted it.
	CountedCalls Both[*int64] `json:"countedCalls,omitzero"`
}

// NewStructure describes the nodes down to a level, or all if depth is 0.
func NewStructure(t *structure.Tree, area structure.Area, depth int) *Structure {
	out := &Structure{Area: area.String(), Nodes: []StructureNode{}}
	out.Unmapped.A = &t.Unmapped[pair.A]
	if t.Pair.A != nil {
		out.Unit = string(t.Pair.A.Unit)
	}
	if t.Sums[pair.B] != nil {
		out.Unmapped.B = &t.Unmapped[pair.B]
	}
	if t.Source != nil {
		out.Source = &t.Source.Dir
	}
	weights := t.Weights(area)
	for i := 1; i < len(t.Nodes); i++ {
		if depth > 0 && int(t.Nodes[i].Depth) > depth {
			continue
		}
		n := structureNode(t, i)
		if weights[0] > 0 {
			n.Area = weights[i] / weights[0]
		}
		out.Nodes = append(out.Nodes, n)
	}
	return out
}

func structureNode(t *structure.Tree, i int) StructureNode {
	n := &t.Nodes[i]
	out := StructureNode{Path: t.Path(i), Kind: n.Kind.String(), Functions: n.Functions}
	if n.Identity >= 0 {
		out.Function = &t.Pair.Names[n.Identity]
	}
	if n.Lines >= 0 {
		out.Lines = &n.Lines
	}
	side := func(s pair.Side, calls, self, total, depth, first **int64) {
		if t.Sums[s] == nil {
			return
		}
		m := &t.Sums[s][i]
		deepest := int64(m.MaxDepth)
		*calls, *self, *total, *depth = &m.Calls, &m.Self, &m.Total, &deepest
		if m.Calls > 0 {
			*first = &m.First
		}
	}
	side(pair.A, &out.Calls.A, &out.SelfNs.A, &out.TotalNs.A, &out.MaxDepth.A, &out.FirstNs.A)
	side(pair.B, &out.Calls.B, &out.SelfNs.B, &out.TotalNs.B, &out.MaxDepth.B, &out.FirstNs.B)
	if t.Counted {
		out.CountedCalls = counted(t, i)
	}
	return out
}

func counted(t *structure.Tree, node int) (calls Both[*int64]) {
	for s, to := range []**int64{&calls.A, &calls.B} {
		if t.Sums[s] != nil {
			*to = &t.Sums[s][node].Counted
		}
	}
	return calls
}
