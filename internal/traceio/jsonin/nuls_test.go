package jsonin_test

import (
	"strings"
	"testing"
	"testing/iotest"

	"diptych/internal/traceio/jsonin"
)

// TestNuls has NUL bytes in a name, in a text and between values. Each stretch is counted once,
// however the text comes.
func TestNuls(t *testing.T) {
	const text = "{\"n\x00\x00\x00e\":1,\x00\x00\"t\":\"a\x00\"}"
	r := jsonin.NewReader(iotest.OneByteReader(strings.NewReader(text)))
	got := ""
	for name := range r.Members() {
		got += name
	}
	n, first := r.Misfits()
	if got != "n\x00\x00\x00et" || n != 3 || first != "at offset 3: a NUL byte" || r.Err() != nil {
		t.Errorf("names %q, %d misfits, %q, %v", got, n, first, r.Err())
	}
	var all jsonin.Nuls
	for _, piece := range []string{"ab\x00", "", "\x00", "\x00c\x00", "d", "\x00"} {
		all.Look([]byte(piece))
	}
	all.Pass(3)
	if all.Look([]byte("\x00")); all.Stretches != 4 || all.First != 2 {
		t.Errorf("%d stretches from %d on", all.Stretches, all.First)
	}
}
