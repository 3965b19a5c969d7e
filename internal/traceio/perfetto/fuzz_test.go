package perfetto_test

import (
	"bytes"
	"testing"

	"diptych/internal/fuzzall/seeds"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/loadtest"
	"diptych/internal/traceio/perfetto"
)

// FuzzLoad looks for input that makes the loader panic or hang, or gives calls that lie badly.
func FuzzLoad(f *testing.F) {
	seeds.Add(f)
	for _, c := range append(cases, append(timed, kernel...)...) {
		f.Add(bytes.Join(c.packets, nil))
	}
	for _, c := range sampledCases {
		f.Add(bytes.Join(c.packets, nil))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		perfetto.Sniff(&input.Source{Head: file})
		tr, err := loadBytes(file)
		loadtest.Sound(t, tr, err)
	})
}
