package otf2

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/fstest"

	"diptych/internal/testtrace"
	"diptych/internal/testtrace/deepeq"
)

// trickling is a directory of whose files one byte is read at a time, so that no event is at hand
// before it is asked for: plain takes none.
type trickling struct{ fs.FS }

func (d trickling) Open(name string) (fs.File, error) {
	f, err := d.FS.Open(name)
	if _, ok := f.(fs.ReadDirFile); ok || err != nil {
		return f, err
	}
	return trickle{f}, nil
}

type trickle struct{ fs.File }

func (f trickle) Read(p []byte) (int, error) { return f.File.Read(p[:min(len(p), 1)]) }

// TestPlainEvents holds the short way through events against the long one, on archives with and
// without damage.
func TestPlainEvents(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	archives := []fstest.MapFS{manyCalls(200)}
	for _, c := range cases {
		archives = append(archives, c.make())
	}
	for i := range testtrace.Sized(600, 100_000) {
		dir := archives[i%len(archives)]
		if i >= len(archives) {
			var names []string
			for name := range dir {
				names = append(names, name)
			}
			slices.Sort(names)
			dir = mutated(r, dir, names)
		}
		got, err := loadFiles(dir)
		want, wantErr := loadFiles(trickling{dir})
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("archive %d: %v, want %v", i, err, wantErr)
		}
		if err == nil && !deepeq.Equal(got, want) {
			t.Fatalf("archive %d:\n%s\nwant\n%s", i, show(got), show(want))
		}
	}
}
