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

// localTrack returns the index in the batch of a track, which is that of the event.
func (d *dict) localTrack(t *batch, e *event, number int32) int32 {
	if int(number) == len(d.seenIn) {
		d.seenIn, d.local = append(d.seenIn, 0), append(d.local, 0)
	}
	if d.seenIn[number] != d.batch {
		d.seenIn[number], d.local[number] = d.batch, int32(len(t.tracks))
		t.tracks = append(t.tracks, seen{number: number, pid: e.pid, tid: e.tid})
	}
	return d.local[number]
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

// longName is up to which length names are compared without a loop.
const longName = 32

// firstBytes are masks for the first n of longName bytes.
var firstBytes = func() (m [longName + 1][longName / 8]uint64) {
	for n := range m {
		for k := range m[n] {
			m[n][k] = 1<<(8*min(max(n-8*k, 0), 8)) - 1
		}
	}
	return m
}()

// is reports whether a number is that of the first n bytes of a and of b. There are longName bytes
// of a.
func (w *words) is(number int32, a []byte, n int, b []byte) bool {
	e := &w.entries[number]
	if int(e.a-e.at) != n || e.z != e.ab || int(e.ab-e.a) != len(b) ||
		len(b) > 0 && string(w.text[e.a:e.ab]) != string(b) {
		return false
	}
	if n > longName || int(e.at)+longName > len(w.text) {
		return string(w.text[e.at:e.a]) == string(a[:n])
	}
	x, y, m := (*[longName]byte)(w.text[e.at:]), (*[longName]byte)(a), &firstBytes[n]
	return (eightAt(x[0:8], 0)^eightAt(y[0:8], 0))&m[0]|(eightAt(x[8:16], 0)^eightAt(y[8:16], 0))&m[1]|
		(eightAt(x[16:24], 0)^eightAt(y[16:24], 0))&m[2]|(eightAt(x[24:32], 0)^eightAt(y[24:32], 0))&m[3] == 0
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
