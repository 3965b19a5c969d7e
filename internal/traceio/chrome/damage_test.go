package chrome

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// sample is a small trace of complete records in one of the forms.
func sample(form string, n int) []byte {
	b := list(n, func(b *bytes.Buffer, i int) {
		fmt.Fprintf(b, `{"ph":"X","name":"f%d \"q\" {","cat":"c,d","ts":%d.5,"dur":3,`+
			`"pid":1,"tid":"%d","args":{"l":[{"k":"%d, ["},[{}]],"s":"},{\"ph\":\"X\""}}`,
			i%7, 10*i, i%3, i)
	})
	switch form {
	case "array":
		b = bytes.TrimPrefix(b, []byte(`{"traceEvents":`))
		b = b[:bytes.LastIndexByte(b, ']')+1]
	case "indented":
		b = []byte(strings.NewReplacer(",", ",\n  ", ":", " : ").Replace(string(b)))
	}
	return b
}

var forms = []string{"object", "array", "indented"}

// ends returns where each event of the sample ends.
func ends(text []byte) (at []int) {
	var s scanner
	for i := bytes.IndexByte(text, '[') + 1; ; {
		for text[i] <= ' ' || text[i] == ',' {
			i++
		}
		if text[i] != '{' {
			return at
		}
		i, _ = s.value(text, i)
		at = append(at, i)
	}
}

// TestTruncated cuts a trace after every byte, or in the usual run after every ninth and all around
// the ends of events: all events before the cut are kept, and a cut inside an event is told.
func TestTruncated(t *testing.T) {
	for _, form := range forms {
		text := sample(form, 7)
		at := ends(text)
		for n := range len(text) {
			around := func(end int) bool { return end-2 <= n && n <= end+2 }
			if n%testtrace.Sized(9, 1) != 0 && !slices.ContainsFunc(at, around) {
				continue
			}
			whole := 0
			for whole < len(at) && at[whole] <= n {
				whole++
			}
			for _, size := range []int{blockSize, 50} {
				tr, err := loadText(text[:n], size)
				var f *input.FormatError
				switch {
				case err != nil && (whole > 0 || !errors.As(err, &f)):
					t.Fatalf("%s cut at %d: %v", form, n, err)
				case err != nil:
				case tr.Calls() != whole:
					t.Fatalf("%s cut at %d, blocks of %d: %d calls, want %d",
						form, n, size, tr.Calls(), whole)
				case form != "array" && !has(tr, trace.Truncated):
					t.Fatalf("%s cut at %d: not told", form, n)
				}
			}
		}
	}
}

func has(tr *trace.Trace, c trace.Code) bool {
	for _, d := range tr.Diagnostics {
		if d.Code == c {
			return true
		}
	}
	return false
}

// TestCorrupted changes single bytes: that never costs more than two records, whatever the byte,
// and a loss is told.
func TestCorrupted(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, form := range forms {
		text := sample(form, 40)
		for range testtrace.Sized(150, 2000) {
			damaged := bytes.Clone(text)
			at, to := r.IntN(len(text)), `"\{}[]:,0x `[r.IntN(11)]
			damaged[at] = to
			tr, err := loadText(damaged, 400+r.IntN(2)*blockSize)
			if err != nil {
				t.Fatalf("%s, %q at %d: %v", form, to, at, err)
			}
			lost := 40 - tr.Calls()
			if lost > 2 || lost > 0 && !has(tr, trace.BadRecord) && !has(tr, trace.Truncated) {
				t.Fatalf("%s, %q for %q at %d: %d records lost: %.80s",
					form, to, text[at], at, lost, damaged[max(0, at-40):])
			}
		}
	}
}

