package firefox

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"

	"diptych/internal/trace"
)

// Markers are what Firefox and programs note beside the samples: moments, and stretches of time
// that may overlap freely, such as downloads. Calls that are made of samples have other borders
// than stretches that are measured, so the latter have tracks of their own, on which they nest as
// far as they do; what overlaps goes to a further lane.

// markers is the table of a thread's markers.
type markers struct {
	name, category, phase *column
	time, start, end      *column // ms; time is older
	data                  map[int32]payload
	rows                  int
}

// payload is what is read of a marker's data.
type payload struct {
	start, end float64 // ms, NaN if they are not there
	mark       byte    // 's' for the start of a stretch, 'e' for its end, in older versions
	text       string
	refs       []reference
}

// Phases of markers.
const (
	instant int32 = iota
	interval
	intervalStart
	intervalEnd
)

func (m *markers) read(r *reader) {
	*m = markers{name: whole("name"), category: whole("category"), phase: whole("phase"),
		time: decimal("time"), start: decimal("startTime"), end: decimal("endTime"),
		data: map[int32]payload{}}
	data := &column{name: "data", kind: values, read: func(r *reader, row int) {
		if p, ok := readPayload(r); ok && row < math.MaxInt32 {
			m.data[int32(row)] = p
		}
	}}
	m.rows = readTable(r, m.name, m.category, m.phase, m.time, m.start, m.end, data)
}

// mostText bounds what is kept of a marker's data, in bytes.
const mostText = 512

// readPayload reads the data of a marker: when it was, and its texts and numbers.
func readPayload(r *reader) (p payload, ok bool) {
	p = payload{start: math.NaN(), end: math.NaN()}
	if r.Kind() != '{' {
		return p, false
	}
	var text []byte
	marker := "" // its type, which comes first
	for name := range r.Members() {
		kind := r.Kind()
		switch {
		case name == "type" && kind == '"':
			marker = r.Text()
		case name == "startTime" && kind == '0':
			p.start, _ = r.Float()
		case name == "endTime" && kind == '0':
			p.end, _ = r.Float()
		case name == "interval" && kind == '"':
			if t := r.Text(); t == "start" || t == "end" {
				p.mark = t[0]
			}
		case name == "type" || name == "category" || name == "stack" || name == "cause":
		case len(text) < mostText && kind == '"':
			text = fmt.Appendf(text, " %s=%.*s", name, mostText, r.Text())
		case len(text) < mostText && kind == '0' && r.references[schemaField{marker, name}]:
			text = fmt.Appendf(text, " %s=", name)
			p.refs = append(p.refs, reference{len(text) - 1, r.wholeNumber(r.Int())})
		case len(text) < mostText && kind == '0':
			f, _ := r.Float()
			text = append(fmt.Appendf(text, " %s=", name), strconv.FormatFloat(f, 'f', -1, 64)...)
		}
	}
	if len(text) > 0 {
		p.text = string(text[1:])
	}
	return p, p.text != "" || p.mark != 0 || !math.IsNaN(p.start)
}

// marking makes instants and tracks of the markers of a thread.
type marking struct {
	*maker
	*thread
	on      *trace.ThreadBuilder
	later   float64
	meta    *meta
	process int32
	id      string

	open    map[int32][]stretch // by name: those that were started and not ended
	all     []stretch
	last    int64
	bad     uint64
	unended uint64
}

// stretch is a marker that lasts.
type stretch struct {
	start, end int64
	fn         trace.FuncID
	text       string
}

func (m *marking) write() {
	m.open, m.last = map[int32][]stretch{}, math.MinInt64
	for i := range m.markers.rows {
		m.add(int32(i))
	}
	for _, name := range sortedKeys(m.open) {
		for _, s := range m.open[name] {
			s.end = max(m.last, s.start)
			m.all = append(m.all, s)
			m.unended++
		}
	}
	m.b.Diagnose(trace.UnmatchedBegin, m.unended, "thread %s: markers without an end", m.name)
	m.b.Diagnose(trace.BadRecord, m.bad, "thread %s: markers without a time or a name", m.name)
	m.lay()
}

