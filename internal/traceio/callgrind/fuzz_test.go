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
	f.Add([]byte(xdebug("get 0 1", "a 10 2 get", "f 1 0", "f 2 0 f", "main 2 4 a f")))
	f.Fuzz(func(t *testing.T, file []byte) {
		Sniff(&input.Source{Head: file})
		tr, err := tryLoad(file, "")
		loadtest.Sound(t, tr, err)
	})
}
