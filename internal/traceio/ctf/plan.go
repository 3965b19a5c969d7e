package ctf

import "encoding/binary"

// Most fields of an event are not needed, yet the reader visits each of them to find the next one.
// A plan is worked out once for a scope and skips them: where all fields before a field have a
// fixed size, it lies at a fixed distance, as in a struct of C. So a plan is a list of runs. A run
// is fields of fixed size, and then perhaps one of any other kind, which the reader reads:
//
//	struct {                          run of 32 + 64 bits, of which
//	    uint32_t tid;                     tid is loaded from bit 0,
//	    uint64_t addr;                    addr from bit 32;
//	    string name;                  then name by the reader
//	    uint8_t a, b;                 run of 16 bits, of which
//	}                                     b is loaded from bit 8
//
// When a plan fails, because an event ends beyond its packet for instance, it does not say why.
// Then the reader reads the event again, field by field, and tells.

// plan is how the wanted fields of a scope are read.
type plan []run

// run is fields of fixed size, and what follows them.
type run struct {
	align   uint64 // of the first bit, so that all distances hold
	size    uint64 // in bits
	steps   int64  // fields, of the reader's budget
	loads   []load
	rest    *node  // what the reader reads after the run, or a variant; nil for neither
	options []plan // of a variant
}

// load is a wanted field of a run. It has what a number needs of its node, beside each other.
type load struct {
	at     uint64 // bits from the start of the run
	slot   int32
	how    encoding
	size   uint8 // bits, of a number
	signed bool
	isID   bool
	clock  *clock
	field  *node
}

// encoding is how a field of a run is read.
type encoding uint8

const (
	bitField encoding = iota // any number
	word8                    // little-endian numbers of whole bytes, at whole bytes
	word16
	word32
	word64
	characters // an array of them
)

// mostChars is the length beyond which an array of characters is left to the reader, so that sizes
// cannot overflow.
const mostChars = 1 << 28

// planner makes a plan.
type planner struct {
	wanted map[*node]bool
	runs   plan
	at     uint64 // bits since the start of the last run
}

// planOf works out how to read the wanted fields of some scopes, of which any may be nil, one after
// the other. Clocks, ids and fields that others refer to are wanted always.
func planOf(wanted map[*node]bool, scopes ...*node) plan {
	p := planner{wanted: wanted}
	for _, n := range scopes {
		if n != nil {
			p.add(n)
		}
	}
	return p.runs
}

func (p *planner) add(n *node) {
	switch {
	case n.kind == structure:
		p.run(n.align).steps++
		for _, k := range n.kids {
			p.add(k)
		}
	case n.isNumber() && n.size <= mostBits:
		p.number(n)
	case n.kind == array && n.chars && n.length <= mostChars:
		p.chars(n)
	default:
		p.leave(n)
	}
	x := &p.runs[len(p.runs)-1]
	x.size = p.at
}

// run returns the run that goes on at so many bits' alignment: the last one, unless the distances
// from its start would then differ from event to event.
func (p *planner) run(align uint64) *run {
	if k := len(p.runs) - 1; k >= 0 && p.runs[k].rest == nil {
		x := &p.runs[k]
		if p.at == 0 {
			x.align = max(x.align, align)
		}
		if align <= x.align {
			p.at = (p.at + align - 1) &^ (align - 1)
			x.size = p.at
			return x
		}
	}
	p.runs, p.at = append(p.runs, run{align: align}), 0
	return &p.runs[len(p.runs)-1]
}

func (p *planner) number(n *node) {
	x := p.run(n.align)
	x.steps++
	if p.wanted[n] || n.isID || n.clock != nil || n.referred {
		l := load{at: p.at, slot: n.slot, how: bitField, size: uint8(n.size), signed: n.signed && n.size < 64,
			isID: n.isID, clock: n.clock, field: n}
		if whole := x.align >= 8 && p.at%8 == 0; whole && !n.big {
			switch n.size {
			case 8:
				l.how = word8
			case 16:
				l.how = word16
			case 32:
				l.how = word32
			case 64:
				l.how = word64
			}
		}
		x.loads = append(x.loads, l)
	}
	p.at += n.size
}

func (p *planner) chars(n *node) {
	x := p.run(n.of.align)
	if x.align < 8 || p.at%8 != 0 {
		p.leave(n)
		return
	}
	x.steps++
	if p.wanted[n] {
		x.loads = append(x.loads, load{at: p.at, slot: n.slot, how: characters, field: n})
	}
	p.at += 8 * n.length
}

// leave ends the run with a field for the reader.
func (p *planner) leave(n *node) {
	if len(p.runs) == 0 || p.runs[len(p.runs)-1].rest != nil {
		p.run(1)
	}
	x := &p.runs[len(p.runs)-1]
	x.rest = n
	if n.kind != variant {
		return
	}
	x.steps++
	for _, k := range n.kids {
		x.options = append(x.options, planOf(p.wanted, k))
	}
}

// fixed reports whether a plan is a run of whole bytes and no more.
func (p plan) fixed() bool {
	return len(p) == 1 && p[0].rest == nil && p[0].align >= 8 && p[0].size%8 == 0
}

// begin returns where a run begins, and whether all of it can be read.
func (r *reader) begin(x *run) (start uint64, ok bool) {
	start = (r.pos + x.align - 1) &^ (x.align - 1)
	return start, start <= r.end && x.size <= r.end-start && x.steps <= r.steps
}

// follow reads the wanted fields of a plan. If it returns false, what it has read is of no use.
func (r *reader) follow(p plan) bool {
	for i := range p {
		x := &p[i]
		start, ok := r.begin(x)
		if !ok {
			return false
		}
		for k := range x.loads {
			r.load(&x.loads[k], start)
		}
		r.pos, r.steps = start+x.size, r.steps-x.steps
		if x.rest != nil && !r.beyond(x) {
			return false
		}
	}
	return true
}

// beyond reads what follows a run.
func (r *reader) beyond(x *run) bool {
	if x.rest.kind != variant {
		return r.read(x.rest) == nil
	}
	k := r.option(x.rest)
	return k >= 0 && r.follow(x.options[k])
}

// load reads a field of a run that starts at a bit. All of the run lies in the packet.
func (r *reader) load(l *load, start uint64) {
	at := start + l.at
	rest := r.buf[at/8:]
	var v uint64
	switch l.how {
	case word8:
		v = uint64(rest[0])
	case word16:
		v = uint64(binary.LittleEndian.Uint16(rest))
	case word32:
		v = uint64(binary.LittleEndian.Uint32(rest))
	case word64:
		v = binary.LittleEndian.Uint64(rest)
	case characters:
		r.texts[l.slot] = rest[:l.field.length]
		return
	default:
		v = r.bitsAt(at, l.field)
	}
	if l.signed {
		unused := 64 - l.size
		v = uint64(int64(v<<unused) >> unused)
	}
	r.nums[l.slot] = v
	if l.isID {
		r.id = v
	}
	if l.clock != nil && r.timed {
		r.tick(l.clock, v, uint64(l.size))
	}
}

// bitsAt reads a number of any size at a bit.
func (r *reader) bitsAt(at uint64, n *node) uint64 {
	if from, shift := at/8, at%8; !n.big && shift+n.size <= 64 && from+8 <= uint64(len(r.buf)) {
		return binary.LittleEndian.Uint64(r.buf[from:]) >> shift & (1<<n.size - 1)
	}
	if at%8 == 0 && n.size%8 == 0 {
		return wholeBytes(r.buf[at/8:at/8+n.size/8], n.big)
	}
	return r.bits(at, n.size, n.big)
}
