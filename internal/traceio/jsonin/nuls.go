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
		rest := bytes.TrimLeft(text[i:], "\x00")
		n.inside = len(rest) == 0
		n.at += int64(len(text) - len(rest))
		text = rest
	}
}

// Pass takes the next piece of the text, of so many bytes, none of which is NUL.
func (n *Nuls) Pass(size int) {
	n.at += int64(size)
	n.inside = n.inside && size == 0
}
