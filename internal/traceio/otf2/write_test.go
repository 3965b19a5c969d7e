package otf2

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/text/texttest"
)

// byteOrders both decodes and encodes.
type byteOrders interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// writer makes archives of one name, "a". Definitions are numbered as they are made.
type writer struct {
	order   byteOrders
	chunk   int // how long chunks of events are
	defs    []byte
	strings map[string]uint64
	n       map[byte]uint64         // definitions by kind
	events  map[uint64]*eventWriter // by location
	local   map[uint64][]byte       // definitions by location
	ends    bool                    // files end with their marks
}

type eventWriter struct {
	w    *writer
	out  []byte
	from int // of the present chunk
	now  uint64
	n    uint64
}

func newWriter(order byteOrders) *writer {
	w := &writer{order: order, chunk: 1 << 20, strings: map[string]uint64{}, n: map[byte]uint64{},
		events: map[uint64]*eventWriter{}, local: map[uint64][]byte{}, ends: true}
	w.str("")
	return w
}

func (w *writer) packed(out []byte, v uint64, most int) []byte {
	if v == math.MaxUint64>>(64-8*most) {
		return append(out, undefinedTag)
	}
	n := 0
	for n < 8 && v>>(8*n) != 0 {
		n++
	}
	out = append(out, byte(n))
	for i := range n {
		at := i
		if w.order == byteOrders(binary.BigEndian) {
			at = n - 1 - i
		}
		out = append(out, byte(v>>(8*at)))
	}
	return out
}

// values encodes values as a layout says, in the letters of eventKinds; T is a text's number.
func (w *writer) values(out []byte, layout string, vs ...uint64) []byte {
	for i, v := range vs {
		switch layout[i] {
		case 'b':
			out = append(out, byte(v))
		case 't':
			out = w.order.AppendUint64(out, v)
		case 'q', 'i':
			out = w.packed(out, v, 8)
		default:
			out = w.packed(out, v, 4)
		}
	}
	return out
}

func framed(order byteOrders, kind byte, body []byte) []byte {
	if len(body) < longLength {
		return append([]byte{kind, byte(len(body))}, body...)
	}
	return append(order.AppendUint64([]byte{kind, longLength}, uint64(len(body))), body...)
}

// def adds a definition that begins with its own number, and returns that.
func (w *writer) def(kind byte, layout string, vs ...uint64) uint64 {
	id := w.n[kind]
	w.n[kind]++
	w.defs = append(w.defs, framed(w.order, kind, w.values(nil, "w"+layout, append([]uint64{id}, vs...)...))...)
	return id
}

func (w *writer) str(s string) uint64 {
	if id, ok := w.strings[s]; ok {
		return id
	}
	id := uint64(len(w.strings))
	w.strings[s] = id
	w.defs = append(w.defs, framed(w.order, defString, append(append(w.packed(nil, id, 4), s...), 0))...)
	return id
}

func (w *writer) clock(perSecond uint64) {
	w.defs = append(w.defs, framed(w.order, defClock, w.values(nil, "qqqq", perSecond, 0, 1e6, math.MaxUint64))...)
}

func (w *writer) region(name string, role, paradigm uint64) uint64 {
	s := w.str(name)
	return w.def(defRegion, "wwbwwwwbbw", s, s, 0, w.str("p.c"), 7, 9, s, role, paradigm, 0)
}

// ranks adds a process with a thread for each name, and the communicators WORLD and SELF.
func (w *writer) ranks(names ...string) {
	w.clock(1e9)
	machine := w.def(defSystemNode, "www", w.str("cluster"), w.str("machine"), undefined)
	var all []uint64
	for i, name := range names {
		host := w.def(defSystemNode, "www", w.str(fmt.Sprint("host ", i/2)), w.str("node"), machine)
		g := w.def(defLocationGroup, "wbww", w.str(name), 1, host, undefined)
		w.thread(uint64(i), "main", g)
		all = append(all, uint64(i))
	}
	w.group(groupOfLocations, all)
	world, self := w.group(groupOfRanks, all), w.group(groupSelf, nil)
	w.def(defComm, "wwww", w.str("WORLD"), world, undefined, 0)
	w.def(defComm, "wwww", w.str("SELF"), self, undefined, 0)
}

func (w *writer) thread(id uint64, name string, group uint64) *eventWriter {
	w.defs = append(w.defs, framed(w.order, defLocation, w.values(nil, "qwbqw", id, w.str(name), 1, 1, group))...)
	e := &eventWriter{w: w}
	w.events[id] = e
	return e
}

