package uftrace

import (
	"errors"
	"io/fs"
	"iter"
	"math"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// faults counts what is wrong with a part of a recording, with the first example of each kind.
// Parts that are read at the same time have a list each, and the lists reach the Builder in a fixed
// order: so which example is told does not depend on which part was read first.
type faults []fault

type fault struct {
	code    trace.Code
	count   uint64
	example trace.Example
}

func (f *faults) add(c trace.Code, n uint64, format string, args ...any) {
	f.addAs(c, n, trace.NewExample(format, args...))
}

func (f *faults) addAs(c trace.Code, n uint64, example trace.Example) {
	for i := range *f {
		if d := &(*f)[i]; d.code == c {
			d.count += min(n, math.MaxUint64-d.count)
			return
		}
	}
	*f = append(*f, fault{c, n, example})
}

// handOver counts the faults in the trace.
func (f faults) handOver(b *trace.Builder) {
	for _, d := range f {
		b.DiagnoseAs(d.code, d.count, d.example)
	}
}

// eachLine passes the lines of one file to take, without their ends. A line that take refuses is a
// bad record, as is an empty one. The recorder ends every line, so a last line without an end was
// cut. The error is one of opening or reading.
func (r *recording) eachLine(name string, f *faults, take func(line string) bool) error {
	file, err := r.dir.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	return f.readLines(name, input.Lines(file), take)
}

// readLines passes lines to take, as eachLine does.
func (f *faults) readLines(name string, lines iter.Seq2[string, error], take func(line string) bool) error {
	number := 0
	for line, err := range lines {
		if err != nil {
			return err
		}
		number++
		text, ended := strings.CutSuffix(line, "\n")
		text = strings.TrimSuffix(text, "\r")
		if text == "" || strings.ContainsFunc(text, isControl) || !take(text) {
			f.add(trace.BadRecord, 1, "%s:%d: %.200q", name, number, text)
		}
		if !ended {
			f.add(trace.Truncated, 1, "%s: the last line has no end", name)
		}
	}
	return nil
}

// isControl tells characters that no recorder writes into a text file. Blanks within kallsyms are
// tabulators.
func isControl(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }

// unread notes that a file which names something could not be read, unless it was never recorded.
func unread(f *faults, name string, err error) {
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.add(trace.Truncated, 1, "%s: cannot read: %v", name, err)
	}
}
