package uftrace

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"
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
	version  string
	argSpec  string
	retSpec  string
	argAuto  string // layouts for well-known functions
	retAuto  string
	enumAuto string
	autoArgs bool // -a: every function whose layout is known has its arguments recorded
	pattern  string
	layouts  argTable
}

func (r *recording) readInfo() error {
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
	for {
		line, err := in.ReadString('\n')
		if key, value, ok := strings.Cut(strings.TrimRight(line, "\n"), ":"); ok {
			r.info.set(key, value)
		}
		if err != nil {
			break
		}
	}
	r.b.Tool, r.b.Symbols = r.info.version, true
	r.info.layouts = newArgTable(&r.info, r.lp64)
	return nil
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

// set keeps one line of the text. A value may be announced by "lines=N", which is of no use here.
func (i *info) set(key, value string) {
	switch key {
	case "exename":
		i.exe = value
	case "argspec":
		if _, err := strconv.Atoi(strings.TrimPrefix(value, "lines=")); err != nil {
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
	case "pattern_type":
		i.pattern = value
	case "uftrace_version":
		version, _, _ := strings.Cut(value, " (")
		i.version = "uftrace " + version
	}
}

// Events in a task's own file that uftrace itself makes.
var builtinEvents = map[uint64]string{
	100001: "read:proc/statm",
	100002: "read:page-fault",
	100003: "read:pmu-cycle",
	100004: "read:pmu-cache",
	100005: "read:pmu-branch",
	100006: "diff:proc/statm",
	100007: "diff:page-fault",
	100008: "diff:pmu-cycle",
	100009: "diff:pmu-cache",
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
