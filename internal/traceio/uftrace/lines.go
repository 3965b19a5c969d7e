package uftrace

import (
	"errors"
	"io/fs"
	"iter"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// eachLine passes the lines of one file to take, without their ends. A line that take refuses is a
// bad record, as is an empty one. The recorder ends every line, so a last line without an end was
// cut. The error is one of opening or reading.
func (r *recording) eachLine(name string, f *input.Faults, take func(line string) bool) error {
	file, err := r.dir.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	return readLines(f, name, input.Lines(file), take)
}

// readLines passes lines to take, as eachLine does.
func readLines(f *input.Faults, name string, lines iter.Seq2[string, error], take func(line string) bool) error {
	number := 0
	for line, err := range lines {
		if err != nil {
			return err
		}
		number++
		text, ended := strings.CutSuffix(line, "\n")
		text = strings.TrimSuffix(text, "\r")
		if text == "" || strings.ContainsFunc(text, isControl) || !take(text) {
			f.Add(trace.BadRecord, 1, "%s:%d: %.200q", name, number, text)
		}
		if !ended {
			f.Add(trace.Truncated, 1, "%s: the last line has no end", name)
		}
	}
	return nil
}

// isControl tells characters that no recorder writes into a text file. Blanks within kallsyms are
// tabulators.
func isControl(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }

// unread notes that a file which names something could not be read, unless it was never recorded.
func unread(f *input.Faults, name string, err error) {
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.Add(trace.Truncated, 1, "%s: cannot read: %v", name, err)
	}
}
