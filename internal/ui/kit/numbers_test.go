package kit

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNumbersInWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Grouped(0), "0"},
		{Grouped(999), "999"},
		{Grouped(1000), "1\u2009000"},
		{Grouped(-1234567), "-1\u2009234\u2009567"},
		{Grouped(-123), "-123"},
		{Plural(1, "call"), "1 call"},
		{Plural(2500, "call"), "2\u2009500 calls"},
		{Percent(0), "0 %"},
		{Percent(.0003), "< 0.1 %"},
		{Percent(.0123), "1.2 %"},
		{Percent(.0996), "10 %"},
		{Percent(1), "100 %"},
		{Counted(12345), "12\u2009345"},
		{Counted(2_500_000_000), "2.5 × 10⁹"},
		{Counted(1 << 63), "9.2 × 10¹⁸"},
		{SignedValue(1500, "ns"), "+1.50 µs"}, {SignedValue(0, "ns"), "0 ns"},
		{SignedValue(-1500, "ns"), "−1.50 µs"},
		{Joined("a", "", "b"), "a  ·  b"},
		{Joined("", ""), ""},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// TestGroupedKeepsTheDigits checks that grouping adds nothing but the spaces between groups of
// three.
func TestGroupedKeepsTheDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int().Draw(t, "n")
		parts := strings.Split(strings.TrimPrefix(Grouped(n), "-"), "\u2009")
		for i, p := range parts {
			if len(p) != 3 && (i > 0 || len(p) > 3 || len(p) == 0) {
				t.Fatalf("%d has the group %q", n, p)
			}
		}
	})
}

func TestRounding(t *testing.T) {
	for v, want := range map[float32]int{0: 0, .5: 1, -.5: 0, 1.49: 1, -1.51: -2} {
		if got := Round(v); got != want {
			t.Errorf("Round(%v) is %d, want %d", v, got, want)
		}
	}
	if Abs(-3) != 3 || Abs(float32(2.5)) != 2.5 || Abs(int64(-7)) != 7 {
		t.Error("Abs keeps a sign")
	}
	for _, c := range [][4]float32{{5, 0, 10, 5}, {-1, 0, 10, 0}, {11, 0, 10, 10}, {5, 8, 6, 6}} {
		if got := Bound(c[0], c[1], c[2]); got != c[3] {
			t.Errorf("%v within %v and %v is %v, want %v", c[0], c[1], c[2], got, c[3])
		}
	}
}
