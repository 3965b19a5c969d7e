package uftrace

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/qualified"
)

// item is one recorded argument or result: how its bytes lie and how to print it.
type item struct {
	place  string // what it was read from: argument, register, stack slot; one item each
	result bool
	format byte // a format letter below
	size   int
	typ    string // of enumerations and structures
}

// Format letters, as an argument specification spells them.
const (
	formatAuto   = 'd' // small numbers in decimal, others in hexadecimal
	formatSigned = 'i'
	formatPlain  = 'u'
	formatHex    = 'x'
	formatOctal  = 'o'
	formatText   = 's'
	formatString = 'S' // std::string
	formatChar   = 'c'
	formatFloat  = 'f'
	formatRef    = 'p'
	formatEnum   = 'e'
	formatStruct = 't'
)

// argTable holds what the user asked to record, and the layouts of well-known functions.
type argTable struct {
	args, rets       []specEntry
	argAuto, retAuto map[string][]item
	always           bool // record whatever has a known layout
	enums            enums
	pattern          string
	longSize         int // bytes of a C long
}

// specEntry is FUNCTION@MODULE,item,item of a specification.
type specEntry struct {
	pattern
	module string
	items  []item
}

// mostEntries is more functions than a command line can ask for. Each entry is held against each
// function, so more could keep a load busy for minutes.
const mostEntries = 1 << 14

// newArgTable reads what the text part of info says of arguments. What it does not understand is
// counted in f.
func newArgTable(ctx context.Context, i *info, lp64 bool, f *input.Faults) argTable {
	t := argTable{always: i.autoArgs, enums: enums{}, pattern: i.pattern, longSize: 4}
	if lp64 {
		t.longSize = 8
	}
	for part := range strings.SplitSeq(i.enumAuto, ";") {
		if strings.TrimSpace(part) != "" && !t.enums.define(part) {
			f.Add(trace.BadRecord, 1, "info: %.200q defines no enumeration", part)
		}
	}
	t.args, t.rets = t.parse(ctx, i.argSpec, f), t.parse(ctx, i.retSpec, f)
	t.argAuto, t.retAuto = t.known(ctx, i.argAuto, f), t.known(ctx, i.retAuto, f)
	return t
}

// known reads a list of layouts, each for one function that is named.
func (t *argTable) known(ctx context.Context, spec string, f *input.Faults) map[string][]item {
	out := map[string][]item{}
	for part := range strings.SplitSeq(spec, ";") {
		name, items, ok := strings.Cut(part, "@")
		if part == "" || ctx.Err() != nil {
			continue
		}
		list, module, sound := t.items(items)
		if !ok || !sound || module != "" {
			f.Add(trace.BadRecord, 1, "info: %.200q is no layout of arguments", part)
		}
		out[qualified.Readable(name)] = list
	}
	return out
}

func (t *argTable) parse(ctx context.Context, spec string, f *input.Faults) []specEntry {
	var out []specEntry
	for part := range strings.SplitSeq(spec, ";") {
		name, actions, _ := strings.Cut(part, "@")
		if part == "" || ctx.Err() != nil {
			continue
		}
		if len(out) == mostEntries {
			f.Add(trace.BadRecord, 1, "info: %.200q is beyond the %d functions that are looked at",
				part, mostEntries)
			continue
		}
		p, ok := newPattern(qualified.Readable(name), t.pattern)
		e := specEntry{pattern: p}
		var sound bool
		if e.items, e.module, sound = t.items(actions); !ok || !sound || name == "" {
			f.Add(trace.BadRecord, 1, "info: %.200q is no specification of arguments", part)
		}
		out = append(out, e)
	}
	return out
}

// items reads the part after @, and reports whether it is understood. An item that is neither an
// argument nor a result names a module.
func (t *argTable) items(actions string) (list []item, module string, sound bool) {
	sound = true
	for a := range strings.SplitSeq(actions, ",") {
		switch it, ok := t.item(a); {
		case ok:
			list = append(list, it)
		case isItem(a):
			sound = false
		case !strings.Contains(a, "="):
			module = a
		}
	}
	return list, module, sound
}

func isItem(a string) bool {
	for _, prefix := range []string{"arg", "fparg", "retval"} {
		if strings.HasPrefix(a, prefix) {
			return true
		}
	}
	return false
}

// item reads `arg1/x32%reg`, `fparg2/64%stack+1`, `retval/e:name`, `arg3/t16:name%reg+reg`.
func (t *argTable) item(s string) (item, bool) {
	it := item{format: formatAuto, size: t.longSize}
	var rest, class string
	switch {
	case strings.HasPrefix(s, "arg"):
		class, rest = "arg", s[3:]
	case strings.HasPrefix(s, "fparg"):
		class, rest = "fparg", s[5:]
		it.format, it.size = formatFloat, 8
	case strings.HasPrefix(s, "retval"):
		class, rest, it.result = "retval", s[6:], true
	default:
		return it, false
	}
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	if it.result != (digits == 0) {
		return it, false
	}
	it.place = class + rest[:digits]
	rest, where, located := strings.Cut(rest[digits:], "%")
	if located {
		it.place = where
	}
	if rest == "" {
		return it, true
	}
	return it, strings.HasPrefix(rest, "/") && it.setFormat(rest[1:])
}

