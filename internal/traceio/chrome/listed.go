package chrome

import (
	"cmp"
	"context"
	"slices"

	"diptych/internal/trace"
	"diptych/internal/traceio/jsonin"
	"diptych/internal/traceio/spans"
	"diptych/internal/traceio/stacks"
)

// listed are stack samples beside the events, as React Native's Hermes writes them: a list of
// samples with the id of a frame, and frames by id, each with that of its caller. Either may come
// first.
//
//	"samples":[{"pid":7,"tid":"1","ts":"90","sf":2}],
//	"stackFrames":{"1":{"name":"main"},"2":{"name":"f","parent":1}}
type listed struct {
	numbers map[string]int32 // of frames, by id
	frames  []listedFrame
	threads map[trackKey]*[]listedSample
	order   []trackKey // of threads, by their first samples
}

type listedFrame struct {
	name, category string
	caller         int32 // or −1
	known          bool  // it is stated
	stack          stacks.Node
}

type listedSample struct {
	at    int64
	frame int32 // number
}

// What each takes at most.
const (
	frameBytes  = 200
	sampleBytes = 40
)

// number returns the number of a frame.
func (l *listed) number(b *trace.Builder, id string) int32 {
	if n, ok := l.numbers[id]; ok {
		return n
	}
	b.Holds(int64(len(id) + frameBytes))
	n := int32(len(l.frames))
	l.numbers[id] = n
	l.frames = append(l.frames, listedFrame{caller: -1, stack: unplaced})
	return n
}

// Stacks that were not looked for, and are being looked for.
const unplaced, placing stacks.Node = -1, -2

func (f *feed) listedSamples(r *jsonin.Reader, offset int64) {
	l := &f.listed
	for range r.Elements() {
		k, id, at, timed := trackKey{}, "", instant{}, false
		for name := range r.Members() {
			switch name {
			case "pid":
				k.pid = r.TextOrWord()
			case "tid":
				k.tid = r.TextOrWord()
			case "ts":
				at, timed = micros([]byte(r.TextOrWord()))
			case "sf":
				id = r.TextOrWord()
			}
		}
		switch {
		case f.b.Refused() != nil:
			return
		case id == "":
			f.b.Diagnose(trace.NotRead, 1, "at offset %d: samples without stacks", offset)
			continue
		case !timed:
			f.b.Diagnose(trace.BadRecord, 1, "at offset %d: a sample without a time", offset)
			continue
		}
		k.pid = cmp.Or(k.pid, unknownProcess)
		k.tid = cmp.Or(k.tid, k.pid)
		of := l.threads[k]
		if of == nil {
			of = new([]listedSample)
			l.threads[k], l.order = of, append(l.order, k)
		}
		f.b.Holds(sampleBytes)
		*of = append(*of, listedSample{at.rounded(), l.number(f.b, id)})
	}
}

func (f *feed) listedFrames(r *jsonin.Reader) {
	l := &f.listed
	for id := range r.Members() {
		if f.b.Refused() != nil {
			return
		}
		x := listedFrame{caller: -1, known: true, stack: unplaced}
		n := l.number(f.b, id)
		for name := range r.Members() {
			switch name {
			case "name":
				x.name = r.Text()
			case "category":
				x.category = r.Text()
			case "parent":
				if id := r.TextOrWord(); id != "" {
					x.caller = l.number(f.b, id)
				}
			}
		}
		f.b.Holds(int64(len(x.name) + len(x.category)))
		l.frames[n] = x
	}
}

// addListed makes calls of the samples, on a thread beside each that was sampled.
func (f *feed) addListed(ctx context.Context) error {
	line, l := stacks.NewTimeline(f.b), &f.listed
	for _, k := range l.order {
		t := line.Thread(f.beside(k, "samples"))
		for _, s := range *l.threads[k] {
			t.Sample(s.at, f.place(line, s.frame))
		}
		*l.threads[k] = nil
	}
	return line.Write(ctx)
}

// place returns the stack of a frame.
func (f *feed) place(line *stacks.Timeline, frame int32) stacks.Node {
	all := f.listed.frames
	var path []int32
	for n := frame; n >= 0 && all[n].stack == unplaced; n = all[n].caller {
		all[n].stack = placing
		path = append(path, n)
	}
	for _, n := range slices.Backward(path) {
		x, up := &all[n], stacks.Root
		if x.caller >= 0 {
			up = all[x.caller].stack
		}
		if up == placing {
			f.b.Diagnose(trace.BadRecord, 1, "a stack frame that calls itself: %s", x.name)
			up = stacks.Root
		}
		if x.stack = up; x.known {
			x.stack = line.Child(up, f.b.Function(spans.Function(x.name, x.category, trace.Routine)))
		} else {
			f.b.Diagnose(trace.BadRecord, 1, "a stack frame that is not there")
		}
	}
	return all[frame].stack
}
