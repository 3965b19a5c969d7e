package perfetto_test

import (
	"bytes"
	"errors"
	"testing"

	"diptych/internal/fuzzall/seeds"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/perfetto"
)

// FuzzLoad looks for input that makes the loader panic or hang, or gives calls that lie badly.
func FuzzLoad(f *testing.F) {
	seeds.Add(f)
	for _, c := range append(cases, append(timed, kernel...)...) {
		f.Add(bytes.Join(c.packets, nil))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		perfetto.Sniff(&input.Source{Head: file})
		tr, err := loadBytes(file)
		if err != nil {
			var e *input.FormatError
			if !errors.As(err, &e) {
				t.Fatal(err)
			}
			return
		}
		for _, th := range tr.Threads {
			for i := range th.Len() {
				if th.Start(i) < 0 || th.End(i) < th.Start(i) || th.End(i) > tr.Duration {
					t.Fatalf("call %d of %s lies badly", i, th.ID)
				}
			}
		}
	})
}
