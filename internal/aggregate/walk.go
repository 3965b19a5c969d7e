package aggregate

import (
	"context"

	"diptych/internal/progress"
)

// tasks is how many parts of a tree are worked on at the same time. It is the same on all machines,
// so that sums are made in the same order.
const tasks = 16

// walk visits a tree from the leaves up, parts of it in parallel. At each node it gives visit the
// sum of what visit returned for the children. Nil stands for nothing: leaves are given nil, and so
// are nodes whose children all returned nil. Add returns the sum of two, in one of the two. Walk
// ends early when the context is done.
func walk[R any](ctx context.Context, t *Tree, visit func(node int, below *R) *R,
	add func(x, y *R) *R) {
	var below func(list []int, parts int) *R
	below = func(list []int, parts int) *R {
		switch {
		case ctx.Err() != nil || len(list) == 0:
			return nil
		case len(list) == 1:
			sum := below(t.children(list[0]), parts)
			if ctx.Err() != nil { // then sum may lack some children, or all
				return nil
			}
			return visit(list[0], sum)
		}
		half := len(list) / 2
		var left, right *R
		if parts > 1 {
			var both progress.Group
			both.Do(func() { left = below(list[:half], parts/2) })
			right = below(list[half:], parts/2)
			_ = both.Wait()
		} else {
			left, right = below(list[:half], 1), below(list[half:], 1)
		}
		switch {
		case left == nil:
			return right
		case right == nil:
			return left
		}
		return add(left, right)
	}
	if len(t.Nodes) > 0 {
		below([]int{0}, tasks)
	}
}
