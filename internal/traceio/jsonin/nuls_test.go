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
	all.Look(make([]byte, 3<<12+1))
	all.Pass(3)
	if all.Look([]byte("\x00")); all.Stretches != 4 || all.First != 2 {
		t.Errorf("%d stretches from %d on", all.Stretches, all.First)
	}
}

func TestOnlyNuls(t *testing.T) {
	for _, n := range []int{1, 4095, 4096, 4097, 10_000} {
		text := make([]byte, n)
		if !jsonin.OnlyNuls(text) {
			t.Errorf("%d bytes have something else", n)
		}
		if text[n-1] = 'x'; jsonin.OnlyNuls(text) {
			t.Errorf("an end of %d bytes is overlooked", n)
		}
	}
	if jsonin.OnlyNuls(nil) {
		t.Error("nothing is a NUL byte")
	}
}
