package perfetto

import (
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"diptych/internal/trace"
	"diptych/internal/traceio/spans"
)

// atrace is the package of the functions that programs of Android write to the kernel's log.
const atrace = "atrace"

// print feeds a PrintFtraceEvent of a thread: a text that Android's libcutils (trace-dev.inc)
// wrote. Bars separate its parts:
//
//	B|PID|NAME                  a slice of the thread begins
//	E|PID                       and ends
//	S|PID|NAME|COOKIE           a slice of its own begins; F ends it
//	G|PID|TRACK|NAME|COOKIE     the same on a track; H|PID|TRACK|COOKIE ends it
//	I|PID|NAME                  an instant; N|PID|TRACK|NAME is one on a track
//	C|PID|NAME|VALUE            a counter
func (f *feed) print(at, tid int64, message []byte) {
	text := ""
	for w := fieldsOf(message); w.next(); {
		if w.is(printText, protowire.BytesType) {
			text = strings.TrimRight(w.text(), "\n\x00")
		}
	}
	kind, rest, _ := strings.Cut(text, "|")
	process, rest, _ := strings.Cut(rest, "|")
	pid, err := strconv.ParseInt(process, 10, 32)
	switch {
	case len(kind) != 1 || !strings.Contains("BESFGHINC", kind):
		f.b.Diagnose(trace.NotRead, 1, "packet before offset %d: a print that is not atrace's", f.at)
		return
	case err != nil && kind != "E":
		f.bad("a print of atrace without a process")
		return
	case err == nil && f.processOf[tid] == 0:
		f.processOf[tid] = pid
	}
	f.atrace(kind[0], at, pid, tid, rest)
}

// atrace feeds what a print holds beyond its kind and process.
func (f *feed) atrace(kind byte, at, pid, tid int64, rest string) {
	switch kind {
	case 'B':
		f.kernelThread(tid).Begin(at, f.atraceFunction(rest, trace.Routine))
	case 'E':
		f.kernelThread(tid).End(at)
	case 'I':
		f.kernelThread(tid).Instant(at, f.atraceFunction(rest, trace.Event))
	case 'S', 'F':
		name, cookie := cutLast(rest)
		of := f.stretchesOf(f.atraceTrack(pid, name, cookie), false)
		of.turns = append(of.turns, turn{at: at, fn: f.atraceFunction(name, trace.Region), begins: kind == 'S'})
	case 'G':
		rest, cookie := cutLast(rest)
		track, name, _ := strings.Cut(rest, "|")
		f.atraceLane(true, at, pid, track, name, cookie)
	case 'H':
		track, rest, _ := strings.Cut(rest, "|")
		_, cookie := cutLast("|" + rest)
		f.atraceLane(false, at, pid, track, "", cookie)
	case 'N':
		track, name, _ := strings.Cut(rest, "|")
		th := f.atraceTrack(pid, track, "")
		th.Instant(at, f.atraceFunction(name, trace.Event))
	case 'C':
		name, value := cutLast(rest)
		if v, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil {
			f.b.Count(f.b.Process(number(pid)), name, at, v)
		}
	}
}

// cutLast cuts a text at its last bar: names may have bars.
func cutLast(s string) (before, after string) {
	if i := strings.LastIndexByte(s, '|'); i >= 0 {
		return s[:i], s[i+1:]
	}
	return s, ""
}

func (f *feed) atraceFunction(name string, k trace.FuncKind) trace.FuncID {
	return f.b.Function(spans.Function(name, atrace, k))
}

// atraceLane begins or ends a slice in the lane of its track and cookie.
func (f *feed) atraceLane(begins bool, at, pid int64, track, name, cookie string) {
	th := f.atraceTrack(pid, track, cookie)
	if begins {
		th.Begin(at, f.atraceFunction(name, trace.Region))
	} else {
		th.End(at)
	}
}

// atraceTrack returns the lane of a track and a cookie.
func (f *feed) atraceTrack(pid int64, track, cookie string) *trace.ThreadBuilder {
	key := strings.Join([]string{atrace, number(pid), track, cookie}, "\x00")
	if th := f.lanes[key]; th != nil {
		return th
	}
	id := number(pid) + "/" + spans.PlainID(track)
	if cookie != "" {
		id += "/" + spans.PlainID(cookie)
	}
	th := f.b.Thread(id, f.b.Process(number(pid)))
	th.SetKind(trace.AsyncTrack)
	th.SetName(track)
	f.lanes[key] = th
	return th
}
