package input

import (
	"bytes"
	"io"
	"testing"
)

func TestPlainText(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                           "plain",
		"\xef\xbb\xbfa;b 1\n":             "a;b 1\n",
		"\xff\xfea\x00;\x00\xe9\x00":      "a;é",
		"\xfe\xff\x00a\x00;\x00\xe9":      "a;é",
		"\xff\xfea\x00\x3d\xd8\x00\xde":   "a😀",
		"\xff\xfea\x00b":                  "a\ufffd", // ends within a unit
		"\xff":                            "\xff",
		"a\x00;\x00b\x00 \x001\x00":       "a;b 1",                        // without the mark
		"\x00a\x00;\x00b\x00 \x00\xe9":    "\x00a\x00;\x00b\x00 \x00\xe9", // no letter of ASCII
		"\x00a\x00;\x00b\x00 \x001\x00\n": "a;b 1\n",
		"a\x00;\x00b\x00":                 "a\x00;\x00b\x00", // too short to be certain
		"a\x00;\x00b\x00 1":               "a\x00;\x00b\x00 1",
		"a\x00;\x00b\x00\x01\x00 \x00":    "a\x00;\x00b\x00\x01\x00 \x00",
		"":                                "",
	} {
		got, err := io.ReadAll(PlainText(bytes.NewReader([]byte(text))))
		if err != nil || string(got) != want {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
		head := PlainHead([]byte(text))
		if string(head) != want && want != "a\ufffd" {
			t.Errorf("the head %q is %q, want %q", text, head, want)
		}
	}
}
