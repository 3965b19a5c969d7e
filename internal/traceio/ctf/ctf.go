// Package ctf loads traces in the Common Trace Format 1.8, as LTTng, barectf and others write them:
// directories with a file of metadata and files of packets. It knows how events of LTTng become
// calls, waits and instants, and classifies no function names.
//
// The format is "Common Trace Format (CTF) Specification v1.8.3"; where tracers and the text
// differ, babeltrace2 2.0 decides. What LTTng's events mean is in lttng-ust(3),
// lttng-ust-cyg-profile(3) and the definitions of tracepoints in LTTng's sources. The stages:
//
//   - lexer.go, parse.go and parsetype.go read metadata, which metadata.go and types.go hold;
//   - tracer.go opens a trace, index.go says which of its streams are not whole; layout.go works
//     out what its fields are and what their references mean, actions.go which of them are wanted,
//     plan.go how to get at these;
//   - stream.go has the packets of a file, decode.go the events in them, read.go any field of
//     these, shape.go and quick.go the usual events at once; batch.go hands them over, for all
//     files are decoded at the same time;
//   - merge.go has the events of all files, of all traces below the directory, in order of time;
//   - feed.go finds threads and processes, events.go has what becomes of the events, kernel.go of
//     those of the Linux kernel, perf.go of those that perf(1) recorded;
//   - lane.go gathers the records of threads, and several threads at once take theirs;
//   - names.go names addresses by the files that were loaded there, symbols.go by their symbols.
//
// What becomes of events:
//
//	lttng_ust_cyg_profile*:func_entry, _exit  calls, of functions that have an address only
//	lttng_ust_pthread:pthread_mutex_*         calls of these names, the mutex as argument
//	lttng_ust_tracef:event                    calls, if the text says "call NAME" or "return NAME"
//	lttng_ust_statedump:*, _lib:*, _dl:*      which file lies at which address
//	sched_switch, sched_waking, sched_wakeup  "linux:schedule" while a thread has no processor;
//	                                          a wait that the waker ended, unless it was ready
//	syscall_entry_*, syscall_exit_*           calls of the system call, with its arguments
//	perf_comm, perf_fork, perf_mmap*, ...     names of threads; no part of the run
//	all others, and the state dumps too       instants
package ctf

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// Sniff reports whether src holds a trace: a directory with metadata in it or below it. A single
// file of a trace is recognised too, since Load can say what to open instead, and so is a directory
// of streams without metadata, since it can say what is missing.
func Sniff(src *input.Source) bool {
	if src.Dir == nil {
		return partOf(src.Head) != ""
	}
	found, _ := locate(src.Dir, 1)
	return len(found) > 0 || lostStream(src.Dir) != ""
}

// Files of a trace. An index lies in a folder of its own, below that of the trace.
const (
	aStream = "a stream"
	anIndex = "the index of a stream"
)

// partOf says which file of a trace begins so, or "".
func partOf(head []byte) string {
	if len(head) >= 4 {
		for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
			switch order.Uint32(head) {
			case streamMagic:
				return aStream
			case indexMagic:
				return anIndex
			}
		}
	}
	if isMetadata(head) {
		return "the metadata"
	}
	return ""
}

// isMetadata reports whether a file begins as metadata does: with the number of its packets, or as
// text of either version of the format.
func isMetadata(head []byte) bool {
	_, packets := metadataOrder(head)
	begin := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	return packets || bytes.HasPrefix(begin, []byte("/* CTF ")) || isJSON(begin)
}

// isJSON reports whether metadata is that of CTF 2.
func isJSON(data []byte) bool {
	rest, ok := bytes.CutPrefix(data, []byte("\x1e"))
	return ok && bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte("{"))
}

