package report

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"diptych/internal/align"
)

// linesPerCheck is how many lines are written between two looks at the context.
const linesPerCheck = 1 << 18

// WriteDump writes the alignments of thread pairs as JSON lines in virtual order, one for each pair
// of calls and each call without a partner:
//
//	{"state":"equal","a":3,"b":4,"parent":2}
//
// a and b are pre-order indices in the threads, null where the call is missing; parent is the line
// of the callers, or of the level around that alignment passes through, −1 for none; lines count
// from 0. Where there are several thread pairs, each line names its own by its index, as "pair".
func WriteDump(ctx context.Context, w io.Writer, results []*align.Result) error {
	out := bufio.NewWriterSize(w, 1<<20)
	lines := 0
	var line []byte
	for k, r := range results {
		first := lines
		for n := range r.Walk {
			line = append(line[:0], `{"state":"`...)
			line = append(append(line, n.State.String()...), `","a":`...)
			line = append(appendCall(line, n.A), `,"b":`...)
			line = append(appendCall(line, n.B), `,"parent":`...)
			parent := n.Parent
			if parent >= 0 {
				parent += first
			}
			line = strconv.AppendInt(line, int64(parent), 10)
			if len(results) > 1 {
				line = strconv.AppendInt(append(line, `,"pair":`...), int64(k), 10)
			}
			line = append(line, "}\n"...)
			if _, err := out.Write(line); err != nil {
				return err
			}
			if lines++; lines%linesPerCheck == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	return out.Flush()
}

func appendCall(line []byte, i int32) []byte {
	if i == align.None {
		return append(line, "null"...)
	}
	return strconv.AppendInt(line, int64(i), 10)
}

// WriteAlign writes a as one JSON object. If results are given, it also writes a member "walk": the
// list of the objects that WriteDump writes for them. a must describe these results.
func WriteAlign(ctx context.Context, w io.Writer, a *Align, results []*align.Result) error {
	text, err := json.Marshal(a, jsontext.WithIndent("  "), json.Deterministic(true))
	if err != nil {
		return err
	}
	if results == nil {
		_, err = w.Write(append(text, '\n'))
		return err
	}
	body := bytes.TrimSuffix(text, []byte("\n}"))
	if _, err := w.Write(append(body, ",\n  \"walk\": [\n"...)); err != nil {
		return err
	}
	if err := WriteDump(ctx, &list{out: w}, results); err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n  ]\n}\n")
	return err
}

// list makes the elements of a JSON list of lines: all but the last get a comma.
type list struct {
	out  io.Writer
	ends bool // what was written last ends a line
}

func (l *list) Write(text []byte) (int, error) {
	n := len(text)
	if n == 0 {
		return 0, nil
	}
	if l.ends {
		if _, err := io.WriteString(l.out, ",\n"); err != nil {
			return 0, err
		}
	}
	text, l.ends = bytes.CutSuffix(text, []byte("\n"))
	if _, err := l.out.Write(bytes.ReplaceAll(text, []byte("\n"), []byte(",\n"))); err != nil {
		return 0, err
	}
	return n, nil
}
