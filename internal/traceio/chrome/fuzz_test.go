package chrome

import (
	"errors"
	"testing"

	"diptych/internal/fuzzall/seeds"
	"diptych/internal/traceio/input"
)

// FuzzLoad looks for input that makes the loader panic, hang, or give different traces for
// different blocks, or with stamps and without.
func FuzzLoad(f *testing.F) {
	seeds.Add(f)
	for _, c := range loads {
		f.Add([]byte(c.text), uint16(20))
	}
	for _, form := range forms {
		f.Add(sample(form, 5), uint16(100))
	}
	f.Fuzz(func(t *testing.T, text []byte, size uint16) {
		Sniff(&input.Source{Head: text})
		checkStamps(t, text)
		tr, err := loadText(text, int(size)+1)
		if err != nil {
			var e *input.FormatError
			if !errors.As(err, &e) {
				t.Fatal(err)
			}
			return
		}
		for _, th := range tr.Threads {
			for i := range th.Len() {
				if th.End(i) < th.Start(i) {
					t.Fatalf("call %d of %s ends before it starts", i, th.ID)
				}
			}
		}
	})
}
