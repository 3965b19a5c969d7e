// Package blocking finds the calls of a trace that block by the names of their functions (DESIGN
// §3; SyncTrace's Sw, Sr and So): which wait, which release, which do input or output, and on what
// objects, as their arguments tell. The rules are a table, builtin.rules, that a user's file
// extends in the same form.
//
// It knows functions, argument text and the trace model, and no trace format. Explicit records of a
// format count before anything found here.
package blocking

import (
	"bufio"
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"diptych/internal/trace"
)

//go:embed builtin.rules
var builtin string

// Rules tell blocking functions by name. They may be extended until they are first used; after that
// they serve one goroutine at a time, for they remember each name they were asked for.
type Rules struct {
	names    map[string]*rule
	patterns []*rule // later ones count first
	asked    map[string]*rule
}

// rule is one line of a table.
type rule struct {
	kind    trace.BlockKind // 0 if the function does not block
	pattern *regexp.Regexp  // nil if the rule is for one name
	args    []int           // arguments that name objects, from 1
	fd      int             // the argument that is a descriptor, or 0
	opens   bool
	closes  bool
}

// Builtin returns the rules for well-known functions.
func Builtin() *Rules {
	r := &Rules{names: map[string]*rule{}, asked: map[string]*rule{}}
	if err := r.Read(strings.NewReader(builtin), "builtin.rules"); err != nil {
		// The table is part of the program and covered by a test; without it nothing would be
		// classified.
		return r
	}
	return r
}

// Read adds the rules of a file; name is for errors, which name file and line.
func (r *Rules) Read(in io.Reader, name string) error {
	lines := bufio.NewScanner(in)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := r.addRule(line); err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	clear(r.asked)
	return nil
}

var kinds = map[string]trace.BlockKind{
	"wait": trace.Wait, "release": trace.Release, "io": trace.IO, "none": 0,
}

// addRule reads one rule.
func (r *Rules) addRule(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	kind, ok := kinds[word]
	if !ok {
		return fmt.Errorf("%q is not wait, release, io or none", word)
	}
	name, options, err := splitName(strings.TrimSpace(rest))
	if err != nil {
		return err
	}
	to := &rule{kind: kind}
	if err := to.set(strings.Fields(options)); err != nil {
		return err
	}
	if expr, isPattern := strings.CutPrefix(name, "/"); isPattern {
		to.pattern, err = regexp.Compile(`^(?:` + strings.TrimSuffix(expr, "/") + `)$`)
		if err != nil {
			return fmt.Errorf("expression %s: %w", name, err)
		}
		r.patterns = append(r.patterns, to)
		return nil
	}
	r.names[name] = to
	return nil
}

// splitName separates the name, which may hold blanks, from the options after it.
func splitName(s string) (name, options string, err error) {
	if strings.HasPrefix(s, "/") {
		end := strings.LastIndex(s, "/")
		if end == 0 {
			return "", "", fmt.Errorf("expression %s has no closing /", s)
		}
		return s[:end+1], s[end+1:], nil
	}
	name = s
	for _, option := range []string{" args ", " fd ", " opens ", " closes "} {
		if i := strings.Index(s+" ", option); i >= 0 && i < len(name) {
			name = s[:i]
		}
	}
	if name == "" {
		return "", "", fmt.Errorf("the name is missing")
	}
	return strings.TrimSpace(name), s[len(name):], nil
}

// set reads the options of a rule.
func (to *rule) set(options []string) error {
	for i := 0; i < len(options); i++ {
		option, value := options[i], ""
		if option == "args" || option == "fd" {
			if i++; i == len(options) {
				return fmt.Errorf("%s without a number", option)
			}
			value = options[i]
		}
		switch option {
		case "args":
			for s := range strings.SplitSeq(value, ",") {
				n, err := position(s)
				if err != nil {
					return err
				}
				to.args = append(to.args, n)
			}
		case "fd":
			n, err := position(value)
			if err != nil {
				return err
			}
			to.fd = n
		case "opens":
			to.opens = true
		case "closes":
			to.closes = true
		default:
			return fmt.Errorf("%q is not args, fd, opens or closes", option)
		}
	}
	return nil
}

