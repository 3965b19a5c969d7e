package cpuprofile

import (
	"math"

	"diptych/internal/traceio/jsonin"
)

// profile is a document. Times are in µs.
type profile struct {
	nodes   []node
	index   map[int32]int32 // of nodes, by id
	samples []int32         // ids of nodes
	deltas  []float64       // from one sample to the next, the first from start
	times   []float64       // of samples, in older files
	start   float64
	end     float64
	title   string
	nested  bool // it has a head
	depth   int  // of the node at hand
	tooDeep uint64

	calls []call
}

// node is a function as called from one stack.
type node struct {
	name, url string
	line      int32 // from 1
	parent    int32 // index, −1 for none
	hits      int64
}

// call says that a node calls another. Both are given by id or by index, as the text has them; what
// is given by id may follow in the text.
type call struct {
	caller, callee     int32
	callerID, calleeID int32
}

func newProfile() *profile { return &profile{index: map[int32]int32{}} }

// read reads the document.
func (p *profile) read(r *jsonin.Reader) {
	for name := range r.Members() {
		switch name {
		case "nodes":
			for range r.Elements() {
				p.readNode(r, -1)
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
			for id, ok := range r.Ints() {
				p.samples = append(p.samples, nodeID(id, ok))
			}
		case "timeDeltas":
			p.deltas = readTimes(r, len(p.samples))
		case "timestamps":
			p.times = readTimes(r, len(p.samples))
		case "title":
			p.title = r.Text()
		}
	}
	if p.nested { // only there, times of the profile are in seconds
		p.start, p.end = p.start*1e6, p.end*1e6
	}
}

// readTimes reads times of samples. So many samples have been read.
func readTimes(r *jsonin.Reader, samples int) []float64 {
	all := make([]float64, 0, samples)
	for t := range r.Floats() {
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
	for name := range r.Members() {
		switch name {
		case "id":
			if id := nodeID(r.Int()); id != noNode {
				p.index[id] = at
			}
		case "callFrame":
			for name := range r.Members() {
				p.readFrame(r, name, &p.nodes[at])
			}
		case "hitCount":
			p.nodes[at].hits, _ = r.Int()
		case "parent":
			if id := nodeID(r.Int()); id != noNode {
				p.calls = append(p.calls, call{-1, at, id, noNode})
			}
		case "children":
			p.readChildren(r, at)
		default:
			p.readFrame(r, name, &p.nodes[at])
		}
	}
}

func (p *profile) readChildren(r *jsonin.Reader, at int32) {
	for range r.Elements() {
		switch nested := r.Kind() == '{'; {
		case nested && p.depth < mostLevels:
			p.depth++
			p.readNode(r, at)
			p.depth--
		case nested:
			p.tooDeep++
		default:
			p.addCallee(at, nodeID(r.Int()))
		}
	}
}
func (p *profile) addCallee(caller, id int32) {
	if id != noNode {
		p.calls = append(p.calls, call{caller, -1, noNode, id})
	}
}

// readFrame reads a member of a call frame, which older files have in the node itself. Lines count
// from 0 where there is a frame, and from 1 in older files.
func (p *profile) readFrame(r *jsonin.Reader, name string, n *node) {
	switch name {
	case "functionName":
		n.name = r.Text()
	case "url":
		n.url = r.Text()
	case "lineNumber":
		if line, ok := r.Int(); ok && line >= 0 && line < math.MaxInt32 {
			n.line = int32(line)
			if !p.nested {
				n.line++
			}
		}
	}
}

// link enters the callers of the nodes that are given by id, and returns how many are not there.
func (p *profile) link() (lost uint64) {
	for _, c := range p.calls {
		known := true
		if c.callerID != noNode {
			c.caller, known = p.index[c.callerID]
		} else {
			c.callee, known = p.index[c.calleeID]
		}
		if known && c.caller != c.callee {
			p.nodes[c.callee].parent = c.caller
		} else {
			lost++
		}
	}
	p.calls = nil
	return lost
}
