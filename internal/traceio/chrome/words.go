package chrome

import (
	"bytes"
	"hash/maphash"

	"diptych/internal/trace"
)

// dict is what a worker has seen so far: it numbers functions and threads by their text, so that a
// name that occurs a million times is looked at as a string once a worker. Which function of the
// trace a number stands for is for the feed to say, which takes the batches in the order of the
// file: so the trace does not depend on what any worker saw when. The feed's part of a dict is not
// touched by the worker, nor the worker's by the feed.
type dict struct {
	names  words // name, category and, of a function in a file, the file
	tracks words // process and thread

	batch  uint32   // number of the batch at hand
	usedIn []uint32 // by name: the last batch that used it
	seenIn []uint32 // by track: the last batch that saw it
	local  []int32  // by track: its number in that batch

	// Of the feed:
	functions []trace.FuncID // by name
	threads   []*track       // by track
	keys      []trackKey     // by track
}

// A dict with so many names, or bytes of them, is given up for an empty one: a file may have a new
// name in each event.
var mostWords = 1 << 16 // fewer in tests

const mostText = 8 << 20

func (d *dict) full() bool {
	return max(len(d.names.entries), len(d.tracks.entries)) > mostWords ||
		max(len(d.names.text), len(d.tracks.text)) > mostText
}

// used notes that the batch at hand uses a name, and reports whether it does for the first time.
func (d *dict) used(name int32) bool {
	if int(name) == len(d.usedIn) {
		d.usedIn = append(d.usedIn, d.batch)
		return true
	}
	first := d.usedIn[name] != d.batch
	d.usedIn[name] = d.batch
	return first
}

// words numbers triples of strings in the order of their first use.
type words struct {
	entries []word
	slots   []int32 // open addressing: index into entries plus one, or 0
	text    []byte
}

// word is where the parts of a triple lie in the text, one after the other.
type word struct {
	hash         uint64
	at, a, ab, z uint32
}

var seed = maphash.MakeSeed()

// number returns the number of the triple a, b, c.
func (w *words) number(a, b, c []byte) int32 {
	h := maphash.Bytes(seed, a)
	if len(b) > 0 {
		h = h*31 + maphash.Bytes(seed, b)
	}
	if len(c) > 0 {
		h = h*37 + maphash.Bytes(seed, c)
	}
	if 2*len(w.entries) >= len(w.slots) {
		w.grow()
	}
	mask := uint64(len(w.slots) - 1)
	for at := h & mask; ; at = (at + 1) & mask {
		k := w.slots[at] - 1
		if k < 0 {
			k = int32(len(w.entries))
			w.slots[at] = k + 1
			w.add(h, a, b, c)
			return k
		}
		if e := &w.entries[k]; e.hash == h && w.equal(e, a, b, c) {
			return k
		}
	}
}

func (w *words) equal(e *word, a, b, c []byte) bool {
	return bytes.Equal(w.text[e.at:e.a], a) && bytes.Equal(w.text[e.a:e.ab], b) &&
		bytes.Equal(w.text[e.ab:e.z], c)
}

func (w *words) add(h uint64, a, b, c []byte) {
	e := word{hash: h, at: uint32(len(w.text))}
	w.text = append(w.text, a...)
	e.a = uint32(len(w.text))
	w.text = append(w.text, b...)
	e.ab = uint32(len(w.text))
	w.text = append(w.text, c...)
	e.z = uint32(len(w.text))
	w.entries = append(w.entries, e)
}

// grow doubles the table, which is at most half full.
func (w *words) grow() {
	w.slots = make([]int32, max(2*len(w.slots), 256))
	mask := uint64(len(w.slots) - 1)
	for k, e := range w.entries {
		at := e.hash & mask
		for w.slots[at] != 0 {
			at = (at + 1) & mask
		}
		w.slots[at] = int32(k) + 1
	}
}
