package structure

import "diptych/internal/pair"

// Metric is a quantity of nodes.
type Metric uint8

const (
	ByCalls Metric = iota
	ByTotal
	BySelf
	ByDepth
	ByFirst
)

// Value returns a metric of a node on one side; ok is false if no call of that side is mapped
// under the node.
func (t *Tree) Value(m Metric, s pair.Side, node int) (v int64, ok bool) { return 0, false }

// Change returns a metric's B − A. A side without calls counts as 0, except that there is no change
// of the first start and of the depth unless both sides have calls, and none at all if neither has.
func (t *Tree) Change(m Metric, node int) (v int64, ok bool) { return 0, false }

// Gamma returns γ: the number of calls mapped under a node on both sides.
func (t *Tree) Gamma(node int) int64 { return 0 }
