package chrome

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
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

// TestTruncated cuts a trace after every byte: all events before the cut are kept, and a cut inside
// an event is told.
func TestTruncated(t *testing.T) {
	for _, form := range forms {
		text := sample(form, 7)
		at := ends(text)
		for n := range len(text) {
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
		for range testtrace.Sized(500, 2000) {
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
