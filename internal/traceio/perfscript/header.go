package perfscript

import (
	"strconv"
	"strings"

	"diptych/internal/trace"
)

// header is the line that begins a sample.
type header struct {
	comm, pid, tid, cpu string
	at, period          int64 // at in ns
	event               string
	frame               string // what may be the only frame, where no stack was recorded
	next, state         string // of sched_switch
}

// parseHeader reads a line such as
//
//	V8 Worker   736/737  [001]  2424.034934:    1001001 cpu-clock:u:      16714b strcmp (/libc.so)
//
// of which the process, the thread, the processor, the period and the frame may be missing, and in
// some versions the event is. A command may hold blanks, so the time, the first word of digits with
// a point and a colon, is looked for, and what is before it is read from its end.
func parseHeader(line string) (h header, ok bool) {
	from, to, at := findTime(line)
	if from < 0 {
		return h, false
	}
	h.at = at
	if !h.parseThread(strings.TrimRight(line[:from], " \t")) {
		return h, false
	}
	h.parseEvent(strings.TrimSpace(line[to:]))
	return h, true
}

// beforeTime is how much of a line may stand before the time ends: the kernel cuts a command off
// after 15 bytes, and what follows are numbers.
const beforeTime = 256

// findTime finds the word that is the time, its colon included, and returns it in ns. Perf prints
// microseconds or, with --ns, nanoseconds: "1.5:" is part of a command.
func findTime(line string) (from, to int, at int64) {
	line = line[:min(len(line), beforeTime)]
	for colon := 0; ; colon++ {
		next := strings.IndexByte(line[colon:], ':')
		if next < 0 {
			return -1, -1, 0
		}
		colon += next
		word := strings.LastIndexAny(line[:colon], " \t") + 1
		if ns, ok := seconds(line[word:colon]); ok && word > 0 {
			return word, colon + 1, ns
		}
	}
}

// seconds reads digits with a point, and returns them in ns.
func seconds(text string) (ns int64, ok bool) {
	whole, part, _ := strings.Cut(text, ".")
	if !isNumber(whole) || !isNumber(part) || len(part) != 6 && len(part) != 9 {
		return 0, false
	}
	s, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || s >= trace.Limit/1_000_000_000 {
		return 0, false
	}
	n, err := strconv.ParseInt(part+"000000000"[len(part):], 10, 64)
	return s*1e9 + n, err == nil
}

// modes are what -F +misc prints before the time, if it was given: where the processor was, or what
// a record is of.
var modes = []string{"", " K", " U", " H", " G", " g", " M", " E", " S", " Sp"}

// parseThread reads what is before the time: command, [pid/]tid, [cpu], mode, time of day. With
// fields that leave out pid and tid there is the command alone, and h.tid is "". Others leave out
// the command.
func (h *header) parseThread(text string) bool {
	text = cutDay(text)
	for _, mode := range modes {
		rest, ok := strings.CutSuffix(text, mode)
		if !ok {
			continue
		}
		rest = strings.TrimRight(rest, " \t")
		if read := *h; read.parseLatency(rest) || read.parseIDs(strings.TrimSpace(rest)) {
			*h = read
			return true
		}
	}
	h.parseIDs(strings.TrimSpace(text))
	return h.comm != "" || h.tid != ""
}

// cutDay cuts off the time of day that -F +tod prints before the time.
func cutDay(text string) string {
	at := len(text) - len("2026-11-28 18:01:30.794509")
	if at > 0 && text[at+4] == '-' && text[at+10] == ' ' && text[at+13] == ':' && text[at+19] == '.' {
		return strings.TrimRight(text[:at], " \t")
	}
	return text
}

