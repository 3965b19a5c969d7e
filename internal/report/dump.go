package report

import (
	"bufio"
	"context"
	"io"
	"strconv"

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
