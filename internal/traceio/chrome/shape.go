package chrome

import "encoding/binary"

// The shape of a JSON object is its text without its values:
//
//	{"ph":"X","ts":7.5,"name":"f"}   has the shape   {"ph":"X","ts":▢,"name":"▢"}
//
// A program writes almost all of its events in a few shapes. So a parser learns them (learn.go) and
// then reads an event (quick.go) by comparing the text that must come next and taking the value
// behind it, in turn: names, colons, commas and white space cost a comparison of words. The shapes
// form a tree, since many begin alike:
//
//	{"ph":"X","ts":▢ ─┬─ ,"name":"▢ ─── "}
//	                  └─ }
//
// Of an event the phase belongs to the shape, and so does the process while there are few.
//
// If the object that a shape was learned from is well-formed, so is each that has the shape: a
// value is replaced by another of its kind, a string or a bare word, and the rest is the same.
//
// The trace does not depend on which shapes are known: what has none that is known is read by the
// scanner.
type shapes struct {
	first   *node
	nodes   int       // how many there are
	refused bool      // a shape found no place since the last clear
	missed  int       // objects without a known shape since then
	pids    [2]uint64 // the processes that nodes' texts have, as words
}

// node is a text that can come next, and the kind of value behind it.
type node struct {
	word, mask [2]uint64 // the first 16 bytes of the text
	len        int       // of the text
	hole       hole
	field      field // that the value is of
	long       bool  // the text has more than 16 bytes
	fixes      bool  // fixed is not empty
	gaps       bool  // the text has white space between its tokens
	fixed
	next  *node // what comes after the value; nil for nothing
	other *node // what may stand there instead of this node; nil for nothing
	usual
	text, tight []byte // all of it, and the same without the white space
}

// fixed is what a node's text says itself.
type fixed struct {
	phase   byte   // of the event, or 0
	pidLen  uint8  // length of the process, or 0
	phaseAt uint32 // how far before the end of the text
	pidAt   uint32 // likewise
	pid     uint64 // as a word
}

// fix notes what a text that ends at i says itself.
func (f *fixed) fix(e *event, i int) {
	if f.phase != 0 {
		at := uint32(i) - f.phaseAt
		e.ph, e.letter = span{at, at + 1}, f.phase
		e.members++
	}
	if f.pidLen != 0 {
		at := uint32(i) - f.pidAt
		e.pid, e.pidWord = span{at, at + uint32(f.pidLen)}, f.pid
		e.members++
	}
}

// hole is the kind of value that stands behind a node's text.
type hole uint8

const (
	noHole   hole = iota // the object has ended
	textHole             // the text of a string; its quotes belong to the nodes around it
	nameHole             // likewise, of an event's name
	argsHole             // an object, the arguments
	numberHole
	startHole   // the number of µs at which the event begins
	lengthHole  // and for how long
	processHole // a number, its process
	threadHole  // and its thread
	wordHole    // a number or a word
	innerHole   // a value of any kind
)

// margin is how much of a block must follow a node's text, so that words can be read without a look
// at its end.
const margin = 40

// eightAt returns the eight bytes from i on as a word.
func eightAt(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i:]) }

// differs reports whether one of the first 16 bytes of the node's text differs from b.
func (n *node) differs(b *[16]byte) bool {
	return (eightAt(b[:8], 0)^n.word[0])&n.mask[0]|(eightAt(b[8:], 0)^n.word[1])&n.mask[1] != 0
}

// isAt reports whether a node that is long stands at i, where its first 16 bytes do.
func (n *node) isAt(b []byte, i int) bool {
	end := i + n.len
	return end < len(b) && string(b[i+16:end]) == string(n.text[16:])
}