func position(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q is not the number of an argument", s)
	}
	return n, nil
}

// Match returns how calls of a function block and which of its arguments name the objects; ok is
// false if they do not block.
func (r *Rules) Match(function string) (kind trace.BlockKind, args []int, ok bool) {
	to := r.rule(function)
	if to == nil {
		return 0, nil, false
	}
	args = to.args
	if to.fd > 0 {
		args = append(args[:len(args):len(args)], to.fd)
	}
	return to.kind, args, true
}

// rule returns the rule for a function, or nil if it does not block.
func (r *Rules) rule(function string) *rule {
	to, known := r.asked[function]
	if known {
		return to
	}
	to = r.find(plainName(function))
	if to != nil && to.kind == 0 {
		to = nil
	}
	r.asked[function] = to
	return to
}

func (r *Rules) find(name string) *rule {
	if to := r.names[name]; to != nil {
		return to
	}
	for i := len(r.patterns) - 1; i >= 0; i-- {
		if r.patterns[i].pattern.MatchString(name) {
			return r.patterns[i]
		}
	}
	if bare := strings.TrimPrefix(strings.TrimPrefix(name, "__GI_"), "__"); bare != name {
		return r.find(strings.TrimPrefix(bare, "libc_"))
	}
	return nil
}

// plainName removes what recorders add to a name: a symbol version or the mark of a linkage table
// entry after @, and C++ parameters and template arguments.
func plainName(name string) string {
	name, _, _ = strings.Cut(name, "@")
	if !strings.Contains(name, "::") {
		return name
	}
	var b strings.Builder
	depth := 0
	for i := range len(name) {
		switch c := name[i]; {
		case c == '<':
			depth++
		case c == '>':
			depth--
		case depth > 0:
		case c == '(':
			return b.String()
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// files tells which file a descriptor or stream stood for at a time, as far as the trace shows its
// opening.
type files map[handle][]binding

type handle struct {
	process int32
	text    string // as arguments and results print it
}

// binding is what a handle means from a time on; "" is nothing known.
type binding struct {
	from int64
	path string
}

// pathAt returns the path of a handle, or "".
func (f files) pathAt(process int32, text string, ns int64) string {
	list := f[handle{process, text}]
	i := sort.Search(len(list), func(i int) bool { return list[i].from > ns })
	if i == 0 {
		return ""
	}
	return list[i-1].path
}

// trackFiles looks at all calls that open or close, in the order in which they returned.
func (p *pass) trackFiles() {
	p.files = files{}
	type event struct {
		at   int64
		th   *trace.Thread
		call int
	}
	var events []event
	for _, th := range p.tr.Threads {
		for i, f := range th.Fn {
			if to := p.rules[f]; to != nil && (to.opens || to.closes) {
				events = append(events, event{th.End[i], th, i})
			}
		}
	}
	slices.SortStableFunc(events, func(x, y event) int { return cmp.Compare(x.at, y.at) })
	for _, e := range events {
		p.track(e.th, e.call, e.at)
	}
}

func (p *pass) track(th *trace.Thread, call int, at int64) {
	to := p.rules[th.Fn[call]]
	args, result := parse(th.Args(call))
	bind := func(text, path string) {
		h := handle{th.Process, text}
		p.files[h] = append(p.files[h], binding{at, path})
	}
	if to.closes && to.fd > 0 && to.fd <= len(args) {
		bind(args[to.fd-1], "")
	}
	if !to.opens || result == "" || strings.HasPrefix(result, "-") {
		return
	}
	path := ""
	if to.fd > 0 && to.fd <= len(args) {
		path = p.files.pathAt(th.Process, args[to.fd-1], at)
	} else if named := pick(args, to.args); len(named) > 0 && !local(named[0]) {
		path = named[0]
	}
	bind(result, path)
}
