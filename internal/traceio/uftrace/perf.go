package uftrace

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"slices"

	"diptych/internal/plural"
	"diptych/internal/trace"
)

// Record types and flags of the kernel's perf events (perf_event.h). The recorder samples time and
// thread, so every record ends in pid, tid and time.
const (
	perfLost    = 2
	perfComm    = 3
	perfSwitch  = 14
	switchOut   = 1 << 13
	preempted   = 1 << 14
	perfHeader  = 8
	perfTrailer = 16
)

// swtch is a moment at which a thread left a processor or came back to one.
type swtch struct {
	at        int64
	out       bool
	preempted bool
}

// readSwitches reads the context switches and names of all tasks, which lie in one file a
// processor.
func (r *recording) readSwitches(ctx context.Context) error {
	for _, name := range r.files("perf-cpu*.dat") {
		if err := r.readPerf(ctx, name); err != nil {
			return err
		}
	}
	for _, t := range r.tasks {
		slices.SortStableFunc(t.switches, func(x, y swtch) int { return cmp.Compare(x.at, y.at) })
	}
	for _, name := range r.files("kernel-cpu*.dat") {
		r.faults.Add(trace.NotRead, 1, "%s: kernel functions are not read", name)
	}
	return ctx.Err()
}

func (r *recording) readPerf(ctx context.Context, name string) error {
	f, err := r.dir.Open(name)
	if err != nil {
		return r.fail(name, -1, "cannot open", err)
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 64<<10)
	last := uint64(0) // time of the last record
	record := make([]byte, 1<<16)
	for offset := int64(0); ctx.Err() == nil; {
		n, err := io.ReadFull(in, record[:perfHeader])
		if errors.Is(err, io.EOF) {
			return nil
		}
		size := int(r.order.Uint16(record[6:]))
		if err == nil && size < perfHeader {
			r.faults.Add(trace.BadRecord, 1,
				"%s:%d: a record of %s; the rest is skipped", name, offset, plural.Of(size, "byte"))
			return nil
		}
		if err == nil {
			n, err = io.ReadFull(in, record[perfHeader:size])
		}
		switch {
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			r.faults.Add(trace.Truncated, 1, "%s:%d: %s of a record", name, offset,
				plural.Of(n, "byte"))
			return nil
		case err != nil:
			return r.fail(name, offset, "cannot read", err)
		}
		if !r.perfRecord(record[:size], &last) {
			r.faults.Add(trace.BadRecord, 1, "%s:%d: a broken record", name, offset)
		}
		offset += int64(size)
	}
	return ctx.Err()
}

// perfRecord takes one record, sets last to its time and reports whether it is sound.
func (r *recording) perfRecord(rec []byte, last *uint64) bool {
	kind, misc := r.order.Uint32(rec), r.order.Uint16(rec[4:])
	body := rec[perfHeader:]
	if kind != perfSwitch && kind != perfComm && kind != perfLost {
		return true // forks and exits are in task.txt
	}
	if len(body) < perfTrailer {
		return false
	}
	trailer := body[len(body)-perfTrailer:]
	at := r.order.Uint64(trailer[8:])
	if at > trace.Limit {
		return false
	}
	switch kind {
	case perfSwitch:
		if t := r.byTID[int(r.order.Uint32(trailer[4:]))]; t != nil {
			t.switches = append(t.switches,
				swtch{int64(at), misc&switchOut != 0, misc&preempted != 0})
		}
	case perfComm:
		text := body[:len(body)-perfTrailer]
		if len(text) < 8 {
			return false
		}
		name, _, _ := bytes.Cut(text[8:], []byte{0})
		if t := r.byTID[int(r.order.Uint32(text[4:]))]; t != nil {
			t.comm = string(name)
		}
	case perfLost:
		if len(body) < 16+perfTrailer {
			return false
		}
		lost := losses{n: r.order.Uint64(body[8:])}
		lost.tell(&r.faults, "context switches", *last, at)
	}
	*last = at
	return true
}
