package pair

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Rules say how a function's name becomes its identity. The zero value removes compiler noise only.
type Rules struct {
	Raw     bool     // keep compiler noise
	Renames []Rename // the first that applies counts
}

// Rename maps names of one version to those of another. It applies to both sides alike, so that
// swapping them changes nothing.
type Rename struct {
	old, new string
	pattern  *regexp.Regexp // nil for a plain name
}

// parseRename reads old=new, for a whole name, or /regexp/=replacement, in which $1 stands for the
// first group. The first "=" after old, or the first "/=" after the expression, separates them.
func parseRename(rule string) (Rename, error) {
	if body, ok := strings.CutPrefix(rule, "/"); ok {
		expr, to, ok := strings.Cut(body, "/=")
		if !ok {
			return Rename{}, fmt.Errorf("rename rule %q: want /regexp/=replacement", rule)
		}
		re, err := regexp.Compile(expr)
		if err != nil {
			return Rename{}, fmt.Errorf("rename rule %q: %w", rule, err)
		}
		return Rename{new: to, pattern: re}, nil
	}
	from, to, ok := strings.Cut(rule, "=")
	if !ok || from == "" || to == "" {
		return Rename{}, fmt.Errorf("rename rule %q: want old=new or /regexp/=replacement", rule)
	}
	return Rename{old: from, new: to}, nil
}

// ParseRules reads rename rules, as the command line gives them.
func ParseRules(raw bool, renames []string) (Rules, error) {
	r := Rules{Raw: raw}
	for _, s := range renames {
		rename, err := parseRename(s)
		if err != nil {
			return Rules{}, err
		}
		r.Renames = append(r.Renames, rename)
	}
	return r, nil
}

// String returns the rule as parseRename reads it; stored results are keyed by it.
func (r Rename) String() string {
	if r.pattern != nil {
		return "/" + r.pattern.String() + "/=" + r.new
	}
	return r.old + "=" + r.new
}

func (r Rename) apply(name string) (string, bool) {
	if r.pattern == nil {
		return r.new, name == r.old
	}
	if !r.pattern.MatchString(name) {
		return name, false
	}
	return r.pattern.ReplaceAllString(name, r.new), true
}

// Identity returns the string that the function called name is compared by.
func (r Rules) Identity(name string) string {
	if !r.Raw {
		name = Clean(name)
	}
	for _, rename := range r.Renames {
		if to, ok := rename.apply(name); ok {
			return to
		}
	}
	return name
}

var (
	// address is where code lay in one run: an offset into a function, or an address with the
	// brackets, the separator or the " at " that introduce it.
	address = regexp.MustCompile(`\s*[\[(<]0[xX][0-9a-fA-F]+[\])>]|` +
		`(?:\s+at\s+|\s*[+@]\s*|\s+|\b)0[xX][0-9a-fA-F]+\b`)

	// cloned is what compilers append to a function that they copied, split or specialised. It is
	// noise only at the end of a name, so that Go's pkg.part or pkg.cold.func1 keep theirs.
	cloned = regexp.MustCompile(`(?:\.(?:constprop|isra|part|lto_priv|llvm)\.\d+|` +
		`\.cold(?:\.\d+)?|\s*\[clone [^\]]*\]|\s*\(\.[a-z][^)]*\))+$`)
)

// Clean returns name without what a compiler or a loader added to it: addresses, .constprop.N,
// .isra.N, .part.N, .lto_priv.N, .llvm.N, .cold and clone suffixes. A name of nothing else is kept
// as it is, and so is an offset that stands for a function without a symbol, as in queue(+0x1189):
// it lies in a file, and is the same in every run.
func Clean(name string) string {
	if strings.Contains(name, "(+0x") {
		return name
	}
	clean := name
	for last := ""; clean != last; {
		last = clean
		if mayHoldAddress(clean) {
			clean = address.ReplaceAllString(clean, "")
		}
		if mayBeCloned(clean) {
			clean = cloned.ReplaceAllString(clean, "")
		}
	}
	if strings.TrimSpace(clean) == "" {
		return name
	}
	return clean
}

// mayHoldAddress and mayBeCloned are false for names in which the expressions find nothing. Nearly
// all names are such, and trying the expressions took most of the time of pairing their functions.
func mayHoldAddress(name string) bool {
	return strings.Contains(name, "0x") || strings.Contains(name, "0X")
}

func mayBeCloned(name string) bool {
	if name == "" {
		return false
	}
	switch last := name[len(name)-1]; {
	case last == 'd':
		return strings.HasSuffix(name, ".cold")
	case last == ']':
		return strings.Contains(name, "[clone ")
	case last == ')':
		return strings.Contains(name, "(.")
	case '0' <= last && last <= '9':
		return slices.ContainsFunc(numberedClones, func(s string) bool { return strings.Contains(name, s) })
	}
	return false
}

var numberedClones = []string{".constprop.", ".isra.", ".part.", ".lto_priv.", ".llvm.", ".cold."}
