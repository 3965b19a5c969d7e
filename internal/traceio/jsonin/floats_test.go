package jsonin

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestFloats holds decimal numbers against strconv.
func TestFloats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.StringMatching(`-?[0-9]{1,12}(\.[0-9]{1,14})?([eE][-+]?[0-9]{1,2})?`),
			1, 20).Draw(t, "numbers")
		r := NewReader(strings.NewReader("[" + strings.Join(texts, ", ") + `, "` + strings.Repeat("x", 40) + `"]`))
		i := 0
		for range r.Elements() {
			if i == len(texts) {
				break
			}
			want, err := strconv.ParseFloat(texts[i], 64)
			got, ok := r.Float()
			if err != nil || !ok || got != want {
				t.Fatalf("%s is %v (%v), want %v", texts[i], got, ok, want)
			}
			i++
		}
		if i != len(texts) || r.Err() != nil {
			t.Fatal(fmt.Sprint(i, r.Err()))
		}
		r, i = NewReader(strings.NewReader("["+strings.Join(texts, " ,")+"]")), 0
		for got, ok := range r.Floats() {
			if want, err := strconv.ParseFloat(texts[i], 64); err != nil || !ok || got != want {
				t.Fatalf("in a list, %s is %v (%v), want %v", texts[i], got, ok, want)
			}
			i++
		}
	})
}
