package ctf

import (
	"context"
	"encoding/hex"
	"io/fs"
	"math"
	"path"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// tracer is one trace: its metadata and its streams.
type tracer struct {
	b       *trace.Builder
	meta    *metadata
	name    string // of its directory, as messages name it
	uuid    []byte
	header  *node // of packets
	slots   int32 // of that
	begin   []byte
	left    int // nodes that its types may still become
	streams []*stream
	acts    []*action // of all classes
	kernel  bool
	perf    bool
	pid     int64 // of all threads, −1 if events say that
	why     error // what first was wrong with a stream
}

// openTrace reads the metadata in a directory and opens the streams beside it.
func openTrace(ctx context.Context, src *input.Source, dir string, f *feed) (*tracer, error) {
	t := &tracer{b: f.b, name: path.Join(src.Path, dir)}
	fail := func(reason string, err error) error {
		return &input.FormatError{File: path.Join(t.name, "metadata"), Offset: -1, Reason: reason, Err: err}
	}
	data, err := fs.ReadFile(src.Dir, path.Join(dir, "metadata"))
	if err != nil {
		return nil, fail("cannot read", err)
	}
	text, wrong := unwrap(data)
	if isJSON([]byte(text)) {
		return nil, fail("this is CTF 2, and only CTF 1.8 is read: record with `lttng create "+
			"--trace-format=ctf-1.8`, or convert with babeltrace2's sink.ctf.fs and its parameter ctf-version", nil)
	}
	t.left = 10_000 + len(text)/8
	if t.meta, err = parse(text); err == nil {
		err = wrong
	}
	if err == nil || len(t.meta.events) > 0 {
		if also := t.prepare(); err == nil {
			err = also
		}
	}
	switch {
	case err != nil && (len(t.meta.events) == 0 || t.meta.packet != nil && t.header == nil):
		return nil, fail("cannot be understood", err)
	case err != nil:
		f.b.Diagnose(trace.BadRecord, 1, "%s/metadata: %v; what follows is not known", t.name, err)
	}
	f.b.Tool = t.meta.tool()
	return t, f.openStreams(ctx, t, src.Dir, dir)
}

// prepare works out the header of packets and the layouts of events.
func (t *tracer) prepare() error {
	t.kernel = t.meta.env["domain"] == "kernel"
	t.perf = t.meta.env["tracer_name"] == "perf"
	t.pid = -1
	if n, ok := number(t.meta.env["vpid"]); ok {
		t.pid = int64(n)
	}
	t.uuid = nil
	if id, err := hex.DecodeString(strings.ReplaceAll(t.meta.uuid, "-", "")); err == nil && len(id) == 16 {
		t.uuid = id
	}
	b := &builder{meta: t.meta, scopes: map[string]*node{}, left: &t.left}
	var err error
	t.header, err = b.scope("trace.packet.header.", t.meta.packet)
	t.slots = b.slots
	t.begin = t.beginning()
	t.lay()
	return err
}

// mostStreams is how many streams are read at once: each has its file open.
const mostStreams = 900

// openStreams opens all files beside the metadata that are streams.
func (f *feed) openStreams(ctx context.Context, t *tracer, dir fs.FS, at string) error {
	entries, err := fs.ReadDir(dir, at)
	if err != nil {
		return &input.FormatError{File: t.name, Offset: -1, Reason: "cannot list the files", Err: err}
	}
	sizes := map[string]int64{}
	for _, e := range entries {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !e.Type().IsRegular() || e.Name() == "metadata" || e.Name()[0] == '.' || isSymbols(e.Name()) {
			continue
		}
		name := path.Join(t.name, e.Name())
		if len(t.streams) == mostStreams {
			sizes[e.Name()] = math.MaxInt64
			t.b.Diagnose(trace.NotRead, 1, "%s: one stream too many", name)
			continue
		}
		in, err := dir.Open(path.Join(at, e.Name()))
		if err != nil {
			return &input.FormatError{File: name, Offset: -1, Reason: "cannot open", Err: err}
		}
		f.open = append(f.open, in)
		if st, err := in.Stat(); err == nil {
			f.size += st.Size()
			sizes[e.Name()] = st.Size()
		}
		t.streams = append(t.streams, &stream{t: t, name: name, in: in})
	}
	t.checkIndices(dir, at, sizes)
	return ctx.Err()
}
