package trace

import "slices"

// Loaders mark calls in two ways: Block says what a call waits for or lets go, Flag whether it was
// sampled or has no end of its own. There can be as many marks as calls, so they are gathered
// without pointers: 8 bytes a Block, and a byte for each call up to the last that has a flag.

// blockMark is a Block while it is gathered: there can be as many as calls, so it has no pointers.
type blockMark struct {
	ord  uint32
	what uint32 // its kind, and above that how many of the thread's objects are its
}

// kindBits hold a BlockKind.
const kindBits = 2

// mark is flags of one call that were found while building.
type mark struct {
	ord   uint32
	flags Flags
}

// Block marks a call as blocking on objects.
func (t *ThreadBuilder) Block(r Ref, k BlockKind, objects ...ObjectID) {
	t.hold()
	t.take(blockBytes + 4*len(objects))
	t.blocks.push(blockMark{r.ord, uint32(k) | uint32(len(objects))<<kindBits})
	t.objects = append(t.objects, objects...)
}

// Flag marks a call.
func (t *ThreadBuilder) Flag(r Ref, f Flags) {
	t.hold()
	t.flagsFor(int(r.ord) + 1)
	*t.flags.place(int(r.ord)) |= f
}

// flagsFor makes room for the flags of the first n calls; they have none yet.
func (t *ThreadBuilder) flagsFor(n int) {
	for k := t.flags.len(); k < n; {
		k += len(t.flags.extend(n - k))
	}
}

// attachFlags gives each lane the flags of its calls. Those of a single lane mostly lie as they
// should.
func (t *ThreadBuilder) attachFlags() {
	if t.places == nil && t.flags.len() > 0 {
		th := t.lanes[0]
		t.flagsFor(th.Len())
		th.flags = t.flags.flatten()
	}
	ord := uint32(0)
	for chunk := range t.flags.chunks {
		for _, f := range chunk {
			t.flag(mark{ord, f})
			ord++
		}
	}
	t.flags = column[Flags]{}
	for _, m := range t.marks {
		t.flag(m)
	}
}

func (t *ThreadBuilder) flag(m mark) {
	if m.flags == 0 {
		return
	}
	th, c := t.locate(m.ord)
	if th.flags == nil {
		th.flags = made[Flags](&t.b.room, th.Len())
	}
	th.flags[c] |= m.flags
}

// sortObjects brings the objects of a thread's marks into the order of the marks. Then the same
// marks always have the same columns, whoever made them and in whatever order.
func (t *Thread) sortObjects() {
	sorted, last := true, uint32(0)
	for i := range t.Blocks {
		o := t.Blocks[i].Objects
		sorted, last = sorted && o.from == last, o.to
	}
	if sorted {
		return
	}
	from := t.details.objects
	t.details.objects = make([]ObjectID, 0, len(from))
	for i := range t.Blocks {
		o := &t.Blocks[i].Objects
		*o = t.addObjects(from[o.from:o.to])
	}
}

// attachBlocks gives each lane its blocking marks, by call.
func (t *ThreadBuilder) attachBlocks() {
	if n := t.blocks.len(); n > 0 && len(t.lanes) == 1 && t.lanes[0].Blocks == nil {
		t.lanes[0].Blocks = make([]Block, 0, n)
	}
	objects := t.objects
	for chunk := range t.blocks.chunks {
		for _, m := range chunk {
			th, c := t.locate(m.ord)
			b := Block{Call: c, Kind: BlockKind(m.what & (1<<kindBits - 1))}
			n := m.what >> kindBits
			b.Objects, objects = th.addObjects(objects[:n]), objects[n:]
			th.Blocks = append(th.Blocks, b)
		}
	}
	byCall := func(x, y Block) int { return int(x.Call) - int(y.Call) }
	for _, th := range t.lanes {
		if !slices.IsSortedFunc(th.Blocks, byCall) {
			slices.SortStableFunc(th.Blocks, byCall)
		}
	}
}
