package pprof

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"diptych/internal/trace"
)

// fieldOf returns a field of a message: a number, or bytes.
func fieldOf(field protowire.Number, body any) []byte {
	switch v := body.(type) {
	case int:
		return appendNumber(nil, field, uint64(v))
	case string:
		return protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), []byte(v))
	}
	return protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), body.([]byte))
}

func messageOf(parts ...[]byte) []byte { return slices.Concat(parts...) }

// TestOneBadNumber: a record that breaks a rule is left out and counted, and all others are kept.
func TestOneBadNumber(t *testing.T) {
	sample := func(value int, locations ...int) []byte {
		var m []byte
		for _, l := range locations {
			m = append(m, fieldOf(1, l)...)
		}
		return fieldOf(2, append(m, fieldOf(2, value)...))
	}
	location := func(id, function int) []byte {
		return fieldOf(4, messageOf(fieldOf(1, id), fieldOf(4, fieldOf(1, function))))
	}
	function := func(id, name int) []byte { return fieldOf(5, messageOf(fieldOf(1, id), fieldOf(2, name))) }
	sound := messageOf(fieldOf(1, messageOf(fieldOf(1, 1), fieldOf(2, 2))), sample(5, 1, 2), sample(7, 2),
		location(1, 1), location(2, 2), function(1, 3), function(2, 4))
	var texts []byte
	for _, s := range []string{"", "cpu", "nanoseconds", "main", "run"} {
		texts = append(texts, fieldOf(6, s)...)
	}
	for what, c := range map[string]struct {
		more []byte
		want string // a diagnostic
		sum  int64
	}{
		"nothing":            {nil, "", 12},
		"location 0":         {sample(3, 2, 0), "at offset 48: location 0, which cannot be", 15},
		"packed":             {fieldOf(2, messageOf(fieldOf(1, "\x01\x00"), fieldOf(2, 1))), "location 0", 13},
		"two values":         {fieldOf(2, messageOf(fieldOf(1, 1), fieldOf(2, "\x01\x02"))), "a sample with 2 values of 1 sample type", 12},
		"location again":     {location(2, 1), "another location 2", 12},
		"location without":   {location(0, 1), "a location without a number", 12},
		"function again":     {function(1, 4), "another function 1", 12},
		"function without":   {fieldOf(5, fieldOf(2, 4)), "a function without a number", 12},
		"a line of nothing":  {messageOf(location(3, 0), sample(4, 3, 2)), "function 0, which cannot be", 16},
		"mapping again":      {messageOf(fieldOf(3, fieldOf(1, 1)), fieldOf(3, fieldOf(1, 1))), "another mapping 1", 12},
		"a string too far":   {messageOf(function(3, 1<<40), location(3, 3), sample(4, 3)), "string 1099511627776", 16},
		"a missing location": {sample(4, 9), "names that are missing are shown as ?1", 16},
	} {
		tr, err := tryLoad(messageOf(sound, c.more, texts), "")
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		told := ""
		for _, d := range tr.Diagnostics {
			told += string(d.Code) + " " + d.Example + "\n"
		}
		if tr.Duration != c.sum || !strings.Contains(told, c.want) || c.want == "" && told != "" {
			t.Errorf("%s: %d ns, %s", what, tr.Duration, told)
		}
	}
	tr, err := tryLoad(messageOf(sound, fieldOf(6, "x"), texts[2:]), "")
	if err != nil || tr.Diagnostics[0].Code != trace.BadRecord ||
		!strings.Contains(tr.Diagnostics[0].Example, `the first string is "x" and not empty`) {
		t.Errorf("a first string: %v, %v", tr, err)
	}
}
