package paje

import (
	"testing"

	"diptych/internal/fuzzall/seeds"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/loadtest"
)

// FuzzLoad looks for input that makes the loader panic or hang, or gives calls that lie badly.
func FuzzLoad(f *testing.F) {
	seeds.Add(f)
	f.Add(types + "31 1 S p1 A 7\n31 2 S p1 r 8\n32 3 S p1\n33 4 S p1\n60 4 E p1 x\n40 4 V p1 2\n")
	f.Add("%EventDef PajeDefineStateType 1\n% Name string\n%EndEventDef\n1 x\n")
	f.Fuzz(func(t *testing.T, text string) {
		Sniff(&input.Source{Head: []byte(text)})
		sound(t, text)
	})
}

// sound loads a text, and fails unless that ends in an error of the loader's or in a sound trace.
func sound(t *testing.T, text string) {
	t.Helper()
	tr, err := loadText(text)
	loadtest.Sound(t, tr, err)
}
