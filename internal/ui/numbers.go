package ui

import (
	"math"
	"strconv"
	"strings"
	"time"

	"gioui.org/io/pointer"

	"diptych/internal/scene"
	"diptych/internal/typeface"
)

func round(v float32) int { return int(math.Floor(float64(v) + .5)) }

func abs(v float32) float32 { return max(v, -v) }

func pow(base, exp float64) float64 { return math.Pow(base, exp) }

func widthOf(x *scene.Text) float32 { return typeface.Width(x.Text, x.Size, x.Bold) }

// grouped writes n with thousands separated by thin spaces.
func grouped(n int) string {
	s := strconv.Itoa(n)
	var b strings.Builder
	for i, r := range s {
		if i > 0 && (len(s)-i)%3 == 0 && s[i-1] != '-' {
			b.WriteRune('\u2009')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// plural writes a number with its noun.
func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return grouped(n) + " " + noun
}

// clickCount tells double clicks from two clicks.
type clickCount struct {
	n    int
	at   time.Duration
	x, y float32
}

const doubleClick = 350 * time.Millisecond

func (c *clickCount) add(e pointer.Event) int {
	near := abs(e.Position.X-c.x) < 6 && abs(e.Position.Y-c.y) < 6
	if c.n > 0 && near && e.Time-c.at < doubleClick {
		c.n++
	} else {
		c.n = 1
	}
	c.at, c.x, c.y = e.Time, e.Position.X, e.Position.Y
	return c.n
}

// percent writes a share with as many places as tell something.
func percent(share float64) string {
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

// counted writes n in at most a few digits: grouped while it is short, then by powers of ten.
func counted(n uint64) string {
	if n < 1e9 {
		return grouped(int(n))
	}
	exp := int(math.Log10(float64(n)))
	return strconv.FormatFloat(float64(n)/math.Pow(10, float64(exp)), 'f', 1, 64) + " × 10" + superscript(exp)
}

func superscript(n int) string {
	return strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶",
		"7", "⁷", "8", "⁸", "9", "⁹").Replace(strconv.Itoa(n))
}
