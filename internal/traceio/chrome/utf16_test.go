package chrome_test

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"diptych/internal/traceio/chrome"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/loadtest"
)

// TestUTF16 reads events as PowerShell redirects them, and without the mark, in either order of
// bytes, and beyond the head.
func TestUTF16(t *testing.T) {
	text := `[{"ph":"X","name":"λ","ts":0,"dur":1},` +
		strings.Repeat(" ", input.HeadSize) + `{"ph":"X","name":"g","ts":5,"dur":1}]`
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, mark := range []string{"\ufeff", ""} {
			var wide []byte
			for _, unit := range utf16.Encode([]rune(mark + text)) {
				wide = order.AppendUint16(wide, unit)
			}
			if !chrome.Sniff(&input.Source{Head: wide[:input.HeadSize]}) {
				t.Errorf("%v, %q: it is not recognised", order, mark)
			}
			tr, err := loadtest.Loader(chrome.Load).Bytes("x.json", wide, input.Options{})
			if err != nil || tr.Calls() != 2 || tr.Functions[0].Name != "λ" || len(tr.Diagnostics) > 0 {
				t.Errorf("%v, %q: %v, %v", order, mark, tr, err)
			}
		}
	}
}
