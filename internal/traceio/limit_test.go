package traceio_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"diptych/internal/spill"
	"diptych/internal/testtrace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

const oneEvent = `[{"name":"a","ph":"X","ts":1,"dur":1,"pid":1,"tid":1},`

// bomb returns a beginning and n bytes of zeros.
func bomb(beginning string, n int) []byte {
	return append([]byte(beginning), make([]byte, n)...)
}

// familyWith returns an archive of a small recording and further members.
func familyWith(t *testing.T, more ...member) []byte {
	t.Helper()
	return rolled(t, "", append(unrolled(t, gunzipped(t, read(t, family))), more...))
}

// TestLimits loads small files that would take far more memory, disk or time than the limit: each
// ends in one line that says which limit, and how to raise it.
func TestLimits(t *testing.T) {
	inTestdata(t)
	t.Setenv("TMPDIR", t.TempDir())
	dir := func(name string, data []byte) string {
		d := t.TempDir()
		for _, m := range append(unrolled(t, gunzipped(t, read(t, family))), member{name, data}) {
			if err := os.WriteFile(filepath.Join(d, m.name), m.data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return d
	}
	var crowd []member
	for i := range 1100 {
		crowd = append(crowd, member{name: strings.Repeat("f", 1+i%90) + string(rune('0'+i/90)), data: nil})
	}
	// All read less than what the heap is measured after, which other tests fill.
	for what, c := range map[string]struct {
		path   string
		memory input.Memory
		want   string
	}{
		"the window of a stream": {put(t, "a.zst", zstdded(bomb(oneEvent, 6<<20))), 16 << 20,
			"a.zst: it takes more than 4MiB to unpack it"},
		"a compressed stream": {put(t, "bomb.json.gz", gzipped(bomb(oneEvent, 6<<20))), 16 << 20,
			"bomb.json.gz: it unpacks to more than 4MiB, the limit with --memory=16MiB; " +
				"--memory=32MiB raises it"},
		"a profile that is held whole": {put(t, "p.zst", zstdded(protowire.AppendBytes(
			append(profileHead(t), 0x32), make([]byte, 1<<20)))), 16 << 20,
			"p.zst: it has more than 256KiB"},
		"a profile of empty samples": {put(t, "p.zst", zstdded(append(profileHead(t),
			bytes.Repeat([]byte{0x12, 0}, 70_000)...))), 16 << 20,
			"p.zst: it takes more than 16MiB to be decoded"},
		"a profile that repeats a long text": {put(t, "p.zst", zstdded(labelled(t, 512, 4,
			strings.Repeat("long", 1<<14)))), 16 << 20,
			"p.zst: it takes more than 16MiB to be decoded"},
		"a profile of a location of many calls": {put(t, "p.zst", zstdded(inlined(t))), 32 << 20,
			"p.zst: it takes more than 32MiB to be decoded"},
		"a line of an archive's member": {put(t, "a.tar", familyWith(t, member{"task.txt",
			make([]byte, 1<<20)})), 16 << 20, "a.tar/task.txt: a line is longer than 16KiB"},
		"a line": {dir("family.sym", make([]byte, 1<<17)), 16 << 20,
			"/family.sym: a line is longer than 16KiB"},
		"the files of a directory": {dir("more", nil), 4 << 10, ": it holds more than 4 files"},
		"the members of an archive": {put(t, "a.tar", familyWith(t, crowd...)), 1 << 20,
			"a.tar: it holds more than 1024 files"},
		"an unknown archive": {put(t, "a.tar.zst", zstdded(rolled(t, "", []member{
			{"huge", make([]byte, 3<<20)}}))), 16 << 20,
			"a.tar.zst: this archive shows no recording in its first 64KiB"},
		"an archive that is a recording": {put(t, "a.tar.gz", gzipped(familyWith(t,
			member{"1.dat", make([]byte, 6<<20)}))), 16 << 20,
			"a.tar.gz: it unpacks to more than 4MiB"},
	} {
		o := input.Options{Memory: c.memory}
		_, err := traceio.Load(context.Background(), c.path, o)
		if err == nil || !errors.Is(err, input.ErrLimit) || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), "raises it") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", what, err)
		}
		if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) > 0 {
			t.Fatalf("%s: left %v", what, left)
		}
	}
}

// profileHead is a sound profile to which a test adds.
func profileHead(t *testing.T) []byte {
	return gunzipped(t, read(t, "pprof/pipeline-mutex.heap.pprof"))
}

