package speedscope

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"diptych/internal/testtrace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/jsonin"
)

// members are those of events, mostly as tools write them.
var members = []string{`"type":"O"`, `"type":"C"`, `"frame":3`, `"at":12.5`, `"at":0`, `"type": "O"`, `"at" : 1 `,
	`"type":"Open"`, `"type":""`, `"type":"\u004f"`, `"type":7`, `"type":null`, `"frame":-1`, `"frame":-2`, `"frame":1.5`,
	`"frame":2147483648`, `"frame":null`, `"frame":"3"`, `"at":-3`, `"at":1e3`, `"at":"4"`, `"at":null`,
	`"at":12345678901234567890`, `"at":`, `"at":tru`, `"x":1`, `"x":{}`, `"\u0061t":4`, ``}

func writeEvent(t *rapid.T) string {
	kinds := rapid.SampledFrom([]int{5, 7, len(members)}).Draw(t, "kinds")
	some := rapid.SliceOfN(rapid.SampledFrom(members[:kinds]), 0, 5).Draw(t, "members")
	comma := rapid.SampledFrom([]string{",", ",", ", ", " ,\n"}).Draw(t, "comma")
	return "{" + strings.Join(some, comma) + "}"
}

// readEvents reads a list of events, quickly where that is possible or each the way open to all.
func readEvents(in io.Reader, usual bool) (*file, *profile, *jsonin.Reader, int) {
	r := jsonin.NewReader(in)
	f, p, taken := newFile(context.Background(), &input.Source{Path: "x"}), &profile{}, 0
	for range r.Elements() {
		if usual && f.usualEvent(r, p) {
			taken++
			continue
		}
		f.readEvent(r, p)
	}
	return f, p, r, taken
}

// TestUsualEvents holds events that are taken from the window against the same read member by
// member.
func TestUsualEvents(t *testing.T) {
	all := 0
	testtrace.CheckUntil(t, func() bool { return all > 0 }, func(t *rapid.T) {
		var events []string
		for range rapid.IntRange(1, 5).Draw(t, "events") {
			events = append(events, writeEvent(t))
		}
		text := "[" + strings.Join(events, ",") + "]"
		text = text[:len(text)-max(0, rapid.IntRange(-len(text), len(text)).Draw(t, "cut"))]
		f, p, r, _ := readEvents(strings.NewReader(text), false)
		for _, in := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
			g, q, s, taken := readEvents(in, true)
			all += taken
			n, first := r.Misfits()
			m, second := s.Misfits()
			if !slices.Equal(p.events, q.events) || f.bad != g.bad || n != m || first != second ||
				(r.Err() == nil) != (s.Err() == nil) || r.Offset() != s.Offset() {
				t.Fatalf("%s\n%+v, %d, %d %s, %v\n%+v, %d, %d %s, %v", text, p.events, f.bad, n, first, r.Err(),
					q.events, g.bad, m, second, s.Err())
			}
		}
	})
}
