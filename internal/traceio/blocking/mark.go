package blocking

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"diptych/internal/trace"
)

// Apply has the builder mark blocking calls by the rules when it builds the trace.
func (r *Rules) Apply(b *trace.Builder) { b.MarkWith(r.Mark) }

// Mark finds the blocking calls of a trace.
func (r *Rules) Mark(tr *trace.Trace, mark trace.Mark) {
	p := &pass{tr: tr, rules: make([]*rule, len(tr.Functions)), index: map[operand]int32{}}
	files := false
	for f := range tr.Functions {
		if tr.Functions[f].Kind != trace.Event {
			p.rules[f] = r.rule(tr.Functions[f].Name)
		}
		files = files || p.rules[f] != nil && (p.rules[f].opens || p.rules[f].closes)
	}
	if files {
		p.trackFiles()
	}
	for _, th := range tr.Threads {
		p.gather(th)
	}
	names := p.names()
	var objects []string
	for _, f := range p.found {
		objects = objects[:0]
		for _, o := range p.operands[f.from:f.to] {
			objects = append(objects, names[o])
		}
		mark(tr.Threads[f.thread], int(f.call), f.kind, objects...)
	}
}

// pass is one look over a trace.
type pass struct {
	tr       *trace.Trace
	rules    []*rule // by function
	files    files
	thread   int32
	found    []blocked
	operands []int32 // of all found, by index in list
	list     []operand
	index    map[operand]int32
}

// blocked is a call that was found.
type blocked struct {
	thread, call int32
	from, to     uint32 // in operands
	kind         trace.BlockKind
}

// operand is an object before it is known whether its name suffices: an address or a descriptor
// means something in one process only.
type operand struct {
	name    string
	process int32 // −1 if the name means the same everywhere
}

// gather finds the blocking calls of the next thread.
func (p *pass) gather(th *trace.Thread) {
	for i, f := range th.Fn {
		to := p.rules[f]
		if to == nil {
			continue
		}
		b := blocked{thread: p.thread, call: int32(i), from: uint32(len(p.operands)), kind: to.kind}
		if len(to.args) > 0 || to.fd > 0 {
			p.operate(th, i, to)
		}
		b.to = uint32(len(p.operands))
		p.found = append(p.found, b)
	}
	p.thread++
}

// operate notes the objects that call i of th operates on.
func (p *pass) operate(th *trace.Thread, i int, to *rule) {
	args, _ := parse(th.Args(i))
	for _, name := range pick(args, to.args) {
		process := th.Process
		if !local(name) {
			process = -1
		}
		p.operand(operand{name, process})
	}
	if to.fd == 0 || to.fd > len(args) {
		return
	}
	handle := args[to.fd-1]
	switch path := p.files.pathAt(th.Process, handle, th.Start[i]); {
	case path != "":
		p.operand(operand{path, -1})
	case isNumber(handle):
		p.operand(operand{"fd " + handle, th.Process})
	case objectName(handle) != "":
		p.operand(operand{objectName(handle), th.Process})
	}
}

func (p *pass) operand(o operand) {
	n, ok := p.index[o]
	if !ok {
		n = int32(len(p.list))
		p.list = append(p.list, o)
		p.index[o] = n
	}
	p.operands = append(p.operands, n)
}

// names names all operands: where several processes have an equal address or descriptor, with the
// process.
func (p *pass) names() []string {
	owners := map[string]int{}
	for _, o := range p.list {
		owners[o.name]++
	}
	names := make([]string, len(p.list))
	for i, o := range p.list {
		names[i] = o.name
		if owners[o.name] > 1 && o.process >= 0 {
			owner := p.tr.Processes[o.process]
			names[i] = fmt.Sprintf("%s (%s %s)", o.name, owner.Name, owner.ID)
			if owner.Name == owner.ID {
				names[i] = fmt.Sprintf("%s (%s)", o.name, owner.ID)
			}
		}
	}
	return names
}

// local reports whether an object's name is an address, a number or a program's variable.
func local(name string) bool {
	return strings.HasPrefix(name, "0x") || strings.HasPrefix(name, "&") || isNumber(name)
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// Objects returns the arguments at the given positions, from 1, of argument text: what uftrace
// prints, `(0x7ffd, 3) = 0`, or the args object of a Chrome trace event that holds such text as
// "arguments". Null pointers and missing arguments name no object. Strings come without quotes.
func Objects(argsText string, args []int) []string {
	list, _ := parse(argsText)
	return pick(list, args)
}

func pick(list []string, args []int) []string {
	var out []string
	for _, n := range args {
		if n <= len(list) {
			if name := objectName(list[n-1]); name != "" {
				out = append(out, name)
			}
		}
	}
	return out
}

// objectName returns the object that an argument names, or "" if it names none.
func objectName(arg string) string {
	switch arg {
	case "", "0", "0x0", "(nil)", "NULL", "nil", "null":
		return ""
	}
	if text, isQuoted := strings.CutPrefix(arg, `"`); isQuoted {
		return unescape(strings.TrimSuffix(text, `"`))
	}
	return arg
}

// parse splits argument text into arguments and result.
func parse(text string) (args []string, result string) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "{") {
		return parseJSON(text)
	}
	if strings.HasPrefix(text, "(") {
		var n int
		args, n = split(text[1:])
		text = strings.TrimSpace(text[1+n:])
	}
	if r, ok := strings.CutPrefix(text, "="); ok {
		result = strings.TrimSpace(r)
	}
	return args, result
}

// split separates arguments at commas outside strings and brackets, up to the closing parenthesis;
// n is how much of s that takes.
func split(s string) (args []string, n int) {
	var (
		from, depth int
		quote       byte
	)
	take := func(to int) {
		if arg := strings.TrimSpace(s[from:to]); arg != "" || len(args) > 0 {
			args = append(args, arg)
		}
		from = to + 1
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(' || c == '[' || c == '{':
			depth++
		case depth > 0 && (c == ')' || c == ']' || c == '}'):
			depth--
		case c == ')':
			take(i)
			return args, i + 1
		case c == ',' && depth == 0:
			take(i)
		}
	}
	take(len(s))
	return args, len(s)
}

// unescape undoes backslashes before quotes and backslashes; what stands for bytes that do not
// print stays.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(s)
}

// parseJSON reads one or more JSON objects, as begin and end of a Chrome event each may bring one.
// Only the strings "arguments" and "retval" count.
func parseJSON(text string) (args []string, result string) {
	in := jsontext.NewDecoder(strings.NewReader(text),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for in.PeekKind() == '{' {
		if _, err := in.ReadToken(); err != nil {
			return args, result
		}
		for in.PeekKind() == '"' {
			key, err := in.ReadToken()
			if err != nil {
				return args, result
			}
			name := key.String()
			value, err := in.ReadValue()
			if err != nil {
				return args, result
			}
			switch {
			case value.Kind() != '"':
			case name == "arguments":
				args, _ = parse(unquoteJSON(value))
			case name == "retval":
				result = strings.Trim(unquoteJSON(value), `"`)
			}
		}
		if _, err := in.ReadToken(); err != nil {
			return args, result
		}
	}
	return args, result
}

func unquoteJSON(v jsontext.Value) string {
	s, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return ""
	}
	return string(s)
}
