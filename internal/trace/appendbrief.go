package trace

// Brief is a record of a thread in 16 bytes, with marks in place of arguments: what loaders hand
// over whose calls are mostly short and blocking, such as the states of a thread. BriefEnter,
// BriefLeave and BriefLeaf make one.
type Brief struct {
	At   int64 // ns
	fn   FuncID
	what uint32 // its kind, the call's BlockKind, and above them flags or a duration
}

// A Brief has its kind in the lowest bits of what, then the BlockKind, and from briefShift on the
// Flags of a call that begins, or how long a leaf lasts.
const (
	briefEnter = iota
	briefLeave
	briefLeaf

	briefKind  = 3
	briefBlock = 2 // shift
	mostBlock  = 1<<kindBits - 1
	briefShift = briefBlock + kindBits
)

// LongestLeaf is how long a BriefLeaf may last, in ns.
const LongestLeaf = 1<<(32-briefShift) - 1

// BriefEnter is a call that begins: Begin, and Flag and Block if it has flags or blocks on no
// known object.
func BriefEnter(at int64, fn FuncID, flags Flags, k BlockKind) Brief {
	return Brief{at, fn, briefEnter | uint32(k)<<briefBlock | uint32(flags)<<briefShift}
}

// BriefLeave is the end of the innermost call that is open: End.
func BriefLeave(at int64) Brief { return Brief{at, 0, briefLeave} }

// BriefLeaf is a call that calls nothing, and lasts so many ns, at most LongestLeaf: Begin and
// End, and Block if it blocks on no known object.
func BriefLeaf(at int64, dur uint32, fn FuncID, k BlockKind) Brief {
	return Brief{at, fn, briefLeaf | uint32(k)<<briefBlock | dur<<briefShift}
}

// AppendBrief adds records at once. See Append for who may call it when.
func (t *ThreadBuilder) AppendBrief(list []Brief) {
	t.hold()
	for len(list) > 0 {
		n := t.briefRun(list)
		if n == 0 {
			t.appendBrief(&list[0])
			n = 1
		}
		list = list[n:]
	}
	t.sketch.follow(t)
}

// appendBrief adds one record.
func (t *ThreadBuilder) appendBrief(v *Brief) {
	kind, block, rest := v.what&briefKind, BlockKind(v.what>>briefBlock&mostBlock), v.what>>briefShift
	if kind == briefLeave {
		t.End(v.At)
		return
	}
	ref := t.Begin(v.At, v.fn)
	if kind == briefLeaf {
		t.End(v.At + int64(rest))
	} else if rest != 0 {
		t.Flag(ref, Flags(rest))
	}
	if block != 0 {
		t.Block(ref, block)
	}
}

// fronts are the ends of the columns that records with marks go into.
type fronts struct {
	front
	flags  []Flags     // beside those of the front; nil as long as no call has any
	blocks []blockMark // as many as records block, or as have room
}

// fronts returns the fronts for some records.
func (t *ThreadBuilder) fronts(list []Brief) (to fronts) {
	begins, blocks, flagged := 0, 0, t.flags.len() > 0
	for i := range list {
		what := list[i].what
		if what&briefKind != briefLeave {
			begins++
		}
		if what>>briefBlock&mostBlock != 0 {
			blocks++
		}
		flagged = flagged || what&briefKind == briefEnter && what>>briefShift != 0
	}
	to.front = t.calls.front(begins)
	if flagged {
		t.flagsFor(to.from + to.n)
		to.flags = t.flags.open(begins)
		room := min(len(to.fn), len(to.flags))
		to.fn, to.flags = to.fn[:room], to.flags[:room]
	}
	if blocks > 0 {
		to.blocks = t.blocks.extend(blocks)
	}
	return to
}

