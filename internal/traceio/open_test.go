package traceio_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/input/inputtest"
)

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// put writes a file of that name into a new directory and returns its path.
func put(t testing.TB, name string, data []byte) string {
	t.Helper()
	at := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(at, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return at
}

const family = "uftrace/family.data.tar.gz"

// repackings are ways to pack a file, by a name that says something else.
var repackings = []struct {
	name string
	pack func(t testing.TB, data []byte) []byte
}{
	{"plain.svg", func(_ testing.TB, data []byte) []byte { return data }},
	{"packed.zst", packed("gzip")},
	{"packed.gz", packed("zstd")},
	{"two members", halves("gzip")},
	{"packed twice", packed("gzip", "gzip")},
	{"packed both ways", packed("gzip", "zstd")},
	{"xz.gz", packed("xz")},
	{"bzip2.xz", packed("bzip2")},
	{"lz4.bz2", packed("lz4")},
	{"legacy.lz4", packed("legacy lz4")},
	{"xz of bzip2", packed("bzip2", "xz")},
	{"two streams.xz", halves("xz")},
	{"two streams.bz2", halves("bzip2")},
	{"two frames.lz4", halves("lz4")},
	{"of one file.json", inZip("a/b.c")},
	{"packed.zip", func(t testing.TB, data []byte) []byte { return gzipped(inZip("a/b.c")(t, gzipped(data))) }},
	{"zip in tar.xz", func(t testing.TB, data []byte) []byte {
		return packings["xz"](t, rolled(t, "", []member{{"x.zip", inZip("a")(t, data)}}))
	}},
}

// packed packs a file in several ways, one after the other.
func packed(ways ...string) func(t testing.TB, data []byte) []byte {
	return func(t testing.TB, data []byte) []byte {
		for _, way := range ways {
			data = packings[way](t, data)
		}
		return data
	}
}

// halves packs the beginning of a file and the rest, one behind the other.
func halves(way string) func(t testing.TB, data []byte) []byte {
	return func(t testing.TB, data []byte) []byte {
		return append(packings[way](t, data[:9]), packings[way](t, data[9:])...)
	}
}

// inZip makes a file the only one of a zip archive.
func inZip(name string) func(t testing.TB, data []byte) []byte {
	return func(t testing.TB, data []byte) []byte {
		return inputtest.Zip(t, inputtest.File{Name: name, Data: data})
	}
}

// TestRecognisedByContent loads each format in each packing under a name that says something else.
func TestRecognisedByContent(t *testing.T) {
	inTestdata(t)
	every := testtrace.Sized(8, 1) // packings go round the formats, but the long run tries all
	paths := smallest(t)
	for k, format := range slices.Sorted(maps.Keys(paths)) {
		data := unpacked(t, paths[format])
		want := ""
		for n, packing := range repackings {
			if n > 0 && (n+k)%every != 0 {
				continue
			}
			tr, err := load(put(t, packing.name, packing.pack(t, data)))
			if err != nil {
				t.Errorf("%s, %s: %v", format, packing.name, err)
				continue
			}
			got := asText(t, tr)
			if want == "" {
				want = got
			}
			if tr.Format != format || got != want {
				t.Errorf("%s, %s: %s, %s", format, packing.name, tr.Format, firstDifference(got, want))
			}
		}
	}
}

// TestDirectoriesAndArchives loads one recording as the directory it was and in archives with and
// without a folder on top.
func TestDirectoriesAndArchives(t *testing.T) {
	inTestdata(t)
	all := unrolled(t, gunzipped(t, read(t, family)))
	dir, above := t.TempDir(), t.TempDir()
	write := func(dir string) {
		for _, m := range all {
			if err := os.WriteFile(filepath.Join(dir, m.name), m.data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(dir)
	if err := os.Mkdir(filepath.Join(above, "run.data"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(filepath.Join(above, "run.data"))
	tr, err := load(family)
	if err != nil {
		t.Fatal(err)
	}
	want := asText(t, tr)
	for what, path := range map[string]string{
		"directory":                dir,
		"directory above":          above,
		"archive":                  put(t, "a", rolled(t, "", all)),
		"archive of .":             put(t, "a", rolled(t, "./", all)),
		"archive of a folder":      put(t, "a", rolled(t, "some.data/", all)),
		"packed archive":           put(t, "a", zstdded(rolled(t, "./some.data/", all))),
		"zip archive":              put(t, "a", zipped(t, "", all)),
		"zip archive of a folder":  put(t, "a", zipped(t, "some.data/", all)),
		"tar.xz":                   put(t, "a", inputtest.Xz(t, rolled(t, "", all))),
		"tar.bz2":                  put(t, "a", inputtest.Bzip2(t, rolled(t, "some.data/", all))),
		"packed archive in a zip":  put(t, "a", zipped(t, "", []member{{"r.tgz", gzipped(rolled(t, "", all))}})),
		"zip archive in a zip":     put(t, "a", zipped(t, "", []member{{"r.zip", zipped(t, "d/", all)}})),
		"archive in three of them": put(t, "a", zipped(t, "", []member{{"r", rolled(t, "", []member{{"s", zipped(t, "", all)}})}})),
		"hostile archive": put(t, "a", rolled(t, "",
			append(slices.Clone(all), member{"../../outside", []byte("x")}))),
	} {
		tr, err := load(path)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		tr.Diagnostics = slices.DeleteFunc(tr.Diagnostics, isTruncated)
		if got := asText(t, tr); got != want {
			t.Errorf("%s: %s", what, firstDifference(got, want))
		}
	}
}

func isTruncated(d trace.Diagnostic) bool { return d.Code == trace.Truncated }

func TestErrors(t *testing.T) {
	inTestdata(t)
	itself := filepath.Join(t.TempDir(), "loop")
	if err := os.Symlink("loop", itself); err != nil {
		t.Fatal(err)
	}
	formats := "not a trace in a format read here (" + strings.Join(traceio.FormatNames(), ", ") + ")"
	for what, c := range map[string]struct {
		path, want string
		is         error
	}{
		"missing":          {"none.json", ": cannot open: ", fs.ErrNotExist},
		"not to be opened": {itself, ": cannot open: ", nil},
		"empty":            {put(t, "empty.json", nil), ":0: the file is empty", nil},
		"nothing packed":   {put(t, "e.json.gz", gzipped(nil)), ":0: the file is empty", nil},
		"unknown":          {"README.md", "text that begins with", input.ErrUnknownFormat},
		"one byte":         {put(t, "one", []byte("[")), ": ", nil},
		"unknown, packed": {put(t, "x.gz", gzipped([]byte("some text"))), formats,
			input.ErrUnknownFormat},
		"directory": {t.TempDir(), ": a directory of nothing", input.ErrUnknownFormat},
		"archive of nothing": {put(t, "x.tar", rolled(t, "", nil)), ": nothing but zeros",
			input.ErrUnknownFormat},
		"archive of others": {put(t, "x.tar", rolled(t, "", []member{{"a", nil}})),
			": an archive of 1 empty file without a trace: a", input.ErrUnknownFormat},
		"directory of traces": {"pprof", ": a directory with 7 traces in it: name one of them, such as pprof/",
			input.ErrUnknownFormat},
		"directory of one trace": {filepath.Dir(put(t, "a.json", oneCall("f"))), ": a directory with one trace in it: name that, ", input.ErrUnknownFormat},
		"archive of foreign": {put(t, "x.zip", zipped(t, "d/", []member{{"perf.data", []byte("PERFILE2\x00\x00")}})),
			"an archive with d/perf.data, a perf.data file: run `perf script > FILE`", input.ErrUnknownFormat},
		"other JSON": {put(t, "x.json", append([]byte(`{"notes":"`), append(bytes.Repeat([]byte("x"), 1<<17), `"}`...)...)),
			`x.json: a JSON object with "notes" …, of no shape that is read here`, input.ErrUnknownFormat},
		"broken gzip header": {put(t, "x.gz", []byte("\x1f\x8b\x07")), ": cannot unpack: ", nil},
		"broken zstd":        {put(t, "x.zst", []byte("\x28\xb5\x2f\xfd\xff\xff\xff")), ": cannot ", nil},
	} {
		tr, err := load(c.path)
		if err == nil {
			t.Errorf("%s: loaded %d calls", what, tr.Calls())
			continue
		}
		var f *input.FormatError
		if !errors.As(err, &f) {
			t.Errorf("%s: error of type %T", what, err)
		}
		if !strings.HasPrefix(err.Error(), c.path) || !strings.Contains(err.Error(), c.want) ||
			c.is != nil && !errors.Is(err, c.is) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestCutPackingKeepsTheBeginning cuts the packed form of several formats, of which TestPackedDamage
// has one: what came before is kept, and the trace says that it is truncated.
func TestCutPackingKeepsTheBeginning(t *testing.T) {
	inTestdata(t)
	for what, data := range map[string][]byte{
		"gotrace, gzip": gzipped(read(t, "gotrace/pipeline-mutex.gotrace")),
		"uftrace, gzip": read(t, "uftrace/queue-2p2c.data.tar.gz"),
		"uftrace, tar":  gunzipped(t, read(t, "uftrace/queue-2p2c.data.tar.gz")),
		"chrome, zip":   zipped(t, "", []member{{"a", smallChrome(t)}}),
		"gotrace, zip": zipped(t, "", []member{{"a", read(t, "gotrace/pipeline-mutex.gotrace")},
			{"b", []byte("text")}}),
	} {
		whole, err := load(put(t, "whole", data))
		if err != nil {
			t.Fatal(what, err)
		}
		cut, err := load(put(t, "cut", data[:len(data)*9/10]))
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		checkCut(t, what, cut, whole)
		for _, d := range cut.Diagnostics {
			if isTruncated(d) && d.Count != 1 && !strings.HasPrefix(what, "uftrace") &&
				!strings.HasSuffix(what, "zip") { // the archive, and the file in it
				t.Errorf("%s: told %d times", what, d.Count)
			}
		}
	}
}

// checkCut checks what is loaded of a packed file that lacks its last tenth.
func checkCut(t *testing.T, what string, cut, whole *trace.Trace) {
	t.Helper()
	if !slices.ContainsFunc(cut.Diagnostics, isTruncated) {
		t.Errorf("%s: not told; diagnostics %v", what, cut.Diagnostics)
	}
	if cut.Calls() < whole.Calls()/2 || cut.Calls() > whole.Calls() {
		t.Errorf("%s: %d calls of %d are kept", what, cut.Calls(), whole.Calls())
	}
}

// TestDamagedArchive spoils the header of an archive's last file: the others are kept.
func TestDamagedArchive(t *testing.T) {
	inTestdata(t)
	all := unrolled(t, gunzipped(t, read(t, family)))
	all = append(all, member{"zzz", []byte("not needed")})
	archive := rolled(t, "", all)
	at := bytes.Index(archive, []byte("zzz\x00"))
	archive[at+150] ^= 0x55 // within the checksum
	tr, err := load(put(t, "damaged.tar", archive))
	if err != nil {
		t.Fatal(err)
	}
	if tr.Calls() != 369 || !slices.ContainsFunc(tr.Diagnostics, isTruncated) {
		t.Errorf("%d calls, diagnostics %v", tr.Calls(), tr.Diagnostics)
	}
}

// TestRules extends the classification by a file.
func TestRules(t *testing.T) {
	inTestdata(t)
	waits := func(rules string) int {
		tr, err := traceio.Load(context.Background(), family, input.Options{RulesFile: rules})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, th := range tr.Threads {
			for _, b := range th.Blocks {
				if b.Kind == trace.Wait && tr.FunctionOf(th, int(b.Call)).Name == "attacked" {
					n++
				}
			}
		}
		return n
	}
	if n := waits(""); n != 0 {
		t.Errorf("without the rule %d calls wait", n)
	}
	if waits(put(t, "my.rules", []byte("# a comment\nwait attacked args 1\n"))) == 0 {
		t.Error("the rule added no wait")
	}
	for text, want := range map[string]string{
		"# a comment\n\nwhat attacked\n": `:3: "what" is not wait, release, io or none`,
		"wait attacked args x":           `:1: "x" is not the number of an argument`,
	} {
		path := put(t, "bad.rules", []byte(text))
		_, err := traceio.Load(context.Background(), family, input.Options{RulesFile: path})
		if err == nil || err.Error() != path+want {
			t.Errorf("error %v, want %s", err, path+want)
		}
	}
	_, err := traceio.Load(context.Background(), family, input.Options{RulesFile: "none.rules"})
	if !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "none.rules: ") {
		t.Errorf("missing rules: %v", err)
	}
}
