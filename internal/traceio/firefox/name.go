package firefox

import (
	"cmp"
	"fmt"
	"path"
	"strconv"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/qualified"
)

// function returns the function of a frame. How code is placed is the same for both forms: what has
// no symbol is named by its library, what has no name by its file and line.
func (t *thread) function(frame int32, libs []library) trace.Function {
	if t.frameFunc == nil || len(t.frameFunc.whole) == 0 {
		f := located(t.text(t.frameLocation.at(frame)), libs)
		if line := t.frameLine.at(frame); line != null && f.Line == 0 && f.File != "" {
			f.Line = line
		}
		return f
	}
	fn := t.frameFunc.at(frame)
	f := trace.Function{Name: t.text(t.funcName.at(fn)), File: t.text(t.funcFile.at(fn))}
	if source := t.funcSource.at(fn); source != null {
		f.File = t.text(t.sourceFile.at(source))
	}
	f.File = realPlace(f.File)
	f.Line = max(t.funcLine.at(fn), 0)
	resource := t.funcResource.at(fn)
	at := t.frameAddress.at(frame)
	if at == null {
		at = t.funcAddress.at(fn)
	}
	lib := t.frameLib.at(frame) // from version 70 on; before, of the function's resource
	if lib == null {
		lib = t.resourceLib.at(resource)
	}
	if lib == null || int(lib) >= len(libs) {
		if f.Package = t.text(t.resourceName.at(resource)); f.Package == "" && isAddress(f.Name) {
			return nowhere
		}
		return named(f)
	}
	if f.Module = libs[lib].place(); at != null && isAddress(f.Name) {
		return libs[lib].unnamed(uint64(at))
	}
	return named(f)
}

// told reports whether the tables have what a frame refers to.
func (t *thread) told(frame int32) bool {
	text := t.frameLocation.at(frame)
	if t.frameFunc.length() > 0 {
		fn := t.frameFunc.at(frame)
		if text = t.funcName.at(fn); text == null {
			return fn != null && int(fn) < t.funcName.length() // it has no name
		}
	}
	return text != null && int(text) < len(t.strings)
}

// named completes a function that has a name or a file.
func named(f trace.Function) trace.Function {
	switch {
	case f.Name != "":
	case f.File == "":
		f.Name = "(anonymous)"
	default:
		f.Name = fmt.Sprintf("(anonymous %s:%d)", path.Base(f.File), f.Line)
	}
	if f.Package == "" {
		f.Package = qualified.Package(f.Name)
	}
	return f
}

// place is where a library lies, or its name.
func (l *library) place() string {
	if l.path != "" {
		return l.path
	}
	return l.name
}

// unnamed returns the function of code without a symbol: unlike its address, its place in its
// library is the same in every run.
func (l *library) unnamed(offset uint64) trace.Function {
	name := cmp.Or(l.name, l.path, l.debugName, "?")
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	return trace.Function{Name: fmt.Sprintf("%s+%#x", name, offset), Package: name, Module: l.place()}
}

// nowhere is the function of code that lies in no library and has no name, such as what a compiler
// of JavaScript made: its address is another one in every run. The name is that of perf.
var nowhere = trace.Function{Name: "[unknown]"}

// isAddress reports whether a name is an address in its place.
func isAddress(name string) bool {
	if !strings.HasPrefix(name, "0x") {
		return false
	}
	_, err := strconv.ParseUint(name[2:], 16, 64)
	return err == nil
}

// realPlace returns where a script is from. Gecko notes what has loaded it before an arrow.
func realPlace(file string) string {
	if i := strings.LastIndex(file, " -> "); i >= 0 {
		return file[i+4:]
	}
	return file
}

// located reads the text that Gecko has for a frame: an address, a place in a script such as
// "f (http://h/a.js:3:5)", "http://h/a.js:3" or "http://h/a.js", which the number of its source may
// follow, a symbol with its library as in "ns::f(int) (in XUL) (a.cpp:3)", or else a label.
func located(text string, libs []library) trace.Function {
	if isAddress(text) {
		at, _ := strconv.ParseUint(text[2:], 16, 64)
		for i := range libs {
			if l := &libs[i]; at >= l.start && at < l.end {
				return l.unnamed(at - l.start + l.offset)
			}
		}
		return nowhere
	}
	text = withoutSource(text)
	if name, rest, ok := strings.Cut(text, " (in "); ok {
		lib, at, _ := strings.Cut(rest, ")")
		file, line, _ := place(strings.Trim(at, " ()"))
		return named(trace.Function{Name: name, Module: lib, File: file, Line: line})
	}
	name, at, ok := inParentheses(text)
	if !ok && !isURL(realPlace(text)) {
		return named(trace.Function{Name: text})
	} else if !ok {
		at = text
	}
	file, line, placed := place(at)
	switch {
	case !placed && !ok: // all of a script
		return trace.Function{Name: text, File: realPlace(text)}
	case !placed:
		return named(trace.Function{Name: text})
	}
	return named(trace.Function{Name: name, File: realPlace(file), Line: line})
}

// withoutSource cuts the number of a script's source off, "[12]" behind a place: it is another one
// in every run.
func withoutSource(text string) string {
	open := strings.LastIndexByte(text, '[')
	if open <= 0 || !strings.HasSuffix(text, "]") {
		return text
	}
	if at := text[:open]; text[open-1] == ')' || isURL(realPlace(at)) {
		return at
	}
	return text
}

// inParentheses splits "name (inner)" or "(inner)".
func inParentheses(text string) (name, inner string, ok bool) {
	if !strings.HasSuffix(text, ")") {
		return "", "", false
	}
	text = text[:len(text)-1]
	if open := strings.LastIndex(text, " ("); open >= 0 {
		return text[:open], text[open+2:], true
	}
	inner, ok = strings.CutPrefix(text, "(")
	return "", inner, ok
}

// isURL reports whether a text is a URL and nothing else.
func isURL(text string) bool {
	scheme, _, ok := strings.Cut(text, "://")
	return ok && scheme != "" && !strings.ContainsAny(text, " ()")
}

// place splits "file:line" and "file:line:column".
func place(text string) (file string, line int32, ok bool) {
	rest, last, ok := cutNumber(text)
	if !ok {
		return "", 0, false
	}
	if file, line, ok := cutNumber(rest); ok {
		return file, line, true
	}
	return rest, last, true
}

// cutNumber splits "text:number".
func cutNumber(text string) (rest string, n int32, ok bool) {
	colon := strings.LastIndexByte(text, ':')
	if colon <= 0 {
		return "", 0, false
	}
	v, err := strconv.ParseUint(text[colon+1:], 10, 31)
	return text[:colon], int32(v), err == nil
}
