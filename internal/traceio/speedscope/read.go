package speedscope

import (
	"cmp"
	"context"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/jsonin"
	"diptych/internal/traceio/stacks"
)

// file is what a file holds. Stacks are of numbers of frames in place of functions.
type file struct {
	tree     *stacks.Tree
	frames   []trace.Function
	profiles []*profile
	active   int64
	tool     string
	bad      uint64 // numbers of frames that cannot be

	ctx  context.Context
	src  *input.Source
	full error // why no more is read, though there is more
}

// profile is one profile. Which columns it has says what kind it is of.
type profile struct {
	name, unit string
	start, end float64
	ended      bool          // it says where it ends
	samples    []stacks.Node // sampled: the stacks
	weights    []float64
	events     []event // evented
}

type event struct {
	at    float64
	frame trace.FuncID
	open  bool
}

// noFrame stands for the number of a frame that cannot be.
const noFrame trace.FuncID = 1<<32 - 1

func newFile(ctx context.Context, src *input.Source) *file {
	return &file{tree: stacks.NewTree(), ctx: ctx, src: src}
}

// checkEvery is how many samples or events are read before the context is asked again.
const checkEvery = 1 << 10

// stops reports, every so often, whether reading must end: the load was cancelled, or what was read
// takes too much memory for the text it is from.
func (f *file) stops(i int) bool {
	if i%checkEvery == 0 && f.full == nil {
		f.full = cmp.Or(f.ctx.Err(),
			stacks.Afford(f.src, len(f.frames), f.tree.Len(), len(f.profiles)))
	}
	return f.full != nil
}

// read reads as much of the file as there is.
func (f *file) read(r *jsonin.Reader) {
	for name := range r.Members() {
		switch name {
		case "shared":
			for name := range r.Members() {
				if name == "frames" {
					f.readFrames(r)
				}
			}
		case "profiles":
			for i := range r.Elements() {
				if f.stops(i) {
					return
				}
				p := &profile{}
				f.profiles = append(f.profiles, p)
				f.readProfile(r, p)
			}
		case "activeProfileIndex":
			f.active, _ = r.Int()
		case "exporter":
			f.tool = r.Text()
		}
	}
}

func (f *file) readFrames(r *jsonin.Reader) {
	for i := range r.Elements() {
		if f.stops(i) {
			return
		}
		var fn trace.Function
		for name := range r.Members() {
			switch name {
			case "name":
				fn.Name = r.Text()
			case "file":
				fn.File = r.Text()
			case "line":
				if n, ok := r.Int(); ok && n > 0 && n < 1<<31 {
					fn.Line = int32(n)
				}
			}
		}
		f.frames = append(f.frames, fn)
	}
}

func (f *file) readProfile(r *jsonin.Reader, p *profile) {
	for name := range r.Members() {
		switch name {
		case "name":
			p.name = r.Text()
		case "unit":
			p.unit = r.Text()
		case "startValue":
			p.start, _ = r.Float()
		case "endValue":
			p.end, p.ended = r.Float()
		case "samples":
			f.readSamples(r, p)
		case "weights":
			for range r.Elements() {
				w, _ := r.Float()
				p.weights = append(p.weights, w)
			}
		case "events":
			for i := range r.Elements() {
				if f.stops(i) {
					return
				}
				if !f.usualEvent(r, p) {
					f.readEvent(r, p)
				}
			}
		}
	}
}

// readSamples reads stacks of frame numbers, outermost first. Consecutive ones mostly begin alike:
// that part is compared with the stack before, which is cheaper than to look it up.
func (f *file) readSamples(r *jsonin.Reader, p *profile) {
	var before []stacks.Node // the stacks that the one before begins with, from one frame on
	for i := range r.Elements() {
		if f.stops(i) {
			return
		}
		n, depth := stacks.Root, 0
		for number, ok := range r.Ints() {
			frame := f.frame(number, ok)
			if depth == len(before) || f.tree.Function(before[depth]) != frame {
				before = append(before[:depth], f.tree.Child(n, frame))
			}
			n = before[depth]
			depth++
		}
		before = before[:depth]
		p.samples = append(p.samples, n)
	}
}

// usualEvent reads an event if it stands in the window as all tools write it, in any order:
//
//	{"type":"O","frame":3,"at":12.5}
func (f *file) usualEvent(r *jsonin.Reader, p *profile) bool {
	c := jsonin.Cursor{B: r.Window()}
	e, kind, timed := event{frame: noFrame}, byte(0), false
	for ok := c.Is('{'); ok; {
		switch string(c.Name()) {
		case "type":
			var raw []byte
			if raw, ok = c.Text(); len(raw) != 1 || raw[0] != 'O' && raw[0] != 'C' {
				return false
			}
			kind = raw[0]
		case "frame":
			var n int64
			if n, ok = c.Whole(); n < 0 {
				return false
			}
			e.frame = trace.FuncID(n)
		case "at":
			e.at, ok = c.Decimal()
			timed = ok
		default:
			return false
		}
		if ok && !c.Is(',') {
			break
		}
	}
	if kind == 0 || !timed || e.frame == noFrame || !c.Is('}') {
		return false
	}
	e.open = kind == 'O'
	p.events = append(p.events, e)
	r.Take(c.I)
	return true
}

func (f *file) readEvent(r *jsonin.Reader, p *profile) {
	e, kind := event{frame: noFrame}, ""
	sound := false
	counted, _ := r.Misfits()
	for name := range r.Members() {
		switch name {
		case "type":
			kind = r.Text()
		case "at":
			e.at, sound = r.Float()
		case "frame":
			if n, ok := r.Int(); ok && n >= 0 && n < 1<<31 {
				e.frame = trace.FuncID(n)
			}
		}
	}
	e.open = strings.HasPrefix(kind, "O")
	switch now, _ := r.Misfits(); {
	case sound && e.frame != noFrame && (e.open || kind == "C"):
		p.events = append(p.events, e)
	case now == counted && r.Err() == nil:
		f.bad++
	}
}

// frame returns a frame's number, or noFrame, which is counted.
func (f *file) frame(number int64, ok bool) trace.FuncID {
	if !ok || number < 0 || number >= 1<<31 {
		f.bad++
		return noFrame
	}
	return trace.FuncID(number)
}
