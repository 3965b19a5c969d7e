package input

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"diptych/internal/testtrace"
	"diptych/internal/traceio/input/inputtest"
)

// never knows nothing.
func never(*Source) bool { return false }

// TestSalvage cuts a zip archive at every byte: what is found of each member is its beginning, and
// the archive is said to be damaged, unless it is whole.
func TestSalvage(t *testing.T) {
	want := map[string]string{"a": strings.Repeat("first ", 50), "d/b": "second", "c": strings.Repeat("third ", 9)}
	var files []inputtest.File
	for _, name := range []string{"a", "d/b", "c"} {
		files = append(files, inputtest.File{Name: name, Data: []byte(want[name])})
	}
	sizesFirst := func() []byte {
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		for _, f := range files {
			m, err := w.CreateRaw(&zip.FileHeader{Name: f.Name, CompressedSize64: uint64(len(f.Data)),
				UncompressedSize64: uint64(len(f.Data))})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.Write(f.Data); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	path := filepath.Join(t.TempDir(), "a.zip")
	for what, data := range map[string][]byte{"deflated": inputtest.Zip(t, files...), "stored": sizesFirst()} {
		most := 0
		for cut := 4; cut < len(data); cut += testtrace.Sized(3, 1) {
			if err := os.WriteFile(path, data[:cut], 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := Open(context.Background(), path, Options{}, never)
			if err != nil {
				t.Fatalf("%s, cut at %d: %v", what, cut, err)
			}
			if s.Damage == nil {
				t.Errorf("%s, cut at %d: no damage", what, cut)
			}
			whole := 0
			for _, name := range s.members() {
				f, err := s.Dir.Open(name)
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(f)
				if !strings.HasPrefix(want[name], string(got)) || err == nil && string(got) != want[name] {
					t.Fatalf("%s, cut at %d: %s holds %q, %v", what, cut, name, got, err)
				}
				if err == nil {
					whole++
				}
			}
			if most = max(most, whole); whole < most {
				t.Errorf("%s, cut at %d: %d members of %d", what, cut, whole, most)
			}
			s.Close()
		}
		if most != len(want) {
			t.Errorf("%s: %d members are found", what, most)
		}
	}
}

// TestZipIsAFileSystem: what is not damaged has its members with their sizes.
func TestZipIsAFileSystem(t *testing.T) {
	data := inputtest.Zip(t, inputtest.File{Name: "a", Data: []byte("x")},
		inputtest.File{Name: "d/", Data: nil}, inputtest.File{Name: `d\b`, Data: []byte("yy")},
		inputtest.File{Name: "../out", Data: []byte("z")})
	path := filepath.Join(t.TempDir(), "a.zip")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(context.Background(), path, Options{}, never)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if st, err := fs.Stat(s.Dir, "d/b"); err != nil || st.Size() != 2 {
		t.Error(st, err)
	}
	if s.Damage == nil || !strings.Contains(s.Damage.Error(), `the member "../out" lies outside`) {
		t.Error(s.Damage)
	}
	if names, more := s.Files(1); len(names) != 1 || !more || !s.Archive() {
		t.Error(names, more)
	}
}
