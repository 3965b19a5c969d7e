package trace

import (
	"fmt"
	"slices"

	"diptych/internal/quantity"
)

// Since is a time in the text of a diagnostic, as the Builder gets it. The text says it since the
// trace's first event, as all views do: "end of f at 1.15 ms closes nothing", where the recording
// may have 1795368595284257369 ns.
type Since int64

// Length is a length of time in the text of a diagnostic, or an amount in the unit of the trace.
type Length int64

// Example is the text of a diagnostic. It is written at once unless a Since or a Length is among
// its arguments: only the complete trace has a first event and a unit. The arguments of such a text
// must not change meanwhile.
type Example struct {
	text   string
	format string // if it is still to be written
	args   []any
}

// NewExample makes a text.
func NewExample(format string, args ...any) Example {
	args = plainArgs(args)
	for _, a := range args {
		switch a.(type) {
		case Since, Length:
			return Example{format: format, args: args}
		}
	}
	return Example{text: fmt.Sprintf(format, args...)}
}

// After returns the example with a text before it.
func (e Example) After(text string) Example {
	if e.format == "" {
		return Example{text: text + e.text}
	}
	return Example{format: "%s" + e.format, args: slices.Insert(slices.Clone(e.args), 0, any(text))}
}

// String writes it as if the trace began at 0.
func (e Example) String() string { return e.write(0, Nanoseconds) }

// write writes it for a trace whose first event is at first.
func (e Example) write(first int64, unit Unit) string {
	if e.format == "" {
		return e.text
	}
	args := slices.Clone(e.args)
	for i, a := range args {
		switch v := a.(type) {
		case Since:
			args[i] = quantity.Format(float64(int64(v)-first), string(unit))
		case Length:
			args[i] = quantity.Format(float64(v), string(unit))
		}
	}
	return fmt.Sprintf(e.format, args...)
}
