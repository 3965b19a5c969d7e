package session

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"diptych/internal/pair"
)

// TestFilesAreWrittenInAnyCase: what is being written is written, though the sides are exchanged and
// the traces closed meanwhile.
func TestFilesAreWrittenInAnyCase(t *testing.T) {
	for name, meanwhile := range map[string]func(*Session){
		"swap": (*Session).Swap, "close": (*Session).Close,
	} {
		s := New(func() {})
		s.Put(pair.A, "a", small(t, 0))
		s.Put(pair.B, "b", small(t, 500))
		s.Settle(context.Background())
		path, begun, goOn := filepath.Join(t.TempDir(), "file"), make(chan bool), make(chan bool)
		s.SaveFile(path, func(w io.Writer) error {
			close(begun)
			<-goOn
			_, err := io.WriteString(w, "all")
			return err
		})
		<-begun
		meanwhile(s)
		close(goOn)
		s.Settle(context.Background())
		if text, err := os.ReadFile(path); err != nil || string(text) != "all" {
			t.Errorf("%s: the file holds %q, %v", name, text, err)
		}
	}
}
