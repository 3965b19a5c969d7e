package chrome

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"diptych/internal/fuzzall/seeds"
	"diptych/internal/testtrace/deepeq"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/loadtest"
	"diptych/internal/traceio/text/texttest"
)

// FuzzLoad looks for input that makes the loader panic or hang, gives calls that lie badly, or gives
// different traces with stamps and without or, if nothing of it is damaged, for different blocks.
func FuzzLoad(f *testing.F) {
	seeds.Add(f)
	for _, c := range loads {
		f.Add([]byte(c.text), uint16(20))
	}
	for _, c := range profileCases {
		f.Add([]byte("["+strings.Join(c.events, ",")+"]"), uint16(60))
	}
	for _, c := range listedCases {
		f.Add([]byte(c.text), uint16(60))
	}
	for _, form := range forms {
		f.Add(sample(form, 5), uint16(100))
	}
	f.Fuzz(func(t *testing.T, text []byte, size uint16) {
		Sniff(&input.Source{Head: text})
		checkStamps(t, text)
		tr, err := loadText(text, int(size)+1)
		loadtest.Sound(t, tr, err)
		if err != nil || has(tr, trace.BadRecord) || has(tr, trace.Truncated) {
			return // where reading goes on after damage depends on how much of it a block shows
		}
		whole, err := loadText(text, len(text)+1)
		if err != nil || !deepeq.Equal(tr, whole) {
			t.Fatalf("blocks of %d: %v\n%s", size+1, err, cmp.Diff(texttest.Show(whole), texttest.Show(tr)))
		}
	})
}