func (w *writer) group(kind byte, members []uint64) uint64 {
	layout := "wbw" + strings.Repeat("q", len(members)) + "bbw"
	vs := append([]uint64{0, 0, uint64(len(members))}, members...)
	return w.def(defGroup, layout, append(vs, uint64(kind), paradigmMPI, 0)...)
}

// at writes an event of a location.
func (w *writer) at(location, time uint64, kind byte, vs ...uint64) {
	e := w.events[location]
	body := w.values(nil, eventKinds[kind].layout, vs...)
	if singles[kind] {
		e.put(time, append([]byte{kind}, body...))
		return
	}
	e.put(time, framed(w.order, kind, body))
}

// with writes an event with attributes: definition, type and value of each.
func (w *writer) with(location, time uint64, attrs [][3]uint64, kind byte, vs ...uint64) {
	list := w.packed(nil, uint64(len(attrs)), 4)
	for _, a := range attrs {
		list = append(w.packed(list, a[0], 4), byte(a[1]))
		list = w.packed(list, a[2], 8)
	}
	w.events[location].put(time, framed(w.order, attributeList, list))
	w.at(location, time, kind, vs...)
}

// put adds a record, in a new chunk where there is no room.
func (e *eventWriter) put(time uint64, rec []byte) {
	if len(e.out) == 0 || len(e.out)-e.from+stampSize+len(rec)+2 > e.w.chunk {
		if len(e.out) > 0 {
			e.out = append(e.out, make([]byte, e.from+e.w.chunk-len(e.out))...)
		}
		e.from, e.now = len(e.out), time+1
		e.out = append(e.out, e.w.header(e.n+1)...)
	}
	if time != e.now {
		e.out, e.now = e.w.order.AppendUint64(append(e.out, timestamp), time), time
	}
	e.out, e.n = append(e.out, rec...), e.n+1
}

func (w *writer) header(first uint64) []byte {
	mark := byte(littleEndian)
	if w.order == byteOrders(binary.BigEndian) {
		mark = bigEndian
	}
	return w.order.AppendUint64(w.order.AppendUint64([]byte{chunkHeader, mark}, first), 0)
}

func (w *writer) file(records []byte) *fstest.MapFile {
	out := append(w.header(1), records...)
	return &fstest.MapFile{Data: w.end(out)}
}

func (w *writer) end(out []byte) []byte {
	if w.ends {
		out = append(out, endOfFile, endOfBuffer)
	}
	return out
}

func (w *writer) anchor() []byte {
	out := append(w.header(0)[:2], magic...)
	out = append(out, 3, 2, 3, 0, 2)
	out = w.order.AppendUint64(w.order.AppendUint64(out, uint64(w.chunk)), 4<<20)
	out = append(out, 1, 1)
	out = w.order.AppendUint64(w.order.AppendUint64(out, uint64(len(w.events))), w.count())
	out = append(out, "\x00tester\x00\x00"...)
	out = append(out, make([]byte, 4+8+8)...)
	return append(out, endOfFile, endOfBuffer, endOfChunk)
}

func (w *writer) count() (n uint64) {
	for _, k := range w.n {
		n += k
	}
	return n + uint64(len(w.strings)) + uint64(len(w.events)) + 1
}

// archive returns the files.
func (w *writer) archive() fstest.MapFS {
	dir := fstest.MapFS{"a.otf2": {Data: w.anchor()}, "a.def": w.file(w.defs)}
	for id, e := range w.events {
		name := "a/" + strconv.FormatUint(id, 10)
		dir[name+".def"] = w.file(w.local[id])
		if len(e.out) > 0 {
			dir[name+".evt"] = &fstest.MapFile{Data: w.end(bytes.Clone(e.out))}
		}
	}
	return dir
}

func loadFiles(dir fs.FS) (*trace.Trace, error) {
	b := trace.NewBuilder("otf2")
	src := &input.Source{Path: "d", Dir: dir}
	if err := Load(context.Background(), src, input.Options{}, b); err != nil {
		return nil, err
	}
	return b.Build(context.Background())
}

func mustLoad(t testing.TB, dir fstest.MapFS) *trace.Trace {
	t.Helper()
	tr, err := loadFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// show writes what a trace has of threads, what joins them, and its diagnostics.
func show(tr *trace.Trace) string {
	var out strings.Builder
	for _, th := range tr.Threads {
		for _, b := range th.Blocks {
			fmt.Fprintf(&out, "%s/%d %s", th.ID, b.Call, b.Kind)
			for _, o := range th.ObjectsIn(b.Objects) {
				fmt.Fprintf(&out, " [%s]", tr.Objects[o].Name)
			}
			out.WriteByte('\n')
		}
	}
	return texttest.Show(tr) + out.String()
}
