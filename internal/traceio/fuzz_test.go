package traceio_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"diptych/internal/fuzzall/seeds"
	"diptych/internal/traceio/input/inputtest"
)

// FuzzFile loads files of any content, which reach the formats through unpacking and unrolling:
// each ends in a sound trace or in an error of one line. The seeds are a small uftrace directory as
// an archive, packed and not.
func FuzzFile(f *testing.F) {
	seeds.Add(f)
	packed, err := os.ReadFile("testdata/small.data.tar.gz")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(packed)
	f.Add(gunzipped(f, packed))
	f.Add([]byte(`{"traceEvents":[{"ph":"X","name":"f","ts":0,"dur":1}]}`))
	f.Add(inputtest.Zip(f, files3("n", "text", "a.json", string(oneCall("f")))...))
	for _, pack := range inputtest.Packings {
		f.Add(pack(f, oneCall("f")))
	}
	f.Add([]byte("heap profile: 1: 2 [3: 4] @ heap/8\n1: 2 [3: 4] @ 0x10 0x20\n"))
	path := filepath.Join(f.TempDir(), "fuzzed")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		tr, err := load(path)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") || tr != nil {
				t.Errorf("a trace %v and error %q", tr != nil, err)
			}
			return
		}
		checkTrace(t, tr, "fuzzed")
	})
}
