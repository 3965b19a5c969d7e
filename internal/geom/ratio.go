package geom

import "fmt"

// FormatRatio writes a ratio with three digits, or as a whole number where that has more: "1.79×".
func FormatRatio(r float64) string {
	switch {
	case r >= 99.95:
		return fmt.Sprintf("%.0f×", r)
	case r >= 9.995:
		return fmt.Sprintf("%.1f×", r)
	case r >= 0.0995:
		return fmt.Sprintf("%.2f×", r)
	}
	return fmt.Sprintf("%.2g×", r)
}
