package traceio_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/input/inputtest"
)

// gzipped packs quickly: with the race detector, searching for longer matches takes several times
// as long.
func gzipped(data []byte) []byte {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestSpeed) // which is a level
	w.Write(data)                                     // to memory: cannot fail
	w.Close()
	return out.Bytes()
}

func gunzipped(t testing.TB, data []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func zstdded(data []byte) []byte {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		return nil
	}
	return w.EncodeAll(data, nil)
}

// member is a file of an archive.
type member struct {
	name string
	data []byte
}

// unrolled returns the files of an archive, with their paths below the folder that holds all of them.
func unrolled(t testing.TB, archive []byte) (all []member) {
	t.Helper()
	for r := tar.NewReader(bytes.NewReader(archive)); ; {
		h, err := r.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		_, name, _ := strings.Cut(path.Clean(h.Name), "/")
		all = append(all, member{name, data})
	}
}

func rolled(t testing.TB, folder string, all []member) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, m := range all {
		h := &tar.Header{Name: folder + m.name, Mode: 0o644, Size: int64(len(m.data))}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(m.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func zipped(t testing.TB, folder string, all []member) []byte {
	var files []inputtest.File
	for _, m := range all {
		files = append(files, inputtest.File{Name: folder + m.name, Data: m.data})
	}
	return inputtest.Zip(t, files...)
}

var packings = inputtest.Packings

// oneCall is a whole recording of one call.
func oneCall(name string) []byte {
	return []byte(`[{"name":"` + name + `","ph":"X","ts":1,"dur":1,"pid":1,"tid":1}]`)
}

func files3(all ...string) (out []inputtest.File) {
	for i := 0; i < len(all); i += 2 {
		out = append(out, inputtest.File{Name: all[i], Data: []byte(all[i+1])})
	}
	return out
}

// TestFirstTraceOfAnArchive: of several recordings the first is read, and the rest is told.
func TestFirstTraceOfAnArchive(t *testing.T) {
	a, b := string(oneCall("first")), string(oneCall("second"))
	files := files3("README", "some text", "d/b.json", a, "d/a.json", b, "empty", "")
	nested := files3("x.zip", string(inputtest.Zip(t, files...)), "notes", "text")
	late := files3("x.zip", string(inputtest.Zip(t, files3("i.json", b)...)), "j.json", a)
	for what, c := range map[string]struct {
		data   []byte
		beside uint64
		told   string
	}{
		"zip":               {inputtest.Zip(t, files...), 3, "/d/b.json was opened; README was not"},
		"stored zip":        {inputtest.ZipWith(t, zip.Store, files...), 3, ""},
		"zip with zstd":     {inputtest.ZipWith(t, zstd.ZipMethodPKWare, files...), 3, ""},
		"tar":               {inputtest.Tar(t, files...), 3, "/d/b.json was opened; README was not"},
		"tar.gz":            {gzipped(inputtest.Tar(t, files...)), 3, ""},
		"tar.xz":            {inputtest.Xz(t, inputtest.Tar(t, files...)), 3, ""},
		"zip.lz4":           {inputtest.Lz4(t, inputtest.Zip(t, files...)), 3, ""},
		"zip in a zip":      {inputtest.Zip(t, nested...), 4, "/x.zip/d/b.json was opened; "},
		"files before zips": {inputtest.Zip(t, late...), 1, "/j.json was opened; x.zip was not"},
		"twice the name":    {inputtest.Tar(t, files3("a", b, "a", a)...), 0, ""},
		"a deep folder":     {inputtest.Zip(t, files3(strings.Repeat("d/", 50)+"a", a)...), 0, ""},
	} {
		tr, err := load(put(t, "archive", c.data))
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		beside := trace.Diagnostic{}
		for _, d := range tr.Diagnostics {
			if d.Code == trace.Beside {
				beside = d
			}
		}
		if len(tr.Functions) != 1 || tr.Functions[0].Name != "first" || beside.Count != c.beside ||
			!strings.Contains(beside.Example, c.told) || tr.Verdict() != trace.Complete {
			t.Errorf("%s: function %v, diagnostics %v", what, tr.Functions, tr.Diagnostics)
		}
	}
}

// TestLargeFileInAnArchive has a recording that is larger than what an unknown archive may take of
// memory, with others around it.
func TestLargeFileInAnArchive(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	large := longTrace(1 << 18)
	other := bytes.Repeat([]byte("something else "), 1<<15)
	for what, data := range map[string][]byte{
		"tar.gz": gzipped(rolled(t, "", []member{{"x", other}, {"a.json", large}, {"y", other}})),
		"packed in tar.gz": gzipped(rolled(t, "", []member{{"x", other},
			{"a.json.bz2", inputtest.Bzip2(t, large)}, {"y", other}})),
		"small in tar.gz": gzipped(rolled(t, "", []member{{"a.json", oneCall("f")}, {"y", other}})),
		"zip": inputtest.Zip(t, inputtest.File{Name: "x", Data: other},
			inputtest.File{Name: "a.json", Data: large}),
		"zip.gz": gzipped(inputtest.ZipWith(t, zip.Store, inputtest.File{Name: "x", Data: other},
			inputtest.File{Name: "a.json", Data: large})),
	} {
		o := input.Options{Memory: 16 << 20}
		tr, err := traceio.Load(context.Background(), put(t, "a", data), o)
		if err != nil || tr.Calls() == 0 {
			t.Errorf("%s: %v", what, err)
		}
		if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) > 0 {
			t.Fatalf("%s: left %v", what, left)
		}
	}
}

// TestPackedBombs loads small files that unpack to far more than the limit.
func TestPackedBombs(t *testing.T) {
	bombs := map[string][]byte{}
	plain := bomb(oneEvent, 9<<17) // the limit is 8<<17
	for name, pack := range packings {
		if name != "bzip2" { // the test's own writer takes long for many equal bytes
			bombs[name] = pack(t, plain)
		}
	}
	delete(bombs, "zstd") // whose window is the first limit that it exceeds
	bombs["xz in a tar"] = inputtest.Tar(t, inputtest.File{Name: "a.xz", Data: bombs["xz"]})
	bombs["zip"] = inputtest.Zip(t, inputtest.File{Name: "a", Data: plain})
	bombs["zip in a zip"] = inputtest.Zip(t, inputtest.File{Name: "b.zip", Data: bombs["zip"]})
	bombs["zip.gz"] = gzipped(inputtest.ZipWith(t, zip.Store, inputtest.File{Name: "a", Data: plain}))
	for what, data := range bombs {
		o := input.Options{Memory: 4 << 20}
		_, err := traceio.Load(context.Background(), put(t, "bomb", data), o)
		if !errors.Is(err, input.ErrLimit) || !strings.Contains(err.Error(), "bomb") ||
			!strings.Contains(err.Error(), "unpacks to more than 1MiB") {
			t.Errorf("%s, %d bytes: %v", what, len(data), err)
		}
	}
	large := xz.WriterConfig{DictCap: 64 << 20}
	_, err := traceio.Load(context.Background(), put(t, "a.xz", inputtest.XzWith(t, oneCall("f"), large)),
		input.Options{Memory: 16 << 20})
	if !errors.Is(err, input.ErrLimit) || !strings.Contains(err.Error(), "a.xz: it takes more than 4MiB to unpack it") {
		t.Errorf("a large dictionary: %v", err)
	}
}

// TestPackedDamage cuts each packing, which keeps the beginning and is told, and spoils its last
// checksum, which keeps all and is told.
func TestPackedDamage(t *testing.T) {
	inTestdata(t)
	plain := smallChrome(t)
	whole, err := load(put(t, "whole", plain))
	if err != nil {
		t.Fatal(err)
	}
	ends := map[string]int{"gzip": 8, "zstd": 1, "xz": 0, "bzip2": 2, "lz4": 1}
	for name, pack := range packings {
		data := pack(t, plain)
		if name == "legacy lz4" {
			continue // its blocks have 8 MiB, and an incomplete one is of no use
		}
		cut, err := load(put(t, "cut", data[:len(data)*9/10]))
		if err != nil {
			t.Errorf("%s, cut: %v", name, err)
			continue
		}
		checkCut(t, name, cut, whole)
		if i := slices.IndexFunc(cut.Diagnostics, isTruncated); i >= 0 && cut.Diagnostics[i].Count != 1 ||
			cut.Calls() == whole.Calls() {
			t.Errorf("%s, cut: %d of %d calls, %v", name, cut.Calls(), whole.Calls(), cut.Diagnostics)
		}
		end, has := ends[name]
		if !has {
			continue
		}
		at := len(data) - end
		if name == "xz" { // the last byte of the last block's check, which lies before the index
			index := 4 * (1 + int(binary.LittleEndian.Uint32(data[len(data)-8:])))
			at = len(data) - 12 - index - 1
		}
		data[at] ^= 0x10
		got, err := load(put(t, "spoilt", data))
		if err != nil || got.Calls() != whole.Calls() || len(got.Diagnostics) != 1+len(whole.Diagnostics) ||
			!slices.ContainsFunc(got.Diagnostics, func(d trace.Diagnostic) bool { return d.Code == trace.BadChecksum }) {
			t.Errorf("%s, spoilt: %v", name, err)
			if got != nil {
				t.Error(got.Diagnostics)
			}
		}
	}
}

// TestDamagedZip spoils a zip archive in several ways.
func TestDamagedZip(t *testing.T) {
	data := inputtest.ZipWith(t, zip.Store, inputtest.File{Name: "a.json", Data: oneCall("f")})
	spoilt := bytes.Clone(data)
	spoilt[bytes.Index(data, []byte(`"f"`))+1] = 'g'
	tr, err := load(put(t, "a.zip", spoilt))
	if err != nil || tr.Calls() != 1 || len(tr.Diagnostics) != 1 ||
		tr.Diagnostics[0].Code != trace.BadChecksum {
		t.Errorf("a wrong checksum: %v", err)
	}
	for _, off := range []byte{1, 4, 0xf0} { // a smaller and a larger size than there is, both wrong
		sized := inputtest.Zip(t, inputtest.File{Name: "a.json", Data: oneCall("f")})
		sized[bytes.Index(sized, []byte("PK\x01\x02"))+24] ^= off
		if tr, err := load(put(t, "a.zip", sized)); err != nil || tr.Calls() != 1 || len(tr.Diagnostics) > 0 {
			t.Errorf("a wrong size: %v", err)
		}
	}
	for what, data := range map[string][]byte{
		"zip": inputtest.Zip(t, inputtest.File{Name: "caf\xe9.json", Data: oneCall("f")}),
		"tar": inputtest.Tar(t, inputtest.File{Name: "caf\xe9.json", Data: oneCall("f")}),
	} {
		if tr, err := load(put(t, "a", data)); err != nil || tr.Calls() != 1 || len(tr.Diagnostics) > 0 {
			t.Errorf("%s with a name in another encoding: %v", what, err)
		}
	}
	locked := bytes.Clone(data)
	locked[6] |= 1
	locked[bytes.Index(data, []byte("PK\x01\x02"))+8] |= 1
	odd := inputtest.ZipWith(t, zip.Store, inputtest.File{Name: "a.json", Data: oneCall("f")})
	odd[8] = 98 // PPMd
	odd[bytes.Index(data, []byte("PK\x01\x02"))+10] = 98
	for what, c := range map[string]struct {
		data []byte
		want string
	}{
		"encrypted":       {locked, "a.json: cannot open: the zip archive is encrypted"},
		"another method":  {odd, "a.json: cannot open: packed with method 98, which is not read here"},
		"nothing":         {inputtest.Zip(t), ": an archive of nothing"},
		"no trace":        {inputtest.Zip(t, files3("a.txt", "text", "b", "x")...), ": an archive of 2 files without a trace: a.txt, b"},
		"only a header":   {[]byte("PK\x03\x04"), "damaged zip archive"},
		"too deep within": {deepZip(t, 4), "x.zip"},
	} {
		_, err := load(put(t, "a.zip", c.data))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func deepZip(t *testing.T, n int) []byte {
	data := oneCall("f")
	for range n {
		data = inputtest.Zip(t, inputtest.File{Name: "x.zip", Data: data})
	}
	return data
}

// TestPackedPipes reads archives and packings from a named pipe.
func TestPackedPipes(t *testing.T) {
	for what, data := range map[string][]byte{
		"zip":          inputtest.Zip(t, files3("n", "text", "a.json", string(oneCall("f")))...),
		"tar":          inputtest.Tar(t, files3("n", "text", "a.json", string(oneCall("f")))...),
		"xz":           inputtest.Xz(t, oneCall("f")),
		"zip in a zip": deepZip(t, 2),
		"large zip": inputtest.ZipWith(t, zip.Store, inputtest.File{Name: "filler", Data: filler.data},
			inputtest.File{Name: "a", Data: oneCall("f")}),
	} {
		at := pipe(t, t.TempDir(), "pipe")
		done := make(chan error, 1)
		go func() { done <- os.WriteFile(at, data, 0) }()
		tr, err := traceio.Load(context.Background(), at, input.Options{Memory: 32 << 20})
		if err != nil || tr.Calls() != 1 {
			t.Errorf("%s: %v", what, err)
		}
		if err := <-done; err != nil {
			t.Error(what, err)
		}
	}
}

// TestBehindGzip: behind a compressed file there may be another, and zeros that fill up a block.
// Anything else is told, and what came before it is kept.
func TestBehindGzip(t *testing.T) {
	first, second := gzipped([]byte(oneEvent)), gzipped([]byte(`{"name":"b","ph":"X","ts":4,"dur":1,"pid":1,"tid":1}]`))
	const told = "what follows the compressed data is not compressed by gzip"
	for what, c := range map[string]struct {
		data  []byte
		calls int
		want  string
	}{
		"another":        {slices.Concat(first, second), 2, ""},
		"zeros":          {slices.Concat(first, second, make([]byte, 1000)), 2, ""},
		"zeros, another": {slices.Concat(first, make([]byte, 10), second), 2, ""},
		"else":           {slices.Concat(first, second, []byte("something else")), 2, told},
		"zeros, else":    {slices.Concat(first, second, make([]byte, 10), []byte("x")), 2, told},
		"half":           {slices.Concat(first, second[:12]), 1, "it ends too early"},
	} {
		tr, err := load(put(t, "a.json.gz", c.data))
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		why := ""
		for _, d := range tr.Diagnostics {
			why += d.Example
		}
		if tr.Calls() != c.calls || !strings.Contains(why, c.want) || c.want == "" && why != "" {
			t.Errorf("%s: %d calls, %s", what, tr.Calls(), why)
		}
	}
}
