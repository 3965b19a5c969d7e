package perfscript

import (
	"path"
	"strconv"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/qualified"
)

// frames turns the lines of stacks into functions.
type frames struct {
	b       *trace.Builder
	known   map[string]trace.FuncID // by symbol and object
	pending []inlined               // frames without an object, of the call that is next
	objects bool                    // a frame had an object, as all have then
}

// inlined is a frame of a function that was inlined: perf knows its object only from the frame of
// the function that it was inlined into, which comes after it.
type inlined struct {
	at     int // in the stack
	symbol string
}

func newFrames(b *trace.Builder) *frames {
	return &frames{b: b, known: map[string]trace.FuncID{}}
}

// add appends the function of a line to a stack, innermost first:
//
//	16714b strcmp+0x2b (/usr/lib/libc.so.6)
//
// The address and the offset may be missing. It reports whether the line is a frame. A line with
// the place in the source of the frame before, as -F +srcline gives it, is taken and not shown.
func (f *frames) add(stack *[]trace.FuncID, line string) bool {
	text := strings.TrimSpace(line)
	if isPlace(text) {
		return len(*stack) > 0
	}
	symbol, object, ok := cutObject(text)
	if !ok && (f.objects || !startsWithAddress(text)) {
		return false
	}
	f.objects = f.objects || ok && object != "inlined" // which frames without objects say, too
	symbol = cutOffset(cutAddress(symbol))
	if object == "inlined" {
		f.pending = append(f.pending, inlined{len(*stack), strings.Clone(symbol)})
		*stack = append(*stack, 0) // until its object is known
		return true
	}
	f.settle(*stack, object)
	*stack = append(*stack, f.function(symbol, object))
	return true
}

// cutObject cuts the object off a frame: what the last parentheses hold, which may hold others, as
// of "f (/opt/a (x86)/b)". A file that is gone by now is followed by " (deleted)", and with
// -F +dsoff each is followed by the address in it.
func cutObject(text string) (symbol, object string, ok bool) {
	if !strings.HasSuffix(text, ")") {
		return text, "", false
	}
	i, depth := len(text)-1, 1
	for i > 0 && depth > 0 {
		switch i--; text[i] {
		case ')':
			depth++
		case '(':
			depth--
		}
	}
	if depth > 0 || i == 0 || text[i-1] != ' ' {
		if i = strings.LastIndex(text, " (/") + 1; i == 0 {
			return text, "", false
		} // or else a path with a single parenthesis
	}
	object = strings.TrimSuffix(text[i+1:len(text)-1], " (deleted)")
	return text[:i-1], cutOffset(object), true
}

// end ends a stack.
func (f *frames) end(stack []trace.FuncID) { f.settle(stack, "") }

// settle gives the frames of inlined functions the object of the function around them.
func (f *frames) settle(stack []trace.FuncID, object string) {
	for _, p := range f.pending {
		stack[p.at] = f.function(p.symbol, object)
	}
	f.pending = f.pending[:0]
}

// cutAddress cuts off the address that begins a frame. A symbol of hex digits alone has none before
// it only in texts without addresses, and is one of these then.
func cutAddress(text string) string {
	if startsWithAddress(text) {
		_, text, _ = strings.Cut(text, " ")
		return strings.TrimSpace(text)
	}
	return text
}

// startsWithAddress reports whether the first word is a number in hex and not the only one.
func startsWithAddress(text string) bool {
	word, _, more := strings.Cut(text, " ")
	_, err := strconv.ParseUint(word, 16, 64)
	return more && err == nil
}

// cutOffset cuts the offset off a symbol: strcmp+0x2b.
func cutOffset(symbol string) string {
	i := strings.LastIndex(symbol, "+0x")
	if i <= 0 {
		return symbol
	}
	if _, err := strconv.ParseUint(symbol[i+3:], 16, 64); err != nil {
		return symbol
	}
	return symbol[:i]
}

