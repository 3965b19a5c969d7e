package synth

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// Truth is what a truth file says: how the pair was made, and every edit.
//
// Call indexes are pre-order indexes in their thread, on either side: the calls of one thread in
// the order of their start. Thread ids are those in both traces.
type Truth struct {
	Version int          `json:"version"`
	Options Options      `json:"options"`
	Edits   []Edit       `json:"edits"` // by thread, then calls; those without a place last
	Counts  map[Kind]int `json:"counts"`
	Calls   struct {
		A int64 `json:"a"`
		B int64 `json:"b"`
	} `json:"calls"`
	// Waits says who waited on whom, if waits, situations or edits of waits were asked for.
	// Situations lists what was played beside the program.
	Waits      *SidesWaits `json:"waits,omitempty"`
	Situations []Scene     `json:"situations,omitempty"`
	// Perturbation is there if that situation was asked for.
	Perturbation *Perturbation `json:"perturbation,omitempty"`
	// Ranks is there if ranks have files of their own.
	Ranks *RankTruth `json:"ranks,omitempty"`
}

// SidesWaits is who waited on whom on either side.
type SidesWaits struct {
	A WaitTruth `json:"a"`
	B WaitTruth `json:"b"`
}

// WaitTruth is who waited on whom on one side. Waits for the end of a thread are among the calls,
// but no edges.
type WaitTruth struct {
	Calls      int64      `json:"calls"`      // that wait
	Unreleased int64      `json:"unreleased"` // of them: never ended
	Edges      []WaitEdge `json:"edges"`
}

// WaitEdge sums up the waits of one thread for one object that were ended by releases of one other
// thread. A wait is ended by the last release of one of its objects that starts during the wait.
// Releaser is nil if there was none: the object was free, a timeout ended the wait, or it never
// ended.
type WaitEdge struct {
	Waiter     int    `json:"waiter"`
	Releaser   *int   `json:"releaser"`
	Object     string `json:"object"` // its address, as arguments name it
	Count      int64  `json:"count"`
	Unreleased int64  `json:"unreleased,omitzero"` // of Count: never ended
	WaitNs     int64  `json:"waitNs"`
}

// Scene is a situation that is played: its threads and the objects they share.
type Scene struct {
	Name    string   `json:"name"`
	Threads []int    `json:"threads"`
	Roles   []string `json:"roles"`
	Objects []string `json:"objects"`
}

// Edit is one edit. No edit lies in the subtree of another, except in the callees of a slowed
// call.
//
//   - Insert: a call with its subtree that is only in B; A is nil, To its function there.
//   - Delete: one that is only in A; B is nil.
//   - Move: a subtree of Size calls, at A in A and at B in B, with the same caller.
//   - Swap: a subtree of Size calls at A, exchanged with the Other calls of the next sibling
//     (To), which is at A+Size in A and at B−Other in B.
//   - Slow: the call's self time is Times as long; Size is 1.
//   - Repeat: the subtree runs Times times more; the copies follow it in B.
//   - Rename: function From is To in B, throughout; Size is its number of calls in A; no place.
//   - Contend: as Slow, of the first call in a guarded section.
//   - Shard: the mutex From is split into Times parts in B, which To lists with commas; a thread
//     takes the part whose number is its id modulo Times. Size is how often A takes it; no place.
type Edit struct {
	Kind    Kind   `json:"kind"`
	Thread  *int   `json:"thread"`
	A       *int   `json:"a"`
	B       *int   `json:"b"`
	Size    int    `json:"size"`
	Other   int    `json:"other,omitzero"`
	Times   int    `json:"times,omitzero"`
	From    string `json:"from,omitzero"`
	To      string `json:"to,omitzero"`
	DeltaNs int64  `json:"deltaNs"` // self time of the calls added, less that of those taken away
}

// TruthName is where the truth about side B lies.
func TruthName(outB string) string { return filepath.Clean(outB) + ".truth.json" }

// ReadTruth reads a truth file.
func ReadTruth(path string) (*Truth, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t := new(Truth)
	if err := json.NewDecoder(bufio.NewReader(f)).Decode(t); err != nil {
		return nil, fmt.Errorf("%s: not a truth file: %w", path, err)
	}
	return t, nil
}

const none = -1

// change is an edit as the editor notes it.
type change struct {
	kind                             Kind
	thread, a, b, size, other, times int
	from, to                         uint32
	delta                            int64
}

// truthWriter writes edits as they happen: there may be too many to keep in memory.
type truthWriter struct {
	w            *bufio.Writer
	line         []byte
	options      Options
	called       []int64 // by function, on A
	counts       map[Kind]int
	names, other []string // of A and of B
	lines        int
	err          error
}

func newTruthWriter(p *outputs, path string, o Options) (*truthWriter, error) {
	f, err := p.file(path)
	if err != nil {
		return nil, err
	}
	t := &truthWriter{w: bufio.NewWriterSize(f, 1<<16), options: o,
		called: make([]int64, o.Functions), counts: map[Kind]int{}}
	head, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("truth: %w", err)
	}
	fmt.Fprintf(t.w, "{\n\"version\": 1,\n\"options\": %s,\n\"edits\": [", head)
	return t, nil
}

