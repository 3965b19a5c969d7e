package trace

// Samplers know how many calls there will be, and many begin and end at one time: the stack of a
// sample replaces that of the one before. The columns of such a thread are made once, in the size
// that they have at last:
//
//	Expect(n, levels)    as often as some calls are found
//	AffordExpected()     asks whether the Builder may take the memory for all of them
//	Turn(at, ends, fns)  for each change of the stack, in the order of time
//
// A turn is checked against the one before as it comes. Where it is none of a stack (time goes
// back, or more calls end than are open), its ends and begins are taken one by one.

// Expect says that so many more calls will be begun by Turn, on stacks of at most so many levels.
// The thread must have no other records yet.
func (t *ThreadBuilder) Expect(calls, levels int) {
	t.hold()
	bytes := turnedBytes * calls
	if levels > deep && !t.deepTurns {
		t.deepTurns = true
		bytes += levelBytes * t.turns
	}
	if t.deepTurns {
		bytes += levelBytes * calls
	}
	t.turns += calls
	t.b.weight.expected.Add(int64(bytes))
}

// AffordExpected weighs the calls that were expected since it was called last, of all threads. It
// returns an error if the Builder may not take the memory, see Builder.Weigh. Stacks are written
// once and named by many samples, so a small file can make calls beyond all memory: whoever counts
// all of them first gets an error that says how much would do.
func (b *Builder) AffordExpected() error {
	bytes := b.weight.expected.Swap(0)
	b.weigh(bytes, bytes)
	return b.Refused()
}

// Turn ends so many calls, the innermost first, and then begins calls of functions in one another,
// the outermost first, all at time at. It is End and Begin for many calls.
func (t *ThreadBuilder) Turn(at int64, ends int, fns []FuncID) {
	if ends == 0 && len(fns) == 0 {
		return
	}
	t.hold()
	if t.mode == empty && t.turns > 0 && t.calls == nil {
		t.calls = newGathering(&t.b.room)
		t.calls.reserve(t.turns)
		if t.deepTurns {
			roomIn(&t.calls.large, t.calls.base.room).reserveDepth(t.turns)
		}
	}
	if t.turns < len(fns) || t.calls == nil || t.mode > nested || at < t.lastAt || ends > len(t.open) ||
		ends > 0 && t.ends == namedEnds {
		t.turnSlowly(at, ends, fns)
		return
	}
	t.turns -= len(fns)
	t.mode, t.lastAt = nested, at
	t.observe(at)
	t.endInnermost(at, ends)
	for g := t.calls; len(fns) > 0; {
		to := g.front(len(fns))
		for ; len(fns) > 0 && !to.full(); fns = fns[1:] {
			t.open = append(t.open, g.enter(&to, at, fns[0], t.open))
			t.n++
		}
		g.close(&to)
	}
}

// endInnermost ends so many calls by ends that name no function.
func (t *ThreadBuilder) endInnermost(at int64, ends int) {
	if ends == 0 {
		return
	}
	for range ends {
		k := len(t.open) - 1
		t.calls.leave(t.open[k], at)
		t.lastEnd, t.open = uint32(t.open[k].call), t.open[:k]
	}
	t.ends, t.endRecord = plainEnds, int32(t.records()-1)
}

func (t *ThreadBuilder) turnSlowly(at int64, ends int, fns []FuncID) {
	for range ends {
		t.End(at)
	}
	for _, fn := range fns {
		t.Begin(at, fn)
	}
}
