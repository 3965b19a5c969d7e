// Package blocking finds the calls of a trace that block by the names of their functions
// (SyncTrace's Sw, Sr and So): which wait, which release, which do input or output, and on what
// objects, as their arguments tell. The rules are a table, builtin.rules, that a user's file
// extends in the same form.
//
// It knows functions, argument text and the trace model, and no trace format. Explicit records of a
// format count before anything found here.
package blocking

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

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
	begins  *first          // how a name may begin that the pattern matches
	args    []int           // arguments that name objects, from 1
	fd      int             // the argument that is a descriptor, or 0
	opens   bool
	closes  bool
	takes   bool // reads from its descriptor, so it waits if that is a pipe
	gives   bool // writes to its descriptor

	releases  []int // arguments that name objects that the call releases as it begins
	processes []int // arguments, or result or self, that are ids of processes
	signal    int   // the argument that is a signal, or result or every; 0 if none is
	of        int   // the argument that is the id of the process that gets the signal, or 0
	pipe      int   // the argument that is a new pair of descriptors, or result; 0 if none is
	forks     bool  // the result is the id of a new process
}

// What can stand for the number of an argument.
const (
	result = -1 - iota // the call's result
	self               // the process that calls
	every              // any signal
)

// Builtin returns the rules for well-known functions.
func Builtin() *Rules {
	r := parsed()
	return &Rules{names: maps.Clone(r.names), patterns: slices.Clone(r.patterns),
		asked: map[string]*rule{}}
}

// parsed are the built-in rules. Their expressions take longer to compile than a small file takes
// to load.
var parsed = sync.OnceValue(func() *Rules {
	r := &Rules{names: map[string]*rule{}, asked: map[string]*rule{}}
	// The table is part of the program and covered by a test; without it nothing would be
	// classified.
	_ = r.Read(strings.NewReader(builtin), "builtin.rules")
	return r
})

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
		to.begins = firstOf(to.pattern.String())
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
	fields := strings.Fields(s)
	n := 0
	for n < len(fields) && !areOptions(fields[n:]) {
		n++
	}
	if n == 0 {
		return "", "", fmt.Errorf("the name is missing")
	}
	for _, f := range fields[:n] { // blanks within the name stay
		_, s, _ = strings.Cut(s, f)
		name = name + f + s[:len(s)-len(strings.TrimLeft(s, " \t"))]
	}
	return strings.TrimSpace(name), s, nil
}

// areOptions reports whether fields have the form of options. The word "of" in "end of frame" has
// not: no number follows.
func areOptions(fields []string) bool {
	var to rule
	words, numbers, lists := to.words(), to.numbers(), to.lists()
	for i := 0; i < len(fields); i++ {
		option := fields[i]
		if words[option] != nil {
			continue
		}
		if numbers[option] == nil && lists[option] == nil {
			return false
		}
		if i++; i == len(fields) || option == "args" || option == "fd" {
			continue // if that is wrong, set says what is
		}
		if _, err := positions(option, fields[i]); err != nil {
			return false
		}
	}
	return true
}

// words are the options without a value, numbers those with one, lists those with several.
func (to *rule) words() map[string]*bool {
	return map[string]*bool{"opens": &to.opens, "closes": &to.closes, "takes": &to.takes,
		"gives": &to.gives, "forks": &to.forks}
}

func (to *rule) numbers() map[string]*int {
	return map[string]*int{"fd": &to.fd, "signal": &to.signal, "of": &to.of, "pipe": &to.pipe}
}

func (to *rule) lists() map[string]*[]int {
	return map[string]*[]int{"args": &to.args, "releases": &to.releases, "process": &to.processes}
}

// set reads the options of a rule.
func (to *rule) set(options []string) error {
	words, numbers, lists := to.words(), to.numbers(), to.lists()
	for i := 0; i < len(options); i++ {
		option := options[i]
		if word := words[option]; word != nil {
			*word = true
			continue
		}
		if numbers[option] == nil && lists[option] == nil {
			return fmt.Errorf("%q is none of %s", option, strings.Join(optionNames(), ", "))
		}
		if i++; i == len(options) {
			return fmt.Errorf("%s without a number", option)
		}
		list, err := positions(option, options[i])
		if err != nil {
			return err
		}
		switch {
		case numbers[option] != nil && len(list) > 1:
			return fmt.Errorf("%q is not the number of an argument", options[i])
		case numbers[option] != nil:
			*numbers[option] = list[0]
		default:
			*lists[option] = append(*lists[option], list...)
		}
	}
	return nil
}

// optionNames returns the names of all options.
func optionNames() []string {
	var to rule
	names := slices.Collect(maps.Keys(to.words()))
	names = slices.AppendSeq(names, maps.Keys(to.numbers()))
	names = slices.AppendSeq(names, maps.Keys(to.lists()))
	slices.Sort(names)
	return names
}

// named are the words that may stand where an option takes the number of an argument.
var named = map[string]map[string]int{
	"process": {"result": result, "self": self},
	"signal":  {"result": result, "any": every},
	"pipe":    {"result": result},
}

// positions reads numbers of arguments, separated by commas.
func positions(option, value string) ([]int, error) {
	var list []int
	for s := range strings.SplitSeq(value, ",") {
		n, ok := named[option][s]
		if !ok {
			var err error
			if n, err = strconv.Atoi(s); err != nil || n < 1 {
				return nil, fmt.Errorf("%q is not the number of an argument", s)
			}
		}
		list = append(list, n)
	}
	return list, nil
}

// rule returns the rule for a function, or nil if it does not block.
func (r *Rules) rule(function string) *rule {
	to, known := r.asked[function]
	if known {
		return to
	}
	to = r.find(plainName(function))
	if to != nil && to.kind == 0 && !to.forks {
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
		to := r.patterns[i]
		if (name == "" || to.begins[name[0]]) && to.pattern.MatchString(name) {
			return to
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
