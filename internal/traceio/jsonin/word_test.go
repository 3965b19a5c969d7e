package jsonin

import (
	"strings"
	"testing"
)

func TestWordsAndWindow(t *testing.T) {
	r := NewReader(strings.NewReader(`[12345678901234567890, true, null, "x", 7, {"a":1}, 3]`))
	var words []string
	i := 0
	for range r.Elements() {
		if i == 5 {
			if w := string(r.Window()); w != `{"a":1}, 3]` {
				t.Errorf("window %s", w)
			}
			r.Take(len(`{"a":1}`))
		} else {
			words = append(words, r.Word())
		}
		i++
	}
	if got := strings.Join(words, "|"); got != "12345678901234567890|true|||7|3" || r.Err() != nil {
		t.Errorf("%s, %v", got, r.Err())
	}
	if n, _ := r.Misfits(); n != 1 {
		t.Errorf("%d misfits", n)
	}
	if r.Skip(); r.Err() == nil || r.Window() != nil {
		t.Error("there is more after the end")
	}
}

// TestNames: names that come again, alike ones, and more of them than are kept.
func TestNames(t *testing.T) {
	var text strings.Builder
	var want []string
	for k := range 2000 {
		name := strings.Repeat("n", k%300+1) + string(rune('a'+k%26))
		want = append(want, name)
		text.WriteString(`{"` + name + `":1}`)
	}
	want = append(want, "")
	text.WriteString(`{"":1}`)
	r := NewReader(strings.NewReader(text.String()))
	for k := 0; !r.End(); k++ {
		for name := range r.Members() {
			if name != want[k] {
				t.Fatalf("name %d is %q, want %q", k, name, want[k])
			}
		}
	}
}