// isPlace reports whether a line is a place in the source, such as queue.c:41 (discriminator 2), or
// what perf prints where it knows none: main+0x41, libc.so.6[16714b], or of the kernel
// [kernel.kallsyms][ffffffff8168bec6].
func isPlace(text string) bool {
	text, _, _ = strings.Cut(text, " (discriminator ")
	if cutOffset(text) != text && !startsWithAddress(text) {
		return true
	}
	if i := strings.LastIndexByte(text, '['); i > 0 && !strings.ContainsAny(text[:i], " \t(") {
		address, ok := strings.CutSuffix(text[i+1:], "]")
		_, err := strconv.ParseUint(address, 16, 64)
		return ok && err == nil
	}
	file, line, ok := strings.Cut(text, ":")
	return ok && isNumber(line) && !strings.ContainsAny(file, " \t(") || text == "??:0"
}

func (f *frames) function(symbol, object string) trace.FuncID {
	key := symbol + "\x00" + object
	fn, known := f.known[key]
	if !known {
		fn = f.b.Function(readFunction(strings.Clone(symbol), strings.Clone(object)))
		f.known[key] = fn
	}
	return fn
}

// readFunction returns the function of a symbol in an object. Code without a symbol goes by the
// name of its object, as in flame graphs: addresses differ from run to run.
func readFunction(symbol, object string) trace.Function {
	fn := trace.Function{Name: symbol}
	if object != "" && object != "[unknown]" {
		fn.Module = path.Base(object)
	}
	if symbol == "" || symbol == "[unknown]" {
		fn.Name = "[unknown]"
		if fn.Module != "" {
			fn.Name = "[" + strings.Trim(fn.Module, "[]") + "]"
		}
	}
	fn.Name = strings.TrimSuffix(fn.Name, "[k]") // kernel code in some versions
	readScript(&fn)
	readJava(&fn)
	switch fn.Package = qualified.Package(fn.Name); {
	case fn.Package != "":
	case strings.HasPrefix(object, "[kernel.") || strings.HasPrefix(object, "[guest.kernel."):
		fn.Package = "kernel"
	default:
		fn.Package = fn.Module
	}
	return fn
}

// scripts are what V8 writes before the names of functions it compiled (--perf-basic-prof).
var scripts = []string{"JS:", "LazyCompile:", "Function:", "Eval:", "Script:"}

// readScript reads V8's names: LazyCompile:*parse /app/json.js:12:7, where the mark before the
// name, one of ~ ^ * + ', says how the function was compiled at the time. It changes while the
// program runs.
func readScript(fn *trace.Function) {
	for _, kind := range scripts {
		text, ok := strings.CutPrefix(fn.Name, kind)
		if !ok {
			continue
		}
		name, place, _ := strings.Cut(strings.TrimLeft(text, "~^*+'"), " ")
		if fn.Name = name; name == "" {
			fn.Name = "(anonymous)"
			if kind == "Script:" {
				fn.Name = "(script)"
			}
		}
		file, rest := place, ""
		if i := strings.LastIndexByte(place, '/'); i >= 0 {
			file, rest = place[:i+1], place[i+1:]
		} else {
			file, rest = "", place
		}
		rest, line, _ := strings.Cut(rest, ":")
		fn.File = file + rest
		line, _, _ = strings.Cut(line, ":")
		if n, err := strconv.ParseInt(line, 10, 32); err == nil {
			fn.Line = int32(n)
		}
		fn.Module = ""
		return
	}
}

// readJava reads the names that perf-map-agent writes of Java's methods:
// Ljava/util/HashMap;::get is java/util/HashMap::get.
func readJava(fn *trace.Function) {
	class, method, ok := strings.Cut(fn.Name, ";::")
	if ok && strings.HasPrefix(class, "L") && !strings.ContainsAny(class, " (<") {
		fn.Name = class[1:] + "::" + method
	}
}
