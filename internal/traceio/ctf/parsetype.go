package ctf

// typ reads a type, or returns nil with an error.
func (p *parser) typ() *typ {
	for p.is("const") || p.is("volatile") {
		p.advance()
	}
	var t *typ
	switch {
	case p.take("integer"):
		t = p.integer()
	case p.take("floating_point"):
		t = p.float()
	case p.take("string"):
		if p.is("{") {
			p.attributes()
		}
		t = p.complete(&typ{kind: text, align: 8})
	case p.take("struct"):
		t = p.structure()
	case p.take("variant"):
		t = p.variant()
	case p.take("enum"):
		t = p.enum()
	default:
		name := p.typeName()
		if t = p.lookup(name); t == nil {
			p.fail("no type is called %q", name)
		}
	}
	if p.err != nil {
		return nil
	}
	return t
}

// The largest integers, floats and alignments, in bits.
const (
	mostBits  = 64
	mostFloat = 1 << 10
	mostAlign = 1 << 16
)

// bases are the names of bases for display.
var bases = map[string]int{"decimal": 10, "dec": 10, "d": 10, "i": 10, "u": 10, "hexadecimal": 16,
	"hex": 16, "x": 16, "X": 16, "p": 16, "octal": 8, "oct": 8, "o": 8, "binary": 2, "bin": 2, "b": 2}

func (p *parser) integer() *typ {
	t := &typ{kind: integer, base: 10}
	for _, a := range p.attributes() {
		switch a.name {
		case "size":
			t.size = a.uint()
		case "align":
			t.align = a.uint()
		case "signed":
			t.signed = a.truth()
		case "byte_order":
			t.order = orders[a.words()]
		case "base":
			if t.base = bases[a.words()]; t.base == 0 {
				t.base = int(a.uint())
			}
		case "encoding":
			t.isText = encoded(a.value)
		case "map":
			t.clock = clockOf(a.words())
		}
	}
	if t.align == 0 && t.size%8 == 0 {
		t.align = 8
	}
	t.align = max(t.align, 1)
	p.checkSize(t, mostBits)
	return p.complete(t)
}

// clockOf returns the name in clock.NAME.value.
func clockOf(path string) string {
	const before, after = "clock.", ".value"
	if len(path) > len(before)+len(after) && path[:len(before)] == before {
		return path[len(before) : len(path)-len(after)]
	}
	return ""
}

func (p *parser) checkSize(t *typ, most uint64) {
	switch {
	case t.size == 0 || t.size > most:
		p.fail("a number of %d bits; those of 1 to %d are read", t.size, most)
	case t.align&(t.align-1) != 0 || t.align > mostAlign:
		p.fail("an alignment of %d bits", t.align)
	}
}

func (p *parser) float() *typ {
	t := &typ{kind: float, align: 1}
	for _, a := range p.attributes() {
		switch a.name {
		case "exp_dig", "mant_dig":
			t.size += min(a.uint(), mostFloat)
		case "align":
			t.align = max(a.uint(), 1)
		case "byte_order":
			t.order = orders[a.words()]
		}
	}
	p.checkSize(t, mostFloat)
	return p.complete(t)
}

// structure reads what follows the word struct.
func (p *parser) structure() *typ {
	name := p.tag()
	if !p.is("{") {
		return p.tagged("struct " + name)
	}
	t := &typ{kind: structure, align: 1}
	t.members = p.members()
	if p.take("align") {
		p.expect("(")
		t.align = max(p.value().uint(), 1)
		p.expect(")")
		if t.align&(t.align-1) != 0 || t.align > mostAlign {
			p.fail("an alignment of %d bits", t.align)
		}
	}
	return p.declareTagged("struct ", name, t)
}

// tag takes the name of a struct, variant or enum if there is one.
func (p *parser) tag() string {
	if p.tok.kind == nameToken && !p.is("align") {
		return p.name()
	}
	return ""
}

func (p *parser) tagged(name string) *typ {
	t := p.lookup(name)
	if t == nil {
		p.fail("no type is called %q", name)
	}
	return t
}

func (p *parser) declareTagged(what, name string, t *typ) *typ {
	p.complete(t)
	if name != "" && p.err == nil {
		p.declare(what+name, t)
	}
	return t
}

// members reads the fields of a structure, or the options of a variant.
func (p *parser) members() (list []member) {
	p.expect("{")
	if !p.enter() {
		return nil
	}
	for p.tok.kind != endToken && !p.is("}") {
		if p.take(";") {
			continue
		}
		if p.is("typealias") || p.is("typedef") {
			p.declaration()
			continue
		}
		t := p.typ()
		if p.take(";") { // it only declares a type
			continue
		}
		for p.err == nil {
			name, of := p.declarator(t)
			list = append(list, member{name, of})
			if !p.take(",") {
				break
			}
		}
		p.expect(";")
	}
	p.leave()
	p.expect("}")
	if p.err != nil {
		return nil
	}
	return list
}

// variant reads what follows the word variant.
func (p *parser) variant() *typ {
	name, tag := p.tag(), ""
	if p.take("<") {
		tag = p.path()
		p.expect(">")
	}
	t := &typ{kind: variant, align: 1, tag: tag}
	if p.is("{") {
		t.members = p.members()
		return p.declareTagged("variant ", name, t)
	}
	known := p.tagged("variant " + name)
	if known == nil || tag == "" {
		return known
	}
	t.members = known.members // of one that is declared without what chooses
	return p.complete(t)
}

// enum reads what follows the word enum.
func (p *parser) enum() *typ {
	name := p.tag()
	container := (*typ)(nil)
	if p.take(":") {
		container = p.typ()
	}
	if !p.is("{") {
		return p.tagged("enum " + name)
	}
	if container == nil && p.err == nil {
		container = p.lookup("int")
	}
	if container == nil || container.kind != integer {
		p.fail("an enum without integers to hold it")
		return nil
	}
	t := *container
	t.kind, t.ranges = enum, p.ranges()
	return p.declareTagged("enum ", name, &t)
}

// ranges reads the labels of an enum. One without a value follows the one before.
func (p *parser) ranges() (list []enumRange) {
	p.expect("{")
	next := int64(0)
	for p.tok.kind != endToken && !p.is("}") {
		r := enumRange{from: next, to: next}
		if p.tok.kind == textToken {
			r.label = p.tok.text
			p.advance()
		} else {
			r.label = p.name()
		}
		if p.take("=") {
			r.from = int64(p.value().uint())
			r.to = r.from
			if p.take("...") {
				r.to = int64(p.value().uint())
			}
		}
		next = r.to + 1
		list = append(list, r)
		if !p.take(",") {
			break
		}
	}
	p.expect("}")
	return list
}