// parseLatency reads the layout of perf script -L: the first eight bytes of the command, the thread
// in at least five columns, and the processor in three, without brackets:
//
//	cli.test 32143/32150   0 59516.262281:
//
// "DOM Worker 12   345" is another layout: a command that ends with a number, and the thread.
func (h *header) parseLatency(text string) bool {
	const comm, thread, cpu = 8, 5, 3
	if len(text) <= comm || text[comm] != ' ' {
		return false
	}
	ids := text[comm+1:]
	at := min(strings.LastIndexByte(ids, ' ')+1, len(ids)-cpu)
	if at <= thread || ids[at-1] != ' ' {
		return false
	}
	number, id := strings.TrimLeft(ids[at:], " "), strings.TrimSpace(ids[:at])
	if !isNumber(number) || strings.Contains(id, " ") || !h.parseIDs(" "+id) {
		return false
	}
	h.comm, h.cpu = strings.TrimSpace(text[:comm]), number
	return true
}

// parseIDs reads the same but for the mode, and reports whether it names a thread.
func (h *header) parseIDs(text string) bool {
	if rest, cpu, ok := strings.Cut(text, " ["); ok && strings.HasSuffix(cpu, "]") &&
		isNumber(cpu[:len(cpu)-1]) {
		text, h.cpu = strings.TrimSpace(rest), strings.TrimLeft(cpu[:len(cpu)-1], "0")
		if h.cpu == "" {
			h.cpu = "0"
		}
	}
	i := strings.LastIndexAny(text, " \t")
	pid, tid, both := strings.Cut(text[i+1:], "/")
	if !both {
		pid, tid = "", pid
	}
	if isID := func(s string) bool { return isNumber(s) || s == "-1" }; !isID(tid) || both && !isID(pid) {
		if h.comm = text; text == "swapper" {
			h.tid = idle
		}
		return false
	}
	h.comm, h.pid, h.tid = strings.TrimSpace(text[:i+1]), pid, tid
	return true
}

func isNumber(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}

// parseEvent reads what follows the time: a period, the event with its colon, and a frame or what a
// tracepoint tells.
func (h *header) parseEvent(text string) {
	word, rest, _ := strings.Cut(text, " ")
	if isNumber(word) {
		if n, err := strconv.ParseInt(word, 10, 64); err == nil {
			h.period = n
		}
		word, rest, _ = strings.Cut(strings.TrimLeft(rest, " "), " ")
	}
	h.event, rest = strings.TrimRight(word, ":"), strings.TrimSpace(rest)
	switch {
	case h.isSwitch():
		h.parseSwitch(rest)
	case strings.HasSuffix(rest, ")") && !isTracepoint(h.event):
		h.frame = rest
		if _, to, branch := strings.Cut(rest, " => "); branch { // 401000 f (a) => 401020 g (a)
			h.frame = strings.TrimSpace(to) // where the thread is from then on
		}
	}
}

func (h *header) isSwitch() bool { return isSwitch(h.event) }

func isSwitch(event string) bool { return event == "sched:sched_switch" }

// isTracepoint tells raw_syscalls:sys_enter, after which come its values, from cycles:ppp, after
// which may come a frame: what follows the colon there are letters that modify the event.
func isTracepoint(event string) bool {
	_, name, _ := strings.Cut(event, ":")
	return strings.Trim(name, "ukhpPGHISDWe") != ""
}

// parseSwitch reads what sched_switch tells: prev_comm=… prev_pid=736 prev_prio=120 prev_state=S
// ==> next_comm=… next_pid=12 next_prio=120. Older versions print no names: sh:736 [120] S ==> x:12
// [120].
func (h *header) parseSwitch(text string) {
	before, after, _ := strings.Cut(text, "==>")
	if _, state, ok := strings.Cut(before, "prev_state="); ok {
		h.state = strings.TrimSpace(state)
		_, next, _ := strings.Cut(after, "next_pid=")
		h.next, _, _ = strings.Cut(next, " ")
		return
	}
	if i := strings.LastIndexByte(strings.TrimSpace(before), ' '); i >= 0 {
		h.state = strings.TrimSpace(before)[i+1:]
	}
	next, _, _ := strings.Cut(after, " [")
	h.next = next[strings.LastIndexByte(next, ':')+1:]
}