// filler is a member that is of no use, and too large for the memory of an unknown archive.
var filler = member{"unused", bytes.Repeat([]byte("0123456789abcdef"), 1<<16)}

// TestLargeArchives loads archives that are too large for memory in every place and order: the
// result is the same, and no file is left or even visible meanwhile.
func TestLargeArchives(t *testing.T) {
	inTestdata(t)
	t.Setenv("TMPDIR", t.TempDir())
	whole, err := load(family)
	if err != nil {
		t.Fatal(err)
	}
	want := asText(t, whole)
	all := unrolled(t, gunzipped(t, read(t, family)))
	late := slices.Clone(all)
	slices.Reverse(late)
	for what, data := range map[string][]byte{
		"in place":             rolled(t, "", append(all, filler)),
		"packed, filler last":  gzipped(rolled(t, "", append(all, filler))),
		"packed, filler first": gzipped(rolled(t, "", append([]member{filler}, all...))),
		"packed, reversed":     gzipped(rolled(t, "./a/", append(late, filler))),
	} {
		o := input.Options{Memory: 16 << 20, Progress: func(done, total int64) {
			if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) > 0 || done > total {
				t.Fatalf("%s: %v, %d of %d", what, left, done, total)
			}
		}}
		tr, err := traceio.Load(context.Background(), put(t, "a", data), o)
		if err != nil {
			t.Errorf("%s: %v", what, err)
		} else if got := asText(t, tr); got != want {
			t.Errorf("%s: %s", what, firstDifference(got, want))
		}
	}
}

// TestNoPlaceToUnroll has no temporary directory. A small archive needs none.
func TestNoPlaceToUnroll(t *testing.T) {
	inTestdata(t)
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	if _, err := load(family); err != nil {
		t.Error(err)
	}
	large := put(t, "a.tar.gz", gzipped(familyWith(t, filler)))
	_, err := traceio.Load(context.Background(), large, input.Options{Memory: 16 << 20})
	if err == nil || err.Error() != large+": cannot unroll: no such file or directory" {
		t.Errorf("error %v", err)
	}
}

