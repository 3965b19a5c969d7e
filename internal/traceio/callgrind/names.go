package callgrind

import (
	"fmt"
	"path"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/qualified"
)

// texts are all names of a file, each once.
type texts struct {
	all   []string
	index map[string]int32
}

// Indices of texts that no name of a file has.
const (
	noText  int32 = 0
	inlined int32 = 1 // the name of what is inlined from a file
)

func newTexts() texts { return texts{all: make([]string, 2), index: map[string]int32{}} }

func (t *texts) add(name []byte) int32 {
	i, ok := t.index[string(name)]
	if !ok {
		i = int32(len(t.all))
		text := string(name)
		t.all = append(t.all, text)
		t.index[text] = i
	}
	return i
}

// compressed are the texts that numbers stand for, of one kind of names.
type compressed map[uint64]int32

// name reads a name: "(5) main" says that 5 stands for main from now on, "(5)" is that name, and
// anything else is a name itself.
func (p *parser) name(of compressed, s []byte) int32 {
	if len(s) < 3 || s[0] != '(' || !isDigit(s[1]) {
		return p.texts.add(s)
	}
	id, rest, ok := number(s[1:])
	if !ok || len(rest) == 0 || rest[0] != ')' {
		return p.texts.add(s)
	}
	if rest = rest[1:]; len(rest) > 0 && rest[0] == ' ' {
		rest = rest[1:]
	}
	if len(rest) > 0 {
		of[id] = p.texts.add(rest)
		return of[id]
	}
	text, known := of[id]
	if !known {
		p.bad("(%d) stands for no name", id)
		text = p.texts.add(fmt.Appendf(nil, "?%d", id))
		of[id] = text
	}
	return text
}

// unknown is how Callgrind names a file or a binary that it does not know.
const unknown = "???"

func (p *parser) text(i int32) string {
	if t := p.texts.all[i]; t != unknown {
		return t
	}
	return ""
}

// function returns what a node stands for. Code without symbols is named by its place in its
// binary.
func (p *parser) function(n *node) trace.Function {
	file, object := p.text(n.key.file), p.text(n.key.object)
	if n.key.name == inlined {
		return trace.Function{Name: "(inlined " + path.Base(file) + ")", File: file}
	}
	name := withoutPlace(p.texts.all[n.key.name], p.texts.all[n.key.file])
	f := trace.Function{Name: name, Package: qualified.Package(name), Module: object, File: file,
		Line: n.line}
	if at, ok := strings.CutPrefix(name, "0x"); ok && object != "" {
		if at = strings.TrimLeft(at, "0"); at == "" {
			at = "0"
		}
		f.Name, f.Package = path.Base(object)+"+0x"+at, path.Base(object)
	}
	return f
}

// withoutPlace returns a name without the file and line that yappi appends to it: "parse
// /srv/app.py:11" in the file "/srv/app.py" is "parse". With them, a line more at the top of the
// file would rename all functions below it.
func withoutPlace(name, file string) string {
	before, line, ok := cutLast(name, ":")
	if !ok || file == "" || line == "" || strings.Trim(line, "0123456789") != "" {
		return name
	}
	if short, ok := strings.CutSuffix(before, " "+file); ok && short != "" {
		return short
	}
	return name
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
