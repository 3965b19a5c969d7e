package otlp

import (
	"testing"

	"diptych/internal/fuzzall/seeds"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/loadtest"
)

// FuzzLoad looks for input that makes the loader panic or hang, or gives calls that lie badly.
func FuzzLoad(f *testing.F) {
	seeds.Add(f)
	small := []group{{one[0].resource[:1], "", []testSpan{one[0].spans[0], {trace: one[0].spans[0].trace,
		id: "00000000000000a2", parent: "00000000000000a1", start: origin + 10, end: origin + 20}}}}
	f.Add(toJSON(small))
	f.Add(toWire(small, false))
	f.Add(toWire(small, true))
	f.Fuzz(func(t *testing.T, file []byte) {
		Sniff(&input.Source{Head: file})
		tr, err := loadBytes(file)
		loadtest.Sound(t, tr, err)
	})
}
