package synth

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// chromeSink writes Chrome Trace JSON in its object form. Calls are complete events with
// nanoseconds as three decimals of a microsecond, so they nest exactly by time: no two of a
// thread start together.
type chromeSink struct {
	pack   io.WriteCloser // nil where nothing compresses
	w      *bufio.Writer
	quoted []string
	prog   *program
	pids   []int // by thread
	line   []byte
	err    error
}

func newChromeSink(p *outputs, path string, s *side) (*chromeSink, error) {
	f, err := p.file(path)
	if err != nil {
		return nil, err
	}
	return newChromeFile(f, path, s, 0, len(s.prog.threadNames()), 1<<18)
}

// newChromeFile writes the threads [first, end) to f, compressed as its path says, through a buffer
// of some bytes.
func newChromeFile(f io.Writer, path string, s *side, first, end, buffer int) (*chromeSink, error) {
	c := &chromeSink{prog: s.prog}
	out, err := f, error(nil)
	switch {
	case strings.HasSuffix(path, ".gz"):
		c.pack, err = gzip.NewWriterLevel(f, gzip.BestSpeed)
	case strings.HasSuffix(path, ".zst"):
		c.pack, err = zstd.NewWriter(f, zstd.WithEncoderConcurrency(1))
	}
	if err != nil {
		return nil, fmt.Errorf("compressing %s: %w", path, err)
	}
	if c.pack != nil {
		out = c.pack
	}
	c.w = bufio.NewWriterSize(out, buffer)
	for _, name := range s.names {
		c.quoted = append(c.quoted, strconv.Quote(name))
	}
	c.head(first, end)
	return c, nil
}

// head names the threads [first, end) and their processes.
func (c *chromeSink) head(first, end int) {
	c.printf("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n")
	processes, threads, between := c.prog.processes(), c.prog.threadNames(), ""
	for _, p := range processes[c.prog.processOf(first) : c.prog.processOf(end-1)+1] {
		c.printf(between+`{"ph":"M","pid":%d,"name":"process_name","args":{"name":%q}}`, p.id, p.name)
		between = ",\n"
	}
	for t, name := range threads {
		pid := processes[c.prog.processOf(t)].id
		c.pids = append(c.pids, pid)
		if t < first || t >= end {
			continue
		}
		c.printf(",\n"+`{"ph":"M","pid":%d,"tid":%d,"name":"thread_name","args":{"name":%q}}`,
			pid, tid(t), name)
		c.printf(",\n"+`{"ph":"M","pid":%d,"tid":%d,"name":"thread_sort_index","args":{"sort_index":%d}}`,
			pid, tid(t), t)
	}
}

func (c *chromeSink) enter(int, int, *activation) {}

func (c *chromeSink) leave(thread, _ int, a *activation, end int64) {
	c.event('X', thread, a, end-a.start)
}

// cut writes the outermost call, and begins of the others that have no end.
func (c *chromeSink) cut(thread int, stack []activation, end int64) {
	c.event('X', thread, &stack[0], end-stack[0].start)
	for i := range stack[1:] {
		c.event('B', thread, &stack[1+i], 0)
	}
}

// event writes a complete event (X), or a begin (B).
func (c *chromeSink) event(phase byte, thread int, a *activation, dur int64) {
	b := append(c.line[:0], ",\n{\"ph\":\""...)
	b = append(b, phase)
	b = c.appendMoment(b, thread, a.start)
	if phase == 'X' {
		b = append(b, `,"dur":`...)
		b = appendMicros(b, dur)
	}
	b = append(b, `,"name":`...)
	b = append(b, c.quoted[c.prog.nameIndex(a.fn)]...)
	if opOf(a.fn) != plain {
		b = c.appendArguments(b, a)
	}
	c.write(append(b, '}'))
}

// flow writes a flow event. Its end belongs to the call around it.
func (c *chromeSink) flow(phase flowPhase, id, thread int, at int64) {
	b := append(c.line[:0], ",\n{\"ph\":\""...)
	b = append(b, byte(phase))
	b = c.appendMoment(b, thread, at)
	if phase == flowEnd {
		b = append(b, `,"bp":"e"`...)
	}
	c.write(fmt.Appendf(b, `,"cat":"mpi","name":"release","id":%d}`, id))
}

// appendMoment ends the phase, and writes where and when an event is.
func (c *chromeSink) appendMoment(b []byte, thread int, at int64) []byte {
	b = append(b, "\",\"pid\":"...)
	b = strconv.AppendInt(b, int64(c.pids[thread]), 10)
	b = append(b, ",\"tid\":"...)
	b = strconv.AppendInt(b, int64(tid(thread)), 10)
	b = append(b, `,"ts":`...)
	return appendMicros(b, at)
}

// write writes a line and keeps its memory for the next.
func (c *chromeSink) write(line []byte) {
	c.line = line
	_, err := c.w.Write(line)
	c.keep(err)
}

// appendArguments writes a library call's arguments as uftrace's own export to this format does.
func (c *chromeSink) appendArguments(b []byte, a *activation) []byte {
	o := opOf(a.fn)
	address := c.prog.objects.address(o, a.object)
	switch o {
	case opSemWait:
		return fmt.Appendf(b, `,"args":{"arguments":"(0x%x)","retval":"0"}`, address)
	case opCreate:
		return fmt.Appendf(b, `,"args":{"arguments":"(0x%x, 0x%x)"}`, address, uint64(startAddr))
	case opRead, opWrite:
		return fmt.Appendf(b, `,"args":{"arguments":"(%d, 0x%x, %d)","retval":"%d"}`,
			descriptor(a.object), uint64(ioBuffer), ioLength, ioLength)
	case opOpen:
		return fmt.Appendf(b, `,"args":{"arguments":"(\"%s\", 0x%x)","retval":"%d"}`,
			fileName(a.object), openFlags, descriptor(a.object))
	case opFsync:
		return fmt.Appendf(b, `,"args":{"arguments":"(%d)"}`, descriptor(a.object))
	case opCondWait, opCondTimed:
		mutex := c.prog.objects.address(o, mutexOf(a.object))
		return fmt.Appendf(b, `,"args":{"arguments":"(0x%x, 0x%x)"}`, address, mutex)
	}
	return fmt.Appendf(b, `,"args":{"arguments":"(0x%x)"}`, address)
}

// appendMicros writes ns as microseconds with three decimals.
func appendMicros(b []byte, ns int64) []byte {
	b = strconv.AppendInt(b, ns/1000, 10)
	f := ns % 1000
	return append(b, '.', byte('0'+f/100), byte('0'+f/10%10), byte('0'+f%10))
}

func (c *chromeSink) printf(format string, args ...any) {
	_, err := fmt.Fprintf(c.w, format, args...)
	c.keep(err)
}

func (c *chromeSink) failed() error { return c.err }

func (c *chromeSink) close() error {
	c.printf("\n]}\n")
	c.keep(c.w.Flush())
	if c.pack != nil {
		c.keep(c.pack.Close())
	}
	return c.err
}

func (c *chromeSink) keep(err error) {
	if c.err == nil {
		c.err = err
	}
}

func (c *chromeSink) abandon() {}
