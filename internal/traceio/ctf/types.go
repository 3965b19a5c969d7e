package ctf

import (
	"fmt"
)

// kind is what a type describes.
type kind uint8

const (
	integer kind = iota
	float
	enum
	text // a string that ends with a zero
	structure
	variant
	array    // of a length that the metadata gives
	sequence // of a length that a field gives
)

// mostNested is how deep types may hold one another. What tracers write is some five levels deep;
// the limit keeps the reader, which calls itself for each level, from running out of stack.
const mostNested = 64

// typ is a type as the metadata declares it. Types are shared by all that name them, and never
// change once they are complete.
type typ struct {
	kind  kind
	depth int    // levels of types that it holds
	align uint64 // in bits

	// integer, float, enum; an enum has those of its container
	size    uint64 // in bits
	signed  bool
	base    int
	isText  bool // its encoding says that it is a character
	order   order
	clock   string // the clock that it is a value of
	ranges  []enumRange
	members []member // structure, variant
	tag     string   // variant: the field that chooses
	of      *typ     // array, sequence
	length  uint64   // array
	counted string   // sequence: the field that has the length
}

// order is an order of bytes. Native is that of the trace, which may be stated after types.
type order uint8

const (
	native order = iota
	little
	big
)

// member is a field of a structure or an option of a variant.
type member struct {
	name string
	*typ
}

// enumRange gives values a label. Those of signed types are kept as two's complement.
type enumRange struct {
	label    string
	from, to int64
}

// complete works out depth and alignment from what a type holds.
func (t *typ) complete() error {
	switch t.kind {
	case structure, variant:
		for _, m := range t.members {
			t.depth = max(t.depth, m.depth+1)
			if t.kind == structure {
				t.align = max(t.align, m.align)
			}
		}
	case array, sequence:
		t.depth = t.of.depth + 1
		t.align = t.of.align
	}
	t.align = max(t.align, 1)
	if t.depth > mostNested {
		return fmt.Errorf("types hold one another %d levels deep", t.depth)
	}
	return nil
}

// chars reports whether a type is an array of characters, which is read as a text.
func (t *typ) chars() bool {
	return (t.kind == array || t.kind == sequence) && t.of.kind == integer && t.of.isText &&
		t.of.size == 8 && t.of.align <= 8
}

// isNumber reports whether a value is read as a number.
func (t *typ) isNumber() bool { return t.kind == integer || t.kind == enum || t.kind == float }
