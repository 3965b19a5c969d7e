//go:build nogui

package cli

import (
	"io"

	"diptych/internal/batch/trend"
)

// writeTrendPNG says what this build lacks.
func writeTrendPNG(io.Writer, *trend.Trend) error { return errNoWindow }
