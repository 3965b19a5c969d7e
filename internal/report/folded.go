package report

import (
	"bufio"
	"context"
	"io"
	"slices"
	"strconv"
	"strings"

	"diptych/internal/align"
	"diptych/internal/escape"
	"diptych/internal/pair"
	"diptych/internal/progress"
)

// WriteFolded writes the self times of aligned threads as folded stacks, a line for each distinct
// stack of at least one unit: frames from the outermost on, separated by semicolons, and the time
// in the traces' unit. A difference has two times, of A and of B, as FlameGraph's difffolded.pl
// writes them. The outermost frame is the thread, below its process if there are several:
//
//	main;parse;read 1200        main;parse;read 1200 1350
//
// It returns what could not be written.
func WriteFolded(ctx context.Context, w io.Writer, results []*align.Result, sides Sides,
	report progress.Func) (Loss, error) {
	var lost Loss
	groups := threadGroups(results, &lost)
	f := &folded{out: bufio.NewWriterSize(w, block), sides: sides,
		pass: passOver(ctx, groups, report)}
	if len(groups) > 0 {
		f.names = make([]string, len(groups[0].results[0].Pair.Names))
	}
	for _, g := range groups {
		if err := f.group(g, outerFrames(g, groups)); err != nil {
			return nil, err
		}
	}
	stacksLost(f.cut, &lost)
	lost.add(f.idle, "stack takes no time and has no line", "stacks take no time and have no line")
	return lost, f.out.Flush()
}

// folded writes lines of stacks.
type folded struct {
	out       *bufio.Writer
	sides     Sides
	names     []string // of frames, by identity; "" if not needed yet
	line      []byte
	frames    []uint32
	idle, cut int
	*pass
}

// outerFrames returns the frames around the calls of a group. The one thread of a profile, which
// stands for what is counted, gets none.
func outerFrames(g *threadGroup, groups []*threadGroup) string {
	if g.results[0].Pair.Profile() && len(groups) == 1 {
		return ""
	}
	for _, other := range groups {
		if other.process != g.process {
			return frameName(g.process) + ";" + frameName(g.thread) + ";"
		}
	}
	return frameName(g.thread) + ";"
}

// group writes the stacks of a group of threads.
func (f *folded) group(g *threadGroup, outer string) error {
	t, err := gatherStacks(g, f.sides, f.pass)
	if err != nil {
		return err
	}
	f.cut += t.cut
	f.idle += t.idle()
	names := g.results[0].Pair.Names
	for node := range t.frame {
		if t.self[pair.A][node] == 0 && t.self[pair.B][node] == 0 {
			continue // if its callees take time, they have lines with its frame
		}
		if node%stacksPerCheck == 0 && f.ctx.Err() != nil {
			return f.ctx.Err()
		}
		f.frames = t.stack(int32(node), f.frames)
		f.line = append(f.line[:0], outer...)
		for k, id := range slices.Backward(f.frames) {
			f.line = append(f.line, f.name(id, names)...)
			if k > 0 {
				f.line = append(f.line, ';')
			}
		}
		for s, self := range t.self {
			if f.sides.has(pair.Side(s)) {
				f.line = strconv.AppendInt(append(f.line, ' '), self[node], 10)
			}
		}
		if _, err := f.out.Write(append(f.line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// name returns an identity as a frame.
func (f *folded) name(id uint32, names []string) string {
	if f.names[id] == "" {
		f.names[id] = sealFrame(frameName(names[id]))
	}
	return f.names[id]
}

// frameName returns text as one frame: on one line, without the semicolon that separates frames.
func frameName(text string) string {
	if text == "" {
		return "(no name)"
	}
	return strings.ReplaceAll(escape.Line(text), ";", ":")
}

// sealFrame joins a number at the end of a frame to the word before it, since flamegraph.pl would
// take it for a time of its own if the frame ended a stack. It does so in every place of a stack:
// otherwise the self time of a function and its callees would belong to two frames.
//
//	main;GET /x 200          main;GET /x_200
//	main;GET /x 200;write    main;GET /x_200;write
func sealFrame(frame string) string {
	word := strings.TrimRight(frame, ".0123456789")
	number := frame[len(word):]
	if before, found := strings.CutSuffix(word, " "); found && number != "" && number[0] != '.' {
		return before + "_" + number
	}
	return frame
}
