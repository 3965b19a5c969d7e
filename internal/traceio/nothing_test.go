package traceio_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"diptych/internal/traceio/input"
)

// TestNothingRead has recordings whose beginning is sound and of which nothing can be shown: each
// is an error that names the file and the most frequent reason, and no empty trace.
func TestNothingRead(t *testing.T) {
	inTestdata(t)
	noise := unrolled(t, gunzipped(t, read(t, "otf2/kinds.data.tar.gz")))
	var gone []member
	for i, m := range noise {
		if strings.HasSuffix(m.name, ".evt") {
			noise[i].data = bytes.Repeat([]byte("noise"), 4)
		} else {
			gone = append(gone, m)
		}
	}
	const paje = "%EventDef PajePushState 12\n% Time date\n% Type string\n% Container string\n" +
		"% Value string\n%EndEventDef\n12 0.000017 state rank-0 MPI_Send\n12 0.000018 state rank-0 MPI_Send\n"
	const header = "version: 1\ncreator: x\nevents: Ir\n\n"
	const firefox = `{"meta":{"preprocessedProfileVersion":40,"interval":1,"processType":0},"threads":[` +
		`{"name":"A","pid":1,"tid":1,"samples":{"length":2,"stack":[99,98],"time":[1,2]},` +
		`"stackTable":{"length":0,"frame":[],"prefix":[]},"frameTable":{"length":0},"stringArray":[]}]}`
	const cut = `{"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[{"type":"evented",` +
		`"unit":"none","startValue":0,"endValue":9,"events":[{"type":"O","frame":0,"at":0},{"type":"C","frame":0`
	for what, c := range map[string]struct{ path, want string }{
		"speedscope, cut": {put(t, "a.json", []byte(cut)), "; 1× truncated: the text ends at offset 197"},
		"otf2, noise":     {put(t, "a.tar", rolled(t, "", noise)), "bad-record: "},
		"otf2, gone":      {put(t, "a.tar", rolled(t, "", gone)), ".evt is missing"},
		"paje":            {put(t, "a.trace", []byte(paje)), "2× bad-record: line 7: its container is not there"},
		"callgrind":       {put(t, "a.out", []byte(header)), "1× truncated: at offset 34: no costs follow"},
		"firefox":         {put(t, "a.json", []byte(firefox)), "2× bad-record: thread A: "},
	} {
		tr, err := load(c.path)
		var f *input.FormatError
		if tr != nil || !errors.As(err, &f) || !strings.HasPrefix(err.Error(), c.path) ||
			!strings.Contains(err.Error(), ": nothing of the recording could be read: ") ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: a trace %v, error %v", what, tr != nil, err)
		}
	}
}

// TestOnlyNuls: a trace of which nothing but NUL bytes is left is none because of them.
func TestOnlyNuls(t *testing.T) {
	at := put(t, "a.json", append([]byte(`{"traceEvents":[`), make([]byte, 1<<20)...))
	want := at + ":1048592: no trace events: 1× bad-record: at offset 16: a NUL byte"
	if _, err := load(at); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestEmptyRecording has recordings that say themselves that there is nothing, or how long it lasts
// and nothing that is read: they are traces.
func TestEmptyRecording(t *testing.T) {
	const links = "%EventDef PajeCreateContainer 6\n% Time date\n% Alias string\n% Type string\n% Container string\n" +
		"% Name string\n%EndEventDef\n%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n" +
		"%EndEventDef\n%EventDef PajeDefineLinkType 4\n% Alias string\n% Type string\n% StartContainerType string\n" +
		"% EndContainerType string\n% Name string\n%EndEventDef\n%EventDef PajeStartLink 16\n% Time date\n" +
		"% Container string\n% Type string\n% StartContainer string\n% Value string\n% Key string\n%EndEventDef\n" +
		"%EventDef PajeEndLink 19\n% Time date\n% Container string\n% Type string\n% EndContainer string\n" +
		"% Value string\n% Key string\n%EndEventDef\n0 P 0 P\n4 L 0 P P L\n6 0 p1 P 0 p1\n6 0 p2 P 0 p2\n" +
		"16 0.5 0 L p1 c k\n19 2 0 L p2 c k\n"
	if tr, err := load(put(t, "a.trace", []byte(links))); err != nil || tr.Duration != 2e9 || len(tr.Diagnostics) == 0 {
		t.Errorf("links alone: %+v, %v", tr, err)
	}
	for _, text := range []string{"[]", `{"traceEvents":[]}`, `{"traceEvents":null,"displayTimeUnit":"ns"}`} {
		if tr, err := load(put(t, "a.json", []byte(text))); err != nil || tr.Calls() != 0 {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestTooLong: of threads with an event at 0 and one at the time of day, as many are a trace as last
// 292 years in all.
func TestTooLong(t *testing.T) {
	for threads, fits := range map[int]bool{5: true, 6: false, 40: false} {
		var events []string
		for id := range threads {
			for _, ts := range []string{"0", "1700000000000000"} {
				events = append(events, fmt.Sprintf(`{"ph":"X","pid":1,"tid":%d,"ts":%s,"dur":1,"name":"f"}`, id, ts))
			}
		}
		path := put(t, "far.json", []byte("["+strings.Join(events, ",")+"]"))
		_, err := load(path)
		if fits != (err == nil) || err != nil && !strings.Contains(err.Error(), "far.json: its "+fmt.Sprint(threads)+" threads last ") {
			t.Errorf("%d threads: %v", threads, err)
		}
	}
}
