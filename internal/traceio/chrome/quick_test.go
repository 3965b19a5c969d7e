package chrome

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"diptych/internal/testtrace"
)

// plainly leaves out of an event what only the fast way notes.
func plainly(e event) event {
	e.at, e.length, e.atKnown, e.lengthKnown = instant{}, instant{}, false, false
	e.pidWord, e.tidWord, e.letter = 0, 0, 0
	e.copied, e.out = false, span{}
	return e
}

// usualText draws an event as recorders write them, sometimes with a defect.
func usualText(t *rapid.T) string {
	text := rapid.SampledFrom([]string{
		`{"ph":"X","pid":%[1]s,"tid":%[2]s,"ts":%[3]s,"dur":%[2]s,"name":"n%[1]s"}`,
		`{"args":{"a":"%[1]s","b":%[2]s},"cat":"c","dur":%[3]s,"name":"n","ph":"X","pid":%[1]s,"tdur":3,"tid":%[2]s,"ts":%[3]s,"tts":%[1]s}`,
		`{"ph": "B", "ts": %[3]s, "args": {"l": [[], {"k": %[1]s}]}, "name": "q\"%[1]s", "pid": "%[2]s", "tid": %[1]s}`,
		"{\n  \"ts\": %[3]s,\n  \"ph\": \"i\",\n  \"s\": \"t\",\n  \"cname\": \"red\",\n  \"args\": {}\n}",
		`{"ph":"e","id":%[2]s,"id":"0x%[1]s","ts":%[3]s,"ts":%[2]s}`,
	}).Draw(t, "form")
	number := rapid.StringMatching(`-?[0-9]{1,17}(\.[0-9]{0,11})?|[0-9]{1,9}[eE]2|"[0-9]{1,12}"|null|1x`)
	text = fmt.Sprintf(text, number.Draw(t, "1"), number.Draw(t, "2"), number.Draw(t, "3"))
	if rapid.IntRange(0, 9).Draw(t, "spoilt?") == 0 {
		k := rapid.IntRange(0, len(text)-1).Draw(t, "at")
		text = text[:k] + rapid.SampledFrom([]string{"", " ", `"`, "}", "x", `\`}).Draw(t, "by") + text[k+1:]
	}
	return text
}

// TestQuick holds the fast way through events against the other: what it takes, it takes for the
// same, whatever events came before.
func TestQuick(t *testing.T) {
	taken := 0
	testtrace.CheckUntil(t, func() bool { return taken > 0 }, func(t *rapid.T) {
		var p parser
		for range rapid.IntRange(1, 9).Draw(t, "events") {
			text := usualText(t)
			if rapid.Bool().Draw(t, "unusual") {
				text = strings.TrimSpace(eventText(t))
			}
			rest := ",\n" + strings.Repeat(" ", rapid.IntRange(0, 60).Draw(t, "rest"))
			b := &batch{block: []byte(text + rest)}
			var want event
			end, st := p.scanner.event(b.block, 0, &want)
			for range 2 { // the second time the shape of a sound event may be known
				to, ok := p.quick(b, 0, &p.event)
				if !ok {
					p.parse(b, 0, &p.event)
					continue
				}
				taken++
				got := p.event
				if st != whole || to != end || cmp.Diff(want, plainly(got), cmp.AllowUnexported(event{}, more{}, span{}, instant{})) != "" {
					t.Fatalf("%s: %+v to %d, want %+v to %d, %v", text, got, to, want, end, st)
				}
				checkKnown(t, b, &got)
			}
		}
	})
}

// TestManyShapes: where each event has a shape of its own, no more than a bounded number is learned,
// and what comes often afterwards is learned in the end.
func TestManyShapes(t *testing.T) {
	var p parser
	read := func(text string) (quick bool) {
		b := &batch{block: []byte(text + strings.Repeat(" ", margin))}
		if _, quick = p.quick(b, 0, &p.event); !quick {
			p.parse(b, 0, &p.event)
		}
		return quick
	}
	for i := range 20 * mostNodes {
		read(fmt.Sprintf(`{"ph":"X","ts":1,"u%d":1,"v":2,"args":{"k%d":1}}`, i, i))
		if p.events.nodes > mostNodes || p.args.nodes > mostNodes {
			t.Fatalf("%d, %d nodes", p.events.nodes, p.args.nodes)
		}
	}
	for i := 0; !read(`{"ph":"X","ts":7,"name":"f","args":{"other":1}}`); i++ {
		if i > 2*enoughMissed {
			t.Fatal("what comes often is not learned")
		}
	}
}

// checkKnown holds what the fast way has read of an event's values.
func checkKnown(t *rapid.T, batch *batch, e *event) {
	b := batch.block
	if args := squeeze(nil, b[e.args.from:e.args.to]); e.copied {
		if got := string(batch.args[e.out.from:e.out.to]); got != strings.TrimPrefix(string(args), "{}") {
			t.Fatalf("arguments %s are copied as %s", args, got)
		}
	}
	if e.letter != 0 && string(e.letter) != string(b[e.ph.from:e.ph.to]) {
		t.Fatalf("%s has the phase %c", b, e.letter)
	}
	for _, c := range []struct {
		known bool
		at    instant
		text  span
	}{{e.atKnown, e.at, e.ts}, {e.lengthKnown, e.length, e.dur}} {
		if want, ok := micros(b[c.text.from:c.text.to]); c.known && (!ok || c.at != want) {
			t.Fatalf("%s: %v, want %v %v", b[c.text.from:c.text.to], c.at, want, ok)
		}
	}
	for word, text := range map[uint64]span{e.pidWord: e.pid, e.tidWord: e.tid} {
		var letters []byte
		for w := word; w != 0; w >>= 8 {
			letters = append(letters, byte(w))
		}
		if word != 0 && string(letters) != string(b[text.from:text.to]) {
			t.Fatalf("%s as a word is %s", b[text.from:text.to], letters)
		}
	}
}
