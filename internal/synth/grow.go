package synth

// node is a call of a forest in pre-order, before it has a time.
type node struct {
	self   uint32 // ns
	size   uint32 // of the subtree, itself included
	kids   uint32 // direct callees
	fn     uint32
	object uint32
	depth  uint32 // roots of the forest at 0
}

// grower appends calls to a forest by running the program's functions, for a number of calls.
type grower struct {
	prog   *program
	thread int
	dice   dice
	forest []node
	left   int // calls that may still be appended
	limit  allowance
	quiet  bool // without input and output
}

const spread = 220 // sigma of self times, log2 in 1/256

// call appends a call of fn and all below it, and reports whether there was room for it.
func (g *grower) call(fn, object uint32, depth uint32) bool {
	if g.left <= 0 {
		return false
	}
	f := &g.prog.functions[fn]
	at := g.leaf(fn, object, depth, f.median)
	if g.left == 0 || depth >= maxDepth || len(f.steps) == 0 {
		return true
	}
	guard, guarded := g.limit.guard(f, fn, g.left)
	if guard == unguarded {
		g.steps(f, depth+1)
		if f.recurses && g.dice.chance(recursions) {
			g.call(fn, object, depth+1)
		}
	} else if g.limit.limited || g.left >= 2 {
		g.guarded(f, guard, guarded, depth+1)
	}
	g.close(at)
	return true
}

// guarded appends a function's steps between taking and giving an object.
func (g *grower) guarded(f *function, guard guard, i uint32, depth uint32) {
	take, give := library(opLock), library(opUnlock)
	if guard == pool {
		take, give = library(opSemWait), library(opSemPost)
	}
	object := g.prog.objects.number(guard, i, g.thread)
	if g.limit.limited {
		g.limit.left--
		g.left += 2
		g.limit.held = true
		defer func() { g.limit.held = false }()
	}
	g.leaf(take, object, depth, 6*256)
	g.left-- // room for giving it back
	g.steps(f, depth)
	g.left++
	g.leaf(give, object, depth, 6*256)
}

func (g *grower) steps(f *function, depth uint32) {
	for _, s := range f.steps {
		if s.chance < 256 && !g.dice.chance(s.chance) {
			continue
		}
		count := s.count
		if count > 2 && g.dice.chance(64) { // now and then a loop runs a little longer or shorter
			count += g.dice.below(5) - 2
		}
		for range count {
			if !g.callee(s.fn, f.object, depth) {
				return
			}
		}
	}
}

func (g *grower) callee(fn, object, depth uint32) bool {
	switch opOf(fn) {
	case plain:
		return g.call(fn, g.prog.functions[fn].object, depth)
	default: // I/O: a few µs
		if g.quiet {
			return true
		}
		if g.left > 0 {
			g.leaf(fn, object, depth, 10*256+128)
			return true
		}
		return false
	}
}

// leaf appends one call and returns its place.
func (g *grower) leaf(fn, object, depth uint32, median int) int {
	g.forest = append(g.forest, node{self: g.dice.logNormal(median, spread), size: 1,
		fn: fn, object: object, depth: depth})
	g.left--
	return len(g.forest) - 1
}

func (g *grower) close(at int) { closeNode(g.forest, at) }

// closeNode sets the size of the call at, whose subtree ends the forest, and counts its callees.
func closeNode(forest []node, at int) {
	n := &forest[at]
	n.size, n.kids = uint32(len(forest)-at), 0
	for i := at + 1; i < len(forest); i += int(forest[i].size) {
		n.kids++
	}
}
