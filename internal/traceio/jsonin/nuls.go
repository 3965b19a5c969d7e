package jsonin

import "bytes"

// Nuls counts stretches of NUL bytes. No JSON has any, but a crash can leave them in a file in
// place of what was written: {"ts":0,"d\0\0":1} is an event still, but one without a duration.
type Nuls struct {
	Stretches uint64
	First     int64 // offset of the first
	at        int64 // offset of what comes next
	inside    bool  // a stretch reaches to there
}

// Look takes the next piece of the text.
func (n *Nuls) Look(text []byte) {
	for len(text) > 0 {
		i := bytes.IndexByte(text, 0)
		if n.inside = n.inside && i == 0; i < 0 {
			n.Pass(len(text))
			return
		}
		if !n.inside {
			if n.Stretches++; n.Stretches == 1 {
				n.First = n.at + int64(i)
			}
		}
		rest := text[i+zeros(text[i:]):]
		n.inside = len(rest) == 0
		n.at += int64(len(text) - len(rest))
		text = rest
	}
}

// zeroBlock is how many bytes are compared at once: a file that was grown can have gigabytes of
// zeros.
var zeroBlock [4 << 10]byte

// zeros returns how many NUL bytes text begins with.
func zeros(text []byte) (n int) {
	for bytes.HasPrefix(text[n:], zeroBlock[:]) {
		n += len(zeroBlock)
	}
	for n < len(text) && text[n] == 0 {
		n++
	}
	return n
}

// OnlyNuls reports whether a text that is not empty has nothing but NUL bytes.
func OnlyNuls(text []byte) bool { return len(text) > 0 && zeros(text) == len(text) }

// Pass takes the next piece of the text, of so many bytes, none of which is NUL.
func (n *Nuls) Pass(size int) {
	n.at += int64(size)
	n.inside = n.inside && size == 0
}
