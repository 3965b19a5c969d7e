package cpuprofile

import (
	"math"
	"slices"

	"diptych/internal/traceio/jsonin"
)

// profile is a document. Times are in µs.
type profile struct {
	nodes   []node
	ids     []identity // of nodes, in the order of the text
	frames  frames
	samples []int32   // ids of nodes
	deltas  []float64 // from one sample to the next, the first from start
	before  int       // how many of them chunks before this one have
	times   []float64 // of samples, in older files
	start   float64
	end     float64
	title   string
	nested  bool // it has a head
	depth   int  // of the node at hand
	tooDeep uint64

	calls []call

	afford func(bytes int64) error
	full   error // why no more is read, though there is more
}

// node is a function as called from one stack.
type node struct {
	frame  int32 // index
	parent int32 // index, −1 for none
	hits   int64
}

// identity is a node's id. Of nodes with the same, the last one has it.
type identity struct{ id, node int32 }

// call says that a node, given by its index, calls another or is called by it. That one is given by
// its id, since it may follow in the text.
type call struct {
	node, other int32
	called      bool // by the other
}

func newProfile(afford func(bytes int64) error) *profile {
	return &profile{frames: newFrames(), afford: afford}
}

// checkEvery is how many nodes, samples and calls are read before it is asked what they may take.
const checkEvery = 1 << 10

// stops reports, every so often, whether reading must end: what was read takes too much memory.
func (p *profile) stops(i int) bool {
	if i%checkEvery == 0 && p.full == nil {
		p.full = p.afford(p.held(true))
	}
	return p.full != nil
}

// held returns how many bytes the document takes, and the largest list while it grows.
func (p *profile) held(grows bool) (bytes int64) {
	lists := []int{cap(p.nodes) * 16, len(p.frames.list) * 80, cap(p.ids) * 8, cap(p.calls) * 12,
		cap(p.samples) * 4, cap(p.deltas) * 8, cap(p.times) * 8}
	for _, n := range lists {
		bytes += int64(n)
	}
	if grows {
		bytes += int64(slices.Max(lists)) * 5 / 4
	}
	return bytes + int64(p.frames.text)
}

// read reads the document.
func (p *profile) read(r *jsonin.Reader) {
	for name := range r.Members() {
		if p.full != nil {
			return
		}
		p.readMember(r, name)
	}
	if p.nested { // only there, times of the profile are in seconds
		p.start, p.end = p.start*1e6, p.end*1e6
	}
}

func (p *profile) readMember(r *jsonin.Reader, name string) {
	switch name {
	case "nodes":
		for i := range r.Elements() {
			if p.stops(i) {
				return
			}
			if !p.usualNode(r) {
				p.readNode(r, -1)
			}
		}
	case "head":
		p.nested = r.Kind() == '{'
		if p.nested {
			p.readNode(r, -1)
		}
	case "startTime":
		p.start, _ = r.Float()
	case "endTime":
		p.end, _ = r.Float()
	case "samples":
		p.readSamples(r)
	case "timeDeltas":
		p.deltas = p.readTimes(r, p.deltas[:p.before])
	case "timestamps":
		p.times = p.readTimes(r, p.times[:0])
	case "title":
		p.title = r.Text()
	}
}

// readSamples reads the ids of the samples' nodes. They are added piece by piece, since a list that
// grows is copied, and is several times as large in all as what is in it at last. Only damaged
// files have further lists, which do grow.
func (p *profile) readSamples(r *jsonin.Reader) {
	const piece = 1 << 14
	var full [][]int32
	last, further := p.samples, len(p.samples) > 0
	for id, ok := range r.Ints() {
		if len(last) == cap(last) && len(last) >= piece {
			if further && p.stops(0) {
				break
			}
			if !further {
				full, last = append(full, last), make([]int32, 0, piece)
			}
		}
		last = append(last, nodeID(id, ok))
	}
	p.samples = last
	if full != nil {
		p.samples = slices.Concat(append(full, last)...)
	}
}

// readTimes adds times of samples to a list.
func (p *profile) readTimes(r *jsonin.Reader, all []float64) []float64 {
	for t := range r.Floats() {
		if len(all) == cap(all) {
			if p.stops(0) {
				break
			}
			all = slices.Grow(all, max(1, len(p.samples)-len(all)))
		}
		all = append(all, t)
	}
	return all
}

