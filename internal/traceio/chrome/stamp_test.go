package chrome

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// stampForms are events that can become stamps, and some that only look so.
var stampForms = []string{
	`{"ph":"X","pid":%[1]d,"tid":%[2]d,"ts":%[3]d.%03[1]d,"dur":%[2]d,"name":"call%[2]d","cat":"c"}`,
	`{"args":{"src":"a.cc","n":%[1]d},"cat":"top","dur":%[2]d.5,"name":"f%[1]d","ph":"%[4]c","pid":7,"tdur":3,"tid":%[2]d,"ts":%[3]d}`,
	"{\n  \"ph\": \"%[4]c\", \"name\": \"op%[1]d\", \"pid\": 25, \"tid\": 25,\n  \"ts\": %[3]d,\n  \"args\": {\n    \"Dims\": [[], [%[1]d, -2]],\n    \"t\": \"a  b\"\n  }\n}",
	`{"ph":"E","pid":%[1]d,"tid":1,"ts":%[3]d}`,
	`{"ph":"%[4]c","s":"t","args":{},"pid":1,"tid":%[1]d,"ts":%[3]d,"name":"CommitLoad"}`,
	`{"ph":"X","pid":1,"tid":2,"ts":%[3]d,"dur":1,"name":"Source","args":{"detail":"/a/%[2]d.h:3"}}`,
	`{"ph":"X","ph":"B","pid":1,"tid":%[1]d,"ts":%[3]d,"name":"twice"}`,
	`{"ph":"X","pid":1,"tid":2,"ts":%[3]d,"t\u0073":%[2]d,"name":"escaped"}`,
	`{"ph":"s","pid":1,"tid":%[1]d,"ts":%[3]d,"name":"flow","id":%[2]d}`,
	`{"ph":"M","pid":1,"tid":%[1]d,"name":"thread_name","args":{"name":"t%[2]d"}}`,
	`{"ph":"X","pid":1,"tid":1234567%02[2]d,"ts":%[3]d,"name":"apple"}`,
	`{"ph":"X","pid":1,"tid":2,"ts":98%03[2]d56789012345,"dur":%[2]d,"name":"late"}`,
	`{"ph":"X","pid":1,"tid":2,"ts":2305843009213%03[2]d,"dur":%02[2]d000,"name":"last"}`,
	`{"ph":"X","pid":1,"tid":%[1]d,"ts":0000000%[3]d99,"dur":%[3]d99,"name":"long","args":{"a":{"ph":"B"},"b":%[2]d}}`,
}

// stampText writes n events of a few forms, of which some are spoilt.
func stampText(random *rand.Rand, n int, spoilt float64) []byte {
	var b bytes.Buffer
	b.WriteString("[ ")
	form := stampForms[random.IntN(len(stampForms))]
	for i := range n {
		if random.IntN(40) == 0 {
			form = stampForms[random.IntN(len(stampForms))]
		}
		text := []byte(fmt.Sprintf(form, random.IntN(12), random.IntN(101), 1000+i, "XXXXBEiIbZ"[random.IntN(10)]))
		text, _, _ = bytes.Cut(text, []byte("%!(EXTRA"))
		for random.Float64() < spoilt {
			const signs = "\"\\{}[],: 0123456789.-eXBE\x00é"
			text[random.IntN(len(text))] = signs[random.IntN(len(signs))]
		}
		b.Write(text)
		b.WriteString(",\n")
	}
	b.WriteString(strings.Repeat(" ", 2*mostStamp))
	return b.Bytes()
}

// said is what a batch holds, as text.
func said(t *batch) []string {
	out := []string{fmt.Sprint(t.kept, t.bad, t.badAt, t.used, t.lost, t.ended, t.sound, t.lo, t.hi, t.other)}
	for k, s := range t.tracks {
		for _, r := range t.byTrack.of(k) {
			var name word
			if r.Kind != trace.Leave {
				name = t.dict.names.entries[r.Fn]
			}
			out = append(out, fmt.Sprintf("%d %d-%d %q %q/%q %s", r.Kind, r.At, r.End,
				t.dict.names.text[name.at:name.z], t.text(s.pid), t.text(s.tid), t.said[r.From:r.To]))
		}
	}
	for _, u := range t.uses {
		out = append(out, fmt.Sprintf("use %d %d %d %s %s", u.name, u.base, u.kind, t.text(u.text), t.text(u.cat)))
	}
	for _, m := range t.mentions {
		out = append(out, fmt.Sprintf("mention %d %c %d %d %d-%d %d %s %s %s", m.kind, max(m.phase, ' '), m.track, m.fn,
			m.at, m.end, m.nth, t.text(m.name), t.text(m.cat), t.argument(&m)))
	}
	return out
}