func sortedKeys(of map[int32][]stretch) (keys []int32) {
	for k := range of {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// add adds one marker.
func (m *marking) add(i int32) {
	t, name := &m.markers, m.markers.name.at(i)
	data, known := t.data[i]
	if !known {
		data.start, data.end = math.NaN(), math.NaN()
	}
	phase, start, end := t.phase.at(i), t.start.time(int(i)), t.end.time(int(i))
	if phase == null {
		phase, start, end = t.older(i, data)
	}
	from, ok := nanoseconds(start + m.later)
	until, ended := nanoseconds(end + m.later)
	if phase == intervalEnd {
		from, ok = until, ended
	}
	if !ok || name == null || phase == interval && !ended {
		m.bad++
		return
	}
	fn := m.b.Function(trace.Function{Name: cmp.Or(requested(m.text(name)), "(unnamed)"), Kind: trace.Region,
		Package: m.meta.category(t.category.at(i))})
	m.last = max(m.last, from)
	switch phase {
	case interval:
		m.last = max(m.last, until)
		m.all = append(m.all, stretch{from, max(from, until), fn, m.complete(data)})
	case intervalStart:
		m.open[name] = append(m.open[name], stretch{from, from, fn, m.complete(data)})
	case intervalEnd:
		open := m.open[name]
		if len(open) == 0 {
			m.b.Diagnose(trace.UnmatchedEnd, 1, "thread %s: the marker %s ends", m.name, m.text(name))
			return
		}
		s := open[len(open)-1]
		m.open[name] = open[:len(open)-1]
		s.end = max(from, s.start)
		m.all = append(m.all, s)
	default:
		m.on.Instant(from, fn)
	}
}

// request is how the markers of network requests begin. The number counts requests: the same one
// may have another in the next run. It is among their data, too, as id.
var request = regexp.MustCompile(`^Load \d+: `)

// requested is the name of a marker, without the number of a request.
func requested(name string) string { return request.ReplaceAllLiteralString(name, "Load ") }

// older returns the phase and the times of a marker of a version that has but one time: what is
// measured has both in its data, and some have a marker for either end.
func (t *markers) older(i int32, data payload) (phase int32, start, end float64) {
	at := t.time.time(int(i))
	switch {
	case data.mark == 's':
		return intervalStart, at, at
	case data.mark == 'e':
		return intervalEnd, at, at
	case data.end >= data.start:
		return interval, data.start, data.end
	}
	return instant, at, at
}

// mostLanes is among how many lanes a place is looked for.
const mostLanes = 200

// lay puts what lasts on the first lane on which it overlaps nothing in part.
func (m *marking) lay() {
	slices.SortStableFunc(m.all, func(x, y stretch) int {
		return cmp.Or(cmp.Compare(x.start, y.start), cmp.Compare(y.end, x.end))
	})
	var lanes []*trace.ThreadBuilder
	var open [][]int64 // by lane: the ends of what is open, outermost first
	for _, s := range m.all {
		k := 0
		for ; k < len(lanes); k++ {
			for n := len(open[k]); n > 0 && open[k][n-1] <= s.start; n-- {
				open[k] = open[k][:n-1]
			}
			if n := len(open[k]); n == 0 || open[k][n-1] >= s.end || k == mostLanes {
				break
			}
		}
		if k == len(lanes) {
			lane := m.b.Thread(m.id+"/markers", m.process)
			lane.SetName(m.name + " markers")
			lane.SetRole(m.name+" markers", false)
			lane.SetKind(trace.AsyncTrack)
			lane.SetSort(m.count)
			lane.SetLane(k)
			lanes, open = append(lanes, lane), append(open, nil)
		}
		open[k] = append(open[k], s.end)
		call := lanes[k].Complete(s.start, s.end, s.fn)
		if s.text != "" {
			lanes[k].Args(call, []byte(s.text))
		}
	}
}
