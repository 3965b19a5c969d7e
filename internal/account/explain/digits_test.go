package explain

import "testing"

func TestDigits(t *testing.T) {
	for v, want := range map[float64]string{
		0.876: "0.88", 1: "1", 3.25: "3.2", 99.4: "99", 99.6: "100", 348.6: "349", 1234567: "1234567",
	} {
		if got := digits(v, 2); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}
