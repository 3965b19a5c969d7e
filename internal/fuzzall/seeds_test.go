package main

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"diptych/internal/fuzzall/seeds"
)

func TestSeedsAreParsed(t *testing.T) {
	got, err := seeds.Parse(seeds.Format + "[]byte(\"a\\n(\\x00)\")\nstring(\"go test fuzz v1\\n\")\nuint16(65535)\n" +
		"int(-3)\nuint64(18446744073709551615)\nbool(true)\n")
	want := []any{[]byte("a\n(\x00)"), "go test fuzz v1\n", uint16(65535), -3, uint64(1<<64 - 1), true}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%#v, %v", got, err)
	}
	for _, bad := range []string{"", "string(\"x\")\n", seeds.Format + "string(\"x\"\n", seeds.Format + "string(x)\n",
		seeds.Format + "uint16(65536)\n", seeds.Format + "uint32(1)2)\n", seeds.Format + "float64(1)\n", seeds.Format + "\n",
		seeds.Format + "int(0x1)\n", seeds.Format + "bool(2)\n"} {
		if got, err := seeds.Parse(bad); err == nil {
			t.Errorf("%q is %#v", bad, got)
		}
	}
}

func TestSeedsAreReadFromOneFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "F.seeds")
	if got, err := seeds.Read(path); err != nil || got != nil {
		t.Errorf("without a file: %q, %v", got, err)
	}
	for text, want := range map[string][]string{
		"":           {},
		seeds.Format: {seeds.Format},
		seeds.Format + "a\n" + seeds.Format + "b\n" + "c\n": {seeds.Format + "a\n", seeds.Format + "b\nc\n"},
		"a" + seeds.Format: nil,
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := seeds.Read(path)
		if (err != nil) != (want == nil) || len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%q has %q, %v; want %q", text, got, err, want)
		}
	}
}