// TestNoPlaceForColumns: if a trace has no room in memory, and none in a file because of $TMPDIR,
// the error says so: more --memory is not the only way.
func TestNoPlaceForColumns(t *testing.T) {
	if !spill.Supported {
		t.Skip("files cannot be mapped here")
	}
	var b bytes.Buffer
	b.WriteByte('[')
	for i := range 400_000 { // more than what the heap is measured after
		fmt.Fprintf(&b, `{"ph":"X","name":"f","ts":%d,"dur":1,"pid":1,"tid":1},`+"\n", 2*i)
	}
	b.WriteString("{}]")
	path := put(t, "long.json", b.Bytes())
	none := filepath.Join(t.TempDir(), "none")
	t.Setenv("TMPDIR", none)
	_, err := traceio.Load(context.Background(), path, input.Options{Memory: 2 << 20})
	want := "raises it; there is no room for its calls in a temporary file: " + none + ": "
	if err == nil || !errors.Is(err, input.ErrLimit) || !errors.Is(err, fs.ErrNotExist) ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

// TestLinksInArchives has a recording whose files are links to others, before and after them.
func TestLinksInArchives(t *testing.T) {
	inTestdata(t)
	whole, err := load(family)
	if err != nil {
		t.Fatal(err)
	}
	want := asText(t, whole)
	for kind, flag := range map[string]byte{"hard": tar.TypeLink, "symbolic": tar.TypeSymlink} {
		var out bytes.Buffer
		w := tar.NewWriter(&out)
		write := func(h *tar.Header, data []byte) {
			if err := w.WriteHeader(h); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(data); err != nil {
				t.Fatal(err)
			}
		}
		for _, m := range unrolled(t, gunzipped(t, read(t, family))) {
			write(&tar.Header{Name: "d/real-" + m.name, Mode: 0o644, Size: int64(len(m.data))}, m.data)
			to := "real-" + m.name
			if flag == tar.TypeLink {
				to = "d/" + to
			}
			write(&tar.Header{Name: "d/" + m.name, Linkname: to, Typeflag: flag}, nil)
		}
		w.Close() // to memory
		for what, data := range map[string][]byte{"plain": out.Bytes(), "packed": gzipped(out.Bytes())} {
			tr, err := load(put(t, "a.tar", data))
			if err != nil {
				t.Errorf("%s links, %s: %v", kind, what, err)
			} else if got := asText(t, tr); got != want {
				t.Errorf("%s links, %s: %s", kind, what, firstDifference(got, want))
			}
		}
	}
}

// TestHoles loads an archive with a file of which GNU tar has left out the holes.
func TestHoles(t *testing.T) {
	inTestdata(t)
	whole, err := load(family)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, m := range unrolled(t, gunzipped(t, read(t, family))) {
		if err := os.WriteFile(filepath.Join(dir, m.name), m.data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "a hole"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, "a hole"), 1<<20); err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(t.TempDir(), "a.tar")
	if out, err := exec.Command("tar", "--sparse", "-cf", archive, "-C", dir, ".").CombinedOutput(); err != nil {
		t.Skipf("%v: %s", err, out)
	}
	if data := read(t, archive); len(data) >= 1<<20 {
		t.Skip("this tar writes holes as zeros")
	}
	tr, err := load(archive)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := asText(t, tr), asText(t, whole); got != want {
		t.Error(firstDifference(got, want))
	}
}

// pipe makes a named pipe.
func pipe(t *testing.T, dir, name string) string {
	t.Helper()
	at := filepath.Join(dir, name)
	testtrace.Pipe(t, at)
	return at
}

// TestPipes loads each format through a named pipe.
func TestPipes(t *testing.T) {
	inTestdata(t)
	for format, path := range smallest(t) {
		at, data := pipe(t, t.TempDir(), "pipe"), read(t, path)
		done := make(chan error, 1)
		go func() { done <- os.WriteFile(at, data, 0) }()
		tr, err := load(at)
		if err != nil || tr.Format != format {
			t.Errorf("%s: %v", format, err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// TestPipesAreCancelled cancels loads of pipes that nobody writes to, and that somebody stopped
// writing to.
func TestPipesAreCancelled(t *testing.T) {
	silent, stuck := pipe(t, t.TempDir(), "silent"), pipe(t, t.TempDir(), "stuck")
	w, err := os.OpenFile(stuck, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.WriteString(oneEvent); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{silent, stuck} {
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() {
			_, err := traceio.Load(ctx, at, input.Options{})
			done <- err
		}()
		time.Sleep(20 * time.Millisecond) // to be waiting, as it will be; sooner is no failure
		cancel()
		select {
		case err := <-done:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", at, err)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: is not cancelled", at)
		}
	}
}

// TestSpecialMembersAreRefused has devices and pipes for members, directly and through links.
func TestSpecialMembersAreRefused(t *testing.T) {
	inTestdata(t)
	for what, c := range map[string]struct {
		place func(dir string) error
		want  string
	}{
		"a device": {func(dir string) error {
			return os.Symlink("/dev/zero", filepath.Join(dir, "family.sym"))
		}, "family.sym: this is a device, and only a regular file can be a part of a recording"},
		"a pipe": {func(dir string) error { pipe(t, dir, "events.txt"); return nil },
			"events.txt: this is a named pipe, and only a regular file can be a part of a recording"},
		"a pipe that tells the format": {func(dir string) error {
			pipe(t, dir, "info")
			return nil
		}, "info: this is a named pipe"},
	} {
		dir := t.TempDir()
		if err := c.place(dir); err != nil {
			t.Fatal(err)
		}
		for _, m := range unrolled(t, gunzipped(t, read(t, family))) {
			if _, err := os.Lstat(filepath.Join(dir, m.name)); err == nil {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, m.name), m.data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := load(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestMemberBeyondTheArchive: a tar archive may state any size of a member. It is read as far as the
// archive goes, whatever would have to be there.
func TestMemberBeyondTheArchive(t *testing.T) {
	record := oneCall("f")
	for _, size := range []int64{1 << 20, 1 << 40, 1 << 62} {
		var head bytes.Buffer
		if err := tar.NewWriter(&head).WriteHeader(&tar.Header{Name: "a.json", Size: size}); err != nil {
			t.Fatal(err)
		}
		data := append(head.Bytes(), record...)
		for name, data := range map[string][]byte{"a.tar": data, "a.tar.gz": gzipped(data)} {
			tr, err := load(put(t, name, data))
			if err != nil || tr.Calls() != 1 || !slices.ContainsFunc(tr.Diagnostics, isTruncated) {
				t.Errorf("%s with a member of %d bytes: %v", name, size, err)
				continue
			}
			if why := tr.Diagnostics[len(tr.Diagnostics)-1].Example; !strings.Contains(why, "it ends too early") {
				t.Errorf("%s with a member of %d bytes: %s", name, size, why)
			}
		}
	}
}
