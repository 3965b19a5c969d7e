package cpuprofile

import (
	"fmt"
	"math"
	"net/url"
	"path"
	"strings"

	"diptych/internal/trace"
)

// frame is what a node is a call of.
type frame struct {
	name, url string
	line      int32 // from 1, 0 for none
}

// setLine sets a line, which counts from 1 in older files, else from 0.
func (f *frame) setLine(line int64, older bool) {
	switch {
	case line < 0 || line >= math.MaxInt32:
	case older:
		f.line = int32(line)
	default:
		f.line = int32(line) + 1
	}
}

// frames are those of a document. A function that is called from several stacks has a node for each
// of them: frames that are written alike, as V8 does, are one.
type frames struct {
	list    []frame
	byText  map[string]int32 // by the members as they are written, see usual.go
	byValue map[frame]int32
	met     int // frames that were there before
	text    int // bytes of the frames' texts, and of those that they are found by
}

func newFrames() frames {
	return frames{byText: map[string]int32{}, byValue: map[frame]int32{}}
}

// add adds a frame and returns its index.
func (f *frames) add(x frame) int32 {
	f.list = append(f.list, x)
	f.text += len(x.name) + len(x.url)
	return int32(len(f.list) - 1)
}

// find returns the index of a frame, which it adds if it is new.
func (f *frames) find(x frame) int32 {
	if i, known := f.byValue[x]; known {
		f.met++
		return i
	}
	i := f.add(x)
	if f.repeat() {
		f.byValue[x] = i
		f.text += frameBytes
	}
	return i
}

// frameBytes is what the map takes for a frame that is looked up.
const frameBytes = 120

// fewFrames are looked up whether or not they repeat.
const fewFrames = 1 << 11

// repeat reports whether enough of the frames were there before that it pays to look for one. If
// not, none is looked for any more: the same one several times costs a little time later.
func (f *frames) repeat() bool {
	if len(f.list) > fewFrames && f.met < len(f.list)/2 {
		f.byText, f.byValue = nil, nil
	}
	return f.byText != nil
}

// special are nodes that are no functions.
type special uint8

const (
	function special = iota
	root
	idle
	collector
)

var specials = map[string]special{"(root)": root, "(idle)": idle, "(garbage collector)": collector}

// special returns what a frame is. V8 samples (program) also while a worker has nothing to do. In a
// trace, the thread's events say what it does then.
func (m *maker) special(f *frame) special {
	switch {
	case f.url != "":
		return function
	case m.line.Aside && f.name == "(program)":
		return idle
	}
	return specials[f.name]
}

// function returns what a frame is a call of. An anonymous function is known by its place alone, so
// it is another one in a version in which it has moved; to have all of a file's for one would mix
// what has nothing in common.
func (m *maker) function(n *frame) trace.Function {
	in, known := m.files[n.url]
	if !known {
		in.path = filePath(n.url)
		in.pack = packageOf(in.path)
		m.files[n.url] = in
	}
	f := trace.Function{Name: n.name, File: in.path, Package: in.pack, Line: n.line}
	switch {
	case f.Name != "":
	case in.path == "":
		f.Name = "(anonymous)"
	default:
		f.Name = fmt.Sprintf("(anonymous %s:%d)", path.Base(in.path), n.line)
	}
	return f
}

// file is a file of source code, and the package that it belongs to.
type file struct{ path, pack string }

// filePath returns the path of a file's URL, and other places of code as they are.
func filePath(place string) string {
	rest, ok := strings.CutPrefix(place, "file://")
	if !ok {
		return place
	}
	if plain, err := url.PathUnescape(rest); err == nil {
		return plain
	}
	return rest
}

// packageOf returns the npm package that a file belongs to, "node" for Node's own, else "".
func packageOf(file string) string {
	const modules = "node_modules/"
	if strings.HasPrefix(file, "node:") {
		return "node"
	}
	i := strings.LastIndex(file, modules)
	if i < 0 {
		return ""
	}
	name, rest, _ := strings.Cut(file[i+len(modules):], "/")
	if strings.HasPrefix(name, "@") {
		inner, _, _ := strings.Cut(rest, "/")
		name += "/" + inner
	}
	return name
}