// noNode is the id of what has none.
const noNode = math.MinInt32

func nodeID(id int64, ok bool) int32 {
	if !ok || id <= math.MinInt32 || id > math.MaxInt32 {
		return noNode
	}
	return int32(id)
}

// mostLevels is how deep nodes may be nested: as deep as V8 lets functions call each other.
const mostLevels = 12_000

// readNode reads a node below another. The older form nests its children.
func (p *profile) readNode(r *jsonin.Reader, parent int32) {
	at := int32(len(p.nodes))
	p.nodes = append(p.nodes, node{parent: parent})
	var f frame
	for name := range r.Members() {
		if p.full != nil {
			return
		}
		switch name {
		case "id":
			if id := nodeID(r.Int()); id != noNode {
				p.ids = append(p.ids, identity{id, at})
			}
		case "callFrame":
			for name := range r.Members() {
				p.readFrame(r, name, &f)
			}
		case "hitCount":
			p.nodes[at].hits, _ = r.Int()
		case "parent":
			p.addCall(at, nodeID(r.Int()), true)
		case "children":
			p.readChildren(r, at)
		default:
			p.readFrame(r, name, &f)
		}
	}
	p.nodes[at].frame = p.frames.find(f)
}

func (p *profile) readChildren(r *jsonin.Reader, at int32) {
	for i := range r.Elements() {
		if p.stops(i + 1) {
			return
		}
		switch nested := r.Kind() == '{'; {
		case nested && p.depth < mostLevels:
			p.depth++
			p.readNode(r, at)
			p.depth--
		case nested:
			p.tooDeep++
		default:
			p.addCall(at, nodeID(r.Int()), false)
		}
	}
}

func (p *profile) addCall(at, other int32, called bool) {
	if len(p.calls) == cap(p.calls) && p.stops(0) {
		return
	}
	if other != noNode {
		p.calls = append(p.calls, call{at, other, called})
	}
}

// readFrame reads a member of a call frame, which older files have in the node itself. Lines count
// from 0 where there is a frame, and from 1 in older files.
func (p *profile) readFrame(r *jsonin.Reader, name string, f *frame) {
	switch name {
	case "functionName":
		f.name = r.Text()
	case "url":
		f.url = r.Text()
	case "lineNumber":
		if line, ok := r.Int(); ok {
			f.setLine(line, p.nested)
		}
	}
}

// link enters the callers of the nodes that are given by id, and returns how many are not there.
func (p *profile) link(byID *lookup) (lost uint64) {
	for _, c := range p.calls {
		caller, callee := c.node, c.node
		known := true
		if c.called {
			caller, known = byID.node(c.other)
		} else {
			callee, known = byID.node(c.other)
		}
		if known && caller != callee {
			p.nodes[callee].parent = caller
		} else {
			lost++
		}
	}
	p.calls = nil
	return lost
}

// lookup finds nodes by id. The ids that V8 gives are dense.
type lookup struct {
	dense    []int32 // index + 1, by id
	index    map[int32]int32
	repeated uint64 // ids that several nodes have, of which the last one counts
}

func (p *profile) lookup() *lookup {
	low, high := int32(0), int32(0)
	for _, n := range p.ids {
		low, high = min(low, n.id), max(high, n.id)
	}
	if low < 0 || int(high) > 4*len(p.nodes)+16 {
		l := &lookup{index: make(map[int32]int32, len(p.ids))}
		for _, n := range p.ids {
			l.index[n.id] = n.node
		}
		l.repeated = uint64(len(p.ids) - len(l.index))
		return l
	}
	l := &lookup{dense: make([]int32, high+1)}
	for _, n := range p.ids {
		if l.dense[n.id] != 0 {
			l.repeated++
		}
		l.dense[n.id] = n.node + 1
	}
	return l
}

func (l *lookup) node(id int32) (n int32, known bool) {
	if l.dense == nil {
		n, known = l.index[id]
		return n, known
	}
	if id < 0 || int(id) >= len(l.dense) {
		return 0, false
	}
	return l.dense[id] - 1, l.dense[id] > 0
}