// addEdits writes the edits of one forest.
func (t *truthWriter) addEdits(edits []change, forest []node) {
	for i := range forest {
		t.called[forest[i].fn]++
	}
	for i := range edits {
		c := &edits[i]
		from := ""
		if c.a != none {
			from = t.names[c.from]
		}
		to := ""
		switch {
		case c.kind == Insert:
			to = t.other[c.to]
		case c.kind == Swap:
			to = t.names[c.to]
		}
		t.write(c, from, to)
	}
}

func (t *truthWriter) write(c *change, from, to string) {
	t.counts[c.kind]++
	b := t.line[:0]
	if t.lines++; t.lines > 1 {
		b = append(b, ',')
	}
	b = append(b, "\n{\"kind\":\""...)
	b = append(b, kindNames[c.kind]...)
	b = append(b, '"')
	thread := none
	if c.thread != none {
		thread = tid(c.thread)
	}
	b = appendIndex(b, `,"thread":`, thread)
	b = appendIndex(b, `,"a":`, c.a)
	b = appendIndex(b, `,"b":`, c.b)
	b = appendIndex(b, `,"size":`, c.size)
	if c.other != 0 {
		b = appendIndex(b, `,"other":`, c.other)
	}
	if c.times != 0 {
		b = appendIndex(b, `,"times":`, c.times)
	}
	if from != "" {
		b = strconv.AppendQuote(append(b, `,"from":`...), from)
	}
	if to != "" {
		b = strconv.AppendQuote(append(b, `,"to":`...), to)
	}
	b = strconv.AppendInt(append(b, `,"deltaNs":`...), c.delta, 10)
	t.line = append(b, '}')
	if _, err := t.w.Write(t.line); err != nil && t.err == nil {
		t.err = err
	}
}

func appendIndex(b []byte, key string, i int) []byte {
	b = append(b, key...)
	if i == none {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, int64(i), 10)
}

// finish writes the renames and the totals, and returns all but the edits themselves.
func (t *truthWriter) finish(a, b *side) (*Truth, error) {
	for _, r := range b.renames {
		if n := t.called[r.fn]; n > 0 {
			t.write(&change{kind: Rename, thread: none, a: none, b: none, size: int(n)}, r.from, r.to)
		}
	}
	for _, object := range slices.Sorted(maps.Keys(b.shards)) {
		if n := a.waits.taken[object]; n > 0 {
			p, o := b.shards[object], a.prog.objects
			t.write(&change{kind: Shard, thread: none, a: none, b: none, size: n, times: p.parts},
				o.name(object), p.names(o, object))
		}
	}
	truth := &Truth{Version: 1, Options: t.options, Counts: t.counts}
	truth.Calls.A, truth.Calls.B = a.calls, b.calls
	extra, err := t.extras(truth, a, b)
	if err != nil {
		return nil, err
	}
	counts, err := json.Marshal(t.counts)
	if err != nil {
		return nil, fmt.Errorf("truth: %w", err)
	}
	fmt.Fprintf(t.w, "\n],\n\"counts\": %s,\n\"calls\": {\"a\": %d, \"b\": %d}%s\n}\n",
		counts, a.calls, b.calls, extra)
	if t.err == nil {
		t.err = t.w.Flush()
	}
	if t.err != nil {
		return nil, t.err
	}
	return truth, nil
}

// truthPart is a key of the truth that only some pairs have.
type truthPart struct {
	key   string
	value any
}

// extras fills in the truth about waits and situations, if it is asked for, and returns it as the
// file has it.
func (t *truthWriter) extras(truth *Truth, a, b *side) (text []byte, err error) {
	o := &t.options
	var parts []truthPart
	switch {
	case o.Ranks > 0:
		truth.Ranks = a.prog.mpi.rankTruth(a.slows, b.slows)
		parts = []truthPart{{"ranks", truth.Ranks}}
	case o.perturbed():
		truth.Perturbation = a.prog.mpi.truth(a.period, b.period)
		parts = []truthPart{{"perturbation", truth.Perturbation}}
	case o.Waits != 0 || len(o.Situations) > 0 || o.Edits[Contend]+o.Edits[Shard] != 0:
		truth.Waits = &SidesWaits{a.waits.truth(), b.waits.truth()}
		for _, s := range a.prog.stage.scenes {
			truth.Situations = append(truth.Situations, s.truth(a.prog.objects))
		}
		parts = []truthPart{{"waits", truth.Waits}, {"situations", truth.Situations}}
	}
	for _, part := range parts {
		value, err := json.Marshal(part.value)
		if err != nil {
			return nil, fmt.Errorf("truth: %w", err)
		}
		text = fmt.Appendf(text, ",\n%q: %s", part.key, value)
	}
	return text, nil
}