// briefRun adds records as long as time does not go back, each end closes a call, and the last
// chunk of each column has room. It returns how many. Unlike nestedRun it goes on where a number
// does not fit: in a thread that is one long call, as goroutines are, each call that this one calls
// has its caller too far before it.
func (t *ThreadBuilder) briefRun(list []Brief) int {
	if t.mode > nested || t.ends == namedEnds {
		return 0
	}
	if t.calls == nil {
		t.calls = newGathering(&t.b.room)
	}
	to := t.fronts(list)
	g, fns, blocks, flags, marks := t.calls, to.fn, to.blocks, to.flags, 0
	spans, places, depth := to.spans[:len(fns)], to.places[:len(fns)], to.depth[:len(fns)]
	n, base, from, open, last := to.n, to.base, to.from, t.open, t.lastAt
	record, ended := t.records(), -1 // the record that comes next, and the last one that is an end
	closed := 0                      // the call that this one closes
	i := 0
	for ; i < len(list); i++ {
		v := &list[i]
		at, kind, rest, level := v.At, v.what&briefKind, v.what>>briefShift, len(open)
		if at < last {
			break
		}
		if kind == briefLeave {
			if level == 0 {
				break
			}
			o := open[level-1]
			open = open[:level-1]
			closed, ended = int(o.call), record
			record++
			last = at
			dur, size := at-o.start, from+n-closed
			j := closed - from
			if uint(j) >= uint(len(spans)) {
				g.leaveFar(g.spans.place(closed), g.places.place(closed), dur, size)
			} else if p := places[j]; dur >= far || size > mostSize || p >= far {
				g.leaveFar(&spans[j], &places[j], dur, size)
			} else {
				spans[j].dur, places[j] = uint32(dur), place(size)<<upBits|p&mostUp
			}
			continue
		}
		block, call := v.what>>briefBlock&mostBlock, from+n
		if n >= len(fns) || block != 0 && marks >= len(blocks) {
			break
		}
		if call%baseLen == 0 {
			base = at
			g.base.push(at)
		}
		after, up := at-base, 0
		if level > 0 {
			up = call - int(open[level-1].call)
		}
		if after < far && up <= mostUp && level < deep {
			spans[n], places[n], depth[n] = span{after: uint32(after)}, place(1<<upBits|up), uint8(level)
		} else {
			spans[n] = span{after: fitTime(&g.large, g.base.room, after)}
			places[n], depth[n] = fitPlace(&g.large, g.base.room, uint32(up), 1), fitDepth(&g.large, g.base.room, call, level)
		}
		fns[n], last = v.fn, at
		if block != 0 {
			blocks[marks] = blockMark{uint32(call), block}
			marks++
		}
		if kind == briefLeaf {
			spans[n].dur = rest
			last += int64(rest)
			closed, ended = call, record+1
			record, rest = record+2, 0
		} else {
			open = append(open, opened{at, int32(call)})
			record++
		}
		if flags != nil {
			flags[n] = Flags(rest)
		}
		n++
	}
	if t.blocks.cut(len(blocks) - marks); i > 0 {
		if ended >= 0 {
			t.ends, t.lastEnd, t.endRecord = plainEnds, uint32(closed), int32(ended)
		}
		t.observe(list[0].At)
		t.open, t.lastAt, to.n = open, last, n
		t.take(blockBytes * marks)
		t.tookBriefs(&to)
	}
	return i
}

// tookBriefs takes over what was added to the fronts, up to the time of the last record.
func (t *ThreadBuilder) tookBriefs(to *fronts) {
	if to.flags != nil {
		t.flags.last = to.flags[:to.n]
	}
	t.calls.close(&to.front)
	calls := to.from + to.n
	t.takeColumns(callBytes * (calls - int(t.n)))
	t.n, t.mode = uint32(calls), nested
	t.observe(t.lastAt)
}

// leaveFar ends a call where a number may not fit.
func (g *gathering) leaveFar(s *span, p *place, dur int64, size int) {
	s.dur = fitTime(&g.large, g.base.room, dur)
	p.setSize(&g.large, g.base.room, uint32(size))
}