// stampParser returns a parser that has stamps or has none.
func stampParser(stamping bool) *parser {
	p := new(parser)
	p.words()
	p.stamping = stamping
	return p
}

// unlike says in what the batches differ that two parsers make of a block.
func unlike(with, without *parser, block []byte) string {
	a, b := &batch{block: block}, &batch{block: block}
	a.parse(with, false)
	b.parse(without, false)
	return cmp.Diff(said(b), said(a))
}

// checkStamps holds that a short list of events that occurs so often that they become stamps, and then
// once with another letter, is read as without them.
func checkStamps(t *testing.T, text []byte) {
	alone := &batch{block: text}
	if len(text) > 400 {
		return
	}
	if alone.parse(stampParser(false), false); alone.kept == 0 || alone.bad > 0 {
		return // nothing of it can become a stamp; and garbage takes long
	}
	block := bytes.Repeat(append(bytes.Clone(text), ",\n"...), enoughAlike+3)
	block[len(block)-2-len(text)/2] ^= 4
	block = append(block, bytes.Repeat([]byte(" "), 2*mostStamp)...)
	if diff := unlike(stampParser(true), stampParser(false), block); diff != "" {
		t.Fatalf("%s\n%s", text, diff)
	}
}

// TestStamped holds that stamps change nothing: texts of which some events fit a stamp and others
// nearly do, or are spoilt, are read alike with them and without, whatever came before.
func TestStamped(t *testing.T) {
	fitted := 0
	testtrace.CheckUntil(t, func() bool { return fitted > 0 }, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		with, without := stampParser(true), stampParser(false)
		for range 3 {
			text := stampText(random, 240, []float64{0, 0.02, 0.3}[random.IntN(3)])
			if diff := unlike(with, without, text[2:]); diff != "" {
				t.Fatalf("%s\n%s", text, diff)
			}
		}
		fitted += with.stamps.fitted
	})
}

// TestFits holds the search for stamps, the comparison with one and the copy of arguments against
// doing all byte by byte or part by part.
func TestFits(t *testing.T) {
	fits, all := 0, 0
	testtrace.CheckUntil(t, func() bool { return fits > 0 && fits < all }, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		form := stampForms[random.IntN(3)]
		event := func() []byte {
			text := stampText(random, 1, 0)[2:]
			for !bytes.HasPrefix(text, []byte(form[:5])) {
				text = stampText(random, 1, 0)[2:]
			}
			return text
		}
		var scan scanner
		s, text := new(stamp), event()
		end, st := scan.value(text, 0)
		if st != whole || !s.make(&scan, text[:end]) {
			return
		}
		for range 20 {
			other := event()
			if random.IntN(2) == 0 {
				other = bytes.Clone(text)
			}
			if random.IntN(2) == 0 {
				other[random.IntN(end)] = byte(random.IntN(256))
			}
			want := s.plainlyFits(other)
			if got := s.fits(other); got != want {
				t.Fatalf("%s fits %s: %v", other[:end], text[:end], got)
			}
			var kept, plainly [mostStamp + 64]byte
			n, m := s.copyKept(kept[:], other), s.plainlyCopyKept(plainly[:], other)
			if !bytes.Equal(kept[:n], plainly[:m]) {
				t.Fatalf("%s keeps %s, want %s", other[:end], kept[:n], plainly[:m])
			}
			padded := append([]byte("\n,"), other...)
			if got, want := keyOf(padded, 2), plainKey(padded, 2); got != want {
				t.Fatalf("%s has the key %x, want %x", other[:end], got, want)
			}
			all++
			if want {
				fits++
			}
		}
	})
}
