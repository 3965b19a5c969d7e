package trace

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestTexts holds that texts of any length are found again.
func TestTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var x textList
		type place struct{ from, to uint32 }
		var want []string
		var places []place
		for range rapid.IntRange(1, 40).Draw(t, "texts") {
			length := rapid.OneOf(rapid.IntRange(1, 100), rapid.IntRange(pieceLen/3, 3*pieceLen),
				rapid.IntRange(pieceLen-1, pieceLen+1)).Draw(t, "length")
			text := strings.Repeat(rapid.StringMatching("[a-z]").Draw(t, "letter"), length)
			from, to, ok := x.add(nil, []byte(text))
			if !ok {
				t.Fatal("refused")
			}
			want, places = append(want, text), append(places, place{from, to})
		}
		for i, p := range places {
			if got := string(x.at(p.from, p.to)); got != want[i] {
				t.Fatalf("text %d of %d bytes came back with %d", i, len(want[i]), len(got))
			}
		}
	})
}

// TestTextsEnd holds that texts are refused beyond what a word can name.
func TestTextsEnd(t *testing.T) {
	x := textList{make([][]byte, 1<<(32-pieceShift))}
	from, to, ok := x.add(nil, make([]byte, pieceLen))
	if !ok || to != 0 || len(x.at(from, to)) != pieceLen {
		t.Errorf("the last piece: from %x to %x, %v", from, to, ok)
	}
	if _, _, ok := x.add(nil, []byte("x")); ok {
		t.Error("a text too many was taken")
	}
}

// TestArgumentsByCall holds byCallOf against a stable sort: with any arguments, and with two parts
// that are in order, as the texts of begins and of ends mostly are.
func TestArgumentsByCall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		calls := rapid.IntRange(1, 2000).Draw(t, "calls")
		args := make([]arg, rapid.IntRange(0, 300).Draw(t, "arguments"))
		for i := range args {
			args[i] = arg{int32(rapid.IntRange(0, calls-1).Draw(t, "call")), uint32(i), uint32(i)}
		}
		if rapid.Bool().Draw(t, "two parts") {
			half := rapid.IntRange(0, len(args)).Draw(t, "begins")
			slices.SortStableFunc(args[:half], byCall)
			slices.SortStableFunc(args[half:], byCall)
		}
		want := slices.Clone(args)
		slices.SortStableFunc(want, byCall)
		if got := byCallOf(nil, args, calls); !slices.Equal(got, want) {
			t.Fatalf("%v, wanted %v", got, want)
		}
	})
}