// Load reads all traces in src.
func Load(ctx context.Context, src *input.Source, o input.Options, b *trace.Builder) error {
	if src.Dir == nil {
		part, folder := partOf(src.Head), filepath.Dir(src.Path)
		if part == anIndex {
			folder = filepath.Dir(folder)
		}
		return &input.FormatError{File: src.Path, Offset: -1, Reason: fmt.Sprintf(
			"this is %s of a CTF trace: open the folder of the trace, %s", part, folder)}
	}
	found, err := locate(src.Dir, mostTraces)
	if len(found) == 0 {
		if name := lostStream(src.Dir); name != "" {
			return &input.FormatError{File: src.Path, Offset: -1, Err: err, Reason: fmt.Sprintf(
				"a CTF trace without a sound file metadata, which says how its streams, such as %s, are to be read",
				name)}
		}
		return &input.FormatError{File: src.Path, Offset: -1, Reason: "no CTF trace", Err: err}
	}
	f := newFeed(b)
	f.symbols.watch, f.shown.wanted = o.Watch, o.Outline != nil
	defer f.close()
	for _, dir := range found {
		t, failed := openTrace(ctx, src, dir, f)
		if failed != nil {
			return failed
		}
		f.tracers = append(f.tracers, t)
	}
	for _, dir := range upwards(found) {
		err = cmp.Or(err, f.symbols.find(src.Dir, dir))
	}
	if err != nil {
		b.Diagnose(trace.Truncated, 1, "%s: %v", src.Path, err)
	}
	if err := f.run(ctx); err != nil {
		return err
	}
	return f.finish(ctx)
}

// mostLooked is how many files of a directory are looked at for a stream without metadata.
const mostLooked = 16

// How deep below a directory traces are looked for (a session has ust/uid/1000/64-bit below it, and
// a rotated one two more levels), in how many directories, and how many traces are read.
const (
	deepest    = 8
	mostDirs   = 4096
	mostTraces = 1024
)

// locate returns the directories in and below dir that hold metadata, at most so many, in order.
// The error is why there may be more.
func locate(dir fs.FS, most int) (found []string, err error) {
	type place struct {
		name  string
		depth int
	}
	dirs := []place{{".", 0}}
	for i := 0; i < len(dirs) && len(found) < most; i++ {
		entries, failed := fs.ReadDir(dir, dirs[i].name)
		err = cmp.Or(err, failed)
		for _, e := range entries {
			name := path.Join(dirs[i].name, e.Name())
			switch {
			case e.IsDir() && dirs[i].depth < deepest && len(dirs) < mostDirs:
				dirs = append(dirs, place{name, dirs[i].depth + 1})
			case e.Name() == "metadata" && e.Type().IsRegular():
				is, failed := hasMetadata(dir, name)
				err = cmp.Or(err, failed)
				if is {
					found = append(found, dirs[i].name)
				}
			}
		}
	}
	return found, err
}

func hasMetadata(dir fs.FS, name string) (bool, error) {
	head, err := beginning(dir, name)
	return isMetadata(head), err
}

// lostStream returns the name of a stream among the first files of a directory, or "".
func lostStream(dir fs.FS) string {
	entries, _ := fs.ReadDir(dir, ".")
	for looked, i := 0, 0; looked < mostLooked && i < len(entries); i++ {
		if !entries[i].Type().IsRegular() {
			continue
		}
		looked++
		if head, _ := beginning(dir, entries[i].Name()); partOf(head) == aStream {
			return entries[i].Name()
		}
	}
	return ""
}

// beginning reads the first bytes of a file.
func beginning(dir fs.FS, name string) ([]byte, error) {
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, 256)
	n, err := io.ReadFull(f, head)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // it is a short one
	}
	return head[:n], err
}

// metadataOrder returns the order of bytes of metadata in packets, and whether it is in packets.
func metadataOrder(data []byte) (binary.ByteOrder, bool) {
	if len(data) >= 4 {
		for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
			if order.Uint32(data) == metadataMagic {
				return order, true
			}
		}
	}
	return nil, false
}

// metadataHeader is the size of the header of a packet of metadata.
const metadataHeader = 37

// unwrap returns the text of metadata without packets around it.
func unwrap(data []byte) (string, error) {
	order, packets := metadataOrder(data)
	if !packets {
		return string(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))), nil
	}
	var out strings.Builder
	for at := 0; len(data)-at >= metadataHeader; {
		head := data[at:]
		content, size := int64(order.Uint32(head[24:])/8), int64(order.Uint32(head[28:])/8)
		switch {
		case order.Uint32(head) != metadataMagic || content < metadataHeader || size < content:
			return out.String(), fmt.Errorf("offset %d: no packet of metadata", at)
		case head[32] != 0 || head[33] != 0:
			return out.String(), fmt.Errorf("offset %d: metadata that is compressed or encrypted", at)
		}
		out.Write(head[metadataHeader:min(content, int64(len(head)))])
		at += int(min(size, int64(len(head))))
	}
	return out.String(), nil
}
