package uftrace

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

const (
	magic      = "Ftrace!\x00"
	headerSize = 40
	oldest     = 3 // file versions
	newest     = 4
	// infoLimit is more than the text of any info file: the built-in argument tables take about 20
	// KiB.
	infoLimit = 16 << 20
)

// Feature bits of the header that matter for reading.
const relativeSymbols = 1 << 5

// header is the fixed part of the info file.
type header struct {
	order    binary.ByteOrder
	lp64     bool
	relative bool // symbol addresses count from the start of their module
	maxStack int
}

// info is the text part: what was recorded and how arguments are laid out.
type info struct {
	exe      string
	cmdline  string // of uftrace, which ends in that of the program
	version  string
	argSpec  string
	retSpec  string
	argAuto  string // layouts for well-known functions
	retAuto  string
	enumAuto string
	autoArgs bool // -a: every function whose layout is known has its arguments recorded
	pattern  string
	tids     []int // of all tasks
	layouts  argTable
}

func (r *recording) readInfo(ctx context.Context) error {
	f, err := r.dir.Open("info")
	if err != nil {
		return r.fail("info", -1, "cannot open", err)
	}
	defer f.Close()
	in := bufio.NewReader(io.LimitReader(f, infoLimit))
	head := make([]byte, headerSize)
	if n, err := io.ReadFull(in, head); err != nil {
		return r.fail("info", int64(n), "the header is cut short", err)
	}
	if err := r.readHeader(head); err != nil {
		return err
	}
	seen := lineCounts{}
	err = readLines(&r.faults, "info", input.LinesUpTo(in, infoLimit), func(line string) bool {
		key, value, ok := strings.Cut(line, ":")
		seen.note(key, value)
		return ok && isKey(key) && r.info.set(key, value)
	})
	if err != nil {
		return r.fail("info", -1, "cannot read", err)
	}
	seen.check(r.order.Uint64(head[24:]), &r.faults)
	r.b.Tool, r.b.Options, r.b.Symbols = r.info.version, r.info.options(), true
	r.b.Floor = floorOf(r.b.Options)
	r.info.layouts = newArgTable(ctx, &r.info, r.lp64, &r.faults)
	return ctx.Err()
}

// isKey reports whether a line may begin with key. Later versions have others than we know.
func isKey(key string) bool {
	return key != "" && strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_-") == ""
}

// lineCounts counts the lines of the text by their keys, for the header and the text itself say
// which lines there are.
type lineCounts map[string]int

// specKeys are the keys of the lines that "argspec:lines=N" announces.
var specKeys = []string{"argspec", "retspec", "argauto", "retauto", "enumauto", "auto-args"}

func (c lineCounts) note(key, value string) {
	if n, ok := announced(value); ok && key == "argspec" {
		c["specs"] = n
	} else {
		c[key]++
	}
}

// announced reads "lines=N".
func announced(value string) (n int, ok bool) {
	text, ok := strings.CutPrefix(value, "lines=")
	if !ok {
		return 0, false
	}
	return number(text)
}

// check counts what is announced and not there. Bit i of the mask stands for pieces[i].
func (c lineCounts) check(mask uint64, f *input.Faults) {
	pieces := []string{"exename", "build_id", "exit_status", "cmdline", "cpuinfo", "meminfo",
		"osinfo", "taskinfo", "usageinfo", "loadinfo", "argspec", "record_date", "pattern_type",
		"uftrace_version"}
	for i, key := range pieces {
		if mask>>i&1 != 0 && c[key] == 0 && key != "argspec" {
			f.Add(trace.Truncated, 1, "info: no line says %s, which the header announces", key)
		}
	}
	specs := 0
	for _, key := range specKeys {
		specs += c[key]
	}
	if specs < c["specs"] {
		f.Add(trace.Truncated, 1, "info: %d of %d lines of argument layouts are there", specs, c["specs"])
	}
}

func (r *recording) readHeader(head []byte) error {
	switch head[14] {
	case 1:
		r.order = binary.LittleEndian
	case 2:
		r.order = binary.BigEndian
	default:
		return r.fail("info", 14, fmt.Sprintf("unknown byte order %d", head[14]), nil)
	}
	if v := r.order.Uint32(head[8:]); v < oldest || v > newest {
		return r.fail("info", 8,
			fmt.Sprintf("file version %d is not one of %d to %d", v, oldest, newest), nil)
	}
	r.lp64 = head[15] != 1 // ELFCLASS32
	r.relative = r.order.Uint64(head[16:])&relativeSymbols != 0
	r.maxStack = int(r.order.Uint16(head[32:]))
	return nil
}

