package jsonin

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestStringsEnd holds the search by words of eight bytes against one byte by byte.
func TestStringsEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "bc", "12345678", `\\`, `\"`, `"`, "\xff",
			"\x01", "!", "#", "]"}), 0, 20).Draw(t, "parts")
		text := []byte(strings.Join(parts, ""))
		from := rapid.IntRange(0, len(text)).Draw(t, "from")
		want := -1
		for i := from; i < len(text); i++ {
			if text[i] == '\\' {
				i++
			} else if text[i] == '"' {
				want = i
				break
			}
		}
		if got := StringEnd(text, from); got != want {
			t.Fatalf("%q from %d ends at %d, want %d", text, from, got, want)
		}
	})
}

// TestText holds the decoding of strings against encoding/json, which writes U+FFFD for each byte
// that is no UTF-8, and for half a surrogate pair.
func TestText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{`a`, ` `, `é`,
			`\n`, `\"`, `\\`, `\/`, `\u00e9`, `\ud83d`, `\ude00`,
			`\u0000`, "\xff", "\xe2\x82", `😀`})).Draw(t, "parts")
		raw := strings.Join(parts, "")
		var want string
		if err := json.Unmarshal([]byte(`"`+raw+`"`), &want); err != nil {
			t.Fatal(err)
		}
		halves := strings.NewReplacer("\xed\xa0\xbd", "\uFFFD", "\xed\xb8\x80", "\uFFFD")
		got := Text([]byte(raw))
		if got = string([]rune(halves.Replace(got))); got != want {
			t.Fatalf("%q: %q, want %q", raw, got, want)
		}
	})
}

// TestLeadingDecimals holds the short way to decode a number against strconv.
func TestLeadingDecimals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`-?[0-9]{1,9}(\.[0-9]{0,9})?(e3)?`).Draw(t, "number")
		got, n := leadingDecimal([]byte(text + ","))
		ok := n == len(text)
		if want, err := strconv.ParseFloat(text, 64); ok && (err != nil || got != want) {
			t.Fatalf("%s: %g, want %g, %v", text, got, want, err)
		}
		if n > 0 && !ok {
			t.Fatalf("%s ends after %d bytes", text, n)
		}
		if f, n := leadingDecimal([]byte(text)); n > 0 {
			t.Fatalf("%s, of which no end shows, is %g", text, f)
		}
		if short := len(text) <= 10 && !strings.Contains(text, "e"); short && !ok {
			t.Fatalf("%s is left to strconv", text)
		}
	})
	for _, text := range []string{"", "-", ".", ".5", "--1", "1-", "1.2.3", "1e3", "12345678901234567"} {
		if f, n := leadingDecimal([]byte(text + ",")); n > 0 {
			t.Error(fmt.Sprint(text, " is ", f))
		}
	}
}