// TestHopeless feeds text that is made to be slow to recover from.
func TestHopeless(t *testing.T) {
	for name, text := range map[string]string{
		"deep":          "[" + strings.Repeat(`{"a":[`, 60_000),
		"deep lists":    "[" + strings.Repeat(`[`, 300_000),
		"open strings":  "[" + strings.Repeat(`{"a`, 100_000),
		"many cuts":     "[" + strings.Repeat(`{"ph":"X","ts":0,"a":[1,`, 15_000),
		"one long text": `[{"ph":"X","ts":0,"name":"` + strings.Repeat("x", 2_000_000),
		"garbage":       `[` + strings.Repeat(`x`, 1_000_000),
		"long header":   `{"otherData":["` + strings.Repeat("x", 1_000_000) + `"],"traceEvents":[`,
	} {
		if _, err := loadText([]byte(text), 1<<16); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestTextAroundTheTrace: what stands around a trace and does not belong there is told, and costs
// no event.
func TestTextAroundTheTrace(t *testing.T) {
	const event = `{"ph":"X","name":"f","ts":0,"dur":1}`
	for text, want := range map[string]string{
		`{"traceEvents":[` + event + `]}` + "\n ":                         "",
		`[` + event + `]` + "\n ":                                         "",
		`{"traceEvents":[` + event + `]} {"traceEvents":[` + event + `]}`: "at offset 55: text after the end of the trace is not read",
		`[` + event + `]}`:                                                "at offset 38: text after the end of the trace is not read",
		"\x00\x00{\x00\"traceEvents\":[" + event + "]}":                   "at offset 0: a NUL byte",
		`{"traceEvents":[` + event + "]}\x00\x00\x00":                     "at offset 54: a NUL byte",
		"[{\"ph\":\"X\",\"name\":\"f\",\"ts\":0,\"d\x00\x00\":1}]":        "at offset 31: a NUL byte",
	} {
		for _, size := range []int{1, 20, blockSize} {
			tr, err := loadText([]byte(text), size)
			if err != nil || tr.Calls() != 1 {
				t.Fatalf("%q, blocks of %d: %v", text, size, err)
			}
			got := ""
			for _, d := range tr.Diagnostics {
				got += d.Example
			}
			if got != want {
				t.Errorf("%q, blocks of %d: told %q, want %q", text, size, got, want)
			}
		}
	}
}

// TestStretchOfNuls: a stretch of NUL bytes, as a file has that was grown, is told of once and costs
// no event around it.
func TestStretchOfNuls(t *testing.T) {
	const event, nuls = `{"ph":"X","name":"f","ts":0,"dur":1}`, 3*blockSize + 5
	stretch := strings.Repeat("\x00", nuls)
	for _, text := range []string{"[" + event + "," + stretch + event + "]",
		"[" + event + "," + event[:9] + stretch + event[9:] + "]", "[" + event + "," + event + "]" + stretch} {
		for _, size := range []int{blankSize - 1, blankSize, blockSize} {
			tr, err := loadText([]byte(text), size)
			if err != nil || tr.Calls() != 2 || len(tr.Diagnostics) != 1 || tr.Diagnostics[0].Count != 1 ||
				!strings.Contains(tr.Diagnostics[0].Example, "a NUL byte") {
				t.Errorf("%.60q, blocks of %d: %v", text, size, err)
			}
		}
	}
}

// TestSniffBeyondTheHead: what a full head does not decide, the loader does.
func TestSniffBeyondTheHead(t *testing.T) {
	long := strings.Repeat("x", input.HeadSize)
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"blanks":              {strings.Repeat(" \n", input.HeadSize), true},
		"an empty disk":       {strings.Repeat("\x00", input.HeadSize), false},
		"blanks in an object": {"{" + strings.Repeat(" ", input.HeadSize), true},
		"blanks in a list":    {"[" + strings.Repeat(" ", input.HeadSize), true},
		"a long text":         {`{"notes":"` + long, true},
		"a long object":       {`{"notes":{"a":"` + long, true},
		"a long list":         {`{"notes":["` + long, true},
		"a long name":         {`{"` + long, true},
		"after a number":      {`{"a":1,"notes":"` + long, true},
		"a list of objects":   {`{"nodes":[{"a":"` + long, false},
		"a broken object":     {`{"a":}` + long, false},
		"something else":      {long, false},
		"few blanks":          {"  ", false},
		"a short text":        {`{"notes":"x`, false},
	} {
		head := c.text[:min(len(c.text), input.HeadSize)]
		if got := Sniff(&input.Source{Head: []byte(head)}); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	text := `{"notes":"` + long + `","traceEvents":[{"ph":"X","name":"f","ts":0,"dur":1}]}`
	if tr, err := loadText([]byte(text), blockSize); err != nil || tr.Calls() != 1 || len(tr.Diagnostics) > 0 {
		t.Errorf("a trace behind a long text: %v", err)
	}
}

// TestFarTimes: the farthest times that are kept may be at both ends of a trace, and what lies
// beyond them is a bad record.
func TestFarTimes(t *testing.T) {
	const most = trace.Limit/1000 - 1 // µs
	tr, err := loadText(fmt.Appendf(nil, `[{"ph":"X","name":"early","ts":-%d,"dur":1},`+
		`{"ph":"X","name":"late","ts":%[1]d,"dur":0},{"ph":"X","name":"beyond","ts":%d,"dur":0},`+
		`{"ph":"X","name":"negative","ts":-4e15,"dur":0},{"ph":"X","name":"long","ts":%[1]d,"dur":2},`+
		`{"ph":"X","name":"written short","ts":4e15,"dur":0}]`, int64(most), int64(most+1)), blockSize)
	if err != nil {
		t.Fatal(err)
	}
	if tr.Calls() != 2 || tr.Duration != 2*most*1000 {
		t.Errorf("%d calls over %d ns, want 2 over %d", tr.Calls(), tr.Duration, int64(2*most*1000))
	}
	if len(tr.Diagnostics) != 1 || tr.Diagnostics[0].Code != trace.BadRecord ||
		tr.Diagnostics[0].Count != 4 {
		t.Errorf("diagnostics %v, want four bad records", tr.Diagnostics)
	}
}

// TestNestedTooDeep has one event whose arguments are nested deeper than any that is read: it is
// counted, and the others stay, wherever it stands in the file.
func TestNestedTooDeep(t *testing.T) {
	deep := strings.Repeat("[", input.HeadSize) + strings.Repeat("]", input.HeadSize)
	bad := `{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":5,"args":{"x":` + deep + `}}`
	good := `{"ph":"X","name":"b","pid":1,"tid":1,"ts":9,"dur":5}`
	for _, text := range []string{"[" + bad + "," + good + "]", "[" + good + "," + bad + "," + good + "]",
		`{"traceEvents":[` + bad + "," + good + "]}"} {
		if !Sniff(&input.Source{Head: []byte(text[:input.HeadSize])}) {
			t.Errorf("%.40s is not recognised", text)
		}
		tr := mustLoad(t, text, blockSize)
		if n := strings.Count(text, good); tr.Calls() != n || len(tr.Diagnostics) != 1 ||
			tr.Diagnostics[0].Code != trace.BadRecord || tr.Diagnostics[0].Count != 1 {
			t.Errorf("%.40s: %d calls, %v", text, tr.Calls(), tr.Diagnostics)
		}
	}
}

// TestWhyAnEventIsNone: the first bad record is told with what is wrong with it.
func TestWhyAnEventIsNone(t *testing.T) {
	const sound = `{"ph":"X","name":"f","ts":0,"dur":1}`
	for bad, want := range map[string]string{
		`5`:                           "no object where a trace event belongs",
		`{"name":"g","ts":1}`:         "a trace event without a phase",
		`{"ph":"?","ts":1}`:           `a trace event of an unknown phase, "?"`,
		`{"ph":"B"}`:                  "a trace event without a time",
		`{"ph":"B","ts":"now"}`:       "a trace event whose time is no number",
		`{"ph":"B","ts":NaN}`:         "a trace event whose time is no number",
		`{"ph":"B","ts":1e400}`:       "a trace event more than 73 years from time 0",
		`{"ph":"B","ts":-4e18}`:       "a trace event more than 73 years from time 0",
		`{"ph":"X","ts":1,"dur":"x"}`: "a trace event whose duration is no number",
		`{"ph":"X","ts":1,"dur":""}`:  "a trace event whose duration is no number",
		`{"ph":"X","ts":1,"dur":{}}`:  "a trace event whose duration is no number",
		`{"ph":"X","ts":1,"dur":[2]}`: "a trace event whose duration is no number",
		`{"ph":"B","ts":{"s":1}}`:     "a trace event whose time is no number",
		`{"ph":"B","ts":1 2}`:         "a trace event that is no JSON after",
		`{"ph":"B","ts":1,"args":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}`: "nested more than 512 deep",
	} {
		tr := mustLoad(t, "["+sound+","+bad+","+sound+"]", blockSize)
		if len(tr.Diagnostics) == 0 || !strings.Contains(tr.Diagnostics[0].Example, want) {
			t.Errorf("%.40s: %v, want %s", bad, tr.Diagnostics, want)
		}
	}
}
