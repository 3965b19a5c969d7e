package firefox

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"diptych/internal/trace"
)

// document reads profiles.
type document struct {
	b *trace.Builder
}

// profile is what a document, or the part of it that a process is, says.
type profile struct {
	meta     meta
	libs     []library
	shared   tables
	own      []*thread
	paused   []float64  // when recording paused, ms
	below    []*profile // of processes that this one has started
	devtools bool       // DevTools has cut it: times of samples begin anew, those of markers do not
	counters uint64
}

// meta says what was recorded and how. Times are in ms.
type meta struct {
	product, misc, imported, unit string
	version                       int64
	start, interval               float64
	features                      []string // that the profiler was told to record
	categories                    []string
	processType                   string
}

// library is a binary in memory.
type library struct {
	name, path         string
	debugName          string
	start, end, offset uint64
}

// mostProcesses is how deep profiles of processes may be nested in others. Gecko nests them once.
const mostProcesses = 8

// read reads a profile, or what DevTools saves with one inside.
func (d *document) read(ctx context.Context, r *reader, depth int) *profile {
	p := &profile{}
	for name := range r.Members() {
		if ctx.Err() != nil {
			return p
		}
		switch name {
		case "meta":
			p.meta.read(r)
		case "libs":
			p.libs = d.readLibraries(r, p.libs)
		case "threads":
			d.readThreads(ctx, r, p, depth)
		case "processes":
			for range r.Elements() {
				d.readProcess(ctx, r, p, depth)
			}
		case "profile":
			if depth == 0 && r.Kind() == '{' {
				p = d.read(ctx, r, 1)
				p.devtools = true
			}
		case "shared":
			for name := range r.Members() {
				p.shared.readMember(r, name)
			}
		case "pausedRanges":
			p.paused = readPaused(r)
		case "counters":
			for range r.Elements() {
				p.counters++
			}
		}
	}
	return p
}

func (d *document) readProcess(ctx context.Context, r *reader, p *profile, depth int) {
	if depth >= mostProcesses {
		d.b.Diagnose(trace.BadRecord, 1, "processes are nested more than %d deep", mostProcesses)
		return
	}
	p.below = append(p.below, d.read(ctx, r, depth+1))
}

// readThreads reads threads. Older versions of Gecko have the profile of a process as a text among
// them.
func (d *document) readThreads(ctx context.Context, r *reader, p *profile, depth int) {
	for range r.Elements() {
		switch r.Kind() {
		case '"':
			text := r.Text()
			if r.Err() != nil {
				continue // the text ends in it, which is told of the whole
			}
			inner := newReader(strings.NewReader(text))
			d.readProcess(ctx, inner, p, depth)
			d.misfits(inner)
			if err := inner.Err(); err != nil {
				d.b.Diagnose(trace.Truncated, 1, "a process: %v", err)
			}
		default:
			p.own = append(p.own, readThread(r))
		}
	}
}

func (d *document) misfits(r *reader) {
	if n, first := r.Misfits(); n > 0 {
		d.b.Diagnose(trace.BadRecord, n, "%s", first)
	}
	d.b.Diagnose(trace.BadRecord, r.early, "rows of a table before its schema")
	if r.Err() == nil { // else the text ends in one of them
		d.b.Diagnose(trace.BadRecord, r.missing, "entries of columns that are shorter than others")
	}
}

// threads returns how many there are, those of processes included.
func (p *profile) threads() int {
	n := len(p.own)
	for _, q := range p.below {
		n += q.threads()
	}
	return n
}

// tool says what wrote the profile.
func (p *profile) tool() string {
	m := &p.meta
	text := m.product
	if m.imported != "" {
		text = strings.TrimSpace(text + " (" + m.imported + ")")
	}
	if m.misc != "" {
		text = strings.TrimSpace(text + " " + m.misc)
	}
	switch {
	case text != "":
	case m.version > 0:
		text = fmt.Sprintf("Gecko profile, version %d", m.version)
	default:
		text = "Firefox Profiler format"
	}
	return text
}

func (m *meta) read(r *reader) {
	for name := range r.Members() {
		switch name {
		case "product":
			m.product = r.Text()
		case "misc":
			m.misc = r.Text()
		case "version":
			m.version, _ = r.Int()
		case "importedFrom":
			m.imported = r.Text()
		case "startTime":
			m.start, _ = r.Float()
		case "interval":
			m.interval, _ = r.Float()
		case "configuration":
			m.readConfiguration(r)
		case "markerSchema":
			r.readSchemas()
		case "processType":
			m.processType = processTypes[r.wholeNumber(r.Int())]
		case "sampleUnits":
			for name := range r.Members() {
				if name == "time" {
					m.unit = r.Text()
				}
			}
		case "categories":
			for range r.Elements() {
				category := ""
				for name := range r.Members() {
					if name == "name" {
						category = r.Text()
					}
				}
				m.categories = append(m.categories, category)
			}
		}
	}
}

func (m *meta) readConfiguration(r *reader) {
	for name := range r.Members() {
		if name != "features" {
			continue
		}
		for range r.Elements() {
			m.features = append(m.features, r.Text())
		}
	}
}

// options returns how often the profiler was told to take samples, and what it was told to record
// besides; nil if the file does not say, or was made from one of another tool.
func (m *meta) options() []string {
	if m.imported != "" {
		return nil
	}
	all := slices.Clone(m.features)
	if m.interval > 0 {
		all = append(all, fmt.Sprintf("a sample each %g ms", m.interval))
	}
	return all
}

// processTypes are Gecko's numbers of process types, as threads name them.
var processTypes = map[int32]string{0: "default", 1: "plugin", 2: "tab", 5: "gpu"}

func (m *meta) category(n int32) string {
	if n < 0 || int(n) >= len(m.categories) {
		return ""
	}
	return m.categories[n]
}

// readLibraries reads a list of libraries, which the oldest versions have as a text.
func (d *document) readLibraries(r *reader, to []library) []library {
	if r.Kind() == '"' {
		inner := newReader(strings.NewReader(r.Text()))
		if inner.Kind() == '[' {
			to = d.readLibraries(inner, to)
		}
		return to
	}
	for range r.Elements() {
		var l library
		for name := range r.Members() {
			switch name {
			case "name":
				l.name = r.Text()
			case "path":
				l.path = r.Text()
			case "debugName":
				l.debugName = r.Text()
			case "start":
				l.start = address(r)
			case "end":
				l.end = address(r)
			case "offset":
				l.offset = address(r)
			}
		}
		to = append(to, l)
	}
	return to
}

// address reads an address, which is 0 if it is no number.
func address(r *reader) uint64 {
	n, _ := r.Int()
	return uint64(max(n, 0))
}

// readPaused reads when recording paused, in ms. What began before all samples has no start.
func readPaused(r *reader) (starts []float64) {
	for range r.Elements() {
		for name := range r.Members() {
			if name == "startTime" {
				if f, ok := r.Float(); ok {
					starts = append(starts, f)
				}
			}
		}
	}
	slices.Sort(starts)
	return starts
}

// textOrNumber reads an id, which may be written as either.
func textOrNumber(r *reader) string {
	switch r.Kind() {
	case '"':
		return r.Text()
	case '0':
		if n, ok := r.Int(); ok {
			return strconv.FormatInt(n, 10)
		}
	default:
		r.Skip()
	}
	return ""
}
