package jsonin

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// unquoted returns what a string of the document stands for. Bytes that are no UTF-8 stay where no
// escape is near, for the Builder to write them as text.
func unquoted(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil && len(text) == 0 {
		return string(raw[1 : len(raw)-1])
	}
	return string(text)
}
