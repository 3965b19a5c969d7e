package geom

import "testing"

func TestFormatRatio(t *testing.T) {
	for r, want := range map[float64]string{1: "1.00×", 1.786: "1.79×", 0.0995: "0.10×", 0.012345: "0.012×",
		9.994: "9.99×", 9.995: "10.0×", 99.94: "99.9×", 1234.5: "1234×", 0: "0×",
		0.001: "0.001×", 6.04e-6: "<0.001×"} {
		if got := FormatRatio(r); got != want {
			t.Errorf("%v: %s, want %s", r, got, want)
		}
	}
}
