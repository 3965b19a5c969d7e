package pair

import (
	"fmt"
	"slices"
	"strings"
)

// Recorded is what the tool was told for one side alone, by side (trace.Trace.Options). There is
// none if a file does not say, or if they are of two formats.
type Recorded [2][]string

// Recorded compares how the two sides were recorded.
func (p *Pair) Recorded() (r Recorded) {
	a, b := p.A, p.B
	if a == nil || b == nil || a.Format != b.Format || a.Options == nil || b.Options == nil {
		return r
	}
	return Recorded{without(a.Options, b.Options), without(b.Options, a.Options)}
}

// without returns those of a list that another one lacks.
func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(option string) bool {
		return slices.Contains(other, option)
	})
}

// Differ reports whether the sides were recorded otherwise.
func (r Recorded) Differ() bool { return len(r[A])+len(r[B]) > 0 }

// String says what differs and what that means, "" if nothing does.
func (r Recorded) String() string {
	var what string
	switch {
	case !r.Differ():
		return ""
	case len(r[B]) == 0:
		what = fmt.Sprintf("A was recorded with %s and B without", OptionList(r[A]))
	case len(r[A]) == 0:
		what = fmt.Sprintf("B was recorded with %s and A without", OptionList(r[B]))
	default:
		what = fmt.Sprintf("A was recorded with %s and B with %s", OptionList(r[A]), OptionList(r[B]))
	}
	return what + ", so what only one of them has can be due to that alone"
}

// OptionList lists options in a line: the first ones, if there are many.
func OptionList(list []string) string {
	const most = 3
	if n := len(list) - most; n > 1 {
		return fmt.Sprintf("%s and %d more options", strings.Join(list[:most], ", "), n)
	}
	return strings.Join(list, ", ")
}
