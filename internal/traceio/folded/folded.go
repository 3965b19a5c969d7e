// Package folded loads folded stacks, the text that FlameGraph's stackcollapse programs write, and
// many profilers besides (async-profiler, py-spy, inferno, bpftrace, DTrace): a line for each
// stack, outermost frame first, and its number of samples.
//
//	java;start_thread;GCTaskThread::run;SpinPause 7
//
// Times are lost, so a file becomes one pseudo-thread whose axis is the number of samples
// (traceio/stacks). A file of two numbers a line, as difffolded.pl writes it, becomes two.
//
// What a frame says beyond its name is read (frame.go): annotations such as _[k] for the kernel,
// and the file and line in parentheses. Text may be UTF-16 and lines may end with CR LF, as they do
// when made on Windows.
package folded

import (
	"bytes"
	"cmp"
	"context"
	"strconv"
	"strings"

	"diptych/internal/plural"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/stacks"
)

// longestLine is the longest line that is read, in bytes.
const longestLine = 16 << 20

// reader makes profiles of lines.
type reader struct {
	b      *trace.Builder
	tree   *stacks.Tree
	sums   []*stacks.Rounded // a column of numbers each
	frames map[string]trace.FuncID
	stack  []trace.FuncID
	parts  []string
	lines  int // that are stacks
}

// Load reads the stacks into b. It fails if there is none.
func Load(ctx context.Context, src *input.Source, o input.Options, b *trace.Builder) error {
	b.Kind, b.Unit, b.Symbols = trace.Profile, "count", true
	names := []string{"samples"}
	if columns(input.IntactHead(src.Head)) == 2 {
		names = []string{"samples 1", "samples 2"}
	}
	r := &reader{b: b, tree: stacks.NewTree(), frames: map[string]trace.FuncID{}}
	for range names {
		r.sums = append(r.sums, stacks.NewRounded(stacks.NewProfile(r.tree, b, "count")))
	}
	if err := r.read(ctx, src); err != nil {
		return err
	}
	for k, name := range names {
		t := b.Thread(name, -1)
		t.SetRole(name, false)
		if len(names) > 1 {
			t.SetKind(trace.SampleType)
		} else {
			b.SampleType = name
		}
		t.SetSort(k)
		r.sums[k].Write(t)
	}
	return ctx.Err()
}

// checkEvery is how many lines are read before the context is asked again.
const checkEvery = 1 << 10

func (r *reader) read(ctx context.Context, src *input.Source) error {
	offset, number := int64(0), 0
	for line, err := range input.LinesUpTo(input.PlainText(src.Stream), longestLine) {
		if number++; number%checkEvery == 1 {
			if err := cmp.Or(ctx.Err(), r.afford(src, 0)); err != nil {
				return err
			}
		}
		if err != nil {
			if r.lines == 0 {
				return &input.FormatError{File: src.Path, Offset: offset, Reason: "no stack", Err: err}
			}
			r.b.Diagnose(trace.Truncated, 1, "at offset %d: %v", offset, err)
			break
		}
		if len(line) > longLine {
			if err := r.afford(src, strings.Count(line, ";")); err != nil {
				return err
			}
		}
		if text := strings.TrimRight(line, " \t\r\n"); text != "" {
			r.line(text, number, offset)
		}
		offset += int64(len(line))
	}
	if r.lines == 0 {
		return &input.FormatError{File: src.Path, Offset: offset, Reason: "no stack"}
	}
	return nil
}

// longLine is a line that is looked at by itself before it is decoded, in bytes.
const longLine = 64 << 10

// afford returns an error if what was read, and so many frames more, takes too much memory.
func (r *reader) afford(src *input.Source, frames int) error {
	return stacks.Afford(src, len(r.frames)+frames, r.tree.Len()+frames, 0)
}

