package inputtest

import (
	"bytes"
	"compress/bzip2"
	"io"
	"testing"

	"pgregory.net/rapid"
)

// TestBzip2IsReadByAnother: Go's reader unpacks what the writer packs.
func TestBzip2IsReadByAnother(t *testing.T) {
	check := func(t *testing.T, data []byte) {
		got, err := io.ReadAll(bzip2.NewReader(bytes.NewReader(Bzip2(t, data))))
		if err != nil || !bytes.Equal(got, data) {
			t.Fatalf("%d bytes become %d, %v", len(data), len(got), err)
		}
	}
	check(t, nil)
	check(t, bytes.Repeat([]byte("abcdefghij"), 20_000))
	check(t, make([]byte, 1000))
	rapid.Check(t, func(r *rapid.T) {
		check(t, []byte(rapid.StringOfN(rapid.SampledFrom([]rune("aab\x00\n{}")), 0, 400, -1).Draw(r, "text")))
	})
	all := make([]byte, 2048)
	for i := range all {
		all[i] = byte(i * 7)
	}
	check(t, all)
}
