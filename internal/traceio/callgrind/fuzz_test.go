package callgrind

import (
	"testing"

	"diptych/internal/fuzzall/seeds"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/loadtest"
)

// FuzzLoad looks for input that makes the loader panic or hang, or gives calls that lie badly.
func FuzzLoad(f *testing.F) {
	seeds.Add(f)
	for _, c := range cases {
		f.Add([]byte(c.text))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		Sniff(&input.Source{Head: file})
		tr, err := tryLoad(file, "")
		loadtest.Sound(t, tr, err)
	})
}