// line reads a line that is not empty.
func (r *reader) line(text string, number int, offset int64) {
	if strings.IndexByte(text, 0) >= 0 {
		r.b.Diagnose(trace.BadRecord, 1, "line %d (offset %d) holds a zero byte: %.100q", number, offset, text)
		return
	}
	stack, values, ok := cutNumbers(text, len(r.sums))
	if !ok {
		if text[0] != '#' {
			r.b.Diagnose(trace.BadRecord, 1, "line %d (offset %d) does not end with %s: %.100s",
				number, offset, plural.Of(len(r.sums), "number"), text)
		}
		return
	}
	if strings.Contains(text, "\r") {
		r.b.Diagnose(trace.BadRecord, 1, "line %d (offset %d) has a carriage return in it: %.100q", number, offset, text)
		return
	}
	r.lines++
	r.parts = splitFrames(r.parts[:0], stack)
	r.stack = r.stack[:0]
	for _, part := range r.parts {
		r.stack = append(r.stack, r.function(part))
	}
	n := r.tree.Stack(r.stack)
	if values == [2]value{} {
		r.b.Diagnose(trace.NotRead, 1, "line %d (offset %d): a stack of 0 samples, which adds nothing to "+
			"a sum", number, offset)
	}
	for k, v := range values[:len(r.sums)] {
		if v.inexact != 0 {
			r.sums[k].Add(n, v.inexact)
		} else {
			r.sums[k].AddWhole(n, v.whole)
		}
	}
}

func (r *reader) function(text string) trace.FuncID {
	fn, known := r.frames[text]
	if !known {
		text = strings.Clone(text) // not the whole line
		fn = r.b.Function(readFrame(text))
		r.frames[text] = fn
	}
	return fn
}

// value is a number of samples. Sums of bytes or ns can have more digits than a float64.
type value struct {
	whole   int64
	inexact float64 // 0, or a number that is not of digits alone or too large for an int64
}

// cutNumbers cuts the numbers off that end a line. What is left is the stack.
func cutNumbers(line string, columns int) (stack string, values [2]value, ok bool) {
	for k := columns - 1; k >= 0; k-- {
		i := strings.LastIndexAny(line, " \t")
		if i < 0 {
			return "", values, false
		}
		v, err := number(line[i+1:])
		if err != nil {
			return "", values, false
		}
		values[k], line = v, strings.TrimRight(line[:i], " \t")
	}
	return line, values, line != ""
}

// number reads a number as the tools write it: awk writes 1e+06, and a few programs fractions.
func number(text string) (v value, err error) {
	if digits := strings.TrimPrefix(text, "-"); digits == "" || digits[0] < '0' || digits[0] > '9' {
		return v, strconv.ErrSyntax
	}
	if v.whole, err = strconv.ParseInt(text, 10, 64); err != nil {
		v.whole = 0
		v.inexact, err = strconv.ParseFloat(text, 64)
	}
	return v, err
}

// headLines yields the lines of a head that are whole and neither empty nor a comment.
func headLines(head []byte) (lines []string) {
	full := len(head) >= input.HeadSize/2 // also of UTF-16, which is half as long as UTF-8
	for len(head) > 0 {
		line, rest, ended := bytes.Cut(head, []byte("\n"))
		if head = rest; !ended && full && len(lines) > 0 {
			break
		}
		if text := strings.TrimRight(string(line), " \t\r"); text != "" && text[0] != '#' {
			lines = append(lines, text)
		}
	}
	return lines
}

// columns returns how many numbers each line of a file has: 2 if all of its beginning has two.
func columns(head []byte) int {
	for _, line := range headLines(head) {
		if _, _, ok := cutNumbers(line, 2); !ok {
			return 1
		}
	}
	return 2
}

// Sniff reports whether the source is text of which three lines in four are a stack and a number,
// and one has a caller. A stack of deep recursion can be longer than the head, which does not show
// its number then: it is known by its frames, many of which occur again. Formats that say what they
// are must be asked first.
func Sniff(src *input.Source) bool {
	head := input.IntactHead(src.Head)
	lines := headLines(head)
	stacks, called := 0, false
	for _, line := range lines {
		stack, _, ok := cutNumbers(line, 1)
		if ok && !strings.Contains(stack, "\r") { // lines that end with it alone are none here
			stacks++
			called = called || strings.Contains(stack, ";")
		}
	}
	if stacks == 0 && len(lines) == 1 && len(head) >= input.HeadSize/2 {
		return recurs(lines[0])
	}
	return called && 4*stacks >= 3*len(lines)
}

// recurs reports whether more than half of the frames of a stack occur in it before.
func recurs(stack string) bool {
	seen := map[string]bool{}
	frames := 0
	for frame := range strings.SplitSeq(stack, ";") {
		frames++
		seen[frame] = true
	}
	return 2*len(seen) < frames
}