// setFormat reads a format letter and a size in bits.
func (it *item) setFormat(s string) bool {
	if s == "" {
		return false
	}
	if letter := s[0]; letter < '0' || letter > '9' {
		it.format, s = letter, s[1:]
	}
	switch it.format {
	case formatAuto, formatSigned, formatPlain, formatHex, formatOctal,
		formatText, formatString, formatRef:
	case formatChar:
		it.size = 1
	case formatFloat:
		it.size = 8
	case formatEnum:
		it.typ = strings.TrimPrefix(s, ":")
		return it.typ != ""
	case formatStruct:
		bytes, typ, _ := strings.Cut(s, ":")
		n, err := strconv.Atoi(bytes)
		it.size, it.typ = n, typ
		return err == nil && n >= 0 && n <= payloadLimit
	default:
		return false
	}
	switch s {
	case "":
	case "8", "16", "32", "64", "80":
		bits, _ := strconv.Atoi(s)
		it.size = bits / 8
		return bits != 80 || it.format == formatFloat
	default:
		return false
	}
	return true
}

// layout is what follows the entry and exit records of a function that have more.
type layout struct{ args, rets []item }

// layoutOf returns the layout of a function's records. A specification for the function's name goes
// before the built-in layout; a specification without items asks for the built-in one. Only one
// goroutine at a time may ask. The layout means nothing once ctx is done.
func (t *argTable) layoutOf(ctx context.Context, name, module, exe string, kind byte,
	known layout) layout {
	if known.args == nil {
		known.args = t.argAuto[name]
	}
	if known.rets == nil {
		known.rets = t.retAuto[name]
	}
	chosen := func(list []specEntry) (about []*specEntry) {
		for i := range list {
			e := &list[i]
			if i&0xff == 0 && ctx.Err() != nil {
				return nil
			}
			if e.match(name) && (e.module == "" || isModule(e.module, module, exe, kind)) {
				about = append(about, e)
			}
		}
		return about
	}
	var (
		out        layout
		exact      = map[string]bool{}
		args, rets = chosen(t.args), chosen(t.rets)
	)
	for _, e := range args {
		out.args = merge(out.args, e, false, known.args, exact)
	}
	for _, e := range rets {
		out.rets = merge(out.rets, e, true, known.rets, exact)
	}
	for _, e := range args {
		if out.rets == nil {
			out.rets = merge(nil, e, true, nil, exact)
		}
	}
	if t.always && out.args == nil {
		out.args = known.args
	}
	if t.always && out.rets == nil {
		out.rets = known.rets
	}
	return out
}

// merge adds the items of an entry to a list. For one place the later entry counts, but a pattern
// never replaces what was given for the function by name.
func merge(list []item, e *specEntry, results bool, known []item, exact map[string]bool) []item {
	given := false
	for _, it := range e.items {
		given = given || it.result == results
	}
	items := e.items
	if !given {
		items = known
	}
	for _, it := range items {
		if it.result != results {
			continue
		}
		at := -1
		for i := range list {
			if list[i].place == it.place {
				at = i
			}
		}
		switch {
		case at < 0:
			list = append(list, it)
		case e.exact || !exact[it.place]:
			list[at] = it
		}
		exact[it.place] = exact[it.place] || e.exact
	}
	return list
}

func isModule(want, module, exe string, kind byte) bool {
	switch {
	case strings.EqualFold(want, "plt"):
		return kind == linkage
	case strings.EqualFold(want, "kernel"):
		return module == "kernel"
	case strings.HasPrefix(exe, want):
		return module == exe
	}
	return strings.HasPrefix(module, want)
}

// enums are enumerations by name, each by falling value.
type enums map[string][]enumerator

type enumerator struct {
	name  string
	value int64
}

// define reads `enum NAME { A, B = 4, … }` and reports whether it is that. Values are numbers; the
// first definition of a name counts.
func (e enums) define(text string) bool {
	head, body, ok := strings.Cut(text, "{")
	name, isEnum := strings.CutPrefix(strings.TrimSpace(head), "enum ")
	name = strings.TrimSpace(name)
	if !ok || !isEnum {
		return false
	}
	if e[name] != nil {
		return true
	}
	body, _, sound := strings.Cut(body, "}")
	var list []enumerator
	next := int64(0)
	for item := range strings.SplitSeq(body, ",") {
		id, value, given := strings.Cut(item, "=")
		if id = strings.TrimSpace(id); id == "" {
			continue
		}
		if given {
			v, err := strconv.ParseInt(strings.TrimSpace(value), 0, 64)
			if err != nil {
				sound = false
				continue
			}
			next = v
		}
		list = append(list, enumerator{id, next})
		next++
	}
	slices.SortStableFunc(list, func(x, y enumerator) int {
		switch {
		case x.value > y.value:
			return -1
		case x.value < y.value:
			return 1
		}
		return 0
	})
	e[name] = list
	return sound
}

// format spells v: one name, or names joined by | and what is left over in hexadecimal, or the
// number.
func (e enums) format(name string, v int64) string {
	list := e[name]
	for _, c := range list {
		if c.value == v {
			return c.name
		}
	}
	var parts []string
	rest := v
	for _, c := range list {
		if c.value <= rest && rest != 0 && c.value != 0 {
			rest -= c.value
			parts = append(parts, c.name)
		}
	}
	switch {
	case len(parts) == 0:
		return strconv.FormatInt(v, 10)
	case rest != 0:
		return strings.Join(parts, "|") + "+0x" + strconv.FormatInt(rest, 16)
	}
	return strings.Join(parts, "|")
}
