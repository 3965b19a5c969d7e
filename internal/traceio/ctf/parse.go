package ctf

import (
	"fmt"
	"strings"
)

// parser reads metadata in TSDL (Common Trace Format 1.8.3, chapters 4 and 7, appendix C).
type parser struct {
	lexer lexer
	tok   token // the next one
	err   error // the first one; after it tok is the end
	scope []map[string]*typ
	depth int
	m     *metadata
}

// parse reads metadata. On an error it returns what it has understood so far as well.
func parse(text string) (*metadata, error) {
	p := &parser{lexer: lexer{text: text}, m: newMetadata(), scope: []map[string]*typ{{}}}
	p.advance()
	for p.tok.kind != endToken {
		p.topLevel()
	}
	p.m.link()
	return p.m, p.err
}

// fail notes an error at the present token, and ends the parsing.
func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("offset %d of the metadata: %s", p.tok.at, fmt.Sprintf(format, args...))
	}
	p.tok = token{at: p.tok.at}
	p.lexer.pos = len(p.lexer.text)
}

func (p *parser) advance() {
	t, err := p.lexer.next()
	if err != nil && p.err == nil {
		p.err = err
		p.lexer.pos = len(p.lexer.text)
		t = token{}
	}
	p.tok = t
}

// is reports whether the next token is a certain sign or name.
func (p *parser) is(text string) bool {
	return p.tok.text == text && (p.tok.kind == signToken || p.tok.kind == nameToken)
}

// take passes over a sign or name if it is the next token.
func (p *parser) take(text string) bool {
	if !p.is(text) {
		return false
	}
	p.advance()
	return true
}

func (p *parser) expect(text string) {
	if !p.take(text) {
		p.fail("%q where %q should be", p.tok.text, text)
	}
}

// name takes a name.
func (p *parser) name() string {
	if p.tok.kind != nameToken {
		p.fail("%q where a name should be", p.tok.text)
		return ""
	}
	defer p.advance()
	return p.tok.text
}

// enter begins a block, whose names end with it; it returns false if blocks nest too deeply.
func (p *parser) enter() bool {
	if p.depth++; p.depth > 2*mostNested {
		p.fail("blocks nest more than %d levels deep", 2*mostNested)
		return false
	}
	p.scope = append(p.scope, nil)
	return true
}

func (p *parser) leave() {
	p.depth--
	p.scope = p.scope[:len(p.scope)-1]
}

// declare gives a type a name in the present block.
func (p *parser) declare(name string, t *typ) {
	last := len(p.scope) - 1
	if p.scope[last] == nil {
		p.scope[last] = map[string]*typ{}
	}
	p.scope[last][name] = t
}

// lookup returns the type of a name, or nil.
func (p *parser) lookup(name string) *typ {
	for i := len(p.scope) - 1; i >= 0; i-- {
		if t := p.scope[i][name]; t != nil {
			return t
		}
	}
	return nil
}

// topLevel reads a block, or a declaration.
func (p *parser) topLevel() {
	if p.take(";") || p.declaration() {
		return
	}
	block := p.name()
	switch block {
	case "trace", "env", "clock", "stream", "event", "callsite":
		p.m.apply(block, p.attributes())
		p.expect(";")
	default:
		p.fail("%q is no block of a trace", block)
	}
}

// attributes reads the assignments of a block in braces.
func (p *parser) attributes() (list []attribute) {
	p.expect("{")
	if !p.enter() {
		return nil
	}
	for p.tok.kind != endToken && !p.is("}") {
		if p.take(";") || p.declaration() {
			continue
		}
		a := attribute{name: p.path()}
		switch {
		case p.take("="):
			a.value = p.value()
		case p.take(":="):
			if a.typ = p.typ(); a.typ == nil {
				p.fail("a type is missing")
			}
		default:
			p.fail("%q where an assignment should be", p.tok.text)
		}
		p.expect(";")
		if p.err == nil {
			list = append(list, a)
		}
	}
	p.leave()
	p.expect("}")
	return list
}

// path takes names with dots between them. In env, a name may stand in quotes.
func (p *parser) path() string {
	if p.tok.kind == textToken {
		defer p.advance()
		return p.tok.text
	}
	name := p.name()
	for p.is(".") || p.is("->") {
		p.advance()
		name += "." + p.name()
	}
	return name
}

// value takes a number, a text or a name.
func (p *parser) value() value {
	v := value{}
	for p.is("-") || p.is("+") {
		v.negative = v.negative != p.is("-")
		p.advance()
	}
	v.token = p.tok
	switch p.tok.kind {
	case nameToken:
		v.name = p.path()
	case numberToken, textToken:
		p.advance()
	default:
		p.fail("%q where a value should be", p.tok.text)
	}
	return v
}

// declaration reads a declaration of a type, if one is next.
func (p *parser) declaration() bool {
	switch {
	case p.take("typealias"):
		t := p.typ()
		p.expect(":=")
		p.alias(p.typeName(), t)
	case p.take("typedef"):
		t := p.typ()
		for {
			name, declared := p.declarator(t)
			p.alias(name, declared)
			if !p.take(",") {
				break
			}
		}
	case p.is("struct") || p.is("variant") || p.is("enum"):
		p.typ()
	default:
		return false
	}
	p.expect(";")
	return true
}

func (p *parser) alias(name string, t *typ) {
	if name == "" || t == nil {
		p.fail("a declaration without a name or a type")
		return
	}
	p.declare(name, t)
}

// words of C that together make the name of a type.
var cTypes = map[string]bool{"unsigned": true, "signed": true, "char": true, "short": true,
	"int": true, "long": true, "float": true, "double": true, "void": true, "_Bool": true,
	"_Complex": true, "_Imaginary": true}

// typeName takes the name of a type: one word, or several of C's, and stars.
func (p *parser) typeName() string {
	var words []string
	for p.tok.kind == nameToken {
		word := p.tok.text
		if word != "const" && word != "volatile" && word != "restrict" {
			if n := len(words); n > 0 && (!cTypes[word] || !cTypes[words[n-1]]) {
				break
			}
			words = append(words, word)
		}
		p.advance()
	}
	for p.is("*") || p.is("const") && len(words) > 0 {
		if p.is("*") {
			words = append(words, "*")
		}
		p.advance()
	}
	return strings.Join(words, " ")
}

// declarator takes the name of a field or type and the lengths of arrays after it.
func (p *parser) declarator(t *typ) (string, *typ) {
	name := p.name()
	return name, p.dimensions(t)
}

// dimensions takes the lengths in brackets after a name: a[2][3] is two arrays of three.
func (p *parser) dimensions(t *typ) *typ {
	var lengths []value
	for p.take("[") {
		v := p.value()
		if v.kind == textToken {
			p.fail("a text for a length")
		}
		lengths = append(lengths, v)
		p.expect("]")
	}
	for i := len(lengths) - 1; i >= 0 && t != nil; i-- {
		v := lengths[i]
		if v.kind == numberToken {
			t = &typ{kind: array, of: t, length: v.uint()}
		} else {
			t = &typ{kind: sequence, of: t, counted: v.name}
		}
		p.complete(t)
	}
	return t
}

// complete completes a type. Its error is the parser's.
func (p *parser) complete(t *typ) *typ {
	if err := t.complete(); err != nil {
		p.fail("%v", err)
	}
	return t
}
