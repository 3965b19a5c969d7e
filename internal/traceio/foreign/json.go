package foreign

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// shape is a kind of JSON that some of its members show. A name with a dot is that of a member of a
// member; in a list, those of its first object count.
type shape struct {
	what, do string
	list     bool
	members  []string
}

// shapes are the kinds of JSON that are not read.
var shapes = []shape{
	{"a heap snapshot of V8", no, false, []string{"snapshot.meta"}},
	{"a sampling heap profile of V8", "record time with `node --cpu-prof`, and open that", false,
		[]string{"head.callFrame"}},
	{"a profile of Valgrind's DHAT", no, false, []string{"dhatFileVersion"}},
	{"spans of Zipkin", "export them as OTLP or Jaeger JSON, and open that", true, []string{"traceId", "localEndpoint"}},
	{"spans of Zipkin", "export them as OTLP or Jaeger JSON, and open that", true, []string{"traceId", "id", "timestamp", "name"}},
	{"samples of perf as JSON", "print them with `perf script -F +pid`, and open that", false,
		[]string{"linux-perf-json-version"}},
	{"traces of AWS X-Ray", "", false, []string{"Traces"}},
	{"a log of Chrome's network (NetLog)", no, false, []string{"constants.logEventTypes"}},
	{"a log of requests (HAR)", no, false, []string{"log.entries"}},
	{"a profile of React", "", false, []string{"dataForRoots"}},
	{"a report of Lighthouse", "open the trace that Lighthouse saves beside it", false, []string{"lighthouseVersion"}},
	{"a timeline of Safari's inspector", "", false, []string{"recording", "overview"}},
	{"a timeline of Safari's inspector", "", false, []string{"recording.records"}},
	{"a profile of pyinstrument", "render it with `pyinstrument -r speedscope`, and open that", false, []string{"root_frame"}},
	{"a profile of Scalene", "", false, []string{"elapsed_time_sec", "files"}},
	{"a profile of XHProf", "", false, []string{"main().ct"}},
	{"a profile of V8 as node --prof-process writes it", "record with `node --cpu-prof`, and open that", false,
		[]string{"code", "functions", "ticks"}},
	{"a saved comparison of Diptych", "open it alone, as diptych FILE, under a name that ends in .diptych", false, []string{"format", "traces", "panes"}},
	{"what diptych diff printed", no, false, []string{"account", "findings"}},
	{"a table of benchmarks (Google Benchmark)", no, false, []string{"context", "benchmarks"}},
}

// describeJSON says what JSON holds, or returns "" for what does not begin like JSON. A beginning
// that is cut is judged by what is there.
func describeJSON(h head) string {
	start := bytes.TrimLeft(h, " \t\r\n")
	if len(start) == 0 || start[0] != '{' && start[0] != '[' {
		return ""
	}
	o, err := outlineOf(start, len(h) >= input.HeadSize)
	if err != nil && len(o.members) == 0 {
		return ""
	}
	for _, s := range shapes {
		if s.fits(o) {
			k := kind{what: s.what, do: s.do}
			return k.sentence()
		}
	}
	what := o.text()
	if err != nil {
		return what + " that is damaged" + reason(err)
	}
	return what + ", of no shape that is read here"
}

// reason returns where and how JSON is broken, in plain words and one line.
func reason(err error) string {
	where := ""
	if broken := new(jsontext.SyntacticError); errors.As(err, &broken) && broken.Err != nil {
		where, err = fmt.Sprintf(" at offset %d", broken.ByteOffset), broken.Err
	}
	text, _, _ := strings.Cut(trace.PlainError(err), "\n")
	text = strings.TrimPrefix(text, "jsontext: ")
	if text == "exceeded max depth" {
		text = "values are nested too deep"
	}
	return where + ": " + text
}

func (s *shape) fits(o outline) bool {
	for _, m := range s.members {
		if !slices.Contains(o.members, m) && !slices.Contains(o.inner, m) {
			return false
		}
	}
	return o.list == s.list
}

// outline is the members of JSON's outermost object, or of the first object of its list.
type outline struct {
	list    bool
	empty   bool
	members []string
	inner   []string // members of members that are objects, with a dot between
	more    bool     // there are members that are not named
}

const mostMembers = 64

// outlineOf reads as much as there is. Of JSON that is cut, the end is no error.
func outlineOf(h []byte, cut bool) (o outline, err error) {
	d := jsontext.NewDecoder(bytes.NewReader(h), jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true))
	defer func() {
		if cut && errors.Is(err, io.ErrUnexpectedEOF) {
			err, o.more = nil, true
		}
	}()
	if d.PeekKind() == '[' {
		o.list = true
		if _, err := d.ReadToken(); err != nil {
			return o, err
		}
		switch d.PeekKind() {
		case '{':
		case ']':
			o.empty = true
			return o, nil
		default:
			_, err := d.ReadToken()
			return o, err
		}
	}
	return o, o.object(d, "")
}

// object reads the members of an object, and one level below it.
func (o *outline) object(d *jsontext.Decoder, of string) error {
	if _, err := d.ReadToken(); err != nil { // the brace
		return err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		if of != "" {
			o.inner = append(o.inner, of+"."+name.String())
		} else if len(o.members) < mostMembers {
			o.members = append(o.members, name.String())
		} else {
			o.more = true
		}
		member := name.String()
		if of == "" && d.PeekKind() == '{' && len(o.inner) < mostMembers {
			err = o.object(d, member)
		} else {
			err = d.SkipValue()
		}
		if err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// mostNamed is how many members are named.
const mostNamed = 6

func (o *outline) text() string {
	what := "a JSON object"
	if o.list {
		what = "a JSON list of objects"
	}
	switch {
	case o.empty:
		return "an empty JSON list"
	case len(o.members) == 0 && o.list:
		return "a JSON list without objects"
	case len(o.members) == 0:
		return "a JSON object without members"
	}
	var names []string
	for _, m := range o.members[:min(len(o.members), mostNamed)] {
		names = append(names, fmt.Sprintf("%q", quoted(m)))
	}
	text := what + " with " + strings.Join(names, ", ")
	if len(o.members) > mostNamed || o.more {
		text += " …"
	}
	return text
}
