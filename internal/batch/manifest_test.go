package batch

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"diptych/internal/fuzzall/seeds"
)

// TestManifest reads manifests as people and spreadsheets write them.
func TestManifest(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []Pair
	}{
		"plain":        {"pair,a,b\nx,1,2\ny,3,4\n", []Pair{{"x", "1", "2"}, {"y", "3", "4"}}},
		"CRLF and BOM": {"\ufeffpair,a,b\r\nx,1,2\r\n", []Pair{{"x", "1", "2"}}},
		"no last line": {"pair,a,b\nx,1,2", []Pair{{"x", "1", "2"}}},
		"no names":     {"a,b\n1,2\n3,4\n", []Pair{{"1", "1", "2"}, {"2", "3", "4"}}},
		"no name":      {"pair,a,b\n,1,2\n", []Pair{{"1", "1", "2"}}},
		"quotes":       {"pair,a,b\n\"x, \"\"1\"\"\",\"a\nb\",2\n", []Pair{{`x, "1"`, "a\nb", "2"}}},
		"any order":    {"b, more , a,pair\n2,,1,x\n", []Pair{{"x", "1", "2"}}},
		"empty lines":  {"\npair,a,b\n\nx,1,2\n\n", []Pair{{"x", "1", "2"}}},
		"BOM, quoted":  {"\ufeff\"pair\",a,b\nx,1,2\n", []Pair{{"x", "1", "2"}}},
		"absolute":     {"pair,a,b\nx,/r/1,../2\n", []Pair{{"x", "/r/1", "../2"}}},
	} {
		m := new(Manifest)
		err := m.read(strings.NewReader(c.text))
		if err != nil || !reflect.DeepEqual(m.Pairs, c.want) {
			t.Errorf("%s: %q, %v, want %q", name, m.Pairs, err, c.want)
		}
	}
}

func TestBrokenManifest(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "it is empty",
		"pair,a,b\n":                     "it lists no pairs",
		"pair;a;b\nx;1;2\n":              `columns "pair;a;b"; want pair,a,b`,
		"x,1,2\ny,3,4\n":                 `line 1: columns "x,1,2"`,
		"pair,a,a,b\nx,1,1,2\n":          "line 1: two columns are called a",
		"pair,a,b\nx,1\n":                "line 2: 2 fields, but line 1 names 3 columns",
		"pair,a,b\nx,1,2,3\n":            "line 2: 4 fields, but line 1 names 3 columns",
		"pair,a,b\nx,1,2\n\nx,3,4\n":     `line 4: pair "x" was on line 2 already`,
		"pair,a,b\nx,,2\n":               "line 2: a side has no file",
		"pair,a,b\nx,-,2\n":              "line 2: standard input cannot be",
		"pair,a,b\nx,\xff,2\n":           "line 2: text that is not UTF-8",
		"pair,a,b\nx,\"1,2\n":            "line 2",
		"pair,a,b\n2,1,2\n,3,4\n":        `line 3: pair "2" was on line 2 already`,
		"a,b\n\"x\r\r\n\",1\n":           `line 2: "x\r\n": a manifest cannot keep a carriage return`,
		"p\x00a\x00i\x00r\x00,\x00a\x00": "line 1: columns",
	} {
		if err := new(Manifest).read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "none"), dir} {
		if _, err := ReadManifest(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestKeptManifest holds that the copy in the directory names the same files, relative ones from
// there, whatever way the manifest was named, and that it is a manifest itself.
func TestKeptManifest(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	if err := os.MkdirAll("lists/deep", 0o700); err != nil {
		t.Fatal(err)
	}
	text := "pair,a,b\nx,1,../2\ny,/r/3,./4\n"
	if err := os.WriteFile("lists/m.csv", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for k, path := range []string{"lists/m.csv", filepath.Join(root, "lists/deep/../m.csv")} {
		m, err := ReadManifest(path)
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join("out", string(rune('0'+k)))
		want, err := Describe(m, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := begin(out, m, want, nil); err != nil {
			t.Fatal(err)
		}
		kept, err := ReadManifest(filepath.Join(out, listedBy))
		if want := []Pair{{"x", "../../lists/1", "../../2"}, {"y", "/r/3", "../../lists/4"}}; err != nil ||
			!reflect.DeepEqual(kept.Pairs, want) {
			t.Errorf("%s: %q, %v, want %q", path, kept.Pairs, err, want)
		}
	}
}

// TestUnkeptName holds that a file whose name a manifest cannot keep is refused when one is
// written: it would be read under another name.
func TestUnkeptName(t *testing.T) {
	for _, p := range []Pair{{"x\r\n", "1", "2"}, {"x", "1\r\n", "2"}, {"x", "1", "2\r\n3"}} {
		err := (&Manifest{Pairs: []Pair{p}}).Write(new(bytes.Buffer))
		if err == nil || !strings.Contains(err.Error(), "cannot keep a carriage return") {
			t.Errorf("%q: %v", p, err)
		}
	}
}

// FuzzManifest reads made-up manifests: what is read can be written and is read again as the same.
func FuzzManifest(f *testing.F) {
	seeds.Add(f)
	f.Add([]byte("pair,a,b\nx,1,2\n"))
	f.Add([]byte("\ufeffb,a\r\n\"x\"\"\n\",y\r\n"))
	f.Add([]byte("a,b\n1,\"y\r\r\n\"\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var m, again Manifest
		if err := m.read(bytes.NewReader(text)); err != nil {
			return
		}
		var written bytes.Buffer
		if err := m.Write(&written); err != nil {
			t.Fatal(err)
		}
		if err := again.read(&written); err != nil || !reflect.DeepEqual(m, again) {
			t.Fatalf("%q, then %q, %v", m, again, err)
		}
	})
}