// set keeps one line of the text and reports whether it knows what the value means. A value may be
// announced by "lines=N".
func (i *info) set(key, value string) bool {
	switch key {
	case "exename":
		i.exe = value
	case "cmdline":
		i.cmdline = value
	case "argspec":
		if _, ok := announced(value); !ok {
			i.argSpec = value
		}
	case "retspec":
		i.retSpec = value
	case "argauto":
		i.argAuto = value
	case "retauto":
		i.retAuto = value
	case "enumauto":
		i.enumAuto = value
	case "auto-args":
		i.autoArgs = value == "1"
		return value == "0" || value == "1"
	case "taskinfo":
		i.setTasks(value)
	case "pattern_type":
		i.pattern = value
		return slices.Contains([]string{"simple", "regex", "glob"}, value)
	case "uftrace_version":
		version, _, _ := strings.Cut(value, " (")
		i.version = "uftrace " + version
	}
	return true
}

// setTasks keeps the numbers of all tasks, of "tids=1,2"; there are lines with other keys.
func (i *info) setTasks(value string) {
	list, _ := strings.CutPrefix(value, "tids=")
	for word := range strings.SplitSeq(list, ",") {
		if tid, ok := number(word); ok {
			i.tids = append(i.tids, tid)
		}
	}
}

// program returns uftrace's own command line in words, and which of them names the program that
// was recorded; −1 if none does. The folder of a recording is often named after the program:
//
//	uftrace record -d rec/pigz -A write@arg1 ./pigz
func (i *info) program() (words []string, at int) {
	words = strings.Fields(i.cmdline)
	for k, word := range words {
		if k > 0 && path.Base(word) == path.Base(i.exe) && words[k-1] != "-d" && words[k-1] != "--data" &&
			!strings.HasPrefix(word, "-") {
			return words, k
		}
	}
	return words, -1
}

// arguments returns what the recorded program was called with: what follows its name on uftrace's
// own command line, as "-p 2 text.txt" in
//
//	uftrace record -d pigz.data ./pigz -p 2 text.txt
//
// It is "" if the program is not named there.
func (i *info) arguments() string {
	words, at := i.program()
	if at < 0 {
		return ""
	}
	return strings.Join(words[at+1:], " ")
}

// beside are options that do not change what is recorded.
var beside = []string{"-b", "--buffer", "-d", "--data", "--force", "-g", "--agent", "--host",
	"--keep-pid", "--libmcount-path", "--logfile", "--no-pager", "--num-thread", "--port", "--rt-prio",
	"-v", "--verbose"}

// options returns what uftrace was told to record or to leave out, each with its value behind it as
// in "-t 5us"; nil if its command line does not say where they end.
func (i *info) options() []string {
	words, at := i.program()
	if at < 0 {
		return nil
	}
	all := []string{}
	for _, word := range words[1:at] {
		switch n := len(all); {
		case strings.HasPrefix(word, "--"):
			name, value, _ := strings.Cut(word, "=")
			all = append(all, strings.TrimSuffix(name+" "+value, " "))
		case strings.HasPrefix(word, "-"):
			name := word[:min(2, len(word))]
			all = append(all, strings.TrimSuffix(name+" "+word[len(name):], " "))
		case n > 0: // else it is "record"
			all[n-1] += " " + word
		}
	}
	return slices.DeleteFunc(all, func(option string) bool {
		name, _, _ := strings.Cut(option, " ")
		return slices.Contains(beside, name)
	})
}

// floorOf returns below what duration calls were left out by these options, ns.
func floorOf(options []string) (ns int64) {
	for _, option := range options {
		name, value, _ := strings.Cut(option, " ")
		if name != "-t" && name != "--time-filter" {
			continue
		}
		digits := strings.TrimRight(value, "abcdefghijklmnopqrstuvwxyz")
		n, err := strconv.ParseInt(digits, 10, 64)
		per := map[string]int64{"": 1, "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9}[value[len(digits):]]
		if err == nil && n <= trace.Limit/max(per, 1) {
			ns = n * per
		}
	}
	return ns
}

// Events in a task's own file that uftrace itself makes. `uftrace dump` prints their numbers, too.
var builtinEvents = map[uint64]string{
	100001: "read:proc/statm",
	100002: "read:page-fault",
	100003: "diff:proc/statm",
	100004: "diff:page-fault",
	100005: "read:pmu-cycle",
	100006: "diff:pmu-cycle",
	100007: "read:pmu-cache",
	100008: "diff:pmu-cache",
	100009: "read:pmu-branch",
	100010: "diff:pmu-branch",
	100011: "watch:cpu",
	100012: "watch:var",
}

// Ids from firstUserEvent on are the program's own, named in events.txt.
const firstUserEvent = 1000000

func (r *recording) eventName(id uint64) string {
	if name := r.events[id]; name != "" {
		return name
	}
	if name := builtinEvents[id]; name != "" {
		return name
	}
	if id >= firstUserEvent {
		return "user_event:" + strconv.FormatUint(id, 10)
	}
	return "event:" + strconv.FormatUint(id, 10)
}
