package geom

import (
	"fmt"
	"math"
	"strconv"
)

// FormatRatio writes a ratio with three digits, or as a whole number where that has more: "1.79×".
// One that is next to nothing has no digits that mean anything: "<0.001×"; nor has one beyond all
// bounds, ">99999×", whose digits fill a column. Of something that one side does not have, such as
// the upper end of an interval, it is "∞×".
func FormatRatio(r float64) string {
	switch {
	case math.IsInf(r, 1):
		return "∞×"
	case r >= 99999.5:
		return ">99999×"
	case r >= 99.95:
		return fmt.Sprintf("%.0f×", r)
	case r >= 9.995:
		return fmt.Sprintf("%.1f×", r)
	case r >= 0.0995:
		return fmt.Sprintf("%.2f×", r)
	case r > 0 && r < 0.001:
		return "<0.001×"
	}
	return fmt.Sprintf("%.2g×", r)
}

// FormatShare writes a share in percent: 0.123 is "12 %", 0.0123 is "1.2 %".
func FormatShare(share float64) string {
	switch p := share * 100; {
	case p == 0:
		return "0 %"
	case p < .095:
		return "< 0.1 %"
	case p < 9.95:
		return strconv.FormatFloat(p, 'f', 1, 64) + " %"
	default:
		return strconv.FormatFloat(p, 'f', 0, 64) + " %"
	}
}
