package traceio_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOtherFilesTakeLittle opens an archive of many small files none of which is a recording: each
// is looked at for every format, which takes no buffers for each of these.
func TestOtherFilesTakeLittle(t *testing.T) {
	const files, most = 100, 400 << 10 // bytes allocated a file
	var members []member
	for i := range files {
		members = append(members, member{fmt.Sprint(i), []byte("text")})
	}
	path := put(t, "a.tar", rolled(t, "", members))
	before := allocated()
	if _, err := load(path); err == nil || !strings.Contains(err.Error(), "without a trace") {
		t.Fatalf("error %v", err)
	}
	if took := (allocated() - before) / files; took > most {
		t.Errorf("%d bytes a file", took)
	}
}

// TestWhyNothingIsFound: an error of a file without a sound record names one that is not.
func TestWhyNothingIsFound(t *testing.T) {
	path := put(t, "a.json", []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"96","spanId":"b4",
"name":"f","startTimeUnixNano":"11651379494838206464","endTimeUnixNano":"11651379494838206464"}]}]}]}`))
	_, err := load(path)
	const want = "no span of a trace: 1× bad-record: before offset 169: span b4 begins at no sound time"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v", err)
	}
}

// TestDamageIsWhyNothingIsKnown: what a damaged compressed file unpacks to may look like nothing.
func TestDamageIsWhyNothingIsKnown(t *testing.T) {
	_, err := load(put(t, "a.pprof", flipped(gzipped([]byte("\x48\xcf\xdf\xa3\xf3\x95\xfd\xfd")), 8)))
	const want = "; its compressed data is damaged: gzip: invalid checksum"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestWhatAnArchiveHoldsInstead: of an archive or a directory without a recording it is said what
// is in it, by its path, and why that is not opened.
func TestWhatAnArchiveHoldsInstead(t *testing.T) {
	one := func(name string, data []byte) []byte { return rolled(t, "", []member{{name, data}}) }
	within := func(archives int, name string, data []byte) []byte {
		for i := range archives {
			data = one(fmt.Sprintf("%s%d", name, archives-i), data)
		}
		return data
	}
	heads := func(all ...*tar.Header) []byte {
		var out bytes.Buffer
		w := tar.NewWriter(&out)
		for _, h := range all {
			if err := w.WriteHeader(h); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	dir, links := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.tar"), one("a.json", oneCall("f")), 0o600); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"gone": "nowhere", "loop": "loop"} {
		if err := os.Symlink(to, filepath.Join(links, from)); err != nil {
			t.Skip(err)
		}
	}
	for what, c := range map[string]struct{ path, want string }{
		"too deep": {put(t, "a.tar", within(4, "t", oneCall("f"))), "an archive with t1, an archive with " +
			"t2, an archive with t3, an archive within 3 others, which is not looked into: unpack it first"},
		"deep, and nothing there": {put(t, "a.tar.gz", gzipped(within(3, "t", []byte("text")))),
			"an archive with t1, an archive with t2, an archive of 1 file without a trace: t3"},
		"foreign": {put(t, "a.zip", zipped(t, "", []member{{"in.tar", one("d/perf.data", []byte("PERFILE2"))}})),
			"an archive with in.tar, an archive with d/perf.data, a perf.data file"},
		"links": {put(t, "l.tar", heads(
			&tar.Header{Typeflag: tar.TypeSymlink, Name: "a.json", Linkname: "/x.json"},
			&tar.Header{Typeflag: tar.TypeLink, Name: "b.json", Linkname: "c.json"},
			&tar.Header{Typeflag: tar.TypeDir, Name: "d/"})), "an archive without a file: " +
			"2 links that lead to nothing here (a.json, b.json), 1 directory (d/)"},
		"special": {put(t, "s.tar", heads(&tar.Header{Typeflag: tar.TypeFifo, Name: "f"},
			&tar.Header{Typeflag: tar.TypeChar, Name: "g"})),
			"an archive without a file: 2 pipes, devices or sockets (f, g)"},
		"empty": {put(t, "e.tar", rolled(t, "", []member{{"a.json", nil}, {"README", []byte("text")}})),
			"an archive without a trace: 1 empty file (a.json), 1 file (README)"},
		"a directory with an archive": {dir, "a directory with a.tar, an archive: name it to open what it holds"},
		"a directory of links":        {links, "a directory without a file: 2 links that lead to nothing here (gone, loop)"},
	} {
		if _, err := load(c.path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", what, err, c.want)
		}
	}
}
