package chrome

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// loadText loads text in blocks of the given size.
func loadText(text []byte, size int) (*trace.Trace, error) {
	b := trace.NewBuilder("chrome")
	b.Awaits(func(f *trace.Function) bool { return strings.HasPrefix(f.Name, "wait") })
	src := &input.Source{Path: "test.json", Stream: bytes.NewReader(text)}
	if err := load(context.Background(), src, b, size); err != nil {
		return nil, err
	}
	return b.Build(context.Background())
}

func mustLoad(t testing.TB, text string, size int) *trace.Trace {
	t.Helper()
	tr, err := loadText([]byte(text), size)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}
