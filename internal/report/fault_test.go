package report

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
)

// TestWritersTellWhatFails gives every writer too little room, by one byte and by more: it returns
// the error.
func TestWritersTellWhatFails(t *testing.T) {
	ctx, results := context.Background(), movedAligned(t)
	a, err := NewAlign(ctx, results)
	if err != nil {
		t.Fatal(err)
	}
	d := diffOf(t, results[0].Pair.A, results[0].Pair.B)
	for name, write := range map[string]func(io.Writer) error{
		"perfetto":  func(w io.Writer) error { return WritePerfetto(ctx, w, results, nil) },
		"chrome":    func(w io.Writer) error { return WriteChrome(ctx, w, results, nil) },
		"calls":     func(w io.Writer) error { return WriteCalls(ctx, w, results, nil) },
		"dump":      func(w io.Writer) error { return WriteDump(ctx, w, results) },
		"align":     func(w io.Writer) error { return WriteAlign(ctx, w, a, nil) },
		"walk":      func(w io.Writer) error { return WriteAlign(ctx, w, a, results) },
		"functions": func(w io.Writer) error { return WriteFunctions(w, a.Functions) },
		"pairs":     func(w io.Writer) error { return WritePairs(w, a.Pairs) },
		"text":      func(w io.Writer) error { return d.WriteText(w, 0) },
		"markdown":  func(w io.Writer) error { return d.WriteMarkdown(w, 0) },
		"github":    func(w io.Writer) error { return d.WriteGitHub(w, 0) },
		"junit":     func(w io.Writer) error { return d.WriteJUnit(w, 0, nil) },
	} {
		var whole bytes.Buffer
		if err := write(&whole); err != nil || whole.Len() == 0 {
			t.Fatalf("%s: %d bytes, %v", name, whole.Len(), err)
		}
		for _, left := range []int{0, 1, whole.Len() / 3, whole.Len() - 1} {
			if err := write(&breaking{left}); !errors.Is(err, errFull) {
				t.Errorf("%s with room for %d of %d bytes: %v", name, left, whole.Len(), err)
			}
		}
		if err := write(&breaking{whole.Len()}); err != nil {
			t.Errorf("%s with enough room: %v", name, err)
		}
	}
}
