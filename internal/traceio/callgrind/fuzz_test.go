package callgrind

import (
	"fmt"
	"strings"
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

// xdebugHead begins a file of Xdebug, whose functions stand there once a call.
const xdebugHead = "version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.36)\npositions: line\nevents: Time_(10ns) Memory_(bytes)\n"

// xdebug writes calls as Xdebug does: "f 3 2 a b" is a call of f with its own time and bytes, and
// with what it called.
func xdebug(calls ...string) string {
	text := xdebugHead
	for _, c := range calls {
		w := strings.Fields(c)
		text += fmt.Sprintf("\nfl=(1) a.php\nfn=%s\n8 %s %s\n", w[0], w[1], w[2])
		for _, callee := range w[3:] {
			text += fmt.Sprintf("cfl=(1)\ncfn=%s\ncalls=1 0 0\n8 99 9\n", callee)
		}
	}
	return text + "\nsummary: 99 9\n"
}
