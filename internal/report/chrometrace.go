package report

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"diptych/internal/align"
	"diptych/internal/progress"
)

// WriteChrome writes aligned threads in the Trace Event Format (JSON), which Chrome, Perfetto and
// this program open: for each pair a process with threads for A, B and the status, whose slices are
// complete events, and counters of the skew in the traces' unit and the dissimilarity in [0,1].
// Everything of a pair is on the pair's own virtual time, from 0 at the first root; real times and
// states are arguments.
//
// Complete events say less than a call tree: a slice without width at the border of another may be
// read as nested in it.
//
// If bare is set, slices have no arguments, for programs that take those for a part of the name and
// so find no two calls alike. Those of the status are then called by their functions.
func WriteChrome(ctx context.Context, w io.Writer, results []*align.Result, bare bool,
	report progress.Func) error {
	c := &chrome{out: w, bare: bare, frames: map[frame][]byte{}, pass: newPass(ctx, results, 2, report)}
	c.text = append(c.text, `{"displayTimeUnit":"ns","traceEvents":[`...)
	for k, r := range results {
		v, err := r.Virtual(ctx)
		if err == nil {
			err = c.pair(ctx, &layout{Virtual: v}, k+1)
		}
		if err != nil {
			return err
		}
	}
	c.text = append(c.text, "\n]}\n"...)
	c.flush()
	return c.err
}

// chrome writes events. The first error stays.
type chrome struct {
	out  io.Writer
	text []byte // events that have not been written yet
	some bool   // there was an event
	err  error
	*pass

	bare   bool
	names  []string         // by identity
	labels [][]byte         // as JSON strings, by label
	frames map[frame][]byte // as JSON strings, if bare
}

func (c *chrome) flush() {
	if c.err == nil {
		_, c.err = c.out.Write(c.text)
	}
	c.text = c.text[:0]
}

// pair writes a pair of threads as process pid.
func (c *chrome) pair(ctx context.Context, l *layout, pid int) error {
	c.quoteLabels(l.Pair.Names)
	c.metadata("process_name", pid, 0, quoted(title(l.Result)))
	for t, slices := range l.tracks() {
		c.metadata("thread_name", pid, t+1, quoted(trackNames[t]))
		if err := c.slices(slices, pid, t+1); err != nil {
			return err
		}
	}
	t, err := l.timeline(ctx)
	if err != nil {
		return err
	}
	unit := string(l.Pair.A.Unit)
	for k := range t.Skew {
		at := l.sampled(k)
		c.count("skew", unit, pid, at, strconv.FormatInt(t.Skew[k], 10))
		c.count("dissimilarity", "share", pid, at,
			strconv.FormatFloat(t.Dissimilarity[k], 'g', -1, 64))
	}
	return c.err
}

// quoteLabels prepares the labels, which are the same for all pairs of two traces.
func (c *chrome) quoteLabels(names []string) {
	if c.labels != nil {
		return
	}
	c.names = names
	for n := range label(states + len(names)) {
		c.labels = append(c.labels, quoted(n.text(names)))
	}
}

// quoted returns s as a JSON string.
func quoted(s string) []byte {
	q, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		return []byte(`""`) // only if s is not UTF-8; all names are
	}
	return q
}

func (c *chrome) metadata(kind string, pid, tid int, name []byte) {
	c.begin('M', pid, tid)
	c.text = fmt.Appendf(c.text, `,"name":%q,"args":{"name":%s}}`, kind, name)
}

func (c *chrome) slices(slices iter.Seq[*slice], pid, tid int) error {
	for sl := range slices {
		c.begin('X', pid, tid)
		c.micros(`,"ts":`, sl.at)
		c.micros(`,"dur":`, sl.end-sl.at)
		c.text = append(append(c.text, `,"name":`...), c.nameOf(sl)...)
		if !c.bare {
			c.args(sl.args)
		}
		c.text = append(c.text, '}')
		if err := c.step(sl.calls); err != nil {
			return err
		}
		if c.err != nil {
			return c.err
		}
	}
	return c.err
}

// nameOf returns what a slice is called as a JSON string.
func (c *chrome) nameOf(sl *slice) []byte {
	if !c.bare {
		return c.labels[sl.name]
	}
	q, ok := c.frames[sl.shown]
	if !ok {
		q = quoted(sl.shown.name(c.names))
		c.frames[sl.shown] = q
	}
	return q
}

// args adds arguments to an event.
func (c *chrome) args(args []arg) {
	separator := `,"args":{"`
	for _, a := range args {
		c.text = append(append(append(c.text, separator...), keyNames[a.key]...), `":`...)
		if a.labels() {
			c.text = append(c.text, c.labels[a.value]...)
		} else {
			c.text = strconv.AppendInt(c.text, a.value, 10)
		}
		separator = `,"`
	}
	c.text = append(c.text, '}')
}

func (c *chrome) count(name, series string, pid int, at int64, value string) {
	c.begin('C', pid, 0)
	c.micros(`,"ts":`, at)
	c.text = fmt.Appendf(c.text, `,"name":%q,"args":{%s:%s}}`, name, quoted(series),
		value)
}

// begin begins an event, which the caller ends.
func (c *chrome) begin(phase byte, pid, tid int) {
	if len(c.text) >= block {
		c.flush()
	}
	if c.some {
		c.text = append(c.text, ',')
	}
	c.some = true
	c.text = append(append(c.text, "\n"+`{"ph":"`...), phase, '"')
	c.text = strconv.AppendInt(append(c.text, `,"pid":`...), int64(pid), 10)
	c.text = strconv.AppendInt(append(c.text, `,"tid":`...), int64(tid), 10)
}

// micros writes ns, 0 or more, in µs.
func (c *chrome) micros(key string, ns int64) {
	c.text = strconv.AppendInt(append(c.text, key...), ns/1000, 10)
	if rest := ns % 1000; rest != 0 {
		c.text = append(c.text, '.', byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10))
	}
}
