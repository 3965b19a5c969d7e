package input

import (
	"fmt"
	"strings"
)

// Format says which formats traces are read as, A's and B's, whatever they look like. An empty name
// leaves it to the content. As a flag it is one name for both sides, or two with a comma between
// them; an empty name or auto stands for the content's own.
type Format [2]string

const byContent = "auto"

// On returns the same format for both sides, the one of a side.
func (f Format) On(side int) Format { return Format{f[side], f[side]} }

// One returns the name of the format that a single trace is read as.
func (f Format) One() (string, error) {
	if f[0] != f[1] {
		return "", fmt.Errorf("%q: these are formats of two traces, and only one is read", f.String())
	}
	return f[0], nil
}

// String returns the format as a flag is written.
func (f Format) String() string {
	if f[0] == f[1] {
		return f[0]
	}
	names := f
	for i := range names {
		if names[i] == "" {
			names[i] = byContent
		}
	}
	return names[0] + "," + names[1]
}

// Set makes Format a flag. Whether there are such formats is for the loaders to say.
func (f *Format) Set(text string) error {
	a, b, two := strings.Cut(text, ",")
	if !two {
		b = a
	}
	for i, name := range []string{a, b} {
		if name = strings.TrimSpace(name); name == byContent {
			name = ""
		}
		f[i] = name
	}
	return nil
}

// Type names the flag's value in help texts.
func (f *Format) Type() string { return "FORMAT" }
